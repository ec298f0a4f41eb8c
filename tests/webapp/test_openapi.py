"""The API keeps what its schema says: fuzzed by Schemathesis over a real server, as a visitor and as an administrator.

A new route needs nothing here: it is fuzzed because it is in the schema.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.test import Client
from django.utils import timezone
from ninja import Schema

from reasoning.datasets.overlay import Overlay, now, signed
from tests.webapp.conftest import KITT
from tests.webapp.labelled import labelled_task
from tests.webapp.web_server import WebServer
from webapp.accounts.models import Role, User
from webapp.accounts.viewer import Viewer
from webapp.api import api
from webapp.asking.questions.services import question_ask
from webapp.asking.runs.worker import run_execute
from webapp.evaluations.overlays.services import overlay_keep_signed
from webapp.evaluations.overlays.site_key import site_key
from webapp.evaluations.schemas import EvaluationIn, SwitchesIn
from webapp.evaluations.services import evaluation_create
from webapp.evaluations.working.worker import evaluation_work
from webapp.explorer.models import Exploration
from webapp.graphs.models import GraphLoad
from webapp.labelling.projects.labels.labelling import assignment_next
from webapp.models.trainings.schemas import TrainingIn
from webapp.models.trainings.services import training_create
from webapp.platform.environment import REPOSITORY
from webapp.platform.work.states import Status
from webapp.uploads.services import upload_create

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.webapp.web_server import Answer
    from webapp.evaluations.models import Evaluation
    from webapp.evaluations.overlays.models import KeptOverlay

IS_LONG = "FUZZ_EXAMPLES" in os.environ
"""Whether `make fuzz` runs, which sends every case; otherwise `tests.webapp.fuzz_fewer` bounds them."""
EXAMPLES = os.environ.get("FUZZ_EXAMPLES", "3")
"""Number of requests that are drawn for each route, besides those that its bounds and examples call for."""
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "unsupported_method",
    "allow_header_conformance",
    "use_after_free",
    "ensure_resource_availability",
)
ENDS_THE_SESSION = ("session_open", "session_close", "own_session_end", "person_sign_out", "person_change")
"""Not asked with an administrator's session, which they would end; a visitor asks them."""
REFUSES = """
[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 409, 413, 415, 422, 429]
"""
"""How a request is refused that the schema does not allow: 413 is for lists that are longer than a body may be."""

EXPLORED = {
    "id": "en.knight_rider",
    "relation": "tv.tv_program.regular_cast",
    "one": "en.knight_rider",
    "other": "en.glen_larson",
    "source": "en.knight_rider",
    "target": "en.william_daniels",
}
"""What the parameters of exploring name."""


@pytest.fixture(scope="module")
def server() -> Iterator[WebServer]:
    """A site without rate limits: an answer of 429 would hide the others."""
    server = WebServer(
        DISCERN_VISITOR_RATE="1000000/minute", DISCERN_USER_RATE="1000000/minute", DISCERN_READ_RATE="1000000/minute"
    )
    yield server
    server.end()


@pytest.fixture
def cleo() -> User:
    return User.objects.create_user("cleo", password="x", role=Role.ADMIN, is_staff=True, is_superuser=True)


@pytest.fixture
def known(cleo: User) -> dict[str, object]:
    """Values by the name of what takes them, which lead to things that are there."""
    admin = Viewer(cleo, None, "127.0.0.1")
    run = question_ask(text=KITT, viewer=Viewer(None, uuid.uuid4(), "127.0.0.1"))
    run_execute(run.pk)
    wanted = EvaluationIn(dataset="sample", graph="toy", limit=3, settings=SwitchesIn(topics="linked"))
    evaluation = evaluation_create(wanted=wanted, viewer=admin)
    while not evaluation.is_over:
        evaluation_work(evaluation.pk)
        evaluation.refresh_from_db()
    assert evaluation.status == Status.SUCCEEDED
    overlay = empty_overlay(evaluation, admin)
    upload = upload_create(name="facts.tsv", size=9, viewer=admin)
    load = GraphLoad.objects.create(name="mine", title="Mine", file_name="facts.tsv", enqueued_at=timezone.now())
    training = training_create(wanted=TrainingIn(name="mine", recipe="sample"), viewer=admin)
    return {
        "run_id": str(run.pk),
        "evaluation_id": str(evaluation.pk),
        "other_id": str(evaluation.pk),
        "overlay_id": str(overlay.pk),
        "upload_id": str(upload.pk),
        "load_id": str(load.pk),
        "training_id": str(training.pk),
        **labelling(cleo),
        "position": 1,
        "name": "toy",
        "question": KITT,
        "topic": "en.knight_rider",
        "graph": "toy",
        **exploring(cleo),
        "scorer": "lexical",
        "dataset": "sample",
        "format": "discern",
        "recipe": "sample",
    }


def empty_overlay(evaluation: Evaluation, admin: Viewer) -> KeptOverlay:
    """Corrections of nothing, for the dataset of an evaluation."""
    dataset = evaluation.snapshot
    assert dataset is not None
    made = Overlay(dataset.name, dataset.identity, dataset.identity_algorithm, "Cleo", now(), ())
    return overlay_keep_signed(file=signed(made, site_key()), name="none", dataset=dataset, viewer=admin)


def labelling(cleo: User) -> dict[str, object]:
    """A project in which an administrator labels, and a task that they have begun."""
    task = labelled_task(cleo)
    assignment_next(project=task.project, viewer=Viewer(cleo, None, "127.0.0.1"))
    return {"project_id": str(task.project_id), "task_id": task.pk}


def exploring(cleo: User) -> dict[str, object]:
    """An exploration that an administrator keeps."""
    kept = Exploration.objects.create(
        name="Mine", graph="toy", owner=cleo, content='{"form": 1}', updated_at=timezone.now()
    )
    return {"exploration_id": str(kept.pk), "revision": 1, "content": kept.content}


def with_examples(schema: dict[str, Any], known: Mapping[str, object]) -> dict[str, Any]:
    """The schema, its parameters and fields told by example."""
    for address, path in schema["paths"].items():
        values = {**known, **EXPLORED} if "/explore/" in address else known
        for operation in path.values():
            for parameter in operation["parameters"]:
                if parameter["name"] in values:
                    parameter["schema"]["examples"] = [values[parameter["name"]]]
    for body in schema["components"]["schemas"].values():
        if body.get("additionalProperties") is False:
            for name, field in body["properties"].items():
                if name in known:
                    field["examples"] = [known[name]]
    return schema


def fuzz(server: WebServer, session: Answer, cookies: list[str], known: Mapping[str, object], folder: Path) -> None:
    schema = folder / "openapi.json"
    schema.write_text(json.dumps(with_examples(dict(api.get_openapi_schema()), known)), encoding="utf-8")
    hooks = "" if IS_LONG else f"hooks = {json.dumps(str(Path(__file__).with_name('fuzz_fewer.py')))}\n"
    (folder / "schemathesis.toml").write_text(f"{hooks}{REFUSES}", encoding="utf-8")
    signed_in = session.json["user"] is not None
    # Each value of each field is tried once, by a user who may send it to every route.
    phases = "examples,coverage,fuzzing,stateful" if signed_in else "examples,fuzzing,stateful"
    command = [
        *(str(Path(sys.executable).with_name("schemathesis")), "run", str(schema), "--url", server.address),
        *("--phases", phases, "--max-examples", EXAMPLES),
        *("--checks", ",".join(CHECKS), "--suppress-health-check", "all", "--warnings", "off"),
        *("--generation-deterministic", "--generation-with-security-parameters", "false", "--continue-on-failure"),
        # Two threads that parse Python at once end CPython 3.11 with a SystemError now and then.
        *("--request-timeout", "60", "--no-color", "--workers", "1"),
        *("--header", f"Cookie: {'; '.join([*cookies, *session.cookies])}"),
        *("--header", f"X-CSRFToken: {session.json['csrf_token']}"),
        *(part for name in ENDS_THE_SESSION if signed_in for part in ("--exclude-operation-id", name)),
    ]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout[-30_000:]}{done.stderr[-5_000:]}"
    assert "Traceback" not in server.log_text()


def test_a_visitor_meets_nothing_that_the_schema_does_not_say(
    server: WebServer, known: dict[str, object], tmp_path: Path
) -> None:
    fuzz(server, server.send("GET", "/api/session"), [], known, tmp_path)


def test_an_administrator_meets_nothing_that_the_schema_does_not_say(
    server: WebServer, cleo: User, known: dict[str, object], tmp_path: Path
) -> None:
    client = Client()
    client.force_login(cleo)
    cookie = f"sessionid={client.cookies['sessionid'].value}"
    fuzz(server, server.send("GET", "/api/session", cookie=cookie), [cookie], known, tmp_path)
    assert server.send("GET", "/api/session", cookie=cookie).json["user"]["role"] == "admin"


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in api.get_openapi_schema()["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def test_every_route_tells_its_refusals_and_lets_visitors_call() -> None:
    for path, method, operation in operations():
        shown = set(operation["responses"])
        assert {400, 422, 503} <= shown, path
        if method != "get":
            assert {403, 413, 415} <= shown, path
        if "{" in path:
            assert 404 in shown, path
        assert {} in operation["security"], path


def bounded(schema: dict[str, Any], schemas: dict[str, Any]) -> bool:
    """Whether a number, a text or a list cannot be of any size, nor an object have any field."""
    if "$ref" in schema:
        return bounded(schemas[schema["$ref"].rpartition("/")[2]], schemas)
    if parts := schema.get("anyOf", schema.get("allOf", schema.get("oneOf"))):
        return all(bounded(each, schemas) for each in parts)
    fields = schema.get("properties", {}).values()
    by_type = {
        "integer": {"minimum", "maximum"} <= schema.keys(),
        "number": {"minimum", "maximum"} <= schema.keys(),
        "string": bool({"maxLength", "enum", "const", "format"} & schema.keys()),
        "array": "maxItems" in schema and bounded(schema["items"], schemas),
        "object": schema.get("additionalProperties") is False and all(bounded(each, schemas) for each in fields),
        "boolean": True,
        "null": True,
    }
    return by_type[schema["type"]]


def test_all_that_anybody_may_send_is_bounded() -> None:
    document = api.get_openapi_schema()
    for path, method, operation in operations():
        for parameter in operation["parameters"]:
            assert bounded(parameter["schema"], document["components"]["schemas"]), (path, method, parameter)
        for content in operation.get("requestBody", {}).get("content", {}).values():
            assert bounded(content["schema"], document["components"]["schemas"]), (path, method)


def test_the_openapi_document_is_the_committed_one_and_is_not_sent_again_to_a_client_that_has_it() -> None:
    first = Client().get("/api/openapi.json")
    committed = REPOSITORY / "frontend" / "openapi.json"
    assert first.json() == json.loads(committed.read_text(encoding="utf-8"))
    again = Client().get("/api/openapi.json", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert Client().post("/api/openapi.json", {}, content_type="application/json").status_code == 405


def test_no_two_schemas_share_a_name() -> None:
    """The document knows a schema by its name alone: of two it would tell one, wherever the other is meant."""
    modules = defaultdict(set)
    classes = [Schema]
    while classes:
        classes += (found := classes.pop().__subclasses__())
        for each in found:
            modules[each.__name__].add(each.__module__)
    shared = {
        name: places for name, places in modules.items() if len(places) > 1 and any("webapp" in p for p in places)
    }
    assert shared == {}
