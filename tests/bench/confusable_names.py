"""Make a graph harder for linking: topics that it lacks, and tens of thousands of entities with confusable names.

    python -m tests.bench.confusable_names DATA OUT

``DATA`` holds `freebase_subset` and `webqsp`. ``OUT`` gets `triples.tsv` and `names.tsv`, the same ones each time:

* the Freebase subset, and around the topics of WebQSP's training questions the facts that answer them;
* for entities of five facts or more, things that bear their name, a part of it, or their name and more: episodes,
  books, subject headings, recordings, families, schools, campaigns; and people with the same name or surname, who have
  the facts of another entity;
* things that are called like the common words of questions: albums, films, recordings.

No name is made from a benchmark's mention of its topic, so that linking is measured on what it was not made for.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from reasoning.question.words import content_words

if TYPE_CHECKING:
    from collections.abc import Iterator

_FEW_FACTS = 5
_MANY_FACTS = 60
_WORDS = 2_000
_OBSCURE = {
    "tv.tv_series_episode.series": 0.2,
    "book.book_subject.works": 0.15,
    "music.recording.artist": 0.2,
    "book.written_work.author": 0.15,
    "music.album.artist": 0.1,
    "film.film.directed_by": 0.05,
}
"""What else has the same name, by its only sure relation: for which share of the entities."""
_LONGER = {
    "{last} family": 0.15,
    "{last} County": 0.06,
    "{last} High School": 0.06,
    "{last} Street": 0.03,
    "{name} presidential campaign, 2012": 0.04,
    "The {name} Story": 0.06,
    "The Life of {name}": 0.06,
    "{name}: A Biography": 0.06,
    "{name} discography": 0.04,
}
_NAMESAKE = 0.08
_SAME_SURNAME = 0.2
_PARTLY_NAMED = 0.25
_WORD = 0.5
_FIRST_NAMES = ("John", "Mary", "William", "Anna", "Robert", "James", "Emma", "George", "Peter", "Laura", "Ken", "Rosa")
Fact = tuple[str, str, str]


class HardGraph:
    """The facts and names of the graph while it is made."""

    def __init__(self, data: Path) -> None:
        self._random = random.Random(0)
        self.facts: dict[Fact, None] = {}
        self.names: dict[str, str] = {}
        for line in (data / "freebase_subset/triples.tsv").read_text(encoding="utf-8").splitlines():
            subject, relation, target = line.split("\t")
            self.facts[subject, relation, target] = None
        for line in (data / "freebase_subset/names.tsv").read_text(encoding="utf-8").splitlines():
            mid, name = line.split("\t")
            self.names[mid] = name
        self._pools = json.loads((data / "webqsp/train_option_pools.json").read_text(encoding="utf-8"))
        self._questions = json.loads((data / "webqsp/WebQSP.train.json").read_text(encoding="utf-8"))["Questions"]
        self._made = 0
        self._targets = sorted(self.names)

    def add_topics(self) -> None:
        """Add the facts that answer WebQSP's training questions, and others of the relations their topics really have.

        The entities that the others lead to are drawn: the data names relations alone.
        """
        for question in self._questions:
            for parse in question["Parses"]:
                topic, chain = parse["TopicEntityMid"], parse["InferentialChain"]
                answers = [each for each in parse["Answers"] if each["AnswerType"] == "Entity"]
                if not topic or not chain or not answers:
                    continue
                self.names.setdefault(topic, parse["TopicEntityName"] or "")
                for answer in answers[:20]:
                    self.names.setdefault(answer["AnswerArgument"], answer["EntityName"] or "")
                    self.facts[topic, "|".join(chain), answer["AnswerArgument"]] = None
                for path, _ in self._pools.get(question["RawQuestion"].rstrip("?").strip(), {"path": ()})["path"]:
                    steps = [step for step in path if step.count(".") > 1]
                    if 1 <= len(steps) < len(path):
                        self.facts[topic, "|".join(steps), self._random.choice(self._targets)] = None

    def add_confusable(self) -> None:
        """Add the entities with confusable names."""
        by_subject: defaultdict[str, list[Fact]] = defaultdict(list)
        for fact in self.facts:
            by_subject[fact[0]].append(fact)
        counts = Counter(end for subject, _, target in self.facts for end in (subject, target))
        donors = [mid for mid, facts in sorted(by_subject.items()) if _FEW_FACTS <= len(facts) <= _MANY_FACTS]
        for mid, name in sorted(self.names.items()):
            if not name or counts[mid] < _FEW_FACTS:
                continue
            for relation, share in _OBSCURE.items():
                self._obscure(name, relation, share)
            words = name.split()
            for shape, share in _LONGER.items():
                if self._happens(share):
                    self._obscure(shape.format(name=name, last=words[-1]), "book.book_subject.works", 1)
            for part in _parts_of(words):
                self._obscure(part, self._random.choice(list(_OBSCURE)), _PARTLY_NAMED)
            if self._happens(_NAMESAKE):
                self._clone(name, by_subject[self._random.choice(donors)])
            if len(words) > 1 and self._happens(_SAME_SURNAME):
                first = self._random.choice(_FIRST_NAMES)
                self._clone(f"{first} {words[-1]}", by_subject[self._random.choice(donors)])

    def add_common_words(self) -> None:
        """Add things that are called like the common words of WebQSP's training questions."""
        words = Counter(word for question in self._questions for word in content_words(question["RawQuestion"]))
        for word, _ in words.most_common(_WORDS):
            self._obscure(word.title(), self._random.choice(list(_OBSCURE)), _WORD)

    def write(self, folder: Path) -> None:
        """Write both files."""
        folder.mkdir(parents=True, exist_ok=True)
        facts = "".join("\t".join(fact) + "\n" for fact in self.facts)
        (folder / "triples.tsv").write_text(facts, encoding="utf-8")
        names = "".join(f"{mid}\t{name}\n" for mid, name in self.names.items() if name)
        (folder / "names.tsv").write_text(names, encoding="utf-8")

    def _happens(self, share: float) -> bool:
        return self._random.random() < share

    def _obscure(self, name: str, relation: str, share: float) -> None:
        if self._happens(share):
            mid = self._new(name)
            for _ in range(self._random.randint(1, 3)):
                self.facts[mid, relation, self._random.choice(self._targets)] = None

    def _clone(self, name: str, facts: list[Fact]) -> None:
        mid = self._new(name)
        for _, relation, target in facts:
            self.facts[mid, relation, target] = None

    def _new(self, name: str) -> str:
        self._made += 1
        mid = f"m.9{self._made:06d}"
        self.names[mid] = name
        return mid


def _parts_of(words: list[str]) -> Iterator[str]:
    if len(words) > 1:
        yield words[-1]
        yield words[0]
    if len(words) > 2:
        yield f"{words[0]} {words[-1]}"
        yield " ".join(words[:-1])


if __name__ == "__main__":
    graph = HardGraph(Path(sys.argv[1]))
    graph.add_topics()
    graph.add_confusable()
    graph.add_common_words()
    graph.write(Path(sys.argv[2]))
