"""Options as a trie: every prefix once, no option within another."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reasoning.scorers.causal.trie import TRIE_ROOT, OptionTrie

END = 0
OPTIONS = st.lists(st.lists(st.integers(1, 4), max_size=6), min_size=1, max_size=30)


@given(OPTIONS)
def test_every_option_is_the_path_to_its_leaf(options: list[list[int]]) -> None:
    trie = OptionTrie(options, END)
    for option, leaf in zip(options, trie.leaf.tolist(), strict=True):
        assert [int(trie.token[node]) for node in trie.path(leaf)] == [*option, END]
        assert trie.children[leaf] == 0


@given(OPTIONS)
def test_every_prefix_is_one_node(options: list[list[int]]) -> None:
    trie = OptionTrie(options, END)
    prefixes = {tuple([*option, END][:length]) for option in options for length in range(len(option) + 2)}
    assert len(trie) == len(prefixes)
    assert trie.inner == len({prefix for prefix in prefixes if END not in prefix})


@given(OPTIONS)
def test_parents_come_first_and_children_stand_together(options: list[list[int]]) -> None:
    trie = OptionTrie(options, END)
    for node in range(len(trie)):
        children = trie.children_of(np.array([node])).tolist()
        assert children == [child for child in range(1, len(trie)) if trie.parent[child] == node]
        assert all(child > node and trie.depth[child] == trie.depth[node] + 1 for child in children)
    assert np.array_equal(np.searchsorted(trie.depth, np.arange(len(trie.level))), trie.level)


def test_the_prefixes_of_some_options_are_marked() -> None:
    trie = OptionTrie([[1, 2], [1, 3], [4]], END)
    marked = trie.leading_to(trie.leaf[[1]])
    assert np.flatnonzero(marked).tolist() == [TRIE_ROOT, *trie.path(int(trie.leaf[1]))]


def test_a_prefix_of_an_option_can_be_an_option() -> None:
    trie = OptionTrie([[1], [1, 2]], END)
    assert trie.children[trie.parent[trie.leaf[0]]] == 2


def test_equal_options_share_a_leaf() -> None:
    trie = OptionTrie([[1], [2], [1]], END)
    assert trie.leaf[0] == trie.leaf[2] != trie.leaf[1]


def test_the_end_token_within_an_option_is_refused() -> None:
    with pytest.raises(ValueError, match="end token"):
        OptionTrie([[1, END, 2]], END)


def test_no_options_are_refused() -> None:
    with pytest.raises(ValueError, match="needs options"):
        OptionTrie([], END)
