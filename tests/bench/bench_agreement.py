"""How soon agreement is known: ``python -m tests.bench.bench_agreement [--labels N] [--json]``.

A project of the bundled sample's questions, asked again and again, each labelled by two of ten people; three labels in
ten differ from the gold derivation, and of one question in five nothing is suggested. Measured in seconds, without a
web server around them: the page of 400 questions as it is first opened, and again; and what a worker takes for
``--labels`` labels.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from kgstore.loading.sample import sample_graph
from reasoning.datasets.question import BenchmarkQuestion, GoldParse
from tests.sample import sample_questions

if TYPE_CHECKING:
    from collections.abc import Callable

    from reasoning.core.derivation import Derivation
    from webapp.labelling.projects.models import Project

LABELS, PAGE, PEOPLE = 10_000, 400, 10


def differing(gold: Derivation, number: int) -> Derivation | None:
    """An annotator's label: seven times in ten the gold derivation, else no condition, another place, or nothing."""
    match number % 10:
        case 7:
            return replace(gold, constraints=())
        case 8:
            return replace(gold, constraints=(), answer_position=max(1, gold.answer_position - 1))
        case 9:
            return None
        case _:
            return gold


def seeded(title: str, tasks: int) -> Project:
    """A project with this number of questions, each with two labels."""
    from django.utils import timezone  # noqa: PLC0415 - Django is set up by now

    from reasoning.datasets.identity import QuestionKey  # noqa: PLC0415 - as above
    from reasoning.gold.fitting import replay  # noqa: PLC0415 - as above
    from webapp import engine  # noqa: PLC0415 - as above
    from webapp.accounts.models import User  # noqa: PLC0415 - as above
    from webapp.datasets.models import Dataset, Question  # noqa: PLC0415 - as above
    from webapp.labelling.projects.draft import Draft, reading_of  # noqa: PLC0415 - as above
    from webapp.labelling.projects.models import Assignment, Project, State, Suggests, Task  # noqa: PLC0415 - as above
    from webapp.platform.work.states import Status  # noqa: PLC0415 - as above

    now, store = timezone.now(), engine.graph("sample")
    golds = [each for each in sample_questions() if each.derivation is not None]
    dataset = Dataset.objects.create(
        name=title,
        version=1,
        format="discern",
        file=title,
        file_sha256="0",
        file_bytes=0,
        status=Status.SUCCEEDED,
        identity="0",
        identity_algorithm="none",
        enqueued_at=now,
        finished_at=now,
    )
    info = store.info()
    project = Project.objects.create(
        title=title,
        dataset=dataset,
        graph="sample",
        graph_title=info.title,
        graph_version=info.version,
        overlap=2,
        tasks_total=tasks,
        suggests=Suggests.DATASET,
    )
    people = [User.objects.create_user(f"{title}-{n}", password=None) for n in range(PEOPLE)]
    labels = []
    for n in range(1, tasks + 1):
        each = golds[n % len(golds)]
        parse = GoldParse(each.topic, each.answers, each.derivation)
        asked = BenchmarkQuestion(str(n), f"{each.phrasings[0]} {n}", (parse,))
        question = Question.of(dataset, n, asked, QuestionKey(str(n), str(n)))
        question.save()
        gold = each.derivation
        assert gold is not None
        suggestion = {"source": "gold", "derivation": gold.to_json()} if n % 5 else None
        task = Task.objects.create(
            project=project, position=n, question=question, free=0, blind=n % 5 == 0, suggestion=suggestion
        )
        for side in (0, 1):
            made = differing(gold, 7 * n + 3 * side)
            draft: dict[str, Any] = {"kind": "unanswerable"}
            answers: list[str] = []
            if made is not None:
                read = reading_of(made).model_dump(mode="json")
                draft = {**read, "steps_ended": True, "conditions_ended": True}
                answers = sorted(map(str, replay(made, store)))
            labels.append(
                Assignment(
                    task=task,
                    project=project,
                    person=people[(n + side * (1 + n // PEOPLE % 3)) % PEOPLE],
                    state=State.SUBMITTED,
                    submitted_at=now,
                    answers=answers,
                    draft=Draft.model_validate(draft).model_dump(mode="json"),
                    seconds=20 + n % 60,
                )
            )
    Assignment.objects.bulk_create(labels, batch_size=1_000)
    return project


def timed(work: Callable[[], object]) -> float:
    """The seconds that something takes."""
    began = perf_counter()
    work()
    return perf_counter() - began


def measured(labels: int) -> dict[str, float]:
    """The seconds of each part."""
    from django.db import transaction  # noqa: PLC0415 - Django is set up by now
    from django.utils import timezone  # noqa: PLC0415 - as above

    from webapp.accounts.models import Role, User  # noqa: PLC0415 - as above
    from webapp.accounts.viewer import Viewer  # noqa: PLC0415 - as above
    from webapp.labelling.agreement import services  # noqa: PLC0415 - as above
    from webapp.labelling.agreement.comparing import compare_labels, found_of, graph_of  # noqa: PLC0415 - as above
    from webapp.labelling.agreement.models import AgreementWork  # noqa: PLC0415 - as above
    from webapp.labelling.agreement.selectors import agreement_out, agreement_task_page  # noqa: PLC0415 - as above
    from webapp.labelling.agreement.worker import agreement_work  # noqa: PLC0415 - as above
    from webapp.labelling.projects.models import Assignment  # noqa: PLC0415 - as above

    rita = Viewer(User.objects.create_user("rita", password=None, role=Role.REVIEWER), None, "192.0.2.1")
    with transaction.atomic():
        small, large = seeded("small", min(PAGE, labels // 2)), seeded("large", labels // 2)
    found = {
        f"the page of {PAGE:,} questions, first": timed(lambda: agreement_out(small, viewer=rita)),
        "the same again": timed(lambda: agreement_out(small, viewer=rita)),
    }
    Assignment.objects.filter(project=small, task__position=1).update(submitted_at=timezone.now())
    found["the same after newer labels"] = timed(lambda: agreement_out(small, viewer=rita))
    services.AT_ONCE = 0
    services.agreement_begin(project=large, viewer=rita)
    pk = AgreementWork.objects.get().pk
    found[f"a worker, {labels:,} labels"] = timed(lambda: agreement_work(pk))
    assert agreement_out(large, viewer=rita).figures is not None
    found["the page of these"] = timed(lambda: agreement_out(large, viewer=rita))
    found["25 of their worst questions"] = timed(
        lambda: agreement_task_page(large, viewer=rita, differing=True, offset=0, limit=25)
    )
    store, fault = graph_of(large)
    shown = [each.agreement for each in compare_labels(large, store)]
    found["of the worker, summing up"] = timed(lambda: found_of(shown, large, fault))
    return found


def main() -> int:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--labels", type=int, default=LABELS)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    chosen = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="discern-agreement-"))
    os.environ |= {"DISCERN_HOME": str(home), "DJANGO_SETTINGS_MODULE": "webapp.settings"}
    try:
        import django  # noqa: PLC0415 - the home folder is known now

        django.setup()
        from django.core.management import call_command  # noqa: PLC0415 - as above

        from webapp import engine  # noqa: PLC0415 - as above

        call_command("migrate", verbosity=0)
        engine.graph_library().load(sample_graph())
        figures = measured(chosen.labels)
    finally:
        shutil.rmtree(home)
    if chosen.json:
        sys.stdout.write(json.dumps(figures, indent=2) + "\n")
        return 0
    table = Table("what", "seconds")
    for name, seconds in figures.items():
        table.add_row(name, f"{seconds:.2f}")
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
