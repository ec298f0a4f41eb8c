"""Record the causes of wrong answers that were judged before causes, or error classes of DoG, were recorded."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError
from django.db import InterfaceError, OperationalError

from kgstore.loading.errors import GraphLoadError
from kgstore.store import GraphStoreError
from reasoning.datasets.errors import DatasetError
from webapp.evaluations.earlier_causes import (
    evaluation_backfill_causes,
    evaluations_without_causes,
    questions_without_causes,
)
from webapp.evaluations.models import Evaluation
from webapp.platform.disk import NoRoomError
from webapp.platform.terminal.command import TerminalCommand, progress_bar

if TYPE_CHECKING:
    from argparse import ArgumentParser

_STOPPED = "Stopped. What is recorded is kept; run the command again to resume."


class Command(TerminalCommand):
    """``manage.py backfill_error_causes [EVALUATION ...]``."""

    help = (
        "Record the causes of wrong answers, for evaluations that were judged before Discern recorded them, "
        "and the error classes of DoG where DoG answered. "
        "They are computed from the saved outcomes; no model is asked. The graph must be the one that was asked. "
        "A command that was stopped resumes where it stopped when it is given again. See docs/how-to/review.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """See ``--help``."""
        parser.add_argument(
            "evaluations", nargs="*", metavar="EVALUATION", help="ids of evaluations (default: all that need it)"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Tell them, one evaluation after the other, and say what came of each."""
        chosen = [_named(each) for each in options["evaluations"]] or list(evaluations_without_causes())
        if not chosen:
            self.print_text("All evaluations have their error causes already.")
            return
        failed = 0
        for evaluation in chosen:
            failed += not self._backfill(evaluation)
        if failed:
            raise CommandError(f"{failed:,} of {len(chosen):,} evaluations lack some causes; see above.")

    def _backfill(self, evaluation: Evaluation) -> bool:
        """Record the causes of one evaluation; return whether all could be."""
        title = f"{evaluation.pk} ({evaluation.scorer}, {evaluation.dataset}, {evaluation.graph_title})"
        with progress_bar() as bar:
            task = bar.add_task(title, total=questions_without_causes(evaluation).count())
            try:
                found = evaluation_backfill_causes(evaluation, progress=lambda more: bar.advance(task, more))
                cannot = found.cannot
            except (DatasetError, GraphLoadError, GraphStoreError, NoRoomError) as error:
                cannot = str(error)
            except (OperationalError, InterfaceError) as error:
                raise CommandError(f"The database took no more ({error}). {_STOPPED}") from error
            except KeyboardInterrupt:
                raise CommandError(_STOPPED, returncode=130) from None
        if cannot:
            self.print_text(f"{title}: {cannot}")
            return False
        broke = f" {found.broke:,} broke; see the log." if found.broke else ""
        classes = f" and {found.dog_classes:,} error classes of DoG" if found.dog_classes else ""
        self.print_text(f"{title}: {found.causes:,} causes{classes} recorded, of {found.questions:,} questions.{broke}")
        return not found.broke


def _named(name: str) -> Evaluation:
    try:
        return Evaluation.objects.get(pk=uuid.UUID(name))
    except (ValueError, Evaluation.DoesNotExist):
        raise CommandError(f"There is no evaluation “{name}”. Its id is in the address of its report.") from None
