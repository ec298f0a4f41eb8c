"""What a visitor's requests cost the web process: ``python -m tests.bench.bench_anonymous [--cases N] [--json]``.

A whole site with two evaluations of 5,309 questions, as many as WebQSP and its test split have together, of which some
are judged and the rest are copies of these. Every GET route of the API's schema is asked once to warm it and then three
times, without an account. The figure is the CPU time of the web process per request, in milliseconds: one process
serves everybody, so what one request takes, all others wait for. Routes that refuse visitors are left out.
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
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import httpx2
from rich.console import Console
from rich.table import Table

from tests.bench.bench_review import copied, judged, tokens
from tests.running_site import RunningSite, living_process_of

CASES, ROUNDS = 5_309, 3
LIMIT_MS = 50.0
"""The CPU time that a visitor's request may take, in milliseconds."""
_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
_QUESTION = "who plays the voice of KITT in Knight Rider?"
_BESIDE_THE_API = ("/", "/healthz", "/readyz", "/api/openapi.json", "/api/nothing")


@dataclass(frozen=True)
class Cost:
    """What a request to one route cost."""

    route: str
    cpu_ms: float
    """CPU time of the web process, the median of some requests."""
    first_cpu_ms: float
    """CPU time of the first request, when nothing is kept yet of what other routes did not read."""
    seconds: float
    """Until the whole answer was there, the median."""
    kilobytes: float


def cpu_seconds(process: int) -> float:
    """The CPU time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS_PER_SECOND


def asked(client: httpx2.Client) -> str:
    """The id of a visitor's finished run."""
    run: str = client.post("/api/runs", json={"question": _QUESTION}).raise_for_status().json()["id"]
    while client.get(f"/api/runs/{run}").json()["status"] != "succeeded":
        time.sleep(0.2)
    return run


def files_written(evaluation: str) -> None:
    """Let an evaluation have its files, as a worker writes them at its end."""
    from webapp.evaluations.exports import exports_write  # noqa: PLC0415 - after set-up
    from webapp.evaluations.models import Evaluation  # noqa: PLC0415 - as above

    exports_write(Evaluation.objects.get(pk=evaluation))


def routes(schema: dict[str, Any], known: dict[str, str]) -> dict[str, str]:
    """The address to ask of each GET route, by its path."""
    found = {path: path for path in _BESIDE_THE_API}
    for path, operations in schema["paths"].items():
        operation = operations.get("get")
        if operation is None:
            continue
        address, query = path, []
        for parameter in operation["parameters"]:
            name = parameter["name"]
            if parameter["in"] == "path":
                address = address.replace(f"{{{name}}}", known.get(name, "nothing"))
            elif parameter["required"]:
                query.append(f"{name}={known.get(name, '1')}")
        found[path] = f"{address}?{'&'.join(query)}" if query else address
    return found


def costs(client: httpx2.Client, web: int, addresses: dict[str, str]) -> tuple[list[Cost], dict[str, int]]:
    """What each route costs, the dearest first, and the status of those that gave a visitor nothing."""
    found, refused = [], {}
    for route, address in addresses.items():
        began_at = cpu_seconds(web)
        answer = client.get(address)
        first = cpu_seconds(web) - began_at
        if not answer.is_success and route not in _BESIDE_THE_API:
            refused[route] = answer.status_code
            continue
        cpu, took = [], []
        for _ in range(ROUNDS):
            before, began = cpu_seconds(web), time.perf_counter()
            answer = client.get(address)
            took.append(time.perf_counter() - began)
            cpu.append(cpu_seconds(web) - before)
        found.append(Cost(route, 1_000 * median(cpu), 1_000 * first, median(took), len(answer.content) / 1024))
    return sorted(found, key=lambda cost: -cost.cpu_ms), refused


def main() -> int:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=CASES)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    chosen = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="discern-anonymous-"))
    site = RunningSite(home, DISCERN_USER_RATE="1000000/minute", DISCERN_READ_RATE="1000000/minute")
    try:
        address = site.ready()
        admin, _ = tokens(home)
        with httpx2.Client(base_url=address, headers={"Authorization": f"Bearer {admin}"}, timeout=120) as client:
            evaluations = [judged(client) for _ in range(2)]
            dataset = client.get(f"/api/evaluations/{evaluations[0]}").json()["dataset"]
        for each in evaluations:
            copied(each, chosen.cases)
            files_written(each)
        with httpx2.Client(base_url=address, timeout=120) as visitor:
            visitor.headers["X-CSRFToken"] = visitor.get("/api/session").json()["csrf_token"]
            known = {
                "run_id": asked(visitor),
                "evaluation_id": evaluations[0],
                "other_id": evaluations[1],
                "dataset_id": str(dataset["id"]) if isinstance(dataset, dict) else str(dataset),
                "position": "1",
                "name": "sample",
                "graph": "sample",
                "stage": "search",
                "relation": "tv.tv_program.regular_cast",
            }
            entity = visitor.get("/api/graphs/sample/entities", params={"q": "Knight Rider"}).json()[0]["id"]
            known |= dict.fromkeys(("one", "source"), entity) | dict.fromkeys(("other", "target"), entity)
            schema = visitor.get("/api/openapi.json").json()
            addresses = routes(schema, {**known, "id": entity})
            addresses |= {
                path: f"{path}?id={evaluations[0]}&id={evaluations[1]}"
                for path in addresses
                if path.startswith("/api/evaluations/") and "{" not in path
            }
            rows, refused = costs(visitor, living_process_of(home, b"web_server"), addresses)
    finally:
        site.end(signal.SIGINT)
        shutil.rmtree(home)
    if chosen.json:
        shown = {
            row.route: {
                "cpu_ms": row.cpu_ms,
                "first_cpu_ms": row.first_cpu_ms,
                "seconds": row.seconds,
                "kilobytes": row.kilobytes,
            }
            for row in rows
        }
        sys.stdout.write(json.dumps({"limit_ms": LIMIT_MS, "routes": shown, "refused": refused}, indent=2) + "\n")
        return 0
    table = Table("route", "CPU of the web process, ms", "of the first request, ms", "until answered, ms", "kB")
    for row in rows:
        style = "red" if row.cpu_ms > LIMIT_MS else None
        table.add_row(
            row.route,
            f"{row.cpu_ms:.0f}",
            f"{row.first_cpu_ms:.0f}",
            f"{1_000 * row.seconds:.0f}",
            f"{row.kilobytes:.0f}",
            style=style,
        )
    Console().print(table)
    Console().print(f"Limit: {LIMIT_MS:.0f} ms. Not open to visitors: {', '.join(sorted(refused))}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
