"""Accounts in a real browser: one's own, an invitation, a forgotten password, other people's."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import httpx2
import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import mail_settings
from tests.mail_sink import Sink
from tests.running_site import site_ready
from tests.webapp.conftest import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.running_site import RunningSite

pytestmark = pytest.mark.browser

LISTED = re.compile(r"/api/people\?")


@pytest.fixture(scope="module")
def mails() -> Iterator[Sink]:
    """What the site of these tests mails."""
    with Sink.started() as sink:
        yield sink


@pytest.fixture(scope="module")
def site(mails: Sink) -> Iterator[RunningSite]:
    """A site without the accounts and sessions of other files."""
    with site_ready(**mail_settings(mails)) as site:
        yield site


@pytest.fixture(scope="module")
def address(site: RunningSite) -> str:
    """Where that site is."""
    return site.address


def sign_in(page: Page, name: str, password: str) -> None:
    page.get_by_role("button", name="Sign in").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("User name").fill(name)
    dialog.get_by_label("Password").fill(password)
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_hidden()


def mailed(mails: Sink, page: str, number: int) -> str:
    """The path of the link in the mail of a number."""
    wait_until(lambda: len(mails.kept) >= number, 60)
    found = re.search(rf"^https://discern\.example\.org(/{page}#\S+)$", mails.kept[number - 1], re.MULTILINE)
    assert found, mails.kept
    return found[1]


def test_one_manages_ones_own_account_by_the_keyboard(open_page: Callable[..., Page], site: RunningSite) -> None:
    elsewhere = open_page("/")
    sign_in(elsewhere, *site.account("annotator"))
    page = open_page("/account")
    expect(page.get_by_role("heading", name="Sign in to see your account")).to_be_visible()
    sign_in(page, *site.account("annotator"))

    page.get_by_label("Display name").fill("Benedict")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Name changed.")).to_be_visible()
    expect(page.get_by_role("button", name="Account of Benedict")).to_be_visible()

    sessions = page.get_by_test_id("sessions")
    expect(sessions.get_by_role("listitem")).to_have_count(2)
    expect(sessions.get_by_role("listitem").filter(has_text="this session")).to_have_count(1)
    sessions.get_by_role("button", name="Sign out").press("Enter")
    expect(sessions.get_by_role("listitem")).to_have_count(1)
    elsewhere.reload()
    expect(elsewhere.get_by_role("button", name="Sign in")).to_be_visible()

    tokens = page.get_by_test_id("tokens")
    tokens.get_by_label("Purpose").fill("a nightly script")
    tokens.get_by_label("Your password").fill(site.account("annotator")[1])
    page.keyboard.press("Enter")
    secret = tokens.get_by_test_id("new-token").locator("code").inner_text()
    known = httpx2.get(f"{site.address}/api/session", headers={"Authorization": f"Bearer {secret}"})
    assert known.json()["user"]["name"] == "Benedict"
    page.reload()
    expect(tokens.get_by_role("listitem")).to_contain_text("a nightly script")
    expect(page.get_by_text(secret)).to_have_count(0)
    tokens.get_by_role("button", name="Revoke").press("Enter")
    expect(tokens.get_by_text("is revoked")).to_be_visible()


def test_an_administrator_invites_somebody_who_forgets_the_password(
    open_page: Callable[..., Page], site: RunningSite, mails: Sink
) -> None:
    admin = open_page("/people")
    expect(admin.get_by_role("heading", name="This page is for administrators")).to_be_visible()
    sign_in(admin, *site.account("admin"))
    people, invitations = admin.get_by_test_id("people"), admin.get_by_test_id("invitations")
    expect(people.get_by_test_id("person")).to_have_count(5)
    invitations.get_by_label("E-mail address").fill("nia@example.org")
    invitations.get_by_label("Role").select_option("reviewer")
    invitations.get_by_role("button", name="Invite").click()
    expect(invitations.get_by_role("listitem")).to_contain_text("sent, valid until")
    expect(admin.get_by_test_id("audit")).to_contain_text("cleo invited nia@example.org: reviewer")

    nia = open_page(mailed(mails, "invitation", 1))
    expect(nia.get_by_text("An account for nia@example.org. Reviewer")).to_be_visible()
    assert "#" not in nia.url
    form = nia.get_by_role("main")
    form.get_by_label("User name").fill("nia")
    form.get_by_label("Display name").fill("Nia")
    form.get_by_label("Password").fill("a password of hers")
    nia.keyboard.press("Enter")
    expect(nia.get_by_role("button", name="Account of Nia")).to_be_visible()

    forgetful = open_page("/")
    forgetful.get_by_role("button", name="Sign in").click()
    forgetful.get_by_role("link", name="Forgot the password?").click()
    forgetful.get_by_label("E-mail address").fill("nia@example.org")
    forgetful.keyboard.press("Enter")
    expect(forgetful.get_by_text("a link was sent to it")).to_be_visible()
    link = mailed(mails, "reset", 2)
    forgetful.goto(link)
    forgetful.get_by_label("New password").fill("another password of hers")
    forgetful.keyboard.press("Enter")
    expect(forgetful.get_by_text("Password set.")).to_be_visible()
    sign_in(forgetful, "nia", "another password of hers")
    nia.reload()
    expect(nia.get_by_role("button", name="Sign in")).to_be_visible()
    late = open_page(link)
    late.get_by_label("New password").fill("one more password of hers")
    late.keyboard.press("Enter")
    expect(late.get_by_role("alert")).to_contain_text("This link was used already")

    admin.reload()
    people.get_by_label("Name or e-mail address").fill("nia")
    admin.keyboard.press("Enter")
    expect(people.get_by_test_id("person")).to_have_count(1)
    people.get_by_label("Role of Nia").select_option("annotator")
    expect(people.get_by_text("Nia is annotator now.")).to_be_visible()
    expect(admin.get_by_test_id("audit").get_by_role("listitem").first).to_contain_text(
        "cleo changed the role of nia: from reviewer to annotator"
    )
    people.get_by_role("button", name="Sign out (1)").click()
    expect(people.get_by_text("1 session of Nia ended.")).to_be_visible()
    forgetful.reload()
    expect(forgetful.get_by_role("button", name="Sign in")).to_be_visible()


def test_what_is_searched_for_while_the_list_is_still_read_is_found(
    open_page: Callable[..., Page], site: RunningSite
) -> None:
    page = open_page("/")
    sign_in(page, *site.account("admin"))
    held: list[Route] = []

    def hold_the_first(route: Route) -> None:
        if held:
            route.continue_()
        else:
            held.append(route)

    page.route(LISTED, hold_the_first)
    with page.expect_request(LISTED):
        page.goto("/people")
    people = page.get_by_test_id("people")
    people.get_by_label("Name or e-mail address").fill("cleo")
    page.keyboard.press("Enter")
    held[0].continue_()
    expect(people.get_by_test_id("person")).to_have_count(1)


def test_the_only_administrator_stays_one(open_page: Callable[..., Page], site: RunningSite) -> None:
    page = open_page("/people")
    sign_in(page, *site.account("admin"))
    role = page.get_by_label("Role of Cleo")
    role.select_option("asker")
    expect(page.get_by_role("alert")).to_contain_text("This is the only administrator")
    expect(role).to_have_value("admin")
