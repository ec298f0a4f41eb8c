"""How fast a large drawing is: ``python -m tests.bench.bench_canvas [--json]``.

One made-up graph is drawn by our canvas and by bare sigma in turns, on one page, in a Chromium that draws WebGL in
software.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from statistics import median
from typing import TYPE_CHECKING, Any

from playwright.sync_api import sync_playwright
from rich.console import Console
from rich.table import Table

from tests.browser.conftest import CHROMIUM_FLAGS
from webapp.launch.setup import chromium
from webapp.platform.environment import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

SIZE = 50_000
ROUNDS = 3
TITLES = {"drawn": "until it is drawn", "frame": "a frame while it moves", "pointed": "until a term stands out"}


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Say nothing of what is fetched."""


def figures(size: int, rounds: int) -> Iterator[tuple[str, Mapping[str, float | None]]]:
    """What the page measures, ours and bare sigma's in turns; the first of each warms up and is left out."""
    frontend = REPOSITORY / "frontend"
    with tempfile.TemporaryDirectory(prefix="discern-canvas-") as folder:
        build = ["npx", "vite", "build", "bench", "--outDir", folder, "--emptyOutDir", "--logLevel", "error"]
        subprocess.run(build, cwd=frontend, check=True)
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=folder))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium(), args=list(CHROMIUM_FLAGS))
                page = browser.new_page(viewport={"width": 1280, "height": 760})
                page.goto(f"http://127.0.0.1:{server.server_port}/")
                page.wait_for_function("() => window.measureBare !== undefined")
                for each in range(rounds + 1):
                    for name, measure in (("ours", "measureOurs"), ("bare sigma", "measureBare")):
                        measured = page.evaluate(f"window.{measure}({size})")
                        if each > 0:
                            yield name, measured
                browser.close()
        finally:
            server.shutdown()


def medians(measured: Sequence[tuple[str, Mapping[str, float | None]]]) -> dict[str, dict[str, float | None]]:
    """The median of each figure, in milliseconds."""
    found: dict[str, dict[str, float | None]] = {}
    for name in ("ours", "bare sigma"):
        rows = [row for whose, row in measured if whose == name]
        found[name] = {
            key: median(value for row in rows if (value := row[key]) is not None) if rows[0][key] is not None else None
            for key in rows[0]
        }
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=SIZE, help="how many nodes, and how many edges")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    arguments = parser.parse_args()
    found = medians(list(figures(arguments.size, arguments.rounds)))
    ours, bare = found["ours"]["frame"], found["bare sigma"]["frame"]
    ratio = (ours or 0) / (bare or 1)
    if arguments.json:
        sys.stdout.write(json.dumps({"milliseconds": found, "ratio": ratio}, indent=2) + "\n")
    else:
        table = Table(f"{arguments.size} nodes and edges, milliseconds", *found)
        for key, title in TITLES.items():
            table.add_row(title, *("" if (value := row[key]) is None else f"{value:.0f}" for row in found.values()))
        Console().print(table)
        Console().print(f"a frame: {ratio:.2f} times bare sigma's")


if __name__ == "__main__":
    main()
