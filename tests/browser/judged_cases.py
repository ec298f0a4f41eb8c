"""An evaluation that errs, and a page on which one of its cases is judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser.test_annotation import ask, loaded_sample
from tests.webapp.conftest import wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Page


def evaluation_with_cases(admin: Page, *, limit: int) -> str:
    """The id of a new evaluation of the loaded sample by a scorer that only compares words."""
    loaded_sample(admin)
    wanted = {"dataset": "sample", "format": "discern", "graph": "sample", "scorer": "lexical", "limit": limit}
    made = str(ask(admin, "POST", "/evaluations", wanted)["id"])
    wait_until(lambda: ask(admin, "GET", f"/evaluations/{made}")["status"] == "succeeded", seconds=120)
    return made


def first_case_opened(admin: Page) -> None:
    """Open the first case of a new evaluation, and its field for a comment."""
    evaluation = evaluation_with_cases(admin, limit=40)
    key = ask(admin, "GET", f"/review/{evaluation}/cases")["keys"][0]
    admin.goto(f"/review/{evaluation}/cases/{key}")
    admin.wait_for_url("**/runs/*")
    expect(admin.get_by_test_id("verdicts")).to_be_visible()
    admin.keyboard.press("c")
