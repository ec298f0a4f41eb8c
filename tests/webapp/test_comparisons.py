"""Several evaluations of the same questions, parts of one, and what its questions have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest

from tests.webapp.evaluations_at_work import judged_by_workers
from webapp.evaluations.models import EvaluatedQuestion, Evaluation, JudgedDecisions
from webapp.labelling.projects.models import Task

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.webapp.conftest import Browser


pytestmark = pytest.mark.usefixtures("sample_graph_loaded", "sample_questions")


@pytest.fixture
def judged(cleo: Browser) -> Callable[..., str]:
    """Does what the workers would, and gives the address."""

    def judge(**more: Any) -> str:
        return f"/api/evaluations/{judged_by_workers(cleo, **more).pk}"

    return judge


def name(address: str) -> str:
    return address.rpartition("/")[2]


def test_the_report_tells_the_headline_the_tables_and_the_slices(cleo: Browser, judged: Callable[..., str]) -> None:
    reply = cleo.get(judged())["figures"]
    assert [each["name"] for each in reply["headline"]] == [
        "hits_at_1",
        "macro_f1",
        "hits_at_1_in_graph",
        "graph_hits",
    ]
    assert reply["headline"][0]["value"] == reply["all"]["hits_at_1"]
    cells = reply["reads"]["structures"]["cells"]
    assert sum(cell["questions"] for cell in cells) == reply["search"]["with_gold_derivation"]
    assert all(cell["edge_distance"] <= cell["edit_distance"] for cell in cells)
    assert reply["reads"]["mean_sizes"]["graph_facts"] > 0
    assert reply["reads"]["cases"]["in_graph"] == reply["cases"]
    assert reply["slices"]["questions"] == reply["in_graph"]["questions"]


def test_figures_of_earlier_are_shown_without_what_they_do_not_tell(cleo: Browser, judged: Callable[..., str]) -> None:
    address = judged(limit=2)
    evaluation = Evaluation.objects.get()
    evaluation.figures = {key: value for key, value in evaluation.figures.items() if key not in {"headline", "reads"}}
    evaluation.switches = {"topics": "gold", "min_branches": 2}
    evaluation.save()
    reply = cleo.get(address)
    assert (reply["figures"]["headline"], reply["figures"]["reads"]) == (None, None)
    assert (reply["settings"]["min_branches"], reply["settings"]["gold_branches_from"]) == (0, 2)


def test_a_slice_opens_its_questions_and_any_filter_has_figures(cleo: Browser, judged: Callable[..., str]) -> None:
    address = judged(limit=80)
    slices = cleo.get(address)["figures"]["slices"]
    of_a_kind = [
        each for each in [*slices["worst"], *slices["small"]] if each["kind"] in {"relation", "domain", "word"}
    ]
    assert of_a_kind
    for each in of_a_kind:
        only = f"{each['kind']}={each['value']}&graph_gap=false&answerable=true"
        assert cleo.get(f"{address}/questions?{only}")["total"] == each["questions"]
        part = cleo.get(f"{address}/part?{only}")
        assert (part["judged"], part["right"]) == (each["questions"], pytest.approx(each["hits_at_1"]))
        assert part["right_interval"] == pytest.approx(each["hits_at_1_interval"])
    for pair in slices["confused"]:
        query = urlencode({"confused": f"{pair['gold']}>{pair['chosen']}"})
        found = cleo.get(f"{address}/questions?{query}")
        assert found["total"] >= pair["questions"] > 0
    nothing = cleo.get(f"{address}/part?relation=no.such.relation")
    assert (nothing["questions"], nothing["right"], nothing["right_interval"]) == (0, None, None)
    assert cleo.get(f"{address}/questions?linking=true")["total"] == 0, "topics were given"


def test_a_filter_by_what_questions_have_in_common_knows_questions_that_come(
    cleo: Browser, judged: Callable[..., str]
) -> None:
    address = judged(limit=6, settings={"topics": "linked"})
    right = cleo.get(f"{address}/questions?linking=true")["total"]
    assert right + cleo.get(f"{address}/questions?linking=false")["total"] == 6
    assert right > 0
    # One that was not judged yet has nothing in common with others.
    first = EvaluatedQuestion.objects.get(position=1)
    EvaluatedQuestion.objects.filter(pk=first.pk).update(judged_at=None, right=None, outcome=None)
    Evaluation.objects.update(done=5)
    total = sum(cleo.get(f"{address}/questions?linking={each}")["total"] for each in ("true", "false"))
    assert total == 5


def test_evaluations_differ_in_what_was_fixed_and_broken(cleo: Browser, judged: Callable[..., str]) -> None:
    full = judged()
    cut = judged(settings={"constraints": False, "search": "chain"})
    other = judged(limit=10)
    reply = cleo.get(f"/api/evaluations/differences?id={name(full)}&id={name(cut)}")
    first, second = reply["columns"]
    assert reply["common"] == 40
    assert first["difference"] is None
    difference = second["difference"]
    assert difference["right"]["difference"] == pytest.approx(second["right"] - first["right"])
    assert difference["fixed"] - difference["broken"] == round(40 * difference["right"]["difference"])
    bounds = difference["right"]["interval"]
    assert bounds["low"] <= difference["right"]["difference"] <= bounds["high"]
    pair = cleo.get(f"{full}/against/{name(cut)}")
    assert (difference["fixed"], difference["broken"]) == (pair["only_second"], pair["only_first"])
    listed = cleo.get(f"{full}/questions?against={name(cut)}&changed=answers")
    assert listed["total"] == difference["changed"] >= difference["fixed"] + difference["broken"]
    three = cleo.get(f"/api/evaluations/differences?id={name(full)}&id={name(cut)}&id={name(other)}")
    assert [each["evaluation"]["id"] for each in three["columns"]] == [name(full), name(cut), name(other)]
    assert three["common"] == 10
    assert cleo.get(f"/api/evaluations/differences?id={name(full)}", 422)["code"] == "invalid_request"


def test_an_evaluation_tells_what_changed_since_the_last_one(cleo: Browser, judged: Callable[..., str]) -> None:
    before = judged(limit=40)
    nothing = {"earlier": None, "common": 0, "difference": None, "same": False, "worse": []}
    assert cleo.get(f"{before}/since") == nothing
    now = judged(limit=40, settings={"constraints": False, "search": "chain"})
    reply = cleo.get(f"{now}/since")
    assert (reply["earlier"]["id"], reply["common"]) == (name(before), 40)
    assert reply["difference"]["right"]["difference"] < 0
    assert cleo.get(f"{before}/since")["earlier"] is None, "what came later is no earlier one"


def test_a_drop_against_the_last_evaluation_of_the_same_is_marked(cleo: Browser, judged: Callable[..., str]) -> None:
    full = judged(limit=40)
    other = judged(limit=40, settings={"strategy": "beam", "width": 2})
    reply = cleo.get(f"{other}/since")
    assert (reply["earlier"]["id"], reply["same"], reply["worse"]) == (name(full), False, [])
    cut = judged(limit=40, settings={"constraints": False, "search": "chain"})
    reply = cleo.get(f"{cut}/since")
    assert (reply["earlier"]["id"], reply["same"]) == (name(full), True), "the last of the same strategy"
    fallen = [each for each in ("right", "f1") if reply["difference"][each]["interval"]["high"] < 0]
    assert reply["worse"] == fallen != []
    again = cleo.get(f"{judged(limit=40)}/since")
    assert (again["earlier"]["id"], again["worse"]) == (name(cut), [])


def test_the_questions_of_an_evaluation_come_in_the_order_in_which_to_label_them(
    cleo: Browser, judged: Callable[..., str]
) -> None:
    full, cut = judged(limit=30), judged(limit=30, settings={"constraints": False, "search": "chain"})
    by_doubt = cleo.get(f"{full}/label-next?limit=10")
    assert len(by_doubt["questions"]) == 10
    assert by_doubt["of"] + by_doubt["unknown"] == 30
    doubts = [each["worth"] for each in by_doubt["questions"]]
    assert doubts[0] == max(doubts)
    differ = cleo.get(f"{full}/label-next?by=disagreement&against={name(cut)}")["questions"]
    changed = {
        row["question_id"] for row in cleo.get(f"{full}/questions?against={name(cut)}&changed=answers")["questions"]
    }
    assert changed <= {each["question_id"] for each in differ if each["worth"] > 0}
    assert differ[0]["worth"] == max(each["worth"] for each in differ)
    asked = cleo.get(f"{full}/label-next?by=asked")["questions"]
    assert {each["worth"] for each in asked} == {0.0}
    chosen = [each["question_id"] for each in by_doubt["questions"]]
    wanted = {"dataset": Evaluation.objects.get(pk=name(full)).snapshot_id.hex, "chosen": chosen}
    project = cleo.post(
        "/api/annotation/projects", {"title": "Next", "questions": wanted, "graph": "sample", "order": "chosen"}, 201
    )
    tasks = Task.objects.filter(project=project["id"]).order_by("position")
    assert list(tasks.values_list("question__question_id", flat=True)) == chosen
    assert cleo.get(f"{full}/label-next?by=disagreement", 422)["code"] == "no_other_evaluation"
    Evaluation.objects.filter(pk=name(full)).update(snapshot=None)
    assert cleo.get(f"{full}/label-next", 409)["code"] == "no_dataset_question"


def test_a_question_is_compared_decision_by_decision(cleo: Browser, judged: Callable[..., str]) -> None:
    full = judged(limit=40)
    cut = judged(limit=40, settings={"constraints": False, "search": "chain"})
    lost = cleo.get(f"{full}/questions?against={name(cut)}&changed=only_this")["questions"][0]
    address = f"{full}/against/{name(cut)}/decisions/{lost['position']}"
    reply = cleo.get(address)
    assert (reply["kept_in_first"], reply["kept_in_second"]) == (True, True)
    different = reply["first_different"]
    assert different is not None
    assert all(pair["same"] for pair in reply["decisions"][:different])
    pair = reply["decisions"][different]
    assert not pair["same"]
    assert pair["first"] != pair["second"]
    same = cleo.get(f"{full}/against/{name(full)}/decisions/{lost['position']}")
    assert same["first_different"] is None
    assert {pair["stage"] for pair in same["decisions"]} >= {"link", "search", "infer"}
    JudgedDecisions.objects.all().delete()
    gone = cleo.get(address)
    assert (gone["decisions"], gone["kept_in_first"], gone["kept_in_second"]) == ([], False, False)
    assert cleo.get(f"{full}/against/{name(cut)}/decisions/99", 404)["code"] == "unknown_question"
