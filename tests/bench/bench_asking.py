"""How soon a person sees something: ``python -m tests.bench.bench_asking [--json]``.

A whole site over the bundled sample with the bundled encoder, and a Chromium that draws WebGL in software. From the
press of Enter to the first decision on the screen, and to the answer; and what the first page of a new visitor takes
over the wire.
"""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import sys
import tempfile
from itertools import islice
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from playwright.sync_api import expect, sync_playwright
from rich.console import Console
from rich.table import Table

from tests.browser.conftest import CHROMIUM_FLAGS
from tests.running_site import RunningSite
from tests.sample import sample_questions
from webapp.launch.setup import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

QUESTIONS = 20
WATCH = """() => {
    window.seen = {};
    const note = (name) => { window.seen[name] ??= performance.now() - window.seen.asked; };
    addEventListener("keydown", (event) => {
        if (event.key === "Enter") window.seen = { asked: performance.now() };
    }, true);
    new MutationObserver(() => {
        if (window.seen.asked === undefined) return;
        if (document.querySelector("[data-testid=timeline-item]")) note("decision");
        if (document.querySelector("[data-testid=answer][data-state=finished]")) note("answer");
    }).observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["data-state"] });
}"""


def bytes_of_first_page(browser: Browser, address: str) -> dict[str, float]:
    """What a new visitor's page takes over the wire until it can be typed into and nothing more is fetched."""
    page = browser.new_page()
    taken: list[float] = []
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.on("Network.loadingFinished", lambda each: taken.append(each["encodedDataLength"]))
    page.goto(address, wait_until="networkidle")
    expect(page.get_by_test_id("ask-input")).to_be_visible()
    page.close()
    return {"requests": len(taken), "kilobytes": sum(taken) / 1e3}


def milliseconds_of(page: Page, address: str, question: str) -> dict[str, float]:
    """From Enter to the first decision, and to the answer."""
    page.goto(address)
    page.evaluate(WATCH)
    page.get_by_test_id("ask-input").fill(question)
    page.get_by_test_id("ask-input").press("Enter")
    page.wait_for_function("() => window.seen.answer !== undefined", timeout=60_000)
    seen: dict[str, float] = page.evaluate("window.seen")
    return {name: seen[name] for name in ("decision", "answer")}


def measured(questions: int) -> dict[str, dict[str, float]]:
    """The medians, and what the first page takes; the first question warms the site up and is left out."""
    home = Path(tempfile.mkdtemp(prefix="discern-asking-"))
    site = RunningSite(home, DISCERN_SCORER="encoder", DISCERN_VISITOR_RATE="10000/minute")
    try:
        address = site.ready()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium(), args=list(CHROMIUM_FLAGS))
            first = bytes_of_first_page(browser, address)
            page = browser.new_page(viewport={"width": 1366, "height": 768})
            texts = [each.phrasings[0] for each in islice(sample_questions(), questions + 1)]
            _, *rows = [milliseconds_of(page, address, text) for text in texts]
            browser.close()
        return {
            "milliseconds": {name: median(row[name] for row in rows) for name in ("decision", "answer")},
            "first_page": first,
        }
    finally:
        site.end(signal.SIGINT)
        shutil.rmtree(home)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=QUESTIONS)
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    arguments = parser.parse_args()
    found = measured(arguments.questions)
    if arguments.json:
        sys.stdout.write(json.dumps(found, indent=2) + "\n")
        return
    table = Table(f"medians of {arguments.questions} questions", "")
    table.add_row("Enter until the first decision is seen", f"{found['milliseconds']['decision']:.0f} ms")
    table.add_row("Enter until the answer is seen", f"{found['milliseconds']['answer']:.0f} ms")
    table.add_row("the first page", f"{found['first_page']['kilobytes']:.0f} kB")
    table.add_row("in requests", f"{found['first_page']['requests']:.0f}")
    Console().print(table)


if __name__ == "__main__":
    main()
