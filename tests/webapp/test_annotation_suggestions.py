"""A model decides a project's questions ahead of those who label, and what it decided is suggested to them."""

from __future__ import annotations

import json
import shutil
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from kgstore.loading.formats.tsv import TripleReader
from kgstore.loading.reading import GraphToLoad
from reasoning.core.derivation import Derivation
from tests.webapp.conftest import TOY_GRAPH, wait_until
from tests.webapp.labelled import QUESTIONS, Labeller, dataset, made, signed_in
from webapp import engine
from webapp.accounts.models import AuditEntry
from webapp.asking.runs.worker import run_execute
from webapp.datasets.models import Dataset
from webapp.labelling.projects.labels import suggesting_worker
from webapp.labelling.projects.labels.suggesting import suggestings
from webapp.labelling.projects.labels.suggesting_worker import suggesting_work
from webapp.labelling.projects.labels.uncertainty_order import doubts_rank
from webapp.labelling.projects.models import Project, Suggesting, Task
from webapp.platform.work.heartbeat import is_served
from webapp.platform.work.lease import LEASE
from webapp.platform.work.queues import Queue
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.webapp.conftest import Browser, Worker

BY_WORDS = {"suggests": "model", "suggester": {"scorer": "lexical", "strategy": "reads"}}


@pytest.fixture
def of(tmp_path: Path) -> Dataset:
    return dataset(tmp_path)


def work_off() -> Suggesting:
    """Do what the workers would."""
    item = Suggesting.objects.get()
    while not item.is_over:
        suggesting_work(item.pk)
        item.refresh_from_db()
    return item


def suggestions_of(who: Browser, project: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = who.get(f"/api/annotation/projects/{project['id']}")["suggestions"]
    return found


def counts(suggestions: dict[str, Any]) -> tuple[int, int, int, int]:
    """For how many tasks something is wanted and found; how many have no answer; how many an annotator saw before."""
    return tuple(suggestions[name] for name in ("wanted", "found", "unanswered", "late"))  # type: ignore[return-value]


def test_what_a_model_decides_is_suggested_with_its_name_and_leads_where_its_run_led(
    rita: Browser, ben: Browser, of: Dataset
) -> None:
    project = made(rita, of, "ben", **BY_WORDS)
    assert (project["suggests"], project["suggestions"]["status"]) == ("model", "queued")
    assert work_off().status == Status.SUCCEEDED
    suggestions = suggestions_of(rita, project)
    wanted, found, unanswered, late = counts(suggestions)
    assert (wanted, found + unanswered, late) == (4, 4, 0)
    assert found > 0
    task = Task.objects.get(position=1)
    decided = Derivation.from_json(task.suggestion["derivation"])
    at_first = Labeller.at_next(ben, project)
    suggested = at_first.task["suggestion"]
    assert suggested["source"] == suggestions["source"] == "lexical, READS"
    assert (suggested["topic"], suggested["answer"]) == (decided.topic.mid, decided.answer_position)
    assert at_first.work["last"] == 0, "it is no label by itself"
    run = ben.ask(QUESTIONS[0][1], graph="toy", scorer="lexical", strategy="reads")
    run_execute(run["id"])
    at_first.move(
        topic=suggested["topic"],
        steps=suggested["steps"],
        steps_ended=True,
        conditions=suggested["conditions"],
        conditions_ended=True,
        answer=suggested["answer"],
    )
    assert at_first.answers() == ben.get(f"/api/runs/{run['id']}")["answers"]


def test_several_readings_may_be_kept(rita: Browser, tmp_path: Path) -> None:
    suggester = {"scorer": "lexical", "strategy": "beam", "width": 2}
    project = made(rita, dataset(tmp_path, 1), suggests="model", suggester=suggester)
    work_off()
    assert counts(suggestions_of(rita, project))[:2] == (1, 1)
    assert (
        suggestions_of(rita, project)["source"]
        == Task.objects.get().suggestion["source"]
        == "lexical, READS, several readings, width 2"
    )


def test_a_question_that_comes_to_no_answer_has_no_suggestion(rita: Browser, ben: Browser, tmp_path: Path) -> None:
    path = tmp_path / "unknown.jsonl"
    path.write_text(json.dumps({"id": "mona", "question": "who painted the Mona Lisa?", "answers": []}) + "\n")
    call_command("load_dataset", str(path), "--format", "discern")
    project = made(rita, Dataset.objects.get(), "ben", **BY_WORDS)
    assert work_off().status == Status.SUCCEEDED
    assert counts(suggestions_of(rita, project)) == (1, 0, 1, 0)
    assert Labeller.at_next(ben, project).task["suggestion"] is None
    kept = Task.objects.get().suggestion
    assert (kept["source"], kept["derivation"], kept["reason"]) == ("lexical, READS", None, "not_in_graph")


def test_blind_tasks_are_not_decided(rita: Browser, ben: Browser, of: Dataset) -> None:
    project = made(rita, of, "ben", blind_percent=100, **BY_WORDS)
    assert work_off().status == Status.SUCCEEDED
    assert counts(suggestions_of(rita, project)) == (0, 0, 0, 0)
    assert set(Task.objects.values_list("suggestion", flat=True)) == {None}
    assert Labeller.at_next(ben, project).task["suggestion"] is None


def test_who_is_given_a_task_before_its_suggestion_has_none_and_the_export_says_so(
    rita: Browser, ben: Browser, browser: Callable[[], Browser], of: Dataset
) -> None:
    mia = signed_in(browser, "mia")
    project = made(rita, of, "ben", "mia", overlap=2, **BY_WORDS)
    early = Labeller.at_next(ben, project)
    assert early.task["suggestion"] is None
    work_off()
    assert counts(suggestions_of(rita, project))[3] == 1
    assert sum(counts(suggestions_of(rita, project))[1:]) == 4
    assert Labeller(ben, early.task["id"]).task["suggestion"] is None
    assert Labeller.at_next(mia, project).task["suggestion"] is None, "who labels it later sees the same"
    early.label_kitt()
    ben.post(f"{early.address}/submit")
    later = Labeller.at_next(ben, project)
    shown = later.task["suggestion"]
    assert shown is not None
    later.move(kind="answers", marked=["en.glen_larson"])
    ben.post(f"{later.address}/submit")
    response = rita.client.get(f"/api/annotation/projects/{project['id']}/export/file")
    lines = [json.loads(line)["label"] for line in response.getvalue().decode().splitlines()]
    assert lines[0]["suggested"] is None
    assert lines[1]["suggested"]["source"] == "lexical, READS"
    assert lines[1]["suggested"]["derivation"] is not None


# --- At work


def test_it_is_stopped_and_goes_on_after_what_was_decided(
    rita: Browser, of: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = made(rita, of, **BY_WORDS)
    address = f"/api/annotation/projects/{project['id']}/suggestions"
    monkeypatch.setattr(suggesting_worker, "SLICE_SECONDS", 0.0)
    suggesting_work(Suggesting.objects.get().pk)
    after_one = suggestions_of(rita, project)
    assert (after_one["status"], after_one["found"] + after_one["unanswered"]) == ("queued", 1)
    assert rita.post(f"{address}/cancel")["suggestions"]["status"] == "cancelled"
    suggesting_work(Suggesting.objects.get().pk)
    assert suggestions_of(rita, project) == after_one | {"status": "cancelled", "waits": None}
    first = Task.objects.get(position=1).suggestion
    monkeypatch.undo()
    assert rita.post(f"{address}/resume")["suggestions"]["status"] == "queued"
    assert work_off().status == Status.SUCCEEDED
    assert sum(counts(suggestions_of(rita, project))[1:]) == 4
    assert Task.objects.get(position=1).suggestion == first
    assert rita.post(f"{address}/cancel")["suggestions"]["status"] == "succeeded", "what has ended stays as it is"
    whats = AuditEntry.objects.order_by("pk").values_list("what", "after")
    assert list(whats)[1:] == [("project_changed", "suggestions stopped"), ("project_changed", "suggestions go on")]


def test_a_worker_that_is_to_stop_or_loses_its_claim_writes_nothing_more(rita: Browser, of: Dataset) -> None:
    made(rita, of, **BY_WORDS)
    item = Suggesting.objects.get()
    looks = iter([False, False, True])
    suggesting_work(item.pk, stopping=lambda: next(looks, True))
    item.refresh_from_db()
    assert (item.status, item.attempts, item.position) == (Status.QUEUED, 0, 0)

    def stopped_meanwhile() -> bool:
        suggestings.close(item.pk, Status.CANCELLED)
        return False

    suggesting_work(item.pk, stopping=stopped_meanwhile)
    item.refresh_from_db()
    assert (item.status, item.found + item.unanswered) == (Status.CANCELLED, 0)
    assert set(Task.objects.values_list("suggestion", flat=True)) == {None}


def test_a_question_gives_way_once_to_somebody_who_waits(rita: Browser, tmp_path: Path) -> None:
    made(rita, dataset(tmp_path, 1), **BY_WORDS)
    item = Suggesting.objects.get()
    turns = 0

    def gives_way() -> bool:
        # No user waits when a turn begins; during a question one always does.
        nonlocal turns
        turns += 1
        return turns not in (1, 3)

    suggesting_work(item.pk, gives_way=gives_way)
    item.refresh_from_db()
    assert (item.status, item.position) == (Status.QUEUED, 0)
    suggesting_work(item.pk, gives_way=gives_way)
    item.refresh_from_db()
    assert (item.status, item.position) == (Status.SUCCEEDED, 1)


def test_over_a_graph_that_was_loaded_anew_nothing_more_is_decided(rita: Browser, of: Dataset, tmp_path: Path) -> None:
    library, facts = engine.graph_library(), tmp_path / "facts.tsv"
    for more in ("", 'en.kitt\ttype.object.name\t"Karr"@en\n'):
        facts.write_text(TOY_GRAPH.read_text() + more)
        library.load(GraphToLoad(TripleReader(facts), "suggested", "Suggested", "drawn by hand"))
        if not more:
            project = made(rita, of, graph="suggested", **BY_WORDS)
    suggesting_work(Suggesting.objects.get().pk)
    now = suggestions_of(rita, project)
    address = f"/api/annotation/projects/{project['id']}/suggestions/resume"
    refused = rita.post(address, status=409)
    library.remove("suggested")
    assert (now["status"], counts(now)) == ("failed", (4, 0, 0, 0))
    assert "was loaded again" in now["reason"]
    assert refused["code"] == "graph_changed"


def test_a_project_that_was_put_away_is_decided_no_further(rita: Browser, of: Dataset) -> None:
    project = made(rita, of, **BY_WORDS)
    Project.objects.update(archived_at=timezone.now())
    suggesting_work(Suggesting.objects.get().pk)
    now = suggestions_of(rita, project)
    assert (now["status"], now["reason"]) == ("cancelled", suggesting_worker.PUT_AWAY)


def test_a_model_that_is_gone_ends_it_with_the_reason(rita: Browser, of: Dataset) -> None:
    project = made(rita, of, **BY_WORDS)
    Suggesting.objects.update(scorer="gone")
    suggesting_work(Suggesting.objects.get().pk)
    now = suggestions_of(rita, project)
    assert now["status"] == "failed"
    assert "This model cannot be used" in now["reason"]


def test_a_model_or_strategy_that_is_not_there_is_reported_before(rita: Browser, of: Dataset) -> None:
    wanted = {"title": "T", "questions": {"dataset": str(of.pk)}, "graph": "toy", "suggests": "model"}
    broken = engine.scorers_folder() / "broken" / "card.json"
    broken.parent.mkdir(parents=True)
    broken.write_text("{")
    for suggester, code in (
        ({"scorer": "none"}, "unknown_scorer"),
        ({"scorer": "broken"}, "scorer_unavailable"),
        ({"scorer": "lexical", "strategy": "none"}, "unknown_strategy"),
    ):
        refused = rita.post("/api/annotation/projects", {**wanted, "suggester": suggester}, status=422)
        assert refused["code"] == code
    shutil.rmtree(broken.parent)
    assert not Suggesting.objects.exists()
    rita.post("/api/annotation/projects", {**wanted, "suggests": "everything"}, status=422)


def test_only_who_manages_projects_stops_it_and_only_where_a_model_suggests(
    rita: Browser, ben: Browser, of: Dataset
) -> None:
    project = made(rita, of, "ben", **BY_WORDS)
    plain = made(rita, of, "ben")
    for what in ("cancel", "resume"):
        ben.post(f"/api/annotation/projects/{project['id']}/suggestions/{what}", status=403)
        none = rita.post(f"/api/annotation/projects/{plain['id']}/suggestions/{what}", status=404)
        assert none["code"] == "no_suggestions"


def test_what_waits_says_so_where_no_worker_runs(rita: Browser, of: Dataset) -> None:
    assert not is_served(Queue.CPU_BACKGROUND)
    assert "No worker is running" in suggestions_of(rita, made(rita, of, **BY_WORDS))["waits"]


def test_a_worker_that_died_again_and_again_over_one_question_ends_it(rita: Browser, of: Dataset) -> None:
    project = made(rita, of, **BY_WORDS)
    for _ in range(5):
        assert suggestings.claim(Suggesting.objects.get().pk) is not None
        Suggesting.objects.update(lease_until=timezone.now() - LEASE)
        suggestings.recover(grace=timedelta(days=1))
    now = suggestions_of(rita, project)
    assert (now["status"], now["reason"][:34]) == ("failed", "The worker stopped 5 times at one ")


def test_a_worker_that_is_killed_loses_nothing(rita: Browser, worker: Callable[..., Worker], tmp_path: Path) -> None:
    project = made(rita, dataset(tmp_path, 150), **BY_WORDS)
    first = worker()
    wait_until(lambda: suggestions_of(rita, project)["found"] >= 5)
    first.kill()
    kept = list(Task.objects.filter(suggestion__isnull=False).order_by("position").values_list("pk", "suggestion"))
    assert 0 < len(kept) < 150
    worker()
    wait_until(lambda: suggestions_of(rita, project)["status"] == "succeeded", seconds=90)
    assert counts(suggestions_of(rita, project)) == (150, 150, 0, 0)
    now = dict(Task.objects.values_list("pk", "suggestion"))
    assert [now[pk] for pk, _ in kept] == [suggestion for _, suggestion in kept]
    assert Suggesting.objects.get().attempts <= 1


def test_tasks_are_handed_out_where_the_model_is_least_sure_first(rita: Browser, ben: Browser, of: Dataset) -> None:
    project = made(rita, of, "ben", order="doubt", **BY_WORDS)
    assert project["order"] == "doubt"
    assert work_off().status == Status.SUCCEEDED
    tasks = Task.objects.filter(project=project["id"])
    assert sorted(tasks.values_list("rank", flat=True)) == [1, 2, 3, 4]
    first = tasks.get(rank=1)
    assert first.doubt == max(doubt for doubt in tasks.values_list("doubt", flat=True) if doubt is not None)
    for position, doubt in enumerate((0.1, 0.9, 0.2, 0.8), start=1):
        tasks.filter(position=position).update(doubt=doubt, suggestion=None)
    doubts_rank(Project.objects.get(), decided=4, last=True)
    assert list(tasks.order_by("rank").values_list("position", flat=True)) == [2, 4, 3, 1]
    assert Labeller.at_next(ben, project).task["id"] == tasks.get(position=2).pk


def test_blind_tasks_come_in_their_share_where_the_order_is_by_doubt(rita: Browser, tmp_path: Path) -> None:
    project = made(rita, dataset(tmp_path, 40), order="doubt", blind_percent=50, **BY_WORDS)
    work_off()
    blind = list(Task.objects.filter(project=project["id"]).order_by("rank").values_list("blind", flat=True))
    assert len(blind) == 40
    assert abs(sum(blind[:20]) - sum(blind[20:])) <= 2


def test_an_order_by_doubt_needs_a_model(rita: Browser, of: Dataset) -> None:
    wanted = {"title": "T", "questions": {"dataset": str(of.pk)}, "graph": "toy", "order": "doubt"}
    assert rita.post("/api/annotation/projects", wanted, 422)["code"] == "no_model"
    chosen = {**wanted, "order": "chosen"}
    assert rita.post("/api/annotation/projects", chosen, 422)["code"] == "none_chosen"
    unknown = {**chosen, "questions": {"dataset": str(of.pk), "chosen": ["kitt", "nobody"]}}
    assert rita.post("/api/annotation/projects", unknown, 422)["code"] == "unknown_question"
