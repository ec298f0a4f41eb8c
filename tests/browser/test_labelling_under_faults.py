"""Two people label in two browsers at once while connections, tabs and processes die: no move is lost or doubled."""

from __future__ import annotations

import os
import shutil
import signal
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.browser.test_annotation import ask, label_kitt, new_project, signed_in
from tests.running_site import RunningSite, home_folder, living_process_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

FLAGS = 12
"""Number of moves of each person in each part: an odd one flags the task, an even one takes the flag away."""


@pytest.fixture(scope="module")
def site() -> Iterator[RunningSite]:
    """A site of its own: its processes are killed."""
    home = home_folder("discern-killed-")
    site = RunningSite(home, DISCERN_SCORER="lexical", DISCERN_VISITOR_RATE="100000/minute")
    try:
        site.ready()
        yield site
    finally:
        site.end(signal.SIGINT)
        shutil.rmtree(home)


@pytest.fixture(scope="module")
def address(site: RunningSite) -> str:
    """Where that site is."""
    return site.address


def kill(site: RunningSite, mark: bytes) -> None:
    os.kill(living_process_of(site.home, mark), signal.SIGKILL)


def flag(page: Page, times: int = FLAGS) -> None:
    for _ in range(times):
        page.keyboard.press("x")


def saved(page: Page) -> None:
    expect(page.get_by_test_id("standing")).to_contain_text("saved")


def log_of(page: Page, task: int) -> list[dict[str, Any]]:
    return list(ask(page, "GET", f"/annotation/tasks/{task}/moves?limit=200")["moves"])


def test_two_people_in_two_browsers_lose_and_double_nothing(open_page: Callable[..., Page], site: RunningSite) -> None:
    both = [site.account(role)[0] for role in ("annotator", "reviewer")]
    project = new_project(open_page, site, "Under faults", 1, overlap=2, people=both)
    ben, rosa = (signed_in(open_page, site, role, "/annotate") for role in ("annotator", "reviewer"))
    task = ask(ben, "POST", f"/annotation/projects/{project}/next")["task"]
    assert ask(rosa, "POST", f"/annotation/projects/{project}/next")["task"] == task
    for page in (ben, rosa):
        page.goto(f"/annotate/tasks/{task}")
        expect(page.get_by_test_id("asks")).to_have_text("What is the question about?")
        page.get_by_test_id("question").click()

    # Processes are killed while both make moves.
    for mark in (b"redis-server", b"celery", b"web_server"):
        flag(ben, FLAGS // 2)
        kill(site, mark)
        flag(rosa, FLAGS // 2)
        flag(ben, FLAGS // 2)
        flag(rosa, FLAGS // 2)
    # One loses the connection, and goes on; the other closes the tab while the site is down.
    ben.context.set_offline(True)
    flag(ben)
    kill(site, b"web_server")
    flag(rosa)
    rosa.close(run_before_unload=False)
    again = rosa.context.new_page()
    # The web server starts again meanwhile, which takes its time on a busy machine.
    again.goto("/annotate", timeout=120_000)
    again.goto(f"/annotate/tasks/{task}")
    ben.context.set_offline(False)
    for page in (ben, again):
        saved(page)
        label_kitt(page)
        saved(page)

    drafts = []
    for page in (ben, again):
        log = log_of(page, task)
        assert [row["number"] for row in log] == list(range(1, len(log) + 1))
        flags = [row["now"]["flagged"] for row in log if "flagged" in row["now"]]
        assert flags == [True, False] * (2 * FLAGS), "each move once, in its order"
        page.keyboard.press("Enter")
        expect(page.get_by_test_id("done")).to_be_visible()
        drafts.append(ask(page, "GET", f"/annotation/tasks/{task}")["work"]["draft"])
    assert drafts[0] == drafts[1]
    assert drafts[0]["answer"] is not None
