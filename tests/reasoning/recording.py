"""Recorded runs: real event logs of the toy graph, read by the Python tests and by those of the browser's reducer.

Their wording is in ``tests/worded.json``, for the code in Python and in the browser that words them.

``python -m tests.reasoning.recording`` writes them again after the events have changed.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from kgstore.loading.formats.tsv import TripleReader
from kgstore.sqlite.loader import load_graph
from kgstore.sqlite.store import SqliteStore
from reasoning.core.options import Stage
from reasoning.core.switches import EngineSwitches
from reasoning.engine.engine import answer, go_on
from reasoning.events import (
    UNANSWERED,
    ConstraintRecord,
    CostRecord,
    Finished,
    ModelWrote,
    ReadingRecord,
    RelationRecord,
    SemanticNodeRecord,
    StageEvent,
    TermRecord,
)
from reasoning.narration.wording import COMPARISONS, RunWords, decision_of, is_doubtful
from reasoning.run.continuation import Continuation, EndStage, Remove
from reasoning.run.run import RunLimits
from tests.reasoning.made_up import RecordedWriter, Sketch, made_up_registered
from tests.reasoning.rules import KITT, KITT_QUESTION, TOY_GRAPH, RuleScorer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgstore.store import GraphStore
    from reasoning.run.continuation import Change

FOLDER = Path(__file__).parents[1] / "recorded"
WORDED = FOLDER.parent / "worded.json"

_SUPER_BOWL = (
    "0 sports.sports_championship.events",
    "1 sports.sports_championship_event.champion",
    "1 time.event.start_date",
)


@dataclass(frozen=True)
class Recorded:
    """How a recorded run was asked."""

    question: str
    scorer: RuleScorer
    limits: RunLimits = field(default_factory=RunLimits)
    switches: EngineSwitches = field(default_factory=EngineSwitches)
    strategy: str = "reads"
    writes: tuple[str, ...] = ()
    """What the model that writes says, for strategies that need one."""
    change: Change | None = None
    """What is decided otherwise in a run that goes on from this one, which is then what is recorded."""


RUNS: dict[str, Recorded] = {
    "condition": Recorded(KITT_QUESTION, KITT),
    "several_answers": Recorded(
        "what does jamaican people speak", RuleScorer(("0 location.country.languages_spoken", "answer 1"))
    ),
    "date": Recorded(
        "who won the Super Bowl in 2011?", RuleScorer((*_SUPER_BOWL, '3 = "2011"^^xsd:gYear', "answer 2"))
    ),
    "two_conditions": Recorded(
        "who won the last Super Bowl before 2013",
        RuleScorer((*_SUPER_BOWL, "3 max", '3 < "2013"^^xsd:gYear', "answer 2")),
    ),
    "conditions_leave_nothing": Recorded(
        "who won the Super Bowl in 1950?", RuleScorer((*_SUPER_BOWL, '3 = "1950"^^xsd:gYear'))
    ),
    "no_topic": Recorded("colourless green ideas", KITT),
    "no_relation": Recorded("what was the budget of Knight Rider?", RuleScorer(())),
    "reverse": Recorded(
        "whom did David Hasselhoff play?",
        RuleScorer(("0 ^tv.regular_tv_appearance.actor", "1 tv.regular_tv_appearance.character", "answer 2")),
    ),
    "unread": Recorded(KITT_QUESTION, replace(KITT, reads=2)),
    "picked": Recorded(KITT_QUESTION, replace(KITT, name="talker", exact=False)),
    "cut": Recorded(KITT_QUESTION, KITT, RunLimits(facts_shown=1, facts_per_step=2, options_shown=2)),
    "readings": Recorded(KITT_QUESTION, KITT, strategy="beam"),
    "written": Recorded(
        KITT_QUESTION,
        KITT,
        switches=EngineSwitches(model_may_answer=True),
        strategy=Sketch.name,
        writes=("William Daniels, as far as I know.",),
    ),
    "unsupported": Recorded(KITT_QUESTION, KITT, strategy=Sketch.name, writes=("William Daniels.",)),
    "alone": Recorded(
        KITT_QUESTION,
        KITT,
        switches=EngineSwitches(model_may_answer=True),
        strategy="zero-shot",
        writes=("David Hasselhoff and William Daniels",),
    ),
    "augmented": Recorded(KITT_QUESTION, KITT, strategy="augmented", writes=("William Daniels\nJamaica\nPat Morita",)),
    "silent": Recorded(KITT_QUESTION, KITT, strategy="written-answer", writes=("None",)),
    "filtered": Recorded(KITT_QUESTION, KITT, strategy="written-filters", writes=("3", *("I am not sure.",) * 9)),
    "changed": Recorded(KITT_QUESTION, KITT, change=EndStage(Stage.SEARCH, 2)),
    "not_understood": Recorded("who never played KITT in Knight Rider, and is KITT older than Jamaica?", KITT),
    "counted": Recorded(
        "how many actors are in Knight Rider?",
        RuleScorer(("0 tv.tv_program.regular_cast", "1 tv.regular_tv_appearance.actor", "answer 2")),
    ),
    "undecided": Recorded(KITT_QUESTION, KITT, change=Remove(Stage.SEARCH, 1)),
}

_TOGETHER: tuple[tuple[tuple[int, Any, str], ...], ...] = (
    ((2, ">=", "2008"), (2, "<=", "2014")),
    ((2, "<=", "2014"), (2, ">=", "2008")),
    ((2, ">", "2008"), (2, "<=", "2014")),
    ((2, "<=", "2011"), (3, ">=", "2011")),
    ((3, ">=", "2011"), (4, "=", "2011"), (2, "<=", "2011")),
    ((2, ">=", "2011"), (3, "<=", "2011")),
    ((2, "<=", "2011"), (3, ">=", "2012")),
    ((2, "<=", "2011"), (4, ">=", "2011")),
    ((2, "max", ""), (3, ">=", "2011")),
)
"""Conditions on dates, some of which are told as one: the second and third position lead on from one place."""

_PLACES: tuple[tuple[Any, str], ...] = (
    ("number", ""),
    *(("number", label) for label in ("2", "10", "11", "22", "103", "many")),
)
"""Places in an order; the first one is not said."""

_EVENT: TypeAdapter[StageEvent] = TypeAdapter(StageEvent)
_TARGETS: tuple[tuple[Any, str], ...] = (
    ("entity", "KITT"),
    ("entity", "actor"),
    ("text", "none of it"),
    ("number", "37253956"),
    ("number", "-0.25"),
    ("number", "many"),
    ("date", "1990"),
    ("date", "0079-08"),
    ("date", "2011-02-06"),
    ("date", "spring"),
)


def record(store: GraphStore, name: str) -> list[dict[str, Any]]:
    """The event log of a run as the site serves it, with what differs from time to time set to zero."""
    run = RUNS[name]
    log = []
    for seq, event in enumerate(_told(store, run), start=1):
        document = event.model_dump(mode="json")
        if "seconds" in document:
            document["seconds"] = 0 if document["kind"] != "finished" else dict.fromkeys(document["seconds"], 0)
        log.append({"seq": seq, "event": document})
    return log


def _told(store: GraphStore, run: Recorded) -> Iterator[StageEvent]:
    with made_up_registered():
        writer = RecordedWriter(run.writes)
        shown = answer(
            run.question,
            store,
            run.scorer,
            strategy=run.strategy,
            writer=writer,
            limits=run.limits,
            switches=run.switches,
        )
    if run.change is None:
        return shown
    changed = Continuation(tuple(shown), run.change, later="keep", otherwise="stop")
    return go_on(run.question, store, None, changed, limits=run.limits)


def worded() -> dict[str, Any]:
    """How the recorded runs are worded, and conditions of every kind."""
    return {
        "runs": {name: _run_worded(name) for name in RUNS},
        "conditions": list(_conditions_worded()),
        "terms": list(_terms_worded()),
        "joined": list(_joined_worded()),
    }


def _run_worded(name: str) -> dict[str, Any]:
    stored = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    shown = [_EVENT.validate_python(row["event"]) for row in stored]
    words, lines = RunWords(), []
    for event in shown:
        words.learn(event)
        lines += [line for line in (words.decision(event), words.note(event), *words.other_lines(event)) if line]
        lines += words.read_as(event) if isinstance(event, ModelWrote) else ()
        lines += [reading for _, reading in words.readings(event)]
    last = shown[-1]
    finished = last if isinstance(last, Finished) else None
    decisions = [decision for decision in map(decision_of, shown) if decision is not None]
    return {
        "told": lines,
        "doubtful": [is_doubtful(decision) for decision in decisions],
        "title": words.title(finished) if finished is not None and finished.verdict in UNANSWERED else "",
        "reason": "" if finished is None else words.reason(finished),
        "stopped": [] if finished is None else words.stopped(finished),
    }


def _conditions_worded() -> Iterator[dict[str, Any]]:
    words = RunWords()
    for operator, (kind, label) in (
        *product((sign for sign in COMPARISONS if sign not in {"min", "max"}), _TARGETS),
        *product(("min", "max"), _PLACES),
    ):
        target = TermRecord(id=label, label=label, kind=kind) if label else None
        constraint = ConstraintRecord(position=0, operator=operator, target=target)
        yield {"constraint": constraint.model_dump(mode="json"), "words": words.condition(constraint)}


def _terms_worded() -> Iterator[dict[str, Any]]:
    for (kind, label), unit in product((*_TARGETS, ("date", "-0044-03-15"), ("date", "0079")), ("", "km²")):
        term = TermRecord(id=label, label=label, kind=kind)
        yield {"term": term.model_dump(mode="json"), "unit": unit, "words": RunWords().term(term, unit)}


def _joined_worded() -> Iterator[dict[str, Any]]:
    nodes = [
        SemanticNodeRecord(position=0, kind="entity", name="Obama", parent=None, relation=None),
        _node(1, 0, "mediator", "held office"),
        _node(2, 1, "date", "start date"),
        _node(3, 1, "date", "to"),
        _node(4, 0, "date", "born"),
    ]
    for pairs in _TOGETHER:
        constraints = [
            ConstraintRecord(
                position=position,
                operator=operator,
                target=TermRecord(id=year, label=year, kind="date") if year else None,
            )
            for position, operator, year in pairs
        ]
        reading = ReadingRecord(
            probability=0.5,
            verdict="no_answer_found",
            nodes=nodes,
            constraints=constraints,
            position=None,
            answers=[],
            answers_total=0,
        )
        ended = Finished(
            verdict="no_answer_found",
            reason="no_relation",
            answers=[],
            answers_total=0,
            cost=CostRecord(calls=0, tokens_in=0, tokens_out=0),
            seconds={},
            readings=[reading],
        )
        [(_, words)] = RunWords().readings(ended)
        yield {"reading": reading.model_dump(mode="json"), "words": words}


def _node(position: int, parent: int, kind: Any, label: str) -> SemanticNodeRecord:
    relation = RelationRecord(id=label, label=label, context="", reverse=False)
    return SemanticNodeRecord(position=position, kind=kind, name=label, parent=parent, relation=relation)


def _write_worded() -> None:
    WORDED.write_text(json.dumps(worded(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _write_all() -> None:
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "toy.sqlite"
        load_graph(TripleReader(TOY_GRAPH), path, name="toy", title="Toy", source="drawn by hand")
        store = SqliteStore(path)
        for name in RUNS:
            text = json.dumps(record(store, name), ensure_ascii=False, indent=1) + "\n"
            (FOLDER / f"{name}.json").write_text(text, encoding="utf-8")
        store.close()
    _write_worded()


if __name__ == "__main__":
    _write_all()
