"""The model card: what a scorer was made from, how, and how well it does; as JSON and as Markdown."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgstore.loading.sample import sample_files
from reasoning.questions import SAMPLE_FOLDER
from reasoning.scorers.encoder import model_description

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reasoning.training.train import TrainingResult

NAME = "MiniLM encoder"
README_FILE = "README.md"
_EVALUATED_BY = (
    "manage.py evaluate --dataset reasoning/sample --format discern --graph sample --topics linked --split validation"
)
_REASONING = Path(__file__).parent.parent
_CODE = (
    "verbalize.py",
    "scorers/choice_model.py",
    "scorers/cues.tsv",
    "scorers/features.py",
    "scorers/minilm.py",
    "scorers/words.py",
)


def make_card(result: TrainingResult, *, command: str) -> dict[str, Any]:
    """Everything that is known of a trained scorer."""
    return {
        "name": NAME,
        **model_description(result.shape),
        "trained": {
            "command": command,
            "finished_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "seconds": round(result.seconds, 1),
            "settings": asdict(result.settings),
            "samples": result.samples,
            "dev_samples": result.dev_samples,
            "best_epoch": result.best_epoch,
            "epochs": [asdict(report) for report in result.epochs],
            "data_sha256": data_digest(),
            "code_sha256": code_digest(),
        },
        "figures": {},
    }


def data_digest() -> str:
    """One SHA-256 over the bundled sample: its facts and its questions."""
    return _digest([*sample_files(), *sorted(SAMPLE_FOLDER.glob("*.jsonl"))])


def code_digest() -> str:
    """One SHA-256 over the code that decides what a model reads and learns."""
    return _digest([*(_REASONING / name for name in _CODE), *sorted((_REASONING / "training").glob("*.py"))])


def as_markdown(card: dict[str, Any]) -> str:
    """The card for people."""
    trained = card["trained"]
    lines = [
        f"# {card['name']}",
        "",
        "The embedded scorer of Discern: P(option given S_k, Q) for linking, search, pruning and inference.",
        "",
        "all-MiniLM-L6-v2 (Apache-2.0) reads prompts with a low-rank change in its upper layers, and options as",
        "published; a small head weighs their likeness and what is known of an option without reading it.",
        "Only the change and the head are in `scorer.safetensors` (bfloat16).",
        "",
        f"- Rebuild: `{trained['command']}` ({trained['seconds']:.0f} s on the machine that made these)",
        "- Learned from: the training questions of the bundled sample, nothing else; a quarter of the questions,",
        "  chosen by the first byte of the SHA-256 of their id, is kept for validation and was not read",
        f"- Samples: {trained['samples']:,} decisions; {trained['dev_samples']:,} to choose epoch and temperatures",
        f"- Sample (facts and questions), SHA-256: `{trained['data_sha256']}`",
        f"- Code, SHA-256: `{trained['code_sha256']}`",
        f"- Encoder, SHA-256: `{card['encoder_sha256']}`",
        f"- Seed {trained['settings']['seed']}, best of {len(trained['epochs'])} epochs: {trained['best_epoch']}",
        "",
        "## Decisions on the questions kept aside within training",
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
    figures = card["figures"]
    if figures:
        answered, refused = figures["answerable"], figures["unanswerable"]
        lines += [
            "## Validation questions of the sample, topic linked from the question",
            "",
            *_table(
                ["figure", "value"],
                [
                    ["phrasings that have an answer", str(answered["questions"])],
                    ["Hits@1", f"{answered['hits_at_1']:.3f}"],
                    ["macro-F1", f"{answered['macro_f1']:.3f}"],
                    ["exact match", f"{answered['exact_match']:.3f}"],
                    ["turned away though answerable", f"{answered['turned_away']:.3f}"],
                    *(
                        [["unanswerable phrasings recognised", f"{refused['recognised']} of {refused['questions']}"]]
                        if refused["questions"]
                        else []
                    ),
                    ["topic linked", f"{figures['linking']:.3f}"],
                    ["seconds a question, mean", f"{figures['seconds']['mean']:.3f}"],
                ],
            ),
            "",
            f"Made by `{_EVALUATED_BY}`.",
            "",
        ]
    return "\n".join(lines)


def _table(head: list[str], rows: Iterable[list[str]]) -> list[str]:
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]


def _digest(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(f"{path.name} {path.stat().st_size}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
