"""A session that ends during work: the user signs in on the same page, and no input is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.test_accounts import sign_in
from tests.browser.test_annotation import ask, first_task, moves_of, new_project, signed_in
from tests.browser.test_explore import blurred, put
from tests.webapp.conftest import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.running_site import RunningSite

pytestmark = pytest.mark.browser

LOADED = "() => (window.loadedOnce = true)"
STILL_LOADED = "() => window.loadedOnce === true"


def end_session(page: Page) -> None:
    """As after its two weeks, or once an administrator ended it."""
    page.context.clear_cookies(name="sessionid")


def sign_in_again(page: Page, password: str) -> None:
    dialog = page.get_by_test_id("session-ended")
    expect(dialog).to_contain_text("Your session has ended")
    dialog.get_by_label("Password").fill(password)
    dialog.get_by_role("button", name="Sign in", exact=True).click()
    expect(dialog).to_be_hidden()


def test_labelling_goes_on_after_signing_in_again(open_page: Callable[..., Page], site: RunningSite) -> None:
    project = new_project(open_page, site, "Signed out", 1)
    page = signed_in(open_page, site, "annotator", "/annotate")
    name, password = site.account("annotator")
    first_task(page, project)
    page.evaluate(LOADED)
    end_session(page)
    page.keyboard.press("1")
    dialog = page.get_by_test_id("session-ended")
    expect(dialog).to_contain_text("Your input is kept.")
    # A wrong password is told, and the work is still there.
    dialog.get_by_label("Password").fill("wrong")
    dialog.get_by_role("button", name="Sign in", exact=True).click()
    expect(dialog.get_by_role("alert")).to_be_visible()
    sign_in_again(page, password)
    expect(page.get_by_test_id("standing")).to_contain_text("saved")
    assert len(moves_of(page)) == 1

    # Signing in in another tab does as well; there the token of this page is renewed, too.
    end_session(page)
    page.keyboard.press("n")
    page.keyboard.type("kept")
    page.keyboard.press("Escape")
    expect(dialog).to_be_visible()
    dialog.get_by_role("button", name="Continue").click()
    expect(dialog.get_by_role("alert")).to_contain_text(f"{name} is not signed in in this browser yet.")
    other = page.context.new_page()
    other.goto("/")
    sign_in(other, name, password)
    dialog.get_by_role("button", name="Continue").click()
    expect(dialog).to_be_hidden()
    wait_until(lambda: moves_of(page)[-1]["now"] == {"note": "kept"})
    expect(page.get_by_test_id("standing")).to_contain_text("saved")
    assert page.evaluate(STILL_LOADED)


def test_who_does_not_sign_in_again_is_shown_why_nothing_is_saved(
    open_page: Callable[..., Page], site: RunningSite
) -> None:
    page = signed_in(open_page, site, "asker", "/explore")
    password = site.account("asker")[1]
    put(page, "Knight Rider")
    blurred(page)
    page.keyboard.press("s")
    form = page.get_by_test_id("save-form")
    form.get_by_label("Name").fill("Cars")
    end_session(page)
    form.get_by_role("button", name="Save", exact=True).click()
    dialog = page.get_by_test_id("session-ended")
    dialog.get_by_role("button", name="Not now").click()
    expect(form.get_by_role("alert")).to_contain_text("Your session has ended. Sign in again")
    expect(form.get_by_label("Name")).to_have_value("Cars")
    form.get_by_role("button", name="Save", exact=True).click()
    sign_in_again(page, password)
    page.wait_for_url("**/explore/*")


def test_a_question_is_not_asked_as_a_visitor(open_page: Callable[..., Page], site: RunningSite) -> None:
    page = signed_in(open_page, site, "asker", "/")
    with page.expect_response("**/recognised*"):
        page.get_by_test_id("ask-input").fill("who plays the voice of KITT in Knight Rider?")
    end_session(page)
    page.get_by_test_id("ask-input").press("Enter")
    sign_in_again(page, site.account("asker")[1])
    page.wait_for_url("**/runs/*")
    run = page.url.rsplit("/", 1)[1].split("?")[0]
    assert run in [each["id"] for each in ask(page, "GET", "/runs?mine=true&limit=5")]


def test_another_account_in_another_tab_does_not_take_over(open_page: Callable[..., Page], site: RunningSite) -> None:
    page = signed_in(open_page, site, "asker", "/account")
    other = page.context.new_page()
    other.goto("/")
    other.get_by_role("button", name="Account of").click()
    other.get_by_role("button", name="Sign out").click()
    sign_in(other, *site.account("annotator"))
    page.get_by_label("Display name").fill("Somebody")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_test_id("session-ended")).to_be_visible()
    assert ask(other, "GET", "/account")["name"] != "Somebody"
