from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kgstore.loading.sqlite_loader import load_graph
from kgstore.loading.tsv import TripleReader
from kgstore.sqlite_store import SqliteStore
from reasoning.options import AnswerOption, ConstraintOption, NoneOption, StepOption, TopicOption
from reasoning.scorers.base import Cost, Distribution

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgstore.store import GraphStore
    from reasoning.options import Option, OptionPool, Prompt

TOY_GRAPH = Path(__file__).parent / "toy.tsv"


@pytest.fixture(scope="session")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphStore]:
    """A hand-drawn graph of some fifty triples."""
    path = tmp_path_factory.mktemp("toy") / "toy.sqlite"
    load_graph(TripleReader(TOY_GRAPH), path, name="toy", title="Toy", source="drawn by hand")
    store = SqliteStore(path)
    yield store
    store.close()


@dataclass(frozen=True)
class RuleScorer:
    """Chooses the first of its wishes that the pool holds, with probability 0.8; None where it holds none of them."""

    wishes: tuple[str, ...]
    name: str = "rules"

    def score(self, prompt: Prompt, pool: OptionPool, *, best: int | None = None) -> Distribution:
        texts = [_text(option) for option in pool.options]
        chosen = next((texts.index(wish) for wish in self.wishes if wish in texts), None)
        if chosen is None:
            chosen = texts.index("none") if "none" in texts else 0
        rest = 0.2 / max(len(texts) - 1, 1)
        probabilities = {i: 0.8 if i == chosen else rest for i in range(len(texts))}
        return Distribution(probabilities, 0.0, Cost(calls=1, tokens_in=len(prompt.question.split())))


def _text(option: Option) -> str:
    match option:
        case StepOption(step=step):
            return f"{step.position} {step.relation}"
        case ConstraintOption(constraint=c):
            return f"{c.position} {c.operator} {'' if c.target is None else c.target}".strip()
        case AnswerOption(position=position):
            return f"answer {position}"
        case TopicOption(mention=mention):
            return f"about {mention.term}"
        case NoneOption():
            return "none"
