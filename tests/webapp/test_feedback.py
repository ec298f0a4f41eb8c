"""Whether people call answers right: one say each, kept with the run, read by reviewers."""

from __future__ import annotations

import csv
import io
import uuid
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.webapp.conftest import KITT
from tests.webapp.told_by_services import refused
from webapp.accounts.models import Role, User
from webapp.accounts.viewer import Viewer
from webapp.asking.feedback.models import Feedback, Says
from webapp.asking.feedback.selectors import COLUMNS, feedback_of, feedback_page, feedback_table
from webapp.asking.feedback.services import feedback_give, feedback_withdraw
from webapp.asking.questions.own import question_erase
from webapp.asking.questions.services import question_ask
from webapp.asking.runs.services import run_cancel
from webapp.asking.runs.worker import run_execute

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_django.fixtures import SettingsWrapper

    from tests.webapp.conftest import Browser
    from webapp.asking.feedback.schemas import FeedbackPageOut
    from webapp.asking.runs.models import ReasoningRun


CAST = "who was in the regular cast of Knight Rider?"


def person(name: str, role: Role = Role.ASKER) -> Viewer:
    return Viewer(User.objects.create_user(name, password="a long password", role=role), None, "192.0.2.1")


@pytest.fixture
def visitor() -> Viewer:
    return Viewer(None, uuid.uuid4(), "192.0.2.2")


@pytest.fixture
def rita() -> Viewer:
    return person("rita", Role.REVIEWER)


def answered(viewer: Viewer, text: str = KITT) -> ReasoningRun:
    run = question_ask(text=text, viewer=viewer, graph="toy", scorer="lexical")
    run_execute(run.pk)
    run.refresh_from_db()
    return run


def said(run: ReasoningRun, viewer: Viewer) -> tuple[str, str] | None:
    shown = feedback_of(run=run, viewer=viewer)
    return shown and (shown.says, shown.expected)


def page(viewer: Viewer, **more: Any) -> FeedbackPageOut:
    wanted = {"says": None, "corrected": False, "search": "", "offset": 0, "limit": 20, **more}
    return feedback_page(viewer=viewer, **wanted)


def test_each_person_has_one_say_and_may_change_it(visitor: Viewer) -> None:
    run, ada = answered(visitor), person("ada")
    assert said(run, ada) is None
    feedback_give(run=run, viewer=visitor, says=Says.RIGHT, expected="")
    feedback_give(run=run, viewer=ada, says=Says.RIGHT, expected="")
    feedback_give(run=run, viewer=ada, says=Says.WRONG, expected="  William \n Daniels ")
    assert said(run, visitor) == ("right", "")
    assert said(run, ada) == ("wrong", "William Daniels")
    assert Feedback.objects.filter(current=True).count() == 2
    # What was said before is not overwritten.
    assert list(Feedback.objects.filter(person=ada.user).values_list("says", "current").order_by("pk")) == [
        ("right", False),
        ("wrong", True),
    ]
    feedback_give(run=run, viewer=ada, says=Says.WRONG, expected="William Daniels")
    assert Feedback.objects.count() == 3


def test_what_was_said_is_taken_back(visitor: Viewer, rita: Viewer) -> None:
    run = answered(visitor)
    feedback_withdraw(run=run, viewer=visitor)
    assert Feedback.objects.count() == 0
    feedback_give(run=run, viewer=visitor, says=Says.WRONG, expected="somebody")
    feedback_withdraw(run=run, viewer=visitor)
    assert said(run, visitor) is None
    assert (page(rita).feedback, page(rita).wrong) == ([], 0)
    feedback_give(run=run, viewer=visitor, says=Says.RIGHT, expected="")
    assert said(run, visitor) == ("right", "")


def test_who_signs_in_has_no_second_say(visitor: Viewer, rita: Viewer) -> None:
    run = answered(visitor)
    feedback_give(run=run, viewer=visitor, says=Says.RIGHT, expected="")
    signed_in = Viewer(person("ada").user, visitor.visitor, "192.0.2.1")
    assert said(run, signed_in) == ("right", "")
    feedback_give(run=run, viewer=signed_in, says=Says.WRONG, expected="")
    assert [(each.who, each.says) for each in page(rita).feedback] == [("ada", "wrong")]
    assert said(run, signed_in) == ("wrong", "")
    # What the account said is not attributed to the next user of the browser.
    assert said(run, visitor) is None


def test_who_is_nobody_yet_has_said_nothing(visitor: Viewer) -> None:
    run = answered(visitor)
    feedback_give(run=run, viewer=visitor, says=Says.RIGHT, expected="")
    assert said(run, replace(visitor, visitor=None)) is None


def test_nothing_is_said_of_a_run_that_came_to_no_end(visitor: Viewer) -> None:
    run = question_ask(text=KITT, viewer=visitor)
    wanted = (409, "no_answer_yet", "There is no answer yet of which to say whether it is right.")
    assert refused(lambda: feedback_give(run=run, viewer=visitor, says=Says.RIGHT, expected="")) == wanted
    run = run_cancel(run=run, viewer=visitor)
    assert refused(lambda: feedback_give(run=run, viewer=visitor, says=Says.RIGHT, expected="")) == wanted


def test_a_visitor_says_so_much_from_an_address_and_others_by_their_account(
    visitor: Viewer, settings: SettingsWrapper
) -> None:
    run, ada, bo = answered(visitor), person("ada"), person("bo")
    rates = {"visitor_rate": "1/hour", "user_rate": "2/minute"}
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update=rates)
    for viewer, times, shown in (
        (visitor, 1, "More than 1 times within an hour is too often. Try again in 60 minutes."),
        (replace(visitor, visitor=uuid.uuid4()), 0, "More than 1 times within an hour is too often. Try again in "),
        (ada, 2, "More than 2 times within a minute is too often. Try again in 60 seconds."),
        (bo, 2, "More than 2 times within a minute is too often. Try again in 60 seconds."),
    ):
        for says in (Says.RIGHT, Says.WRONG)[:times]:
            feedback_give(run=run, viewer=viewer, says=says, expected="")
        before = said(run, viewer)
        status, code, message = refused(lambda who=viewer: feedback_withdraw(run=run, viewer=who))
        assert (status, code) == (429, "too_many_requests")
        assert message.startswith(shown)
        assert said(run, viewer) == before


def test_it_goes_with_the_run_and_with_the_account(visitor: Viewer) -> None:
    run, ada = answered(visitor), person("ada")
    for viewer in (visitor, ada):
        feedback_give(run=run, viewer=viewer, says=Says.WRONG, expected="")
    assert ada.user is not None
    ada.user.delete()
    assert Feedback.objects.count() == 1
    question_erase(run=run, viewer=visitor)
    assert Feedback.objects.count() == 0


def test_reviewers_find_what_people_said(visitor: Viewer, rita: Viewer) -> None:
    ada = person("ada")
    first, second = answered(visitor), answered(ada, "who is Ada?")
    feedback_give(run=first, viewer=visitor, says=Says.RIGHT, expected="")
    feedback_give(run=first, viewer=ada, says=Says.WRONG, expected="=William Daniels")
    feedback_give(run=second, viewer=ada, says=Says.WRONG, expected="")

    def found(**more: Any) -> list[tuple[uuid.UUID, str, str]]:
        return [(each.run, each.who, each.says) for each in page(rita, **more).feedback]

    assert found() == [(second.pk, "ada", "wrong"), (first.pk, "ada", "wrong"), (first.pk, "", "right")]
    assert found(says="right") == [(first.pk, "", "right")]
    assert found(corrected=True) == found(search="knight daniels") == [(first.pk, "ada", "wrong")]
    assert found(search="knight", offset=1, limit=1) == [(first.pk, "", "right")]
    counted = page(rita, search="knight", limit=1)
    assert (counted.total, counted.right, counted.wrong) == (2, 1, 2)
    refusals = {visitor: (401, "sign_in_first")} | dict.fromkeys(
        (ada, person("nia", Role.ANNOTATOR)), (403, "reviewers_only")
    )
    for nobody, refusal in refusals.items():
        assert refused(lambda who=nobody: page(who))[:2] == refusal
        table = {"says": None, "corrected": False, "search": ""}
        assert refused(lambda who=nobody, table=table: list(feedback_table(viewer=who, **table)))[:2] == refusal


def test_the_table_is_safe_to_open(visitor: Viewer, rita: Viewer) -> None:
    run, ada = answered(visitor, CAST), person("ada")
    feedback_give(run=run, viewer=visitor, says=Says.WRONG, expected="=1+1")
    feedback_give(run=run, viewer=ada, says=Says.RIGHT, expected="")

    def table(says: str | None, *, corrected: bool = False) -> tuple[list[str], ...]:
        return tuple(feedback_table(viewer=rita, says=says, corrected=corrected, search=""))

    head, row = table(None, corrected=True)
    shown = dict(zip(COLUMNS, row, strict=True))
    assert tuple(head) == COLUMNS
    assert shown["expected"].startswith("'=")
    assert (shown["who"], shown["question"], shown["run"]) == ("a visitor", CAST, str(run.pk))
    assert (shown["answers"], shown["verdict"]) == ("; ".join(run.answers), "answered")
    assert len(run.answers) > 1
    assert table(None)[1:] == (table("right")[1], row)
    assert table("wrong")[1:] == (row,)
    assert {each.verdict for each in page(rita).feedback} == {"answered"}


def test_a_long_page_asks_the_database_no_more_often(visitor: Viewer, rita: Viewer) -> None:
    asked = []
    for name in ("ada", "bo"):
        feedback_give(run=answered(visitor), viewer=person(name), says=Says.WRONG, expected="")
        with CaptureQueriesContext(connection) as queries:
            page(rita)
        asked.append(len(queries))
    assert asked[0] == asked[1]


def test_a_page_says_whether_an_answer_is_right(browser: Callable[[], Browser], rita: Viewer) -> None:
    mine, other = browser(), browser()
    run = mine.ask()["id"]
    path = f"/api/runs/{run}/feedback"

    def send(who: Browser, method: str, body: str = "") -> Any:
        return who.client.generic(
            method, path, body, content_type="application/json", headers={"X-CSRFToken": who.token}
        )

    assert mine.get(path) == {"feedback": None}
    assert send(mine, "PUT", '{"says": "right"}').status_code == 409
    run_execute(uuid.UUID(run))
    shown = send(mine, "PUT", '{"says": "wrong", "expected": "KITT"}').json()["feedback"]
    assert (shown["says"], shown["expected"]) == ("wrong", "KITT")
    assert mine.get(path)["feedback"] == shown
    # Who had no session yet is given one, to have one say.
    assert send(other, "PUT", '{"says": "right"}').status_code == 200
    assert other.get(path)["feedback"]["says"] == "right"
    assert send(other, "DELETE").status_code == 204
    assert other.get(path) == {"feedback": None}
    for body in ('{"says": "maybe"}', '{"says": "withdrawn"}', '{"says": "right", "expected": "%s"}' % ("x" * 501)):
        assert send(mine, "PUT", body).status_code == 422
    assert other.get("/api/feedback", status=401)["code"] == "sign_in_first"

    assert rita.user is not None
    mine.client.force_login(rita.user)
    listed = mine.get("/api/feedback?says=wrong")
    assert [(each["question"], each["expected"]) for each in listed["feedback"]] == [(KITT, "KITT")]
    rows = list(csv.DictReader(io.StringIO(mine.client.get("/api/feedback/feedback.csv").content.decode())))
    assert [row["expected"] for row in rows] == ["KITT"]
