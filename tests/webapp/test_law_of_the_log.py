"""What the API says of a run is the fold of its events, whatever they are and wherever they stop."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from reasoning.events import Failed, StageEvent
from tests.webapp.conftest import Browser
from webapp import engine
from webapp.asking.runs.transitions import ANSWERS_KEPT
from webapp.asking.runs.worker import run_execute
from webapp.platform.environment import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_django.fixtures import SettingsWrapper

RECORDED = sorted((REPOSITORY / "tests" / "recorded").rglob("*.json"))
EVENT: TypeAdapter[StageEvent] = TypeAdapter(StageEvent)


def events_of(path: Any) -> list[StageEvent]:
    return [EVENT.validate_python(row["event"]) for row in json.loads(path.read_text(encoding="utf-8"))]


def folded(log: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What a run has come to, read off its events alone."""
    state: dict[str, Any] = {"status": "running", "verdict": None, "answers": [], "last_seq": 0}
    for row in log:
        event = row["event"]
        state["last_seq"] = row["seq"]
        match event["kind"]:
            case "finished":
                labels = [answer["term"]["label"] for answer in event["answers"][:ANSWERS_KEPT]]
                state |= {"status": "succeeded", "verdict": event["verdict"], "answers": labels}
            case "undecided":
                state["status"] = "succeeded"
            case "failed":
                state["status"] = "failed"
            case "cancelled":
                state["status"] = "cancelled"
            case _:
                pass
    return state


def lawful(visitor: Browser, run_id: str) -> dict[str, Any]:
    run: dict[str, Any] = visitor.get(f"/api/runs/{run_id}")
    log = visitor.get(f"/api/runs/{run_id}/events")
    assert {name: run[name] for name in ("status", "verdict", "answers", "last_seq")} == folded(log)
    assert [row["seq"] for row in log] == list(range(1, len(log) + 1))
    return run


@pytest.fixture
def many(settings: SettingsWrapper) -> None:
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"visitor_rate": "10000/minute"})


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_run_is_the_fold_of_each_recorded_log(path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = events_of(path)
    monkeypatch.setattr(engine, "reason", lambda *_, **__: (event for event in shown))
    visitor = Browser()
    run_id = visitor.ask()["id"]
    run_execute(run_id)
    assert lawful(visitor, run_id)["last_seq"] == len(shown)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_run_is_the_fold_of_its_events_wherever_they_stop(
    many: None, monkeypatch: pytest.MonkeyPatch, data: st.DataObject
) -> None:
    shown = events_of(data.draw(st.sampled_from(RECORDED)))
    kept = shown[: data.draw(st.integers(0, len(shown) - 1))]
    ends = data.draw(st.sampled_from(["fails", "is cancelled"]))
    visitor = Browser()
    run_id = visitor.ask()["id"]

    def reasoned(*_: object, **__: object) -> Iterator[StageEvent]:
        yield from kept
        if ends == "fails":
            yield Failed(code="made_up", message="It broke.", retryable=True)
        else:
            visitor.post(f"/api/runs/{run_id}/cancel")
            yield from shown[len(kept) :]

    monkeypatch.setattr(engine, "reason", reasoned)
    run_execute(run_id)
    assert lawful(visitor, run_id)["last_seq"] == len(kept) + 1
