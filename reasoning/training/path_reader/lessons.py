"""What teaches the path reader: a question with relation paths around its topic, and which of them are right."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kgstore.terms import Entity, Term
from reasoning.core.options import DecisionState, Stage
from reasoning.core.structure import AbstractStructure
from reasoning.facts.relation_paths import relation_paths
from reasoning.gold.fitting import answer_f1
from reasoning.question.linking import link
from reasoning.scorers.path_reader.texts import question_texts

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from kgstore.store import GraphStore
    from reasoning.core.derivation import Derivation
    from reasoning.datasets.question import BenchmarkQuestion
    from reasoning.facts.relation_paths import PathEnd, RelationPath
    from reasoning.scorers.path_reader.reader import PathReader

FACTS_PER_STEP = 3_000
"""Maximum of facts of a step that are read to see where a path ends."""
_PATHS = 24
"""Maximum of paths of a lesson, besides the right one and what it begins with."""
_AS_GOOD = 0.99
"""A path whose answers are this close to the best ones, as a share of their F1, is as right."""


@dataclass(frozen=True, slots=True)
class PathLesson:
    """A question and the paths that it is compared with, those first that the reader takes for the best."""

    question: str
    """As `question_texts` gives it."""
    to_explain: str
    paths: tuple[RelationPath, ...]
    ends: tuple[PathEnd, ...]
    f1: tuple[float, ...]
    """By path, that of its answers against the gold ones."""
    right: tuple[bool, ...]
    """By path: the one of the gold derivation; where none is known, those whose answers are the best."""
    neutral: tuple[bool, ...]
    """By path: those that are not right, but have as good answers. They teach nothing."""


def path_lesson(question: BenchmarkQuestion, store: GraphStore, reader: PathReader) -> PathLesson | None:
    """A question as a lesson; None where its topic is not in the graph, or no path leads to an answer.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    readings = [one for one in question.parses if one.topic is not None and one.answers]
    topic = readings[0].topic if readings else None
    answers = frozenset[Term]().union(*(one.answers for one in readings if one.topic == topic))
    if topic is None or topic not in store.cards([topic]) or not _may_hold(store, answers):
        return None
    linking = link(question.text, store, topic)
    root = AbstractStructure.rooted((linking.topic and linking.topic.name) or topic.mid)
    state = DecisionState(Stage.SEARCH, question.text, root, linking.mention, linking.targets)
    asked, to_explain = question_texts(state)
    found = relation_paths(store, topic, lambda paths: reader.likenesses(asked, paths)[0].tolist())
    if not found.paths:
        return None
    spines = {spine_of(one.derivation) for one in readings if one.derivation is not None and one.topic == topic}
    with_gold = [*reader.best(asked, found.paths, _PATHS), *(path for path in found.paths if path in spines)]
    begun = [path[:length] for path in with_gold if path in spines for length in range(1, len(path))]
    paths = tuple(path for path in dict.fromkeys([*with_gold, *begun]) if path in found.kinds)
    f1 = tuple(answer_f1(ends_of(path, topic, store), answers) for path in paths)
    most = max(f1, default=0.0)
    if most == 0.0:
        return None
    good = tuple(one >= _AS_GOOD * most for one in f1)
    right = tuple(path in spines for path in paths)
    right = right if any(right) else good
    neutral = tuple(is_good and not is_right for is_good, is_right in zip(good, right, strict=True))
    ends = tuple(found.ends(store, paths, state.target_entities))
    return PathLesson(asked, to_explain, paths, ends, f1, right, neutral)


def _may_hold(store: GraphStore, answers: Collection[Term]) -> bool:
    entities = [answer for answer in answers if isinstance(answer, Entity)]
    return len(entities) < len(answers) or bool(store.cards(entities))


def spine_of(derivation: Derivation) -> RelationPath:
    """The relations from the topic to the answers."""
    ways: list[RelationPath] = [()]
    for step in derivation.steps:
        ways.append((*ways[step.position], step.relation))
    return ways[derivation.answer_position]


def ends_of(path: RelationPath, topic: Entity, store: GraphStore) -> frozenset[Term]:
    """What a path leads to besides the topic."""
    terms: Sequence[Term] = [topic]
    for relation in path:
        entities = [term for term in terms if isinstance(term, Entity)]
        triples = store.expand(entities, relation, FACTS_PER_STEP).triples if entities else ()
        terms = list(dict.fromkeys(t.subject if relation.is_reverse else t.object for t in triples))
    return frozenset(terms) - {topic}


def fewer(lesson: PathLesson, most: int, chance: Sequence[float]) -> PathLesson:
    """A lesson with at most ``most`` paths: the right ones, what they begin with, then the others by ``chance``."""
    rights = [path for path, is_right in zip(lesson.paths, lesson.right, strict=True) if is_right]

    def rank(place: int) -> tuple[bool, bool, float]:
        path = lesson.paths[place]
        begins = any(right[: len(path)] == path for right in rights)
        return not lesson.right[place], not begins, chance[place]

    kept = sorted((place for place in range(len(lesson.paths)) if not lesson.neutral[place]), key=rank)[:most]
    return replace(
        lesson,
        paths=tuple(lesson.paths[place] for place in kept),
        ends=tuple(lesson.ends[place] for place in kept),
        f1=tuple(lesson.f1[place] for place in kept),
        right=tuple(lesson.right[place] for place in kept),
        neutral=tuple(False for _ in kept),
    )
