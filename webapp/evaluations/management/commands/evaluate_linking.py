"""Measure how well entity linking finds the topics of a benchmark's questions."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError
from rich.markup import escape
from rich.progress import track
from rich.table import Table

from kgstore.store import GraphStoreError
from reasoning.core.errors import ReasoningError
from reasoning.datasets.errors import DatasetError
from reasoning.datasets.question import RefusedQuestion
from reasoning.datasets.registry import FORMATS, read_dataset
from reasoning.evaluation.judging.linking import evaluate_linking
from reasoning.evaluation.judging.selection import of_part, questions_hash
from webapp import engine
from webapp.evaluations.questions.question_ids import question_ids
from webapp.platform.terminal.arguments import positive
from webapp.platform.terminal.command import Terminal, TerminalCommand

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from reasoning.evaluation.judging.linking import LinkedQuestion

_SPLITS = ("train", "validation", "all")
NO_SCORER = "none"


class Command(TerminalCommand):
    """``manage.py evaluate_linking --dataset FILE --format FORMAT``."""

    help = (
        "Link a benchmark's questions over a graph and report: mention found, right entity first, right entity in "
        "five. Questions whose topic is not in the graph are counted separately."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """See ``--help``."""
        parser.add_argument("--dataset", type=Path, required=True, help="the questions")
        parser.add_argument("--format", choices=list(FORMATS), required=True, help="the format of the file")
        parser.add_argument("--graph", help="the graph (default: the site's)")
        parser.add_argument("--scorer", help=f"the scorer (default: the site's), “{NO_SCORER}” for no model")
        parser.add_argument("--split", choices=_SPLITS, default="all", help="which questions (all)")
        parser.add_argument("--ids", type=Path, help="a file with the ids of the questions to link, one per line")
        parser.add_argument("--limit", type=positive, help="maximum number of questions, the first ones")
        parser.add_argument("--wrong", action="store_true", help="list the questions whose first entity is wrong")
        parser.add_argument("--json", action="store_true", help="report as one JSON document")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Evaluate, and print the figures."""
        scorer_name = options["scorer"] or engine.default_scorer()
        try:
            store = engine.graph(options["graph"] or engine.default_graph())
            found = read_dataset(options["dataset"], options["format"])
            # All are read before the first ones are taken, so that an id that is not there is always reported.
            chosen = list(of_part(found, options["split"], question_ids(options["ids"])))[: options["limit"]]
            asked = track(chosen, description="Linking", console=Terminal(stderr=True), transient=True)
            with nullcontext() if scorer_name == NO_SCORER else engine.scorer(scorer_name) as scorer:
                evaluation = evaluate_linking(asked, store, scorer)
        except (DatasetError, GraphStoreError, ReasoningError) as error:
            raise CommandError(str(error)) from error
        graph = store.info()
        document = {
            "dataset": options["dataset"].name,
            "split": options["split"],
            "questions_sha256": questions_hash(each for each in chosen if not isinstance(each, RefusedQuestion)),
            "graph": f"{graph.title} ({graph.version}), {graph.triples:,} triples",
            "scorer": None if scorer is None else scorer.name,
            **evaluation.figures(),
        }
        if options["wrong"]:
            document["wrong"] = [shown for question in evaluation.linked if (shown := _wrong(question)) is not None]
        if options["json"]:
            self.print_json(document)
        else:
            _print(document)


def _wrong(question: LinkedQuestion) -> dict[str, Any] | None:
    """A question whose first entity is wrong; None for others."""
    if question.place(question.order) == 0:
        return None
    return {
        "id": question.id,
        "question": question.text,
        "topics": [card.name or card.entity.mid for card in question.topics],
        "found": [entity.mid for entity in question.order],
        "mention_found": question.mention_found,
    }


def _print(document: dict[str, Any]) -> None:
    console = Terminal()
    console.print(f"[bold]{document['dataset']}[/bold] ({document['split']}) over {document['graph']}", highlight=False)
    table = Table("figure", "value", box=None, header_style="dim")
    for name, value in _flat(document):
        table.add_row(name, f"{value:.3f}" if isinstance(value, float) else str(value))
    console.print(table)
    for wrong in document.get("wrong", []):
        names = ", ".join(wrong["topics"])
        shown = [escape(text) for text in (wrong["id"], wrong["question"], names)]
        console.print(f"{shown[0]}  {shown[1]}  [dim]{shown[2]}[/dim]", highlight=False)


def _flat(document: dict[str, Any], above: str = "") -> list[tuple[str, Any]]:
    """The figures of a document, those within it under both names."""
    rows: list[tuple[str, Any]] = []
    for key, value in document.items():
        name = f"{above} {key}".strip().replace("_", " ")
        if isinstance(value, dict):
            rows.extend(_flat(value, name))
        elif isinstance(value, int | float):
            rows.append((name, value))
    return rows
