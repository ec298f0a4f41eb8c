from __future__ import annotations

import json
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import Client

from reasoning.events import TERMINAL_KINDS
from tests.hostile_graph import LONG, NAMES, QUESTION, load_hostile_graph
from tests.webapp.conftest import KITT
from webapp.asking.runs.models import ReasoningRun
from webapp.asking.runs.worker import run_execute


def _timeless(line: dict[str, Any]) -> dict[str, Any]:
    return {**line, "event": {k: v for k, v in line["event"].items() if k not in ("seconds", "cost")}}


def test_ask_prints_events_as_the_site_serves_them(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("ask", KITT, "--json")
    printed = [_timeless(json.loads(line)) for line in capsys.readouterr().out.splitlines()]
    client = Client()
    asked = client.post("/api/runs", {"question": KITT}, content_type="application/json").json()
    run_execute(ReasoningRun.objects.get().pk)
    served = client.get(f"/api/runs/{asked['id']}/events").json()
    assert printed == [_timeless(line) for line in served]


def test_ask_tells_people_every_stage(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("ask", "who is the champion of Super Bowl XLV?", "--topic", "en.super_bowl_xlv")
    output = capsys.readouterr().out
    assert "Super Bowl XLV" in output
    assert "Search" in output
    assert "model calls" in output


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


def test_ask_writes_nothing_to_the_terminal_that_the_terminal_would_obey(capsys: pytest.CaptureFixture[str]) -> None:
    load_hostile_graph(settings.ENVIRONMENT.home / "graphs")
    call_command("ask", QUESTION, "--graph", "fair", "--topic", "en.fair")
    output = capsys.readouterr().out
    assert "\x1b" not in output
    assert "\u202e" not in output
    for written in (
        "evil⟨U+202E⟩gpj.exe",
        "KI⟨U+200B⟩TT",
        "red ⟨U+001B⟩[31m herring",
        "[bold]markup[/]",
        "\u2068\u05e9",
    ):
        assert written in output
    assert LONG in output.replace("\n", "")


def test_names_are_kept_as_they_are_where_programs_read_them(capsys: pytest.CaptureFixture[str]) -> None:
    load_hostile_graph(settings.ENVIRONMENT.home / "graphs")
    call_command("ask", QUESTION, "--graph", "fair", "--topic", "en.fair", "--json")
    last = json.loads(capsys.readouterr().out.splitlines()[-1])["event"]
    assert {answer["term"]["label"] for answer in last["answers"]} == set(NAMES)


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


CAST_THEN_ACTOR = ("--change", "search:2=actor")


def test_a_decision_is_made_otherwise_and_the_answers_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("ask", KITT, *CAST_THEN_ACTOR)
    output = capsys.readouterr().out
    assert "What if: actor instead of character" in output
    assert "Continues another run: 2 decisions kept" in output
    assert "gained" in output
    assert "lost" in output


def test_changes_follow_one_another(capsys: pytest.CaptureFixture[str]) -> None:
    steps = ("--change", "SEARCH:2=tv.regular_tv_appearance.actor", "--change", "search:3=character")
    changes = ("--keep-later", *steps)
    call_command("ask", KITT, *changes, "--change", "prune:1=drop")
    output = capsys.readouterr().out
    assert output.count("What if:") == 3
    assert "without character is KITT" in output
    call_command("ask", KITT, *changes, "--change", "prune:1=drop", "--change", "prune:1=+character = Devon Miles")
    assert "with character is Devon Miles" in capsys.readouterr().out


def test_a_kind_is_set_in_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("ask", KITT, "--change", "prune:1=+character is a TV character")
    output = capsys.readouterr().out
    assert "with character is a TV character" in output


def test_of_a_change_programs_read_the_last_run_alone(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("ask", KITT, *CAST_THEN_ACTOR, "--json")
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))
    assert lines[0]["event"]["continued"]["change"] == {"kind": "replace", "stage": "search", "number": 1}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("actor", "is not a change. Write STAGE:N=OPTION"),
        ("search:2", "says no option"),
        ("search:0=actor", "counted from 1"),
        ("seek:1=actor", "no stage “seek”. Write begin, search, prune or answer"),
        ("search:2=pilot", "“pilot” was not among the options. Choose one of: .*actor"),
        ("search:2=character", "The run has chosen this"),
        ("search:9=actor", "no decision 9 in its stage “Search”"),
        ("begin:1=nobody at all", "Nothing in this graph is called"),
        ("prune:1=+character", "is no condition"),
        ("prune:1=+role = KITT", "no place “role”. Choose one of"),
        ("prune:2=+character is a country", "Nothing there is a “country”. Choose one of: .*TV character"),
        ("answer:1=drop", "exactly one"),
        ("reading:1", "no other reading 1"),
    ],
)
def test_a_change_that_means_nothing_says_what_to_write(change: str, says: str) -> None:
    with pytest.raises(CommandError, match=says):
        call_command("ask", KITT, "--change", change)


def test_another_topic_and_another_reading_in_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("ask", KITT, "--change", "begin:1=Super Bowl XLV")
    assert "Begin at Super Bowl XLV" in capsys.readouterr().out
    call_command("ask", KITT, "--strategy", "beam", "--change", "reading:1")
    assert "What if: other reading 1" in capsys.readouterr().out
