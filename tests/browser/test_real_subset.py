"""What the theatre does with real Freebase data: hubs of a thousand facts, pools of hundreds of options, namesakes."""

from __future__ import annotations

import csv
import json
import re
import struct
from typing import TYPE_CHECKING

import networkx as nx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import SUBSET as GRAPH
from tests.browser.test_canvas import SVG, drag, drawing, names_boxes, overlapping, places, saved, settle
from tests.browser.test_hostile_names import ASK
from tests.browser.test_what_if import at_step, changed, path_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Browser

    from tests.running_site import RunningSite

pytestmark = [pytest.mark.browser, pytest.mark.real_data]

PLACES = 1_121
"""How many places the subset's United States contain."""
QUESTIONS: dict[str, dict[str, object]] = {
    "places": {"question": "what places does the United States contain?"},
    "languages": {"question": "what languages are spoken in the countries within the continent Europe?"},
    "members": {"question": "who are the current members of Metallica?"},
    "readings": {"question": "who are the current members of Metallica?", "strategy": "beam", "width": 3},
    "nothing": {"question": "how heavy is Metallica?"},
}


@pytest.fixture(scope="module")
def site(subset_site: RunningSite) -> RunningSite:
    """A site with the whole subset."""
    return subset_site


@pytest.fixture(scope="module")
def address(site: RunningSite) -> str:
    """Where that site is."""
    return site.address


@pytest.fixture(scope="module")
def runs(browser: Browser, address: str) -> dict[str, str]:
    """Every question, asked once; tests look at its run, and at what they make of it."""
    context = browser.new_context(base_url=address)
    page = context.new_page()
    page.goto("/")
    asked = {name: page.evaluate(ASK, {**asked, "graph": GRAPH}) for name, asked in QUESTIONS.items()}
    context.close()
    return asked


@pytest.fixture
def open_run(open_page: Callable[..., Page], runs: dict[str, str]) -> Callable[..., Page]:
    """Opens the run of a question once it has ended."""

    def open_one(name: str, **options: int) -> Page:
        page = open_page(f"/runs/{runs[name]}", **options)
        expect(page.get_by_test_id("answer")).to_have_attribute("data-state", "finished")
        expect(page.get_by_test_id("figures")).to_be_visible()
        return page

    return open_one


def graph_settled(page: Page) -> None:
    expect(page.get_by_test_id("facts-graph")).to_be_visible()
    settle(page)


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_hub_has_no_names_on_its_lines_and_the_chosen_answer_is_proven(open_run: Callable[..., Page]) -> None:
    page = open_run("places")
    graph_settled(page)
    expect(page.get_by_test_id("facts-count")).to_contain_text(f"of {PLACES:,} facts")
    svg = drawing(page)
    lines = svg.findall(f"{SVG}line")
    assert all(float(line.get("stroke-width", 9)) < 1 for line in lines if line.get("stroke") != "#5b5bd6")
    assert sum(line.get("stroke") == "#5b5bd6" for line in lines) == 1
    assert sum(text.text == "contains" for text in svg.iter(f"{SVG}text")) <= 1
    boxes = names_boxes(page, svg)
    assert boxes
    assert overlapping(boxes) == 0
    # Whichever answer is chosen, however far down, its proof is drawn.
    page.get_by_test_id("list-answers").click()
    last = page.get_by_test_id("answer-item").last
    name = last.inner_text()
    last.click()
    expect(page.get_by_test_id("answer-path")).to_contain_text(name)
    settle(page)
    assert name in places(drawing(page))


def test_the_best_known_come_first_and_all_can_be_reached(open_run: Callable[..., Page]) -> None:
    page = open_run("places")
    items, count = page.get_by_test_id("answer-item"), page.get_by_test_id("answers-count")
    expect(items.first).to_contain_text("New York City")
    expect(count).to_contain_text(f"8 of {PLACES:,} answers, most popular first")
    page.get_by_test_id("list-answers").click()
    while page.get_by_test_id("more-answers").count():
        before = items.count()
        page.get_by_test_id("more-answers").click()
        expect(items.nth(before)).to_be_attached()
        expect(page.get_by_test_id("more-answers").and_(page.locator(":disabled"))).to_have_count(0)
    expect(items).to_have_count(PLACES)
    expect(count).to_contain_text(re.compile(rf"^\s*{PLACES:,} answers"))
    shown = items.all_inner_texts()
    named = [not re.match(r"[mg]\.\w+$", each) for each in shown]
    assert named == sorted(named, reverse=True)
    # Where several bear one name, something tells them apart.
    expect(page.get_by_test_id("answer-hint")).not_to_have_count(0)
    assert len(set(shown)) == len(shown)


def test_what_is_saved_holds_all_rows(open_run: Callable[..., Page]) -> None:
    page = open_run("places")
    graph_settled(page)
    facts = rows_of(saved(page, "All facts, CSV"))
    assert len(facts) == PLACES
    assert {row["relation id"] for row in facts} == {"location.location.contains"}
    answers = rows_of(saved(page, "Answers, CSV"))
    assert len(answers) == len({row["id"] for row in answers}) == PLACES
    first = "United States of America ─ contains → New York City"
    assert (answers[0]["answer"], answers[0]["proof in words"]) == ("New York City", first)
    assert all(" ─ contains → " in row["proof in words"] for row in answers)
    graph = nx.read_graphml(saved(page, "All facts, GraphML"))
    assert graph.number_of_edges() == PLACES
    document = json.loads(saved(page, "All facts, JSON").read_text(encoding="utf-8"))
    assert (document["facts"], document["of"], document["complete"]) == (PLACES, PLACES, True)
    # A picture holds what is drawn, and says of how much.
    assert f"of {PLACES:,} facts" in (drawing(page).findtext(f"{SVG}title") or "")
    box = page.get_by_test_id("facts-graph").bounding_box()
    assert box is not None
    width, _ = struct.unpack(">II", saved(page, "Drawing, PNG").read_bytes()[16:24])
    assert width == pytest.approx(2 * box["width"], abs=2)


def test_its_way_is_saved_as_queries(open_run: Callable[..., Page]) -> None:
    page = open_run("places")
    assert "location.location.contains" in saved(page, "Query, SPARQL").read_text(encoding="utf-8")
    assert "location.location.contains" in saved(page, "Query, Cypher").read_text(encoding="utf-8")


def test_a_term_of_a_hub_is_dragged_and_stays(open_run: Callable[..., Page]) -> None:
    page = open_run("places")
    graph_settled(page)
    before = places(drawing(page))
    x, y = before["New York City"]
    drag(page, (x, y), (40, 20))
    expect(page.get_by_test_id("unpin")).to_contain_text("1 pinned")
    after = places(drawing(page))
    assert after["New York City"] == pytest.approx((x + 40, y + 20), abs=3)
    assert after["United States of America"] == pytest.approx(before["United States of America"], abs=0.1)


def test_a_hub_fits_a_narrow_screen(open_run: Callable[..., Page]) -> None:
    page = open_run("places", width=360, height=740)
    expect(page.get_by_test_id("topic-button").first).to_contain_text("United States")
    expect(page.get_by_test_id("answers-count")).to_contain_text(f"of {PLACES:,} answers")
    at_step(page, "Follow contains")
    expect(page.get_by_test_id("pool")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_the_legend_counts_and_filters(open_run: Callable[..., Page]) -> None:
    page = open_run("languages")
    graph_settled(page)
    canvas = page.get_by_test_id("facts-graph")
    before = int(canvas.get_attribute("data-facts") or 0)
    switches = page.get_by_test_id("legend-switch")
    languages = switches.filter(has_text=re.compile(r"^\s*29\s*$"))
    expect(languages).to_have_accessible_name(re.compile(r"^Show .*, 29$"))
    still = places(drawing(page))
    languages.click()
    expect(canvas).not_to_have_attribute("data-facts", str(before))
    expect(page.get_by_test_id("show-hidden")).to_have_text("105 hidden · show all")
    settle(page)
    left = places(drawing(page))
    assert "German Language" in still
    assert "German Language" not in left
    assert all(still[name] == pytest.approx(place, abs=0.1) for name, place in left.items() if name in still)
    page.get_by_test_id("table-button").click()
    page.get_by_label("Filter the facts").fill("german language")
    expect(page.get_by_test_id("facts-table")).not_to_contain_text("German Language")
    page.get_by_test_id("show-hidden").click()
    expect(page.get_by_test_id("facts-table")).to_contain_text("German Language")


def test_terms_stand_where_they_stood_from_step_to_step(open_run: Callable[..., Page]) -> None:
    page = open_run("languages")
    canvas = page.get_by_test_id("facts-graph")
    at_step(page, "Follow countries")
    graph_settled(page)
    facts = canvas.get_attribute("data-facts") or ""
    # A view that the user chose stays.
    page.get_by_role("button", name="Zoom in", exact=True).click()
    settle(page)
    early = places(drawing(page))
    at_step(page, "Follow languages spoken")
    expect(canvas).not_to_have_attribute("data-facts", facts)
    settle(page)
    late = places(drawing(page))
    assert len(early) > 5
    assert late.keys() > early.keys()
    assert all(late[name] == pytest.approx(place, abs=0.1) for name, place in early.items())


def test_every_option_of_a_big_pool_can_be_found_and_chosen(open_run: Callable[..., Page]) -> None:
    page = open_run("places")
    before = path_of(page)
    at_step(page, "Stop searching")
    total = int(re.findall(r"([\d,]+) option", page.get_by_test_id("pool").locator("h2").inner_text())[0])
    assert total > 250
    field = page.get_by_test_id("pool-filter").locator("input")
    field.fill(".")
    # All but nothing more, which is no relation.
    expect(page.get_by_test_id("pool-filter")).to_contain_text(f"{total - 1} of {total}")
    expect(page.get_by_test_id("pool")).to_contain_text(f"{total - 1 - 80} more options match. Type more to narrow.")
    at_step(page, "Follow contains")
    field.fill("films")
    field.fill("film.film.country")
    option = page.get_by_test_id("pool-option")
    expect(option).to_have_count(1)
    option.hover()
    expect(page.locator(".ghost")).to_contain_text("+ 1,698 facts")
    option.get_by_test_id("choose-instead").click()
    changed(page, before)
    # The question's words still speak for the way that was replaced, and it is taken again: it ends here.
    second = path_of(page)
    at_step(page, "Follow")
    page.get_by_test_id("stop-here").click()
    changed(page, second)
    # Old and new side by side, all counted though few are listed.
    expect(page.get_by_test_id("was")).to_contain_text(f"{PLACES:,} lost · 0 kept")
    expect(page.get_by_test_id("now")).to_contain_text("1,698 gained · 0 kept")
    expect(page.get_by_test_id("variant")).to_have_count(3)
    page.get_by_test_id("timeline-item").first.click()
    page.keyboard.press("z")
    page.wait_for_url(f"**{before}")
    expect(page.get_by_test_id("compared")).to_have_count(0)


def test_another_place_a_condition_and_its_end(open_run: Callable[..., Page]) -> None:
    page = open_run("languages")
    first = path_of(page)
    at_step(page, "The answer is")
    option = page.get_by_test_id("pool-option").filter(has_text="countries")
    option.hover()
    option.get_by_test_id("choose-instead").click()
    changed(page, first)
    expect(page.get_by_test_id("answer")).to_contain_text("Germany")
    second = path_of(page)
    at_step(page, "The answer is")
    page.get_by_test_id("add-condition").click()
    form = page.get_by_test_id("condition-form")
    form.get_by_label("Node").select_option("languages spoken")
    form.get_by_test_id("condition-target").fill("german l")
    form.get_by_test_id("condition-target-option").filter(has_text="German Language").first.click()
    form.get_by_test_id("condition-set").click()
    changed(page, second)
    expect(page.get_by_test_id("answer-path")).to_contain_text("German Language")
    expect(page.get_by_test_id("facts-count")).to_contain_text("left")
    third = path_of(page)
    at_step(page, "Keep facts where")
    page.get_by_test_id("drop").click()
    changed(page, third)
    # Its branches are back, and so is every answer of the original that had them.
    expect(page.get_by_test_id("facts-count")).not_to_contain_text("left")
    expect(page.get_by_test_id("variant")).to_have_count(4)


def test_stop_here_and_go_on(open_run: Callable[..., Page]) -> None:
    page = open_run("languages")
    first = path_of(page)
    at_step(page, "Follow countries")
    page.get_by_test_id("stop-here").click()
    changed(page, first)
    expect(page.get_by_test_id("structure-node")).to_have_count(2)
    expect(page.get_by_test_id("partial")).to_have_text("Partial answer: “languages” was not used")
    second = path_of(page)
    at_step(page, "Stop searching")
    page.get_by_test_id("go-on").click()
    changed(page, second)
    expect(page.get_by_test_id("structure-node")).not_to_have_count(2)


def test_other_readings_are_a_click_away(open_run: Callable[..., Page]) -> None:
    page = open_run("readings")
    before = path_of(page)
    page.get_by_test_id("other-readings").locator("summary").click()
    expect(page.get_by_test_id("other-reading").first).to_contain_text(re.compile(r"\.\d\d"))
    page.get_by_test_id("open-reading").first.click()
    changed(page, before)
    expect(page.get_by_test_id("compared")).to_contain_text("other reading 1")


def test_what_was_not_used_and_how_sure_it_was_are_reported(open_run: Callable[..., Page]) -> None:
    page = open_run("members")
    expect(page.get_by_test_id("answer-item").filter(has_text="James Hetfield")).to_be_visible()
    expect(page.get_by_test_id("partial")).to_have_text("Partial answer: “current” was not used")
    expect(page.get_by_test_id("confidence")).to_have_count(0)
    page = open_run("languages")
    expect(page.get_by_test_id("partial")).to_have_count(0)
    expect(page.get_by_test_id("confidence")).to_have_text(re.compile(r"Confidence \d+ %"))
    page.get_by_test_id("weakest").click()
    expect(page.locator('[data-testid="timeline-item"][aria-current="step"]')).to_be_visible()
    page = open_run("members")
    right = page.get_by_test_id("is-this-right")
    right.get_by_role("button", name="No").click()
    right.get_by_label("What should it be?").fill("Kirk Hammett too")
    right.get_by_role("button", name="Save").click()
    expect(right).to_contain_text("Thank you")
    page.reload()
    expect(right.get_by_label("What should it be?")).to_have_value("Kirk Hammett too")


def test_what_it_cannot_answer_it_says_with_what_came_next(open_run: Callable[..., Page]) -> None:
    page = open_run("nothing")
    expect(page.get_by_test_id("answer")).to_contain_text("No answer found")
    expect(page.get_by_test_id("answer")).not_to_contain_text("Not in this graph")
    shown = page.get_by_test_id("ways-on")
    expect(shown).to_contain_text(
        re.compile(r"The model was (over |under )?\d+ % sure that no option leads to an answer\.")
    )
    before = path_of(page)
    page.get_by_test_id("runner-up").first.click()
    changed(page, before)
    expect(page.get_by_test_id("answer-item").first).to_be_visible()


def test_names_are_recognised_as_they_are_typed(open_page: Callable[..., Page]) -> None:
    page = open_page("/")
    expect(page.get_by_test_id("graph-select")).to_have_value(GRAPH)
    field, shown = page.get_by_test_id("ask-input"), page.get_by_test_id("recognised")
    field.fill("who are the members of Metalica?")
    expect(shown).to_contain_text("“Metalica”: did you mean Metallica?")
    page.get_by_test_id("did-you-mean").first.click()
    expect(field).to_have_value("who are the members of Metallica?")
    expect(shown).not_to_contain_text("did you mean")
    field.fill("who is Xyzzy Foobar?")
    expect(shown).to_contain_text("No entity in this graph is called “Xyzzy Foobar”.")
    # Seven counties of one name are seven lines that differ.
    page.get_by_test_id("topic-button").click()
    page.get_by_test_id("topic-input").fill("Washington County")
    counties = page.get_by_test_id("topic-option").filter(has_text=re.compile("^Washington County"))
    expect(counties).to_have_count(7)
    assert len(set(counties.all_inner_texts())) == 7


def test_examples_are_of_this_graph_and_questions_are_found_again(open_page: Callable[..., Page]) -> None:
    page = open_page("/")
    expect(page.get_by_test_id("graph-holds")).to_contain_text("Most frequent: ")
    example = page.get_by_test_id("example").first
    question = example.inner_text().split("\n")[0]
    example.click()
    expect(page.get_by_test_id("answer")).to_have_attribute("data-state", "finished")
    page.goto("/questions")
    row = page.get_by_test_id("own-question")
    expect(row).to_have_count(1)
    expect(row).to_contain_text(question)
    row.get_by_role("button", name="Ask again").click()
    row.get_by_label("Model").select_option("lexical")
    row.get_by_role("button", name="Ask", exact=True).click()
    expect(row.get_by_test_id("own-run")).to_have_count(2)
    expect(row.get_by_test_id("own-run").first).not_to_contain_text("at work")


def test_rows_of_the_table_begin_with_the_proof(open_run: Callable[..., Page]) -> None:
    page = open_run("places", width=1366, height=768)
    page.get_by_test_id("table-button").click()
    table = page.get_by_test_id("facts-table")
    expect(table.locator("tbody tr").first).to_contain_text("New York City")
    expect(table.locator("tbody tr").first).to_contain_text("proves the answer")
    table.get_by_role("button", name="To", exact=True).click()
    expect(table.get_by_role("columnheader", name="To")).to_have_attribute("aria-sort", "ascending")
