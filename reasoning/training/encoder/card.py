"""The model card: what a scorer was made from, how, and how well it does; as JSON and as Markdown."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reasoning.evaluation.reporting.intervals import with_interval
from reasoning.scorers.encoder.architecture import Biases
from reasoning.scorers.encoder.scorer import model_description
from reasoning.strategies.registry import DEFAULT
from reasoning.training.lessons.sources import digest
from reasoning.training.recipe.recipe import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reasoning.datasets.learned import LearnedQuestions
    from reasoning.training.encoder.train import TrainingResult
    from reasoning.training.lessons.sources import Sources
    from reasoning.training.recipe.recipe import Recipe

NAME = "MiniLM encoder"
README_FILE = "README.md"
_LEARNED = (".py", ".toml")
_REASONING = Path(__file__).parents[2]
_CODE = (
    "facts/verbalize.py",
    "scorers/encoder/choice_model.py",
    "question/data/cues.tsv",
    "scorers/encoder/features.py",
    "scorers/encoder/minilm.py",
    "question/words.py",
)


def make_card(
    result: TrainingResult,
    recipe: Recipe,
    sources: Sources,
    learned: LearnedQuestions | None,
    *,
    name: str = NAME,
    command: str = "",
) -> dict[str, Any]:
    """Everything that is known of a trained scorer; its figures are still to come."""
    return {
        "name": name,
        **model_description(result.shape),
        **recipe.biases.to_json(),
        "trained": {
            "command": command,
            "finished_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "seconds": round(result.seconds, 1),
            "strategy": DEFAULT,
            "recipe": recipe.name,
            "title": recipe.title,
            "start": recipe.start,
            "settings": asdict(result.settings),
            "sources": {
                source.name: asdict(source) | sources.counts[source.name].to_json() for source in recipe.sources
            },
            "samples": result.samples,
            "dev_samples": result.dev_samples,
            "best_epoch": result.best_epoch,
            "epochs": [asdict(report) for report in result.epochs],
            "learned_questions": None if learned is None else learned.to_json(),
            "data_sha256": sources.digests(),
            "code_sha256": code_digest(),
            "version": version(),
        },
        "figures": {},
        "unseen": {},
    }


def code_digest() -> str:
    """One SHA-256 over the code that decides what a model reads and learns."""
    parts = [*(_REASONING / name for name in _CODE), *sorted((_REASONING / "gold").glob("*.py"))]
    return digest([*parts, *sorted(path for path in (_REASONING / "training").rglob("*") if path.suffix in _LEARNED)])


def version() -> str:
    """The version of Discern that is installed; empty where it is not installed as a package."""
    try:
        return metadata.version("discern")
    except metadata.PackageNotFoundError:
        return ""


def as_markdown(card: dict[str, Any]) -> str:
    """The card for people."""
    trained = card["trained"]
    command = f": `{trained['command']}`" if trained["command"] else " with the same recipe"
    lines = [
        f"# {card['name']}",
        "",
        "The embedded scorer of Discern: P(option given S_k, Q) for linking, search, pruning and inference.",
        "",
        "all-MiniLM-L6-v2 (Apache-2.0) reads prompts with a low-rank change in its upper layers, and options as",
        "published; a small head weighs their likeness and what is known of an option without reading it.",
        "Only the change and the head are in `scorer.safetensors` (bfloat16).",
        "",
        f"- Rebuild{command} ({trained['seconds']:.0f} s on the machine that made these)",
        f"- Recipe: `{trained['recipe']}` ({trained['title']}). Validation questions, one in four by a hash of",
        "  their id, were not read",
        f"- Samples: {trained['samples']:,} decisions; {trained['dev_samples']:,} to choose epoch and temperatures",
        f"- Code, SHA-256: `{trained['code_sha256']}`",
        f"- Encoder, SHA-256: `{card['encoder_sha256']}`",
        *([f"- Weights: {trained['averaged']}"] if trained.get("averaged") else []),
        *_learned(trained.get("learned_questions")),
        *_biased(Biases.of_card(card)),
        *_calibrated(card.get("calibration")),
        f"- Seed {trained['settings']['seed']}, best of {len(trained['epochs'])} epochs: {trained['best_epoch']}",
        "",
        "## What it learned from",
        "",
        *_table(
            ["source", "pools", "share", "questions", "taught", "decisions"],
            (
                [
                    name,
                    "schema" if source["graph"] == SCHEMA else "graph",
                    f"{source['share']:g}",
                    *(f"{source[key]:,}" for key in ("questions", "taught", "samples")),
                ]
                for name, source in trained["sources"].items()
            ),
        ),
        "",
        *_table(["data", "SHA-256"], ([name, f"`{found}`"] for name, found in trained["data_sha256"].items())),
        "",
        "## Decisions on questions kept aside within training",
        "",
        *_table(
            ["epoch", "loss", *trained["epochs"][0]["dev_accuracy"]],
            (
                [str(epoch["epoch"]), f"{epoch['loss']:.3f}", *(f"{v:.3f}" for v in epoch["dev_accuracy"].values())]
                for epoch in trained["epochs"]
            ),
        ),
        "",
    ]
    if card["figures"]:
        lines += [
            "## Validation questions",
            "",
            "Those whose answers are within reach in the graph; of benchmarks as many as are named. *Perfect* is the",
            "macro-F1 of a chooser that makes no mistake.",
            "",
            *_figures(card["figures"]),
        ]
    if card.get("unseen"):
        lines += ["## Graphs that nothing was learned from", "", *_figures(card["unseen"])]
    all_figures = {**card["figures"], **card.get("unseen", {})}
    if any("intervals" in each for each in all_figures.values()):
        lines += ["In brackets stands the 95 % interval, by the bootstrap over questions.", ""]
    if all_figures:
        lines += ["docs/explanation/scorer.md has the commands that make such figures.", ""]
    return "\n".join(lines)


def _learned(about: dict[str, Any] | None) -> list[str]:
    if about is None:
        return []
    return [
        f"- The {about['identities']:,} questions that it learned from ({about['texts']:,} wordings) are in",
        f"  `{about['file']}` as hashes, by which an evaluation tells which of its questions were seen in training",
    ]


def _biased(biases: Biases) -> list[str]:
    moved = {
        "None before the first step are moved by": biases.first_none_bias,
        "None after it are moved by": biases.later_none_bias,
    }
    where = "docs/explanation/scorer.md"
    return [f"- The log-odds of {what} {by:g}: {where} has the figures" for what, by in moved.items() if by]


def _calibrated(learned: dict[str, float] | None) -> list[str]:
    if learned is None:
        return []
    return [
        "- Confidence of answers, corrected by what validation questions showed: their log-odds",
        f"  times {learned['slope']:.3f}, plus {learned['intercept']:.3f}",
    ]


def _figures(found: dict[str, dict[str, Any]]) -> list[str]:
    """A table of what was asked; what has no question that can be answered tells nothing and is left out."""
    head = ["source", "topics", "questions", "Hits@1", "any hit", "macro-F1", "perfect", "seconds", "refused rightly"]
    return [*_table(head, (_row(name, each) for name, each in found.items() if each["answerable"])), ""]


def _row(name: str, found: dict[str, Any]) -> list[str]:
    answered, refused = found["answerable"], found["unanswerable"]
    return [
        name,
        found["topics"],
        str(answered["questions"]),
        *(_figure(found, key) for key in ("hits_at_1", "hit", "macro_f1")),
        "" if found["perfect_f1"] is None else f"{found['perfect_f1']:.3f}",
        f"{found['seconds']['mean']:.3f}",
        f"{refused['recognised']} of {refused['questions']}" if refused["questions"] else "",
    ]


def _figure(found: dict[str, Any], key: str) -> str:
    """A figure and its 95 % interval, where known."""
    figure, bounds = found["answerable"][key], found.get("intervals", {}).get(key)
    return f"{figure:.3f}" if bounds is None else with_interval(figure, bounds)


def _table(head: list[str], rows: Iterable[list[str]]) -> list[str]:
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]
