"""A question that is asked in several ways at once: queued, worked off, compared, stopped, and who may do so."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import CommandError, call_command

from tests.webapp.conftest import KITT
from tests.webapp.labelled import signed_in
from webapp.accounts.models import Role
from webapp.asking.runs.models import Question, ReasoningRun, SideBySide
from webapp.asking.runs.worker import run_execute

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_django.fixtures import SettingsWrapper

    from tests.webapp.conftest import Browser

WAYS = [{"strategy": "reads"}, {"strategy": "beam", "width": 2}, {"strategy": "rog"}]
NOWHERE = "00000000-0000-0000-0000-000000000000"


def asked(browser: Browser, ways: object = WAYS, *, status: int = 201, **more: str) -> Any:
    return browser.post("/api/side-by-side", {"question": KITT, "ways": ways, **more}, status=status)


def work_off() -> None:
    for run in ReasoningRun.objects.filter(status="queued"):
        run_execute(run.pk)


def test_each_way_is_a_run_and_all_have_one_question(browser: Callable[[], Browser]) -> None:
    ada = browser()
    made = asked(ada)
    assert [(run["strategy"], run["scorer"], run["status"]) for run in made["runs"]] == [
        ("reads", "lexical", "queued"),
        ("beam", "lexical", "queued"),
        ("rog", "lexical", "queued"),
    ]
    assert made["runs"][1]["width"] == 2
    assert made["may_cancel"]
    assert (made["compared"], made["same_answers"], made["parting"]) == (0, [], None)
    assert Question.objects.count() == 1
    assert {run["side_by_side"] for run in made["runs"]} == {made["id"]}
    work_off()
    ended = ada.get(f"/api/side-by-side/{made['id']}")
    assert [run["status"] for run in ended["runs"]] == ["succeeded"] * 3
    assert not ended["may_cancel"]
    assert ended["compared"] == 3
    assert sorted(run for group in ended["same_answers"] for run in group) == sorted(run["id"] for run in ended["runs"])


def test_where_they_part_is_reported_by_an_event_of_each_run_and_in_words(browser: Callable[[], Browser]) -> None:
    """The words of the question say “events” to the scorer; what the explorer learned does not."""
    ada = browser()
    ways = [{"strategy": "reads"}, {"strategy": "etd"}, {"strategy": "rog"}]
    made = asked(ada, ways, question="what is the champion of Super Bowl XLV?")
    work_off()
    ended = ada.get(f"/api/side-by-side/{made['id']}")
    reads, etd, rog = (run["id"] for run in ended["runs"])
    assert [run["answers"] for run in ended["runs"]] == [["Super Bowl"], ["Green Bay Packers"], ["Super Bowl"]]
    assert ended["same_answers"] == [[reads, rog], [etd]]
    parting = ended["parting"]
    assert parting["shared"] == 1
    assert [(each["words"], each["alike"]) for each in parting["runs"]] == [
        ("Follow events backwards", 0),
        ("Follow champion", 1),
        ("Follow events backwards", 0),
    ]
    for each in parting["runs"]:
        event = ada.get(f"/api/runs/{each['run']}/events?after={each['seq'] - 1}")[0]["event"]
        assert (event["kind"], event["node"]["parent"]) == ("search_step", 0)


def test_a_run_that_stops_where_another_goes_on_has_no_decision_of_its_own(browser: Callable[[], Browser]) -> None:
    ada = browser()
    ways = [{"strategy": "reads"}, {"strategy": "etd"}]
    made = asked(ada, ways, question="which lakes are in the lake group?")
    work_off()
    parting = ada.get(f"/api/side-by-side/{made['id']}")["parting"]
    assert [(each["seq"] is None, each["words"]) for each in parting["runs"]] == [
        (True, ""),
        (False, "Follow contains"),
    ]


def test_a_failed_and_a_cancelled_run_are_not_compared(browser: Callable[[], Browser]) -> None:
    ada = browser()
    made = asked(ada)
    first, second, third = (run["id"] for run in made["runs"])
    ada.post(f"/api/runs/{first}/cancel")
    run_execute(second)
    now = ada.get(f"/api/side-by-side/{made['id']}")
    assert now["compared"] == 1
    assert now["same_answers"] == [[second]]
    assert now["parting"] is None
    assert [run["status"] for run in now["runs"]] == ["cancelled", "succeeded", "queued"]
    stopped = ada.post(f"/api/side-by-side/{made['id']}/cancel")
    assert [run["status"] for run in stopped["runs"]] == ["cancelled", "succeeded", "cancelled"]
    assert third in {run["id"] for run in stopped["runs"]}


def test_who_did_not_ask_looks_by_the_link_and_stops_nothing(browser: Callable[[], Browser]) -> None:
    made = asked(browser())
    other = browser()
    assert not other.get(f"/api/side-by-side/{made['id']}")["may_cancel"]
    assert other.post(f"/api/side-by-side/{made['id']}/cancel", status=403)["code"] == "not_your_run"
    admin = signed_in(browser, "cleo", Role.ADMIN)
    assert {run["status"] for run in admin.post(f"/api/side-by-side/{made['id']}/cancel")["runs"]} == {"cancelled"}


def test_only_who_asked_and_reviewers_read_it_where_the_site_says_so(
    browser: Callable[[], Browser], settings: SettingsWrapper
) -> None:
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"question_readers": "asker"})
    ada = browser()
    made = asked(ada)
    ada.get(f"/api/side-by-side/{made['id']}")
    assert browser().get(f"/api/side-by-side/{made['id']}", status=401)["code"] == "sign_in_first"
    ben = signed_in(browser, "ben", Role.ASKER)
    assert ben.get(f"/api/side-by-side/{made['id']}", status=403)["code"] == "not_your_question"
    assert signed_in(browser, "rita", Role.REVIEWER).get(f"/api/side-by-side/{made['id']}")["question"] == KITT


def test_each_way_counts_as_a_question_and_too_many_count_as_none(
    browser: Callable[[], Browser], settings: SettingsWrapper
) -> None:
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"visitor_rate": "4/hour"})
    ada = browser()
    asked(ada)
    refused = asked(ada, status=429)
    assert refused["message"].startswith("Limit: 4 questions in an hour. Wait ")
    assert "Each method counts as a question." in refused["message"]
    assert SideBySide.objects.count() == 1
    # The one that is left is not lost.
    ada.ask()
    assert ada.post("/api/runs", {"question": KITT}, status=429)["message"].startswith("Limit: 4 questions")


def test_what_cannot_be_asked_is_refused_as_a_whole(browser: Callable[[], Browser]) -> None:
    ada = browser()
    for ways, code in (
        ([{"strategy": "reads"}, {"strategy": "reads"}], "same_ways"),
        ([{}, {"strategy": "reads"}], "same_ways"),
        ([{"strategy": "reads"}, {"strategy": "guessing"}], "unknown_strategy"),
        ([{"strategy": "reads"}, {"strategy": "zero-shot"}], "strategy_unavailable"),
        ([{"strategy": "reads"}, {"scorer": "nobody"}], "unknown_scorer"),
        ([{"strategy": "reads"}], "invalid_request"),
        ([], "invalid_request"),
        (
            [{"strategy": "beam", "width": width} for width in range(1, 11)] + [{"strategy": "reads"}] * 3,
            "invalid_request",
        ),
    ):
        assert asked(ada, ways, status=422)["code"] == code
    assert asked(ada, status=422, topic="en.nobody")["code"] == "unknown_topic"
    assert asked(ada, status=422, graph="nowhere")["code"] == "graph_unavailable"
    assert not ReasoningRun.objects.exists()
    assert not Question.objects.exists()


def test_ways_that_differ_in_what_is_said_beside_the_strategy_are_different(browser: Callable[[], Browser]) -> None:
    made = asked(browser(), [{"strategy": "beam", "width": 2}, {"strategy": "beam", "width": 4}, {"strategy": "beam"}])
    assert [run["width"] for run in made["runs"]] == [2, 4, 3]


def test_the_last_questions_tell_it_once_and_lead_to_it(browser: Callable[[], Browser]) -> None:
    ada = browser()
    made = asked(ada)
    alone = ada.ask("who is Ada?")
    assert [run["id"] for run in ada.get("/api/runs")] == [alone["id"], made["runs"][0]["id"]]
    assert ada.get("/api/runs")[1]["side_by_side"] == made["id"]
    questions = ada.get("/api/questions")["questions"]
    assert [(each["question"], each["runs_total"]) for each in questions] == [("who is Ada?", 1), (KITT, 3)]


def test_a_question_that_is_deleted_takes_all_its_ways_with_it(browser: Callable[[], Browser]) -> None:
    ada = browser()
    made = asked(ada)
    work_off()
    ada.client.delete(f"/api/runs/{made['runs'][1]['id']}/question", headers={"X-CSRFToken": ada.token})
    assert not ReasoningRun.objects.exists()
    assert ada.get(f"/api/side-by-side/{made['id']}", status=404)["code"] == "unknown_side_by_side"


def test_nothing_is_at_an_address_that_nobody_made(browser: Callable[[], Browser]) -> None:
    assert browser().get(f"/api/side-by-side/{NOWHERE}", status=404)["code"] == "unknown_side_by_side"
    assert browser().post(f"/api/side-by-side/{NOWHERE}/cancel", status=404)["code"] == "unknown_side_by_side"


def test_the_command_prints_what_the_site_tells(capsys: pytest.CaptureFixture[str]) -> None:
    question = "what is the champion of Super Bowl XLV?"
    call_command("compare", question, "--strategy", "reads", "--strategy", "etd")
    output = capsys.readouterr().out
    for words in ("Super Bowl", "Green Bay Packers", "1 of 2 give the same answers; 2 different answers in total."):
        assert words in output
    assert "READS by lexical: Follow events backwards" in output
    assert "EtD by lexical: Follow champion" in output
    call_command("compare", question, "--strategy", "reads", "--strategy", "rog", "--json")
    one, two = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert [one["strategy"], two["strategy"]] == ["reads", "rog"]
    assert one["verdict"] == two["verdict"] == "answered"
    assert one["parts_at"] is None
    assert one["answers"][0]["term"]["label"] == "Super Bowl"


def test_the_command_compares_two_ways_at_least() -> None:
    with pytest.raises(CommandError, match="Only one combination to compare"):
        call_command("compare", KITT, "--strategy", "reads")
    with pytest.raises(CommandError, match="needs a language model that writes"):
        call_command("compare", KITT, "--strategy", "reads", "--strategy", "zero-shot")


def test_the_command_fails_with_a_status_where_a_run_fails(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        call_command("compare", KITT, "--strategy", "reads", "--strategy", "rog", "--topic", "en.nobody")
    assert stopped.value.code == 1
    assert capsys.readouterr().out.count("failed") == 2
