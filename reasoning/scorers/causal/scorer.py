"""The scorer that reads P(option given S_k, Q) off a causal language model, exactly.

**None.** An option's probability is that of all its tokens, so that a short one has an edge: with every token, some
probability leaks to texts that are no option. Among relations this evens out; `None`, a single word, would win whenever
the model is unsure. So whether to stop is asked where it is decided: at the place where the text of None parts from all
others, how probable its next token is against theirs. These odds weigh None against the best of the other options.
None is chosen where stopping is likelier than going on, however many ways of going on share the rest, and never for
being short. A bias that was learnt on validation pools may be added to the log-odds.

**Probabilities.** READS (arXiv 2412.12643) lets the model choose by P(option given S_k, Q) from its output logits under
constrained decoding. Here an option weighs exp of the sum of its tokens' raw log-probabilities, None as said above, and
its probability is its weight ÷ that of the whole pool. A choice leaves most options unread. No completion is more
probable than its prefix: so the unread options weigh at most what the prefixes weigh at which reading stopped, and that
is counted in the weight of the pool.
"""

from __future__ import annotations

import threading
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from reasoning.core.errors import ScorerUnavailableError
from reasoning.core.options import NoneOption
from reasoning.scorers.base import Cost, Distribution
from reasoning.scorers.cards import CARD_FILE, read_card
from reasoning.scorers.causal.search import Search
from reasoning.scorers.causal.transcript import option_text, plan_parts, plan_text, prompt_parts
from reasoning.scorers.causal.trie import OptionTrie
from reasoning.scorers.decision_cache import RecentDecisions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from kgstore.terms import Relation
    from reasoning.core.options import DecisionState, OptionPool
    from reasoning.scorers.causal.reading import NextTokenModel, Reading
    from reasoning.scorers.causal.trie import Floats, Ints

UNSEEN_SHARE = 5e-5
"""Of a distribution, what may stay unread: options that together are less probable than this."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The most probable options of a pool, found without reading more than it takes to be sure of them."""

    best: tuple[int, ...]
    """Indices in the pool, the best first; of equals the first."""
    log_weights: Floats
    """(options,) Raw log P(option given S_k, Q), a sum over its tokens; of None, by its odds against the best other.

    -inf where an option was not read to its end.
    """
    log_unseen: float
    """At most so probable, as a logarithm, are the options together that were not read; -inf where all were."""
    log_next: float
    """At most so probable, as a logarithm, is any one of them."""
    none_log_odds: float | None
    """The log-odds of None against the best other option; None where the pool does not hold both."""
    nodes: int
    """How many prefixes were read."""
    cost: Cost


class CausalLMScorer:
    """P(option given S_k, Q) from a causal language model. Safe to share between threads.

    They take turns at a model that does not read side by side.
    The log-probabilities are those of the model's own full passes, to rounding; a whole distribution leaves unread what
    is less probable than `UNSEEN_SHARE` together.
    """

    def __init__(self, model: NextTokenModel, *, name: str, none_bias: float = 0.0, reads_paths: bool = True) -> None:
        """Choose with ``model``. ``none_bias`` is added to the log-odds of None; ``reads_paths``: see `PathScorer`."""
        self._model = model
        self._name = name
        self._none_bias = none_bias
        self._reads_paths = reads_paths
        self._recent = RecentDecisions()
        self._turn: AbstractContextManager[object] = nullcontext() if model.side_by_side else threading.Lock()

    @classmethod
    def open(cls, source: Path) -> Self:
        """Load a folder: a model of transformers or a LoRA adapter, with or without a card.

        Raises:
            ScorerUnavailableError: it cannot be loaded; the message says why.

        """
        try:
            from reasoning.scorers.causal.transformers_reader import TransformersReader  # noqa: PLC0415 - a second's work
        except ImportError as error:
            raise ScorerUnavailableError(
                f"Language models need torch and transformers ({error}); install the extra “models”."
            ) from error
        card = read_card(source) if (source / CARD_FILE).exists() else {}
        reader = TransformersReader.open(source)
        return cls(
            reader,
            name=str(card.get("name", source.name)),
            none_bias=float(card.get("none_bias", 0.0)),
            reads_paths=taught_paths(card),
        )

    @property
    def name(self) -> str:
        """How users see which model decided."""
        return self._name

    @property
    def reads_paths(self) -> bool:
        """Whether whole relation paths are among what it was taught, or nothing was taught here."""
        return self._reads_paths

    def score(self, state: DecisionState, pool: OptionPool, *, best: int | None = None) -> Distribution:
        """The distribution over ``pool``: all of it, or no more than it takes to be certain of the ``best`` n.

        Those are listed, and whatever else was read by then. What was asked lately is answered again without any cost.
        """
        size = len(pool)
        if size <= 1:
            return Distribution(dict.fromkeys(range(size), 1.0), 0.0, Cost())
        return self._scored(DecisionTexts.of(state, pool), best)

    def score_paths(
        self, state: DecisionState, paths: Sequence[tuple[Relation, ...]], *, best: int | None = None
    ) -> Distribution:
        """The distribution over relation paths, each a text that is read as a whole; see `score`.

        A path has the raw probability of its tokens and the end token. Paths are one trie, so what they begin with is
        read once. None is not among them: a planner always plans (RoG, arXiv 2310.01061, section 3.1).
        """
        if len(paths) <= 1:
            return Distribution(dict.fromkeys(range(len(paths)), 1.0), 0.0, Cost())
        return self._scored(DecisionTexts(tuple(plan_parts(state)), tuple(map(plan_text, paths)), None), best)

    def _scored(self, texts: DecisionTexts, best: int | None) -> Distribution:
        key = texts, best
        with self._turn:
            known = self._recent.get(key)
            if known is not None:
                return known
            choice = self._read(texts, best)
        decision = _whole(choice) if best is None else _read_part(choice)
        self._recent.keep(key, decision)
        return decision

    def choose_worded(self, texts: DecisionTexts, count: int = 1) -> Choice:
        """The certain ``count`` most probable options of a decision in words, with all that was read on the way.

        Raises:
            ValueError: there are no options.
            ScorerUnavailableError: the model cannot be reached.

        """
        if not texts.options:
            raise ValueError("there is nothing to choose from")
        with self._turn:
            return self._read(texts, count)

    def _read(self, texts: DecisionTexts, count: int | None) -> Choice:
        """Be certain of the ``count`` best, or read nearly everything."""
        asked = _Asked(self._model, texts, self._none_bias)
        choice = asked.choice(count)
        asked.reading.keep(int(asked.trie.leaf[choice.best[0]]))
        return choice


def taught_paths(card: Mapping[str, Any]) -> bool:
    """Whether a model reads whole relation paths, by its card: one that was taught here only where they were taught."""
    return bool(card.get("reads_paths", "trained" not in card))


def _whole(choice: Choice) -> Distribution:
    """Of all options. What was not read gets, each its part, what it has at most: less than anyone is shown."""
    shares, rest = _shares(choice)
    unread = np.isneginf(choice.log_weights)
    shares[unread] = rest / max(1, unread.sum())
    return Distribution(dict(enumerate(shares.tolist())), 0.0, choice.cost)


def _read_part(choice: Choice) -> Distribution:
    """Of the options that were read."""
    shares, rest = _shares(choice)
    read = np.flatnonzero(~np.isneginf(choice.log_weights))
    listed = dict(zip(read.tolist(), shares[read].tolist(), strict=True))
    likeliest = np.exp(choice.log_next - np.logaddexp(np.logaddexp.reduce(choice.log_weights), choice.log_next))
    return Distribution(listed, rest, choice.cost, min(float(likeliest), rest))


def _shares(choice: Choice) -> tuple[Floats, float]:
    """(options,) What each has of the pool; and what those that were not read have together, at most."""
    total = np.logaddexp(np.logaddexp.reduce(choice.log_weights), choice.log_unseen)
    shares: Floats = np.exp(choice.log_weights - total)
    return shares, float(np.exp(choice.log_unseen - total))


@dataclass(frozen=True, slots=True)
class DecisionTexts:
    """A decision in words, as `transcript` writes them."""

    prompt: tuple[str, ...]
    """In parts, each to be tokenised by itself."""
    options: tuple[str, ...]
    none: int | None
    """Which option is None."""

    @classmethod
    def of(cls, state: DecisionState, pool: OptionPool) -> DecisionTexts:
        """What a prompt and a pool read like."""
        none = next((index for index, option in enumerate(pool.options) if isinstance(option, NoneOption)), None)
        options = tuple(option_text(option, state) for option in pool.options)
        return cls(tuple(prompt_parts(state)), options, none)


class _Asked:
    """A decision under way: None is weighed apart, the other options are searched."""

    def __init__(self, model: NextTokenModel, texts: DecisionTexts, none_bias: float) -> None:
        self.trie = OptionTrie(model.tokens(texts.options), model.end)
        prompt = [token for part in model.tokens(texts.prompt) for token in part]
        self.reading: Reading = model.begin(prompt, self.trie)
        everything = np.arange(len(texts.options))
        self._none = texts.none
        self._others: Ints = everything if texts.none is None else np.delete(everything, texts.none)
        among = self._others if self._others.size else everything
        self.search = Search(self.trie, self.reading, model.pace, among=among)
        self.none_log_odds = self._weigh_none(none_bias)

    def choice(self, count: int | None) -> Choice:
        """The ``count`` best, certainly; or everything but a trifle."""
        if count is None:
            self.search.best()
            self.search.until_unseen(UNSEEN_SHARE)
        else:
            self._be_certain_of(count)
        seen = self.search.seen()
        weights, unseen = seen.log_probs, seen.log_unseen
        unread = self.trie.leaf[self._others][np.isneginf(weights[self._others])]
        if unread.size:
            unseen += float(np.log(np.bincount(unread).max()))  # options of one text have what it has, each of them
        if self.none_log_odds is not None:
            weights[self._none] = weights[self._others].max() + self.none_log_odds
        order = np.argsort(-weights, kind="stable")
        return Choice(
            tuple(order[:count].tolist()),
            weights,
            unseen,
            seen.log_next,
            self.none_log_odds,
            seen.nodes,
            self.reading.cost,
        )

    def _be_certain_of(self, count: int) -> None:
        if self.none_log_odds is None:
            self.search.best(count)
            return
        # With None among the best, one other less is to be found; but None is weighed by the best of them.
        found = self.search.best(max(1, count - 1))
        if count == 1:
            return
        others = np.sort(self.search.seen().log_probs[self._others])[::-1]
        if others[0] + self.none_log_odds < others[min(found.size, others.size) - 1]:
            self.search.best(count)

    def _weigh_none(self, bias: float) -> float | None:
        """The log-odds of None where its text parts from the others'; None where there is nothing to weigh."""
        if self._none is None or not self._others.size:
            return None
        shared = self.trie.leading_to(self.trie.leaf[self._others])
        path = [0, *self.trie.path(int(self.trie.leaf[self._none]))]
        parting = next((place for place, node in enumerate(path) if not shared[node]), None)
        if parting is None:
            return bias  # another option reads “None” too: they are equals
        self.search.read_at_first(np.array(path[:parting]))
        children = self.trie.children_of(np.array(path[parting - 1 : parting]))
        steps = self.search.step(children)
        others = np.logaddexp.reduce(steps[shared[children]])
        return float(steps[children == path[parting]][0] - others) + bias
