"""Simulate labelling: quality of a scorer by number of labels, for several orders of labelling."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError
from rich.table import Table

from kgstore.store import GraphStoreError
from reasoning.core.errors import ReasoningError
from reasoning.datasets.errors import DatasetError
from reasoning.datasets.registry import FORMATS, asked, read_dataset
from reasoning.evaluation.judging.judging import is_judged
from reasoning.evaluation.reporting.intervals import with_interval
from reasoning.gold.fitting import read_with_answers
from reasoning.training.lessons.sources import digest
from reasoning.training.simulation.curve import Point, curves_svg
from reasoning.training.simulation.journal import Journal
from webapp import engine
from webapp.graphs.sample import graph_prepared
from webapp.platform.terminal.arguments import positive
from webapp.platform.terminal.command import Terminal, TerminalCommand, progress_bar

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from kgstore.store import GraphStore
    from reasoning.datasets.question import BenchmarkQuestion
    from reasoning.training.simulation.simulation import Plan

CHART_FILE = "curves.svg"
_TESTED = 100
_FEWEST = 2


class Command(TerminalCommand):
    """``manage.py simulate_labelling``."""

    help = (
        "Measure a scorer by number of labels and by order of labelling: random, least certain first, where two "
        "models differ first, or one of each shape in turn. Gold derivations stand in for annotators. "
        "See docs/how-to/what-to-label-next.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """See ``--help``."""
        parser.add_argument("--dataset", type=Path, required=True, help="the file of questions, with gold derivations")
        parser.add_argument("--format", choices=list(FORMATS), required=True, help="its format")
        parser.add_argument("--graph", help="the graph of the questions (default: the site's)")
        parser.add_argument("--labels", default="50,100,200,400", help="numbers of labels (default: %(default)s)")
        parser.add_argument("--orders", help="only these orders, separated by commas; random is always included")
        parser.add_argument("--seeds", type=positive, default=3, help="number of random draws (default: %(default)s)")
        parser.add_argument(
            "--begun",
            type=int,
            default=25,
            help="number of questions labelled before the order applies (default: %(default)s)",
        )
        parser.add_argument(
            "--looked-at", type=float, default=1.5, help="candidates per wanted question (default: %(default)s)"
        )
        parser.add_argument(
            "--tested", type=positive, default=_TESTED, help="validation questions to ask (default: %(default)s)"
        )
        parser.add_argument(
            "--out",
            type=Path,
            help="a folder for rows (JSON lines, CSV), report and chart; an earlier run there is resumed",
        )
        parser.add_argument("--json", action="store_true", help="print the figures as one JSON document")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Simulate, and print what comes of it."""
        try:
            report = _simulated(options)
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


def _simulated(options: dict[str, Any]) -> dict[str, Any]:
    # torch takes seconds to import; only this command needs it.
    from reasoning.training.simulation.simulation import COLUMNS, Simulation, simulated  # noqa: PLC0415

    plan = _plan(options)
    store = graph_prepared(options["graph"] or engine.default_graph())
    questions = [each for each in asked(read_dataset(options["dataset"], options["format"])) if is_judged(each)]
    usable = [question for question in questions if _leads_somewhere(question, store)]
    pool = [question for question in usable if question.split == "train"]
    held = [question for question in usable if question.split == "validation"]
    count = min(options["tested"], len(held))
    tested = [held[place * len(held) // count] for place in range(count)]
    try:
        simulation = Simulation(pool, tested, store, plan)
    except ValueError as error:
        raise CommandError(f"{error}. Ask for fewer --labels, or name another file.") from error
    run = {
        "dataset": options["dataset"].name,
        "dataset_sha256": digest([options["dataset"]]),
        "graph": store.info().name,
        "graph_version": store.info().version,
        "labels": list(plan.labels),
        "begun": plan.begun,
        "looked_at": plan.looked_at,
        "tested": len(tested),
    }
    # More seeds or orders may be wanted later: the rows that are there stay right.
    journal = Journal(options["out"], run)
    with progress_bar() as bar:
        task = bar.add_task("Simulating", total=simulation.points)

        def show_progress(where: str) -> None:
            bar.update(task, description=f"Simulated {where}", completed=len(journal.rows))

        show_progress("so far")
        simulation.run(journal, show_progress)
    report = run | {"seeds": plan.seeds, "figures": simulated(journal.rows)}
    journal.write(CHART_FILE, [_chart(report)])
    journal.finish(report, COLUMNS)
    return report


def _plan(options: dict[str, Any]) -> Plan:
    from reasoning.training.simulation.simulation import ORDERS, RANDOM, Plan  # noqa: PLC0415

    try:
        labels = tuple(int(each) for each in options["labels"].split(","))
    except ValueError:
        labels = ()
    if not labels or list(labels) != sorted(set(labels)) or labels[0] < options["begun"] or options["begun"] < _FEWEST:
        raise CommandError(
            f"--labels “{options['labels']}” should be rising numbers with commas between them, such as 50,100,200. The"
            f" smallest is at least --begun ({options['begun']}), and --begun at least {_FEWEST}."
        )
    chosen = [each.strip() for each in (options["orders"] or ",".join(ORDERS)).split(",")]
    if unknown := sorted(set(chosen) - set(ORDERS)):
        raise CommandError(f"There is no order “{unknown[0]}”. Choose from: {', '.join(ORDERS)}.")
    if options["looked_at"] < 1:
        raise CommandError(f"--looked-at must be at least 1, not {options['looked_at']:g}.")
    orders = tuple(order for order in ORDERS if order in {RANDOM, *chosen})
    return Plan(labels, options["begun"], options["looked_at"], options["seeds"], orders)


def _leads_somewhere(question: BenchmarkQuestion, store: GraphStore) -> bool:
    derivation = next((parse.derivation for parse in question.parses if parse.derivation is not None), None)
    if derivation is None:
        return False
    read = read_with_answers(store, derivation, topic_may_answer=question.topic_may_answer)
    return read is not None and bool(read[1])


def _chart(report: dict[str, Any]) -> str:
    curves: dict[str, list[Point]] = {}
    for each in report["figures"]:
        point = Point(float(each["labels"]), each["macro_f1"], *each["interval"])
        curves.setdefault(each["order"], []).append(point)
    title = f"Macro-F1 over {report['tested']} validation questions of {report['dataset']}, {report['seeds']} seeds"
    return curves_svg(title, "labels", list(curves.items()))


def _print(report: dict[str, Any]) -> None:
    title = f"Labelling simulated: {report['dataset']}, {report['seeds']} seeds, {report['tested']} questions asked"
    table = Table("labels", "order", "macro-F1", "more than by chance", "seeds", title=title, header_style="dim")
    for each in report["figures"]:
        over = each["over_random"]
        table.add_row(
            str(each["labels"]),
            each["order"],
            with_interval(each["macro_f1"], each["interval"]),
            "" if over is None else with_interval(over["mean"], over["interval"]),
            ", ".join(f"{value:.3f}" for value in each["seeds"]),
        )
    Terminal().print(table)
