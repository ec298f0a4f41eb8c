"""Learn the order of topics from questions whose topic entity is known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError
from rich.progress import track

from kgstore.store import GraphStoreError
from reasoning.core.errors import ReasoningError
from reasoning.datasets.errors import DatasetError
from reasoning.datasets.registry import FORMATS, asked, read_dataset
from reasoning.training.topic_ranking import topic_examples, train_topic_ranking
from webapp import engine
from webapp.platform.terminal.command import Terminal, TerminalCommand

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from reasoning.training.topic_ranking import TopicExamples


class Command(TerminalCommand):
    """``manage.py train_topic_ranking --questions FILE FORMAT GRAPH --out FILE``."""

    help = "Learn which entity a question is about, from the training side of datasets with known topic entities."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """See ``--help``."""
        parser.add_argument(
            "--questions",
            nargs=3,
            action="append",
            required=True,
            metavar=("FILE", "FORMAT", "GRAPH"),
            help=f"dataset, format ({', '.join(FORMATS)}) and the graph of its topics; several times if need be",
        )
        parser.add_argument("--out", type=Path, required=True, help="the file to write")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Train, and write the file."""
        try:
            sets = [self._examples(Path(file), kind, graph) for file, kind, graph in options["questions"]]
            ranking = train_topic_ranking(sets)
        except (DatasetError, GraphStoreError, ReasoningError, ValueError) as error:
            raise CommandError(str(error)) from error
        options["out"].write_text(json.dumps(ranking.to_json()) + "\n", encoding="utf-8")
        learned = sum(each.questions for each in sets)
        self.stdout.write(f"Learned from {learned:,} questions. Written to {options['out']}.")

    def _examples(self, file: Path, kind: str, graph: str) -> TopicExamples:
        if kind not in FORMATS:
            raise CommandError(f"There is no format “{kind}”. Use one of: {', '.join(FORMATS)}.")
        store = engine.graph(graph)
        questions = [each for each in asked(read_dataset(file, kind)) if each.split == "train"]
        shown = track(questions, description=f"Linking {file.name}", console=Terminal(stderr=True), transient=True)
        return topic_examples(shown, store)
