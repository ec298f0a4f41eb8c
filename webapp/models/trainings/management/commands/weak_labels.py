"""Find derivations from answers alone, and report how many there are and how well they agree with gold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError
from rich.table import Table

from kgstore.store import GraphStoreError
from reasoning.core.boundary import UnforeseenError, one_question
from reasoning.core.errors import ReasoningError
from reasoning.datasets.errors import DatasetError
from reasoning.datasets.registry import FORMATS, asked, read_dataset
from reasoning.evaluation.reporting.intervals import with_interval
from reasoning.training.lessons.sources import digest
from reasoning.training.lessons.weak import PRECISION, SECONDS, Tried, WeakLabel, as_question, tried, weak_figures
from reasoning.training.simulation.journal import Journal
from webapp import engine
from webapp.graphs.sample import graph_prepared
from webapp.platform.terminal.arguments import positive
from webapp.platform.terminal.command import Terminal, TerminalCommand, progress_bar

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterator, Sequence

    from kgstore.store import GraphStore
    from reasoning.datasets.question import BenchmarkQuestion

LABELS_FILE = "weak.jsonl"


class Command(TerminalCommand):
    """``manage.py weak_labels``."""

    help = (
        "Find a derivation from the topic entity to the gold answers of each question: at most three hops and "
        "one constraint, with enough precision, and no worse than other derivations. Gold derivations are read "
        "only afterwards, to measure how well the labels agree with them. See docs/how-to/weak-labels.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """See ``--help``."""
        parser.add_argument("--dataset", type=Path, required=True, help="the file of questions")
        parser.add_argument("--format", choices=list(FORMATS), required=True, help="its format")
        parser.add_argument("--graph", help="the graph of the questions (default: the site's)")
        parser.add_argument(
            "--split", choices=("train", "validation", "all"), default="train", help="the fixed split (train)"
        )
        parser.add_argument("--limit", type=positive, help="maximum number of questions, evenly chosen")
        parser.add_argument(
            "--precision",
            type=float,
            default=PRECISION,
            help=f"minimum precision: share of the reached terms that are gold answers ({PRECISION})",
        )
        parser.add_argument(
            "--seconds", type=float, default=SECONDS, help=f"maximum seconds of search per question ({SECONDS:g})"
        )
        parser.add_argument(
            "--out",
            type=Path,
            help=f"a folder for {LABELS_FILE}, a dataset, and the figures; an earlier run there is resumed",
        )
        parser.add_argument("--json", action="store_true", help="print the figures as one JSON document")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Look for labels, and print what comes of it."""
        try:
            report = _found(options)
        except (ReasoningError, DatasetError, GraphStoreError) as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"{options['dataset']} cannot be read: {error.strerror or error}.") from error
        except KeyboardInterrupt:
            kept = " What was found is kept; the same command resumes where it stopped." if options["out"] else ""
            raise CommandError(f"Stopped.{kept}", returncode=130) from None
        if options["json"]:
            self.print_json(report)
        else:
            _print(report)


def _found(options: dict[str, Any]) -> dict[str, Any]:
    if not 0 < options["precision"] <= 1:
        raise CommandError("--precision must be above 0 and at most 1.")
    if options["seconds"] <= 0:
        raise CommandError("--seconds must be above 0.")
    store = graph_prepared(options["graph"] or engine.default_graph())
    questions = _questions(options)
    run = {
        "dataset": options["dataset"].name,
        "dataset_sha256": digest([options["dataset"]]),
        "graph": store.info().name,
        "graph_version": store.info().version,
        "least_precision": options["precision"],
        **{key: options[key] for key in ("format", "split", "limit", "seconds")},
    }
    journal = Journal(options["out"], run)
    done = {row["id"] for row in journal.rows}
    with progress_bar() as bar:
        task = bar.add_task("Searching", total=len(questions), completed=len(done))
        for question in questions:
            if question.id not in done:
                journal.add(_tried(question, store, options))
                bar.advance(task)
    every = [Tried.from_json(row) for row in journal.rows if "broke" not in row]
    report = run | weak_figures(every) | {"broke": sum("broke" in row for row in journal.rows)}
    journal.write(LABELS_FILE, _lines(questions, every))
    journal.finish(report)
    return report


def _questions(options: dict[str, Any]) -> list[BenchmarkQuestion]:
    found = [
        question
        for question in asked(read_dataset(options["dataset"], options["format"]))
        if options["split"] in ("all", question.split)
    ]
    if not found:
        raise CommandError(f"The file has no questions in the split “{options['split']}”. Choose another --split.")
    if options["limit"] is None or options["limit"] >= len(found):
        return found
    return [found[place * len(found) // options["limit"]] for place in range(options["limit"])]


def _tried(question: BenchmarkQuestion, store: GraphStore, options: dict[str, Any]) -> dict[str, Any]:
    try:
        with one_question(question.id):
            return tried(question, store, precision=options["precision"], seconds=options["seconds"]).to_json()
    except UnforeseenError as error:
        return {"id": question.id, "broke": str(error)}


def _lines(questions: Sequence[BenchmarkQuestion], every: Sequence[Tried]) -> Iterator[str]:
    labels = {each.id: each.found for each in every if isinstance(each.found, WeakLabel)}
    for question in questions:
        if question.id in labels:
            yield json.dumps(as_question(question, labels[question.id]), ensure_ascii=False) + "\n"


def _print(report: dict[str, Any]) -> None:
    title = f"Weak labels of {report['dataset']} ({report['split']}), graph: {report['graph']}"
    table = Table("figure", "value", title=title, header_style="dim")
    table.add_row("questions", f"{report['questions']:,}")
    table.add_row("with a weak label", f"{report['labels']:,}")
    for reason, count in report["not_found"].items():
        table.add_row(f"without: {reason}", f"{count:,}")
    if report["broke"]:
        table.add_row("without: unexpected error", f"{report['broke']:,}")
    table.add_row("ambiguous: other derivations fit as well", f"{report['with_rivals']:,}")
    table.add_row("incomplete: the search was cut short", f"{report['incomplete']:,}")
    table.add_row("with a condition", f"{report['with_condition']:,}")
    table.add_row("by hops", ", ".join(f"{length}: {count:,}" for length, count in report["by_hops"].items()) or "none")
    for name in ("precision", "recall"):
        if report[name] is not None:
            table.add_row(f"{name} of their answers", f"{report[name]:.3f}")
    for name, shown in (("gold", "gold"), ("gold_without_rivals", "gold, unambiguous labels only")):
        if (of := report[name]) is None:
            table.add_row(f"against {shown}", "no gold to compare with")
            continue
        table.add_row(f"against {shown}: compared", f"{of['compared']:,}")
        table.add_row("the same query", with_interval(of["same"], of["same_interval"]))
        table.add_row("relation recall", f"{of['relation_recall']:.3f}")
        table.add_row("relation precision", f"{of['relation_precision']:.3f}")
        if of["edit_distance"] is not None:
            table.add_row("mean edit distance", f"{of['edit_distance']:.2f}")
    Terminal().print(table)
