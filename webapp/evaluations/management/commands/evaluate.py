"""Ask a benchmark's questions and report how well they are answered."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import track
from rich.table import Table

from kgstore.loading.errors import GraphLoadError
from kgstore.store import GraphStoreError
from reasoning.datasets.errors import DatasetError
from reasoning.datasets.registry import FORMATS, dataset_format, read_dataset
from reasoning.errors import ReasoningError, ScorerUnavailableError
from reasoning.evaluation.files import EvaluationFolder, EvaluationFolderError
from reasoning.evaluation.loop import judge_all
from reasoning.evaluation.report import figures
from reasoning.evaluation.selection import check_topics, select
from reasoning.evaluation.settings import EvaluationSettings
from webapp import engine
from webapp.graphs.sample import graph_prepared
from webapp.runs.services import LONGEST

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable, Iterator, Sequence

    from kgstore.store import GraphStore
    from reasoning.datasets.question import BenchmarkQuestion
    from reasoning.evaluation.outcome import Outcome
    from reasoning.evaluation.selection import Selection
    from reasoning.scorers.base import Scorer

OWN_GRAPHS = "each row's own"
_FAULTS = (DatasetError, EvaluationFolderError, GraphLoadError, GraphStoreError, ReasoningError)
_GOES_ON = " What was judged is kept; the same command goes on where it was."
_ANSWERED = ("all", "answerable", "in_graph", "reachable")


class Command(BaseCommand):
    """``manage.py evaluate``."""

    help = (
        "Ask a benchmark's questions of a graph, compare the answers, and report the figures. See docs/evaluation.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """See ``--help``."""
        parser.add_argument("--dataset", type=Path, required=True, help="the benchmark's file")
        parser.add_argument("--format", required=True, help=f"its format: {', '.join(FORMATS)}")
        parser.add_argument("--graph", help="the graph; the site's own if not given, and with rog each row's own")
        parser.add_argument("--scorer", help="the scorer; the site's own if not given")
        parser.add_argument(
            "--topics",
            choices=("gold", "linked"),
            default="gold",
            help="whether topic entities are given as the benchmark has them, or found in the question (gold)",
        )
        parser.add_argument(
            "--split",
            choices=("train", "validation", "all"),
            default="all",
            help="our fixed split of the file (all)",
        )
        parser.add_argument("--ids", type=Path, help="a file with the ids of the questions to ask, one a line")
        parser.add_argument("--limit", type=int, help="so many questions, drawn by chance")
        parser.add_argument("--seed", type=int, default=0, help="another draw")
        parser.add_argument("--min-branches", type=int, default=0, help="only questions with so many branches")
        parser.add_argument("--no-entity-types", action="store_true", help="ablation: hide what kind nodes hold")
        parser.add_argument("--ignore-constraints", action="store_true", help="ablation: no pruning")
        parser.add_argument("--chain", action="store_true", help="ablation: search from the newest node only")
        parser.add_argument(
            "--perfect", action="store_true", help="tell too what a perfect chooser would get on this graph"
        )
        parser.add_argument(
            "--gold",
            choices=("given", "from-graph"),
            default="given",
            help="from-graph: ask the gold query of this graph for answers that the file does not say (given)",
        )
        parser.add_argument("--out", type=Path, help="a folder for outcomes and report; run again to go on")
        parser.add_argument("--json", action="store_true", help="print the report as one JSON document")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Evaluate, and print the figures."""
        try:
            report = self._report(options)
        except _FAULTS as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError(f"Stopped.{_GOES_ON if options['out'] else ''}", returncode=130) from None
        if options["json"]:
            self.stdout.write(json.dumps(report, indent=2, ensure_ascii=False))
        else:
            _print(report)

    def _report(self, options: dict[str, Any]) -> dict[str, Any]:
        settings = EvaluationSettings(
            topics=options["topics"],
            entity_types=not options["no_entity_types"],
            constraints=not options["ignore_constraints"],
            search="chain" if options["chain"] else "branching",
            min_branches=options["min_branches"],
            perfect=options["perfect"],
            gold=options["gold"],
        )
        own = dataset_format(options["format"]).own_graphs and not options["graph"]
        with engine.scorer(options["scorer"] or engine.default_scorer()) as scorer:
            return _evaluated(options, settings, scorer, own=own)


def _evaluated(options: dict[str, Any], settings: EvaluationSettings, scorer: Scorer, *, own: bool) -> dict[str, Any]:
    store = None if own else graph_prepared(options["graph"] or engine.default_graph())
    chosen = select(
        read_dataset(options["dataset"], options["format"]),
        settings,
        store=store,
        part=options["split"],
        ids=_ids(options["ids"]),
        limit=options["limit"],
        seed=options["seed"],
    )
    if not chosen.questions:
        why = "; ".join(f"{reason}: {count:,}" for reason, count in chosen.left_out.items())
        raise DatasetError(f"No question is left to ask{f' ({why})' if why else ''}.")
    if store is not None and settings.topics == "gold":
        check_topics(chosen.questions, store)
    run = _run(options, settings, store, scorer, chosen)
    kept = EvaluationFolder(options["out"], run) if options["out"] else None
    outcomes = kept.outcomes if kept else []
    questions = _OpenQuestions(chosen.questions, outcomes, kept.add if kept else outcomes.append)
    try:
        judge_all(
            questions, options["dataset"] if store is None else store, scorer, settings, longest=LONGEST.total_seconds()
        )
    except (GraphStoreError, ScorerUnavailableError) as error:
        raise CommandError(f"{error}{_GOES_ON if kept else ''}") from error
    report = {
        **run,
        "left_out": dict(chosen.left_out),
        "refused": [question.to_json() for question in chosen.refused],
        **figures(outcomes, topics=settings.topics, graph=run["graph"]),
    }
    if kept:
        kept.finish(report)
    return report


class _OpenQuestions:
    """The questions that are not judged yet, with a bar that tells how far this is."""

    def __init__(
        self, questions: Sequence[BenchmarkQuestion], outcomes: Sequence[Outcome], keep: Callable[[Outcome], None]
    ) -> None:
        done = {outcome.id for outcome in outcomes}
        self._open = [question for question in questions if question.id not in done]
        self.keep = keep

    def __iter__(self) -> Iterator[BenchmarkQuestion]:
        """One after the other."""
        yield from track(self._open, description="Asking", console=Console(stderr=True))

    def watch(self) -> None:
        """Nobody waits for this thread, and nobody takes its questions."""


def _ids(path: Path | None) -> frozenset[str] | None:
    if path is None:
        return None
    try:
        return frozenset(line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip())
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path} cannot be read: {error}.") from error


def _run(
    options: dict[str, Any],
    settings: EvaluationSettings,
    store: GraphStore | None,
    scorer: Scorer,
    chosen: Selection,
) -> dict[str, Any]:
    """What is evaluated: an evaluation goes on only as long as all of it stays the same."""
    asked = "\n".join(f"{question.id}\t{question.text}" for question in chosen.questions)
    return {
        "dataset": options["dataset"].name,
        "format": options["format"],
        "split": options["split"],
        "limit": options["limit"],
        "seed": options["seed"],
        "questions_sha256": hashlib.sha256(asked.encode()).hexdigest(),
        "graph": OWN_GRAPHS if store is None else store.info().name,
        "graph_version": None if store is None else store.info().version,
        "scorer": scorer.name,
        "settings": settings.to_json(),
    }


def _print(report: dict[str, Any]) -> None:
    console = Console()
    switched = {name: value for name, value in report["settings"].items() if value != getattr(_DEFAULTS, name)}
    told = f", {', '.join(f'{name}: {value}' for name, value in switched.items())}" if switched else ""
    title = (
        f"{report['dataset']} ({report['split']}), graph: {report['graph']}, topics: {report['topics']}, "
        f"scorer: {report['scorer']}, compared by {report['compared_by']}{told}"
    )
    table = Table("figure", *(part.replace("_", " ") for part in _ANSWERED), title=title, header_style="dim")
    for name in next(report[part] for part in _ANSWERED if report[part]):
        table.add_row(name.replace("_", " "), *(_shown((report[part] or {}).get(name)) for part in _ANSWERED))
    console.print(table)
    shapes = Table("leaves", "hops", "questions", "hits at 1", "macro f1", "cases", title=title, header_style="dim")
    for row in report["by_shape"]:
        shapes.add_row(*(_shown(value) for value in row.values()))
    if report["by_shape"]:
        console.print(shapes)
    rest = Table("figure", "value", title=title, header_style="dim")
    if count := report["gold_from_graph"]:
        console.print(
            f"Gold answers of {count:,} of {report['questions']:,} questions come from this graph, by the gold query: "
            "the file does not say them, or not all.",
            highlight=False,
        )
    for name in ("left_out", "graph_gap", "unanswerable", "cases", "search", "linking", "cost", "seconds", "reasons"):
        rest.add_row(name.replace("_", " "), _shown(report[name]))
    console.print(rest)
    for refused in report["refused"][:_REFUSED_SHOWN]:
        console.print(f"Not asked: {refused['place']}: {refused['detail']}", markup=False, highlight=False)
    if (more := len(report["refused"]) - _REFUSED_SHOWN) > 0:
        console.print(f"… and {more:,} more; --json lists them.")


_DEFAULTS = EvaluationSettings()
_REFUSED_SHOWN = 20


def _shown(value: Any) -> str:
    match value:
        case None:
            return "none"
        case float():
            return f"{value:.3f}"
        case dict():
            return ", ".join(f"{key.replace('_', ' ')} {_shown(inner)}" for key, inner in value.items()) or "none"
        case _:
            return str(value)
