"""The project to try labelling with: made once, and every label in it could have been made by its moves."""

from __future__ import annotations

import json

import pytest

from reasoning.datasets.sample_questions import SAMPLE_FOLDER
from webapp.accounts.demo import demo_accounts_ensure
from webapp.accounts.models import User
from webapp.accounts.viewer import Viewer
from webapp.datasets.models import Dataset
from webapp.labelling.projects.draft import Draft, MoveIn, draft_moved
from webapp.labelling.projects.labels.checks import label_faults
from webapp.labelling.projects.labels.labelling import assignment_next
from webapp.labelling.projects.labels.preview import draft_led_to
from webapp.labelling.projects.models import Assignment, Project
from webapp.labelling.projects.sample_project import ANNOTATORS, QUESTIONS, sample_project_ensure
from webapp.labelling.projects.selectors import assignment_get, work_out

pytestmark = pytest.mark.usefixtures("sample_graph_loaded")


@pytest.fixture
def project() -> Project:
    demo_accounts_ensure()
    made = sample_project_ensure()
    assert made is not None
    return made


def test_it_is_made_once_also_where_somebody_put_it_away(project: Project) -> None:
    assert sample_project_ensure() is None
    Dataset.objects.update(reader_version=0)  # as an earlier version read it
    assert sample_project_ensure() is None
    project.delete()
    assert sample_project_ensure() is None
    assert not Project.objects.exists()


def test_without_its_people_there_is_none() -> None:
    assert sample_project_ensure() is None


def test_every_label_holds_and_is_what_its_moves_fold_to(project: Project) -> None:
    work = list(Assignment.objects.select_related("task__question", "project", "person"))
    assert len(work) == 18
    for assignment in work:
        folded = Draft()
        for row in assignment.moves.order_by("number"):
            fields = {"id": row.move_id, "was": row.was, "now": row.now, "undoes": row.undoes}
            folded = draft_moved(folded, MoveIn.model_validate(fields))
        assert folded.model_dump(mode="json") == assignment.draft
        assert label_faults(assignment) == []
        assert work_out(assignment).last == assignment.last > 0


def test_the_annotators_agree_about_some_questions_and_not_about_others(project: Project) -> None:
    answers: dict[str, list[object]] = {}
    for assignment in Assignment.objects.select_related("task__question", "project").order_by("task", "person"):
        shown = draft_led_to(assignment)
        outcome = assignment.draft["kind"], sorted(answer.label for answer in shown.answers)
        answers.setdefault(assignment.task.question.question_id, []).append(outcome)
    differ = [question for question, (one, other) in answers.items() if one != other]
    assert differ == ["nba-001/1", "nfl-005/1", "music-111/1", "soccer-010/1", "geo-131/1"]
    assert project.tasks.filter(free=2).count() == 3, "some are left to be tried"


def test_its_questions_are_those_of_the_bundled_sample() -> None:
    rows = [json.loads(line) for path in SAMPLE_FOLDER.glob("*.jsonl") for line in path.read_text().splitlines()]
    bundled = {row["id"]: row for row in rows}
    for line in QUESTIONS.read_text().splitlines():
        row = json.loads(line)
        known = bundled[row["id"]]
        assert row.pop("question") in known["phrasings"]
        assert row == {name: value for name, value in known.items() if name != "phrasings"}


def test_the_first_task_of_an_annotator_is_one_that_nobody_labelled(project: Project) -> None:
    ben = Viewer(User.objects.get(username=ANNOTATORS[0]), None, "192.0.2.1")
    task = assignment_next(project=project, viewer=ben).task
    assert task is not None
    assert assignment_get(task_id=task, viewer=ben).task.question.question_id == "film-063/1"
