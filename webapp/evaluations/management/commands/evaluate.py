"""Ask a benchmark's questions and report how well they are answered."""

from __future__ import annotations

import hashlib
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError
from django.db import OperationalError, ProgrammingError
from rich.progress import track
from rich.table import Table

from kgstore.loading.errors import GraphLoadError
from kgstore.store import GraphStoreError
from reasoning.core.errors import ReasoningError, ScorerUnavailableError
from reasoning.datasets.errors import DatasetError
from reasoning.datasets.identity import keys_of
from reasoning.datasets.overlay import OverlayError, read_overlay
from reasoning.datasets.registry import FORMATS, dataset_format, read_dataset
from reasoning.evaluation.files.files import EvaluationFolder, EvaluationFolderError
from reasoning.evaluation.judging.loop import judge_all
from reasoning.evaluation.judging.others import judge_others
from reasoning.evaluation.judging.rows import RowGraphs
from reasoning.evaluation.judging.selection import check_topics, questions_hash, select
from reasoning.evaluation.judging.settings import EvaluationSettings
from reasoning.evaluation.predictions.prediction_files import read_predictions
from reasoning.evaluation.predictions.written_predictions import prediction_notes
from reasoning.evaluation.reporting.full_report import full_figures
from reasoning.evaluation.reporting.overlaid import under_overlay
from reasoning.evaluation.reporting.watch import Least, WatchError, below
from reasoning.evaluation.rules.registry import RULE_SETS
from reasoning.strategies.registry import STRATEGIES
from webapp import engine
from webapp.asking.runs.transitions import MAX_LENGTH
from webapp.datasets.files import dataset_fingerprint, dataset_name, kept_file
from webapp.datasets.selectors import dataset_entries, dataset_loaded
from webapp.evaluations.files.manifest import manifest_of
from webapp.evaluations.files.report_file import page_of
from webapp.evaluations.files.terminal_tables import detail_tables, figure_words, rules_table
from webapp.evaluations.questions.question_ids import question_ids
from webapp.evaluations.questions.seen import learned_by
from webapp.graphs.sample import graph_prepared
from webapp.platform.terminal.arguments import options_given, positive, strategy_arguments
from webapp.platform.terminal.command import Terminal, TerminalCommand

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from kgstore.store import GraphStore
    from reasoning.datasets.question import BenchmarkQuestion, RefusedQuestion
    from reasoning.evaluation.judging.outcome import Outcome
    from reasoning.evaluation.judging.selection import Selection
    from reasoning.scorers.base import Scorer
    from webapp.datasets.models import Dataset

OWN_GRAPHS = "each row's own"
FELL_BELOW = 3
"""The exit status where a watched figure is too low; 1 says that nothing could be evaluated."""
_FAULTS = (DatasetError, EvaluationFolderError, GraphLoadError, GraphStoreError, OverlayError, ReasoningError)
_GOES_ON = " What was judged is kept; the same command resumes where it stopped."
_ANSWERED = ("all", "answerable", "in_graph", "reachable")
_OF_MODELS = ("from_the_model", "without_the_model")


class Command(TerminalCommand):
    """``manage.py evaluate``."""

    help = (
        "Ask the questions of a benchmark over a graph, compare the answers with the gold answers, and report the "
        "figures. "
        "See docs/how-to/evaluation.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """See ``--help``."""
        parser.add_argument(
            "--dataset", type=Path, required=True, help="the benchmark's file, or the name of a loaded dataset"
        )
        parser.add_argument("--format", required=True, help=f"its format: {', '.join(FORMATS)}")
        parser.add_argument("--graph", help="the graph (default: the site's; with rog the graph of each row)")
        parser.add_argument("--scorer", help="the scorer (default: the site's)")
        parser.add_argument(
            "--topics",
            choices=("gold", "linked"),
            default="gold",
            help="gold: take topic entities from the benchmark; linked: find them in the question",
        )
        parser.add_argument(
            "--split",
            choices=("train", "validation", "all"),
            default="all",
            help="the fixed split of the file",
        )
        parser.add_argument("--ids", type=Path, help="a file with the ids of the questions to ask, one per line")
        parser.add_argument("--limit", type=positive, help="maximum number of questions, drawn at random")
        parser.add_argument("--seed", type=int, default=0, help="seed of the random draw")
        parser.add_argument(
            "--gold-branches-from",
            type=int,
            default=0,
            help="only questions with at least this number of gold branches",
        )
        parser.add_argument(
            "--min-branches", type=int, default=0, help="READS' threshold: branches before the search may stop"
        )
        parser.add_argument("--no-entity-types", action="store_true", help="ablation: hide the types of nodes")
        parser.add_argument("--ignore-constraints", action="store_true", help="ablation: no pruning")
        parser.add_argument("--chain", action="store_true", help="ablation: search from the newest node only")
        parser.add_argument(
            "--perfect", action="store_true", help="also report the figures of a perfect scorer on this graph"
        )
        parser.add_argument(
            "--gold",
            choices=("given", "from-graph"),
            default="given",
            help="from-graph: run the gold query on this graph where the file has no answers",
        )
        strategy_arguments(parser)
        parser.add_argument("--out", type=Path, help="a folder for outcomes and report; run again to resume")
        parser.add_argument(
            "--overlay",
            type=Path,
            help="a signed file of corrections; the figures with it are reported next to the others",
        )
        parser.add_argument("--overlay-key", help="the public key that the overlay must be signed with")
        parser.add_argument(
            "--predictions", type=Path, help="judge the predictions of another system from this file; no model is asked"
        )
        parser.add_argument("--system", default="", help="the name of that other system")
        parser.add_argument(
            "--rules",
            action="append",
            default=[],
            choices=RULE_SETS,
            help="also print the figures by the rules of that script; may be repeated (docs/reference/metrics.md)",
        )
        parser.add_argument("--html", type=Path, help="write the report as one self-contained HTML page")
        parser.add_argument(
            "--fail-below",
            action="append",
            default=[],
            metavar="METRIC=VALUE",
            help=f"exit with status {FELL_BELOW} if a figure is lower: hits_at_1=0.8, in_graph.macro_f1=0.75, …; "
            "may be given several times",
        )
        parser.add_argument("--json", action="store_true", help="print the report as one JSON document")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Evaluate, and print the figures."""
        try:
            watched = [Least.parse(each) for each in options["fail_below"]]
        except WatchError as error:
            raise CommandError(str(error)) from error
        try:
            report = self._report(options)
        except _FAULTS as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError(f"Stopped.{_GOES_ON if options['out'] else ''}", returncode=130) from None
        if options["html"]:
            _write_page(options["html"], page_of(report, is_other=bool(options["predictions"])))
        if options["json"]:
            self.print_json(report)
        else:
            _print(report, options["rules"])
        if faults := below(report, watched):
            raise CommandError(" ".join(faults), returncode=FELL_BELOW)

    def _report(self, options: dict[str, Any]) -> dict[str, Any]:
        settings = EvaluationSettings.from_json(
            {
                "topics": options["topics"],
                "entity_types": not options["no_entity_types"],
                "constraints": not options["ignore_constraints"],
                "search": "chain" if options["chain"] else "branching",
                "min_branches": options["min_branches"],
                "gold_branches_from": options["gold_branches_from"],
                "perfect": options["perfect"],
                "gold": options["gold"],
                "strategy": options["strategy"],
                **options_given(options),
            }
        )
        own = dataset_format(options["format"]).own_graphs and not options["graph"]
        if bool(options["predictions"]) != bool(options["system"].strip()):
            raise CommandError(
                "--predictions and --system go together. Give the file and the name of the other system."
            )
        if options["predictions"]:
            return _evaluated(options, settings, None, own=own)
        with engine.scorer(options["scorer"] or engine.default_scorer()) as scorer:
            return _evaluated(options, settings, scorer, own=own)


def _write_page(path: Path, page: str) -> None:
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror or error}.") from error


@dataclass(frozen=True, slots=True)
class _Source:
    """Where the questions come from."""

    name: str
    """What the dataset is called, as model cards call it."""
    questions: Iterable[BenchmarkQuestion | RefusedQuestion]
    file: Path
    """What holds the questions' own graphs."""
    sha256: str
    """Of the file that was read."""
    version: int | None = None
    """Of a loaded dataset."""


def _source(path: Path, format_: str) -> _Source:
    """A file, or where there is none, the loaded dataset of that name.

    Raises:
        DatasetError: there is neither, or the dataset is of another format.

    """
    loaded = None if path.exists() else _loaded(str(path))
    if loaded is None:
        return _Source(dataset_name(path), read_dataset(path, format_), path, dataset_fingerprint(path, format_))
    if loaded.format != format_:
        raise DatasetError(f"The dataset “{loaded.name}” was loaded as {loaded.format}. Name that --format.")
    file = kept_file(loaded) or path
    return _Source(loaded.name, dataset_entries(loaded), file, loaded.file_sha256, loaded.version)


def _loaded(name: str) -> Dataset | None:
    try:
        return dataset_loaded(name=name, version=None)
    except (OperationalError, ProgrammingError):
        # Files are evaluated before the database has its tables, too.
        return None


def _evaluated(
    options: dict[str, Any], settings: EvaluationSettings, scorer: Scorer | None, *, own: bool
) -> dict[str, Any]:
    """The report of an evaluation; without a scorer, that of another system's predictions."""
    signed = None if options["overlay"] is None else read_overlay(options["overlay"], key=options["overlay_key"])
    store = None if own else graph_prepared(options["graph"] or engine.default_graph())
    source = _source(options["dataset"], options["format"])
    chosen = select(
        source.questions,
        settings,
        store=store,
        part=options["split"],
        ids=question_ids(options["ids"]),
        limit=options["limit"],
        seed=options["seed"],
    )
    if not chosen.questions:
        why = "; ".join(f"{reason}: {count:,}" for reason, count in chosen.left_out.items())
        raise DatasetError(f"No questions left to ask{f' ({why})' if why else ''}.")
    _check_rules(options["rules"], chosen.questions)
    if store is not None and settings.topics == "gold":
        check_topics(chosen.questions, store)
    run = _run(options, settings, store, scorer, chosen)
    kept = EvaluationFolder(options["out"], run) if options["out"] else None
    manifest = _manifest(options, run, source, store, len(chosen.questions))
    if kept:
        manifest = kept.write_manifest(manifest)
    outcomes = kept.outcomes if kept else []
    questions = _OpenQuestions(chosen.questions, outcomes, kept.add if kept else outcomes.append)
    predictions, matched = None, 0
    try:
        graph = source.file if store is None else store
        if scorer is None:
            asked = {question.id for question in chosen.questions}
            predictions = read_predictions(options["predictions"]).distinguished(chosen.wordings, asked)
            matched = predictions.matched(chosen.questions)
            judge_others(questions, graph, predictions.of, settings, system=run["scorer"])
        else:
            with engine.writer(settings.strategy, settings) as writer:
                judge_all(questions, graph, scorer, settings, longest=MAX_LENGTH.total_seconds(), writer=writer)
    except (GraphStoreError, ScorerUnavailableError) as error:
        raise CommandError(f"{error}{_GOES_ON if kept else ''}") from error
    keys = keys_of(source.name, chosen.questions)
    learned = None if scorer is None else learned_by(options["scorer"] or engine.default_scorer(), settings.strategy)
    report = {
        **run,
        "left_out": dict(chosen.left_out),
        "refused": [question.to_json() for question in chosen.refused],
        "seen_in_training": None if learned is None else learned.overlap(keys).to_json(),
        **full_figures(outcomes, topics=settings.topics, graph=run["graph"]),
        "manifest": manifest,
    }
    if predictions is not None:
        report["prediction_notes"] = prediction_notes(
            predictions.fields, asked=len(chosen.questions), matched=matched, f1=report["all"]["macro_f1"]
        )
    by_id = {question.id: question for question in chosen.questions}
    if signed is not None:
        with nullcontext(store) if store is not None else RowGraphs(source.file) as graphs:
            found = under_overlay(outcomes, by_id, signed.overlay, graphs, settings)
        report["overlay"] = found.report(signed, settings, run["graph"])
    if kept:
        kept.finish(report)
    return report


def _check_rules(rules: Iterable[str], questions: Iterable[BenchmarkQuestion]) -> None:
    """Check that rules have something to judge.

    Raises:
        DatasetError: they compare logical forms, and the dataset has none.

    """
    if any(parse.logical_form for question in questions for parse in question.parses):
        return
    for name in rules:
        if RULE_SETS[name].needs_forms:
            raise DatasetError(
                f"The rules of {RULE_SETS[name].title} compare logical forms, and no question has a gold one. "
                f"Choose a dataset of GrailQA, or leave out “--rules {name}”."
            )


class _OpenQuestions:
    """The questions that are not judged yet, with a progress bar."""

    def __init__(
        self, questions: Sequence[BenchmarkQuestion], outcomes: Sequence[Outcome], keep: Callable[[Outcome], None]
    ) -> None:
        done = {outcome.id for outcome in outcomes}
        self._open = [question for question in questions if question.id not in done]
        self.keep = keep

    def __iter__(self) -> Iterator[BenchmarkQuestion]:
        """One after the other."""
        yield from track(self._open, description="Asking", console=Terminal(stderr=True))

    def watch(self) -> None:
        """Nothing waits for this thread, and no worker takes its questions."""


def _run(
    options: dict[str, Any],
    settings: EvaluationSettings,
    store: GraphStore | None,
    scorer: Scorer | None,
    chosen: Selection,
) -> dict[str, Any]:
    """What is evaluated: an evaluation goes on only as long as all of it stays the same."""
    run = {
        "dataset": options["dataset"].name,
        "format": options["format"],
        "split": options["split"],
        "limit": options["limit"],
        "seed": options["seed"],
        "questions_sha256": questions_hash(chosen.questions),
        "graph": OWN_GRAPHS if store is None else store.info().name,
        "graph_version": None if store is None else store.info().version,
        "scorer": " ".join(options["system"].split()) if scorer is None else scorer.name,
        "settings": settings.to_json(),
    }
    return run if scorer is not None else run | {"predictions_sha256": _sha256(options["predictions"])}


def _manifest(
    options: dict[str, Any], run: dict[str, Any], source: _Source, store: GraphStore | None, questions: int
) -> dict[str, Any]:
    info = None if store is None else store.info()
    predictions = options["predictions"]
    return manifest_of(
        scorer=run["scorer"] if predictions else options["scorer"] or engine.default_scorer(),
        settings=run["settings"],
        dataset={
            "name": source.name,
            "format": run["format"],
            "version": source.version,
            "file_sha256": source.sha256,
            "split": run["split"],
            "limit": run["limit"],
            "seed": run["seed"],
            "questions": questions,
            "questions_sha256": run["questions_sha256"],
        },
        graph={
            "name": None if info is None else info.name,
            "title": run["graph"] if info is None else info.title,
            "version": "" if info is None else info.version,
        },
        predictions=None if not predictions else {"name": predictions.name, "sha256": run["predictions_sha256"]},
    )


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DatasetError(f"{path} cannot be read: {error.strerror or error}.") from error


def _print(report: dict[str, Any], rules: Sequence[str]) -> None:
    console = Terminal()
    for note in report.get("prediction_notes", ()):
        console.print(note, markup=False, highlight=False)
    switched = {name: value for name, value in report["settings"].items() if value != _DEFAULTS[name]}
    text = f", {', '.join(f'{name}: {value}' for name, value in switched.items())}" if switched else ""
    title = (
        f"{report['dataset']} ({report['split']}), graph: {report['graph']}, topics: {report['topics']}, "
        f"scorer: {report['scorer']}, compared by {report['compared_by']}{text}"
    )
    parts = (*_ANSWERED, *(part for part in _OF_MODELS if report[part]))
    table = Table("figure", *(part.replace("_", " ") for part in parts), title=title, header_style="dim")
    for name in next(report[part] for part in parts if report[part]):
        values = [(report[part] or {}).get(name) for part in parts]
        if any(value is not None for value in values):
            table.add_row(figure_words(name), *map(_shown, values))
    console.print(table)
    for rule_set in dict.fromkeys(rules):
        console.print(rules_table(rule_set, report["by_rules"]))
    if "overlay" in report:
        _print_overlay(console, report)
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
    for name in _SHOWN_LAST:
        rest.add_row(name.replace("_", " "), _shown(report[name]))
    if report["confidence"]:
        rest.add_row("confidence", _shown({name: report["confidence"][name] for name in _SHOWN_OF_CONFIDENCE}))
    console.print(rest)
    for table in detail_tables(report):
        console.print(table)
    console.print(_seen(report), markup=False, highlight=False)
    _print_refused(console, report["refused"])


def _print_refused(console: Terminal, refused: Sequence[dict[str, str]]) -> None:
    for each in refused[:_REFUSED_SHOWN]:
        console.print(f"Not asked: {each['place']}: {each['detail']}", markup=False, highlight=False)
    if (more := len(refused) - _REFUSED_SHOWN) > 0:
        console.print(f"… and {more:,} more; --json lists them.")


def _print_overlay(console: Terminal, report: dict[str, Any]) -> None:
    """The figures without and with an overlay, side by side."""
    of = report["overlay"]
    console.print(
        f"Overlay of {of['corrections']:,} corrections of {of['dataset']}, signed by {of['signer']} at {of['made_at']} "
        f"with the key {of['key']}. Applied: {_shown(of['applied'])}. Not applied: {_shown(of['not_applied'])}. "
        f"Not judged under it: {of['not_judged']:,}.",
        markup=False,
        highlight=False,
    )
    title = "without and with the overlay"
    table = Table("figure", "all", "with", "answerable", "with", title=title, header_style="dim")
    parts = [(report[part] or {}, of["figures"][part] or {}) for part in ("all", "answerable")]
    for name in next(iter(report[part] for part in _ANSWERED if report[part]), {}):
        values = [each.get(name) for pair in parts for each in pair]
        if any(value is not None for value in values):
            table.add_row(figure_words(name), *map(_shown, values))
    console.print(table)


_DEFAULTS = EvaluationSettings().to_json()
_REFUSED_SHOWN = 20
_SHOWN_LAST = (
    *("left_out", "graph_gap", "unanswerable", "cases", "dog", "causes", "search", "linking"),
    *("cost", "seconds", "reasons"),
)
_SHOWN_OF_CONFIDENCE = ("questions", "confidence", "right", "ece", "corrected_ece")


def _seen(report: dict[str, Any]) -> str:
    seen = report["seen_in_training"]
    if seen is None:
        return f"Seen in training: not known, since {_models(report)} does not say what it learned from."
    if not seen["seen"]:
        return f"Seen in training: none of these {seen['questions']:,} questions."
    return (
        f"Warning: {_models(report)} has seen {seen['seen']:,} of these {seen['questions']:,} questions in training "
        f"({seen['same_identity']:,} the same question, {seen['same_text']:,} the same wording), so these figures are "
        "not those of new questions."
    )


def _models(report: dict[str, Any]) -> str:
    """Who may have learned from the questions."""
    entry = STRATEGIES[report["settings"]["strategy"]]
    return f"{report['scorer']} or the weights of {entry.title}" if entry.has_weights else str(report["scorer"])


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
