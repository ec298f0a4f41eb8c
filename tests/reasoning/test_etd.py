"""EtD's explorer: its equations by hand, what it keeps, how it learns, and what a run tells."""

from __future__ import annotations

import inspect
import math
from collections import Counter
from threading import Thread
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from kgstore.terms import Entity, Relation
from reasoning import events
from reasoning.core.derivation import SearchStep
from reasoning.core.errors import WriterMissingError
from reasoning.core.options import Stage
from reasoning.core.switches import EngineSwitches
from reasoning.core.trace import Trace
from reasoning.engine.engine import answer, go_on
from reasoning.narration.wording import RunWords
from reasoning.run.continuation import Continuation, Replace
from reasoning.run.model_answers import ANSWER_TOKENS
from reasoning.scorers.cards import read_card
from reasoning.scorers.server import ModelServer
from reasoning.strategies import registry
from reasoning.strategies.etd.alike import alike
from reasoning.strategies.etd.edges import READ_AT_ONCE, Edges, KeptEdges, ranges
from reasoning.strategies.etd.explorer import IDENTITY, RelationTexts, best_edges, chosen_depths, explore
from reasoning.strategies.etd.keeping import kept_of_groups, without_noise
from reasoning.strategies.etd.model import ExplorerModel
from reasoning.strategies.etd.shape import ExplorerShape
from reasoning.strategies.etd.strategy import BUNDLED
from reasoning.strategies.etd.ways import Ways
from reasoning.strategies.etd.weights import Explorer, save_explorer
from reasoning.writers.chat import ChatWriter
from tests.reasoning.chat_server import chat_server
from tests.reasoning.rules import KITT, KITT_QUESTION, Arbitrary

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from kgstore.store import GraphStore
    from reasoning.strategies.etd.explorer import Exploration
    from reasoning.strategies.etd.options import CandidatePart

KNIGHT_RIDER = Entity("en.knight_rider")
CAST = Relation("tv.tv_program.regular_cast")
CREATOR = Relation("tv.tv_program.program_creator")


def sigmoid(value: float) -> float:
    return 1 / (1 + math.exp(-value))


def small(layers: int = 1, keep: int = 10, *, norm: bool = False) -> ExplorerModel:
    """An explorer of width 2 over texts of length 2, every parameter a number that can be reckoned with."""
    model = ExplorerModel(ExplorerShape(width=2, layers=layers, keep=keep, norm=norm, text=2))
    with torch.no_grad():
        model.text.weight.copy_(torch.tensor([[1.0, 0.0], [0.0, 2.0]]) / 2**0.5)
        model.inverse.weight.copy_(torch.tensor([[0.0, 1.0], [1.0, 0.0]]))
        model.inverse.bias.copy_(torch.tensor([0.5, 0.0]))
        model.identity.copy_(torch.tensor([1.0, 1.0]))
        for number in range(layers):
            layer = model._layer(number)
            layer.of_head.copy_(torch.tensor([1.0, 0.0]))
            layer.of_relation.copy_(torch.tensor([0.0, 1.0]))
            layer.of_question.copy_(torch.tensor([0.5, 0.5]))
            layer.of_both.copy_(torch.tensor([1.0, -1.0]))
            layer.update.weight.copy_(torch.tensor([[1.0, 0.0], [0.0, -1.0]]))
    return model


def test_questions_and_relations_are_projected_and_turned_round() -> None:
    model = small()
    texts = torch.tensor([[3.0, 1.0]])
    # W_L enc, brought to one a component: (1 · 3, 2 · 1)
    assert model.questions(texts)[0].tolist() == pytest.approx([3.0, 2.0])
    forward, back, identity = model.relations(texts.repeat(2, 1), torch.tensor([False, True])).tolist()
    assert forward == pytest.approx([3.0, 2.0])
    # W_inv (3, 2) + b = (2, 3) + (0.5, 0)
    assert back == pytest.approx([2.5, 3.0])
    assert identity == [1.0, 1.0]


def test_attention_is_the_published_sum() -> None:
    model = small()
    nodes, relations = torch.tensor([[2.0, 7.0]]), torch.tensor([[1.0, -3.0]])
    questions = torch.tensor([[4.0, 2.0]])
    [found] = model.attention(
        0, nodes, relations, questions, head=np.array([0]), relation=np.array([0]), question=np.array([0])
    )
    # w_s h_s = 2; w_r h_r = -3; w_q h_q = 3; w_qr (h_r * h_q) = 4 + 6
    assert found.item() == pytest.approx(sigmoid(2 - 3 + 3 + 10))


def test_a_message_is_the_update_of_weighted_products() -> None:
    model = small()
    nodes = torch.tensor([[2.0, 1.0], [1.0, -4.0]])
    relations = torch.tensor([[3.0, 1.0], [1.0, 1.0]])
    after = model.passed(
        0,
        nodes,
        relations,
        torch.tensor([0.5, 0.25]),
        head=np.array([0, 1]),
        relation=np.array([0, 1]),
        message=np.array([0, 0, 1]),
        tail=np.array([0, 1, 1]),
        tails=2,
    )
    # Of tail 0: 0.5 (6, 1) = (3, 0.5). Of tail 1: that and 0.25 (1, -4): (3.25, -0.5). W turns the second round, act
    # takes away what is negative.
    assert after.tolist() == [[3.0, 0.0], [3.25, 0.5]]


def test_probabilities_are_a_softmax_over_the_candidates_of_each_question() -> None:
    model = small()
    nodes, questions = torch.randn(5, 2), torch.randn(2, 2)
    asked = np.array([0, 1, 0, 1, 1])
    found = model.log_probabilities(nodes, questions, asked, np.ones(5, np.int64))
    scores = model.rank(torch.cat([nodes, questions[torch.from_numpy(asked)]], 1))[:, 0]
    for number in range(2):
        rows = torch.from_numpy(np.flatnonzero(asked == number))
        assert found[rows].tolist() == pytest.approx(scores[rows].log_softmax(0).tolist(), abs=1e-5)
    # A vector that three candidates have counts three times.
    many = model.log_probabilities(nodes[[0, 1]], questions[:1], np.zeros(2, np.int64), np.array([3, 1]))
    each = model.log_probabilities(nodes[[0, 0, 0, 1]], questions[:1], np.zeros(4, np.int64), np.ones(4, np.int64))
    assert many.tolist() == pytest.approx(each[[0, 3]].tolist(), abs=1e-6)


@pytest.mark.parametrize("norm", [False, True])
def test_gradients_are_those_of_the_equations(*, norm: bool) -> None:
    torch.manual_seed(3)
    model = ExplorerModel(ExplorerShape(width=3, layers=1, keep=5, norm=norm, text=2)).double()
    texts = torch.randn(3, 2, dtype=torch.float64, requires_grad=True)
    head, relation = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 2])
    message, tail = np.array([0, 1, 2, 3]), np.array([0, 1, 1, 1])

    def chain(texts: torch.Tensor, *_: torch.Tensor) -> torch.Tensor:
        asked = model.questions(texts[:1])
        relations = model.relations(texts[1:], torch.tensor([False, True]))
        nodes = torch.cat([asked, asked * 0.5])
        attention = model.attention(
            0, nodes, relations, asked, head=head, relation=relation, question=np.zeros(4, np.int64)
        )
        after = model.passed(
            0, nodes, relations, attention, head=head, relation=relation, message=message, tail=tail, tails=2
        )
        return model.log_probabilities(after, asked, np.zeros(2, np.int64), np.array([2, 1]))

    assert torch.autograd.gradcheck(chain, (texts, *model.parameters()))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 9)), min_size=1, max_size=40))
def test_nodes_share_a_vector_where_the_same_messages_reach_them(rows: list[tuple[int, int]]) -> None:
    message, tail = (np.array(each) for each in zip(*rows, strict=True))
    # Every node is reached by some message.
    _, tail = np.unique(tail, return_inverse=True)
    nodes = int(tail.max()) + 1
    vector, shown = alike(message, tail, nodes)
    reached = [Counter(message[tail == node].tolist()) for node in range(nodes)]
    for one in range(nodes):
        assert reached[shown[vector[one]]] == reached[one]
        for other in range(one):
            assert (vector[one] == vector[other]) == (reached[one] == reached[other])
    assert vector[shown].tolist() == list(range(len(shown)))


def test_whole_groups_are_kept_and_the_last_is_cut() -> None:
    head = np.array([0, 0, 0, 1])
    total = np.array([3, 4, 2, 9])
    attention = np.array([0.2, 0.9, 0.9, 0.1])
    # Of head 0 the second (4) and the third (2) tie, the first comes last: 5 are two of them whole or cut in order.
    assert kept_of_groups(head, total, attention, 5).tolist() == [0, 4, 1, 5]
    assert kept_of_groups(head, total, attention, 7).tolist() == [1, 4, 2, 7]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(1, 9), st.floats(0, 1)), min_size=1, max_size=30),
    st.integers(1, 40),
)
def test_every_head_keeps_its_best_edges_and_no_more(rows: list[tuple[int, int, float]], keep: int) -> None:
    rows = sorted(rows, key=lambda row: row[0])
    head, total, attention = (np.array(each) for each in zip(*rows, strict=True))
    kept = kept_of_groups(head, total, attention, keep)
    assert ((kept >= 0) & (kept <= total)).all()
    for each in set(head.tolist()):
        mine = head == each
        assert kept[mine].sum() == min(keep, total[mine].sum())
        whole, none = kept[mine] == total[mine], kept[mine] == 0
        assert (~whole & ~none).sum() <= 1
        if none.any() and (~none).any():
            assert attention[mine][none].max() <= attention[mine][~none].min()


def test_ranges_are_laid_end_to_end() -> None:
    assert ranges(np.array([5, 0, 9]), np.array([2, 0, 3])).tolist() == [5, 6, 9, 10, 11]


def texts(relations: Sequence[Relation]) -> torch.Tensor:
    """A vector of each relation that depends on nothing but its name."""
    return torch.tensor([[len(one.predicate) % 7 / 7, len(one.predicate) % 3 / 3] for one in relations]).reshape(-1, 2)


class Meanwhile(ExplorerModel):
    """Lets something happen in another thread, once, as soon as it is asked for its parameters."""

    happens: Callable[[], object] | None = None

    def __getattr__(self, name: str) -> Any:
        if name == "identity" and self.happens is not None:
            happens, self.happens = self.happens, None
            thread = Thread(target=happens)
            thread.start()
            thread.join()
        return super().__getattr__(name)


def test_relations_that_another_thread_meets_meanwhile_do_no_harm() -> None:
    edges, vectors = Edges(), RelationTexts(texts)
    edges.relations.append(CAST)
    model = Meanwhile(small().shape)

    def meet() -> None:
        edges.relations.append(CREATOR)
        assert len(vectors.of(small(), edges)) == 3

    model.happens = meet
    assert len(vectors.of(model, edges)) == 2
    assert model.happens is None


def test_attention_is_alike_where_it_differs_by_rounding_alone() -> None:
    third, nearly = np.float32(1 / 3), np.nextafter(np.float32(1 / 3), np.float32(1))
    assert third != nearly
    first, second, other = without_noise(np.array([nearly, third, third + np.float32(2e-5)]))
    assert first == second != other


def explored(model: ExplorerModel, toy: GraphStore, *, may_recur: bool = True) -> tuple[Exploration, Edges]:
    edges = Edges()
    topic = edges.number(KNIGHT_RIDER)
    with torch.inference_mode():
        found = explore(model, toy, edges, RelationTexts(texts), [topic], torch.tensor([[0.6, 0.8]]), [may_recur])
    return found, edges


def test_probabilities_are_those_of_every_node_by_itself(toy: GraphStore) -> None:
    torch.manual_seed(5)
    model = ExplorerModel(ExplorerShape(width=6, layers=3, keep=4, text=2)).double()
    edges, read = Edges(), RelationTexts(texts)
    topics = [KNIGHT_RIDER, Entity("en.super_bowl"), KNIGHT_RIDER]
    asked = torch.tensor([[0.6, 0.8], [0.8, -0.6], [-1.0, 0.0]]).double()
    with torch.inference_mode():
        found = explore(model, toy, edges, read, [edges.number(each) for each in topics], asked, [True] * 3)
        questions, relations = model.questions(asked), read.of(model, edges)
        # By question and term, as the equations say, node by node.
        before = {(number, edges.number(topic)): questions[number] for number, topic in enumerate(topics)}
        origin = list(before)
        for number, layer in enumerate(found.layers):
            sums: dict[tuple[int, int], torch.Tensor] = {}
            part = model._layer(number)
            for head, relation, weight, tail in zip(layer.head, layer.relation, layer.weight, layer.tail, strict=True):
                h_s, h_r, h_q = before[origin[head]], relations[relation], questions[origin[head][0]]
                alpha = torch.sigmoid(
                    part.of_head @ h_s + part.of_relation @ h_r + part.of_question @ h_q + part.of_both @ (h_r * h_q)
                )
                assert weight == pytest.approx(alpha.item(), abs=1e-5)
                place = int(layer.question[tail]), int(layer.term[tail])
                assert place[0] == origin[head][0]
                sums[place] = sums.get(place, torch.zeros(6).double()) + alpha * h_s * h_r
            before = {place: torch.relu(part.norm(part.update(each))) for place, each in sums.items()}
            origin = list(zip(layer.question.tolist(), layer.term.tolist(), strict=True))
        scores = torch.stack([model.rank(torch.cat([before[place], questions[place[0]]]))[0] for place in origin])
    for number in range(len(topics)):
        mine = torch.tensor([place[0] == number for place in origin])
        assert found.log_probabilities[mine].tolist() == pytest.approx(scores[mine].log_softmax(0).tolist())


def with_depth(width: int = 3) -> ExplorerModel:
    torch.manual_seed(9)
    return ExplorerModel(ExplorerShape(width=width, layers=3, keep=50, text=2, chosen_depth=True)).double()


def test_a_depth_is_a_softmax_over_numbers_of_layers() -> None:
    model, questions = with_depth(), torch.tensor([[1.0, 2.0, -1.0]]).double()
    assert model.depth is not None
    with torch.no_grad():
        model.depth.weight.copy_(torch.tensor([[1.0, 0, 0], [0, 1, 0], [0, 0, 1]]))
        model.depth.bias.copy_(torch.tensor([0.0, 0.5, 0.0]))
    shown = [math.exp(value) for value in (1, 2.5, -1)]
    assert model.depths(questions).exp()[0].tolist() == pytest.approx([each / sum(shown) for each in shown])
    # One that chooses none goes to the end.
    plain = small(layers=3)
    assert plain.depths(torch.randn(2, 2)).exp().tolist() == [[0, 0, 1], [0, 0, 1]]
    assert chosen_depths(plain, torch.randn(2, 2)) == [3, 3]


def test_where_the_depth_is_open_every_layer_counts_as_it_is_probable(toy: GraphStore) -> None:
    model, edges = with_depth(), Edges()
    asked = torch.tensor([[0.6, 0.8], [0.8, -0.6]]).double()
    topics = [edges.number(KNIGHT_RIDER), edges.number(Entity("en.super_bowl"))]

    def ranked(ends_after: int | None) -> tuple[Exploration, dict[tuple[int, int], float]]:
        with torch.inference_mode():
            found = explore(model, toy, edges, RelationTexts(texts), topics, asked, [True, True], ends_after)
        last = found.layers[-1]
        places = zip(last.question.tolist(), last.term.tolist(), strict=True)
        return found, dict(zip(places, found.probabilities().tolist(), strict=True))

    whole, mixed = ranked(None)
    by_depth = []
    for layers in (1, 2, 3):
        found, each = ranked(layers)
        assert len(found.layers) == layers
        by_depth.append(each)
    assert len(by_depth[0]) < len(by_depth[1]) < len(by_depth[2]) == len(mixed)
    assert sum(mixed.values()) == pytest.approx(2)
    for place, probability in mixed.items():
        reply = (share * each.get(place, 0.0) for share, each in zip(whole.depths()[place[0]], by_depth, strict=True))
        assert probability == pytest.approx(sum(reply))


@pytest.mark.slow
def test_gradients_reach_the_depth_and_every_layer(toy: GraphStore) -> None:
    model, edges = with_depth(), Edges()
    topic = edges.number(KNIGHT_RIDER)

    def ranked(asked: torch.Tensor, *_: torch.Tensor) -> torch.Tensor:
        return explore(model, toy, edges, RelationTexts(texts), [topic], asked, [True]).log_probabilities[:6]

    asked = torch.tensor([[0.6, 0.8]], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(ranked, (asked, *model.parameters()))


def test_a_run_ends_after_the_most_probable_depth_and_tells_how_probable_each_is(
    toy: GraphStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.manual_seed(2)
    model = ExplorerModel(ExplorerShape(width=8, layers=3, chosen_depth=True))
    assert model.depth is not None
    with torch.no_grad():
        model.depth.weight.zero_()
        model.depth.bias.copy_(torch.tensor([0.0, 2.0, 1.0]))
    save_explorer(tmp_path / "etd", model, {**read_card(BUNDLED), "shape": model.shape.to_json()})
    monkeypatch.setattr(registry, "_trained", [tmp_path])
    layers = [event for event in run(toy) if isinstance(event, events.LayerExplored)]
    assert [(layer.layer, layer.layers) for layer in layers] == [(1, 2), (2, 2)]
    for layer in layers:
        assert layer.depths == pytest.approx([0.09, 0.665, 0.245], abs=1e-3)
    shown = [line for layer in layers for line in RunWords().other_lines(layer)]
    assert shown.count("Layers needed: 1 layer 9 %, 2 layers 67 %, 3 layers 24 %") == 1


def test_an_entity_that_was_reached_stays(toy: GraphStore) -> None:
    found, edges = explored(small(layers=3), toy)
    reached = [{edges.terms[term] for term in layer.term} for layer in found.layers]
    assert KNIGHT_RIDER in reached[0] <= reached[1] <= reached[2]
    assert Entity("m.cast_kitt") in reached[0]
    assert Entity("en.william_daniels") in reached[1]
    assert found.probabilities().sum() == pytest.approx(1, abs=1e-5)


def test_what_is_kept_is_of_what_was_looked_at(toy: GraphStore) -> None:
    found, _ = explored(small(layers=2, keep=2), toy)
    for layer in found.layers:
        assert ((layer.kept >= 0) & (layer.kept <= layer.groups.total)).all()
        assert ((layer.weight >= 0) & (layer.weight <= 1)).all()
        # The identity stays in addition to the K that are kept.
        real = layer.head[layer.relation != IDENTITY]
        assert (np.bincount(real) <= 2).all()
        assert (layer.relation == IDENTITY).sum() == len(set(layer.head.tolist()))


def test_ways_may_be_kept_from_leading_back_to_the_topic(toy: GraphStore) -> None:
    def comes_back(*, may_recur: bool) -> bool:
        found, edges = explored(small(layers=2), toy, may_recur=may_recur)
        topic = edges.number(KNIGHT_RIDER)
        last = found.layers[-1]
        return bool(((last.relation != IDENTITY) & (last.term[last.tail] == topic)).any())

    assert comes_back(may_recur=True)
    assert not comes_back(may_recur=False)


def test_the_way_of_a_candidate_is_a_chain_of_kept_facts(toy: GraphStore) -> None:
    found, edges = explored(small(layers=3), toy)
    ways = Ways(found, edges, KNIGHT_RIDER)
    ranked = list(ways.ranked(digits=20))
    assert len(ranked) == ways.candidates
    assert [one.probability for one in ranked] == sorted((one.probability for one in ranked), reverse=True)
    for candidate in ranked:
        at: object = KNIGHT_RIDER
        for step in candidate.evidence:
            assert step.source == at
            at = step.target
            facts = ways.facts([Entity(str(step.source))], step.relation, 0)
            assert facts is not None
            assert len(facts.triples) <= facts.available
        assert at == candidate.term
    shares = {one.way: ways.share(one.way) for one in ranked if one.term != KNIGHT_RIDER}
    assert sum(shares.values()) <= 1 + 1e-6


def test_the_best_edge_of_a_node_is_the_one_with_the_largest_attention(toy: GraphStore) -> None:
    found, _ = explored(small(layers=2), toy)
    for layer in found.layers:
        for node, edge in enumerate(best_edges(layer)):
            mine = layer.tail == node
            assert layer.tail[edge] == node
            assert layer.weight[edge] == layer.weight[mine].max()


def test_edges_are_read_once_and_come_in_the_stores_order(toy: GraphStore) -> None:
    edges = Edges()
    numbers = np.array([edges.number(KNIGHT_RIDER), edges.number(Entity("en.super_bowl"))])
    groups, tails = edges.groups(toy, numbers)
    for row in range(len(groups.head)):
        head, relation = edges.terms[numbers[groups.head[row]]], edges.relations[groups.relation[row]]
        assert isinstance(head, Entity)
        expansion = toy.expand([head], relation, READ_AT_ONCE)
        ends = [one.subject if relation.is_reverse else one.object for one in expansion.triples]
        held = tails[groups.first[row] : groups.first[row] + groups.held[row]]
        assert [edges.terms[number] for number in held] == ends
        assert groups.total[row] == expansion.total
    again, same = edges.groups(toy, numbers)
    assert len(same) == len(tails)
    assert (again.first == groups.first).all()


def test_edges_of_a_graph_are_kept_for_its_next_question(toy: GraphStore) -> None:
    kept = KeptEdges()
    assert kept.of(toy) is kept.of(toy)


def test_no_parameter_of_the_explorer_can_carry_gold() -> None:
    assert set(inspect.signature(Explorer.explore).parameters) == {
        "self",
        "store",
        "topic",
        "question",
        "may_recur",
        "keep",
    }


def run(toy: GraphStore, **more: object) -> list[events.StageEvent]:
    return list(answer(KITT_QUESTION, toy, Arbitrary(1), strategy="etd", **more))  # type: ignore[arg-type]


def test_layers_tell_what_was_kept_of_how_much(toy: GraphStore) -> None:
    emitted = run(toy)
    layers = [event for event in emitted if isinstance(event, events.LayerExplored)]
    assert [layer.layer for layer in layers] == list(range(1, layers[0].layers + 1))
    for layer in layers:
        assert layer.groups_total >= len(layer.groups)
        assert layer.edges_kept <= layer.edges_total
        assert all(group.kept <= group.edges and 0 <= group.weight <= 1 for group in layer.groups)
    assert {str(CAST), str(CREATOR)} <= {group.relation.id for group in layers[0].groups}
    assert all(group.way == [] for group in layers[0].groups)


def test_candidates_come_with_their_ways_as_facts_of_the_graph(toy: GraphStore) -> None:
    emitted = run(toy)
    [ranked] = [event for event in emitted if isinstance(event, events.CandidatesRanked)]
    steps = {event.node.position: event for event in emitted if isinstance(event, events.SearchStepTaken)}
    assert 1 <= len(ranked.candidates) <= 3
    assert ranked.total >= len(ranked.candidates)
    weights = [candidate.weight for candidate in ranked.candidates]
    assert weights == sorted(weights, reverse=True)
    for candidate in ranked.candidates:
        assert candidate.path[0].source.id == str(KNIGHT_RIDER)
        assert candidate.path[-1].target == candidate.term
        assert len(candidate.weights) == len(candidate.path)
        known = {fact.id for event in steps.values() for fact in event.facts}
        assert {fact.id for fact in candidate.path} <= known
    assert all(event.weight is not None and 0 <= event.weight <= 1 for event in steps.values())


def test_its_own_steps_are_reported_as_explored_and_the_scorers_choice_is_not(toy: GraphStore) -> None:
    emitted = run(toy)
    steps = [event.decision for event in emitted if isinstance(event, events.SearchStepTaken)]
    assert steps
    assert {(one.explored, one.given, one.exact) for one in steps} == {(True, False, False)}
    (made,) = (e.decision for e in emitted if isinstance(e, events.AnswerPositionChosen | events.NoCandidateChosen))
    assert (made.explored, made.exact) == (None, True)


@pytest.mark.parametrize("most", [1, 3, 6])
def test_the_scorer_chooses_among_so_many_candidates_and_none(toy: GraphStore, most: int) -> None:
    emitted = run(toy, switches=EngineSwitches.of(candidates=most))
    [ranked] = [event for event in emitted if isinstance(event, events.CandidatesRanked)]
    [made] = [e for e in emitted if isinstance(e, events.AnswerPositionChosen | events.NoCandidateChosen)]
    assert len(ranked.candidates) <= most
    assert made.decision.total == len(ranked.candidates) + 1
    shares = [option.probability for option in made.decision.options]
    assert sum(share for share in shares if share is not None) == pytest.approx(1)


def test_the_explorer_alone_asks_no_scorer(toy: GraphStore) -> None:
    trace = Trace()
    switches = EngineSwitches.of(determination="explorer")
    emitted = list(answer(KITT_QUESTION, toy, None, strategy="etd", topic=KNIGHT_RIDER, switches=switches, trace=trace))
    [ranked] = [event for event in emitted if isinstance(event, events.CandidatesRanked)]
    finished = emitted[-1]
    assert isinstance(finished, events.Finished)
    assert (finished.verdict, finished.cost.calls) == ("answered", 0)
    assert trace.position == ranked.candidates[0].position
    assert finished.answers[0].term == ranked.candidates[0].term
    weights = [one.weight for one in finished.answers if one.weight is not None]
    assert weights == sorted(weights, reverse=True)


def test_where_the_scorer_takes_none_there_is_no_answer(toy: GraphStore) -> None:
    given = {(Stage.INFER, 0): None}
    shown = run(toy, given=given)
    finished = shown[-1]
    assert isinstance(finished, events.Finished)
    assert isinstance(shown[-2], events.NoCandidateChosen)
    assert (finished.verdict, finished.answers) == ("no_answer_found", [])


def test_a_person_may_put_another_step_in_place_of_the_explorers(toy: GraphStore) -> None:
    shown = run(toy)
    change = Replace(Stage.SEARCH, 0, SearchStep(0, CREATOR))
    # What the explorer took first is taken otherwise, and the answer is asked for among what is left.
    again = list(go_on(KITT_QUESTION, toy, KITT, Continuation(tuple(shown), change), strategy="etd"))
    first = next(event for event in again if isinstance(event, events.SearchStepTaken))
    assert first.node.relation is not None
    assert (first.node.relation.id, first.decision.given) == (str(CREATOR), True)
    assert isinstance(again[-1], events.Finished)


class Determined:
    """A run whose answer a model on a server determines with this reply."""

    def __init__(self, toy: GraphStore, reply: str, *without: CandidatePart, own: bool = False) -> None:
        switches = EngineSwitches.of(determination="writer", candidates_without=without, model_may_answer=own)
        with chat_server(lambda _: reply) as server:
            writer = ChatWriter(ModelServer((server.url,)))
            self.events = run(toy, topic=KNIGHT_RIDER, switches=switches, writer=writer)
            writer.close()
            self.asked = [request["messages"] for request in server.asked]
        last = self.events[-1]
        assert isinstance(last, events.Finished)
        self.finished = last

    @property
    def sent(self) -> str:
        """The one message that the model was sent."""
        ((message,),) = self.asked
        return str(message["content"])

    @property
    def candidates(self) -> list[events.CandidateRecord]:
        (ranked,) = (event for event in self.events if isinstance(event, events.CandidatesRanked))
        return ranked.candidates

    @property
    def said(self) -> list[tuple[str, list[str], str | None]]:
        (wrote,) = (event for event in self.events if isinstance(event, events.ModelWrote))
        return [(part.text, part.names, part.place) for part in wrote.said or []]


def test_a_model_is_sent_the_question_and_lettered_candidates_with_probability_and_path(toy: GraphStore) -> None:
    shown = Determined(toy, "A")
    lines = shown.sent.splitlines()
    assert f"Question: {KITT_QUESTION}" in lines
    assert len(shown.candidates) == 3
    for letter, candidate in zip("ABC", shown.candidates, strict=True):
        at = lines.index(f"{letter}. {candidate.term.label} ({candidate.weight:.4f})")
        for line, fact in zip(lines[at + 1 :], candidate.path, strict=False):
            ends = [fact.source.label, fact.target.label][:: -1 if fact.relation.reverse else 1]
            assert line.strip() == f"{ends[0]} | {fact.relation.label} | {ends[1]}"


def test_facts_that_were_gone_backwards_stand_in_the_graphs_direction(toy: GraphStore) -> None:
    switches = EngineSwitches.of(determination="writer")
    with chat_server(lambda _: "A") as server:
        writer = ChatWriter(ModelServer((server.url,)))
        emitted = run(toy, topic=Entity("en.william_daniels"), switches=switches, writer=writer)
        writer.close()
        (sent,) = (request["messages"][0]["content"] for request in server.asked)
    (ranked,) = (event for event in emitted if isinstance(event, events.CandidatesRanked))
    back = [fact for candidate in ranked.candidates for fact in candidate.path if fact.relation.reverse]
    assert back
    assert all(f"{fact.target.label} | {fact.relation.label} | {fact.source.label}" in sent for fact in back)


@pytest.mark.parametrize("cut", ["A", "{name}", "Willia"])
def test_a_line_that_the_limit_cut_chooses_nothing(toy: GraphStore, cut: str) -> None:
    name = Determined(toy, "A").candidates[0].term.label
    words = ["I", *["think"] * (ANSWER_TOKENS - 1 - name.count(" ") * (cut == "{name}"))]
    words[-1] += f"\n{cut.format(name=name)}"
    emitted = Determined(toy, " ".join([*words, "and", "more"]), own=True)
    (wrote,) = (event for event in emitted.events if isinstance(event, events.ModelWrote))
    assert wrote.cut_short
    assert emitted.said[-1] == (cut.format(name=name), [], None)
    assert not [event for event in emitted.events if isinstance(event, events.AnswerPositionChosen)]
    assert cut.format(name=name) not in [one.term.label for one in emitted.finished.answers]


@pytest.mark.parametrize("reply", ["B", "b)", "The answer is B.", "{name}", "B. {name}"])
def test_a_letter_or_a_name_takes_its_candidate(toy: GraphStore, reply: str) -> None:
    second = Determined(toy, "A").candidates[1]
    emitted = Determined(toy, reply.format(name=second.term.label))
    (made,) = (event for event in emitted.events if isinstance(event, events.AnswerPositionChosen))
    assert (made.position, made.decision.given, made.decision.exact) == (second.position, False, False)
    assert emitted.finished.verdict == "answered"
    assert emitted.finished.answers[0].term == second.term
    assert emitted.finished.answers[0].path
    assert [(names, place) for _, names, place in emitted.said] == [([second.term.label], "facts")]
    assert emitted.finished.costs is not None
    assert (emitted.finished.cost.calls, emitted.finished.costs["infer"].calls) == (1, 1)


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("reply", ["F", "(F)", "None", ""])
def test_a_letter_of_no_candidate_and_none_are_no_answer(toy: GraphStore, reply: str, *, own: bool) -> None:
    shown = Determined(toy, reply, own=own)
    assert isinstance(shown.events[-2], events.NoCandidateChosen)
    assert (shown.finished.verdict, shown.finished.reason) == ("no_answer_found", "nothing_said")
    assert all((names, place) == ([], None) for _, names, place in shown.said)
    assert len(shown.said) == ("F" in reply)


def test_an_answer_of_the_models_own_is_marked_and_reported_only_where_it_is_wanted(toy: GraphStore) -> None:
    shown = Determined(toy, "Jamaica", own=True)
    assert shown.said == [("Jamaica", ["Jamaica"], "graph")]
    assert (shown.finished.verdict, [one.term.id for one in shown.finished.answers]) == (
        "from_the_model",
        ["en.jamaica"],
    )
    assert shown.finished.answers[0].path == []
    off = Determined(toy, "Jamaica")
    assert (off.finished.verdict, off.finished.reason, off.finished.answers) == ("no_answer_found", "unsupported", [])


def test_a_reply_that_names_nothing_is_reported_as_it_is(toy: GraphStore) -> None:
    shown = Determined(toy, "It is hard to say.")
    assert shown.said == [("It is hard to say", [], None)]
    assert (shown.finished.verdict, shown.finished.reason) == ("no_answer_found", "unsupported")


def test_whatever_else_stands_at_the_end_of_a_way_is_an_answer_of_the_facts(toy: GraphStore) -> None:
    listed = Determined(toy, "A")
    shown = {candidate.term.label for candidate in listed.candidates}
    steps = {event.node.position: event for event in listed.events if isinstance(event, events.SearchStepTaken)}
    other, position = next(
        (fact.target, candidate.position)
        for candidate in listed.candidates
        for fact in steps[candidate.position].facts
        if fact.target.label not in shown
    )
    emitted = Determined(toy, other.label)
    assert [(names, place) for _, names, place in emitted.said] == [([other.label], "facts")]
    (made,) = (event for event in emitted.events if isinstance(event, events.AnswerPositionChosen))
    assert (made.position, emitted.finished.answers[0].term) == (position, other)


@pytest.mark.parametrize("without", ["letters", "candidates", "probabilities", "paths"])
def test_what_is_left_out_is_not_sent_and_nothing_else_is_missing(toy: GraphStore, without: CandidatePart) -> None:
    first = Determined(toy, "A").candidates[0]
    shown = Determined(toy, first.term.label, without)
    gone = {without} | ({"letters", "probabilities"} if without == "candidates" else set())
    lines = shown.sent.splitlines()
    named = [line for line in lines if line.startswith(("A. ", "- ")) and first.term.label in line]
    assert bool(named) == ("candidates" not in gone)
    assert any(line.startswith("A. ") for line in lines) == ("letters" not in gone)
    assert (f"({first.weight:.4f})" in shown.sent) == ("probabilities" not in gone)
    assert (f"{first.path[0].source.label} | {first.path[0].relation.label} | " in shown.sent) == ("paths" not in gone)
    assert shown.finished.answers[0].term == first.term, "names are read all the same"


def test_without_letters_a_letter_takes_nothing(toy: GraphStore) -> None:
    assert Determined(toy, "A", "letters").finished.verdict == "no_answer_found"


def test_a_text_that_is_kept_is_not_asked_for_again(toy: GraphStore) -> None:
    for reply in ("B", "Jamaica", "F"):
        shown = Determined(toy, reply, own=True).events
        switches = EngineSwitches.of(determination="writer", model_may_answer=True)
        wrote = next(place for place, event in enumerate(shown) if isinstance(event, events.ModelWrote))
        with chat_server(lambda _: "A") as server:
            writer = ChatWriter(ModelServer((server.url,)))
            for length in range(wrote + 1, len(shown)):
                kept = Continuation(tuple(shown[:length]))
                again = list(go_on(KITT_QUESTION, toy, KITT, kept, strategy="etd", switches=switches, writer=writer))
                finished, before = again[-1], shown[-1]
                assert isinstance(finished, events.Finished)
                assert isinstance(before, events.Finished)
                assert (finished.verdict, finished.answers) == (before.verdict, before.answers)
            writer.close()
            assert server.asked == []


def test_a_person_may_choose_otherwise_than_the_model_that_writes(toy: GraphStore) -> None:
    first = Determined(toy, "A")
    change = Replace(Stage.INFER, 0, first.candidates[1].position)
    again = list(
        go_on(
            KITT_QUESTION,
            toy,
            None,
            Continuation(tuple(first.events), change),
            strategy="etd",
            switches=EngineSwitches.of(determination="writer"),
        )
    )
    (made,) = (event for event in again if isinstance(event, events.AnswerPositionChosen))
    assert (made.position, made.decision.given) == (first.candidates[1].position, True)
    assert isinstance(again[-1], events.Finished)
    assert again[-1].verdict == "answered"


def test_where_a_run_is_to_stop_no_model_determines(toy: GraphStore) -> None:
    shown = Determined(toy, "A").events
    until = next(place for place, event in enumerate(shown) if isinstance(event, events.ModelWrote))
    stop = Continuation(tuple(shown[:until]), otherwise="stop")
    switches = EngineSwitches.of(determination="writer")
    *_, stopped = go_on(KITT_QUESTION, toy, None, stop, strategy="etd", switches=switches)
    assert isinstance(stopped, events.Undecided)
    assert (stopped.stage, stopped.total) == ("infer", 4)


def test_a_writer_is_needed_only_where_it_determines(toy: GraphStore) -> None:
    assert run(toy)[-1].kind == "finished"
    with pytest.raises(WriterMissingError, match=r"“etd” needs a model that writes\. Choose who else chooses"):
        run(toy, switches=EngineSwitches.of(determination="writer"))
