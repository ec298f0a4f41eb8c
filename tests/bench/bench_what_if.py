"""How soon a what-if has its answer: ``python -m tests.bench.bench_what_if [--json]``.

A whole site over the bundled sample, with the bundled encoder. Each question is asked over HTTP; once it is answered,
its condition is dropped with the later decisions kept, and the search is ended after its first step with the model
asked for the rest. Seconds run from the request to the last event; next to them are those of asking, in the same run,
and the calls of the model that each took beyond what it kept.
"""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import httpx2
from rich.console import Console
from rich.table import Table

from reasoning.events import TERMINAL_KINDS
from tests.running_site import RunningSite
from tests.sample import sample_questions

QUESTIONS = 40
_PAUSE = 0.003
DROPPED = {"kind": "remove", "stage": "prune", "number": 0, "later": "keep"}
STOPPED = {"kind": "end", "stage": "search", "number": 1, "later": "ask"}


class Asker:
    """A visitor that asks over HTTP."""

    def __init__(self, address: str) -> None:
        self._client = httpx2.Client(base_url=address, timeout=60)
        self._token = self._client.get("/api/session").json()["csrf_token"]

    def run(self, path: str, body: object) -> tuple[float, str, list[dict[str, Any]]]:
        """Seconds until the last event, the id of the run, and its events."""
        began = time.perf_counter()
        asked = self._client.post(path, json=body, headers={"X-CSRFToken": self._token})
        asked.raise_for_status()
        run = asked.json()["id"]
        entries: list[dict[str, Any]] = []
        while not entries or entries[-1]["kind"] not in TERMINAL_KINDS:
            time.sleep(_PAUSE)
            news = self._client.get(f"/api/runs/{run}/events?after={len(entries)}").json()
            entries += [each["event"] for each in news]
        return time.perf_counter() - began, run, entries


def calls_of(entries: list[dict[str, Any]]) -> int:
    """How often the model was asked, all decisions together."""
    return int(entries[-1]["cost"]["calls"]) if entries[-1]["kind"] == "finished" else 0


def measured(asker: Asker, questions: list[str]) -> dict[str, dict[str, float]]:
    """Medians over the questions that set a condition."""
    seconds: dict[str, list[float]] = {"asked": [], "condition dropped": [], "stopped after a step": []}
    calls: dict[str, list[int]] = {name: [] for name in seconds}
    for question in questions:
        took, run, shown = asker.run("/api/runs", {"question": question})
        if not any(event["kind"] == "constraint_chosen" for event in shown) or shown[-1]["kind"] != "finished":
            continue
        seconds["asked"].append(took)
        calls["asked"].append(calls_of(shown))
        for name, change in (("condition dropped", DROPPED), ("stopped after a step", STOPPED)):
            took, _, varied = asker.run(f"/api/runs/{run}/variants", {"change": change})
            seconds[name].append(took)
            kept = sum(
                (event.get("decision") or {}).get("cost", {}).get("calls", 0) if _is_kept(event, shown) else 0
                for event in varied
            )
            calls[name].append(calls_of(varied) - kept)
    return {
        name: {"seconds": median(each), "calls": median(calls[name]), "n": len(each)} for name, each in seconds.items()
    }


def _is_kept(event: dict[str, Any], entries: list[dict[str, Any]]) -> bool:
    return bool(event.get("decision")) and bool(event["decision"].get("cost")) and event in entries


def main() -> int:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    as_json = parser.parse_args().json
    home = Path(tempfile.mkdtemp(prefix="discern-"))
    settings = {
        "DISCERN_SCORER": "encoder",
        "DISCERN_VISITOR_RATE": "100000/minute",
        "DISCERN_READ_RATE": "1000000/minute",
    }
    site = RunningSite(home, **settings)
    try:
        asker = Asker(site.ready())
        questions = [question.phrasings[0] for question in sample_questions()]
        figures = measured(asker, questions[:: max(1, len(questions) // (4 * QUESTIONS))])
    finally:
        site.end(signal.SIGINT)
        shutil.rmtree(home)
    if as_json:
        sys.stdout.write(json.dumps(figures, indent=2) + "\n")
        return 0
    table = Table("what", "seconds, the median", "of asking", "model calls of its own", "questions")
    for name, figure in figures.items():
        share = figure["seconds"] / figures["asked"]["seconds"]
        table.add_row(name, f"{figure['seconds']:.3f}", f"{share:.2f}", f"{figure['calls']:g}", f"{figure['n']}")
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
