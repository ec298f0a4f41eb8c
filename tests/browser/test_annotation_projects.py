"""What those who manage projects choose of them: what a model suggests, and questions that people agreed to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.test_accessibility import faults
from tests.browser.test_annotation import KITT, ask, first_task, loaded_sample, signed_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.running_site import RunningSite

pytestmark = pytest.mark.browser


def project_form(admin: Page, title: str, person: str) -> Page:
    """The form of a new project, with what every project has."""
    admin.goto("/annotate")
    admin.get_by_role("button", name="New project").click()
    admin.get_by_label("Title").fill(title)
    admin.get_by_test_id("people").fill(person)
    return admin


def test_what_a_model_decides_is_chosen_in_the_form_and_suggested(
    open_page: Callable[..., Page], site: RunningSite
) -> None:
    admin = signed_in(open_page, site, "admin", "/datasets")
    dataset = loaded_sample(admin)
    form = project_form(admin, "By a model", site.account("annotator")[0])
    form.get_by_test_id("dataset").select_option(dataset)
    form.get_by_test_id("words").fill("KITT")
    form.get_by_test_id("limit").fill("1")
    expect(form.get_by_test_id("blind")).to_have_count(0)
    form.get_by_test_id("suggests").select_option(label="From a model")
    expect(form.get_by_test_id("scorer")).to_have_value("encoder")
    expect(form.get_by_test_id("strategy")).to_have_value("reads")
    expect(form.get_by_test_id("blind")).to_have_value("0")
    assert faults(form) == []
    form.get_by_test_id("make").click()

    suggesting = admin.get_by_test_id("suggesting")
    expect(suggesting).to_contain_text("Suggestions for 1 of 1 question")
    expect(suggesting).to_contain_text("by encoder, READS")
    expect(admin.get_by_test_id("stop-suggesting")).to_have_count(0)
    assert faults(admin) == []

    page = signed_in(open_page, site, "annotator", "/annotate", color_scheme="dark")
    first_task(page, admin.url.rsplit("/", 1)[1])
    expect(page.get_by_test_id("suggested")).to_contain_text("Suggested by encoder, READS")


def test_a_project_is_made_of_what_people_asked_once_they_agreed(
    open_page: Callable[..., Page], site: RunningSite
) -> None:
    admin = signed_in(open_page, site, "admin", "/annotate")
    form = project_form(admin, "Asked", site.account("annotator")[0])
    form.get_by_test_id("dataset").select_option("asked")
    expect(form.get_by_test_id("dataset-note")).to_contain_text("No user has released questions")
    expect(form.get_by_test_id("make")).to_be_disabled()

    asker = signed_in(open_page, site, "asker", "/questions")
    ask(asker, "POST", "/runs", {"question": KITT, "graph": "sample"})
    asker.reload()
    tick = asker.get_by_label("May be labelled by annotators")
    expect(tick).not_to_be_checked()
    # The box is checked before the site knows of it.
    with asker.expect_response("**/question"):
        tick.press("Space")
    expect(tick).to_be_checked()
    asker.reload()
    expect(tick).to_be_checked()
    expect(asker.get_by_test_id("questions-page")).to_contain_text("never your name")
    assert faults(asker) == []

    form = project_form(admin, "Asked", site.account("annotator")[0])
    form.get_by_test_id("dataset").select_option("asked")
    expect(form.get_by_test_id("dataset-note")).to_contain_text("1 question about")
    form.get_by_test_id("make").click()
    expect(admin.get_by_test_id("project-page")).to_contain_text("1 question of Asked questions (sample), version 1")
