"""The search finds what brute force finds, over tables of probabilities that need no model."""

from __future__ import annotations

import random

import numpy as np
import pytest

from reasoning.scorers.base import Cost
from reasoning.scorers.causal.reading import Pace
from reasoning.scorers.causal.search import Search
from reasoning.scorers.causal.trie import TRIE_ROOT, Floats, Ints, OptionTrie

END = 0
ONE_BY_ONE = Pace(ahead=1, least=1, most=1)
PACES = [ONE_BY_ONE, Pace(ahead=4, least=3, most=10), Pace(ahead=10_000, least=1, most=10_000)]


class Table:
    """A reading of made-up probabilities, which checks that it is asked as promised."""

    def __init__(self, trie: OptionTrie, seed: int, *, leak: float) -> None:
        rng = np.random.default_rng(seed)
        self.trie = trie
        self.steps = np.zeros(len(trie))
        for node in np.flatnonzero(trie.children):
            children = trie.children_of(np.array([node]))
            shares = rng.dirichlet(np.full(children.size + 1, 0.5))
            self.steps[children] = np.log((1 - leak) * shares[:-1] + 1e-9)
        self.read_nodes: set[int] = set()
        self.cost = Cost()

    def read(self, nodes: Ints) -> Floats:
        asked = nodes.tolist()
        assert asked
        assert asked == sorted(set(asked) - self.read_nodes)
        assert all(self.trie.children[node] for node in asked)
        assert self.read_nodes or asked[0] == TRIE_ROOT
        self.read_nodes |= set(asked)
        assert all(int(self.trie.parent[node]) in self.read_nodes for node in asked)
        self.cost += Cost(calls=1, tokens_in=len(asked))
        return self.steps[self.trie.children_of(nodes)]

    def keep(self, leaf: int) -> None:
        pass

    def log_probs(self) -> Floats:
        return np.array([sum(self.steps[node] for node in self.trie.path(int(leaf))) for leaf in self.trie.leaf])


def _tables(count: int) -> list[Table]:
    rng = random.Random(7)
    tables = []
    for seed in range(count):
        options = [[rng.randint(1, 5) for _ in range(rng.randint(1, 7))] for _ in range(rng.randint(1, 40))]
        tables.append(Table(OptionTrie(options, END), seed, leak=rng.choice([0.0, 0.5, 0.99])))
    return tables


@pytest.mark.parametrize("pace", PACES)
@pytest.mark.parametrize("count", [1, 3])
def test_the_best_are_those_of_brute_force(pace: Pace, count: int) -> None:
    for table in _tables(40):
        found = Search(table.trie, table, pace).best(count)
        everything = dict(zip(table.trie.leaf.tolist(), table.log_probs().tolist(), strict=True))
        assert [everything[leaf] for leaf in found.tolist()] == pytest.approx(
            sorted(everything.values(), reverse=True)[:count]
        )


def test_one_by_one_it_reads_no_more_than_any_exact_method_must() -> None:
    for table in _tables(40):
        search = Search(table.trie, table, ONE_BY_ONE)
        search.best()
        best = table.log_probs().max()
        prefixes = np.zeros(len(table.trie))
        for node in range(1, len(table.trie)):
            prefixes[node] = prefixes[table.trie.parent[node]] + table.steps[node]
        must = (prefixes > best + 1e-12) & (table.trie.children > 0)
        assert search.seen().nodes == must.sum()


@pytest.mark.parametrize("pace", PACES)
def test_what_is_unseen_is_bounded(pace: Pace) -> None:
    for table in _tables(40):
        search = Search(table.trie, table, pace)
        search.best()
        seen = search.seen()
        everything = table.log_probs()
        known = ~np.isneginf(seen.log_probs)
        assert seen.log_probs[known] == pytest.approx(everything[known])
        unseen_leaves = np.unique(table.trie.leaf[~known])
        mass = sum(np.exp(everything[table.trie.leaf.tolist().index(leaf)]) for leaf in unseen_leaves)
        assert mass <= np.exp(seen.log_unseen) + 1e-12


@pytest.mark.parametrize("pace", PACES)
def test_the_whole_distribution_is_seen_on_request(pace: Pace) -> None:
    for table in _tables(40):
        search = Search(table.trie, table, pace)
        search.until_unseen(0)
        seen = search.seen()
        assert seen.log_probs == pytest.approx(table.log_probs())
        assert seen.nodes == table.trie.inner
        assert np.isneginf(seen.log_unseen)


@pytest.mark.parametrize("share", [0.5, 0.01, 1e-5])
def test_it_reads_on_until_little_is_unseen(share: float) -> None:
    for table in _tables(40):
        search = Search(table.trie, table, PACES[1])
        search.until_unseen(share)
        seen = search.seen()
        everything = np.exp(table.log_probs())
        known = ~np.isneginf(seen.log_probs)
        assert everything[~known].sum() <= (share + 1e-12) * everything[known].sum() * table.trie.leaf.size
        assert np.exp(seen.log_unseen) <= share * everything[known].sum() + 1e-12


def test_only_the_wanted_options_are_looked_for() -> None:
    for table in _tables(40):
        among = np.arange(0, table.trie.leaf.size, 2)
        search = Search(table.trie, table, PACES[1], among=among)
        best = int(search.best()[0])
        assert table.log_probs()[table.trie.leaf == best].max() == pytest.approx(table.log_probs()[among].max())
        wanted = table.trie.leading_to(table.trie.leaf[among])
        assert all(wanted[node] for node in table.read_nodes)


def test_a_sure_model_is_read_in_few_calls() -> None:
    options = [[a, b, c, d] for a in range(1, 8) for b in range(1, 8) for c in range(1, 4) for d in range(1, 3)]
    trie = OptionTrie(options, END)
    table = Table(trie, 0, leak=0.0)
    table.steps[1:] = np.log(1e-3)
    for node in trie.path(int(trie.leaf[123])):
        table.steps[node] = np.log(0.98)
    search = Search(trie, table, Pace(ahead=8, least=16, most=64))
    assert search.best().tolist() == [int(trie.leaf[123])]
    assert table.cost.calls <= 3
    assert search.seen().nodes < trie.inner / 5


@pytest.mark.parametrize(("width", "second"), [(4, 10), (10, 50)])
def test_more_is_read_at_a_time_in_a_large_trie(width: int, second: int) -> None:
    options = [[a, b, c] for a in range(1, 12) for b in range(1, 12) for c in range(1, width)]
    trie = OptionTrie(options, END)
    table = Table(trie, 0, leak=0.0)
    search = Search(trie, table, Pace(ahead=1, least=10, most=10, least_of_many=50))
    search.until_unseen(0)
    assert search.seen().nodes == trie.inner
    assert table.cost.calls == pytest.approx(trie.inner / second, rel=0.1)


def test_probabilities_too_small_for_floats_do_not_matter() -> None:
    trie = OptionTrie([[1, 2, 3], [1, 2, 4], [5, 6, 7]], END)
    table = Table(trie, 0, leak=0.0)
    table.steps[1:] = -500.0 - np.arange(len(trie) - 1)
    search = Search(trie, table, ONE_BY_ONE)
    assert search.best().tolist() == [int(trie.leaf[np.argmax(table.log_probs())])]
    search.until_unseen(1e-5)
    assert search.seen().log_probs.max() == pytest.approx(table.log_probs().max())
