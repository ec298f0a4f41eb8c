"""How long an asker waits while the site trains a scorer: ``python -m tests.bench.bench_training [--json]``.

A site as `make run` starts it is asked one question after the other: before a training, while one runs on the same
worker, and after it was stopped. The figure is a ratio, with against without, both from this run: another load on the
machine moves seconds more than ratios. It takes a minute or two.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import httpx2
from rich.console import Console
from rich.table import Table

from tests.running_site import RunningSite
from tests.sample import sample_questions

QUESTIONS = 24
MAX_LENGTH = 300.0
"""Seconds after which a training that does not begin is given up."""
SETTINGS = {"DISCERN_SCORER": "encoder", "DISCERN_PACE_MS": "0", "DISCERN_VISITOR_RATE": "100000/minute"}
_POLL = 0.01


class Person:
    """A client with a browser, signed in if a name is given."""

    def __init__(self, address: str, *account: str) -> None:
        self.client = httpx2.Client(base_url=address, timeout=60)
        self.token = self.get("/api/session")["csrf_token"]
        if account:
            name, password = account
            self.token = self.post("/api/session", {"username": name, "password": password})["csrf_token"]

    def get(self, path: str) -> Any:
        return self.client.get(path).raise_for_status().json()

    def post(self, path: str, body: object) -> Any:
        return self.client.post(path, json=body, headers={"X-CSRFToken": self.token}).raise_for_status().json()

    def seconds_of(self, question: str) -> float:
        """From asking until the run has ended."""
        began = time.perf_counter()
        run = self.post("/api/runs", {"question": question})
        while self.get(f"/api/runs/{run['id']}")["finished_at"] is None:
            time.sleep(_POLL)
        return time.perf_counter() - began


def until_it_trains(admin: Person) -> None:
    """Wait until the training is past reading its questions, or see that it still is."""
    until = time.monotonic() + MAX_LENGTH
    while True:
        (training,) = admin.get("/api/scorers/trainings")["trainings"]
        if training["status"] == "running" and training["stage"] in ("training", "testing"):
            return
        if training["status"] not in ("queued", "running") or time.monotonic() > until:
            raise RuntimeError(f"the training does not run: {training}")
        time.sleep(0.2)


def measured(site: RunningSite) -> dict[str, list[float]]:
    """The seconds of every question, before, during and after a training."""
    asker, admin = Person(site.address), Person(site.address, *site.account("admin"))
    questions = [question.phrasings[0] for question in sample_questions()][: QUESTIONS * 5 : 5]
    asker.seconds_of(questions[0])
    seconds = {"before": [asker.seconds_of(question) for question in questions]}
    training = admin.post("/api/scorers/trainings", {"name": "bench", "recipe": "sample", "epochs": 100})
    until_it_trains(admin)
    seconds["beside"] = [asker.seconds_of(question) for question in questions]
    until_it_trains(admin)
    admin.post(f"/api/scorers/trainings/{training['id']}/cancel", {})
    time.sleep(3)  # so that the worker has seen it
    seconds["after"] = [asker.seconds_of(question) for question in questions]
    return seconds


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    options = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="discern-"))
    load = os.getloadavg()[0]
    site = RunningSite(home, **SETTINGS)
    try:
        site.ready()
        until = time.monotonic() + MAX_LENGTH
        while httpx2.get(f"{site.address}/readyz", timeout=30).status_code != 200 and time.monotonic() < until:
            time.sleep(0.2)
        seconds = measured(site)
    finally:
        site.end(signal.SIGINT)
        shutil.rmtree(home)
    without = [*seconds["before"], *seconds["after"]]
    figures = {
        "processors": os.cpu_count(),
        "load_before": load,
        "median_without": median(without),
        "median_beside": median(seconds["beside"]),
        "median_ratio": median(seconds["beside"]) / median(without),
        "of_20_one_takes_longer_without": quantiles(without, n=20)[-1],
        "of_20_one_takes_longer_beside": quantiles(seconds["beside"], n=20)[-1],
    }
    if options.json:
        sys.stdout.write(json.dumps({**figures, "seconds": seconds}, indent=2) + "\n")
        return
    table = Table("a question", "without a training, s", "beside one, s", "ratio")
    for name, key in (("half are answered within", "median"), ("19 of 20 within", "of_20_one_takes_longer")):
        alone, beside = figures[f"{key}_without"] or 0, figures[f"{key}_beside"] or 0
        table.add_row(name, f"{alone:.2f}", f"{beside:.2f}", f"{beside / alone:.1f}")
    Console().print(table)
    Console().print(f"{os.cpu_count()} processors; the load before was {load:.1f}.")


if __name__ == "__main__":
    main()
