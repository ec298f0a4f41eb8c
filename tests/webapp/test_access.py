"""Who may do what: every way in that the site has, requested by every kind of viewer."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from channels.testing import WebsocketCommunicator
from django.test import Client
from django.urls import URLPattern, get_resolver
from django.utils import timezone

from tests.webapp.conftest import KITT
from tests.webapp.labelled import labelled_task
from webapp.accounts.models import ApiToken, Invitation, Role, User
from webapp.accounts.tokens import token_create
from webapp.api import api
from webapp.asgi import application, sockets
from webapp.asking.runs.models import ReasoningRun, SideBySide
from webapp.asking.runs.worker import run_execute
from webapp.datasets.models import Dataset
from webapp.evaluations.models import Evaluation
from webapp.evaluations.overlays.models import KeptOverlay
from webapp.explorer.models import Exploration
from webapp.graphs.models import GraphLoad
from webapp.models.pipelines.models import HeldOut, Pipeline
from webapp.models.trainings.models import Training
from webapp.platform.work.states import Status
from webapp.uploads.models import Upload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.webapp.conftest import Browser
    from webapp.labelling.projects.models import Task

PASSWORD = "a long password"
VIEWERS = ("visitor", "asker", "annotator", "reviewer", "admin")
ADDRESSES = {name: f"192.0.2.{number}" for number, name in enumerate(VIEWERS, start=1)}

IN = "in"
"""The request is let in: whatever becomes of it, it is not refused for who asks."""
SIGN_IN = "sign in"
"""401: a visitor."""
NO = "no"
"""403: a user without the permission."""
AWAY = "away"
"""Sent elsewhere: to sign in, or to the provider of single sign-on."""

EVERYBODY = dict.fromkeys(VIEWERS, IN)
PEOPLE = {**EVERYBODY, "visitor": SIGN_IN}
NO_PERSON = {**dict.fromkeys(VIEWERS, NO), "visitor": SIGN_IN}
ADMINS = {**NO_PERSON, "admin": IN}
ADMINS_IN_DJANGO = {**dict.fromkeys(VIEWERS, AWAY), "admin": IN}
ELSEWHERE = dict.fromkeys(VIEWERS, AWAY)
REVIEWERS = {**ADMINS, "reviewer": IN}
ANNOTATORS = {**REVIEWERS, "annotator": IN}
LABELLERS = {**NO_PERSON, "annotator": IN}
"""Who labels in the project; here the annotator alone."""
OWN = {**dict.fromkeys(VIEWERS, NO), "asker": IN}
"""Only for the asker."""
OWNERS = {**dict.fromkeys(VIEWERS, NO), "asker": IN, "admin": IN}
"""What is the asker's own, and administrators may end."""
KEPT = {**OWN, "visitor": SIGN_IN}
"""What the asker keeps privately with their account."""

TABLE: dict[str, dict[str, str]] = {
    "GET /api/session": EVERYBODY,
    "POST /api/session": EVERYBODY,
    "DELETE /api/session": EVERYBODY,
    "GET /api/account": PEOPLE,
    "PATCH /api/account": PEOPLE,
    "POST /api/account/password": PEOPLE,
    "GET /api/account/sessions": PEOPLE,
    "DELETE /api/account/sessions": PEOPLE,
    "DELETE /api/account/sessions/{session_id}": PEOPLE,
    "GET /api/account/tokens": PEOPLE,
    "POST /api/account/tokens": PEOPLE,
    "DELETE /api/account/tokens/{token_id}": PEOPLE,
    "POST /api/links/reset/mail": EVERYBODY,
    "POST /api/links/reset": EVERYBODY,
    "POST /api/links/invitation": EVERYBODY,
    "POST /api/links/invitation/accept": EVERYBODY,
    "GET /api/people": ADMINS,
    "PATCH /api/people/{person_id}": ADMINS,
    "DELETE /api/people/{person_id}/sessions": ADMINS,
    "DELETE /api/people/{person_id}/tokens": ADMINS,
    "GET /api/invitations": ADMINS,
    "POST /api/invitations": ADMINS,
    "DELETE /api/invitations/{invitation_id}": ADMINS,
    "GET /api/audit": ADMINS,
    "POST /api/uploads": ADMINS,
    "GET /api/uploads/{upload_id}": ADMINS,
    "PUT /api/uploads/{upload_id}": ADMINS,
    "DELETE /api/uploads/{upload_id}": ADMINS,
    "GET /api/graphs": EVERYBODY,
    "GET /api/graphs/{name}/entities": EVERYBODY,
    "GET /api/graphs/{name}/recognised": EVERYBODY,
    "GET /api/graphs/{name}/dependents": ADMINS,
    "DELETE /api/graphs/{name}": ADMINS,
    "GET /api/graph-loads": EVERYBODY,
    "POST /api/graph-loads": ADMINS,
    "POST /api/graph-loads/tables": ADMINS,
    "GET /api/graph-loads/{load_id}": EVERYBODY,
    "POST /api/graph-loads/{load_id}/cancel": ADMINS,
    "GET /api/graph-loads/{load_id}/passed-over": ADMINS,
    "GET /api/graph-loads/{load_id}/passed-over.csv": ADMINS,
    "GET /api/explore/{graph}/entity": EVERYBODY,
    "GET /api/explore/{graph}/facts": EVERYBODY,
    "GET /api/explore/{graph}/relation": EVERYBODY,
    "GET /api/explore/{graph}/common": EVERYBODY,
    "GET /api/explore/{graph}/paths": EVERYBODY,
    "POST /api/explore/{graph}/between": EVERYBODY,
    "GET /api/explore/{graph}/overview": EVERYBODY,
    "GET /api/explore/{graph}/schema": EVERYBODY,
    "GET /api/explore/{graph}/questions": EVERYBODY,
    "GET /api/explorations": PEOPLE,
    "POST /api/explorations": PEOPLE,
    "GET /api/explorations/{exploration_id}": KEPT,
    "PUT /api/explorations/{exploration_id}": KEPT,
    "DELETE /api/explorations/{exploration_id}": {**KEPT, "admin": IN},
    "GET /api/examples": EVERYBODY,
    "GET /api/strategies": EVERYBODY,
    "GET /api/runs": EVERYBODY,
    "POST /api/runs": EVERYBODY,
    "POST /api/side-by-side": EVERYBODY,
    "GET /api/side-by-side/{side_by_side_id}": EVERYBODY,
    "POST /api/side-by-side/{side_by_side_id}/cancel": OWNERS,
    "GET /api/questions": EVERYBODY,
    "GET /api/runs/{run_id}": EVERYBODY,
    "GET /api/runs/{run_id}/events": EVERYBODY,
    "GET /api/runs/{run_id}/answers": EVERYBODY,
    "GET /api/runs/{run_id}/facts": EVERYBODY,
    "GET /api/runs/{run_id}/queries": EVERYBODY,
    "POST /api/runs/{run_id}/cancel": OWNERS,
    "GET /api/runs/{run_id}/feedback": EVERYBODY,
    "PUT /api/runs/{run_id}/feedback": EVERYBODY,
    "DELETE /api/runs/{run_id}/feedback": EVERYBODY,
    "GET /api/feedback": REVIEWERS,
    "GET /api/feedback/feedback.csv": REVIEWERS,
    "GET /api/runs/{run_id}/variants": EVERYBODY,
    "POST /api/runs/{run_id}/variants": EVERYBODY,
    "GET /api/runs/{run_id}/difference": EVERYBODY,
    "GET /api/runs/{run_id}/options": EVERYBODY,
    "POST /api/runs/{run_id}/preview": EVERYBODY,
    "GET /api/annotation/home": ANNOTATORS,
    "GET /api/annotation/asked": REVIEWERS,
    "POST /api/annotation/asked": REVIEWERS,
    "GET /api/annotation/projects": ANNOTATORS,
    "POST /api/annotation/projects": REVIEWERS,
    "GET /api/annotation/projects/{project_id}": ANNOTATORS,
    "PATCH /api/annotation/projects/{project_id}": REVIEWERS,
    "GET /api/annotation/projects/{project_id}/guidelines": ANNOTATORS,
    "POST /api/annotation/projects/{project_id}/guidelines": REVIEWERS,
    "POST /api/annotation/projects/{project_id}/members": REVIEWERS,
    "PATCH /api/annotation/projects/{project_id}/members/{person_id}": REVIEWERS,
    "DELETE /api/annotation/projects/{project_id}/members/{person_id}": REVIEWERS,
    "GET /api/annotation/projects/{project_id}/qualification": ANNOTATORS,
    "GET /api/annotation/projects/{project_id}/progress": REVIEWERS,
    "POST /api/annotation/projects/{project_id}/suggestions/cancel": REVIEWERS,
    "POST /api/annotation/projects/{project_id}/suggestions/resume": REVIEWERS,
    "GET /api/annotation/projects/{project_id}/tasks": REVIEWERS,
    "GET /api/annotation/projects/{project_id}/tasks/{task_id}/labels": REVIEWERS,
    "POST /api/annotation/projects/{project_id}/tasks/{task_id}/labels/{label_id}/send-back": REVIEWERS,
    "POST /api/annotation/projects/{project_id}/next": LABELLERS,
    "GET /api/annotation/tasks/{task_id}": ANNOTATORS,
    "POST /api/annotation/tasks/{task_id}/moves": ANNOTATORS,
    "GET /api/annotation/tasks/{task_id}/moves": ANNOTATORS,
    "POST /api/annotation/tasks/{task_id}/present": ANNOTATORS,
    "GET /api/annotation/tasks/{task_id}/check": ANNOTATORS,
    "POST /api/annotation/tasks/{task_id}/ways": ANNOTATORS,
    "GET /api/annotation/exports": ANNOTATORS,
    "GET /api/annotation/projects/{project_id}/export": REVIEWERS,
    "GET /api/annotation/projects/{project_id}/export/file": REVIEWERS,
    "GET /api/annotation/projects/{project_id}/export/overlay": REVIEWERS,
    "POST /api/annotation/projects/{project_id}/export/overlay": ADMINS,
    "GET /api/annotation/projects/{project_id}/own-tasks": ANNOTATORS,
    "POST /api/annotation/tasks/{task_id}/reply": ANNOTATORS,
    "GET /api/annotation/projects/{project_id}/adjudication": REVIEWERS,
    "POST /api/annotation/tasks/{task_id}/adjudication": REVIEWERS,
    "POST /api/annotation/tasks/{task_id}/adjudication/led-to": REVIEWERS,
    "POST /api/annotation/tasks/{task_id}/adjudication/accept": REVIEWERS,
    "POST /api/annotation/tasks/{task_id}/adjudication/withdraw": REVIEWERS,
    "GET /api/annotation/projects/{project_id}/agreement": REVIEWERS,
    "POST /api/annotation/projects/{project_id}/agreement": REVIEWERS,
    "POST /api/annotation/projects/{project_id}/agreement/cancel": REVIEWERS,
    "GET /api/annotation/projects/{project_id}/agreement/tasks": REVIEWERS,
    "GET /api/annotation/projects/{project_id}/graph": REVIEWERS,
    "POST /api/annotation/projects/{project_id}/graph": REVIEWERS,
    "POST /api/annotation/projects/{project_id}/graph/cancel": REVIEWERS,
    "POST /api/annotation/projects/{project_id}/accepted/dataset": REVIEWERS,
    "GET /api/annotation/projects/{project_id}/log": REVIEWERS,
    "GET /api/annotation/projects/{project_id}/log/file": REVIEWERS,
    "POST /api/annotation/tasks/{task_id}/submit": ANNOTATORS,
    "POST /api/annotation/tasks/{task_id}/skip": ANNOTATORS,
    "POST /api/annotation/tasks/{task_id}/reopen": ANNOTATORS,
    "GET /api/datasets": EVERYBODY,
    "POST /api/datasets": ADMINS,
    "GET /api/datasets/{dataset_id}": EVERYBODY,
    "DELETE /api/datasets/{dataset_id}": ADMINS,
    "POST /api/datasets/{dataset_id}/cancel": ADMINS,
    "POST /api/datasets/{dataset_id}/reread": ADMINS,
    "POST /api/datasets/{dataset_id}/resume": ADMINS,
    "POST /api/datasets/{dataset_id}/archive": ADMINS,
    "POST /api/datasets/{dataset_id}/restore": ADMINS,
    "GET /api/datasets/{dataset_id}/questions": EVERYBODY,
    "GET /api/datasets/{dataset_id}/malformed": EVERYBODY,
    "GET /api/datasets/{dataset_id}/malformed.csv": EVERYBODY,
    "GET /api/evaluations": EVERYBODY,
    "POST /api/evaluations": ADMINS,
    "GET /api/evaluations/predictions/{upload_id}": ADMINS,
    "GET /api/evaluations/{evaluation_id}": EVERYBODY,
    "PATCH /api/evaluations/{evaluation_id}": ADMINS,
    "DELETE /api/evaluations/{evaluation_id}": ADMINS,
    "GET /api/evaluations/{evaluation_id}/removal": ADMINS,
    "GET /api/evaluations/{evaluation_id}/manifest": EVERYBODY,
    "GET /api/evaluations/{evaluation_id}/predictions.json": PEOPLE,
    "GET /api/evaluations/{evaluation_id}/report.html": EVERYBODY,
    "POST /api/evaluations/{evaluation_id}/cancel": ADMINS,
    "POST /api/evaluations/{evaluation_id}/resume": ADMINS,
    "GET /api/evaluations/{evaluation_id}/questions": PEOPLE,
    "GET /api/evaluations/{evaluation_id}/questions/{position}": PEOPLE,
    "POST /api/evaluations/{evaluation_id}/questions/{position}/run": PEOPLE,
    "GET /api/evaluations/{evaluation_id}/against/{other_id}": EVERYBODY,
    "GET /api/evaluations/{evaluation_id}/against/{other_id}/decisions/{position}": PEOPLE,
    "GET /api/evaluations/differences": EVERYBODY,
    "GET /api/evaluations/standings": EVERYBODY,
    "GET /api/evaluations/standings.json": EVERYBODY,
    "GET /api/evaluations/standings.csv": EVERYBODY,
    "GET /api/evaluations/agreement.csv": EVERYBODY,
    "GET /api/evaluations/{evaluation_id}/since": EVERYBODY,
    "GET /api/evaluations/{evaluation_id}/label-next": REVIEWERS,
    "GET /api/evaluations/{evaluation_id}/part": PEOPLE,
    "GET /api/evaluations/{evaluation_id}/results.jsonl": PEOPLE,
    "GET /api/evaluations/{evaluation_id}/results.csv": PEOPLE,
    "GET /api/evaluations/{evaluation_id}/overlays": EVERYBODY,
    "POST /api/evaluations/{evaluation_id}/overlays": ADMINS,
    "GET /api/evaluations/{evaluation_id}/overlays/{overlay_id}": EVERYBODY,
    "POST /api/evaluations/{evaluation_id}/overlays/{overlay_id}": EVERYBODY,
    "GET /api/evaluations/{evaluation_id}/overlays/{overlay_id}/questions": PEOPLE,
    "GET /api/overlays/{overlay_id}/file": PEOPLE,
    "DELETE /api/overlays/{overlay_id}": ADMINS,
    "GET /api/review/{of}/corrections": REVIEWERS,
    "POST /api/review/{of}/corrections": ADMINS,
    "GET /api/review/{of}/corrections/file": REVIEWERS,
    "GET /api/scorers": EVERYBODY,
    "GET /api/scorers/trainings": EVERYBODY,
    "POST /api/scorers/trainings": ADMINS,
    "POST /api/scorers/trainings/{training_id}/cancel": ADMINS,
    "POST /api/scorers/trainings/{training_id}/resume": ADMINS,
    "GET /api/scorers/data-efficiency": EVERYBODY,
    "GET /api/scorers/recipes": EVERYBODY,
    "POST /api/scorers/recipes": ADMINS,
    "GET /api/scorers/recipes/{name}.toml": EVERYBODY,
    "DELETE /api/scorers/recipes/{name}": ADMINS,
    "GET /api/learning": REVIEWERS,
    "GET /api/learning/ways": ADMINS,
    "POST /api/learning/chains": ADMINS,
    "GET /api/learning/chains/{chain_id}": REVIEWERS,
    "POST /api/learning/chains/{chain_id}/stop": ADMINS,
    "POST /api/learning/chains/{chain_id}/resume": ADMINS,
    "POST /api/learning/chains/{chain_id}/review": REVIEWERS,
    "POST /api/learning/held-out": ADMINS,
    "GET /api/learning/default": REVIEWERS,
    "POST /api/learning/default": ADMINS,
    "POST /api/learning/default/back": ADMINS,
    "PATCH /api/runs/{run_id}/question": OWN,
    "DELETE /api/runs/{run_id}/question": OWN,
    # Outside the API.
    "GET healthz": EVERYBODY,
    "GET /api/review": REVIEWERS,
    "GET /api/review/reviewers": REVIEWERS,
    "POST /api/review/views": REVIEWERS,
    "POST /api/review/views/{view_id}/remove": REVIEWERS,
    "POST /api/review/undo/{together}": REVIEWERS,
    "GET /api/review/{of}/cases": REVIEWERS,
    "GET /api/review/{of}/agreement": REVIEWERS,
    "POST /api/review/{of}/verdicts": REVIEWERS,
    "GET /api/review/{of}/cases/{key}": REVIEWERS,
    "POST /api/review/{of}/cases/{key}/verdict": REVIEWERS,
    "POST /api/review/{of}/cases/{key}/hold": REVIEWERS,
    "POST /api/review/{of}/cases/{key}/release": REVIEWERS,
    "GET /api/review/{of}/cases/{key}/laid-over": REVIEWERS,
    "GET /api/review/{of}/cases/{key}/annotation": REVIEWERS,
    "POST /api/review/{of}/cases/{key}/annotation": REVIEWERS,
    "GET readyz": EVERYBODY,
    "GET admin/": ADMINS_IN_DJANGO,
    "GET sign-in/single-sign-on": ELSEWHERE,
    "GET sign-in/single-sign-on/back": ELSEWHERE,
    "GET api/openapi.json": EVERYBODY,
    "GET ^api(?:/.*)?$": EVERYBODY,
    "GET ^(?!static/|ws/).*$": EVERYBODY,
    # Sockets.
    "SOCKET ws/runs/<uuid:run_id>/": EVERYBODY,
    "SOCKET ": EVERYBODY,
}
ADMINISTRATION = {
    "admin/accounts/user/",
    "admin/accounts/user/add/",
    "admin/accounts/auditentry/",
    "admin/questions/question/",
    "admin/questions/reasoningrun/",
    "admin/questions/runevent/",
    "admin/questions/sidebyside/",
}
"""Pages of Django's administration after its first one; all of them are for administrators alone."""

BODIES: dict[str, Any] = {
    "POST /api/uploads": {"name": "facts.tsv", "bytes": 9},
    "POST /api/graph-loads": {"name": "mine", "file": str(UUID(int=1))},
    "POST /api/graph-loads/tables": {"file": str(UUID(int=1))},
    "POST /api/session": {"username": "nobody", "password": "wrong"},
    "PATCH /api/account": {"name": "Somebody"},
    "POST /api/account/password": {"old": PASSWORD, "new": "another long password"},
    "POST /api/account/tokens": {"name": "a script", "password": PASSWORD},
    "POST /api/links/reset/mail": {"email": "nobody@example.org"},
    "POST /api/links/reset": {"key": "nothing", "password": PASSWORD},
    "POST /api/links/invitation": {"key": "nothing"},
    "POST /api/links/invitation/accept": {"key": "nothing", "username": "new", "password": PASSWORD},
    "PATCH /api/people/{person_id}": {"role": "reviewer"},
    "POST /api/invitations": {"email": "new@example.org", "role": "asker"},
    "POST /api/runs": {"question": KITT},
    "POST /api/side-by-side": {"question": KITT, "ways": [{"strategy": "reads"}, {"strategy": "beam"}]},
    "PUT /api/runs/{run_id}/feedback": {"says": "right"},
    "POST /api/explore/{graph}/between": {"ids": ["en.knight_rider"]},
    "POST /api/explorations": {"graph": "toy", "name": "Mine", "content": '{"form": 1}'},
    "PUT /api/explorations/{exploration_id}": {"revision": 1, "name": "Another"},
    "POST /api/annotation/asked": {"graph": "toy"},
    "POST /api/annotation/projects": {"title": "T", "questions": {"dataset": str(UUID(int=1))}, "graph": "toy"},
    "PATCH /api/annotation/projects/{project_id}": {"title": "Another"},
    "POST /api/annotation/projects/{project_id}/guidelines": {"text": "Label.", "changed": "All."},
    "POST /api/annotation/projects/{project_id}/members": {"name": "nobody-at-all"},
    "PATCH /api/annotation/projects/{project_id}/members/{person_id}": {"role": "annotator"},
    "POST /api/annotation/tasks/{task_id}/moves": {
        "after": 0,
        "moves": [{"id": str(UUID(int=1)), "was": {"note": ""}, "now": {"note": "x"}}],
    },
    "POST /api/annotation/tasks/{task_id}/present": {"seconds": 1},
    "POST /api/annotation/projects/{project_id}/tasks/{task_id}/labels/{label_id}/send-back": {"comment": "?"},
    "POST /api/annotation/tasks/{task_id}/reply": {"reply": "So be it."},
    "POST /api/annotation/tasks/{task_id}/adjudication/led-to": {"topic": "en.knight_rider", "steps": []},
    "POST /api/annotation/tasks/{task_id}/adjudication/accept": {"last": 0, "accepted": 0},
    "POST /api/annotation/tasks/{task_id}/adjudication/withdraw": {"accepted": 1},
    "POST /api/annotation/tasks/{task_id}/ways": {"topic": "en.knight_rider", "marked": ["en.kitt"]},
    "PATCH /api/runs/{run_id}/question": {"starred": True},
    "POST /api/runs/{run_id}/variants": {"change": {"kind": "end", "stage": "search", "number": 0}},
    "POST /api/runs/{run_id}/preview": {"change": {"kind": "end", "stage": "search", "number": 0}},
    "POST /api/datasets": {"file": "no such file"},
    "POST /api/evaluations": {"dataset": "no such file"},
    "PATCH /api/evaluations/{evaluation_id}": {"starred": True},
    "POST /api/evaluations/{evaluation_id}/overlays": {"upload": str(UUID(int=1))},
    "POST /api/review/views": {"name": "Mine", "query": "result=wrong"},
    "POST /api/review/{of}/verdicts": {"keys": ["1"], "says": "agree"},
    "POST /api/review/{of}/cases/{key}/verdict": {"says": "agree"},
    "POST /api/scorers/trainings": {"name": "mine", "recipe": "no such recipe"},
    "POST /api/scorers/recipes": {"name": "mine", "text": "title ="},
    "POST /api/learning/chains": {"name": "mine", "sources": [{"kind": "no such kind"}]},
    "POST /api/learning/held-out": {"dataset": "no such dataset"},
    "POST /api/learning/default": {"scorer": "no such model"},
}
QUERIES = {
    **{
        f"GET /api/evaluations/{several}": f"?id={UUID(int=1)}&id={UUID(int=2)}"
        for several in ("differences", "standings", "standings.json", "standings.csv", "agreement.csv")
    },
    "GET /api/runs/{run_id}/facts": "?position=1",
    "GET /api/runs/{run_id}/options": "?stage=search&number=0",
    "GET /api/graphs/{name}/entities": "?q=knight",
    "GET /api/graphs/{name}/recognised": "?q=Night+Rider",
    "GET /api/explore/{graph}/entity": "?id=en.knight_rider",
    "GET /api/explore/{graph}/facts": "?id=en.knight_rider&relation=tv.tv_program.regular_cast",
    "GET /api/explore/{graph}/relation": "?id=tv.tv_program.regular_cast",
    "GET /api/explore/{graph}/common": "?one=en.knight_rider&other=en.kitt",
    "GET /api/explore/{graph}/paths": "?source=en.knight_rider&target=en.kitt",
    "GET /api/explore/{graph}/questions": "?id=en.knight_rider",
    "PUT /api/uploads/{upload_id}": "?offset=0",
    "GET /api/evaluations/{evaluation_id}/overlays/{overlay_id}/questions": "?at=1",
}


def routes() -> set[str]:
    """Every route that the site really has."""
    found = {
        f"{method.upper()} {path}"
        for path, operations in api.get_openapi_schema()["paths"].items()
        for method in operations
        if method in {"get", "post", "put", "patch", "delete"}
    }
    for entry in get_resolver().url_patterns:
        pattern = str(entry.pattern)
        if pattern != "api/":
            found.add(f"GET {pattern}")
    assert all(isinstance(route, URLPattern) for route in sockets.routes)
    return found | {f"SOCKET {route.pattern}" for route in sockets.routes}


def test_every_route_stands_in_the_table() -> None:
    unwritten, gone = routes() - TABLE.keys(), TABLE.keys() - routes()
    assert not unwritten, f"Write into TABLE of {__file__} who may use: {', '.join(sorted(unwritten))}"
    assert not gone, f"Take out of TABLE of {__file__} what is no longer there: {', '.join(sorted(gone))}"


def test_the_api_has_no_route_that_its_schema_does_not_tell() -> None:
    """What the table is checked against is all that there is."""
    hidden = [
        path
        for prefix, router in api._routers
        for path, view in router.path_operations.items()
        for operation in view.operations
        if not operation.include_in_schema
    ]
    assert hidden == []


@dataclass
class World:
    """What the requests are about: all of it the asker's own, where it has an owner."""

    people: dict[str, User]
    run: ReasoningRun
    evaluation: Evaluation
    training: Training
    pipeline: Pipeline
    upload: Upload
    dataset: Dataset
    load: GraphLoad
    invitation: Invitation
    task: Task
    overlay: KeptOverlay
    exploration: Exploration

    def address(self, route: str, who: str) -> str:
        path = route.partition(" ")[2]
        person = self.people.get(who)
        ApiToken.objects.filter(name="to be revoked").delete()
        token = person and token_create(user=person, name="to be revoked", days=1)[0]
        session = person and person.signed_in_sessions.first()
        return path.format(
            run_id=self.run.pk,
            side_by_side_id=self.run.side_by_side_id,
            name="toy",
            graph="toy",
            evaluation_id=self.evaluation.pk,
            other_id=self.evaluation.pk,
            position=1,
            training_id=self.training.pk,
            chain_id=self.pipeline.pk,
            upload_id=self.upload.pk,
            dataset_id=self.dataset.pk,
            load_id=self.load.pk,
            project_id=self.task.project_id,
            task_id=self.task.pk,
            overlay_id=self.overlay.pk,
            exploration_id=self.exploration.pk,
            label_id=1,
            of=self.evaluation.pk,
            key=1,
            view_id=UUID(int=1),
            together=UUID(int=1),
            person_id=self.people["annotator"].pk,
            invitation_id=self.invitation.pk,
            token_id=token.pk if token else 1,
            session_id=session.pk if session else 1,
        ) + QUERIES.get(route, "")


@pytest.fixture
def world(browser: Callable[[], Browser]) -> World:
    people = {role.value: User.objects.create_user(f"{role}-person", password=PASSWORD, role=role) for role in Role}
    owner = browser()
    owner.token = owner.post("/api/session", {"username": "asker-person", "password": PASSWORD})["csrf_token"]
    run = ReasoningRun.objects.get(pk=owner.ask()["id"])
    run_execute(run.pk)
    run.refresh_from_db()
    run.side_by_side = SideBySide.objects.create(question=run.question)
    run.save()
    now = timezone.now()
    mine = Dataset.objects.create(
        name="mine",
        version=1,
        format="discern",
        file="mine.jsonl",
        file_bytes=9,
        status=Status.CANCELLED,
        enqueued_at=now,
        finished_at=now,
    )
    return World(
        people,
        run,
        Evaluation.objects.create(
            dataset="sample",
            format="webqsp",
            split="all",
            scorer="lexical",
            switches={},
            graph="toy",
            graph_title="Toy",
            status=Status.CANCELLED,
            seen_at=now,
            finished_at=now,
        ),
        Training.objects.create(
            name="mine", recipe="sample", status=Status.CANCELLED, enqueued_at=now, finished_at=now
        ),
        Pipeline.objects.create(
            name="mine",
            sources=[],
            held_out=HeldOut.objects.create(dataset=mine, split="all", graph="toy", questions=1),
            status=Status.CANCELLED,
            enqueued_at=now,
            finished_at=now,
        ),
        Upload.objects.create(name="facts.tsv", stored_name="facts.tsv", bytes=9, owner=people["admin"]),
        mine,
        GraphLoad.objects.create(
            name="mine", title="Mine", file_name="facts.tsv", status=Status.CANCELLED, enqueued_at=now, finished_at=now
        ),
        Invitation.objects.create(email="guest@example.org", role=Role.ASKER, expires_at=now),
        labelled_task(people["annotator"]),
        KeptOverlay.objects.create(corrections=1),
        Exploration.objects.create(
            name="Mine", graph="toy", owner=people["asker"], content='{"form": 1}', updated_at=now
        ),
    )


@pytest.fixture
def clients(world: World) -> Iterator[Callable[[str], Client]]:
    def signed_in(who: str) -> Client:
        client = Client(REMOTE_ADDR=ADDRESSES[who])
        if who != "visitor":
            client.force_login(world.people[who])
        return client

    return signed_in  # type: ignore[return-value]


def outcome(status: int) -> str:
    assert status < 500 or status == 503, status
    return {401: SIGN_IN, 403: NO, 302: AWAY}.get(status, IN)


@pytest.mark.parametrize("who", VIEWERS)
def test_each_viewer_gets_what_the_table_says(world: World, clients: Callable[[str], Client], who: str) -> None:
    wrong = []
    for route, expected in TABLE.items():
        method, _, path = route.partition(" ")
        if method == "SOCKET":
            continue
        # A fresh session for each: some of the requests end the one they come in.
        client = clients(who)
        if path.startswith("/api/"):
            body = json.dumps(BODIES.get(route, {}))
            response = client.generic(method, world.address(route, who), body, content_type="application/json")
        else:
            response = client.get({"^api(?:/.*)?$": "/api/nothing", "^(?!static/|ws/).*$": "/"}.get(path, f"/{path}"))
        got = outcome(response.status_code)
        if route == "POST /api/session":  # wrong on purpose for every user
            got = IN if got == SIGN_IN else got
        if got != expected[who]:
            wrong.append(f"{route}: {got}, not {expected[who]} ({response.status_code})")
        for person in world.people.values():  # some of the requests change these
            person.refresh_from_db()
            person.role, person.is_active = Role(person.username.removesuffix("-person")), True
            person.set_password(PASSWORD)
            person.save()
    assert not wrong, f"{who}: {wrong}"


@pytest.mark.parametrize("who", VIEWERS)
def test_the_administration_is_for_administrators(clients: Callable[[str], Client], who: str) -> None:
    for path in sorted(ADMINISTRATION):
        status = clients(who).get(f"/{path}").status_code
        allowed = 403 if path.endswith("add/") and "user" not in path else 200
        assert status == (allowed if who == "admin" else 302), path


def test_every_page_of_the_administration_is_known(clients: Callable[[str], Client]) -> None:
    from django.contrib import admin  # noqa: PLC0415 - only here

    pages = {f"admin/{model._meta.app_label}/{model._meta.model_name}/" for model in admin.site._registry}
    unwritten = pages - ADMINISTRATION
    assert not unwritten, f"Write into ADMINISTRATION of {__file__}: {', '.join(sorted(unwritten))}"


@pytest.mark.parametrize("who", VIEWERS)
async def test_each_viewer_gets_what_the_table_says_of_sockets(world: World, who: str) -> None:
    own = [(b"host", b"localhost"), (b"origin", b"http://localhost")]
    paths = {"SOCKET ws/runs/<uuid:run_id>/": f"/ws/runs/{world.run.pk}/", "SOCKET ": "/ws/nowhere/"}
    for route in (route for route in TABLE if route.startswith("SOCKET ")):
        communicator = WebsocketCommunicator(application, paths[route], headers=own)
        assert (await communicator.connect())[0]
        output = await communicator.receive_output(timeout=10)
        let_in = output["type"] == "websocket.send" or output["code"] == 4404
        assert (IN if let_in else NO) == TABLE[route][who]
        await communicator.disconnect()


@pytest.mark.parametrize("who", [who for who in VIEWERS if who != "visitor"])
def test_a_token_opens_what_its_owner_may_but_no_accounts(
    world: World, clients: Callable[[str], Client], who: str
) -> None:
    closed = ("/api/session", "/api/account", "/api/links", "/api/people", "/api/invitations")
    wrong = []
    for route, expected in TABLE.items():
        method, _, path = route.partition(" ")
        if not path.startswith("/api/"):
            continue
        secret = token_create(user=world.people[who], name="a script", days=1)[1]
        ApiToken.objects.exclude(name="a script").delete()
        # Whom the cookie belongs to does not count: here it is an administrator's.
        client = clients("admin")
        body = json.dumps(BODIES.get(route, {}))
        response = client.generic(
            method,
            world.address(route, who),
            body,
            content_type="application/json",
            headers={"Authorization": f"Bearer {secret}"},
        )
        wanted = NO if path.startswith(closed) and route != "GET /api/session" else expected[who]
        if outcome(response.status_code) != wanted:
            wrong.append(f"{route}: {response.status_code}, not {wanted}")
        ApiToken.objects.all().delete()
    assert not wrong, wrong
