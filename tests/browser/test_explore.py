"""Exploring a graph on the canvas: what is drawn, followed, looked for, kept and shared, and each of it taken back."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.test_accessibility import faults, themes_and_sizes
from tests.browser.test_accounts import sign_in
from tests.browser.test_theatre import ask

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Locator, Page

    from tests.running_site import RunningSite

pytestmark = pytest.mark.browser
KITT = "who plays the voice of KITT in Knight Rider?"
HIDDEN = re.compile(r"^\d+ of ")
DANIELS = re.compile("^(?!.*joins).*William Daniels$")
"""The actor, and no mediator that joins him to his part."""


def drawn(page: Page) -> tuple[int, int]:
    """How many things and facts are drawn."""
    words = page.get_by_test_id("drawn-count").inner_text().replace(",", "")
    found = re.search(r"(\d+) (?:entity|entities) (\d+) facts?", words)
    assert found is not None
    return int(found[1]), int(found[2])


def put(page: Page, name: str) -> Locator:
    """Find a thing by its name, put it on the canvas, and wait for its card."""
    page.get_by_test_id("find").fill(name)
    page.get_by_test_id("find-option").filter(has_text=name).first.click()
    card = page.get_by_test_id("card")
    expect(card.get_by_role("heading").first).to_have_text(name)
    expect(card.get_by_test_id("follow").first).to_be_visible()
    return card


def follow(page: Page, relation: str) -> None:
    button = page.get_by_test_id("follow").filter(has_text=relation).first
    button.click()
    expect(page.get_by_label("Loading from the graph")).to_have_count(0)


def undone_and_redone(page: Page, before: tuple[int, int]) -> None:
    """Undo leads back to what was there before, redo to what is there now."""
    now = drawn(page)
    page.keyboard.press("z")
    expect(page.get_by_test_id("drawn-count")).to_have_text(count_words(before))
    page.keyboard.press("Shift+Z")
    expect(page.get_by_test_id("drawn-count")).to_have_text(count_words(now))


def count_words(count: tuple[int, int]) -> re.Pattern[str]:
    things, facts = count
    return re.compile(rf"^{things} (entity|entities), {facts} facts?$")


def blurred(page: Page) -> None:
    page.evaluate("document.activeElement?.blur()")


def test_things_are_drawn_followed_and_each_step_is_taken_back(open_page: Callable[..., Page]) -> None:
    page = open_page("/")
    page.get_by_role("link", name="Explore", exact=True).click()
    expect(page.get_by_test_id("overview")).to_contain_text("Loaded")
    most = page.get_by_test_id("most-connected").first
    expect(most).to_contain_text("facts")

    put(page, "Knight Rider")
    blurred(page)
    assert drawn(page) == (1, 0)
    follow(page, "regular cast")
    followed = drawn(page)
    assert followed[0] > 1
    undone_and_redone(page, (1, 0))
    expect(page.get_by_test_id("follow").filter(has_text="drawn").first).to_be_disabled()

    page.get_by_test_id("fold-up").click()
    expect(page.get_by_test_id("drawn-count")).to_have_text(count_words((1, 0)))
    undone_and_redone(page, followed)
    page.keyboard.press("z")

    page.get_by_test_id("card").get_by_role("button", name="Pin").click()
    expect(page.get_by_test_id("unpin")).to_have_text("1 pinned")
    page.keyboard.press("z")
    expect(page.get_by_test_id("unpin")).to_have_count(0)

    for arrangement in ("tree", "kinds", "force"):
        page.get_by_test_id(f"arrange-{arrangement}").click()
        expect(page.get_by_label("Loading from the graph")).to_have_count(0)
        assert drawn(page) == followed
    page.get_by_role("switch").first.click()
    expect(page.get_by_test_id("drawn-count")).to_have_text(HIDDEN)
    page.keyboard.press("z")
    expect(page.get_by_test_id("drawn-count")).to_have_text(count_words(followed))

    page.get_by_label("Note").fill("where it begins")
    blurred(page)
    page.get_by_test_id("remove").click()
    assert drawn(page)[0] == followed[0] - 1
    page.keyboard.press("z")
    while page.get_by_test_id("undo").is_enabled():
        page.keyboard.press("z")
    expect(page.get_by_test_id("drawn-count")).to_have_count(0)
    while page.get_by_test_id("redo").is_enabled():
        page.keyboard.press("Shift+Z")
    assert drawn(page)[0] == followed[0] - 1


def test_the_table_does_by_keyboard_what_the_canvas_does(open_page: Callable[..., Page], tmp_path: Path) -> None:
    page = open_page("/explore")
    put(page, "Knight Rider")
    blurred(page)
    page.keyboard.press("Enter")
    expect(page.get_by_label("Loading from the graph")).to_have_count(0)
    assert drawn(page)[1] > 5
    page.keyboard.press("t")
    table = page.get_by_test_id("facts-table")
    expect(table).to_contain_text("regular cast")
    page.get_by_test_id("things-button").press("Enter")
    things = page.get_by_test_id("things-table")
    things.get_by_role("button", name="Facts drawn").press("Enter")
    things.get_by_role("button", name="Facts drawn").press("Enter")
    expect(things.get_by_role("row").nth(1)).to_contain_text("Knight Rider")
    boxes = things.get_by_role("checkbox")
    boxes.nth(1).check()
    boxes.nth(2).check()
    expect(page.get_by_test_id("several")).to_contain_text("3 entities selected")
    blurred(page)
    before = drawn(page)
    page.keyboard.press("x")
    assert drawn(page)[0] == before[0] - 3
    undone_and_redone(page, before)

    page.get_by_test_id("export-drawing").locator("summary").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Facts (CSV)").click()
    rows = list(csv.DictReader(download.value.path().read_text(encoding="utf-8").splitlines()))
    assert len(rows) == drawn(page)[1]
    page.get_by_test_id("export-drawing").locator("summary").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Picture (SVG)").click()
    assert "<svg" in download.value.path().read_text(encoding="utf-8")


def test_ways_between_things_are_found_grouped_and_reported(open_page: Callable[..., Page]) -> None:
    page = open_page("/explore")
    put(page, "David Hasselhoff")
    put(page, "William Daniels")
    blurred(page)
    page.keyboard.press("t")
    page.get_by_test_id("things-button").click()
    page.get_by_test_id("things-table").get_by_role("checkbox", name="Select David Hasselhoff").check()
    several = page.get_by_test_id("several")
    several.get_by_test_id("paths").click()
    expect(page.get_by_test_id("message")).to_contain_text(re.compile(r"\d+ paths? of \d+ steps?"))
    assert drawn(page)[0] > 2
    undone_and_redone(page, (2, 0))
    several.get_by_test_id("common").click()
    expect(page.get_by_test_id("message")).to_contain_text("in common")
    page.get_by_test_id("among").click()
    expect(page.get_by_test_id("message")).to_contain_text(re.compile("further facts|more"))

    # All of a kind are drawn as one, and each by itself again.
    page.get_by_test_id("legend").get_by_role("button").first.click()
    before = page.get_by_test_id("facts-graph").get_attribute("data-terms")
    if page.get_by_test_id("several").count():
        page.get_by_test_id("group").click()
        assert page.get_by_test_id("facts-graph").get_attribute("data-terms") != before
        page.keyboard.press("z")
        assert page.get_by_test_id("facts-graph").get_attribute("data-terms") == before


def test_a_drawing_is_kept_shared_reopened_and_changed_by_two(
    open_page: Callable[..., Page], site: RunningSite
) -> None:
    page = open_page("/explore")
    sign_in(page, *site.account("annotator"))
    page.goto("/explore")
    put(page, "Knight Rider")
    blurred(page)
    follow(page, "regular cast")
    whole = drawn(page)
    page.reload()
    expect(page.get_by_test_id("drawn-count")).to_have_text(count_words(whole))
    page.keyboard.press("s")
    form = page.get_by_test_id("save-form")
    form.get_by_label("Name").fill("The cast")
    form.get_by_label("Who may see it").select_option("link")
    form.get_by_role("button", name="Save").click()
    expect(page).to_have_url(re.compile("/explore/[0-9a-f-]{36}"))
    kept = page.url

    visitor = open_page(kept)
    expect(visitor.get_by_test_id("drawn-count")).to_have_text(count_words(whole))

    page.goto("/explore")
    drawing = page.get_by_test_id("kept-drawings").get_by_role("link", name="The cast")
    expect(drawing).to_be_visible()
    page.get_by_test_id("delete-drawing").click()
    expect(drawing).to_have_count(0)
    visitor.reload()
    expect(visitor.get_by_role("heading", name="This drawing could not be opened")).to_be_visible()


def link_of(page: Page) -> str:
    """The link that holds the whole drawing, what is chosen and what is in sight."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("navigator.clipboard.writeText('')")
    page.get_by_test_id("copy-link").click()
    page.wait_for_function("async () => (await navigator.clipboard.readText()) !== ''")
    return str(page.evaluate("navigator.clipboard.readText()"))


def test_a_link_restores_the_drawing_what_is_chosen_and_what_is_in_sight(open_page: Callable[..., Page]) -> None:
    page = open_page("/explore")
    put(page, "Knight Rider")
    blurred(page)
    follow(page, "regular cast")
    whole, from_afar = drawn(page), link_of(page)
    page.get_by_role("button", name="Zoom in").click()
    page.get_by_role("button", name="Pan right").click()
    page.wait_for_timeout(600)  # the drawing glides there
    link = link_of(page)
    assert link != from_afar

    other = open_page(link)
    expect(other.get_by_test_id("drawn-count")).to_have_text(count_words(whole))
    expect(other.get_by_test_id("card").get_by_role("heading").first).to_have_text("Knight Rider")
    expect(other.get_by_test_id("facts-graph")).to_be_visible()
    assert other.evaluate("location.hash") == ""
    other.wait_for_timeout(600)
    assert link_of(other) == link


def test_what_was_saved_in_another_tab_is_not_overwritten(open_page: Callable[..., Page], site: RunningSite) -> None:
    page = open_page("/explore")
    sign_in(page, *site.account("annotator"))
    page.goto("/explore")
    put(page, "Knight Rider")
    save(page, "Two tabs")
    expect(page).to_have_url(re.compile("/explore/[0-9a-f-]{36}"))
    address = page.url
    other = page.context.new_page()
    other.goto(address)
    put(other, "David Hasselhoff")
    save(other)
    expect(other.get_by_test_id("save-form")).to_be_hidden()
    theirs = drawn(other)

    put(page, "Knight Rider")
    follow(page, "regular cast")
    own = drawn(page)
    save(page)
    form = page.get_by_test_id("save-form")
    expect(form.get_by_role("alert")).to_contain_text("saved elsewhere")
    assert drawn(page) == own
    form.get_by_label("Open the saved version instead").check()
    form.get_by_role("button", name="Open the saved version").click()
    expect(page.get_by_test_id("drawn-count")).to_have_text(count_words(theirs))
    blurred(page)
    page.keyboard.press("z")
    expect(page.get_by_test_id("drawn-count")).to_have_text(count_words(own))
    save(page)
    expect(form).to_be_hidden()

    save(other)
    form = other.get_by_test_id("save-form")
    expect(form.get_by_role("alert")).to_contain_text("saved elsewhere")
    expect(form.get_by_label("Name")).to_have_value("Two tabs (copy)")
    form.get_by_role("button", name="Save a copy").click()
    expect(other).not_to_have_url(address)
    expect(other.get_by_test_id("drawn-count")).to_have_text(count_words(theirs))
    page.reload()
    expect(page.get_by_test_id("drawn-count")).to_have_text(count_words(own))
    for name in ("Two tabs (copy)", "Two tabs"):
        page.goto("/explore")
        page.get_by_test_id("kept-drawings").get_by_role("button", name=f"Delete {name}", exact=True).click()
        expect(page.get_by_role("link", name=name, exact=True)).to_have_count(0)


def save(page: Page, name: str | None = None) -> None:
    """Save the drawing, under a name where it has none."""
    blurred(page)
    page.keyboard.press("s")
    form = page.get_by_test_id("save-form")
    if name is not None:
        form.get_by_label("Name").fill(name)
    form.get_by_role("button", name="Save", exact=True).click()


def test_the_schema_leads_to_facts_and_questions(open_page: Callable[..., Page]) -> None:
    page = open_page("/explore")
    page.get_by_test_id("schema-button").click()
    schema = page.get_by_test_id("schema")
    schema.get_by_test_id("schema-kind").first.click()
    schema.get_by_test_id("schema-relation").first.click()
    facts = schema.get_by_test_id("schema-facts").get_by_role("button")
    expect(facts.first).to_contain_text("→")
    facts.first.click()
    expect(page.get_by_test_id("drawn-count")).to_have_text(count_words((2, 1)))

    put(page, "Knight Rider")
    page.get_by_test_id("ask-about").click()
    about = page.get_by_test_id("questions-about").get_by_role("link")
    expect(about.last).to_have_text("Ask another question about this")
    about.last.click()
    expect(page.get_by_test_id("ask-input")).to_be_focused()
    expect(page.get_by_role("button", name="Topic: Knight Rider")).to_be_visible()


def test_a_run_leads_to_the_graph_around_its_nodes(open_page: Callable[..., Page]) -> None:
    page = open_page("/")
    ask(page, KITT)
    expect(page.get_by_test_id("figures")).to_be_visible()
    page.get_by_test_id("table-button").click()
    page.get_by_test_id("facts-table").get_by_role("button", name=DANIELS).first.click()
    page.get_by_test_id("explore-from-here").click()
    expect(page.get_by_test_id("card").get_by_role("heading").first).to_have_text("William Daniels")


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/explore?graph=nothing", "There is no graph “nothing”"),
        ("/explore/00000000-0000-0000-0000-000000000000", "This drawing could not be opened"),
        ("/explore?about=en.nobody_at_all", "nobody_at_all"),
    ],
)
def test_what_cannot_be_explored_says_why(open_page: Callable[..., Page], path: str, told: str) -> None:
    page = open_page(path)
    expect(page.get_by_role("main")).to_contain_text(told)


@themes_and_sizes
def test_exploring_can_be_read_by_everybody(open_page: Callable[..., Page], theme: str, size: tuple[int, int]) -> None:
    page = open_page("/explore", width=size[0], height=size[1], color_scheme=theme)
    expect(page.get_by_test_id("overview")).to_be_visible()
    found = faults(page)
    put(page, "Knight Rider")
    blurred(page)
    follow(page, "regular cast")
    page.keyboard.press("t")
    page.get_by_test_id("things-button").click()
    found += faults(page)
    page.get_by_test_id("schema-button").click()
    expect(page.get_by_test_id("schema-kind").first).to_be_visible()
    found += faults(page)
    assert found == []
