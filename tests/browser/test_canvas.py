"""The drawing of facts: a hub, names that do not collide, the legend, pins, panes; and what can be saved of it."""

from __future__ import annotations

import base64
import csv
import json
import re
import struct
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import networkx as nx
import pytest
from playwright.sync_api import Page, expect

from kgstore.sqlite.loader import load_graph
from tests.browser.test_hostile_names import ASK
from webapp.platform.environment import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.running_site import RunningSite

pytestmark = pytest.mark.browser

SUBSET = REPOSITORY.parent / "shared" / "data" / "freebase_subset"
REAL_HUB = "m.09c7w0"
CONTAINS = "location.location.contains"
MADE_UP = 1_200
LISTED = 200
SVG = "{http://www.w3.org/2000/svg}"
ET.register_namespace("", SVG.strip("{}"))
KITT = "who plays the voice of KITT in Knight Rider?"
HASSELHOFF = re.compile("^(?!.*joins).*David Hasselhoff$")
"""The actor, and no mediator that joins him to his part."""
PANES = {"decisions": "timeline", "structure": "structure", "facts": "facts-graph", "options": "pool"}
SETTLED = """async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const moving = () => document.getAnimations().filter((each) => each instanceof CSSTransition);
    await frame();
    await frame();
    while (moving().length > 0) await frame();
    await frame();
    const pane = document.querySelector("[data-testid=facts-graph]");
    const high = (each) => each.getBoundingClientRect().height;
    const canvases = [...(pane?.querySelectorAll("canvas") ?? [])];
    return canvases.length > 0 && canvases.every((each) => Math.abs(high(each) - high(pane)) < 1);
}"""
"""Panes have their sizes, and the drawing that of its pane: on a busy machine frames are seconds apart."""
DARK_SHARE = """async (picture) => {
    const bytes = Uint8Array.from(atob(picture), (each) => each.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const context = canvas.getContext("2d");
    context.drawImage(bitmap, 0, 0);
    const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    let dark = 0;
    for (let at = 0; at < data.length; at += 4) if (data[at] + data[at + 1] + data[at + 2] < 180) dark += 1;
    return dark / (data.length / 4);
}"""


def made_up_hub() -> tuple[list[tuple[str, str, str]], list[tuple[str, str]], str]:
    triples = [("en.union", CONTAINS, f"en.place_{number}") for number in range(MADE_UP)]
    names = [("en.union", "The Union"), *((f"en.place_{number}", f"Place {number}") for number in range(MADE_UP))]
    return triples, names, "en.union"


def real_hub() -> tuple[list[tuple[str, str, str]], list[tuple[str, str]], str]:
    if not SUBSET.is_dir():
        pytest.skip(f"there is no real data in {SUBSET}")
    rows = (line.split("\t") for line in (SUBSET / "triples.tsv").read_text(encoding="utf-8").splitlines())
    triples = [(row[0], row[1], row[2]) for row in rows if row[:2] == [REAL_HUB, CONTAINS]]
    lines = (SUBSET / "names.tsv").read_text(encoding="utf-8").splitlines()
    names = [(line.split("\t")[0], line.split("\t")[1]) for line in lines]
    known = {REAL_HUB, *(target for _, _, target in triples)}
    return triples, [name for name in names if name[0] in known], REAL_HUB


def open_run(page: Page, question: str, graph: str, topic: str) -> None:
    run = page.evaluate(ASK, {"question": question, "graph": graph, "topic": topic})
    page.goto(f"/runs/{run}")
    expect(page.get_by_test_id("answer")).to_have_attribute("data-state", "finished")
    expect(page.get_by_test_id("facts-graph")).to_be_visible()
    expect(page.get_by_test_id("figures")).to_be_visible()
    settle(page)


def settle(page: Page) -> None:
    page.wait_for_function(SETTLED)


@pytest.fixture(params=[made_up_hub, real_hub], ids=["made up", "real"])
def hub(request: pytest.FixtureRequest, site: RunningSite, open_page: Callable[..., Page]) -> tuple[Page, int]:
    """A page with a hub of more than a thousand facts, and how many."""
    triples, names, topic = request.param()
    graph = f"hub-{request.param.__name__.replace('_', '-')}"
    target = site.home / "graphs" / f"{graph}.sqlite"
    if not target.exists():
        load_graph(triples, target, name=graph, title="Hub", source="test", names=names)
    page = open_page()
    open_run(page, "which places does it contain?", graph, topic)
    return page, len(triples)


@pytest.fixture
def kitt(open_page: Callable[..., Page]) -> Page:
    """The answered question about KITT."""
    page = open_page()
    open_run(page, KITT, "sample", "en.knight_rider")
    # There was one option at the end, so they are folded.
    page.get_by_test_id("open-options").click()
    expect(page.get_by_test_id("pool")).to_be_visible()
    settle(page)
    return page


def saved(page: Page, name: str) -> Path:
    page.get_by_test_id("export").click()
    with page.expect_download() as download:
        page.get_by_role("button", name=name).click()
    path = Path(download.value.path())
    return path.rename(path.with_name(download.value.suggested_filename))


def drawing(page: Page) -> ET.Element:
    return ET.parse(saved(page, "Drawing, SVG")).getroot()  # noqa: S314 - we have just written it


def drag(page: Page, start: tuple[float, float], by: tuple[float, float]) -> None:
    """Move what lies at a place of the drawing, as a hand does: not at once."""
    box = page.get_by_test_id("facts-graph").bounding_box()
    assert box is not None
    x, y = box["x"] + start[0], box["y"] + start[1]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + by[0] / 2, y + by[1] / 2)
    page.mouse.move(x + by[0], y + by[1])
    page.mouse.up()


def places(svg: ET.Element) -> dict[str, tuple[float, float]]:
    """Where each named dot stands."""
    return {
        title.text or "": (float(circle.get("cx", 0)), float(circle.get("cy", 0)))
        for circle in svg.iter(f"{SVG}circle")
        if (title := circle.find(f"{SVG}title")) is not None
    }


def names_boxes(page: Page, svg: ET.Element) -> list[dict[str, float]]:
    """The boxes of all names, as a browser sets them."""
    return page.evaluate(
        """(text) => {
            const holder = document.createElement("div");
            holder.style = "position: fixed; inset: 0 auto auto 0; z-index: 99";
            holder.innerHTML = text;
            document.body.append(holder);
            const boxes = [...holder.querySelectorAll("text[font-weight='500']")].map((each) => {
                const { x, y, width, height } = each.getBBox();
                return { x, y: y + height * 0.15, width, height: height * 0.7 };
            });
            holder.remove();
            return boxes;
        }""",
        ET.tostring(svg, encoding="unicode"),
    )


def overlapping(boxes: list[dict[str, float]]) -> int:
    return sum(
        one["x"] < other["x"] + other["width"] - 1
        and other["x"] < one["x"] + one["width"] - 1
        and one["y"] < other["y"] + other["height"]
        and other["y"] < one["y"] + one["height"]
        for at, one in enumerate(boxes)
        for other in boxes[:at]
    )


def test_a_hub_is_thin_under_the_pointer_too_and_its_names_never_collide(hub: tuple[Page, int]) -> None:
    page, total = hub
    drawn = int(page.get_by_test_id("facts-graph").get_attribute("data-facts") or 0)
    # The fact that proves the answer is drawn, listed or not.
    assert drawn in {LISTED, LISTED + 1}
    expect(page.get_by_test_id("facts-count")).to_contain_text(f"{drawn} of {total:,} facts")
    lines = drawing(page).findall(f"{SVG}line")
    assert len(lines) == drawn
    assert all(float(line.get("stroke-width", 9)) < 1 for line in lines if line.get("stroke") != "#5b5bd6")
    canvas = page.get_by_test_id("facts-graph")
    box = canvas.bounding_box()
    assert box is not None
    for presses in (0, 3, 6):
        for _ in range(presses and 3):
            page.get_by_role("button", name="Zoom in", exact=True).click()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.wait_for_timeout(500)
        picture = base64.b64encode(canvas.screenshot()).decode()
        assert page.evaluate(DARK_SHARE, picture) < 0.06
        boxes = names_boxes(page, drawing(page))
        assert boxes
        assert overlapping(boxes) == 0


def test_all_facts_of_a_hub_are_saved_whatever_is_drawn(hub: tuple[Page, int]) -> None:
    page, total = hub
    with saved(page, "All facts, CSV").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == total
    assert {row["relation id"] for row in rows} == {CONTAINS}
    expect(page.get_by_test_id("export-status")).to_have_text(f"Saved {total:,} facts.")
    graph = nx.read_graphml(saved(page, "All facts, GraphML"))
    assert graph.number_of_edges() == total
    kinds = nx.read_gexf(saved(page, "All facts, GEXF"), version="1.3")
    assert (kinds.number_of_edges(), set(kinds)) == (total, set(graph))
    for each in (graph, kinds):
        assert {(held["label"], held["predicate"]) for *_, held in each.edges(data=True)} == {("contains", CONTAINS)}
    document = json.loads(saved(page, "All facts, JSON").read_text(encoding="utf-8"))
    assert (document["facts"], document["of"], document["complete"]) == (total, total, True)
    svg = drawing(page)
    drawn = page.get_by_test_id("facts-graph").get_attribute("data-facts")
    assert f"{drawn} of {total:,} facts" in (svg.findtext(f"{SVG}title") or "")


def test_a_drawing_is_saved_as_it_is_seen(kitt: Page) -> None:
    box = kitt.get_by_test_id("facts-graph").bounding_box()
    assert box is not None
    svg = drawing(kitt)
    texts = [text.text for text in svg.iter(f"{SVG}text")]
    assert "Knight Rider" in texts
    assert "William Daniels" in texts
    assert float(svg.get("width", 0)) == pytest.approx(box["width"], abs=1)
    data = saved(kitt, "Drawing, PNG").read_bytes()
    assert data.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", data[16:24])
    # Two pixels of the file to one of the screen; beneath stands a line that says what it is.
    assert width == pytest.approx(2 * box["width"], abs=2)
    assert height == pytest.approx(2 * (box["height"] + 28), abs=2)


def test_answers_are_saved_with_their_proof_in_words(kitt: Page) -> None:
    with saved(kitt, "Answers, CSV").open(encoding="utf-8", newline="") as file:
        row = next(csv.DictReader(file))
    words = "Knight Rider ─ regular cast → ◦ ─ actor → William Daniels, because character is KITT"
    assert (row["answer"], row["proof in words"]) == ("William Daniels", words)


def test_the_legend_counts_and_hides_and_the_address_keeps_it(kitt: Page) -> None:
    canvas = kitt.get_by_test_id("facts-graph")
    facts = int(canvas.get_attribute("data-facts") or 0)
    before = places(drawing(kitt))
    switch = kitt.get_by_test_id("legend-switch").last
    expect(switch).to_have_accessible_name(re.compile(r"^Show removed, \d+$"))
    switch.click()
    expect(canvas).not_to_have_attribute("data-facts", str(facts))
    settle(kitt)
    left = places(drawing(kitt))
    assert "William Daniels" in left
    assert "David Hasselhoff" not in left
    # Hiding some moves none of the others.
    assert all(before[name] == pytest.approx(place, abs=0.1) for name, place in left.items() if name in before and name)
    kitt.reload()
    expect(kitt.get_by_test_id("show-hidden")).to_contain_text("hidden")
    kitt.get_by_test_id("table-button").click()
    expect(kitt.get_by_test_id("facts-table")).not_to_contain_text("David Hasselhoff")
    kitt.get_by_test_id("show-hidden").click()
    expect(kitt.get_by_test_id("facts-table")).to_contain_text("David Hasselhoff")


def test_a_term_is_dragged_stays_there_and_is_let_go_by_key(kitt: Page) -> None:
    box = kitt.get_by_test_id("facts-graph").bounding_box()
    assert box is not None
    before = places(drawing(kitt))
    x, y = before["William Daniels"]
    drag(kitt, (x, y), (60, 25))
    expect(kitt.get_by_test_id("unpin")).to_contain_text("1 pinned")
    after = places(drawing(kitt))
    assert after["William Daniels"] == pytest.approx((x + 60, y + 25), abs=3)
    assert after["Knight Rider"] == pytest.approx(before["Knight Rider"], abs=0.1)
    # Through a reload it stays; the key lets go what the pointer is on.
    kitt.reload()
    expect(kitt.get_by_test_id("unpin")).to_be_visible()
    settle(kitt)
    moved = places(drawing(kitt))["William Daniels"]
    kitt.mouse.move(box["x"] + moved[0], box["y"] + moved[1])
    kitt.keyboard.press("p")
    expect(kitt.get_by_test_id("unpin")).to_have_count(0)


def test_near_and_far_and_back_to_the_whole(kitt: Page) -> None:
    before = places(drawing(kitt))
    for name in ("Zoom in", "Pan left", "Pan up"):
        kitt.get_by_role("button", name=name, exact=True).click()
    changed = places(drawing(kitt))
    assert changed["Knight Rider"] != pytest.approx(before["Knight Rider"], abs=5)
    kitt.keyboard.press("f")
    kitt.wait_for_timeout(300)
    assert places(drawing(kitt))["Knight Rider"] == pytest.approx(before["Knight Rider"], abs=1)


def test_a_new_step_keeps_what_is_looked_at_and_moves_nothing(kitt: Page) -> None:
    kitt.get_by_test_id("timeline-item").nth(2).click()
    canvas = kitt.get_by_test_id("facts-graph")
    before = canvas.get_attribute("data-facts") or ""
    for name in ("Zoom in", "Pan right"):
        kitt.get_by_role("button", name=name, exact=True).click()
    settle(kitt)
    early = places(drawing(kitt))
    kitt.get_by_test_id("timeline-item").nth(3).click()
    expect(canvas).not_to_have_attribute("data-facts", before)
    settle(kitt)
    late = places(drawing(kitt))
    assert "Knight Rider" in early
    assert late.keys() > early.keys()
    assert all(late[name] == pytest.approx(place, abs=0.1) for name, place in early.items())


def test_the_chosen_path_is_in_front_and_the_rest_stands_back(kitt: Page) -> None:
    kitt.get_by_test_id("table-button").click()
    kitt.get_by_test_id("facts-table").get_by_role("button", name=HASSELHOFF).first.click()
    kitt.get_by_role("button", name="graph", exact=True).click()
    settle(kitt)
    lines = drawing(kitt).findall(f"{SVG}line")
    front = [line for line in lines if line.get("stroke") == "#5b5bd6" and line.get("opacity") is None]
    assert len(front) == 2
    assert all(float(line.get("opacity", 1)) < 0.5 for line in lines if line not in front)


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (1100, 700)])
def test_nothing_lies_under_the_line_of_moments(open_page: Callable[..., Page], width: int, height: int) -> None:
    page = open_page(width=width, height=height)
    open_run(page, KITT, "sample", "en.knight_rider")
    line = page.locator("footer").bounding_box()
    assert line is not None
    for pane in PANES:
        box = page.locator(f"section[data-pane={pane}]").bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= line["y"] + 1
    drawn = page.get_by_test_id("facts-graph").bounding_box()
    assert drawn is not None
    assert drawn["height"] > 60


@pytest.mark.parametrize("pane", PANES)
def test_a_pane_has_the_whole_room_by_key(kitt: Page, pane: str) -> None:
    section = kitt.locator(f"section[data-pane={pane}]")
    others = [kitt.get_by_test_id(shown) for name, shown in PANES.items() if name != pane]
    section.hover(position={"x": 60, "y": 14})
    kitt.keyboard.press("m")
    for other in others:
        expect(other).to_have_count(0)
    expect(kitt.get_by_test_id(PANES[pane])).to_be_visible()
    kitt.reload()
    expect(kitt.get_by_test_id("share-room")).to_be_visible()
    kitt.keyboard.press("Escape")
    for other in others:
        expect(other).to_be_visible()


@pytest.mark.parametrize("pane", PANES)
def test_a_double_click_on_its_head_gives_a_pane_the_whole_room(kitt: Page, pane: str) -> None:
    others = [kitt.get_by_test_id(shown) for name, shown in PANES.items() if name != pane]
    heading = kitt.locator(f"section[data-pane={pane}]").locator(".head, h2").first.bounding_box()
    assert heading is not None
    # Between what the heading says: some of it is buttons.
    kitt.mouse.dblclick(heading["x"] + heading["width"] * 0.6, heading["y"] + heading["height"] / 2)
    expect(kitt.get_by_test_id("share-room")).to_be_visible()
    for other in others:
        expect(other).to_have_count(0)
    kitt.get_by_test_id("share-room").click()
    for other in others:
        expect(other).to_be_visible()
