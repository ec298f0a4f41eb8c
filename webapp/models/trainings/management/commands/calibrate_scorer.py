"""Write the calibration of a scorer's confidence into its model card."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from reasoning.core.errors import ScorerUnavailableError
from reasoning.scorers.calibration import Calibration
from reasoning.scorers.registry import KINDS, Weights, card_folder, kind_of
from reasoning.training.encoder.calibrate import write_calibration
from webapp import engine
from webapp.platform.terminal.command import Terminal, TerminalCommand


class Command(TerminalCommand):
    """``manage.py calibrate_scorer``."""

    help = (
        "Write the calibration of an evaluation (manage.py evaluate --json) into the model card of its scorer. "
        "Evaluate questions that the scorer was not trained on."
    )

    def add_arguments(self, parser: Any) -> None:
        """See ``--help``."""
        parser.add_argument("scorer", help="the name of the scorer")
        parser.add_argument("report", type=Path, help="the report of an evaluation as JSON")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Write it, and say what it does."""
        name = options["scorer"]
        calibration = _learned(options["report"])
        try:
            folder = card_folder(name, trained=engine.scorers_folder())
            if folder is None:
                raise CommandError(f"The scorer “{name}” has no model card. Choose one of “manage.py list_scorers”.")
            if kind_of(name, trained=engine.scorers_folder()).weights is not Weights.BUNDLED:
                raise CommandError(
                    f"The confidence of “{name}” cannot be calibrated. Choose an encoder or path reader."
                )
            write_calibration(folder, calibration)
        except ScorerUnavailableError as error:
            raise CommandError(str(error)) from error
        text = ", ".join(f"{claim:.0%} becomes {calibration(claim):.0%}" for claim in (0.3, 0.5, 0.7, 0.9))
        where = f"the bundled weights of “{name}”" if name in KINDS else f"the scorer “{name}”"
        Terminal().print(f"Calibrated {where}: {text}.", markup=False, highlight=False)


def _learned(report: Path) -> Calibration:
    try:
        document = json.loads(report.read_text(encoding="utf-8"))
        correction = document["confidence"]["correction"]
    except OSError as error:
        raise CommandError(f"{report} cannot be read: {error.strerror or error}.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise CommandError(
            f"{report} is not a report of an evaluation with confidences. Write one with “manage.py evaluate --json”."
        ) from error
    if correction is None:
        raise CommandError("The evaluation answered too few questions to learn a correction from. Ask more questions.")
    seen = document.get("seen_in_training") or {}
    if seen.get("seen"):
        raise CommandError(
            f"The scorer was trained on {seen['seen']:,} of these questions, so they do not predict new ones. "
            "Evaluate with --split validation, or another file."
        )
    return Calibration.from_json(correction)
