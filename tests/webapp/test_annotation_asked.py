"""People's own questions become tasks only where who asked agreed, and nothing tells who that was."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import call_command

from tests.webapp.conftest import KITT
from tests.webapp.labelled import Labeller, made, signed_in
from webapp.accounts.models import AuditEntry, Role, User
from webapp.asking.runs.models import Question, ReasoningRun
from webapp.asking.runs.worker import run_execute
from webapp.datasets import models as datasets
from webapp.datasets.models import Dataset
from webapp.evaluations.models import Evaluation
from webapp.labelling.projects.labels.suggesting_worker import suggesting_work
from webapp.labelling.projects.models import Suggesting, Task

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.webapp.conftest import Browser

CREATOR = "who created Knight Rider?"


@pytest.fixture
def ada(browser: Callable[[], Browser]) -> Browser:
    return signed_in(browser, "ada", Role.ASKER)


@pytest.fixture
def otto(browser: Callable[[], Browser]) -> Browser:
    return signed_in(browser, "otto", Role.ASKER)


def asks(who: Browser, text: str, **more: str) -> dict[str, Any]:
    run: dict[str, Any] = who.ask(text, **{"graph": "toy", "scorer": "lexical", **more})
    return run


def allow(who: Browser, run: dict[str, Any], allowed: bool = True, status: int = 204) -> Any:
    response = who.client.patch(
        f"/api/runs/{run['id']}/question",
        {"may_be_labelled": allowed},
        content_type="application/json",
        headers={"X-CSRFToken": who.token},
    )
    assert response.status_code == status, response.content
    return response.json() if status >= 400 else None


def agreed(rita: Browser) -> dict[str, int]:
    return {each["graph"]: each["questions"] for each in rita.get("/api/annotation/asked")["graphs"]}


def snapshot(rita: Browser, graph: str = "toy") -> Dataset:
    reply = rita.post("/api/annotation/asked", {"graph": graph}, status=201)
    dataset = Dataset.objects.get(pk=reply["dataset"])
    assert reply["questions"] == dataset.questions_stored
    return dataset


def listed(who: Browser) -> dict[str, Any]:
    return {each["question"]: each["may_be_labelled"] for each in who.get("/api/questions")["questions"]}


# --- Agreeing


def test_nothing_may_be_labelled_until_who_asked_says_so_and_it_is_taken_back_as_easily(
    ada: Browser, rita: Browser
) -> None:
    run = asks(ada, KITT)
    asks(ada, CREATOR)
    assert listed(ada) == {KITT: False, CREATOR: False}
    assert agreed(rita) == {}
    allow(ada, run)
    assert listed(ada) == {KITT: True, CREATOR: False}
    assert agreed(rita) == {"toy": 1}
    allow(ada, run, False)
    assert (listed(ada)[KITT], agreed(rita)) == (False, {})


def test_a_question_that_is_asked_again_is_still_agreed_to(ada: Browser, rita: Browser) -> None:
    allow(ada, asks(ada, KITT))
    again = asks(ada, KITT)
    assert (listed(ada), agreed(rita)) == ({KITT: True}, {"toy": 1})
    allow(ada, again, False)
    assert (listed(ada), agreed(rita)) == ({KITT: False}, {})


def test_what_guests_ask_is_never_labelled(browser: Callable[[], Browser], rita: Browser) -> None:
    guest = browser()
    run = asks(guest, KITT)
    assert listed(guest) == {KITT: None}
    assert allow(guest, run, status=409)["code"] == "not_to_be_labelled"
    User.objects.create_user("ada", password="a long password")
    guest.token = guest.post("/api/session", {"username": "ada", "password": "a long password"})["csrf_token"]
    assert listed(guest) == {KITT: None}, "what was asked before signing in stays a guest's"
    assert allow(guest, run, status=409)["code"] == "not_to_be_labelled"
    allow(guest, asks(guest, KITT))
    assert agreed(rita) == {"toy": 1}


def test_nobody_agrees_for_somebody_else(ada: Browser, otto: Browser, rita: Browser) -> None:
    run = asks(ada, KITT)
    for other in (otto, rita):
        assert allow(other, run, status=403)["code"] == "not_your_question"
    run_execute(run["id"])
    change = {"change": {"kind": "end", "stage": "search", "number": 1}}
    variant = otto.post(f"/api/runs/{run['id']}/variants", change, status=201)
    assert listed(otto) == {KITT: None}, "a variant holds the words of who asked first"
    assert allow(otto, variant, status=409)["code"] == "not_to_be_labelled"
    assert agreed(rita) == {}


# --- Datasets of them


def test_a_dataset_holds_each_question_once_and_nothing_of_who_asked(
    ada: Browser, otto: Browser, rita: Browser
) -> None:
    asks(ada, "what is nobody to know?")
    for who, text in ((ada, KITT), (otto, "Who plays the voice of KITT in  Knight Rider"), (otto, CREATOR)):
        allow(who, asks(who, text))
    assert agreed(rita) == {"toy": 2}
    dataset = snapshot(rita)
    assert (dataset.name, dataset.version, dataset.format) == ("Asked questions (toy)", 1, "asked")
    rows = rita.get(f"/api/datasets/{dataset.pk}/questions")["questions"]
    assert sorted(row["text"] for row in rows) == sorted([KITT, CREATOR]), "as it was asked first"
    written = json.dumps([dataset.file, rows, rita.get(f"/api/datasets/{dataset.pk}")])
    assert "ada" not in written.lower()
    assert "otto" not in written.lower()
    assert [row["question_id"] for row in rows] == sorted(row["question_id"] for row in rows), "by their hashes"
    assert AuditEntry.objects.latest("pk").on == "Asked questions (toy), version 1"


def test_the_same_questions_are_the_same_dataset_and_others_the_next_version(ada: Browser, rita: Browser) -> None:
    first_run = asks(ada, KITT)
    allow(ada, first_run)
    first = snapshot(rita)
    Dataset.objects.update(archived_at=first.created_at)
    assert snapshot(rita).pk == first.pk
    assert Dataset.objects.get().archived_at is None, "what is asked for is offered again"
    allow(ada, asks(ada, CREATOR))
    second = snapshot(rita)
    assert (second.version, second.questions_stored) == (2, 2)
    ids = [set(each.questions.values_list("question_id", "identity")) for each in (first, second)]
    assert ids[0] < ids[1], "a question has one identity"
    allow(ada, first_run, False)
    third = snapshot(rita)
    assert (third.version, [row.text for row in third.questions.all()]) == (3, [CREATOR])
    assert first.questions.count() == 1, "what is in a project already stays"


def test_only_questions_of_the_graph_are_taken(ada: Browser, rita: Browser) -> None:
    allow(ada, asks(ada, KITT))
    allow(ada, asks(ada, CREATOR))
    Question.objects.get(text=CREATOR).runs.update(graph="other")
    assert agreed(rita) == {"other": 1, "toy": 1}
    assert [row.text for row in snapshot(rita).questions.all()] == [KITT]
    none = rita.post("/api/annotation/asked", {"graph": "empty"}, status=409)
    assert none["code"] == "nothing_agreed"


def test_a_project_of_them_is_labelled_like_any_other(
    ada: Browser, rita: Browser, browser: Callable[[], Browser]
) -> None:
    ben = signed_in(browser, "ben")
    allow(ada, asks(ada, KITT))
    project = made(rita, snapshot(rita), "ben")
    assert project["dataset"] == "Asked questions (toy), version 1"
    at_kitt = Labeller.at_next(ben, project)
    assert at_kitt.task["question"] == KITT
    at_kitt.label_kitt()
    ben.post(f"{at_kitt.address}/submit")
    lines = rita.client.get(f"/api/annotation/projects/{project['id']}/export/file").getvalue().decode()
    assert "ada" not in lines.lower()


def delete(who: Browser, run: dict[str, Any]) -> None:
    response = who.client.delete(f"/api/runs/{run['id']}/question", headers={"X-CSRFToken": who.token})
    assert response.status_code == 200


def test_a_deleted_question_goes_from_projects_and_datasets(ada: Browser, otto: Browser, rita: Browser) -> None:
    run = asks(ada, KITT)
    asks(ada, KITT)
    allow(ada, run)
    allow(otto, asks(otto, CREATOR))
    before = snapshot(rita)
    by_model = {"suggests": "model", "suggester": {"scorer": "lexical"}}
    project = made(rita, before, **by_model)
    suggesting_work(Suggesting.objects.get().pk)
    delete(ada, run)
    assert agreed(rita) == {"toy": 1}
    now = rita.get(f"/api/annotation/projects/{project['id']}")
    assert (now["tasks"], now["suggestions"]["wanted"], now["suggestions"]["found"]) == (1, 1, 1)
    assert list(Task.objects.values_list("question__text", flat=True)) == [CREATOR]
    left = Dataset.objects.get()
    assert (left.questions_stored, left.train + left.validation) == (1, 1)
    assert left.identity != before.identity
    assert snapshot(rita).pk != left.pk, "what is left is not found for what its file held"
    assert not datasets.Question.objects.filter(text=KITT).exists()
    allow(ada, asks(ada, KITT))
    assert snapshot(rita).questions_stored == 2, "a question that is asked and agreed to again is stored again"


def test_who_is_deleted_takes_their_words_along(ada: Browser, otto: Browser, rita: Browser) -> None:
    for text in (KITT, CREATOR):
        allow(ada, asks(ada, text))
    allow(otto, asks(otto, CREATOR))
    project = made(rita, snapshot(rita))
    User.objects.get(username="ada").delete()
    assert agreed(rita) == {"toy": 1}
    assert [task.question.text for task in Task.objects.all()] == [CREATOR], "to which Otto agreed, too"
    assert rita.get(f"/api/annotation/projects/{project['id']}")["tasks"] == 1


def test_words_on_which_a_label_rests_stay_and_those_of_other_projects_go(
    ada: Browser, rita: Browser, browser: Callable[[], Browser]
) -> None:
    ben = signed_in(browser, "ben")
    run = asks(ada, KITT)
    allow(ada, run)
    dataset = snapshot(rita)
    begun, other = made(rita, dataset, "ben"), made(rita, dataset, suggests="dataset", blind_percent=100)
    Labeller.at_next(ben, begun).label_kitt()
    delete(ada, run)
    tasks = {row["id"]: rita.get(f"/api/annotation/projects/{row['id']}")["tasks"] for row in (begun, other)}
    assert tasks == {begun["id"]: 1, other["id"]: 0}
    assert dataset.questions.get().text == KITT


def test_a_question_that_was_never_agreed_to_is_deleted_as_before(ada: Browser, otto: Browser, rita: Browser) -> None:
    allow(ada, asks(ada, KITT))
    made(rita, snapshot(rita))
    run = asks(otto, KITT)
    delete(otto, run)
    assert (Task.objects.count(), agreed(rita)) == (1, {"toy": 1})


def test_who_unticks_a_question_first_and_then_deletes_it_takes_it_along_too(ada: Browser, rita: Browser) -> None:
    run = asks(ada, KITT)
    allow(ada, run)
    made(rita, snapshot(rita))
    allow(ada, run, False)
    assert Task.objects.count() == 1
    delete(ada, run)
    assert not Task.objects.exists()
    assert not datasets.Question.objects.exists()


def test_reviewers_and_administrators_alone_read_such_a_dataset(
    ada: Browser, rita: Browser, browser: Callable[[], Browser]
) -> None:
    allow(ada, asks(ada, KITT))
    address = f"/api/datasets/{snapshot(rita).pk}"
    visitor = browser()
    assert visitor.get(f"{address}/questions", 401)["code"] == "sign_in_first"
    for other in (visitor, ada, signed_in(browser, "ben")):
        assert other.get(address)["questions"] == 1
    for other in (ada, signed_in(browser, "lee")):
        assert other.get(f"{address}/questions", 403)["code"] == "reviewers_only"
        other.get("/api/annotation/asked", 403)
    for reader in (rita, signed_in(browser, "cleo", Role.ADMIN)):
        assert reader.get(f"{address}/questions")["total"] == 1


def test_no_evaluation_shows_them(ada: Browser, rita: Browser, browser: Callable[[], Browser]) -> None:
    cleo = signed_in(browser, "cleo", Role.ADMIN)
    allow(ada, asks(ada, KITT))
    dataset = snapshot(rita)
    wanted = {"dataset": dataset.name, "version": 1, "graph": "toy", "scorer": "lexical", "split": "all"}
    assert cleo.post("/api/evaluations", wanted, status=422)["code"] == "of_people"
    assert not Evaluation.objects.exists()


def test_a_question_of_an_evaluation_is_no_question_of_people(
    rita: Browser, browser: Callable[[], Browser], ada: Browser
) -> None:
    asks(ada, KITT)
    ReasoningRun.objects.update(decided=[{"kind": "started"}])
    assert listed(ada) == {KITT: None}


def test_a_list_of_questions_alone_may_be_loaded_too(rita: Browser, tmp_path: Any) -> None:
    path = tmp_path / "alone.jsonl"
    path.write_text('{"id": "1", "question": "who is it?"}\n{"question": "without an id"}\n', encoding="utf-8")
    call_command("load_dataset", str(path), "--format", "asked")
    dataset = Dataset.objects.get()
    assert (dataset.questions_stored, dataset.malformed_found) == (1, 1)
    assert made(rita, dataset)["tasks"] == 1
