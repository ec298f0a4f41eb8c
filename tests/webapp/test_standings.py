"""Several evaluations as one table: figures with intervals, what may not be compared, agreement, files."""

from __future__ import annotations

import csv
import io
import json
from statistics import fmean
from typing import TYPE_CHECKING, Any

import pytest
from django.utils import timezone

from tests.webapp.evaluations_at_work import judged_by_workers
from tests.webapp.labelled import signed_in
from webapp.accounts.models import Role
from webapp.evaluations.models import EvaluatedQuestion, Evaluation
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tests.webapp.conftest import Browser

A, B, C, NOTHING = ("m.a",), ("m.b",), ("m.c",), ()
MINIATURE: Mapping[str, Sequence[tuple[str, ...]]] = {
    "q1": (A, A, A),
    "q2": (B, B, B),
    "q3": (A, A, B),
    "q4": (A, B, C),
    "q5": (NOTHING, B, NOTHING),
}
"""What three evaluations answer; right is A alone."""


def evaluation(answers: Mapping[str, tuple[str, ...]], **more: Any) -> Evaluation:
    """An evaluation whose questions were answered so."""
    fields = {
        "dataset": "made up",
        "format": "discern",
        "split": "all",
        "scorer": "lexical",
        "switches": {},
        "graph": "toy",
        "graph_title": "Toy",
        "status": Status.SUCCEEDED,
        "seen_at": timezone.now(),
        "finished_at": timezone.now(),
        "total": len(answers),
        "done": len(answers),
    }
    made = Evaluation.objects.create(**{**fields, **more})
    for position, (id_, shown) in enumerate(answers.items(), start=1):
        right = shown == A
        EvaluatedQuestion.objects.create(
            evaluation=made,
            position=position,
            question_id=id_,
            text=f"what is {id_}?",
            gold={},
            judged_at=timezone.now(),
            right=right,
            f1=float(right),
            seconds=0.5,
            outcome={
                "predicted": list(shown),
                "predicted_labels": [each.upper() for each in shown],
                "predicted_total": len(shown),
                "system": "",
                "hit": right,
                "exact": right,
                "recall": float(right),
                "seconds": position / 10,
                "calls": 2,
                "tokens_in": 30,
                "tokens_out": 0,
            },
        )
    return made


@pytest.fixture
def three() -> list[Evaluation]:
    strategies = ("reads", "beam", "rog")
    return [
        evaluation(
            {id_: shown[at] for id_, shown in MINIATURE.items()},
            switches={"topics": "gold", "strategy": strategy},
            note=f"=the {strategy}",
        )
        for at, strategy in enumerate(strategies)
    ]


def ids(evaluations: Sequence[Evaluation]) -> str:
    return "&".join(f"id={each.pk}" for each in evaluations)


def test_each_has_its_figures_with_intervals_over_the_questions_that_all_have(
    browser: Callable[[], Browser], three: list[Evaluation]
) -> None:
    three[1].questions.filter(question_id="q5").delete()
    reply = browser().get(f"/api/evaluations/standings?{ids(three)}")
    assert (reply["common"], reply["unlike"], reply["reworded"]) == (4, [], 0)
    rights = [each["right"] for each in reply["standings"]]
    assert [each["value"] for each in rights] == [0.75, 0.5, 0.25]
    assert all(0 <= each["low"] <= each["value"] <= each["high"] <= 1 for each in rights)
    first = reply["standings"][0]
    assert (first["calls"], first["tokens_in"]["value"]) == ({"value": 2, "low": 2, "high": 2}, 30)
    assert first["seconds"]["value"] == pytest.approx(fmean([0.1, 0.2, 0.3, 0.4]))
    assert first["evaluation"]["settings"]["strategy"] == "reads"


def test_agreement_and_the_vote_are_those_of_the_miniature(
    browser: Callable[[], Browser], three: list[Evaluation]
) -> None:
    """q1, q2: all agree; q3: all but one; q4: all differ; q5: one alone answers, and wrongly.

    The vote: A, B, A, A (the first of three), B.
    """
    reply = browser().get(f"/api/evaluations/standings?{ids(three)}")["agreement"]
    assert {each["kind"]: each["questions"] for each in reply["kinds"]} == {
        "all agree, right": 1,
        "all agree, wrong": 1,
        "all but one agree": 2,
        "some agree": 0,
        "all differ": 1,
    }
    assert reply["right"]["value"] == pytest.approx(3 / 5)
    assert [(each["agree"], each["questions"], each["right"]["value"]) for each in reply["degrees"]] == [
        (3, 2, 0.5),
        (2, 1, 1.0),
        (1, 2, 0.5),
    ]


def test_what_may_not_be_compared_is_said(browser: Callable[[], Browser], three: list[Evaluation]) -> None:
    first, second, third = three
    Evaluation.objects.filter(pk=second.pk).update(
        graph="other", graph_title="Other", switches={"topics": "linked", "strategy": "beam"}
    )
    Evaluation.objects.filter(pk=third.pk).update(graph_version="2", dataset="made up again", fingerprint="f" * 64)
    third.questions.filter(question_id="q2").update(text="of which is q2?")
    reply = browser().get(f"/api/evaluations/standings?{ids(three)}")
    assert [(each["evaluation"], each["what"], each["words"]) for each in reply["unlike"]] == [
        (str(second.pk), "graph", "It asked the graph “Other”, and the first one “Toy”."),
        (
            str(second.pk),
            "topics",
            "It had to find what each question is about, and the first one was given what each question is about.",
        ),
        (str(third.pk), "dataset", "It asked “made up again”, and the first one “made up”."),
        (str(third.pk), "graph", "It asked another version of the graph “Toy”."),
    ]
    assert (reply["common"], reply["reworded"]) == (4, 1)
    again = browser().get(f"/api/evaluations/standings?{ids([first, third])}")
    assert again["common"] == 4


@pytest.mark.parametrize("address", ["standings", "standings.csv", "agreement.csv", "differences"])
def test_an_evaluation_is_not_compared_with_itself(
    browser: Callable[[], Browser], three: list[Evaluation], address: str
) -> None:
    client = signed_in(browser, "ada", Role.ADMIN)
    reply = client.get(f"/api/evaluations/{address}?{ids([three[0], three[0]])}", status=422)
    assert reply["code"] == "same_evaluation"


def test_without_a_question_in_common_there_is_nothing_to_tell(browser: Callable[[], Browser]) -> None:
    two = [evaluation({"q1": A}), evaluation({"q2": A})]
    reply = browser().get(f"/api/evaluations/standings?{ids(two)}")
    assert (reply["common"], reply["agreement"]) == (0, None)
    assert [each["right"] for each in reply["standings"]] == [None, None]
    assert len(list(csv.reader(io.StringIO(_text(browser(), f"standings.csv?{ids(two)}"))))) == 3


def test_another_system_has_no_seconds_and_no_costs(browser: Callable[[], Browser]) -> None:
    own, other = evaluation({"q1": A}), evaluation({"q1": B}, predictions={"name": "x", "sha256": "y"})
    row = other.questions.get()
    row.outcome = {**(row.outcome or {}), "system": "Theirs"}
    row.save()
    one, two = browser().get(f"/api/evaluations/standings?{ids([own, other])}")["standings"]
    assert one["seconds"] is not None
    assert (two["seconds"], two["calls"], two["tokens_in"]) == (None, None, None)
    assert two["right"]["value"] == 0


def _text(browser: Browser, file: str) -> str:
    response = browser.client.get(f"/api/evaluations/{file}")
    assert response.status_code == 200
    assert "attachment" in response["Content-Disposition"]
    text: str = response.getvalue().decode()
    return text


def test_files_have_the_same_and_each_question(browser: Callable[[], Browser], three: list[Evaluation]) -> None:
    visitor, ada = browser(), signed_in(browser, "ada", Role.ASKER)
    reply = visitor.get(f"/api/evaluations/standings?{ids(three)}")
    kept = json.loads(_text(visitor, f"standings.json?{ids(three)}"))
    assert kept["agreement"] == reply["agreement"]
    assert [each["right"] for each in kept["standings"]] == [each["right"] for each in reply["standings"]]
    head, *rows = csv.reader(io.StringIO(_text(visitor, f"standings.csv?{ids(three)}")))
    table = [dict(zip(head, row, strict=True)) for row in rows]
    assert [each["strategy"] for each in table] == ["reads", "beam", "rog"]
    assert float(table[0]["right"]) == reply["standings"][0]["right"]["value"]
    # A spreadsheet takes it for no formula.
    assert table[0]["note"] == "'=the reads"
    head, *rows = csv.reader(io.StringIO(_text(ada, f"agreement.csv?{ids(three)}")))
    questions = {row[0]: dict(zip(head, row, strict=True)) for row in rows}
    assert questions["q3"]["agreement"] == "all but one agree"
    assert (questions["q3"]["votes"], questions["q3"]["vote_right"]) == ("2", "true")
    assert questions["q3"]["1 reads lexical: answers"] == "M.A"
    assert questions["q5"]["3 rog lexical: answers"] == ""


def test_fewer_than_two_and_more_than_a_dozen_are_refused(browser: Callable[[], Browser]) -> None:
    one = evaluation({"q1": A})
    assert browser().get(f"/api/evaluations/standings?id={one.pk}", 422)["code"] == "invalid_request"
    many = ids([one] * 13)
    assert browser().get(f"/api/evaluations/standings?{many}", 422)["code"] == "invalid_request"
    nobody = "id=00000000-0000-0000-0000-000000000000"
    assert browser().get(f"/api/evaluations/standings?id={one.pk}&{nobody}", 404)["code"] == "unknown_evaluation"


def test_evaluations_that_workers_judged_are_shown_so_too(
    cleo: Browser, sample_graph_loaded: None, sample_questions: None
) -> None:
    two = [judged_by_workers(cleo, limit=12, settings={"strategy": each}) for each in ("reads", "rog")]
    reply = cleo.get(f"/api/evaluations/standings?{ids(two)}")
    assert (reply["common"], reply["unlike"]) == (12, [])
    for each, held in zip(reply["standings"], two, strict=True):
        figures = cleo.get(f"/api/evaluations/{held.pk}")["figures"]
        assert each["f1"]["value"] == pytest.approx(figures["all"]["macro_f1"])
        assert each["hit"]["value"] == pytest.approx(figures["all"]["hit"])
        assert each["seconds"]["value"] == pytest.approx(figures["seconds"]["mean"])
        assert each["calls"]["value"] == pytest.approx(figures["cost"]["calls"])
    assert sum(each["questions"] for each in reply["agreement"]["degrees"]) == 12


def test_reviewers_find_cases_by_the_agreement_of_all(rita: Browser, three: list[Evaluation]) -> None:
    first, second, third = three
    address = f"/api/review/{first.pk}/cases"
    assert "agreement" not in [each["name"] for each in rita.get(address)["facets"]]
    beside = f"beside={second.pk}&beside={third.pk}"
    page = rita.get(f"{address}?{beside}")
    facet = next(each for each in page["facets"] if each["name"] == "agreement")
    assert {each["value"]: each["count"] for each in facet["values"]} == {
        "all agree, right": 1,
        "all agree, wrong": 1,
        "all but one agree": 2,
        "all differ": 1,
    }
    for kind, keys in (("all agree, wrong", ["2"]), ("all but one agree", ["3", "5"]), ("all differ", ["4"])):
        found = rita.get(f"{address}?{beside}&agreement={kind.replace(' ', '+')}&sort=given")
        assert [each["key"] for each in found["cases"]] == keys
        case = rita.get(f"{address}/{keys[0]}?{beside}&agreement={kind.replace(' ', '+')}&sort=given")
        assert (case["place"], case["total"]) == (1, len(keys))
    alone = rita.get(f"{address}?beside={first.pk}")
    assert "agreement" not in [each["name"] for each in alone["facets"]], "agreement needs two"
    assert rita.get(f"{address}?beside=00000000-0000-0000-0000-000000000000", 404)["code"] == "unknown_evaluation"
