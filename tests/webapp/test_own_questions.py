"""One's own questions: found, starred, deleted; and who else may read them."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

import pytest
from channels.testing import WebsocketCommunicator

from tests.webapp.conftest import KITT
from tests.webapp.told_by_services import refused
from webapp.accounts.models import Role, User
from webapp.accounts.tokens import token_create
from webapp.accounts.viewer import Viewer
from webapp.asgi import application
from webapp.asking.questions.own import RUNS_SHOWN, own_questions_page, question_erase, question_star
from webapp.asking.questions.services import question_ask
from webapp.asking.runs.changes import EndIn
from webapp.asking.runs.models import Question, ReasoningRun, RunEvent
from webapp.asking.runs.selectors import run_for_viewer
from webapp.asking.runs.services import run_change
from webapp.asking.runs.worker import run_execute
from webapp.evaluations.models import EvaluatedQuestion, Evaluation
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Callable
    from http.cookies import SimpleCookie

    from pytest_django.fixtures import SettingsWrapper

    from tests.webapp.conftest import Browser
    from webapp.asking.questions.own import OwnQuestionPage

NOT_YOURS = (403, "not_your_question", "Only who asked this question may do this.")


def person(name: str, role: Role = Role.ASKER) -> Viewer:
    return Viewer(User.objects.create_user(name, password="a long password", role=role), None, "192.0.2.1")


@pytest.fixture
def visitor() -> Viewer:
    return Viewer(None, uuid.uuid4(), "192.0.2.2")


def asked(text: str, viewer: Viewer) -> ReasoningRun:
    return question_ask(text=text, viewer=viewer, graph="toy", scorer="lexical")


def page(viewer: Viewer, **more: Any) -> OwnQuestionPage:
    return own_questions_page(viewer=viewer, **{"search": "", "starred": False, "offset": 0, "limit": 20, **more})


def texts(found: OwnQuestionPage) -> list[str]:
    return [each.text for each in found.questions]


def shown_by_an_evaluation(run: ReasoningRun) -> None:
    evaluation = Evaluation.objects.create(
        dataset="sample",
        format="webqsp",
        split="all",
        scorer="lexical",
        switches={},
        graph="toy",
        graph_title="Toy",
        status=Status.CANCELLED,
        seen_at=run.created_at,
        finished_at=run.created_at,
    )
    EvaluatedQuestion.objects.create(
        evaluation=evaluation, position=1, question_id="one", text=run.question.text, gold={}, run=run
    )


def test_a_question_is_listed_once_with_all_its_runs_and_the_last_asked_first(visitor: Viewer) -> None:
    first, other, again = asked(KITT, visitor), asked("who is Ada?", visitor), asked(KITT, visitor)
    asked("of somebody else", person("ada"))
    found = page(visitor)
    assert texts(found) == [KITT, "who is Ada?"]
    assert [run.pk for run in found.questions[0].runs] == [again.pk, first.pk]
    assert [run.pk for run in found.questions[1].runs] == [other.pk]
    assert (found.total, found.all, found.starred) == (2, 2, 0)
    assert texts(page(visitor, offset=1, limit=1)) == ["who is Ada?"]


def test_of_a_question_asked_often_the_newest_runs_are_shown_and_all_counted(visitor: Viewer) -> None:
    runs = [asked(KITT, visitor) for _ in range(RUNS_SHOWN + 2)]
    asked("who is Ada?", visitor)
    often = page(visitor).questions[1]
    assert [run.pk for run in often.runs] == [run.pk for run in reversed(runs[2:])]
    assert often.runs_total == RUNS_SHOWN + 2


def test_questions_are_found_by_each_of_their_words(visitor: Viewer) -> None:
    for text in (KITT, "who is 100% Ada?", "who is Ada?"):
        asked(text, visitor)
    assert texts(page(visitor, search="  knight  VOICE ")) == [KITT]
    assert texts(page(visitor, search="100%")) == ["who is 100% Ada?"]
    found = page(visitor, search="nobody")
    assert (texts(found), found.total, found.all) == ([], 0, 3)


def test_what_a_visitor_asked_is_still_theirs_after_they_signed_in(visitor: Viewer) -> None:
    asked(KITT, visitor)
    ada = person("ada")
    asked("who is Ada?", ada)
    both = Viewer(ada.user, visitor.visitor, "192.0.2.1")
    assert texts(page(both)) == ["who is Ada?", KITT]
    assert texts(page(ada)) == ["who is Ada?"]
    assert texts(page(Viewer(None, None, "192.0.2.1"))) == []


def test_a_star_is_on_the_question_however_often_it_is_asked(visitor: Viewer) -> None:
    first = asked(KITT, visitor)
    asked("who is Ada?", visitor)
    asked(KITT, visitor)
    question_star(run=first, viewer=visitor, starred=True)
    asked(KITT, visitor)
    found = page(visitor, starred=True)
    assert (texts(found), found.total, found.all, found.starred) == ([KITT], 1, 2, 1)
    question_star(run=first, viewer=visitor, starred=False)
    assert page(visitor).starred == 0


def test_nobody_stars_or_deletes_what_somebody_else_asked(visitor: Viewer) -> None:
    run, cleo = asked(KITT, visitor), person("cleo", Role.ADMIN)
    assert refused(lambda: question_star(run=run, viewer=cleo, starred=True)) == NOT_YOURS
    assert refused(lambda: question_erase(run=run, viewer=cleo)) == NOT_YOURS
    assert (page(visitor).starred, page(visitor).all) == (0, 1)


def test_a_deleted_question_leaves_nothing_behind(visitor: Viewer) -> None:
    ada = person("ada")
    runs = [asked(KITT, visitor), asked(KITT, visitor), asked("who is Ada?", visitor), asked(KITT, ada)]
    for run in runs[:1] + runs[3:]:
        run_execute(run.pk)
    erased = question_erase(run=runs[0], viewer=visitor)
    assert (erased.deleted, erased.kept) == (2, 0)
    assert texts(page(visitor)) == ["who is Ada?"]
    assert set(ReasoningRun.objects.values_list("pk", flat=True)) == {runs[2].pk, runs[3].pk}
    assert set(RunEvent.objects.values_list("run", flat=True)) == {runs[3].pk}
    assert Question.objects.count() == 2
    # The worker that had one of them before it writes nothing more.
    run_execute(runs[1].pk)
    assert not RunEvent.objects.filter(run=runs[1].pk).exists()


def test_what_an_evaluation_shows_stays_without_who_asked(visitor: Viewer) -> None:
    kept, gone = asked(KITT, visitor), asked(KITT, visitor)
    shown_by_an_evaluation(kept)
    question_star(run=kept, viewer=visitor, starred=True)
    erased = question_erase(run=gone, viewer=visitor)
    assert (erased.deleted, erased.kept) == (1, 1)
    [left] = Question.objects.all()
    assert (left.text, left.asker, left.visitor, left.starred) == (KITT, None, None, False)
    assert EvaluatedQuestion.objects.get().run == kept
    assert page(visitor).all == 0
    # No user is taken for the asker.
    assert refused(lambda: question_erase(run=ReasoningRun.objects.get(), viewer=Viewer(None, None, ""))) == NOT_YOURS


def variant(of: ReasoningRun, viewer: Viewer, ends: int = 1) -> ReasoningRun:
    run_execute(of.pk)
    of.refresh_from_db()
    return run_change(run=of, wanted=EndIn(kind="end", stage="search", number=ends), viewer=viewer)


def test_variants_of_a_deleted_question_leave_no_text_behind(visitor: Viewer) -> None:
    ada = person("ada")
    run = asked(KITT, visitor)
    mine, theirs = variant(run, visitor), variant(run, ada)
    assert [each.pk for each in page(visitor).questions[0].runs] == [run.pk]
    assert [each.pk for each in page(ada).questions[0].runs] == [theirs.pk]
    # Who deletes their variant leaves the original.
    question_erase(run=theirs, viewer=ada)
    assert set(ReasoningRun.objects.values_list("pk", flat=True)) == {run.pk, mine.pk}
    theirs = variant(mine, ada, ends=0)
    assert question_erase(run=run, viewer=visitor).deleted == 2
    assert not Question.objects.exists()
    assert not ReasoningRun.objects.exists()


def test_a_question_stays_where_something_rests_on_a_variant_of_it(visitor: Viewer) -> None:
    ada = person("ada")
    run = asked(KITT, visitor)
    again, theirs = asked(KITT, visitor), variant(run, ada)
    shown_by_an_evaluation(theirs)
    erased = question_erase(run=again, viewer=visitor)
    assert (erased.deleted, erased.kept) == (1, 1)
    assert set(ReasoningRun.objects.values_list("pk", flat=True)) == {run.pk, theirs.pk}
    assert Question.objects.get(runs=run).visitor is None
    assert Question.objects.get(runs=theirs).asker == ada.user
    assert ada.user is not None
    ada.user.delete()
    assert set(ReasoningRun.objects.values_list("pk", flat=True)) == {run.pk, theirs.pk}


def test_a_deleted_account_takes_its_questions_along_but_what_an_evaluation_shows(visitor: Viewer) -> None:
    ada = person("ada")
    kept, gone = asked(KITT, ada), asked("who is Ada?", ada)
    others = asked("of a visitor", visitor)
    shown_by_an_evaluation(kept)
    assert ada.user is not None
    ada.user.delete()
    assert set(ReasoningRun.objects.values_list("pk", flat=True)) == {kept.pk, others.pk}
    assert not Question.objects.filter(pk=gone.question_id).exists()
    assert Question.objects.get(pk=kept.question_id).asker is None


@pytest.mark.parametrize(
    ("readers", "may_read"),
    [
        ("link", {"own", "visitor", "asker", "annotator", "reviewer", "admin"}),
        ("people", {"own", "asker", "annotator", "reviewer", "admin"}),
        ("asker", {"own", "reviewer", "admin"}),
    ],
)
def test_the_settings_say_who_may_read(
    visitor: Viewer, settings: SettingsWrapper, readers: str, may_read: set[str]
) -> None:
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"question_readers": readers})
    run, judged = asked(KITT, visitor), asked("who is Ada?", visitor)
    shown_by_an_evaluation(judged)
    viewers = {role.value: person(role.value, role) for role in Role}
    viewers |= {"own": visitor, "visitor": Viewer(None, uuid.uuid4(), "192.0.2.3")}
    for name, viewer in viewers.items():
        # What an evaluation shows is read by all who read the evaluation.
        assert run_for_viewer(run_id=judged.pk, viewer=viewer) == judged
        if name in may_read:
            assert run_for_viewer(run_id=run.pk, viewer=viewer) == run
        else:
            status, code, _ = refused(lambda who=viewer: run_for_viewer(run_id=run.pk, viewer=who))
            assert (status, code) == ((401, "sign_in_first") if name == "visitor" else (403, "not_your_question"))


async def closes_with(path: str, headers: dict[str, str]) -> int | None:
    """The code with which a socket is closed at once; None where it sends an event."""
    sent = [(name.encode(), value.encode()) for name, value in {"host": "localhost", **headers}.items()]
    communicator = WebsocketCommunicator(application, path, headers=sent)
    assert (await communicator.connect())[0]
    output = await communicator.receive_output(timeout=10)
    await communicator.disconnect()
    return None if output["type"] == "websocket.send" else int(output["code"])


def test_a_socket_is_opened_to_whoever_may_read(browser: Callable[[], Browser], settings: SettingsWrapper) -> None:
    from asgiref.sync import async_to_sync  # noqa: PLC0415 - only here

    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"question_readers": "asker"})
    mine, stranger = browser(), browser()
    run = mine.ask()["id"]
    run_execute(uuid.UUID(run))
    stranger.ask("who is Ada?")
    rita, ada = person("rita", Role.REVIEWER), person("ada")
    assert rita.user is not None
    assert ada.user is not None

    def cookie(who: Browser) -> dict[str, str]:
        kept: SimpleCookie = who.client.cookies
        sent = "; ".join(f"{name}={morsel.value}" for name, morsel in kept.items())
        return {"origin": "http://localhost", "cookie": sent}

    def bearer(user: User) -> dict[str, str]:
        return {"authorization": f"Bearer {token_create(user=user, name='a script', days=1)[1]}"}

    follow = async_to_sync(closes_with)
    path = f"/ws/runs/{run}/"
    assert follow(path, cookie(mine)) is None
    assert follow(path, cookie(stranger)) == 4403
    assert follow(path, {"origin": "http://localhost"}) == 4403
    assert follow(path, {"origin": "http://localhost", "cookie": "sessionid=nonsense"}) == 4403
    assert follow(path, bearer(rita.user)) is None
    assert follow(path, bearer(ada.user)) == 4403
    assert follow(f"/ws/runs/{uuid.uuid4()}/", cookie(mine)) == 4404
    mine.get(f"/api/runs/{run}")
    for part in ("", "/events", "/facts?position=1", "/answers", "/queries", "/feedback"):
        assert stranger.get(f"/api/runs/{run}{part}", status=401)["code"] == "sign_in_first"


def test_a_page_lists_stars_and_deletes(browser: Callable[[], Browser]) -> None:
    mine = browser()
    run = mine.ask()
    mine.ask()
    mine.ask("who is Ada?")
    reply = mine.get("/api/questions?search=knight")
    assert (reply["total"], reply["all"], reply["starred"], reply["readers"]) == (1, 2, 0, "link")
    assert [each["runs_total"] for each in reply["questions"]] == [2]
    assert {each["question"] for each in reply["questions"][0]["runs"]} == {KITT}

    def send(method: str, body: str = "") -> Any:
        return mine.client.generic(
            method,
            f"/api/runs/{run['id']}/question",
            body,
            content_type="application/json",
            headers={"X-CSRFToken": mine.token},
        )

    assert send("PATCH", '{"starred": true}').status_code == 204
    assert [each["question"] for each in mine.get("/api/questions?starred=true")["questions"]] == [KITT]
    assert send("PATCH", '{"starred": "yes"}').status_code == 422
    answer = send("DELETE")
    assert (answer.status_code, answer.json()) == (200, {"deleted": 2, "kept": 0})
    assert send("DELETE").status_code == 404
    assert mine.get("/api/questions")["all"] == 1
    assert browser().get("/api/questions")["questions"] == []
