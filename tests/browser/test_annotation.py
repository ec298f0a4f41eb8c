"""What those who label do in a browser, and those who manage what they label."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.browser.test_accessibility import faults, themes_and_sizes
from tests.browser.test_accounts import sign_in
from tests.webapp.conftest import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.running_site import RunningSite

pytestmark = pytest.mark.browser

KITT = "who plays the voice of KITT in Knight Rider?"
GUIDELINE = """# How

Say **which facts** lead on.

<img src="x" onerror="document.title = 'broken'"> [a](javascript:alert(1))
"""
ASK = """async ([method, path, body]) => {
    const { csrf_token } = await (await fetch('/api/session')).json();
    const headers = { 'Content-Type': 'application/json', 'X-CSRFToken': csrf_token };
    const reply = await fetch(`/api${path}`, { method, headers, body: body && JSON.stringify(body) });
    return await reply.json();
}"""
MOVES = re.compile(r"/api/annotation/tasks/\d+/moves")


def ask(page: Page, method: str, path: str, body: object = None) -> Any:
    return page.evaluate(ASK, [method, path, body])


def loaded_sample(admin: Page) -> str:
    """The id of the loaded sample dataset."""
    made = ask(admin, "POST", "/datasets", {"file": "sample", "format": "discern", "name": "sample"})
    admin.goto(f"/datasets/{made['id']}")
    expect(admin.get_by_test_id("stands")).to_contain_text("held out")
    return str(made["id"])


def signed_in(open_page: Callable[..., Page], site: RunningSite, role: str, path: str, **options: Any) -> Page:
    page = open_page("/", **options)
    if not page.get_by_role("button", name="Sign in").count():
        page.get_by_role("button", name=re.compile("Sign in|Account")).first.wait_for()
    sign_in(page, *site.account(role))
    page.goto(path)
    return page


def new_project(open_page: Callable[..., Page], site: RunningSite, title: str, limit: int, **more: Any) -> str:
    """The id of a project of the first questions about KITT, in which the annotator labels."""
    admin = signed_in(open_page, site, "admin", "/datasets")
    dataset = loaded_sample(admin)
    people = [site.account("annotator")[0]]
    questions = {"dataset": dataset, "search": "KITT", "limit": limit}
    wanted = {
        "title": title,
        "questions": questions,
        "graph": "sample",
        "people": people,
        "guideline": GUIDELINE,
        **more,
    }
    return str(ask(admin, "POST", "/annotation/projects", wanted)["id"])


def first_task(page: Page, project: str) -> None:
    """Open the first task of a project."""
    task = ask(page, "POST", f"/annotation/projects/{project}/next")["task"]
    page.goto(f"/annotate/tasks/{task}")
    expect(page.get_by_test_id("asks")).to_have_text("What is the question about?")


def take(page: Page, name: str, then: str) -> None:
    """Take an option by its key, and wait for what is asked then."""
    choice = page.get_by_test_id("choice").filter(has_text=name).first
    expect(choice).to_be_enabled()
    page.keyboard.press(choice.get_attribute("aria-keyshortcuts") or "none")
    expect(page.get_by_test_id("choices").get_by_role("heading")).to_contain_text(then)


def moves_of(page: Page) -> list[dict[str, Any]]:
    """The log of the task that a page shows."""
    task = page.url.rsplit("/", 1)[1].split("?")[0]
    return list(ask(page, "GET", f"/annotation/tasks/{task}/moves?limit=200")["moves"])


def test_a_project_is_made_and_labelled_with_the_keyboard_alone(
    open_page: Callable[..., Page], site: RunningSite
) -> None:
    admin = signed_in(open_page, site, "admin", "/datasets")
    make_project(admin, loaded_sample(admin), site.account("annotator")[0])
    project = admin.url

    page = signed_in(open_page, site, "annotator", project)
    page.get_by_test_id("next").press("Enter")
    expect(page.get_by_test_id("question")).to_have_text(KITT)
    expect(page.get_by_test_id("place")).to_have_text("1 of 2")
    label_kitt(page)

    # What is decided is undone and done again, as moves of their own.
    expect(page.get_by_test_id("standing")).to_contain_text("saved")
    before = len(moves_of(page))
    page.keyboard.press("z")
    expect(page.get_by_test_id("asks")).to_have_text("Which part of the plan holds the answer?")
    page.keyboard.press("Shift+Z")
    expect(page.get_by_test_id("choices").get_by_role("heading")).to_have_text("All is decided")
    # The page shows a move before the site has it.
    wait_until(lambda: [move["undoes"] for move in moves_of(page)[before:]] == [before, before + 1])

    page.keyboard.press("n")
    page.keyboard.type("the voice, not the driver")
    page.keyboard.press("Escape")
    page.keyboard.press("x")
    expect(page.get_by_test_id("flag")).to_have_text("Flagged")
    expect(page.get_by_test_id("standing")).to_contain_text("saved")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("place")).to_have_text("2 of 2")
    expect(page.get_by_test_id("handed-in")).to_contain_text(KITT)
    # One that is handed in is read, and taken up again where need be.
    page.keyboard.press("k")
    expect(page.get_by_test_id("state")).to_contain_text("handed in")
    expect(page.get_by_test_id("note")).to_have_text("the voice, not the driver")
    page.keyboard.press("j")
    expect(page.get_by_test_id("place")).to_have_text("2 of 2")
    page.keyboard.press("s")
    expect(page.get_by_test_id("done")).to_contain_text("Skipped.")

    page.goto(project)
    own = page.get_by_test_id("own-tasks")
    expect(own.get_by_test_id("task")).to_contain_text([re.compile("skipped"), re.compile("handed in")])
    own.get_by_test_id("own-state").select_option("submitted")
    expect(own.get_by_test_id("task")).to_have_count(1)
    own.get_by_role("link").press("Enter")
    expect(page.get_by_test_id("state")).to_contain_text("handed in")

    admin.goto(project)
    row = admin.get_by_test_id("progress").get_by_role("row").nth(1)
    expect(row.get_by_role("cell")).to_have_text(["", "1", "0", "1", "1", re.compile(r"\d+ s")])
    expect(admin.get_by_test_id("task").first).to_contain_text("1 done, 1 flagged")


def make_project(admin: Page, dataset: str, annotator: str) -> None:
    """Make a project with the form, and see its guideline, of which nothing is run."""
    admin.goto("/annotate")
    admin.get_by_test_id("new-project").press("Enter")
    form = admin.get_by_test_id("project-form")
    form.get_by_label("Title").fill("By keyboard")
    form.get_by_test_id("dataset").select_option(dataset)
    form.get_by_test_id("words").fill("KITT")
    form.get_by_test_id("limit").fill("2")
    form.get_by_test_id("people").fill("nobody-at-all")
    form.get_by_test_id("guideline").fill(GUIDELINE)
    form.get_by_test_id("make").press("Enter")
    expect(form.get_by_test_id("form-fault")).to_contain_text("nobody-at-all")
    form.get_by_test_id("people").fill(annotator)
    form.get_by_test_id("make").press("Enter")
    expect(admin.get_by_role("heading", name="By keyboard")).to_be_visible()
    guideline = admin.get_by_test_id("guidelines")
    expect(guideline.locator("strong")).to_have_text("which facts")
    expect(guideline.locator("img, a[href]")).to_have_count(0)


def label_kitt(page: Page) -> None:
    """Knight Rider, its regular cast, their actors and characters; the character is KITT; the actor answers."""
    take(page, "Knight Rider", "Which relation comes next?")
    page.keyboard.press("/")
    page.keyboard.type("regular ca")
    expect(page.get_by_test_id("choice-count")).to_contain_text("1 of")
    page.keyboard.press("Enter")
    for name in ("actor", "character"):
        expect(page.get_by_test_id("choice").filter(has_text=name).first).to_be_enabled()
        take(page, name, "Which relation comes next?")
    expect(page.get_by_test_id("decision")).to_have_count(4)
    expect(page.get_by_test_id("answers-now")).to_have_text(re.compile(r"Answers now\s*6"))
    expect(page.get_by_test_id("choices")).to_have_attribute("aria-busy", "false")
    page.keyboard.press("0")
    expect(page.get_by_test_id("asks")).to_have_text("Which condition must hold?")
    take(page, "character is KITT", "")
    expect(page.get_by_test_id("answers-now")).to_have_text(re.compile(r"Answers now\s*1"))
    expect(page.get_by_test_id("asks")).to_have_text("Which part of the plan holds the answer?")
    take(page, "actor", "All is decided")


def test_a_label_counts_its_answers_where_it_says_so(open_page: Callable[..., Page], site: RunningSite) -> None:
    project = new_project(open_page, site, "How many", 1)
    page = signed_in(open_page, site, "annotator", "/annotate")
    first_task(page, project)
    label_kitt(page)
    page.get_by_test_id("count").press("Enter")
    last = page.get_by_test_id("decision").last
    expect(last).to_contain_text("Count the answers")
    expect(page.get_by_test_id("count")).to_have_count(0)
    expect(page.get_by_test_id("choices").get_by_role("heading")).to_have_text("All is decided")
    expect(page.get_by_test_id("standing")).to_contain_text("saved")
    # The decision stands in the timeline, and is taken out as any other.
    last.press("Enter")
    expect(last).to_have_attribute("aria-current", "step")
    page.get_by_test_id("take-out").last.press("Enter")
    expect(page.get_by_test_id("count")).to_be_visible()
    page.keyboard.press("z")
    expect(page.get_by_test_id("decision").last).to_contain_text("Count the answers")
    moves = [{"counted": True}, {"counted": False}, {"counted": True}]
    wait_until(lambda: [move["now"] for move in moves_of(page)[-3:]] == moves)


def test_a_lost_connection_loses_no_move(open_page: Callable[..., Page], site: RunningSite) -> None:
    project = new_project(open_page, site, "Lost and found", 1)
    page = signed_in(open_page, site, "annotator", "/annotate")
    first_task(page, project)
    take(page, "Knight Rider", "Which relation comes next?")
    page.context.set_offline(True)
    page.keyboard.press("0")
    expect(page.get_by_test_id("offline-options")).to_be_visible()
    page.keyboard.press("x")
    page.keyboard.press("z")
    page.keyboard.press("z")
    expect(page.get_by_test_id("standing")).to_have_text("offline: 4 changes wait")
    expect(page.get_by_test_id("flag")).to_have_text("Flag")
    page.context.set_offline(False)
    expect(page.get_by_test_id("standing")).to_contain_text("saved")
    expect(page.get_by_test_id("asks")).to_have_text("Which relation comes next?")
    assert [move["undoes"] for move in moves_of(page)] == [None, None, None, 3, 2]

    # What waits is kept over a reload, and goes in its order when the site takes it; what it took already counts once.
    page.route(MOVES, lambda route: (route.fetch(), route.abort())[1] if waits_for_two(route) else route.abort())
    # A page that is open already may send a request past a route that was only just set.
    page.reload()
    expect(page.get_by_test_id("flag")).to_have_text("Flag")
    page.keyboard.press("x")
    expect(page.get_by_test_id("standing")).to_contain_text("1 change waits")
    page.keyboard.press("x")
    expect(page.get_by_test_id("standing")).to_contain_text("2 changes wait")
    page.reload()
    expect(page.get_by_test_id("standing")).to_contain_text("2 changes wait")
    page.unroute_all()
    expect(page.get_by_test_id("standing")).to_contain_text("saved")
    expect(page.get_by_test_id("flag")).to_have_text("Flag")
    assert [list(move["now"].values()) for move in moves_of(page)[5:]] == [[True], [False]]


def waits_for_two(route: Any) -> bool:
    """Whether a request brings two moves: the site takes these, and its reply is lost."""
    return len((route.request.post_data_json or {}).get("moves", [])) > 1


def look_longer_where_time_was_up(page: Page, wanted: re.Pattern[str]) -> None:
    """A first look takes half a second, in which a busy machine may not find all ways."""
    ways, longer = page.get_by_test_id("ways"), page.get_by_test_id("look-longer")
    expect(ways).to_be_visible()
    while longer.is_visible():
        longer.click()
        expect(longer.filter(has_text="Searching")).to_have_count(0)
        if wanted.search(ways.inner_text()):
            break
    expect(ways).to_have_text(wanted)


def test_a_suggestion_and_the_ways_to_marked_answers_are_taken_whole(
    open_page: Callable[..., Page], site: RunningSite
) -> None:
    project = new_project(open_page, site, "Suggested", 1, suggests="dataset")
    page = signed_in(open_page, site, "annotator", "/annotate")
    first_task(page, project)
    expect(page.get_by_test_id("suggested")).to_contain_text("Suggested by discern gold")
    assert moves_of(page) == [], "nothing is taken by itself"
    page.get_by_test_id("take-suggestion").click()
    expect(page.get_by_test_id("choices").get_by_role("heading")).to_have_text("All is decided")
    expect(page.get_by_test_id("answers-now")).to_have_text(re.compile(r"Answers now\s*1"))
    expect(page.get_by_test_id("standing")).to_contain_text("saved")
    assert len(moves_of(page)) == 1
    page.get_by_role("button", name="William Daniels: mark as answer").click()
    expect(page.get_by_test_id("legend-answers")).to_have_text(re.compile(r"marked as answer\s*1"))
    # One that the decisions do not lead to is marked by its name.
    page.get_by_test_id("mark-by-name").press("Enter")
    page.keyboard.type("Edward Mulhare")
    expect(page.get_by_test_id("answer-field-option").first).to_contain_text("Edward Mulhare")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("marked-count")).to_have_text("1 of 2 marked answers are among them.")
    page.reload()
    expect(page.get_by_text("Edward Mulhare not found")).to_be_visible()
    page.get_by_role("button", name="Edward Mulhare: marked as answer").click()
    # The character is left out: now the ways tell that it is needed.
    page.get_by_role("button", name="Remove this condition").click()
    expect(page.get_by_test_id("answers-now")).to_have_text(re.compile(r"Answers now\s*6"))
    page.get_by_test_id("look-for-ways").click()
    exact = re.compile(r"character is KITT\s*1 of 1 marked, nothing else")
    look_longer_where_time_was_up(page, exact)
    page.get_by_test_id("way").filter(has_text=exact).first.click()
    expect(page.get_by_test_id("answers-now")).to_have_text(re.compile(r"Answers now\s*1"))
    expect(page.get_by_test_id("standing")).to_contain_text("saved")
    page.get_by_role("button", name="Hand in").first.click()
    expect(page.get_by_test_id("done")).to_be_visible()
    admin = signed_in(open_page, site, "admin", f"/annotate/projects/{project}")
    admin.get_by_text("Export labels").click()
    with admin.expect_download() as download:
        admin.get_by_test_id("export").click()
    line = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert (line["answers"], line["label"]["who"]) == (["en.william_daniels"], site.account("annotator")[0])


def test_two_tabs_and_two_machines_are_reported_each_other(open_page: Callable[..., Page], site: RunningSite) -> None:
    project = new_project(open_page, site, "Two at once", 1)
    page = signed_in(open_page, site, "annotator", "/annotate")
    first_task(page, project)
    tab = page.context.new_page()
    tab.goto(page.url)
    machine = signed_in(open_page, site, "annotator", page.url)
    for each in (tab, machine):
        expect(each.get_by_test_id("asks")).to_have_text("What is the question about?")
    take(page, "Knight Rider", "Which relation comes next?")

    # A tab of the same browser knows at once, another machine when it moves; neither overwrites anything.
    expect(tab.get_by_test_id("moved")).to_contain_text("changed in another tab")
    tab.get_by_test_id("load-it").press("Enter")
    expect(tab.get_by_test_id("asks")).to_have_text("Which relation comes next?")
    machine.keyboard.press("2")
    expect(machine.get_by_test_id("moved")).to_contain_text("1 change in this tab waits")
    machine.keyboard.press("1")
    machine.get_by_test_id("load-it").press("Enter")
    expect(machine.get_by_test_id("decision")).to_have_text(re.compile("Knight Rider"))
    assert len(moves_of(page)) == 1
    expect(machine.get_by_test_id("standing")).to_have_text("saved")


@themes_and_sizes
def test_labelling_can_be_read_by_everybody(
    open_page: Callable[..., Page], site: RunningSite, theme: str, size: tuple[int, int]
) -> None:
    project = new_project(open_page, site, f"For all, {theme}", 1)
    page = signed_in(open_page, site, "annotator", "/annotate", width=1366, height=768, color_scheme=theme)
    expect(page.get_by_test_id("my-projects")).to_be_visible()
    first_task(page, project)
    label_kitt(page)
    task = page.url
    page.set_viewport_size({"width": size[0], "height": size[1]})
    found = faults(page)
    of_project = f"/annotate/projects/{project}"
    for path, shows in (("/annotate", "my-projects"), (of_project, "guidelines"), (task, "question")):
        page.goto(path)
        expect(page.get_by_test_id(shows)).to_be_visible()
        found += faults(page)
    if size[0] > size[1]:
        page.keyboard.press("ArrowLeft")
        expect(page.get_by_test_id("asks")).to_have_text("Which condition must hold?")
        page.keyboard.press("g")
        for kind in ("facts", "unanswerable", "ambiguous", "reword", "benchmark"):
            page.get_by_test_id("kind").select_option(kind)
            expect(page.get_by_test_id("kind-fields")).to_be_visible()
            found += faults(page)
    else:
        expect(page.get_by_role("note").first).to_contain_text("at least 768 pixels")
        expect(page.get_by_test_id("take-out")).to_have_count(0)
    assert found == []
