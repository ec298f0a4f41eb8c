"""How soon who reviews can go on: ``python -m tests.bench.bench_review [--cases N] [--json]``.

A whole site with an evaluation of 5,000 questions, of which some are judged and the rest are copies of these, and a
second evaluation of the same questions; 1,000 cases have a verdict. Measured over HTTP, in milliseconds: the queue,
plainly, with filters, with words of the question and against the other evaluation; the next case, with its evidence
and its neighbours in the filtered queue; a verdict. What a request costs that does nothing is shown next to them.
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
from time import perf_counter
from typing import Any

import httpx2
from rich.console import Console
from rich.progress import track
from rich.table import Table

from tests.running_site import RunningSite

CASES, JUDGED, ROUNDS = 5_000, 400, 100
_SAID = 5
"""One case out of this number has a verdict."""
_ASKED = {"dataset": "sample", "graph": "sample", "scorer": "lexical", "split": "all", "limit": JUDGED}
_QUEUES = {
    "the queue": {},
    "filtered": {"result": ["wrong", "partly right"], "status": "open"},
    "by words": {"search": "who"},
    "beside another": {"other": ["right there only", "right here only"]},
}


def judged(client: httpx2.Client) -> str:
    """The id of an evaluation that is done."""
    started = client.post("/api/evaluations", json=_ASKED).raise_for_status().json()
    while client.get(f"/api/evaluations/{started['id']}").json()["status"] != "succeeded":
        time.sleep(0.5)
    return str(started["id"])


def tokens(home: Path) -> tuple[str, str]:
    """What an administrator and a reviewer of the site come in with."""
    os.environ |= {"DISCERN_HOME": str(home), "DJANGO_SETTINGS_MODULE": "webapp.settings"}
    import django  # noqa: PLC0415 - the home folder is known now

    django.setup()
    from webapp.accounts.models import Role, User  # noqa: PLC0415 - as above
    from webapp.accounts.tokens import token_create  # noqa: PLC0415 - as above

    people = [
        User.objects.create_user(f"bench-{role}", password=None, role=role) for role in (Role.ADMIN, Role.REVIEWER)
    ]
    admin, reviewer = (token_create(user=person, name="bench", days=1)[1] for person in people)
    return admin, reviewer


def copied(evaluation: str, cases: int) -> None:
    """Give an evaluation this number of questions, each a copy of one that was judged, and verdicts to some."""
    from webapp.evaluations.models import EvaluatedQuestion, Evaluation, JudgedDecisions  # noqa: PLC0415 - after set-up
    from webapp.review.models import Case, Says  # noqa: PLC0415 - as above

    originals = list(EvaluatedQuestion.objects.filter(evaluation=evaluation).order_by("position"))
    kept = {each.question_id: each.events for each in JudgedDecisions.objects.filter(question__evaluation=evaluation)}
    copies, events = [], []
    for position in range(len(originals) + 1, cases + 1):
        row = EvaluatedQuestion.objects.get(pk=originals[position % len(originals)].pk)
        events.append(kept.get(row.pk))
        row.pk, row.position, row.question_id = None, position, f"copy-{position}"
        copies.append(row)
    made = EvaluatedQuestion.objects.bulk_create(copies, batch_size=200)
    JudgedDecisions.objects.bulk_create(
        (
            JudgedDecisions(question=row, events=each)
            for row, each in zip(made, events, strict=True)
            if each is not None
        ),
        batch_size=200,
    )
    Evaluation.objects.filter(pk=evaluation).update(total=cases, done=cases)
    Case.objects.bulk_create(Case(question=row, says=Says.AGREE, last=1) for row in made[::_SAID])


def timed(client: httpx2.Client, method: str, path: str, **more: Any) -> tuple[float, Any]:
    """Milliseconds of a request, and what it was answered."""
    began = perf_counter()
    answer = client.request(method, path, **more)
    took = 1_000 * (perf_counter() - began)
    answer.raise_for_status()
    return took, answer.json()


def measured(client: httpx2.Client, evaluation: str, other: str) -> dict[str, list[float]]:
    """The milliseconds of every request, by what it is."""
    found: dict[str, list[float]] = {name: [] for name in ("nothing", *_QUEUES, "next case", "a verdict")}
    path = f"/api/review/{evaluation}/cases"
    for _ in track(range(ROUNDS), description="queues", transient=True):
        found["nothing"].append(timed(client, "GET", "/healthz")[0])
        for name, query in _QUEUES.items():
            beside = {"against": other} if "other" in query else {}
            found[name].append(timed(client, "GET", path, params={**query, **beside})[0])
    query = _QUEUES["filtered"]
    key = client.get(path, params=query).json()["keys"][0]
    for _ in track(range(ROUNDS), description="cases", transient=True):
        took, case = timed(client, "GET", f"{path}/{key}", params=query)
        found["next case"].append(took)
        found["a verdict"].append(timed(client, "POST", f"{path}/{key}/verdict", json={"says": "unsure"})[0])
        key = case["next"]
    return found


def main() -> int:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=CASES)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    chosen = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="discern-review-"))
    site = RunningSite(home, DISCERN_USER_RATE="1000000/minute", DISCERN_READ_RATE="1000000/minute")
    try:
        address = site.ready()
        admin, reviewer = tokens(home)
        with httpx2.Client(base_url=address, headers={"Authorization": f"Bearer {admin}"}, timeout=60) as client:
            evaluations = [judged(client) for _ in range(2)]
        for each in evaluations:
            copied(each, chosen.cases)
        with httpx2.Client(base_url=address, headers={"Authorization": f"Bearer {reviewer}"}, timeout=60) as client:
            rows = measured(client, *evaluations)
    finally:
        site.end(signal.SIGINT)
        shutil.rmtree(home)
    shown = {
        name: {"median": median(each), "p95": quantiles(each, n=20)[-1], "n": len(each)} for name, each in rows.items()
    }
    if chosen.json:
        sys.stdout.write(json.dumps(shown, indent=2) + "\n")
        return 0
    table = Table("what", "median, ms", "95th percentile, ms", "requests")
    for name, row in shown.items():
        table.add_row(name, f"{row['median']:.1f}", f"{row['p95']:.1f}", f"{row['n']}")
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
