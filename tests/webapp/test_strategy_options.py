"""The options of strategies: declared by a strategy, and found wherever one is chosen."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import combinations
from typing import Any

import pytest

from reasoning.core.strategy_options import AblationOption, NumberOption, read_value
from reasoning.strategies.etd.options import CANDIDATES, CANDIDATES_WITHOUT, DETERMINATION
from reasoning.strategies.registry import STRATEGIES, strategy_options
from tests.reasoning.made_up import KEPT
from webapp.platform.environment import REPOSITORY

_TOLD = """
import json, django
django.setup()
from django.core.management import load_command_class
from webapp.api import api
from webapp.asking.questions.strategies import strategies_offered

helps = {
    name: load_command_class(app, name).create_parser("manage.py", name).format_help()
    for app, name in (
        ("webapp.asking.questions", "ask"), ("webapp.asking.questions", "compare"), ("webapp.evaluations", "evaluate")
    )
}
offered = {each.name: each.model_dump() for each in strategies_offered()}
print(json.dumps({"helps": helps, "schema": api.get_openapi_schema(), "offered": offered["sketch"]}))
"""


@pytest.fixture(scope="module")
def site_with_sketch() -> dict[str, Any]:
    """What commands and API say where a strategy with an option of its own is registered, and nothing else changed."""
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.browser.settings_with_sketch"}
    output = subprocess.run(
        [sys.executable, "-c", _TOLD], env=environment, cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    assert output.returncode == 0, output.stderr
    document: dict[str, Any] = json.loads(output.stdout.splitlines()[-1])
    return document


def test_an_option_is_a_flag_of_each_command_that_asks(site_with_sketch: dict[str, Any]) -> None:
    for text in site_with_sketch["helps"].values():
        assert f"--kept 1-{KEPT.most} Sketch: how many relations are kept ({KEPT.usual})" in " ".join(text.split())


def test_an_option_is_a_field_of_questions_runs_and_evaluations(site_with_sketch: dict[str, Any]) -> None:
    schemas = site_with_sketch["schema"]["components"]["schemas"]
    bounds = {"minimum": 1, "maximum": KEPT.most, "type": "integer"}
    for name in ("QuestionIn", "WayIn"):
        assert bounds in schemas[name]["properties"]["kept"]["anyOf"], name
        assert "kept" not in schemas[name].get("required", ())
    evaluated = schemas["SwitchesIn"]["properties"]["kept"]
    assert bounds.items() <= evaluated.items()
    assert evaluated["default"] == KEPT.usual
    assert schemas["RunOut"]["properties"]["kept"]["description"] == "How many relations are kept."
    assert "kept" in schemas["RunOut"]["required"]


def test_an_option_is_declared_to_the_forms(site_with_sketch: dict[str, Any]) -> None:
    (option,) = site_with_sketch["offered"]["options"]
    assert (option["kind"], option["name"], option["usual"]) == ("number", "kept", 2)
    assert (option["label"], option["lead"], option["sentence"]) == (KEPT.label, KEPT.lead, KEPT.sentence)
    assert (option["offered"], option["one"], option["more"]) == ([1, 2, 3, 4], "relation", "relations")


def test_options_of_one_name_have_the_same_values() -> None:
    for name, declared in strategy_options().items():
        for (one, _), (other, _) in combinations(declared, 2):
            assert (one.kind, one.usual) == (other.kind, other.usual), name
            if isinstance(one, NumberOption):
                assert isinstance(other, NumberOption)
                assert one.most == other.most, name
            else:
                assert not isinstance(other, NumberOption)
                assert [each.value for each in one.choices] == [each.value for each in other.choices], name


def test_usual_values_are_among_those_that_can_be_chosen() -> None:
    for entry in STRATEGIES.values():
        for option in entry.options:
            assert read_value(option, option.usual) == option.usual
            if isinstance(option, NumberOption):
                assert 1 <= option.usual <= option.most
                assert option.usual in (option.offered or range(1, option.most + 1))
            elif isinstance(option, AblationOption):
                assert option.usual == ()
        assert entry.answered_by is None or entry.answered_by in entry.options


def test_a_value_that_is_none_of_the_choices_is_refused_with_those_that_are() -> None:
    with pytest.raises(ValueError, match="determination is 'dice'; expected one of scorer, explorer, writer"):
        read_value(DETERMINATION, "dice")
    with pytest.raises(ValueError, match="candidates_without is 'names'"):
        read_value(CANDIDATES_WITHOUT, ["letters", "names"])
    with pytest.raises(TypeError, match="candidates is 'three'; expected a number"):
        read_value(CANDIDATES, "three")
