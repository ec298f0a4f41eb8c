from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.core.management import call_command
from django.test import Client

from kgstore.terms import Entity
from reasoning.events import Started
from reasoning.gold.decomposition import decompose
from tests.webapp.conftest import KITT
from webapp.accounts.models import Role, User
from webapp.asking.runs.models import Question, ReasoningRun, RunEvent
from webapp.asking.runs.worker import run_execute

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_django.fixtures import SettingsWrapper

    from tests.webapp.conftest import Browser

pytestmark = pytest.mark.parametrize("graph_store", ["sqlite", "neo4j"], indirect=True)


def test_a_visitor_asks_and_whoever_has_the_link_reads_every_event(browser: Callable[[], Browser]) -> None:
    visitor = browser()
    asked = visitor.ask()
    assert asked["status"] == "queued"
    assert asked["may_cancel"]
    run_execute(ReasoningRun.objects.get().pk)

    anybody = browser()
    seen = anybody.get(f"/api/runs/{asked['id']}")
    assert seen["status"] == "succeeded"
    assert not seen["may_cancel"]
    events = anybody.get(f"/api/runs/{asked['id']}/events")
    assert [event["seq"] for event in events] == list(range(1, seen["last_seq"] + 1))
    assert events[0]["event"]["question"] == KITT
    assert events[-1]["event"]["kind"] == "finished"
    assert anybody.get(f"/api/runs/{asked['id']}/events?after={len(events) - 1}") == events[-1:]


def test_ones_own_runs_are_listed_newest_first_and_survive_signing_in(
    browser: Callable[[], Browser], ada: User
) -> None:
    visitor, other = browser(), browser()
    first, second = visitor.ask("one"), visitor.ask("two")
    other.ask("three")
    assert [run["id"] for run in visitor.get("/api/runs?mine=1")] == [second["id"], first["id"]]
    signed_in = visitor.post("/api/session", {"username": "ada", "password": "a long password"})
    assert signed_in["user"] == {"name": "Ada", "username": "ada", "role": "asker"}
    visitor.token = signed_in["csrf_token"]
    visitor.ask("four")
    assert [run["question"] for run in visitor.get("/api/runs?limit=2")] == ["four", "two"]


def test_signing_out_forgets_who_it_was(browser: Callable[[], Browser], ada: User) -> None:
    visitor = browser()
    visitor.token = visitor.post("/api/session", {"username": "ada", "password": "a long password"})["csrf_token"]
    response = visitor.client.delete("/api/session", headers={"X-CSRFToken": visitor.token})
    assert response.json()["user"] is None
    assert visitor.get("/api/session")["user"] is None


def test_a_wrong_password_is_refused(browser: Callable[[], Browser], ada: User) -> None:
    refused = browser().post("/api/session", {"username": "ada", "password": "guess"}, status=401)
    assert refused["code"] == "wrong_password"


def test_passwords_cannot_be_guessed_without_end(browser: Callable[[], Browser], ada: User) -> None:
    visitor = browser()
    codes = [
        visitor.client.post(
            "/api/session",
            {"username": "ada", "password": "guess"},
            content_type="application/json",
            headers={"X-CSRFToken": visitor.token},
        ).json()["code"]
        for _ in range(21)
    ]
    assert codes[0] == "wrong_password"
    assert "too_many_requests" in codes


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"question": "   "}, "empty_question"),
        ({"question": "x" * 301}, "question_too_long"),
        ({"question": KITT, "graph": "nowhere"}, "graph_unavailable"),
        ({"question": KITT, "topic": "en.nobody"}, "unknown_topic"),
        ({"question": KITT, "scorer": "oracle"}, "unknown_scorer"),
        ({"question": KITT, "gold": ["en.kitt"]}, "invalid_request"),
        ({}, "invalid_request"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused_with_a_reason(
    browser: Callable[[], Browser], body: dict[str, object], code: str
) -> None:
    refused = browser().post("/api/runs", body, status=422)
    assert set(refused) == {"code", "message", "extra"}
    assert refused["code"] == code
    assert refused["message"]
    assert Question.objects.count() == 0


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("get", "/api/nothing", 404, "not_found"),
        ("get", "/api", 404, "not_found"),
        ("get", "/api/runs/11111111-1111-4111-8111-111111111111", 404, "unknown_run"),
        ("get", "/api/runs/11111111-1111-4111-8111-111111111111/events", 404, "unknown_run"),
        ("get", "/api/runs/not-an-id", 404, "not_found"),
        ("put", "/api/runs", 405, "method_not_allowed"),
        ("get", "/api/runs?limit=0", 422, "invalid_request"),
        ("get", "/api/graphs/nowhere/entities?q=a", 404, "graph_unavailable"),
    ],
)
def test_every_error_has_the_one_body(method: str, path: str, status: int, code: str) -> None:
    response = getattr(Client(), method)(path)
    assert response.status_code == status
    assert set(response.json()) == {"code", "message", "extra"}
    assert response.json()["code"] == code


def test_an_unexpected_error_has_the_one_body_too(
    browser: Callable[[], Browser], caplog: pytest.LogCaptureFixture
) -> None:
    visitor = browser()
    run = visitor.ask()
    RunEvent.objects.create(run_id=run["id"], seq=1, kind="started", event={"kind": "no such kind"})
    broken = visitor.get(f"/api/runs/{run['id']}/events", status=500)
    assert broken["code"] == "unexpected"
    assert "no such kind" not in broken["message"]
    assert "GET" in caplog.text


def test_a_foreign_host_gets_the_one_body() -> None:
    response = Client().get("/api/session", headers={"Host": "evil.example"})
    assert response.status_code == 400
    assert response.json()["code"] == "bad_request"


def test_who_asks_too_much_is_shown_how_long_to_wait(
    browser: Callable[[], Browser], ada: User, settings: SettingsWrapper
) -> None:
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"visitor_rate": "2/hour"})
    visitor = browser()
    visitor.ask()
    browser().ask()
    response = visitor.client.post(
        "/api/runs", {"question": KITT}, content_type="application/json", headers={"X-CSRFToken": visitor.token}
    )
    assert response.status_code == 429
    refused = response.json()
    assert refused["code"] == "too_many_requests"
    assert 0 < refused["extra"]["wait_seconds"] <= 3600
    assert response.headers["Retry-After"] == str(refused["extra"]["wait_seconds"])
    assert f"Wait {refused['extra']['wait_seconds']} s" in refused["message"]
    visitor.token = visitor.post("/api/session", {"username": "ada", "password": "a long password"})["csrf_token"]
    visitor.ask()


def test_a_request_that_another_site_sent_is_refused(browser: Callable[[], Browser]) -> None:
    visitor = browser()
    response = visitor.client.post("/api/runs", {"question": KITT}, content_type="application/json")
    assert response.status_code == 403
    assert response.json()["code"] == "csrf_failed"
    assert Question.objects.count() == 0


def test_only_who_asked_may_cancel(browser: Callable[[], Browser]) -> None:
    visitor, stranger = browser(), browser()
    run = visitor.ask()
    assert not stranger.get(f"/api/runs/{run['id']}")["may_cancel"]
    assert stranger.post(f"/api/runs/{run['id']}/cancel", status=403)["code"] == "not_your_run"
    cancelled = visitor.post(f"/api/runs/{run['id']}/cancel")
    assert cancelled["status"] == "cancelled"
    assert visitor.get(f"/api/runs/{run['id']}/events")[-1]["event"] == {"kind": "cancelled"}
    assert visitor.post(f"/api/runs/{run['id']}/cancel")["last_seq"] == cancelled["last_seq"]


def test_an_admin_may_cancel_any_run_and_others_who_sign_in_may_not(browser: Callable[[], Browser], ada: User) -> None:
    User.objects.create_user("cleo", password="a long password", role=Role.ADMIN, is_staff=True)
    run = browser().ask()
    for name, may in (("ada", False), ("cleo", True)):
        someone = browser()
        someone.token = someone.post("/api/session", {"username": name, "password": "a long password"})["csrf_token"]
        assert someone.get(f"/api/runs/{run['id']}")["may_cancel"] is may
        cancelled = someone.post(f"/api/runs/{run['id']}/cancel", status=200 if may else 403)
        assert cancelled.get("status", cancelled.get("code")) == ("cancelled" if may else "not_your_run")


def test_the_graph_is_listed_and_searched_as_one_types(browser: Callable[[], Browser]) -> None:
    visitor = browser()
    graph = visitor.get("/api/graphs")[0]
    assert (graph["name"], graph["title"], graph["is_default"]) == ("toy", "Toy", True)
    assert visitor.get("/api/graphs/toy/entities?q=") == []
    found = visitor.get("/api/graphs/toy/entities?q=knig")
    assert {"Knight Rider", "Michael Knight"} <= {entity["name"] for entity in found}
    assert visitor.get("/api/graphs/toy/entities?q=jamaican&limit=3")[0]["matched"]
    assert len(visitor.get("/api/graphs/toy/entities?q=l&limit=2")) == 2
    assert [entity["name"] for entity in visitor.get("/api/graphs/toy/entities?q=kngiht+ridr")] == ["Knight Rider"]
    types = [entity for entity in visitor.get("/api/graphs/toy/entities?q=tv+prog") if entity["hint"] == "type"]
    assert [entity["id"] for entity in types] == ["tv.tv_program", "tv.tv_program_creator"]


def test_all_facts_of_a_position_are_read_from_the_graph_page_by_page(browser: Callable[[], Browser]) -> None:
    visitor = browser()
    asked = visitor.ask("who is the champion of the Super Bowl events in 2011?")
    run_execute(ReasoningRun.objects.get().pk)
    steps = [
        event["event"]
        for event in visitor.get(f"/api/runs/{asked['id']}/events")
        if event["event"]["kind"] == "search_step"
    ]
    assert steps
    for step in steps:
        position = step["node"]["position"]
        page = visitor.get(f"/api/runs/{asked['id']}/facts?position={position}")
        assert page["total"] == step["facts_gained"]
        assert [{k: v for k, v in fact.items() if k != "removed"} for fact in page["facts"]] == step["facts"]
        rest = visitor.get(f"/api/runs/{asked['id']}/facts?position={position}&offset=1&limit=1")
        assert rest["facts"] == page["facts"][1:2]
    missing = visitor.get(f"/api/runs/{asked['id']}/facts?position=99", status=404)
    assert missing["code"] == "unknown_position"


def test_the_way_to_the_answers_is_exported_as_queries(browser: Callable[[], Browser]) -> None:
    visitor = browser()
    asked = visitor.ask(KITT)
    early = visitor.get(f"/api/runs/{asked['id']}/queries", status=409)
    assert early["code"] == "no_query"
    run_execute(ReasoningRun.objects.get().pk)
    events = [event["event"] for event in visitor.get(f"/api/runs/{asked['id']}/events")]
    steps = [event["node"]["relation"]["id"] for event in events if event["kind"] == "search_step"]
    queries = visitor.get(f"/api/runs/{asked['id']}/queries")
    sparql, cypher = queries["sparql"], queries["cypher"]
    read = decompose(sparql, Entity("en.knight_rider")).derivation
    assert read is not None
    assert {str(step.relation) for step in read.steps} <= set(steps)
    assert cypher.startswith(':param graph => "toy";\n:param topic => "en.knight_rider";\n')


def test_what_a_question_seems_to_name_is_reported_while_it_is_typed(browser: Callable[[], Browser]) -> None:
    visitor = browser()
    [night_rider] = visitor.get("/api/graphs/toy/recognised?q=who+made+Night+Rider?")
    assert (night_rider["start"], night_rider["end"], night_rider["likeness"]) == (9, 20, "misspelt")
    assert night_rider["entities"][0]["name"] == "Knight Rider"
    never, _ = visitor.get("/api/graphs/toy/recognised?q=who+never+played+KITT?")
    assert (never["start"], never["end"], never["likeness"], never["entities"]) == (4, 9, "negation", [])
    assert visitor.get("/api/graphs/toy/recognised") == []
    assert visitor.get("/api/graphs/nowhere/recognised?q=KITT", status=404)["code"]
    assert visitor.get("/api/graphs/toy/recognised?q=" + "a" * 2001, status=422)


def test_the_sample_has_an_example_of_each_kind(browser: Callable[[], Browser]) -> None:
    assert len({example["kind"] for example in browser().get("/api/examples?graph=sample")}) == 6


def test_examples_of_another_graph_are_made_of_its_commonest_relations(browser: Callable[[], Browser]) -> None:
    visitor = browser()
    examples = visitor.get("/api/examples?graph=toy")
    assert [example["question"] for example in examples] == [
        "what is the surface elevation of Lake Alder?",
        "what does Lake Group contain?",
        "what is the date of birth of David Hasselhoff?",
        "which sports championship has Super Bowl XLV among its events?",
        "which championship final has Baltimore Ravens as its champion?",
        "which country has Jamaican Creole English Language among its languages spoken?",
    ]
    assert examples[0]["kind"] == "3 such facts"
    [toy] = [graph for graph in visitor.get("/api/graphs") if graph["name"] == "toy"]
    assert toy["commonest"][0] == {"label": "surface elevation", "context": "body of water", "triples": 3}
    assert "no graph named" in visitor.get("/api/examples?graph=nowhere", status=404)["message"]


def test_health_and_readiness_say_what_is_missing() -> None:
    assert Client().get("/healthz").json() == {"status": "ok"}
    response = Client().get("/readyz")
    assert response.status_code == 503
    parts = response.json()["parts"]
    assert {name: part["ok"] for name, part in parts.items()} == {
        "database": True,
        "disk": True,
        "redis": True,
        "graph": True,
        "worker": False,
        "scorer": False,
        "queues": False,
    }
    assert "celery -A webapp.celery worker" in parts["worker"]["reason"]


def test_pages_carry_a_strict_policy_and_the_api_is_never_a_page(browser: Callable[[], Browser]) -> None:
    response = Client().get("/")
    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert Client().get("/runs/anything").content == response.content
    assert Client().get("/static/nothing.js").status_code == 404


def test_the_committed_schema_is_fresh_and_names_the_union_of_events() -> None:
    call_command("export_openapi", "--check")


def test_an_admin_reads_questions_runs_and_events_and_changes_none(browser: Callable[[], Browser]) -> None:
    User.objects.create_superuser("root", password="a long password")
    run = ReasoningRun.objects.get(pk=browser().ask()["id"])
    run_execute(run.pk)
    client = Client()
    assert client.get("/admin/questions/reasoningrun/").status_code == 302
    assert client.login(username="root", password="a long password")
    for model in ("question", "reasoningrun", "runevent"):
        assert client.get(f"/admin/questions/{model}/").status_code == 200
        assert client.get(f"/admin/questions/{model}/add/").status_code == 403
    assert KITT in client.get("/admin/questions/reasoningrun/").content.decode()
    page = client.get(f"/admin/questions/reasoningrun/{run.pk}/change/")
    assert page.status_code == 200
    assert b"_save" not in page.content
    event = RunEvent.objects.filter(run=run).earliest("seq")
    assert event.kind == Started.model_fields["kind"].default
    assert client.post(f"/admin/questions/runevent/{event.pk}/change/", {"seq": 9}).status_code == 403
    assert client.get("/admin/accounts/user/").status_code == 200


def test_an_asker_may_not_enter_the_admin(ada: User) -> None:
    client = Client()
    client.force_login(ada)
    assert client.get("/admin/").status_code == 302
