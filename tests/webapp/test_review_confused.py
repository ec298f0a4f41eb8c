"""Cases are found by which relation was taken for which, as the report counts them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from tests.webapp.evaluations_at_work import judged_by_workers
from tests.webapp.labelled import signed_in
from webapp.accounts.models import Role

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.webapp.conftest import Browser


pytestmark = pytest.mark.usefixtures("sample_graph_loaded", "sample_questions")


def test_each_confused_pair_of_the_report_has_its_cases(browser: Callable[[], Browser], rita: Browser) -> None:
    cleo = signed_in(browser, "cleo", Role.ADMIN)
    evaluation = judged_by_workers(cleo, limit=60)
    address = f"/api/review/{evaluation.pk}/cases"
    assert "confused" not in [facet["name"] for facet in rita.get(address)["facets"]], "not read unless it is asked for"
    pairs = (evaluation.figures or {})["slices"]["confused"]
    assert pairs
    for pair in pairs:
        value = f"{pair['gold']}>{pair['chosen']}"
        page = rita.get(f"{address}?{urlencode({'confused': value})}")
        assert page["total"] == pair["questions"], value
        facet = next(each for each in page["facets"] if each["name"] == "confused")
        assert {"value": value, "count": pair["questions"]} in facet["values"]
        assert facet["total"] == len(pairs)
