"""What every scorer promises (`reasoning.scorers.base`), for each one in the registry."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from kgstore.terms import Date, Entity, Number, Relation, TermKind
from reasoning.core.derivation import Constraint, Operator, SearchStep
from reasoning.core.errors import ScorerUnavailableError
from reasoning.core.options import (
    AnswerOption,
    ConstraintOption,
    DecisionState,
    Mention,
    NoneOption,
    OptionPool,
    Stage,
    StepOption,
    TopicOption,
)
from reasoning.core.structure import AbstractStructure
from reasoning.scorers.base import Comparing, PathScorer
from reasoning.scorers.causal.vllm_scorer import VllmScorer
from reasoning.scorers.chat.scorer import ChatScorer
from reasoning.scorers.registry import KINDS, Weights, open_scorer
from reasoning.scorers.server import ModelServer
from tests.reasoning.chat_server import chat_server, first_longest
from tests.reasoning.language_models import decided_model, save_model

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from reasoning.core.options import Option
    from reasoning.scorers.base import Scorer

EXACT = 1e-4

QUESTION = "which albums did Queen release after 1980?"
QUEEN = Mention(17, 22, Entity("en.queen_band"))
ALBUM = Mention(17, 22, Entity("en.queen_album"))
YEAR = Mention(37, 41, Date("1980"))
YEAR_AS_NUMBER = Mention(37, 41, Number(1980))
TARGETS = (YEAR, YEAR_AS_NUMBER)
TYPES = {QUEEN.term: ("music.musical_group",), ALBUM.term: ("music.album",)}
GROWN = (
    AbstractStructure.rooted("Queen")
    .grow(0, Relation.parse("music.artist.album"), TermKind.ENTITY)
    .grow(1, Relation.parse("music.album.release_date"), TermKind.DATE)
)

PATHS = tuple(
    tuple(map(Relation.parse, path.split()))
    for path in (
        "music.artist.album",
        "music.artist.album music.album.release_date",
        "music.artist.album ^music.artist.album",
        "^film.film.music",
        "music.artist.genre ^music.artist.genre music.artist.album",
    )
)


def _step(position: int, relation: str, kind: TermKind = TermKind.ENTITY, facts: int = 1) -> StepOption:
    return StepOption(SearchStep(position, Relation.parse(relation)), 1, facts, kind)


CASES: Mapping[str, tuple[DecisionState, OptionPool]] = {
    "link": (
        DecisionState(Stage.LINK, QUESTION, AbstractStructure(()), None, (QUEEN, ALBUM, *TARGETS), types=TYPES),
        OptionPool(
            (TopicOption(QUEEN, ("music.musical_group",), 120), TopicOption(ALBUM, ("music.album",), 9)),
        ),
    ),
    "search": (
        DecisionState(Stage.SEARCH, QUESTION, AbstractStructure.rooted("Queen"), QUEEN, TARGETS, types=TYPES),
        OptionPool(
            (
                _step(0, "music.artist.album", facts=15),
                _step(0, "music.artist.genre", facts=4),
                _step(0, "music.artist.active_start", TermKind.DATE),
                _step(0, "music.musical_group.member", TermKind.MEDIATOR, 4),
                _step(0, "^film.film.music", facts=2),
                NoneOption(),
            )
        ),
    ),
    "prune": (
        DecisionState(Stage.PRUNE, QUESTION, GROWN, QUEEN, TARGETS, types=TYPES),
        OptionPool(
            (
                *(ConstraintOption(Constraint(2, o, None if o.is_extremal else YEAR.term)) for o in Operator),
                NoneOption(),
            )
        ),
    ),
    "infer": (
        DecisionState(Stage.INFER, QUESTION, GROWN, QUEEN, TARGETS, types=TYPES),
        OptionPool((AnswerOption(1), AnswerOption(2))),
    ),
    "topic not named": (
        DecisionState(Stage.SEARCH, "who?", AbstractStructure.rooted("Queen"), None),
        OptionPool((_step(0, "music.artist.album"), NoneOption())),
    ),
}


@pytest.fixture(scope="module")
def language_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_model(tmp_path_factory.mktemp("language_model"), decided_model())


@pytest.fixture(scope="module", params=sorted(KINDS))
def opened(request: pytest.FixtureRequest, language_model: Path) -> Iterator[Callable[[], Scorer]]:
    weights = language_model if KINDS[request.param].weights is Weights.REQUIRED else None
    with ExitStack() as servers:
        server = None
        if request.param == "vllm":
            server = ModelServer((request.getfixturevalue("vllm").url,))
        elif request.param == "chat":
            server = ModelServer((servers.enter_context(chat_server(first_longest)).url,))
        scorers: list[Scorer] = []

        def opens() -> Scorer:
            scorers.append(open_scorer(request.param, weights, server=server))
            return scorers[-1]

        yield opens
        for scorer in scorers:
            if isinstance(scorer, VllmScorer | ChatScorer):
                scorer.close()


@pytest.fixture(scope="module")
def scorer(opened: Callable[[], Scorer]) -> Scorer:
    return opened()


@pytest.mark.parametrize("case", CASES)
def test_the_distribution_covers_every_option_and_sums_to_one(scorer: Scorer, case: str) -> None:
    prompt, pool = CASES[case]
    distribution = scorer.score(prompt, pool)
    assert sorted(distribution.probabilities) == list(range(len(pool)))
    assert all(p >= 0 for p in distribution.probabilities.values())
    assert sum(distribution.probabilities.values()) == pytest.approx(1, abs=EXACT)
    assert distribution.rest == 0


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("best", [1, 2, 3, 100])
def test_the_best_are_those_of_the_whole_distribution(scorer: Scorer, case: str, best: int) -> None:
    prompt, pool = CASES[case]
    whole = scorer.score(prompt, pool).probabilities
    part = scorer.score(prompt, pool, best=best)
    ranked = sorted(whole, key=lambda index: (-whole[index], index))
    shown = part.probabilities
    certain = sorted(shown, key=lambda index: -shown[index])[:best]
    assert [whole[index] for index in certain] == pytest.approx([whole[index] for index in ranked[:best]], abs=EXACT)
    assert part.best == ranked[0]
    for index, least in shown.items():
        assert least - EXACT <= whole[index] <= least / (1 - part.rest) + EXACT
    others = [whole[index] for index in ranked if index not in shown]
    assert sum(shown.values()) + part.rest == pytest.approx(1)
    assert sum(others) <= part.rest + EXACT
    assert max(others, default=0.0) <= part.next + EXACT


@pytest.mark.parametrize("case", CASES)
def test_asked_again_it_says_the_same(scorer: Scorer, case: str) -> None:
    prompt, pool = CASES[case]
    assert scorer.score(prompt, pool).probabilities == scorer.score(prompt, pool).probabilities


@pytest.mark.parametrize("case", CASES)
def test_the_order_of_the_pool_does_not_matter(scorer: Scorer, case: str) -> None:
    prompt, pool = CASES[case]
    straight = _by_option(pool, scorer, prompt)
    for seed in range(3):
        options = list(pool.options)
        random.Random(seed).shuffle(options)
        shuffled = _by_option(OptionPool(tuple(options)), scorer, prompt)
        assert shuffled == pytest.approx(straight, abs=EXACT)


@pytest.mark.slow
def test_what_it_was_asked_before_does_not_matter(scorer: Scorer, opened: Callable[[], Scorer]) -> None:
    fresh = opened()
    for prompt, pool in CASES.values():
        one_by_one = OptionPool(pool.options[:2])
        fresh.score(prompt, one_by_one)
        assert fresh.score(prompt, pool).probabilities == pytest.approx(
            scorer.score(prompt, pool).probabilities, abs=EXACT
        )


@pytest.mark.parametrize("case", CASES)
def test_odds_depend_on_what_else_is_offered_only_where_a_scorer_says_so(scorer: Scorer, case: str) -> None:
    if isinstance(scorer, Comparing) and scorer.compares:
        pytest.skip("it says so")
    prompt, pool = CASES[case]
    whole = scorer.score(prompt, pool).probabilities
    if sum(share > 0 for share in whole.values()) == 1:
        pytest.skip("it names one option, so there are no odds")
    part = scorer.score(prompt, OptionPool(pool.options[:3])).probabilities
    among = sum(whole[index] for index in part)
    assert part == pytest.approx({index: whole[index] / among for index in part}, abs=EXACT / among)


def test_whole_paths_are_a_distribution_whose_best_are_certain(scorer: Scorer) -> None:
    if not isinstance(scorer, PathScorer):
        pytest.skip("it chooses relation by relation alone")
    assert scorer.reads_paths
    state, _ = CASES["search"]
    whole = scorer.score_paths(state, PATHS).probabilities
    assert sorted(whole) == list(range(len(PATHS)))
    assert sum(whole.values()) == pytest.approx(1, abs=EXACT)
    ranked = sorted(whole, key=lambda index: (-whole[index], index))
    for best in (1, 2, len(PATHS)):
        part = scorer.score_paths(state, PATHS, best=best)
        certain = sorted(part.probabilities, key=lambda index: (-part.probabilities[index], index))[:best]
        assert [whole[index] for index in certain] == pytest.approx([whole[one] for one in ranked[:best]], abs=EXACT)
        assert sum(part.probabilities.values()) + part.rest == pytest.approx(1)
    assert scorer.score_paths(state, PATHS[:1]).probabilities == {0: 1.0}
    assert scorer.score_paths(state, ()).probabilities == {}


def test_an_empty_pool_has_an_empty_distribution(scorer: Scorer) -> None:
    prompt, _ = CASES["search"]
    distribution = scorer.score(prompt, OptionPool(()))
    assert distribution.probabilities == {}
    assert distribution.rest == 0


@pytest.mark.parametrize("option", [NoneOption(), _step(0, "music.artist.album")])
def test_a_single_option_is_certain(scorer: Scorer, option: Option) -> None:
    prompt, _ = CASES["search"]
    distribution = scorer.score(prompt, OptionPool((option,)))
    assert distribution.probabilities == {0: pytest.approx(1)}
    assert distribution.best == 0


def test_threads_may_share_it(scorer: Scorer) -> None:
    cases = list(CASES.values()) * 8
    expected = [scorer.score(prompt, pool).probabilities for prompt, pool in cases]
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda case: scorer.score(*case).probabilities, cases))
    assert found == [pytest.approx(probabilities, abs=EXACT) for probabilities in expected]


def test_it_has_a_name_for_people(scorer: Scorer) -> None:
    assert scorer.name.strip()


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(
        ScorerUnavailableError, match=r"no scorer “guess”.*causal, chat, encoder, lexical, path-reader, vllm"
    ):
        open_scorer("guess")


def _by_option(pool: OptionPool, scorer: Scorer, state: DecisionState) -> dict[str, float]:
    probabilities = scorer.score(state, pool).probabilities
    return {repr(option): probabilities[index] for index, option in enumerate(pool.options)}
