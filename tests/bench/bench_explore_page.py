"""How usable a large drawing of a graph is: ``python -m tests.bench.bench_explore_page [--size N] [--json]``.

The page Explore of a running site opens a link with a number of nodes, in a Chromium that draws WebGL in software.
"""

from __future__ import annotations

import argparse
import base64
import json
import math
import signal
import sys
import tempfile
import zlib
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from playwright.sync_api import sync_playwright
from rich.console import Console
from rich.table import Table

from tests.browser.conftest import CHROMIUM_FLAGS
from tests.running_site import RunningSite
from webapp.launch.setup import chromium

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

SIZE = 10_000
AROUND = 100
"""Number of nodes around a hub, the hub included."""
KINDS = 20
STEPS = 40
DRAWN = """size =>
  Number(document.querySelector('[data-testid=facts-graph]')?.dataset.terms) === size &&
  !document.querySelector('[aria-label="Asking the graph"]')
"""
TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
RECORD = """() => {
  window.frames_ = [];
  let before = performance.now();
  const next = () => {
    const now = performance.now();
    window.frames_.push(now - before);
    before = now;
    window.recording = requestAnimationFrame(next);
  };
  window.recording = requestAnimationFrame(next);
}"""
RECORDED = "() => (cancelAnimationFrame(window.recording), window.frames_)"


def drawing(size: int) -> dict[str, Any]:
    """A drawing of hubs with their neighbours, each hub joined to the next, as the page keeps it."""
    nodes, facts, places, origins = [], [], [], []
    hubs = -(-size // AROUND)
    across = math.ceil(math.sqrt(hubs))
    relation = {"id": "r.s.in", "label": "in", "context": "", "reverse": False, "unit": None}
    for number in range(size):
        hub, within = divmod(number, AROUND)
        key = f"m.{number}"
        kind = {"id": f"d.kind_{number % KINDS}", "label": f"kind {number % KINDS}"}
        nodes.append([key, {"term": {"id": key, "label": f"Thing {number}", "kind": "entity"}, "kind": kind}])
        reach, angle = 0.62 * math.sqrt(within), within * math.pi * (3 - math.sqrt(5))
        x = 15 * (hub % across) + reach * math.cos(angle)
        y = 15 * (hub // across) + reach * math.sin(angle)
        places.append([key, {"x": x, "y": y}])
        other = f"m.{hub * AROUND}" if within else f"m.{(hub + 1) % hubs * AROUND}"
        facts.append([f"fact {number}", {"source": key, "relation": relation, "target": other}])
        if within:
            origins.append([key, other])
    tables = {"nodes": nodes, "facts": facts, "places": places, "origins": origins}
    return {"form": 1, "tables": tables, "chosen": [], "sight": None}


def link(site: RunningSite, size: int) -> str:
    """The address that holds the drawing."""
    deflate = zlib.compressobj(wbits=-15)
    packed = deflate.compress(json.dumps(drawing(size)).encode()) + deflate.flush()
    return f"{site.address}/explore#{base64.urlsafe_b64encode(packed).decode().rstrip('=')}"


def taken(page: Page, act: Callable[[], object], size: int) -> float:
    """The time in milliseconds until ``size`` nodes are drawn after an action."""
    began = page.evaluate("performance.now()")
    act()
    page.wait_for_function(DRAWN, arg=size)
    page.evaluate(TWO_FRAMES)
    return float(page.evaluate("performance.now()")) - float(began)


def frames(page: Page, size: int) -> dict[str, float]:
    """The frames while a user drags the drawing to and fro, and points at what is drawn, in milliseconds."""
    box = page.get_by_test_id("facts-graph").bounding_box()
    assert box is not None
    x, y = box["x"] + 20, box["y"] + 20
    found: dict[str, float] = {}
    for what, is_dragged in (("a frame while it is dragged", True), ("a frame while things are pointed at", False)):
        page.mouse.move(x, y)
        if is_dragged:
            page.mouse.down()
        page.evaluate(RECORD)
        for step in range(STEPS):
            page.mouse.move(x + 8 * (step % (STEPS // 2)), y + 5 * (step % (STEPS // 2)))
        recorded = sorted(page.evaluate(RECORDED))
        if is_dragged:
            page.mouse.up()
        found[f"{what}, median"] = median(recorded)
        found[f"{what}, 95th percentile"] = recorded[int(0.95 * len(recorded))]
    page.wait_for_function(DRAWN, arg=size)
    return found


def measured(site: RunningSite, size: int) -> dict[str, float]:
    """Every figure, in milliseconds."""
    found: dict[str, float] = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(CHROMIUM_FLAGS))
        page = browser.new_page(viewport={"width": 1280, "height": 760})
        page.goto(f"{site.address}/explore")
        page.get_by_test_id("overview").wait_for()
        page.goto("about:blank")
        page.goto(link(site, size), wait_until="commit")
        page.wait_for_function(DRAWN, arg=size)
        page.evaluate(TWO_FRAMES)
        found["until it is drawn, from the address on"] = float(page.evaluate("performance.now()"))
        found |= frames(page, size)
        of_kind = len(range(0, size, KINDS))
        first = page.get_by_test_id("legend").get_by_role("button").first
        found[f"all {of_kind:,} of a kind chosen"] = taken(page, first.click, size)
        found["they are taken off"] = taken(page, lambda: page.keyboard.press("x"), size - of_kind)
        found["that is undone"] = taken(page, lambda: page.keyboard.press("z"), size)
        for arrangement, title in (("tree", "as a tree"), ("kinds", "by kind"), ("force", "by facts")):
            button = page.get_by_test_id(f"arrange-{arrangement}")
            page.evaluate(RECORD)
            found[f"arranged {title}"] = taken(page, button.click, size)
            found[f"arranged {title}: the longest frame meanwhile"] = max(page.evaluate(RECORDED))
        found["the table is opened"] = taken(page, lambda: page.keyboard.press("t"), size)
        browser.close()
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=SIZE, help="how many things, and how many facts")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="discern-explore-") as folder:
        site = RunningSite(Path(folder))
        try:
            site.ready()
            found = measured(site, options.size)
        finally:
            site.end(signal.SIGINT)
    if options.json:
        json.dump(found, sys.stdout, indent=2)
        sys.stdout.write("\n")
        return
    table = Table("what", "ms", title=f"{options.size:,} things and as many facts drawn")
    for what, milliseconds in found.items():
        table.add_row(what, f"{milliseconds:,.0f}")
    Console().print(table)


if __name__ == "__main__":
    main()
