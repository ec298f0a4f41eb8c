"""A project to try labelling with: twelve questions of the bundled sample, of which two demo annotators labelled nine.

They agree about four. About the others they differ in ways that happen: a condition forgotten, another relation, the
answer taken one step too early, a *latest* that was overlooked, and a question that one of them gave up.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone

from kgstore.loading.sample import SAMPLE_GRAPH
from kgstore.store import GraphStoreError
from webapp import engine
from webapp.accounts.models import User
from webapp.datasets.models import Dataset
from webapp.datasets.services import dataset_register
from webapp.datasets.worker import dataset_load
from webapp.labelling.projects.draft import Draft, reading_of
from webapp.labelling.projects.labels.known_answers import label_answers
from webapp.labelling.projects.models import Assignment, Guideline, Member, Move, Project, State, Task

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reasoning.core.derivation import Derivation
    from webapp.datasets.models import Question

TITLE = "Try labelling"
ANNOTATORS = ("ben", "dan")
QUESTIONS = Path(__file__).parent / "sample_questions.jsonl"
_NAME = "labelling-sample"
_SECONDS = 45
"""Plausible active time for each label."""
GUIDELINE = """\
Label **how the answer is found**, decision by decision.

1. Choose what the question is *about*: the one thing from which all facts can be reached.
2. Take the facts that lead on, one after the other. Take those too that a condition needs: a year, a role.
3. Say *nothing more* when no further fact is needed.
4. Set the conditions that the question names. “In 2004” is one, “the latest” is one.
5. Choose where the answer stands, and compare the answers with what you know.

If the graph cannot answer the question, say so, and what is missing. Do not take a fact that merely looks like it.
"""


@dataclass(frozen=True)
class _Label:
    """How an annotator labelled a question: like the gold derivation, or how they differ from it."""

    steps: int | None = None
    """Maximum of steps, the first ones; all where it is left out."""
    relation: tuple[int, str] | None = None
    """Another relation at one step."""
    conditions: bool = True
    answer: int | None = None
    other: Mapping[str, Any] | None = None
    """What is no derivation: fields of the draft."""

    def fields(self, gold: Derivation | None) -> Iterator[dict[str, Any]]:
        """What each of the moves sets."""
        if self.other is not None:
            yield from ({name: value} for name, value in self.other.items())
            return
        if gold is None:
            raise ValueError("a question without a gold derivation has another label")
        read = reading_of(gold).model_dump(mode="json")
        steps = read["steps"][: self.steps]
        if self.relation is not None:
            number, relation = self.relation
            steps[number] = {**steps[number], "relation": relation}
        yield {"topic": read["topic"]}
        yield from ({"steps": steps[: count + 1]} for count in range(len(steps)))
        yield {"steps_ended": True}
        if self.conditions and read["conditions"]:
            yield {"conditions": read["conditions"]}
        yield {"conditions_ended": True}
        yield {"answer": read["answer"] if self.answer is None else self.answer}


_GOLD = _Label()
_LACKS_WEATHER = _Label(
    other={"kind": "unanswerable", "missing": {"what": "relation", "note": "The graph knows no weather."}}
)
_LABELS: Mapping[str, tuple[_Label, _Label]] = {
    "tv-001/1": (_GOLD, _GOLD),
    "geo-007/1": (_GOLD, _GOLD),
    "nba-001/1": (_GOLD, _Label(steps=2, conditions=False)),
    "nfl-005/1": (_GOLD, _Label(relation=(1, "sports.sports_championship_event.champion"))),
    "music-111/1": (_GOLD, _Label(answer=2)),
    "soccer-010/1": (_GOLD, _Label(steps=1, conditions=False)),
    "geo-131/1": (_LACKS_WEATHER, _Label(other={"kind": "reword", "rewording": "how high does Denver lie?"})),
    "country-064/1": (_GOLD, _GOLD),
    "org-035/1": (_GOLD, _GOLD),
}
"""By question, the label of each annotator."""


def sample_project_ensure() -> Project | None:
    """Make the project on the first start; None where it was made before, or its graph or people are not there.

    Raises:
        DatasetError: its file cannot be read.

    """
    if Dataset.objects.filter(name=_NAME).exists():
        return None
    people = list(User.objects.filter(username__in=ANNOTATORS).order_by("username"))
    try:
        info = engine.graph(SAMPLE_GRAPH).info()
    except GraphStoreError:
        return None
    if len(people) < len(ANNOTATORS):
        return None
    dataset, _ = dataset_register(QUESTIONS, name=_NAME, format="discern", file=QUESTIONS.name)
    dataset_load(dataset, QUESTIONS)
    with transaction.atomic():
        project = Project.objects.create(
            title=TITLE,
            dataset=dataset,
            graph=info.name,
            graph_title=info.title,
            graph_version=info.version,
            overlap=len(ANNOTATORS),
            tasks_total=dataset.questions_stored,
        )
        Guideline.objects.create(project=project, version=1, text=GUIDELINE)
        Member.objects.bulk_create([Member(project=project, person=one, guideline_seen=1) for one in people])
        _label(project, dataset, people)
    return project


def _label(project: Project, dataset: Dataset, people: Sequence[User]) -> None:
    """The tasks, and what the annotators labelled of them."""
    for position, question in enumerate(dataset.questions.order_by("position"), start=1):
        labels = _LABELS.get(question.question_id, ())
        free = project.overlap - len(labels)
        task = Task.objects.create(project=project, position=position, question=question, free=free)
        for person, label in zip(people, labels, strict=False):
            _hand_in(task, question, person, label)


def _hand_in(task: Task, question: Question, person: User, label: _Label) -> None:
    """A label in the state after its actions were made and it was submitted."""
    now = timezone.now()
    assignment = Assignment(
        task=task,
        project=task.project,
        person=person,
        state=State.SUBMITTED,
        seconds=_SECONDS,
        guideline=1,
        moved_at=now,
        submitted_at=now,
        draft=Draft().model_dump(mode="json"),
    )
    moves = []
    for number, now_set in enumerate(label.fields(question.to_benchmark().parses[0].derivation), start=1):
        was = {name: assignment.draft[name] for name in now_set}
        moves.append(Move.of(assignment, number=number, move_id=uuid.uuid4(), who=person, was=was, now=now_set))
        assignment.draft |= now_set
    assignment.last = len(moves)
    assignment.answers = label_answers(assignment)
    assignment.save()
    Move.objects.bulk_create(moves)
