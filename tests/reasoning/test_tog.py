"""ToG by hand: relations and entities that are kept, tries, dead ends, literals, what a model writes, and changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kgstore.loading.formats.tsv import TripleReader
from kgstore.sqlite.loader import load_graph
from kgstore.sqlite.store import SqliteStore
from kgstore.terms import Entity
from reasoning import events
from reasoning.core.derivation import SearchStep
from reasoning.core.errors import WriterMissingError
from reasoning.core.options import Stage
from reasoning.core.switches import EngineSwitches
from reasoning.core.trace import Trace
from reasoning.engine.engine import answer, go_on
from reasoning.run.continuation import Continuation, Remove, Replace
from tests.reasoning.family import ANN, CHILD, PARENT, POST, SHARES, TEACHER, TOWN, Table
from tests.reasoning.made_up import RecordedWriter
from tests.reasoning.rules import Counting

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from kgstore.store import GraphStore
    from reasoning.run.continuation import Change
    from reasoning.scorers.base import Scorer

QUESTION = "who is Ann's parent?"


def run(store: GraphStore, question: str = QUESTION, **how: Any) -> list[events.StageEvent]:
    scorer = how.pop("scorer", Table(SHARES))
    how = {"strategy": "tog", "topic": ANN, **how}
    return list(answer(question, store, scorer, **how))


def all_of(emitted: Sequence[events.StageEvent], kind: type[Any]) -> list[Any]:
    return [event for event in emitted if isinstance(event, kind)]


def steps(emitted: Sequence[events.StageEvent]) -> list[tuple[int | None, str]]:
    nodes = (event.node for event in all_of(emitted, events.SearchStepTaken))
    return [(node.parent, node.relation.id) for node in nodes if node.relation is not None]


def names(emitted: Sequence[events.StageEvent]) -> list[str]:
    (finished,) = all_of(emitted, events.Finished)
    return [one.term.label for one in finished.answers]


def kept_relations(emitted: Sequence[events.StageEvent]) -> list[list[str]]:
    return [
        [option.relation.id for option in made.selection.options if option.index in made.selection.kept]
        for made in all_of(emitted, events.SelectionMade)
    ]


def test_the_best_relations_are_followed_and_a_hop_is_tried_by_none(family: GraphStore) -> None:
    emitted = run(family, switches=EngineSwitches.of(width=2))
    assert kept_relations(emitted)[0] == [str(PARENT), str(CHILD)]
    assert steps(emitted)[:2] == [(0, str(PARENT)), (0, str(CHILD))]
    # Of the parent None has 0.6, of the child all: (0.5 x 0.6 + 0.3 x 1) / 0.8.
    (tried,) = all_of(emitted, events.Sufficiency)
    assert (tried.enough, tried.positions, tried.facts_total) == (True, [1, 2], 2)
    assert tried.share == pytest.approx(0.6 / 0.8, abs=1e-5)
    (ended,) = all_of(emitted, events.SearchEnded)
    assert (ended.reason, len(steps(emitted))) == ("chosen", 2)
    # P(parent) P(None) is 0.3, and so is P(child) P(None): of equals the first.
    assert names(emitted) == ["Bob"]


DEEPER = {
    **SHARES,
    ("family.person.parent",): {"none": 0.1, "family.person.parent": 0.9},
    ("^family.person.parent",): {"none": 0.2, "family.person.parent": 0.01},
}


def test_where_it_is_not_enough_the_best_ways_of_all_beams_go_deeper(family: GraphStore) -> None:
    emitted = run(family, scorer=Table(DEEPER), switches=EngineSwitches.of(width=1))
    assert steps(emitted) == [(0, str(PARENT)), (1, str(PARENT))]
    assert [one.enough for one in all_of(emitted, events.Sufficiency)] == [False, True]
    assert names(emitted) == ["Dan"]
    shallow = run(family, scorer=Table(DEEPER), switches=EngineSwitches.of(width=1, depth=1))
    (ended,) = all_of(shallow, events.SearchEnded)
    assert (ended.reason, names(shallow)) == ("step_limit", ["Bob"])


def test_a_link_without_a_name_does_not_count_as_a_hop_and_is_never_dropped(family: GraphStore) -> None:
    shares = {(): {str(POST): 1.0}, (str(POST),): {str(TOWN): 1.0}}
    shown = run(family, scorer=Table(shares), switches=EngineSwitches.of(width=1, depth=1))
    assert steps(shown) == [(0, str(POST)), (1, str(TOWN))]
    assert names(shown) == ["Dan"]


def test_a_beam_that_leads_nowhere_says_so(family: GraphStore, tmp_path: Path) -> None:
    del family
    (tmp_path / "one.tsv").write_text('en.ann\tfamily.person.born\t"at sea"@en\n', encoding="utf-8")
    load_graph(TripleReader(tmp_path / "one.tsv"), tmp_path / "one.sqlite", name="one", title="One", source="test")
    store = SqliteStore(tmp_path / "one.sqlite")
    emitted = run(store, scorer=Table({(): {"family.person.born": 0.9, "none": 0.1}}))
    dead = all_of(emitted, events.SelectionMade)[-1].selection
    assert (dead.total, dead.kept, dead.options) == (0, [], [])
    # A literal stays.
    assert [one.term.id for one in emitted[-1].answers] == ['"at sea"@en']  # type: ignore[union-attr]
    store.close()


def test_none_before_the_first_relation_is_no_answer(family: GraphStore) -> None:
    emitted = run(family, scorer=Table({}))
    assert (steps(emitted), emitted[-1].verdict) == ([], "no_answer_found")  # type: ignore[union-attr]


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphStore]:
    """Ann knows sixty numbered people and one baker; each knows a town."""
    rows = ['en.ann\ttype.object.name\t"Ann"@en', 'en.baker\ttype.object.name\t"a baker of fresh bread"@en']
    for name in [*(f"p{i:02}" for i in range(60)), "baker"]:
        rows.append(f"en.ann\tfamily.person.knows\ten.{name}")
        rows.append(f"en.{name}\tfamily.person.town\ten.town_{name}")
    folder = tmp_path_factory.mktemp("crowd")
    (folder / "crowd.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    load_graph(TripleReader(folder / "crowd.tsv"), folder / "crowd.sqlite", name="crowd", title="C", source="test")
    store = SqliteStore(folder / "crowd.sqlite")
    yield store
    store.close()


CROWD = Table({(): {"family.person.knows": 1.0}, ("family.person.knows",): {"family.person.town": 1.0}})
BREAD = "in which town is the bakery of Ann's acquaintance who bakes bread?"


@pytest.mark.slow
def test_of_many_entities_the_nearest_to_the_question_are_kept_always_the_same(crowd: GraphStore) -> None:
    emitted = run(crowd, BREAD, scorer=CROWD, switches=EngineSwitches.of(width=2))
    first = all_of(emitted, events.FrontierKept)[0]
    assert (first.of, first.hop, first.kept, first.dropped) == ("beam", 1, 2, 59)
    assert first.entities[0].term.label == "a baker of fresh bread"
    assert first.judge == "the sentence encoder, of the best known 50"
    scores = [one.score for one in first.entities]
    assert scores == sorted(scores, reverse=True)
    assert [one.kept for one in first.entities[:3]] == [True, True, False]
    again = run(crowd, BREAD, scorer=CROWD, switches=EngineSwitches.of(width=2))
    assert all_of(again, events.FrontierKept)[0].entities == first.entities
    # What was dropped is not gone on from.
    assert all_of(emitted, events.SearchStepTaken)[1].members == 2


def test_tog_r_goes_on_from_all_that_its_relations_lead_to(crowd: GraphStore) -> None:
    emitted = run(crowd, BREAD, scorer=CROWD, strategy="tog-r", switches=EngineSwitches.of(width=2))
    first = all_of(emitted, events.FrontierKept)[0]
    assert (first.judge, first.kept, first.dropped) == ("", 61, 0)
    assert all_of(emitted, events.SearchStepTaken)[1].members == 61


def test_direction_and_parallel_relations_are_kept(family: GraphStore) -> None:
    shares: dict[tuple[str, ...], dict[str, float]] = {(): {str(PARENT): 0.4, str(CHILD): 0.3, str(TEACHER): 0.3}}
    trace = Trace()
    shown = run(family, scorer=Table(shares), trace=trace)
    assert steps(shown) == [(0, str(PARENT)), (0, str(CHILD)), (0, str(TEACHER))]
    targets = [{fact.target for fact in trace.graph.facts_at(place)} for place in (1, 2, 3)]
    assert targets == [{Entity("en.bob")}, {Entity("en.cyd")}, {Entity("en.bob")}]


WRITTEN = EngineSwitches.of(width=1, sufficiency="writer", model_may_answer=True)


def test_a_model_writes_what_is_enough_and_then_the_answer_from_the_paths(family: GraphStore) -> None:
    writer = RecordedWriter(("No, who is Bob's parent?", "yes", "Dan"))
    emitted = run(family, scorer=Table(DEEPER), switches=WRITTEN, writer=writer)
    assert "Ann | family.person.parent | Bob" in str(writer.asked[0][0].text)
    assert [(one.enough, one.by) for one in all_of(emitted, events.Sufficiency)] == [
        (False, "writer"),
        (True, "writer"),
    ]
    assert (emitted[-1].verdict, names(emitted)) == ("answered", ["Dan"])  # type: ignore[union-attr]


def test_what_no_fact_supports_is_the_models_own(family: GraphStore) -> None:
    emitted = run(family, switches=WRITTEN, writer=RecordedWriter(("yes", "Eve")))
    assert (emitted[-1].verdict, names(emitted)) == ("from_the_model", ["Eve"])  # type: ignore[union-attr]


def changed(store: GraphStore, change: Change, scorer: Scorer, **how: Any) -> list[events.StageEvent]:
    shown = run(store, scorer=Table(DEEPER), **how)
    return list(go_on(QUESTION, store, scorer, Continuation(tuple(shown), change), strategy="tog", topic=ANN, **how))


def test_a_step_that_somebody_gives_is_gone_on_from(family: GraphStore) -> None:
    how = {"switches": EngineSwitches.of(width=1)}
    shown = changed(family, Replace(Stage.SEARCH, 0, SearchStep(0, CHILD)), Table(DEEPER), **how)
    assert steps(shown)[0] == (0, str(CHILD))
    assert names(shown) == ["Cyd"]


def test_a_step_that_is_taken_out_is_not_waited_for(family: GraphStore) -> None:
    shown = changed(family, Remove(Stage.SEARCH, 0), Table(DEEPER), switches=EngineSwitches.of(width=2))
    assert (0, str(PARENT)) not in steps(shown)
    assert names(shown)


def test_the_end_of_another_way_may_be_chosen_and_asks_nobody(family: GraphStore) -> None:
    counted = Counting(Table(DEEPER))
    shown = changed(family, Replace(Stage.INFER, 0, 1), counted, switches=EngineSwitches.of(width=1))
    assert (names(shown), counted.asked) == (["Bob"], 0)


@pytest.mark.parametrize(("switches", "texts"), [(EngineSwitches.of(width=2), ()), (WRITTEN, ("no", "yes", "Dan"))])
def test_a_run_goes_on_from_wherever_it_was_broken_off(
    family: GraphStore, switches: EngineSwitches, texts: tuple[str, ...]
) -> None:
    emitted = run(family, scorer=Table(DEEPER), switches=switches, writer=RecordedWriter(texts))
    for length in range(len(emitted)):
        written = sum(isinstance(event, events.ModelWrote) for event in emitted[:length])
        how: Any = {"switches": switches, "writer": RecordedWriter(texts[written:])}
        kept = Continuation(tuple(emitted[:length]))
        again = list(go_on(QUESTION, family, Table(DEEPER), kept, strategy="tog", topic=ANN, **how))
        assert [event.kind for event in again] == [event.kind for event in emitted]
        assert (names(again), again[-1].cost) == (names(emitted), emitted[-1].cost)  # type: ignore[union-attr]


def test_without_a_model_that_writes_it_says_so_before_it_begins(family: GraphStore) -> None:
    with pytest.raises(WriterMissingError):
        run(family, switches=WRITTEN)
