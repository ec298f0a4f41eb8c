"""Ask the bundled sample's questions and compare the answers with the known ones."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import track
from rich.table import Table

from kgstore.store import GraphStoreError
from reasoning.errors import ReasoningError
from reasoning.evaluation import Evaluation, evaluate_phrasing
from reasoning.questions import sample_questions
from webapp import engine

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from reasoning.questions import SampleQuestion

SAMPLE_GRAPH = "sample"
_PARTS = ("validation", "train", "all")


class Command(BaseCommand):
    """``manage.py evaluate_sample``."""

    help = "Ask every phrasing of the sample's questions, linking included, and report how well they are answered."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """See ``--help``."""
        parser.add_argument("--split", choices=_PARTS, default="validation", help="which questions (validation)")
        parser.add_argument("--scorer", help="the scorer; the site's own if not given")
        parser.add_argument("--wrong", action="store_true", help="list the phrasings that were not answered rightly")
        parser.add_argument("--json", action="store_true", help="report as one JSON document")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Evaluate, and print the figures."""
        name = options["scorer"] or engine.default_scorer()
        questions = [question for question in sample_questions() if _belongs(question, options["split"])]
        phrasings = [(question, phrasing) for question in questions for phrasing in question.phrasings]
        errors = Console(stderr=True)
        try:
            store, scorer = engine.graph(SAMPLE_GRAPH), engine.scorer(name)
        except (GraphStoreError, ReasoningError) as error:
            raise CommandError(str(error)) from error
        evaluation = Evaluation()
        for question, phrasing in track(phrasings, description="Asking", console=errors):
            evaluation.outcomes.append(evaluate_phrasing(question, phrasing, store, scorer))
        document = {"split": options["split"], "scorer": scorer.name, **evaluation.figures()}
        if options["wrong"]:
            document["wrong"] = _wrong(evaluation)
        if options["json"]:
            self.stdout.write(json.dumps(document, indent=2, ensure_ascii=False))
        else:
            _print(document)


def _belongs(question: SampleQuestion, split: str) -> bool:
    return split == "all" or question.is_validation == (split == "validation")


def _wrong(evaluation: Evaluation) -> list[dict[str, Any]]:
    return [
        {"id": o.question_id, "phrasing": o.phrasing, "case": o.case, "turned_away": o.turned_away}
        for o in evaluation.outcomes
        if (not o.comparison.exact if o.answerable else not o.turned_away)
    ]


def _print(document: dict[str, Any]) -> None:
    console = Console()
    console.print(f"[bold]{document['scorer']}[/bold] on the sample's {document['split']} questions")
    table = Table("figure", "value", box=None, header_style="dim")
    for name, value in _flat(document):
        table.add_row(name, f"{value:.3f}" if isinstance(value, float) else str(value))
    console.print(table)
    for wrong in document.get("wrong", []):
        console.print(
            f"{wrong['id']}  {wrong['phrasing']}  [dim]{wrong['case'] or 'unanswerable'}[/dim]", highlight=False
        )


def _flat(document: dict[str, Any], above: str = "") -> list[tuple[str, Any]]:
    rows: list[tuple[str, Any]] = []
    for key, value in document.items():
        name = f"{above} {key}".strip().replace("_", " ")
        if isinstance(value, dict):
            rows.extend(_flat(value, name))
        elif key != "wrong" and not isinstance(value, str):
            rows.append((name, value))
    return rows
