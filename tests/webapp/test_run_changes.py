"""What may be decided otherwise, as requests write it down, and the change of the engine that each means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kgstore.terms import Date, Entity, Relation
from reasoning.core.derivation import Constraint, Operator, SearchStep
from reasoning.core.options import Stage
from reasoning.run.continuation import EndStage, Insert, Remove, Replace, TakeReading
from webapp.asking.runs.changes import CHANGE, change_of, later_of
from webapp.platform.http.errors import ProductError

if TYPE_CHECKING:
    from reasoning.core.options import Choice

ACTOR = Relation("tv.regular_tv_appearance.actor")


def replaced(stage: str, choice: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "replace", "stage": stage, "number": 2, "choice": choice}


def condition(operator: str, **target: str) -> dict[str, Any]:
    return {"kind": "constraint", "position": 3, "operator": operator, **target}


@pytest.mark.parametrize(
    ("stage", "choice", "means"),
    [
        ("link", {"kind": "topic", "entity": "en.kitt"}, Entity("en.kitt")),
        ("search", {"kind": "step", "position": 1, "relation": str(ACTOR)}, SearchStep(1, ACTOR)),
        ("search", {"kind": "step", "position": 0, "relation": f"^{ACTOR}"}, SearchStep(0, ACTOR.inverse)),
        ("search", {"kind": "none"}, None),
        ("prune", condition("=", target="en.kitt"), Constraint(3, Operator.EQUAL, Entity("en.kitt"))),
        ("prune", condition("<", target='"2011"^^xsd:gYear'), Constraint(3, Operator.LESS, Date("2011"))),
        ("prune", condition("max"), Constraint(3, Operator.MAX)),
        ("prune", condition("kind", target="tv.tv_actor"), Constraint(3, Operator.KIND, Entity("tv.tv_actor"))),
        ("prune", {"kind": "none"}, None),
        ("infer", {"kind": "answer", "position": 2}, 2),
    ],
)
def test_every_stage_has_its_kinds_of_choices(stage: str, choice: dict[str, Any], means: Choice) -> None:
    for kind, change in (("replace", Replace), ("insert", Insert)):
        wanted = CHANGE.validate_python({**replaced(stage, choice), "kind": kind})
        assert change_of(wanted) == change(Stage(stage), 2, means)


def test_what_is_taken_out_ended_or_opened_needs_no_choice() -> None:
    where = {"stage": "prune", "number": 1}
    assert change_of(CHANGE.validate_python({"kind": "remove", **where})) == Remove(Stage.PRUNE, 1)
    assert change_of(CHANGE.validate_python({"kind": "end", **where})) == EndStage(Stage.PRUNE, 1)
    assert change_of(CHANGE.validate_python({"kind": "reading", "index": 4})) == TakeReading(4)


def test_later_decisions_are_asked_for_anew_unless_they_are_to_be_kept() -> None:
    end = {"kind": "end", "stage": "search", "number": 0}
    assert later_of(CHANGE.validate_python(end)) == "ask"
    assert later_of(CHANGE.validate_python({**end, "later": "keep"})) == "keep"
    assert later_of(CHANGE.validate_python({"kind": "reading", "index": 0})) == "keep"


def test_a_choice_of_another_stage_or_that_nothing_is_written_as_is_refused_in_words() -> None:
    def why(stage: str, choice: dict[str, Any]) -> ProductError:
        with pytest.raises(ProductError) as raised:
            change_of(CHANGE.validate_python(replaced(stage, choice)))
        return raised.value

    error = why("search", {"kind": "answer", "position": 1})
    assert (error.status, error.code, error.extra) == (422, "unsuitable_choice", {"stage": "search"})
    assert error.message == (
        "In the stage “Search”, a choice is of the kind step or none; this one is of the kind answer."
    )
    error = why("prune", condition("=", target='"2011'))
    assert (error.status, error.code) == (422, "unreadable_choice")
    assert error.message == f"This choice cannot be read: {error.__cause__}"
    assert str(error.__cause__)
