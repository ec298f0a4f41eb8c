"""A chat model that picks, behind a real server."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from reasoning.core.errors import ModelServerAwayError, ScorerUnavailableError, UndecidedError
from reasoning.scorers.base import Cost
from reasoning.scorers.chat import client as chat_client
from reasoning.scorers.chat.scorer import ChatScorer
from reasoning.scorers.server import ModelServer
from tests.reasoning.chat_server import OPTION, chat_server, first_longest
from tests.reasoning.test_scorer_contract import CASES

if TYPE_CHECKING:
    from tests.conftest import ServedModel

pytestmark = pytest.mark.slow

PROMPT, POOL = CASES["search"]
MEMBER = 3
"""The option with the longest text."""


def test_the_model_sees_question_decisions_and_numbered_options_and_its_pick_gets_all_the_probability() -> None:
    with (
        chat_server(first_longest) as server,
        closing(ChatScorer(ModelServer((server.url,), key="open sesame"))) as scorer,
    ):
        distribution = scorer.score(PROMPT, POOL)
        again = scorer.score(PROMPT, POOL)
    shown = server.asked[0]["messages"][1]["content"]
    assert PROMPT.question in shown
    assert [text for _, text in OPTION.findall(shown)] == [
        "None",
        "Queen ^film.film.music",
        "Queen music.artist.active_start",
        "Queen music.artist.album",
        "Queen music.artist.genre",
        "Queen music.musical_group.member",
    ]
    assert server.keys == ["Bearer open sesame"]
    assert distribution.probabilities == {**dict.fromkeys(range(6), 0.0), MEMBER: 1.0}
    assert not distribution.exact
    assert distribution.cost == Cost(calls=1, tokens_in=40, tokens_out=2)
    assert scorer.name == "picker"
    assert again.cost == Cost()


@pytest.mark.parametrize(
    "said", ["6", "6.", "Option 6", "**6**", "I pick number 6.", "Queen music.musical_group.member", " 6\n"]
)
def test_an_answer_is_understood_as_people_would(said: str) -> None:
    with chat_server(lambda _: said) as server, closing(ChatScorer(ModelServer((server.url,)))) as scorer:
        assert scorer.score(PROMPT, POOL).best == MEMBER
        assert len(server.asked) == 1


@pytest.mark.parametrize("said", ["", "0", "7", "2 or 6", "the band", "music.artist.album6", "1.6"])
def test_an_answer_that_is_no_option_is_asked_for_once_more_and_then_reported(said: str) -> None:
    answers = [said, "6", said, said]
    with chat_server(lambda _: answers.pop(0)) as server, closing(ChatScorer(ModelServer((server.url,)))) as scorer:
        decided = scorer.score(PROMPT, POOL)
        assert decided.best == MEMBER
        assert decided.cost.calls == 2
        assert server.asked[1]["messages"][2:] == [
            {"role": "assistant", "content": said},
            {"role": "user", "content": "That is no option. Answer with one number from 1 to 6 and nothing else."},
        ]
        with pytest.raises(UndecidedError, match="picked none of the options"):
            scorer.score(*CASES["infer"])


def test_a_server_that_is_busy_is_asked_again() -> None:
    with chat_server(first_longest) as server, closing(ChatScorer(ModelServer((server.url,)))) as scorer:
        server.failures += [429, 503]
        assert scorer.score(PROMPT, POOL).best == MEMBER
        assert len(server.asked) == 3


def test_which_of_several_models_must_be_said() -> None:
    with chat_server(first_longest, models=("large", "small")) as server:
        with pytest.raises(ScorerUnavailableError, match="DISCERN_LLM_MODEL to one of: large, small"):
            ChatScorer(ModelServer((server.url,)))
        with closing(ChatScorer(ModelServer((f"{server.url}/v1/",), "small"))) as scorer:
            scorer.score(PROMPT, POOL)
            assert server.asked[0]["model"] == "small"
            assert scorer.name == "small"


def test_a_refused_key_says_what_to_set() -> None:
    with chat_server(first_longest) as server, closing(ChatScorer(ModelServer((server.url,)))) as scorer:
        server.failures.append(401)
        with pytest.raises(ScorerUnavailableError, match="DISCERN_LLM_KEY"):
            scorer.score(PROMPT, POOL)


@pytest.mark.parametrize(
    ("refusal", "error"),
    [
        ("This model's maximum context length is 4096 tokens.", UndecidedError),
        ("The prompt was stopped by the content_filter.", UndecidedError),
        ("Unknown parameter: max_completion_tokens.", ScorerUnavailableError),
    ],
)
def test_a_server_that_refuses_one_prompt_is_distinguished_from_one_that_refuses_all(
    refusal: str, error: type[Exception]
) -> None:
    with chat_server(first_longest) as server, closing(ChatScorer(ModelServer((server.url,)))) as scorer:
        server.failures.append(400)
        server.refusal = refusal
        with pytest.raises(error, match="The chat model's server"):
            scorer.score(PROMPT, POOL)


def test_a_server_that_goes_away_is_reported_and_another_takes_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_client, "RETRIES", 0)
    with chat_server(first_longest) as staying:
        with chat_server(first_longest) as leaving:
            alone = ChatScorer(ModelServer((leaving.url,)))
            both = ChatScorer(ModelServer((leaving.url, staying.url)))
            assert alone.fault() is None
        with closing(alone), closing(both):
            assert "does not answer" in str(alone.fault())
            with pytest.raises(ModelServerAwayError):
                alone.score(PROMPT, POOL)
            assert both.fault() is None


def test_a_real_model_that_knows_nothing_is_reported(vllm: ServedModel) -> None:
    with (
        closing(ChatScorer(ModelServer((vllm.url,)))) as scorer,
        pytest.raises(UndecidedError, match="picked none of the options"),
    ):
        scorer.score(PROMPT, POOL)
