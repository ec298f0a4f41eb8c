from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from reasoning.events import TERMINAL_KINDS
from tests.webapp.conftest import KITT
from webapp.runs.models import ReasoningRun
from webapp.runs.services import run_execute


def _timeless(line: dict[str, Any]) -> dict[str, Any]:
    return {**line, "event": {k: v for k, v in line["event"].items() if k not in ("seconds", "cost")}}


def test_ask_prints_events_as_the_site_serves_them(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("ask", KITT, "--json")
    printed = [_timeless(json.loads(line)) for line in capsys.readouterr().out.splitlines()]
    client = Client()
    asked = client.post("/api/runs", {"question": KITT}, content_type="application/json").json()
    run_execute(run_id=ReasoningRun.objects.get().pk)
    served = client.get(f"/api/runs/{asked['id']}/events").json()
    assert printed == [_timeless(line) for line in served]


def test_ask_tells_people_every_stage(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("ask", "who is the champion of Super Bowl XLV?", "--topic", "en.super_bowl_xlv")
    told = capsys.readouterr().out
    assert "Super Bowl XLV" in told
    assert "Search" in told
    assert "model calls" in told


def test_ask_says_which_graphs_there_are() -> None:
    with pytest.raises(CommandError, match="toy"):
        call_command("ask", KITT, "--graph", "nowhere")


def test_ask_fails_with_a_status_where_the_run_fails(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        call_command("ask", KITT, "--topic", "en.nobody", "--json")
    assert stopped.value.code == 1
    last = json.loads(capsys.readouterr().out.splitlines()[-1])["event"]
    assert last["kind"] in TERMINAL_KINDS
    assert last["code"] == "unknown_topic"


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("x" * 100_000, r"100000 characters; it may have 300\. Make it shorter"),
        ("who is \udcff", "holds half a character"),
        (" ", "Type a question first"),
    ],
)
def test_ask_refuses_what_the_page_would_refuse(question: str, says: str) -> None:
    with pytest.raises(CommandError, match=says):
        call_command("ask", question)
