"""A project over the hand-drawn graph, and the moves that label its questions."""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any

from django.core.management import call_command
from django.utils import timezone

from reasoning.datasets.identity import QuestionKey
from reasoning.datasets.question import BenchmarkQuestion
from webapp import engine
from webapp.accounts.models import Role, User
from webapp.datasets.models import Dataset, Question
from webapp.labelling.projects.models import Guideline, Member, Project, Task
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.webapp.conftest import Browser

PASSWORD = "a long password"
QUESTIONS = (
    ("kitt", "who plays the voice of KITT in Knight Rider?", ["en.william_daniels"]),
    ("creator", "who created Knight Rider?", ["en.glen_larson"]),
    ("jamaica", "what does jamaican people speak?", ["en.jamaican_english", "en.jamaican_creole"]),
    ("capital", "what is the capital of Jamaica?", ["en.kingston"]),
)
CAST = {"kind": "step", "position": 0, "relation": "tv.tv_program.regular_cast"}
ACTOR = {"kind": "step", "position": 1, "relation": "tv.regular_tv_appearance.actor"}
CHARACTER = {"kind": "step", "position": 1, "relation": "tv.regular_tv_appearance.character"}
IS_KITT = {"kind": "constraint", "position": 3, "operator": "=", "target": "en.kitt"}
EMPTY: dict[str, Any] = {
    "kind": "derivation",
    "topic": None,
    "steps": [],
    "steps_ended": False,
    "conditions": [],
    "conditions_ended": False,
    "answer": None,
    "counted": False,
    "marked": [],
    "facts": [],
    "missing": None,
    "readings": [],
    "rewording": "",
    "benchmark": None,
    "reports": [],
    "note": "",
    "flagged": False,
}
"""The draft before the first move."""


def dataset(folder: Path, count: int = len(QUESTIONS)) -> Dataset:
    """The first questions as a loaded dataset; more than there are repeat the second one."""
    rows = [*QUESTIONS, *((f"more-{n}", f"{QUESTIONS[1][1]} ({n})", QUESTIONS[1][2]) for n in range(count))][:count]
    path = folder / "toy.jsonl"
    lines = [json.dumps({"id": id_, "question": text, "topic": None, "answers": gold}) for id_, text, gold in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    call_command("load_dataset", str(path), "--format", "discern")
    return Dataset.objects.latest("created_at")


def signed_in(browser: Callable[[], Browser], name: str, role: Role = Role.ANNOTATOR) -> Browser:
    """The browser of a user, whose account is created if it is missing."""
    if not User.objects.filter(username=name).exists():
        User.objects.create_user(name, password=PASSWORD, first_name=name.title(), role=role)
    own = browser()
    own.token = own.post("/api/session", {"username": name, "password": PASSWORD})["csrf_token"]
    return own


def made(manager: Browser, of: Dataset, *people: str, **more: Any) -> dict[str, Any]:
    """A project over the hand-drawn graph."""
    wanted = {"title": "Television", "questions": {"dataset": str(of.pk)}, "graph": "toy", "people": list(people)}
    found: dict[str, Any] = manager.post("/api/annotation/projects", {**wanted, **more}, status=201)
    return found


def changed(who: Browser, path: str, body: object, status: int = 200) -> Any:
    """What a change is answered."""
    response = who.client.patch(path, body, content_type="application/json", headers={"X-CSRFToken": who.token})
    assert response.status_code == status, response.content
    return response.json()


def removed(who: Browser, path: str, status: int = 204) -> None:
    """See that something is taken out."""
    response = who.client.delete(path, headers={"X-CSRFToken": who.token})
    assert response.status_code == status, response.content


def labelled_task(person: User) -> Task:
    """A task in a project in which a user labels."""
    now = timezone.now()
    questions = Dataset.objects.create(
        name="labelled",
        version=1,
        format="discern",
        file="labelled.jsonl",
        file_sha256="0",
        file_bytes=9,
        status=Status.SUCCEEDED,
        identity="0",
        identity_algorithm="sha256-questions-1",
        enqueued_at=now,
        finished_at=now,
    )
    asked = BenchmarkQuestion("1", QUESTIONS[0][1], ())
    row = Question.of(questions, 1, asked, QuestionKey("0", "0"))
    row.save()
    info = engine.graph("toy").info()
    project = Project.objects.create(
        title="T", dataset=questions, graph="toy", graph_title="Toy", graph_version=info.version
    )
    Guideline.objects.create(project=project, version=1)
    Member.objects.create(project=project, person=person)
    return Task.objects.create(project=project, position=1, question=row, free=1)


class Labeller:
    """An annotator at a task, who edits its draft as a page does."""

    def __init__(self, browser: Browser, task: int) -> None:
        self.browser = browser
        self.address = f"/api/annotation/tasks/{task}"
        self.task: dict[str, Any] = browser.get(self.address)
        self.work: dict[str, Any] = self.task["work"]
        self.led_to: dict[str, Any] = self.task["led_to"]

    @classmethod
    def at_next(cls, browser: Browser, project: dict[str, Any]) -> Labeller:
        given = browser.post(f"/api/annotation/projects/{project['id']}/next")
        assert given["task"] is not None, given["reason"]
        return cls(browser, given["task"])

    def move(self, status: int = 200, **now: Any) -> dict[str, Any]:
        """Change some fields of the draft."""
        return self.send([self.drawn(**now)], status)

    def drawn(self, *, undoes: int | None = None, **now: Any) -> dict[str, Any]:
        """A move that is not sent yet."""
        was = {name: self.work["draft"][name] for name in now}
        return {"id": str(uuid.uuid4()), "was": was, "now": now, "undoes": undoes}

    def send(self, moves: list[dict[str, Any]], status: int = 200, after: int | None = None) -> dict[str, Any]:
        body = {"after": self.work["last"] if after is None else after, "moves": moves}
        reply: dict[str, Any] = self.browser.post(f"{self.address}/moves", body, status=status)
        if status == 200:
            self.work, self.led_to = reply["work"], reply["led_to"]
        return reply

    def label_kitt(self) -> None:
        """All moves that label the question of KITT."""
        self.move(topic="en.knight_rider")
        self.move(steps=[CAST])
        self.move(steps=[CAST, ACTOR])
        self.move(steps=[CAST, ACTOR, CHARACTER])
        self.move(steps_ended=True)
        self.move(conditions=[IS_KITT])
        self.move(conditions_ended=True)
        self.move(answer=2)

    def open_decision(self) -> tuple[str, int] | None:
        """The stage and the number of the decision that is asked next; None where there is none."""
        end = self.led_to["events"][-1]
        return (end["stage"], end["number"]) if end["kind"] == "undecided" else None

    def answers(self) -> list[str]:
        return [answer["label"] for answer in self.led_to["answers"]]
