"""What exact choice with a language model costs: ``python -m tests.bench.bench_language_model [--json] [--pools N]``.

Every cost is processor time divided by that of a plain pass over the same prompt of 200 tokens in the same run, on one
thread; so it hardly depends on the machine, or on what else runs there. The models have 7 million weights, made on the
spot: one knows nothing, two were taught sixteen questions for a minute or two, with the right option drowned in wrong
ones in three of ten lessons, so that one stays unsure and one is fairly sure.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
import warnings
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from rich.console import Console
from rich.table import Table
from torch.nn import functional
from transformers import DynamicCache
from transformers import logging as transformers_logging

from kgstore.loading.sample import sample_graph
from kgstore.sqlite.loader import load_graph
from kgstore.sqlite.store import SqliteStore
from reasoning.engine.engine import answer
from reasoning.scorers.causal.reading import Pace
from reasoning.scorers.causal.scorer import UNSEEN_SHARE, CausalLMScorer
from reasoning.scorers.causal.search import Search
from reasoning.scorers.causal.transcript import prompt_parts
from reasoning.scorers.causal.transformers_reader import CPU_PACE, TransformersReader
from reasoning.scorers.causal.trie import OptionTrie
from tests.reasoning.language_models import (
    brute_force,
    decided_model,
    made_up_pool,
    made_up_prompt,
    relations,
    small_model,
    small_tokenizer,
)
from tests.sample import sample_questions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from transformers import LlamaForCausalLM

    from reasoning.scorers.base import Distribution
    from reasoning.scorers.causal.transformers_reader import TransformersReading
    from tests.reasoning.language_models import Floats

SIZES = (50, 300, 1_000)
PROMPT = 200
QUESTIONS = 16
TAIL = 28
LESSONS = {"unsure": 150, "fairly sure": 220}
BATCH = 16
SHARED_BATCH = 32
SAMPLED = 32
"""Number of options that are timed for the naive methods; the time is multiplied."""
BRUTE_POOLS = 1_000
SURENESS = ("unsure", "fairly sure")
"""The models that the goals are set for; one that knows nothing has to read more, whatever the method."""
GOALS = {"median": 3.0, "p90": 5.0, "calls": 2.0, "growth": 1.8, "prompt": 1.1, "error": 1e-4}
LABELS = {
    "calls": "passes of the exact best, median",
    "whole calls": "passes of nearly the whole distribution, median",
    "read": "prefixes read for it",
    "nodes": "of",
    "best": "probability of the best option",
    "same as the whole": "chosen as by the whole distribution",
    "error": "largest difference of log-probabilities",
    "greedy right": "chosen as by greedy",
    "beam search with 5 beams right": "chosen as by beam search",
}
EVERYTHING = Pace(ahead=100_000, least=1, most=100_000)


@dataclass(frozen=True)
class Case:
    prompt: list[int]
    options: list[list[int]]


def questions(count: int) -> list[tuple[list[int], str]]:
    """Prompts of 199 tokens, and the option that is right for each."""
    rng = random.Random(11)
    encode = small_tokenizer()
    filling = encode(" ".join(relations()), add_special_tokens=False)["input_ids"]
    found = []
    for relation in rng.sample(relations(), count):
        words = relation.replace(".", " ").replace("_", " ").split()
        rng.shuffle(words)
        asked = encode(f"Question: what is the {' '.join(words)}?\nStep:", add_special_tokens=False)["input_ids"]
        found.append(([*filling[: PROMPT - 1 - len(asked)], *asked], _option(rng, relation)))
    return found


def taught_models() -> dict[str, LlamaForCausalLM]:
    """The model at its stages. Only the ends of prompts are taught; what stands before is read without learning."""
    rng = random.Random(5)
    model = small_model(width=256, layers=6, vocabulary=8192)
    stages = {"knows nothing": small_model(width=256, layers=6, vocabulary=8192)}
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.98))
    lessons = questions(QUESTIONS)
    encode = small_tokenizer()
    for step in range(1, max(LESSONS.values()) + 1):
        drawn = [rng.choice(lessons) for _ in range(BATCH)]
        texts = [_option(rng, rng.choice(relations())) if rng.random() < 0.3 else right for _, right in drawn]
        options = [[*encode(text, add_special_tokens=False)["input_ids"], 1] for text in texts]
        width = TAIL - 1 + max(map(len, options))
        ids, labels = torch.ones(BATCH, width, dtype=torch.long), torch.full((BATCH, width), -100)
        for row, ((prompt, _), option) in enumerate(zip(drawn, options, strict=True)):
            whole = [*prompt[-TAIL:], *option]
            ids[row, : len(whole) - 1] = torch.tensor(whole[:-1])
            labels[row, TAIL - 1 : len(whole) - 1] = torch.tensor(option)
        for group in optimizer.param_groups:
            group["lr"] = 1.2e-3 * min(1.0, step / 15)
        with torch.autocast("cpu", torch.bfloat16):
            cache = DynamicCache()
            with torch.no_grad():
                before = torch.tensor([[0, *prompt[:-TAIL]] for prompt, _ in drawn])
                model.model(input_ids=before, past_key_values=cache, use_cache=True)
            hidden = model.model(input_ids=ids, past_key_values=cache, use_cache=True).last_hidden_state
            logits = model.lm_head(hidden[labels != -100])
        optimizer.zero_grad()
        functional.cross_entropy(logits.float(), labels[labels != -100]).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        for name, steps in LESSONS.items():
            if step == steps:
                stages[name] = small_model(width=256, layers=6, vocabulary=8192)
                stages[name].load_state_dict(model.state_dict())
    return {name: stage.eval() for name, stage in stages.items()}


def _option(rng: random.Random, relation: str) -> str:
    return f" entity_{rng.randint(1, 3)} {'^' if rng.random() < 0.3 else ''}{relation}"


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """Processor time, and what came of it."""
    began = time.process_time()
    result = work()
    return time.process_time() - began, result


def cases(size: int, count: int) -> list[Case]:
    """Pools with the right option in them; None is in the trie, and is weighed apart."""
    rng = random.Random(size)
    encode = small_tokenizer()
    found = []
    for number in range(count):
        prompt, right = questions(QUESTIONS)[number % QUESTIONS]
        pool = dict.fromkeys([right, *made_up_pool(rng, size)[:-1]])
        found.append(Case(prompt, encode([*list(pool)[: size - 1], " None"], add_special_tokens=False)["input_ids"]))
    return found


def prefill(model: LlamaForCausalLM, prompt: Sequence[int]) -> float:
    """A plain pass over the prompt, for what follows its last token."""
    ids = torch.tensor([[0, *prompt]])
    with torch.inference_mode():
        return float(np.median([seconds(lambda: model(input_ids=ids, logits_to_keep=1))[0] for _ in range(3)]))


def exact(reader: TransformersReader, case: Case) -> tuple[Search, TransformersReading, int]:
    """The exact best option, from the tokens on."""
    reader.forget()
    trie = OptionTrie(case.options, reader.end)
    reading = reader.begin(case.prompt, trie)
    search = Search(trie, reading, reader.pace, among=np.arange(len(case.options) - 1))
    return search, reading, int(np.flatnonzero(trie.leaf == search.best()[0])[0])


def nearly_whole(reader: TransformersReader, case: Case) -> int:
    """The passes that a distribution takes which leaves a trifle unread, as the scorer reads it on request."""
    reader.forget()
    trie = OptionTrie(case.options, reader.end)
    reading = reader.begin(case.prompt, trie)
    search = Search(trie, reading, reader.pace, among=np.arange(len(case.options) - 1))
    search.best()
    search.until_unseen(UNSEEN_SHARE)
    return reading.cost.calls


def whole(reader: TransformersReader, case: Case) -> Floats:
    """Every option's log-probability, in one packed tree or in portions."""
    reader.forget()
    trie = OptionTrie(case.options, reader.end)
    search = Search(trie, reader.begin(case.prompt, trie), reader.pace)
    search.until_unseen(0)
    return search.seen().log_probs


def naive(model: LlamaForCausalLM, case: Case) -> float:
    """DecisionState and option in full for every option, in a padded batch; the time of all, from that of some."""
    some = case.options[:SAMPLED]
    width = 1 + max(map(len, some))
    ids = torch.tensor([[0, *case.prompt, *option, *[1] * (width - len(option))] for option in some])

    def passes() -> None:
        with torch.inference_mode():
            torch.log_softmax(model(input_ids=ids, logits_to_keep=width + 1).logits, -1)

    return seconds(passes)[0] * len(case.options) / len(some)


def shared(model: LlamaForCausalLM, case: Case) -> None:
    """The prompt once, then the options in padded batches behind its cache."""
    with torch.inference_mode():
        prompt = DynamicCache()
        model(input_ids=torch.tensor([[0, *case.prompt]]), past_key_values=prompt, use_cache=True, logits_to_keep=1)
        for start in range(0, len(case.options), SHARED_BATCH):
            batch = case.options[start : start + SHARED_BATCH]
            width = max(map(len, batch))
            ids = torch.tensor([[*option, *[1] * (width - len(option))] for option in batch])
            cache = DynamicCache()
            for layer, states in enumerate(prompt.layers):
                cache.update(
                    states.keys.expand(len(batch), -1, -1, -1), states.values.expand(len(batch), -1, -1, -1), layer
                )
            torch.log_softmax(model(input_ids=ids, past_key_values=cache, use_cache=True).logits, -1)


def constrained(model: LlamaForCausalLM, case: Case, beams: int) -> int:
    """transformers' own constrained generation: greedy with one beam."""
    options = case.options[:-1]
    allowed: dict[tuple[int, ...], set[int]] = defaultdict(set)
    for option in options:
        for place, token in enumerate([*option, 1]):
            allowed[tuple(option[:place])].add(token)
    start = len(case.prompt) + 1
    ids = torch.tensor([[0, *case.prompt]])
    with torch.inference_mode():
        found = model.generate(
            input_ids=ids,
            attention_mask=torch.ones_like(ids),
            num_beams=beams,
            do_sample=False,
            max_new_tokens=max(map(len, options)) + 1,
            pad_token_id=1,
            prefix_allowed_tokens_fn=lambda _, text: sorted(allowed.get(tuple(text.tolist()[start:]), {1})),
            **({"length_penalty": 0.0} if beams > 1 else {}),
        )[0, start:].tolist()
    return options.index(found[: found.index(1)])


def measure(model: LlamaForCausalLM, size: int, count: int) -> dict[str, Any]:
    """One model and one size of pools."""
    reader = TransformersReader(model, small_tokenizer())
    packed = TransformersReader(model, small_tokenizer(), pace=EVERYTHING)
    costs: dict[str, list[float]] = defaultdict(list)
    counts: dict[str, list[float]] = defaultdict(list)
    for number, case in enumerate(cases(size, count)):
        plain = prefill(model, case.prompt)
        taken, (search, reading, chosen) = seconds(lambda case=case: exact(reader, case))
        seen = search.seen()
        costs["exact best"].append(taken / plain)
        counts["calls"].append(reading.cost.calls)
        counts["read"].append(seen.nodes)
        counts["best"].append(float(np.exp(seen.log_probs.max())))
        counts["nodes"].append(OptionTrie(case.options, 1).inner)
        taken, calls = seconds(lambda case=case: nearly_whole(reader, case))
        costs["nearly the whole distribution"].append(taken / plain)
        counts["whole calls"].append(calls)
        taken, everything = seconds(lambda case=case: whole(reader, case))
        costs["whole distribution, in portions"].append(taken / plain)
        counts["same as the whole"].append(int(np.argmax(everything[:-1])) == chosen)
        counts["error"].append(float(np.nanmax(np.abs((seen.log_probs - everything)[~np.isneginf(seen.log_probs)]))))
        for name, beams in (("greedy", 1), ("beam search with 5 beams", 5)):
            taken, found = seconds(lambda case=case, beams=beams: constrained(model, case, beams))
            costs[name].append(taken / plain)
            counts[f"{name} right"].append(found == chosen)
        if number == 0:  # these cost the same whatever the model thinks
            costs["naive batches"].append(naive(model, case) / plain)
            costs["shared prompt cache"].append(seconds(lambda case=case: shared(model, case))[0] / plain)
            costs["packed tree"].append(seconds(lambda case=case: whole(packed, case))[0] / plain)
    figures: dict[str, Any] = {
        name: {"median": float(np.median(values)), "p90": float(np.quantile(values, 0.9))}
        for name, values in costs.items()
    }
    shares = ("same as the whole", "greedy right", "beam search with 5 beams right")
    middle = {name: float(np.median(values)) for name, values in counts.items() if name not in shares}
    return {"cost": figures, **middle, **{name: float(np.mean(counts[name])) for name in shares}}


def agreement() -> dict[str, float]:
    """Choices and log-probabilities compared with full passes, on many small pools."""
    model = decided_model().eval()
    reader = TransformersReader(model, small_tokenizer())
    same, worst = 0, 0.0
    for seed in range(BRUTE_POOLS):
        rng = random.Random(seed)
        case = Case(made_up_prompt(rng, 6), reader.tokens(made_up_pool(rng, rng.randint(2, 12))))
        everything = brute_force(model, case.prompt, case.options)
        search, _, chosen = exact(reader, case)
        found = search.seen().log_probs
        known = ~np.isneginf(found)
        worst = max(worst, float(np.abs(found - everything)[known].max()))
        same += int(np.argmax(everything[:-1])) == chosen
    return {"pools": BRUTE_POOLS, "same choice": same, "largest difference": worst}


class _Counting:
    """A reader that keeps its readings, and the longest prompt."""

    def __init__(self, reader: TransformersReader) -> None:
        self.end, self.pace, self.tokens = reader.end, reader.pace, reader.tokens
        self.side_by_side = reader.side_by_side
        self._reader = reader
        self.readings: list[TransformersReading] = []

    def begin(self, prompt: Sequence[int], trie: OptionTrie) -> TransformersReading:
        self.readings.append(self._reader.begin(prompt, trie))
        return self.readings[-1]


class _Asked:
    """A scorer that notes its prompts, and what a choice costs compared with nearly the whole distribution."""

    name = "asked"

    def __init__(self, scorer: CausalLMScorer, whole: CausalLMScorer) -> None:
        self._scorer = scorer
        self._whole = whole
        self.prompts: list[list[str]] = []
        self.passes: list[tuple[int, int]] = []

    def score(self, prompt: Any, pool: Any, *, best: int | None = None) -> Distribution:
        distribution = self._scorer.score(prompt, pool, best=best)
        if len(pool) > 1:
            self.prompts.append(prompt_parts(prompt))
            self.passes.append((distribution.cost.calls, self._whole.score(prompt, pool).cost.calls))
        return distribution


def prompt_tokens() -> dict[str, float]:
    """Over questions of the sample: prompt tokens forwarded ÷ those that differ, each question by itself; passes."""
    reader, other = (TransformersReader(decided_model(), small_tokenizer()) for _ in range(2))
    ratios: list[float] = []
    passes: list[tuple[int, int]] = []
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "sample.sqlite"
        graph = sample_graph()
        load_graph(graph.triples, path, name=graph.name, title=graph.title, source=graph.source)
        store = SqliteStore(path)
        for question in list(sample_questions())[::40]:
            reader.forget()
            counting = _Counting(reader)
            asked = _Asked(CausalLMScorer(counting, name="small"), CausalLMScorer(other, name="small"))
            list(answer(question.phrasings[0], store, asked))
            passes += asked.passes
            if asked.prompts:
                distinct = {tuple(parts[: end + 1]) for parts in asked.prompts for end in range(len(parts))}
                different = 1 + sum(len(reader.tokens([parts[-1]])[0]) for parts in distinct)
                ratios.append(sum(reading.prompt_tokens for reading in counting.readings) / different)
        store.close()
    chosen, whole = np.array(passes).mean(axis=0).tolist()
    return {
        "questions": len(ratios),
        "median": float(np.median(ratios)),
        "most": max(ratios),
        "decisions": len(passes),
        "passes a decision": chosen,
        "passes for nearly the whole": whole,
    }


def marks(figures: dict[str, Any]) -> list[dict[str, Any]]:
    """What is aimed at, what was measured, and whether it is met."""
    found: list[tuple[str, float, float]] = []
    for name in SURENESS:
        for size, measured in figures["models"][name].items():
            cost = measured["cost"]["exact best"]
            found += [
                (f"{name}, {size} options: cost ÷ prefill, median", cost["median"], GOALS["median"]),
                (f"{name}, {size} options: cost ÷ prefill, 90th percentile", cost["p90"], GOALS["p90"]),
                (f"{name}, {size} options: passes, median", measured["calls"], GOALS["calls"]),
            ]
        found.append((f"{name}: cost at 1,000 ÷ at 50 options", figures["growth"][name], GOALS["growth"]))
    read, agreed = figures["prompt tokens forwarded ÷ different ones"], figures["agreement"]
    other = agreed["pools"] - agreed["same choice"]
    found += [
        ("prompt tokens forwarded ÷ different ones, over a question, at most", read["most"], GOALS["prompt"]),
        (f"other choices than brute force, of {agreed['pools']:,} pools", other, 0),
        ("largest difference of log-probabilities from brute force", agreed["largest difference"], GOALS["error"]),
    ]
    return [{"mark": mark, "found": value, "goal": goal, "met": value <= goal} for mark, value, goal in found]


def show(figures: dict[str, Any]) -> None:
    """The figures for people."""
    console = Console()
    for name, sizes in figures["models"].items():
        table = Table(
            "cost ÷ prefill: median (p90)", *(f"{size} options" for size in sizes), title=f"A model that is {name}"
        )
        for method in next(iter(sizes.values()))["cost"]:
            costs = [found["cost"][method] for found in sizes.values()]
            table.add_row(method, *(f"{cost['median']:.1f} ({cost['p90']:.1f})" for cost in costs))
        for what, label in LABELS.items():
            table.add_row(label, *(f"{found[what]:.3g}" for found in sizes.values()))
        table.add_row("cost at 1,000 ÷ at 50 options", "", "", f"{figures['growth'][name]:.2f}")
        console.print(table)
    aimed = Table("goal", "at most", "found", "")
    for mark in figures["marks"]:
        aimed.add_row(mark["mark"], f"{mark['goal']:.3g}", f"{mark['found']:.3g}", "met" if mark["met"] else "MISSED")
    console.print(aimed)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    parser.add_argument("--pools", type=int, default=8, help="pools a model and size (default: 8)")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    transformers_logging.set_verbosity_error()
    warnings.simplefilter("ignore")
    models = {
        name: {size: measure(model, size, arguments.pools) for size in SIZES} for name, model in taught_models().items()
    }
    growth = {
        name: sizes[SIZES[-1]]["cost"]["exact best"]["median"] / sizes[SIZES[0]]["cost"]["exact best"]["median"]
        for name, sizes in models.items()
    }
    agreed, read = agreement(), prompt_tokens()
    figures: dict[str, Any] = {
        "pace": asdict(CPU_PACE),
        "models": models,
        "growth": growth,
        "agreement": agreed,
        "prompt tokens forwarded ÷ different ones": read,
    }
    figures["marks"] = marks(figures)
    if arguments.json:
        sys.stdout.write(json.dumps(figures, indent=2, ensure_ascii=False) + "\n")
    else:
        show(figures)
    return 0 if all(mark["met"] for mark in figures["marks"]) else 1


if __name__ == "__main__":
    sys.exit(main())
