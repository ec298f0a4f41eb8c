"""Review of error cases: the queue, verdicts that can be taken back, who is at what, and shared filters."""

from __future__ import annotations

import csv
import io
from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest
from django.utils import timezone

from reasoning.core.derivation import Derivation
from tests.webapp.conftest import made_once
from tests.webapp.evaluations_at_work import judged_by_workers
from tests.webapp.labelled import Labeller, signed_in
from webapp.accounts.models import Role, User
from webapp.asking.runs.models import ReasoningRun
from webapp.asking.runs.worker import run_execute
from webapp.evaluations.models import EvaluatedQuestion, Evaluation, JudgedDecisions
from webapp.labelling.projects.draft import reading_of
from webapp.review.models import Case, Entry

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.webapp.conftest import Browser


pytestmark = pytest.mark.usefixtures("sample_graph_loaded", "sample_questions")


@pytest.fixture
def judged(cleo: Browser) -> Evaluation:
    """An evaluation with answers that are right, partly right and wrong."""
    return judged_once(cleo)


@pytest.fixture
def few(cleo: Browser) -> Evaluation:
    """An evaluation of two questions."""
    return judged_once(cleo, limit=2)


def judged_once(cleo: Browser, limit: int = 40) -> Evaluation:
    def judge() -> None:
        judged_by_workers(cleo, limit=limit)
        Evaluation.objects.update(starter=None)

    made_once(f"of_{limit}", (Evaluation, EvaluatedQuestion, JudgedDecisions), judge)
    Evaluation.objects.update(starter=User.objects.get(username="cleo"))
    return Evaluation.objects.get(total=limit)


def cases(who: Browser, evaluation: Evaluation | str, **query: Any) -> dict[str, Any]:
    of = evaluation if isinstance(evaluation, str) else evaluation.pk
    found: dict[str, Any] = who.get(f"/api/review/{of}/cases?{urlencode(query, doseq=True)}")
    return found


def one(who: Browser, evaluation: Evaluation | str, key: str, **query: Any) -> dict[str, Any]:
    of = evaluation if isinstance(evaluation, str) else evaluation.pk
    found: dict[str, Any] = who.get(f"/api/review/{of}/cases/{key}?{urlencode(query, doseq=True)}")
    return found


def say(who: Browser, evaluation: Evaluation, key: str, status: int = 200, **said: Any) -> dict[str, Any]:
    path = f"/api/review/{evaluation.pk}/cases/{key}/verdict"
    reply: dict[str, Any] = who.post(path, said, status=status)
    return reply


def counts(page: dict[str, Any]) -> dict[str, dict[str, int]]:
    return {facet["name"]: {each["value"]: each["count"] for each in facet["values"]} for facet in page["facets"]}


def test_each_choice_counts_the_cases_that_it_would_show(rita: Browser, judged: Evaluation) -> None:
    everything = cases(rita, judged)
    assert everything["total"] == everything["all"] == judged.done
    stated = counts(everything)
    assert sum(stated["result"].values()) == judged.done
    assert {"wrong", "right"} <= stated["result"].keys()
    assert stated["cause"].keys() <= set((judged.figures or {})["causes"]) | {"gap in the graph"}
    for name in ("result", "class", "cause", "stage", "confidence", "shape", "domain", "relation", "status"):
        asked_as = "error_class" if name == "class" else name
        for value, count in stated[name].items():
            assert cases(rita, judged, **{asked_as: value})["total"] == count, (name, value)
    # Of a filter that is chosen, the other values tell what they would show instead of it or in addition.
    wrong = counts(cases(rita, judged, result="wrong"))
    assert wrong["result"] == stated["result"]
    assert sum(wrong["cause"].values()) <= stated["result"]["wrong"]
    two = cases(rita, judged, result=["wrong", "right"])
    assert two["total"] == stated["result"]["wrong"] + stated["result"]["right"]


def test_wrong_answers_of_dog_have_a_class_that_they_are_found_by(
    rita: Browser, cleo: Browser, few: Evaluation
) -> None:
    debated = judged_by_workers(cleo, settings={"strategy": "dog"})
    wrong = debated.questions.filter(right=False)
    assert wrong.count() > 0
    assert not debated.questions.filter(right=True).exclude(dog_class="").exists()
    by_class = Counter(wrong.values_list("dog_class", flat=True))
    assert "" not in by_class
    detail = cleo.get(f"/api/evaluations/{debated.pk}")
    assert detail["figures"]["dog"]["classes"] == by_class
    assert sum(counts(cases(rita, debated))["dog"].values()) == wrong.count()
    for name, count in by_class.items():
        found = cases(rita, debated, dog=name)
        assert found["total"] == count
        assert {row["dog_class"] for row in found["cases"]} == {name}
        listed = cleo.get(f"/api/evaluations/{debated.pk}/questions?dog_class={name}")
        assert [each["dog_class"] for each in listed["questions"]] == [name] * count
        case = one(rita, debated, found["cases"][0]["key"])
        assert case["proposed"]["dog_class"] == name
        messages = next(each for each in listed["questions"] if str(each["position"]) == case["key"])
        assert case["proposed"]["dog_why"] == messages["dog_why"] != ""
    cleo.get(f"/api/evaluations/{debated.pk}/questions?dog_class=bad", status=422)
    table = cleo.client.get(f"/api/evaluations/{debated.pk}/results.csv").getvalue().decode()
    assert Counter(filter(None, (row["dog_class"] for row in csv.DictReader(io.StringIO(table))))) == by_class

    # Another strategy has none; nor has what was judged before it was told, which is read as it is.
    assert (few.figures or {})["dog"] is None
    row = few.questions.get(position=1)
    few.questions.filter(pk=row.pk).update(
        outcome={name: value for name, value in (row.outcome or {}).items() if name != "dog"}
    )
    earlier = few.figures or {}
    few.figures = {name: value for name, value in earlier.items() if name != "dog"}
    few.save()
    assert cleo.get(f"/api/evaluations/{few.pk}")["figures"]["dog"] is None
    proposed = one(rita, few, "1")["proposed"]
    assert (proposed["dog_class"], proposed["dog_why"]) == (None, "")
    assert cases(rita, few)["cases"][0]["dog_class"] is None
    earlier_table = cleo.client.get(f"/api/evaluations/{few.pk}/results.csv")
    assert (earlier_table.status_code, earlier_table.getvalue() != b"") == (200, True)


def test_the_surest_of_the_wrong_ones_come_first(rita: Browser, judged: Evaluation) -> None:
    rows = cases(rita, judged, limit=200)["cases"]
    is_right = [row["result"] == "right" for row in rows]
    assert is_right == sorted(is_right)
    confident = [row["confidence"] for row in rows if row["result"] != "right" and row["confidence"] is not None]
    assert confident == sorted(confident, reverse=True)
    given = [int(row["key"]) for row in cases(rita, judged, sort="given", limit=200)["cases"]]
    assert given == sorted(given)
    f1 = dict(judged.questions.values_list("position", "f1"))
    worst = [f1[int(row["key"])] or 0.0 for row in cases(rita, judged, sort="worst", limit=200)["cases"]]
    assert worst == sorted(worst)


def test_pages_and_neighbours_follow_the_same_order(rita: Browser, judged: Evaluation) -> None:
    keys = cases(rita, judged, result="wrong")["keys"]
    pages = [cases(rita, judged, result="wrong", offset=offset, limit=3)["cases"] for offset in (0, 3)]
    assert [row["key"] for page in pages for row in page] == keys[:6]
    for number, key in enumerate(keys, start=1):
        case = one(rita, judged, key, result="wrong")
        before = keys[number - 2] if number > 1 else None
        after = keys[number] if number < len(keys) else None
        assert (case["place"], case["total"]) == (number, len(keys))
        assert (case["previous"], case["next"]) == (before, after)
    right = cases(rita, judged, result="right")["keys"][0]
    elsewhere = one(rita, judged, right, result="wrong")
    assert (elsewhere["place"], elsewhere["next"]) == (None, keys[0])


def test_words_of_the_question_narrow_the_queue(rita: Browser, judged: Evaluation) -> None:
    text = judged.questions.get(position=1).text
    found = cases(rita, judged, search=" ".join(text.split()[-2:]))
    assert 0 < found["total"] == found["all"] < judged.done
    assert text in {row["text"] for row in found["cases"]}
    nothing = cases(rita, judged, search="zzz")
    assert (nothing["total"], nothing["cases"], nothing["facets"]) == (0, [], [])


def test_a_case_tells_what_was_chosen_and_how_the_model_took_what_was_wanted(rita: Browser, judged: Evaluation) -> None:
    seen: Counter[str] = Counter()
    for key in cases(rita, judged, result=["wrong", "partly right"])["keys"]:
        case = one(rita, judged, key)
        proposed = case["proposed"]
        seen[proposed["cause"]] += 1
        question = judged.questions.get(position=int(key))
        assert (proposed["cause"], proposed["stage"] or "") == (question.cause, question.blamed_stage)
        assert case["gold_total"] >= 1
        if proposed["stage"] != "search" or proposed["chosen"] is None:
            continue
        assert proposed["wanted"], key
        wanted = proposed["wanted"][0]
        assert wanted["words"]
        if wanted["rank"] is not None:
            assert 1 < wanted["rank"] <= proposed["options"], "what was wanted was not the most probable"
            assert wanted["option"]["probability"] <= proposed["chosen"]["probability"]
    assert len(seen) > 1


def test_a_verdict_is_written_down_reported_and_taken_back(rita: Browser, judged: Evaluation) -> None:
    key = cases(rita, judged, result="wrong")["keys"][0]
    undo = say(rita, judged, key, says="agree")["together"]
    say(rita, judged, key, comment="  As in the others. ")
    case = one(rita, judged, key)
    assert (case["says"], case["comment"], case["reviewer"]) == ("agree", "As in the others.", "Rita")
    assert [(each["says"], each["comment"]) for each in case["history"]] == [
        (None, "As in the others."),
        ("agree", None),
    ]
    assert counts(cases(rita, judged))["status"]["done"] == 1
    assert rita.post(f"/api/review/undo/{undo}", status=409)["code"] == "changed_meanwhile"
    again = say(rita, judged, key, says="other", cause="linking")["together"]
    assert (one(rita, judged, key)["says"], one(rita, judged, key)["cause"]) == ("other", "linking")
    assert rita.post(f"/api/review/undo/{again}")["cases"] == 1
    case = one(rita, judged, key)
    assert (case["says"], case["cause"], case["history"][0]["undone"]) == ("agree", "", True)
    assert Entry.objects.count() == 4, "nothing is ever taken out of the log"


def test_the_same_verdict_twice_is_written_down_once(rita: Browser, few: Evaluation) -> None:
    for _ in range(2):
        say(rita, few, "1", says="unsure")
    assert Entry.objects.count() == 1
    assert counts(cases(rita, few))["status"]["unsure"] == 1


def test_cases_are_found_by_what_reviewers_named(rita: Browser, cleo: Browser, judged: Evaluation) -> None:
    first, second, third, *_ = cases(rita, judged, cause="stopped too early")["keys"]
    say(rita, judged, first, says="agree")
    say(rita, judged, second, says="no_error")
    say(rita, judged, third, says="gold", cause="outdated")
    named = {"stopped too early": 1, "not an error": 1, "gold answers differ": 1}
    assert counts(cases(rita, judged))["named"] == named
    assert cases(rita, judged, named="gold answers differ")["keys"] == [third]
    say(rita, judged, third, says="unsure")
    assert "gold answers differ" not in counts(cases(rita, judged))["named"]
    # The author of a verdict stays the same when another reviewer changes the case, and comes back with it.
    say(cleo, judged, first, assignee="rita")
    row = cases(rita, judged, named="stopped too early")["cases"][0]
    assert (row["reviewer"], row["assignee"]) == ("Rita", "Rita")
    many = {"keys": [first, third], "says": "unsure"}
    said = cleo.post(f"/api/review/{judged.pk}/verdicts", many)
    assert said["cases"] == 1, "one of them said so already"
    assert one(rita, judged, first)["reviewer"] == "Cleo"
    cleo.post(f"/api/review/undo/{said['together']}")
    assert one(rita, judged, first)["reviewer"] == "Rita"


def test_many_are_judged_at_once_and_all_of_it_is_taken_back(
    rita: Browser, browser: Callable[[], Browser], judged: Evaluation
) -> None:
    otto = signed_in(browser, "otto", Role.REVIEWER)
    keys = cases(rita, judged)["keys"][:5]
    say(rita, judged, keys[0], says="no_error")
    many = {"keys": [*keys, keys[1]], "says": "gold", "cause": "outdated", "assignee": "otto"}
    undo = otto.post(f"/api/review/{judged.pk}/verdicts", many)["together"]
    found = cases(rita, judged, says="gold", assignee="otto")
    assert (found["total"], {row["said_cause"] for row in found["cases"]}) == (5, {"gold outdated"})
    assert {row["assignee"] for row in found["cases"]} == {"Otto"}
    # Another reviewer did it, and one of the cases was changed since.
    assert rita.post(f"/api/review/undo/{undo}", status=404)["code"] == "unknown_entries"
    say(rita, judged, keys[4], comment="Sure?")
    assert otto.post(f"/api/review/undo/{undo}")["cases"] == 4
    assert {key: one(rita, judged, key)["says"] for key in keys} == {
        keys[0]: "no_error",
        **dict.fromkeys(keys[1:4]),
        keys[4]: "gold",
    }


def test_what_was_handed_to_somebody_who_left_is_handed_to_nobody_again(
    rita: Browser, browser: Callable[[], Browser], few: Evaluation
) -> None:
    otto = signed_in(browser, "otto", Role.REVIEWER)
    say(otto, few, "1", says="agree", assignee="otto")
    undo = say(rita, few, "1", says="unsure", assignee="rita")["together"]
    User.objects.get(username="otto").delete()
    assert rita.post(f"/api/review/undo/{undo}")["cases"] == 1
    case = one(rita, few, "1")
    assert (case["says"], case["assignee"], case["reviewer"]) == ("agree", "", "")


@pytest.mark.parametrize(
    ("said", "status", "code"),
    [
        ({}, 422, "nothing_said"),
        ({"says": "other"}, 422, "unknown_cause"),
        ({"says": "other", "cause": "gold wrong"}, 422, "unknown_cause"),
        ({"says": "gold", "cause": "linking"}, 422, "unknown_cause"),
        ({"says": "perhaps"}, 422, "invalid_request"),
        ({"assignee": "nobody"}, 422, "no_reviewer"),
        ({"assignee": "ben"}, 422, "no_reviewer"),
        ({"comment": "x" * 2_001}, 422, "invalid_request"),
    ],
)
def test_what_does_not_belong_together_is_refused(
    rita: Browser, ben: Browser, few: Evaluation, said: dict[str, Any], status: int, code: str
) -> None:
    assert say(rita, few, "1", status, **said)["code"] == code
    assert Entry.objects.count() == 0


@pytest.mark.parametrize("key", ["0", "3", "x", "-1", "²", "9" * 40, "00000000-0000-0000-0000-000000000001"])
def test_a_case_that_there_is_not_is_said_to_be_none(rita: Browser, few: Evaluation, key: str) -> None:
    assert rita.get(f"/api/review/{few.pk}/cases/{key}", status=404)["code"] == "unknown_case"
    assert rita.get(f"/api/review/{key}/cases/1", status=404)["code"] in {"unknown_source", "unknown_evaluation"}
    if key.startswith("0"):
        assert rita.get(f"/api/review/asked/cases/{key}", status=404)["code"] == "unknown_case"


def test_others_see_who_is_at_a_case_until_they_leave_or_are_gone(
    rita: Browser, browser: Callable[[], Browser], few: Evaluation
) -> None:
    otto = signed_in(browser, "otto", Role.REVIEWER)
    path = f"/api/review/{few.pk}/cases/1"
    assert rita.post(f"{path}/hold")["by"] == ""
    assert otto.post(f"{path}/hold")["by"] == "Rita"
    assert one(otto, few, "1")["held_by"] == "Rita"
    assert one(rita, few, "1")["held_by"] == ""
    assert {row["key"]: row["held_by"] for row in cases(otto, few, sort="given", limit=2)["cases"]} == {
        "1": "Rita",
        "2": "",
    }
    otto.post(f"{path}/release")
    assert otto.post(f"{path}/hold")["by"] == "Rita", "no one releases the claim of another reviewer"
    # Rita's browser was closed; nothing is heard of it any more.
    Case.objects.update(held_until=timezone.now() - timedelta(seconds=1))
    assert otto.post(f"{path}/hold")["by"] == ""
    assert rita.post(f"{path}/hold")["by"] == "Otto"
    otto.post(f"{path}/release")
    assert one(rita, few, "1")["held_by"] == ""


def test_filters_with_names_are_shared(rita: Browser, cleo: Browser, browser: Callable[[], Browser]) -> None:
    otto = signed_in(browser, "otto", Role.REVIEWER)
    view = rita.post("/api/review/views", {"name": " Sure  and wrong ", "query": "result=wrong"}, status=201)
    assert view["name"] == "Sure and wrong"
    assert [(each["name"], each["may_change"]) for each in otto.get("/api/review")["views"]] == [
        ("Sure and wrong", False)
    ]
    taken = {"name": "Sure and wrong", "query": ""}
    assert otto.post("/api/review/views", taken, status=409)["code"] == "known_name"
    rita.post("/api/review/views", {"name": "Sure and wrong", "query": "result=wrong&stage=search"}, status=201)
    assert [each["query"] for each in otto.get("/api/review")["views"]] == ["result=wrong&stage=search"]
    assert otto.post(f"/api/review/views/{view['id']}/remove", status=403)["code"] == "not_yours"
    assert cleo.post(f"/api/review/views/{view['id']}/remove")["views"] == []
    assert rita.post(f"/api/review/views/{view['id']}/remove", status=404)["code"] == "unknown_view"
    assert rita.post("/api/review/views", {"name": "  ", "query": ""}, status=422)["code"] == "empty_name"


def test_the_home_says_where_there_is_something_to_do(rita: Browser, judged: Evaluation) -> None:
    wrong = judged.questions.filter(f1__lt=1).count()
    say(rita, judged, "1", says="unsure")
    say(rita, judged, "2", comment="Look at it.")
    home = rita.get("/api/review")
    assert [(each["of"], each["cases"], each["reviewed"]) for each in home["sources"]] == [(str(judged.pk), wrong, 1)]
    assert home["total"] == 1
    assert [each["username"] for each in rita.get("/api/review/reviewers")] == ["cleo", "rita"]


def test_where_two_evaluations_disagree_is_a_filter(cleo: Browser, rita: Browser, judged: Evaluation) -> None:
    other = judged_by_workers(cleo, settings={"topics": "linked"})
    page = cases(rita, judged, against=other.pk)
    here = dict(judged.questions.values_list("question_id", "right"))
    there = dict(other.questions.values_list("question_id", "right"))
    words = {(True, True): "both right", (False, False): "both wrong", (True, False): "right here only"}
    expected = Counter(words.get((bool(here[name]), bool(there[name])), "right there only") for name in here)
    assert counts(page)["other"] == dict(expected)
    rita.get(f"/api/review/{judged.pk}/cases?against=00000000-0000-0000-0000-000000000001", status=404)


def test_what_askers_said_is_wrong_is_reviewed_too(rita: Browser, ben: Browser, few: Evaluation) -> None:
    run = ben.ask()["id"]
    run_execute(ReasoningRun.objects.get(pk=run).pk)
    ben.client.put(
        f"/api/runs/{run}/feedback",
        {"says": "wrong", "expected": "Somebody else"},
        content_type="application/json",
        headers={"X-CSRFToken": ben.token},
    )
    assert rita.get("/api/review")["sources"][0]["of"] == "asked"
    page = cases(rita, "asked")
    assert [(row["key"], row["result"]) for row in page["cases"]] == [(run, "wrong")]
    case = one(rita, "asked", run)
    assert (case["expected"], case["predicted"], case["run"]) == (
        ["Somebody else"],
        ReasoningRun.objects.get(pk=run).answers,
        run,
    )
    rita.post(f"/api/review/asked/cases/{run}/verdict", {"says": "no_error"})
    assert counts(cases(rita, "asked"))["says"] == {"no_error": 1}
    reply = rita.post(f"/api/review/asked/cases/{run}/annotation", status=409)
    assert reply["code"] == "no_dataset_question"
    assert rita.get(f"/api/review/asked/cases/{run}/laid-over", status=409)["code"] == "no_gold_derivation"
    assert rita.get("/api/review/asked/agreement")["kappa"] is None


def test_gold_is_laid_over_what_was_predicted(rita: Browser, judged: Evaluation) -> None:
    sides = set()
    for key in cases(rita, judged)["keys"]:
        reply = rita.get(f"/api/review/{judged.pk}/cases/{key}/laid-over")
        grown = [event for event in reply["events"] if event["kind"] == "search_step"]
        assert len(grown) >= len(reply["steps"]) >= 1
        of_this = {each["side"] for each in [*reply["steps"], *reply["conditions"]]}
        right = judged.questions.get(position=int(key)).f1 == 1
        exact = (judged.questions.get(position=int(key)).outcome or {}).get("edit_distance") == 0
        assert not (right and exact) or of_this <= {"both"}
        sides |= of_this
    assert sides == {"both", "made", "gold"}


def test_a_case_is_labelled_and_the_label_comes_back(rita: Browser, judged: Evaluation) -> None:
    key = cases(rita, judged, result="wrong")["keys"][0]
    path = f"/api/review/{judged.pk}/cases/{key}"
    assert rita.get(f"{path}/annotation") == []
    sent = rita.post(f"{path}/annotation")
    assert rita.get(f"{path}/annotation") == [
        {"project": sent["project"], "title": f"Error cases of {judged.snapshot} on Sample"}
    ]
    again = rita.post(f"{path}/annotation", {"project": sent["project"]})
    assert again == sent, "the same question is no second task"
    assert one(rita, judged, key)["label"]["labels"] == 0
    at = Labeller(rita, sent["task"])
    outcome = judged.questions.get(position=int(key)).outcome or {}
    entry = reading_of(Derivation.from_json(outcome["gold_derivation"])).model_dump()
    at.move(topic=entry["topic"], steps=entry["steps"], steps_ended=True)
    at.move(conditions=entry["conditions"], conditions_ended=True)
    at.move(answer=entry["answer"])
    assert rita.post(f"{at.address}/submit")["state"] == "submitted"
    label = one(rita, judged, key)["label"]
    assert (label["task"], label["labels"]) == (sent["task"], 1)
    assert {each["label"] for each in label["answers"]} <= set(at.answers())
    other = cases(rita, judged, result="wrong")["keys"][1]
    stranger = {"project": "00000000-0000-0000-0000-000000000001"}
    refused = rita.post(f"/api/review/{judged.pk}/cases/{other}/annotation", stranger, status=422)
    assert refused["code"] == "unsuitable_project"


def test_what_was_reviewed_is_reported_before_an_evaluation_is_deleted(
    cleo: Browser, rita: Browser, few: Evaluation
) -> None:
    say(rita, few, "1", says="agree")
    refused = cleo.client.delete(f"/api/evaluations/{few.pk}", headers={"X-CSRFToken": cleo.token})
    assert refused.status_code == 409
    assert "1 reviewed case" in refused.json()["message"]
