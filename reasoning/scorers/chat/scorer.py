"""A chat model is shown the pool and asked to pick, as the paper does with GPT-4.

Approximate: it says which option, and not how probable each is.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from reasoning.core.errors import UndecidedError
from reasoning.scorers.base import Cost, Distribution
from reasoning.scorers.causal.transcript import option_text, prompt_parts
from reasoning.scorers.chat.client import ChatServed
from reasoning.scorers.decision_cache import RecentDecisions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from openai.types.chat import ChatCompletionMessageParam

    from reasoning.core.options import DecisionState, OptionPool
    from reasoning.scorers.server import ModelServer

ANSWER_TOKENS = 2_048
"""Room for a model that thinks before it answers."""
_NUMBER = re.compile(r"(?<![\w.^-])\d+(?![\w^-]|\.\w)")
_SHOWN = 80


class ChatScorer(ChatServed):
    """A chat model behind OpenAI's protocol. Safe to share between threads.

    All the probability is the picked option's. Options of one text are equals to the model: the first is taken.
    """

    def __init__(self, server: ModelServer) -> None:
        """Find the server, and the model if it is not named.

        Raises:
            ScorerUnavailableError: no server answers, or it must be said which model is meant.

        """
        super().__init__(server)
        self._recent = RecentDecisions()

    def score(self, state: DecisionState, pool: OptionPool, *, best: int | None = None) -> Distribution:
        """The picked option with probability 1 and the others with 0; `Distribution.exact` says that it is no more.

        All are always listed.

        Raises:
            ScorerUnavailableError: the server does not answer (`ModelServerAwayError`), or refuses.
            UndecidedError: the model twice picks nothing that was offered, or the server takes no such prompt.

        """
        del best
        size = len(pool)
        if size <= 1:
            return Distribution(dict.fromkeys(range(size), 1.0), 0.0, Cost())
        texts = [option_text(option, state).strip() for option in pool.options]
        asked = "".join(prompt_parts(state))
        key = asked, tuple(texts)
        known = self._recent.get(key)
        if known is not None:
            return known
        decision = self._pick(asked, texts)
        self._recent.keep(key, decision)
        return decision

    def _pick(self, asked: str, texts: Sequence[str]) -> Distribution:
        # In the order of their texts, so that the order of the pool cannot matter.
        shown = sorted(set(texts))
        listed = "\n".join(f"{number}. {text}" for number, text in enumerate(shown, 1))
        messages: list[ChatCompletionMessageParam] = [
            {"role": "system", "content": _instructions()},
            {"role": "user", "content": f"{asked} ?\n\nOptions:\n{listed}"},
        ]
        answer, cost = self._complete(messages)
        picked = _picked(answer, shown)
        if picked is None:
            messages.append({"role": "assistant", "content": answer})
            again = f"That is no option. Answer with one number from 1 to {len(shown)} and nothing else."
            messages.append({"role": "user", "content": again})
            answer, more = self._complete(messages)
            cost += more
            picked = _picked(answer, shown)
        if picked is None:
            raise UndecidedError(
                f"The chat model {self.name} picked none of the options: it answered “{answer[:_SHOWN]}”. Try again, "
                "or choose another model."
            )
        probabilities = dict.fromkeys(range(len(texts)), 0.0)
        probabilities[texts.index(picked)] = 1.0
        return Distribution(probabilities, 0.0, cost, exact=False)

    def _complete(self, messages: list[ChatCompletionMessageParam]) -> tuple[str, Cost]:
        completion = self._client.ask(
            lambda client: client.chat.completions.create(
                model=self._client.model, messages=messages, temperature=0, max_completion_tokens=ANSWER_TOKENS
            )
        )
        if not completion.choices:
            raise UndecidedError(f"The chat model {self._client.model} gave no answer; choose another model.")
        usage = completion.usage
        cost = Cost(1, usage.prompt_tokens, usage.completion_tokens) if usage else Cost(1)
        return completion.choices[0].message.content or "", cost


def _picked(answer: str, shown: Sequence[str]) -> str | None:
    """The option that an answer names: by its number, or by its whole text; None where it names none or several."""
    said = answer.strip()
    if said in shown:
        return said
    numbers = {int(number) for number in _NUMBER.findall(said)}
    if len(numbers) != 1:
        return None
    number = numbers.pop()
    return shown[number - 1] if 1 <= number <= len(shown) else None


@cache
def _instructions() -> str:
    return files(__package__ or "").joinpath("instructions.txt").read_text(encoding="utf-8").strip()
