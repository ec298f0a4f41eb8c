"""How soon who labels can go on: ``python -m tests.bench.bench_labelling [--tasks N] [--people N] [--json]``.

A whole site with a project of 10,000 generated tasks that 50 people label, each task by two. Measured over HTTP, in
milliseconds: the next task, for people who have qualified and labelled hundreds before; a move, which is written to the
log and run over the graph; of that, what the graph takes; handing in, which checks the label and, where its answers are
known, how right it is. The moves are those of the gold derivations of the bundled sample, and, where ``DISCERN_DATA``
names it, of WebQSP over the real part of Freebase. What a request costs that does nothing is shown next to them.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
import uuid
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from typing import TYPE_CHECKING, Any

import httpx2
from rich.console import Console
from rich.progress import track
from rich.table import Table

from kgstore.loading.formats.tsv import NameReader, TripleReader
from kgstore.sqlite.loader import load_graph
from kgstore.sqlite.store import SqliteStore
from reasoning.datasets.registry import asked, read_dataset
from reasoning.gold.fitting import Fit, fit
from tests.running_site import RunningSite
from tests.sample import sample_questions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgstore.store import GraphStore
    from reasoning.core.derivation import Derivation

TASKS, PEOPLE, LABELLED = 10_000, 50, 40
_HANDED_IN = 200
"""Number of tasks that each person has labelled before."""
_KNOWN = {"answers": [["en.kitt"]]}
"""The answers of every tenth task are known."""


@dataclass(frozen=True)
class Gold:
    """A question with its gold derivation."""

    text: str
    derivation: Derivation

    def moves(self) -> Iterator[dict[str, Any]]:
        """What a person changes of the draft, decision by decision."""
        steps = [{"kind": "step", "position": s.position, "relation": str(s.relation)} for s in self.derivation.steps]
        conditions = [
            {
                "kind": "constraint",
                "position": each.position,
                "operator": each.operator.value,
                "target": None if each.target is None else str(each.target),
            }
            for each in self.derivation.constraints
        ]
        yield {"topic": str(self.derivation.topic)}
        yield from ({"steps": steps[: count + 1]} for count in range(len(steps)))
        yield {"steps_ended": True}
        yield from ({"conditions": conditions[: count + 1]} for count in range(len(conditions)))
        yield {"conditions_ended": True}
        yield {"answer": self.derivation.answer_position}


def of_sample() -> list[Gold]:
    """The sample's questions, a few of each kind."""
    found = [Gold(each.phrasings[0], each.derivation) for each in sample_questions() if each.derivation is not None]
    return found[:: max(1, len(found) // LABELLED)][:LABELLED]


def of_webqsp(data: Path, store: GraphStore) -> list[Gold]:
    """WebQSP's training questions whose gold derivation leads to an answer in the graph."""
    fits = (
        (question, fit(parse.derivation, parse.topic, parse.answers, store))
        for question in asked(read_dataset(data / "webqsp" / "WebQSP.train.json", "webqsp"))
        for parse in question.parses[:1]
        if parse.derivation is not None and parse.topic is not None
    )
    found = (Gold(question.text, fitted.derivation) for question, fitted in fits if fitted and fitted.fit is Fit.EXACT)
    return list(islice(found, LABELLED))


def seeded(home: Path, graph: str, texts: list[str], tasks: int, people: int) -> tuple[str, list[str]]:
    """A project whose people have labelled before: its id, and a token for each of them."""
    os.environ |= {"DISCERN_HOME": str(home), "DJANGO_SETTINGS_MODULE": "webapp.settings"}
    import django  # noqa: PLC0415 - the home folder is known now

    django.setup()
    from django.utils import timezone  # noqa: PLC0415 - as above

    from reasoning.datasets.identity import QuestionKey  # noqa: PLC0415 - as above
    from reasoning.datasets.question import BenchmarkQuestion  # noqa: PLC0415 - as above
    from webapp import engine  # noqa: PLC0415 - as above
    from webapp.accounts.models import Role, User  # noqa: PLC0415 - as above
    from webapp.accounts.tokens import token_create  # noqa: PLC0415 - as above
    from webapp.datasets.models import Dataset, Question  # noqa: PLC0415 - as above
    from webapp.labelling.projects.models import (  # noqa: PLC0415 - as above
        Assignment,
        Guideline,
        Member,
        Project,
        Standing,
        State,
        Task,
    )
    from webapp.platform.work.states import Status  # noqa: PLC0415 - as above

    now, name = timezone.now(), f"generated-{graph}"
    dataset = Dataset.objects.create(
        name=name,
        version=1,
        format="discern",
        file=name,
        file_sha256="0",
        file_bytes=0,
        status=Status.SUCCEEDED,
        identity="0",
        identity_algorithm="none",
        enqueued_at=now,
        finished_at=now,
    )
    Question.objects.bulk_create(
        (
            Question.of(
                dataset,
                n,
                BenchmarkQuestion(str(n), texts[n - 1] if n <= len(texts) else f"generated {n}", ()),
                QuestionKey(str(n), str(n)),
            )
            for n in range(1, tasks + 1)
        ),
        batch_size=1_000,
    )
    info = engine.graph(graph).info()
    project = Project.objects.create(
        title=name,
        dataset=dataset,
        graph=graph,
        graph_title=info.title,
        graph_version=info.version,
        overlap=2,
        tasks_total=tasks,
        qualification_size=5,
        known_percent=10,
    )
    Guideline.objects.create(project=project, version=1)
    Task.objects.bulk_create(
        (
            Task(project=project, position=n, question=question, free=2, known=None if n % 10 else _KNOWN)
            for n, question in enumerate(dataset.questions.order_by("position"), start=1)
        ),
        batch_size=1_000,
    )
    users = [User.objects.create_user(f"{graph}-{n}", password=None, role=Role.ANNOTATOR) for n in range(people)]
    Member.objects.bulk_create([Member(project=project, person=user, standing=Standing.PASSED) for user in users])
    rows = list(Task.objects.filter(project=project).order_by("position").values_list("pk", flat=True))
    done = [
        Assignment(
            task_id=rows[len(texts) + (_HANDED_IN * n + k) // 2 % (tasks - len(texts))],
            project=project,
            person=user,
            state=State.SUBMITTED,
            submitted_at=now,
            answers=[],
        )
        for n, user in enumerate(users)
        for k in range(0, _HANDED_IN, 2)
    ]
    Assignment.objects.bulk_create(done, batch_size=1_000)
    Task.objects.filter(pk__in={each.task_id for each in done}).update(free=1)
    return str(project.pk), [token_create(user=user, name="bench", days=1)[1] for user in users]


def timed(client: httpx2.Client, method: str, path: str, body: object = None) -> tuple[float, Any]:
    """Milliseconds of a request, and what it was answered."""
    began = perf_counter()
    answer = client.request(method, path, json=body)
    took = 1_000 * (perf_counter() - began)
    answer.raise_for_status()
    return took, answer.json()


def measured(address: str, project: str, tokens: list[str], golds: list[Gold]) -> dict[str, list[float]]:
    """The milliseconds of every request, by what it is."""
    found: dict[str, list[float]] = {
        "nothing": [],
        "next task": [],
        "a move": [],
        "of it, the graph": [],
        "handing in": [],
    }
    of_text = {gold.text: gold for gold in golds}
    for number in track(range(len(golds)), description="labelling", transient=True):
        token = tokens[number % len(tokens)]
        with httpx2.Client(base_url=address, headers={"Authorization": f"Bearer {token}"}, timeout=60) as client:
            found["nothing"].append(timed(client, "GET", "/healthz")[0])
            took, given = timed(client, "POST", f"/api/annotation/projects/{project}/next")
            found["next task"].append(took)
            task = client.get(f"/api/annotation/tasks/{given['task']}").json()
            work = task["work"]
            for now in of_text[task["question"]].moves():
                move = {"id": str(uuid.uuid4()), "was": {name: work["draft"][name] for name in now}, "now": now}
                body = {"after": work["last"], "moves": [move]}
                took, line = timed(client, "POST", f"/api/annotation/tasks/{given['task']}/moves", body)
                found["a move"].append(took)
                found["of it, the graph"].append(line["led_to"]["milliseconds"])
                work = line["work"]
            found["handing in"].append(timed(client, "POST", f"/api/annotation/tasks/{given['task']}/submit")[0])
    return found


def figures(rows: dict[str, list[float]]) -> dict[str, dict[str, float]]:
    """Median and 95th percentile."""
    return {
        name: {"median": median(each), "p95": quantiles(each, n=20)[-1], "n": len(each)} for name, each in rows.items()
    }


def main() -> int:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=TASKS)
    parser.add_argument("--people", type=int, default=PEOPLE)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    chosen = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="discern-labelling-"))
    data = os.environ.get("DISCERN_DATA")
    site = RunningSite(home, DISCERN_USER_RATE="1000000/minute", DISCERN_READ_RATE="1000000/minute")
    shown = {}
    try:
        address = site.ready()
        golds = {"sample": of_sample()}
        if data:
            folder = Path(data) / "freebase_subset"
            path = home / "graphs" / "freebase-subset.sqlite"
            load_graph(
                TripleReader(folder / "triples.tsv"),
                path,
                name="freebase-subset",
                title="Freebase subset",
                source="triples.tsv",
                names=NameReader(folder / "names.tsv"),
            )
            golds["freebase-subset"] = of_webqsp(Path(data), SqliteStore(path))
        for graph, each in golds.items():
            project, tokens = seeded(home, graph, [gold.text for gold in each], chosen.tasks, chosen.people)
            shown[graph] = figures(measured(address, project, tokens, each))
    finally:
        site.end(signal.SIGINT)
        shutil.rmtree(home)
    if chosen.json:
        sys.stdout.write(json.dumps(shown, indent=2) + "\n")
        return 0
    table = Table("graph", "what", "median, ms", "95th percentile, ms", "requests")
    for graph, rows in shown.items():
        for name, row in rows.items():
            table.add_row(graph, name, f"{row['median']:.1f}", f"{row['p95']:.1f}", f"{row['n']}")
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
