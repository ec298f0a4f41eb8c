"""Logical forms of GrailQA: which are the same query graph, and whether the same node is asked for."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reasoning.datasets.question import BenchmarkQuestion
from reasoning.datasets.registry import read_dataset
from reasoning.evaluation.rules.logical_form import MAX_FORM_LENGTH, LogicalForm, LogicalFormError, compare_forms

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

FILMS = "(AND film.film (JOIN film.film.directed_by m.01))"
BOTH = "(AND film.film (AND (JOIN film.film.directed_by m.01) (JOIN film.film.genre m.02)))"


@pytest.mark.parametrize(
    ("first", "second", "same", "same_graph"),
    [
        pytest.param(FILMS, FILMS, True, True, id="the same"),
        pytest.param(FILMS, f"  {FILMS.replace('(AND', '( AND')}", True, True, id="spaces"),
        pytest.param(FILMS, "(AND (JOIN film.film.directed_by m.01) film.film)", True, True, id="order of AND"),
        pytest.param(
            BOTH,
            "(AND (AND (JOIN film.film.genre m.02) film.film) (JOIN film.film.directed_by m.01))",
            True,
            True,
            id="AND within AND",
        ),
        pytest.param(FILMS, "(JOIN film.film.directed_by m.01)", True, True, id="a class that the relation implies"),
        pytest.param(FILMS, "(AND tv.tv_movie (JOIN film.film.directed_by m.01))", False, False, id="another class"),
        pytest.param(
            FILMS, "(AND film.film (JOIN (R film.director.film) m.01))", True, True, id="the reverse relation"
        ),
        pytest.param(FILMS, "(AND film.film (JOIN (R film.film.directed_by) m.01))", False, False, id="backwards"),
        pytest.param(FILMS, "(AND film.film (JOIN film.film.directed_by m.03))", False, False, id="another entity"),
        pytest.param(FILMS, BOTH, False, False, id="one more condition"),
        pytest.param(FILMS, f"(COUNT {FILMS})", False, False, id="counted"),
        pytest.param(
            f"(ARGMAX {FILMS} film.film.gross)",
            f"(ARGMIN {FILMS} film.film.gross)",
            False,
            False,
            id="largest, smallest",
        ),
        pytest.param(
            "(ARGMAX film.film (JOIN film.film.cut film.cut.length))",
            "(ARGMAX film.film (R (JOIN (R film.cut.length) (R film.film.cut))))",
            True,
            True,
            id="a path and its reverse twice",
        ),
        pytest.param(
            "(AND a.b (lt a.b.c 10^^http://www.w3.org/2001/XMLSchema#integer))",
            "(AND (lt a.b.c 10.0^^http://www.w3.org/2001/XMLSchema#float) a.b)",
            True,
            True,
            id="a number, however it is written",
        ),
        pytest.param("(AND a.b (lt a.b.c 1^^x#int))", "(AND a.b (le a.b.c 1^^x#int))", False, False, id="signs"),
        # Who directed a film of this genre, or which films of this genre were directed by anyone: one graph.
        pytest.param(
            "(AND film.director (JOIN film.director.film (JOIN film.film.genre m.02)))",
            "(AND (JOIN film.film.genre m.02) (JOIN (R film.director.film) film.director))",
            False,
            True,
            id="another node is asked for",
        ),
        # If an entity is asked for, GrailQA's script forgets the entity.
        pytest.param(FILMS, "(AND m.01 (JOIN (R film.film.directed_by) film.film))", False, False, id="an entity is"),
        pytest.param(FILMS, "", False, False, id="nothing"),
        pytest.param(FILMS, "@@UNKNOWN@@ (", False, False, id="no expression"),
    ],
)
def test_two_forms_are_the_same_or_not(first: str, second: str, same: bool, same_graph: bool) -> None:
    for predicted, gold in ((first, second), (second, first)):
        found = compare_forms(predicted, [gold])
        assert (found.is_same, found.is_same_graph) == (same, same_graph)


def test_any_gold_form_will_do() -> None:
    assert compare_forms(FILMS, [BOTH, FILMS]).is_same
    assert not compare_forms(FILMS, []).is_same


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "one expression"),
        ("(JOIN a.b.c m.01", "one expression"),
        ("(JOIN a.b.c m.01))", "was not opened"),
        ("m.01 m.02", "one expression"),
        ("(MAYBE m.01)", "expected AND, JOIN"),
        ("(JOIN (COUNT a) m.01)", "expected a relation"),
        ("(" * 61 + ")" * 61, "brackets within each other"),
        ("m" * (MAX_FORM_LENGTH + 1), "at most 2,000 characters"),
        (f"(AND {'a ' * 201})", "at most 200 operators"),
        ("(JOIN a|b m.01)", "expected a relation"),
    ],
)
def test_what_is_no_form_is_refused(text: str, says: str) -> None:
    with pytest.raises(LogicalFormError, match=says):
        LogicalForm.parse(text)


def test_the_largest_forms_are_compared() -> None:
    """A chain of 96 relations, and 66 conditions of one thing."""
    chain = ["r"] * 96
    while len(chain) > 1:
        chain = [f"(JOIN {' '.join(pair)})" if len(pair) > 1 else pair[0] for pair in batched(chain)]
    for form in (f"(ARGMAX t {chain[0]})", f"(AND {' '.join(['(JOIN r m.01)'] * 66)})"):
        assert compare_forms(form, [form]).is_same_graph


def batched(parts: list[str]) -> list[list[str]]:
    return [parts[at : at + 2] for at in range(0, len(parts), 2)]


RELATIONS = ("t.a.r", "t.a.s", "t.b.q", "film.film.directed_by", "film.director.film")
LEAVES = st.one_of(st.sampled_from(("m.01", "m.02")), st.sampled_from(("t.a", "film.film", "t.sub")))


def forms(largest: int = 8) -> st.SearchStrategy[Any]:
    """Expressions as nested lists."""
    path = st.recursive(
        st.sampled_from(RELATIONS),
        lambda inner: st.one_of(st.tuples(st.just("R"), inner), st.tuples(st.just("JOIN"), inner, inner)),
        max_leaves=3,
    )
    return st.recursive(
        LEAVES,
        lambda inner: st.one_of(
            st.tuples(st.just("JOIN"), path, inner),
            st.tuples(st.just("AND"), inner, inner),
            st.tuples(st.sampled_from(("ARGMAX", "ARGMIN")), inner, path),
            st.tuples(st.just("COUNT"), inner),
            st.tuples(st.sampled_from(("lt", "ge")), path, st.sampled_from(("3^^x#integer", "4^^x#integer"))),
        ),
        max_leaves=largest,
    )


def written(expression: Any) -> str:
    return expression if isinstance(expression, str) else f"({' '.join(map(written, expression))})"


def commuted(expression: Any, chance: Callable[[], bool]) -> Any:
    """The same in another order: operands of ``AND`` change places, and a path is turned twice."""
    match expression:
        case ("AND", first, second):
            pair = [commuted(first, chance), commuted(second, chance)]
            return ("AND", *(reversed(pair) if chance() else pair))
        case ("R", path):
            return ("R", commuted(path, chance))
        case ("JOIN" | "lt" | "ge" as head, path, inner):
            turned = ("R", ("R", path)) if chance() else path
            return (head, turned, commuted(inner, chance))
        case tuple():
            return tuple(commuted(each, chance) for each in expression)
        case _:
            return expression


@settings(max_examples=300, derandomize=True, deadline=None)
@given(forms(), st.randoms(use_true_random=False))
def test_the_order_of_a_form_does_not_matter(expression: Any, chance: random.Random) -> None:
    other = commuted(expression, lambda: chance.random() < 0.5)
    found = compare_forms(written(expression), [written(other)])
    assert (found.is_same, found.is_same_graph) == (True, True)


class Tree:
    """A query graph as labels of nodes, the one that is asked for first, and edges: another reading than ours."""

    def __init__(self, expression: Any) -> None:
        self.nodes: list[set[str]] = [set()]
        self.edges: list[tuple[int, str, int]] = []
        self._say(0, expression)
        for start, relation, end in self.edges:
            self.nodes[start].discard(relation.rpartition(".")[0])
            if relation == "film.film.directed_by":
                self.nodes[end].discard("film.director")

    def _say(self, node: int, told: Any) -> None:
        match told:
            case str():
                self.nodes[node].add(told)
            case ("AND", first, second):
                self._say(node, first)
                self._say(node, second)
            case ("JOIN", path, inner):
                self._say(self._along(node, path), inner)
            case ("ARGMAX" | "ARGMIN" as head, inner, path):
                self._say(node, inner)
                self.nodes[self._along(node, path)].add(head)
            case ("COUNT", inner):
                self._say(node, inner)
                self.nodes[node].add("COUNT")
            case (sign, path, value):
                self.nodes[self._along(node, path)] |= {sign, value}

    def _along(self, start: int, path: Any, *, turned: bool = False) -> int:
        match path:
            case ("R", inner):
                return self._along(start, inner, turned=not turned)
            case ("JOIN", first, second):
                one, two = (second, first) if turned else (first, second)
                return self._along(self._along(start, one, turned=turned), two, turned=turned)
        if path == "film.director.film":
            # The same as the other, read from the other end.
            return self._along(start, "film.film.directed_by", turned=not turned)
        end = len(self.nodes)
        self.nodes.append(set())
        self.edges.append((end, path, start) if turned else (start, path, end))
        return end


def isomorphic(first: Tree, second: Tree, *, asked: bool) -> bool:
    """Whether some assignment of nodes keeps labels and edges, by trying all; ``asked``: the first to the first."""
    if len(first.nodes) != len(second.nodes):
        return False
    wanted = sorted(second.edges)

    def assign(images: list[int]) -> bool:
        node = len(images)
        if node == len(first.nodes):
            return sorted((images[start], name, images[end]) for start, name, end in first.edges) == wanted
        return any(
            second.nodes[image] == first.nodes[node] and image not in images and assign([*images, image])
            for image in ([0] if asked and node == 0 else range(len(second.nodes)))
        )

    return assign([])


@pytest.mark.slow
@settings(max_examples=1_000, derandomize=True, deadline=None)
@given(forms(4), forms(4), st.randoms(use_true_random=False))
def test_forms_are_compared_as_an_isomorphism_compares_them(first: Any, second: Any, chance: random.Random) -> None:
    if chance.random() < 0.5:
        # A random pair is seldom the same.
        second = commuted(first, lambda: chance.random() < 0.5)
    found = compare_forms(written(first), [written(second)])
    trees = Tree(first), Tree(second)
    assert found.is_same == isomorphic(*trees, asked=True)
    is_entity = any(label.startswith("m.") for each in trees for label in each.nodes[0])
    assert found.is_same_graph == isomorphic(*trees, asked=is_entity)


@pytest.mark.real_data
def test_grailqas_forms_are_read_and_equal_themselves_alone(real_data: Path) -> None:
    questions = [
        each
        for each in read_dataset(real_data / "grailqa" / "grailqa_sample_1000.json", "grailqa")
        if isinstance(each, BenchmarkQuestion)
    ]
    shown = [question.parses[0].logical_form for question in questions]
    raw = json.loads((real_data / "grailqa" / "grailqa_sample_1000.json").read_text(encoding="utf-8"))
    assert shown == [entry["s_expression"] for entry in raw]
    assert all(compare_forms(form, [form]).is_same for form in shown)
    assert not any(compare_forms(form, [other]).is_same for form, other in pairwise(shown) if form != other)
