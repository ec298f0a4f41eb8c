"""The language-model scorer: prompts that only grow, exact choices, and None, which does not win for being short."""

from __future__ import annotations

import random
import sys
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import peft
import pytest
import torch

from kgstore.terms import Entity, Relation, TermKind
from reasoning.core.derivation import SearchStep
from reasoning.core.errors import ScorerUnavailableError
from reasoning.core.options import DecisionState, NoneOption, OptionPool, Stage, StepOption
from reasoning.core.structure import AbstractStructure
from reasoning.engine.engine import answer
from reasoning.scorers.base import Cost
from reasoning.scorers.causal.reading import Pace
from reasoning.scorers.causal.scorer import CausalLMScorer, Choice, DecisionTexts
from reasoning.scorers.causal.transcript import option_text, prompt_parts
from reasoning.scorers.causal.transformers_reader import TransformersReader, peft_of_today
from reasoning.scorers.registry import open_scorer
from tests.reasoning.language_models import (
    brute_force,
    decided_model,
    relations,
    save_model,
    small_model,
    small_tokenizer,
)

if TYPE_CHECKING:
    from pathlib import Path

    from kgstore.store import GraphStore
    from reasoning.scorers.base import Distribution

pytestmark = pytest.mark.slow

EXACT = 1e-4


def _pool(rng: random.Random, size: int) -> OptionPool:
    chosen = rng.sample(relations(), size - 1)
    steps = [StepOption(SearchStep(0, Relation.parse(name)), 1, 1, TermKind.ENTITY) for name in chosen]
    return OptionPool((*steps, NoneOption()))


def _prompt(question: str) -> DecisionState:
    return DecisionState(Stage.SEARCH, question, AbstractStructure.rooted("Queen"), None)


def _cases(count: int, size: int) -> list[tuple[DecisionState, OptionPool]]:
    rng = random.Random(size)
    return [(_prompt(f"question {' '.join(rng.sample(relations(), 2))}?"), _pool(rng, size)) for _ in range(count)]


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def reader() -> TransformersReader:
    return TransformersReader(decided_model(), small_tokenizer())


@pytest.fixture
def scorer(reader: TransformersReader) -> CausalLMScorer:
    reader.forget()
    return CausalLMScorer(reader, name="small")


def _everything(reader: TransformersReader, state: DecisionState, pool: OptionPool) -> np.ndarray:
    tokens = [token for part in reader.tokens(prompt_parts(state)) for token in part]
    return brute_force(reader.model, tokens, reader.tokens([option_text(option, state) for option in pool.options]))


def _shares(weights: np.ndarray, none_log_odds: float | None) -> np.ndarray:
    """The distribution as it is defined, from full passes; None is the last option."""
    assert none_log_odds is not None
    weighed = np.append(weights[:-1], weights[:-1].max() + none_log_odds)
    return np.exp(weighed - np.logaddexp.reduce(weighed))


def test_options_share_what_the_model_gives_them(scorer: CausalLMScorer, reader: TransformersReader) -> None:
    for prompt, pool in _cases(4, 20):
        probabilities = scorer.score(prompt, pool).probabilities
        shares = np.array([probabilities[index] for index in range(len(pool) - 1)])
        weights = np.exp(_everything(reader, prompt, pool)[:-1])
        assert shares / shares.sum() == pytest.approx(weights / weights.sum(), abs=EXACT)


def _decided(scorer: CausalLMScorer, state: DecisionState, pool: OptionPool, count: int = 1) -> Choice:
    return scorer.choose_worded(DecisionTexts.of(state, pool), count)


def test_a_choice_is_certain_and_bounds_what_it_did_not_read(
    scorer: CausalLMScorer, reader: TransformersReader
) -> None:
    for prompt, pool in _cases(20, 15):
        whole = scorer.score(prompt, pool).probabilities
        choice = _decided(scorer, prompt, pool, 3)
        assert choice.best == tuple(sorted(whole, key=lambda index: (-whole[index], index))[:3])
        everything = _everything(reader, prompt, pool)[:-1]
        seen = ~np.isneginf(choice.log_weights[:-1])
        assert choice.log_weights[:-1][seen] == pytest.approx(everything[seen], abs=EXACT, rel=1e-5)
        assert np.logaddexp.reduce(everything[~seen], initial=-np.inf) <= choice.log_unseen + EXACT
        assert everything[~seen].max(initial=-np.inf) <= choice.log_next + EXACT


@pytest.mark.parametrize("best", [1, 3])
def test_what_is_said_of_a_part_is_true_of_the_whole(reader: TransformersReader, best: int) -> None:
    """Compared with every option's own full pass: the shares' bounds, their ratios, their order, and the rest."""
    cases = [*_cases(15, 10), *_cases(1, 60)]
    texts_thrice = [(prompt, OptionPool((*pool.options[:-1] * 3, NoneOption()))) for prompt, pool in _cases(3, 12)]
    unread = 0
    for prompt, pool in [*cases, *texts_thrice]:
        weights = _everything(reader, prompt, pool)
        for bias in (-2.0, 0.0, 2.0):
            scorer = CausalLMScorer(reader, name="small", none_bias=bias)
            truth = _shares(weights, _decided(scorer, prompt, pool).none_log_odds)
            part = scorer.score(prompt, pool, best=best)
            shown = part.probabilities
            certain = sorted(shown, key=lambda index: -shown[index])[:best]
            assert truth[certain] == pytest.approx(np.sort(truth)[::-1][:best], rel=1e-3)
            for index, least in shown.items():
                assert least - EXACT <= truth[index] <= least / (1 - part.rest) + EXACT
                assert least / shown[part.best] == pytest.approx(truth[index] / truth[part.best], abs=EXACT)
            others = [share for index, share in enumerate(truth) if index not in shown]
            assert sum(shown.values()) + part.rest == pytest.approx(1)
            assert sum(others) <= part.rest + EXACT
            assert max(others, default=0.0) <= part.next + EXACT
            unread += bool(others)
    assert unread > 0


def test_a_choice_reads_less_than_the_whole(scorer: CausalLMScorer, reader: TransformersReader) -> None:
    for prompt, pool in _cases(3, 200):
        reader.forget()
        part = scorer.score(prompt, pool, best=1)
        reader.forget()
        whole = scorer.score(prompt, pool)
        assert part.best == whole.best
        assert (part.cost.calls, part.cost.tokens_in) < (whole.cost.calls, whole.cost.tokens_in)
        assert len(part.probabilities) < len(pool)


def test_none_does_not_win_for_being_short() -> None:
    reader = TransformersReader(small_model(), small_tokenizer())
    scorer = CausalLMScorer(reader, name="knows nothing")
    cases = _cases(20, 12)
    shortest = [int(np.argmax(_everything(reader, *case))) == len(case[1]) - 1 for case in cases]
    assert all(shortest)  # by its raw probability it would always win
    for prompt, pool in cases:
        odds = _decided(scorer, prompt, pool).none_log_odds
        assert odds is not None
        assert abs(odds) < 1  # a model that knows nothing is undecided whether to stop
        probabilities = scorer.score(prompt, pool).probabilities
        others = max(probabilities[index] for index in range(len(pool) - 1))
        assert probabilities[len(pool) - 1] / others == pytest.approx(np.exp(odds), rel=1e-3)


@pytest.mark.parametrize("pace", [Pace(ahead=1, least=1, most=1), Pace(ahead=1, least=8, most=64)])
def test_none_weighs_the_same_where_the_prompt_is_read_first(scorer: CausalLMScorer, pace: Pace) -> None:
    """None and the others begin with the same token, so that one node is not enough to weigh it."""
    step_by_step = CausalLMScorer(TransformersReader(decided_model(), small_tokenizer(), pace=pace), name="small")
    for prompt, pool in _cases(5, 12):
        choice, expected = _decided(step_by_step, prompt, pool), _decided(scorer, prompt, pool)
        assert choice.none_log_odds == pytest.approx(expected.none_log_odds, abs=EXACT)
        assert choice.best == expected.best
        assert step_by_step.score(prompt, pool).probabilities == pytest.approx(
            scorer.score(prompt, pool).probabilities, abs=EXACT
        )


@pytest.mark.parametrize(("bias", "stops"), [(20.0, True), (-20.0, False)])
def test_a_learnt_bias_weighs_none(reader: TransformersReader, bias: float, stops: bool) -> None:
    scorer = CausalLMScorer(reader, name="biased", none_bias=bias)
    for prompt, pool in _cases(3, 12):
        assert (scorer.score(prompt, pool).best == len(pool) - 1) is stops
        assert (scorer.score(prompt, pool, best=1).best == len(pool) - 1) is stops


def test_options_of_one_text_are_equals(scorer: CausalLMScorer) -> None:
    prompt, pool = _cases(1, 6)[0]
    twice = OptionPool((*pool.options[:-1], *pool.options))
    distribution = scorer.score(prompt, twice)
    assert all(distribution.probabilities[index] == distribution.probabilities[index + 5] for index in range(5))
    assert scorer.score(prompt, twice, best=1).best == distribution.best


def test_asked_again_it_costs_nothing(scorer: CausalLMScorer) -> None:
    prompt, pool = _cases(1, 10)[0]
    first, again = scorer.score(prompt, pool), scorer.score(prompt, pool)
    assert first.cost.calls > 0
    assert first.cost.tokens_in >= len(scorer.score(prompt, pool).probabilities)
    assert again == replace(first, cost=Cost())


def test_the_prompts_of_a_question_only_grow(toy: GraphStore, scorer: CausalLMScorer) -> None:
    asked = _Listening(scorer)
    list(answer("who plays the voice of KITT in Knight Rider?", toy, asked))
    assert {prompt.stage for prompt, _, _ in asked.heard} >= {Stage.SEARCH, Stage.INFER}
    for (before, pool, chosen), (after, _, _) in pairwise(asked.heard):
        read = [*prompt_parts(before)]
        option = pool.options[chosen]
        if before.stage is after.stage:
            read.append(option_text(option, before))
        elif isinstance(option, NoneOption):
            read = read[:-1]  # the next stage begins in place of the cue
        assert prompt_parts(after)[: len(read)] == read


def test_a_question_reads_its_prompt_once(toy: GraphStore, reader: TransformersReader) -> None:
    reader.forget()
    counting = _Counting(reader)
    asked = _Listening(CausalLMScorer(counting, name="small"))
    list(answer("who plays the voice of KITT in Knight Rider?", toy, asked))
    decisions = [prompt for prompt, pool, _ in asked.heard if len(pool) > 1]
    distinct = max(sum(map(len, reader.tokens(prompt_parts(prompt)))) for prompt in decisions)
    assert len(decisions) >= 2
    assert sum(reading.prompt_tokens for reading in counting.readings) / distinct <= 1.1


def test_a_card_names_it_and_gives_the_bias(tmp_path: Path) -> None:
    folder = save_model(tmp_path / "mine", decided_model())
    assert open_scorer("causal", folder).name == "mine"
    (folder / "card.json").write_text('{"kind": "causal", "name": "Mine, taught", "none_bias": 50.0}', encoding="utf-8")
    taught = open_scorer("mine", trained=tmp_path)
    assert taught.name == "Mine, taught"
    prompt, pool = _cases(1, 5)[0]
    assert taught.score(prompt, pool).best == len(pool) - 1


def test_without_a_model_it_says_what_to_do() -> None:
    with pytest.raises(ScorerUnavailableError, match="DISCERN_SCORER_WEIGHTS"):
        open_scorer("causal")


def test_an_adapter_without_peft_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "peft", None)  # as if it were not installed
    save_model(tmp_path, small_model())
    (tmp_path / "adapter_config.json").write_text('{"base_model_name_or_path": "x"}', encoding="utf-8")
    with pytest.raises(ScorerUnavailableError, match="install the extra “finetune”"):
        open_scorer("causal", tmp_path)


def test_an_adapter_is_merged_into_its_model(tmp_path: Path) -> None:
    base = save_model(tmp_path / "base", decided_model())
    torch.manual_seed(2)
    with peft_of_today():
        adapted = peft.get_peft_model(
            decided_model(), peft.LoraConfig(r=4, target_modules=["q_proj", "v_proj"], init_lora_weights=False)
        )
    adapted.peft_config["default"].base_model_name_or_path = str(base)
    adapted.save_pretrained(tmp_path / "adapter")
    small_tokenizer().save_pretrained(tmp_path / "adapter")
    reader = TransformersReader.open(tmp_path / "adapter", device="cpu")
    prompt, pool = _cases(1, 8)[0]
    tokens = [token for part in reader.tokens(prompt_parts(prompt)) for token in part]
    options = reader.tokens([option_text(option, prompt) for option in pool.options])
    assert brute_force(reader.model, tokens, options) == pytest.approx(brute_force(adapted, tokens, options), abs=1e-3)
    assert brute_force(reader.model, tokens, options) != pytest.approx(
        brute_force(decided_model(), tokens, options), abs=1e-1
    )


class _Listening:
    """A scorer that notes what it is asked; it never stops searching before the second step."""

    def __init__(self, scorer: CausalLMScorer) -> None:
        self.name = "listening"
        self._scorer = scorer
        self.heard: list[tuple[DecisionState, OptionPool, int]] = []

    def score(self, state: DecisionState, pool: OptionPool, *, best: int | None = None) -> Distribution:
        distribution = self._scorer.score(state, pool, best=best)
        self.heard.append((state, pool, distribution.best))
        return distribution


class _Counting:
    """A reader that keeps its readings."""

    def __init__(self, reader: TransformersReader) -> None:
        self.end, self.pace, self.tokens = reader.end, reader.pace, reader.tokens
        self.side_by_side = reader.side_by_side
        self._reader = reader
        self.readings: list = []

    def begin(self, prompt: list[int], trie: object) -> object:
        self.readings.append(self._reader.begin(prompt, trie))
        return self.readings[-1]


def test_entities_of_the_topic_are_named_as_they_were_chosen() -> None:
    topic = DecisionState(Stage.SEARCH, "q", AbstractStructure.rooted("Queen"), None, types={Entity("x"): ("a.b",)})
    assert prompt_parts(topic)[2:4] == ["Topic:", " Queen"]
