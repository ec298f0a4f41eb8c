"""Graphs loaded, replaced and removed from the page: by whom, with which progress, and what stays whatever happens."""

from __future__ import annotations

import csv
import gzip
import io
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from kgstore.sqlite.library import SqliteLibrary
from kgstore.sqlite.loader import claimed
from kgstore.terms import Direction, Entity, Relation
from tests.webapp.conftest import wait_until
from tests.webapp.full_disk import largest_file
from tests.webapp.test_uploads import send
from webapp import engine
from webapp.accounts.models import AuditEntry
from webapp.asking.runs.models import ReasoningRun
from webapp.asking.runs.worker import run_execute
from webapp.graphs.models import GraphLoad
from webapp.graphs.transitions import graph_loads
from webapp.graphs.worker import PASSED_OVER_KEPT, WAITS, graph_load_execute
from webapp.platform.work.states import Status
from webapp.uploads.models import Upload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytest_django.fixtures import SettingsWrapper

    from tests.webapp.conftest import Browser, Worker

PEOPLE = (
    b"Ada_Byron\tplace_of_birth\tLondon\n"
    b"Ada_Byron\twrote_to\tCharles_Babbage\n"
    b"Charles_Babbage\tdesigned\tAnalytical_Engine\n"
)
QUESTION = "what is the place of birth of Ada Byron?"


@pytest.fixture(autouse=True)
def no_other_graphs(graph_store: None) -> Iterator[None]:
    yield
    library = engine.graph_library()
    for name in set(library.names()) - {"toy"}:
        library.remove(name)


def wanted(cleo: Browser, content: bytes = PEOPLE, file: str = "people.tsv", **more: Any) -> dict[str, Any]:
    return {"name": "people", "names_from_ids": True, "file": send(cleo, content, file)["id"], **more}


def start(cleo: Browser, content: bytes = PEOPLE, status: int = 201, **more: Any) -> Any:
    return cleo.post("/api/graph-loads", wanted(cleo, content, **more), status=status)


def load(cleo: Browser, content: bytes = PEOPLE, **more: Any) -> Any:
    """A load worked off here and now."""
    started = start(cleo, content, **more)
    graph_load_execute(UUID(started["id"]))
    return cleo.get(f"/api/graph-loads/{started['id']}")


def graphs(browser: Browser) -> dict[str, Any]:
    return {graph["name"]: graph for graph in browser.get("/api/graphs")}


def remove(cleo: Browser, name: str, status: int = 204) -> Any:
    response = cleo.client.delete(f"/api/graphs/{name}", headers={"X-CSRFToken": cleo.token})
    assert response.status_code == status, response.content
    return response.json() if response.content else None


def answers(run_id: str) -> list[str]:
    run_execute(UUID(run_id))
    found: list[str] = ReasoningRun.objects.get(pk=run_id).answers
    return found


def triples(count: int) -> bytes:
    return b"".join(b"thing_%d\tnext\tthing_%d\n" % (number, number + 1) for number in range(count))


@pytest.mark.parametrize("graph_store", ["sqlite", "neo4j"], indirect=True)
def test_a_graph_is_loaded_asked_replaced_and_removed_and_what_was_asked_stays(
    cleo: Browser, browser: Callable[[], Browser]
) -> None:
    done = load(cleo, title="People of London")
    assert (done["status"], done["format"], done["lines"], done["triples"]) == ("succeeded", "tsv", 3, 3)
    assert not Upload.objects.exists()
    graph = graphs(cleo)["people"]
    assert (graph["title"], graph["source"], graph["version"]) == (
        "People of London",
        "people.tsv (Triples as TSV)",
        done["version"],
    )
    run = cleo.ask(QUESTION, graph="people", scorer="encoder")
    assert answers(run["id"]) == ["London"]

    assert start(cleo, status=409)["code"] == "graph_exists"
    again = load(cleo, PEOPLE.replace(b"London", b"Piccadilly"), replace=True)
    assert (again["replaces"], again["status"]) == (done["version"], "succeeded")
    assert graphs(cleo)["people"]["version"] == again["version"] != done["version"]
    assert answers(cleo.ask(QUESTION, graph="people", scorer="encoder")["id"]) == ["Piccadilly"]
    # What was asked of the first one says which that was, and can still be read.
    kept = cleo.get(f"/api/runs/{run['id']}")
    assert (kept["graph_version"], kept["answers"]) == (done["version"], ["London"])
    facts = f"/api/runs/{run['id']}/facts?position=1"
    assert "reloaded" in cleo.get(facts, status=409)["message"]

    assert cleo.get("/api/graphs/people/dependents") == [{"count": 2, "what": "questions asked"}]
    remove(cleo, "people")
    assert "people" not in graphs(cleo)
    visitor = browser()
    assert visitor.get(f"/api/runs/{run['id']}")["answers"] == ["London"]
    events = [row["event"]["kind"] for row in visitor.get(f"/api/runs/{run['id']}/events")]
    assert events[-1] == "finished"
    assert cleo.get(facts, status=409)["code"] == "graph_changed"
    refused = cleo.post("/api/runs", {"question": QUESTION, "graph": "people"}, status=422)
    assert "no graph named 'people'" in refused["message"]
    assert remove(cleo, "people", status=404)["code"] == "unknown_graph"
    assert [(entry.what, entry.on, entry.before) for entry in AuditEntry.objects.filter(who="cleo").order_by("pk")] == [
        ("graph_load_started", "people", ""),
        ("graph_load_started", "people", done["version"]),
        ("graph_removed", "people", again["version"]),
    ]


def test_names_come_from_a_second_file_and_files_may_be_gzipped(cleo: Browser) -> None:
    names = send(cleo, b"m.1\tAda Byron\nno tab here\nm.2\tLondon\n", "names.tsv")["id"]
    content = gzip.compress(b"m.1\tplace_of_birth\tm.2\n")
    done = load(cleo, content, file="facts.tsv.gz", names_from_ids=False, names_file=names)
    assert (done["status"], done["names_file_name"], done["malformed"]) == ("succeeded", "names.tsv", 1)
    assert graphs(cleo)["people"]["named"] == 2
    [line] = cleo.get(f"/api/graph-loads/{done['id']}/passed-over")["lines"]
    assert (line["file"], line["number"], line["text"]) == ("names.tsv", 2, "no tab here")


def test_without_names_the_list_says_how_to_get_them(cleo: Browser) -> None:
    load(cleo, names_from_ids=False)
    [said] = graphs(cleo)["people"]["advice"]
    assert "--names-from-ids" in said


def test_the_lines_passed_over_are_reported_with_their_number_and_downloaded_harmlessly(cleo: Browser) -> None:
    bad = PASSED_OVER_KEPT + 234
    done = load(cleo, PEOPLE + b"=cmd|calc\n" * bad, format="tsv")
    assert (done["status"], done["malformed"], done["kept"]) == ("succeeded", bad, PASSED_OVER_KEPT)
    address = f"/api/graph-loads/{done['id']}/passed-over"
    page = cleo.get(f"{address}?limit=2&offset=1")
    assert (page["kept"], page["total"]) == (PASSED_OVER_KEPT, bad)
    assert [(line["number"], line["reason"]) for line in page["lines"]] == [
        (5, "1 columns instead of 3"),
        (6, "1 columns instead of 3"),
    ]
    response = cleo.client.get(f"{address}.csv")
    rows = list(csv.reader(io.StringIO(response.content.decode())))
    assert rows[0] == ["file", "line", "reason", "text"]
    assert rows[1] == ["people.tsv", "4", "1 columns instead of 3", "'=cmd|calc"]
    assert len(rows) == 1 + PASSED_OVER_KEPT + 1
    assert rows[-1] == ["", "", "234 more lines were passed over", ""]


def test_a_file_of_which_nothing_can_be_loaded_says_why_and_may_be_tried_as_another_format(cleo: Browser) -> None:
    load(cleo)
    version = graphs(cleo)["people"]["version"]
    content = b"<http://x.org/a> <http://x.org/r> <http://x.org/b> .\n" * 3
    done = load(cleo, content, file="odd one.nt", format="tsv", replace=True)
    assert (done["status"], done["malformed"], done["kept"]) == ("failed", 3, 3)
    assert done["reason"].startswith("There are no triples to load in odd one.nt, read as tsv: 3 of its 3 lines were")
    assert "Load the file with the format ntriples (N-Triples)" in done["reason"]
    assert "/" not in done["reason"].replace("http://x.org/", "")
    assert graphs(cleo)["people"]["version"] == version
    # The file is still here, and need not be sent again.
    again = {"name": "people", "format": "ntriples", "replace": True, "file": done["file"]["id"]}
    started = cleo.post("/api/graph-loads", again, status=201)
    graph_load_execute(UUID(started["id"]))
    assert cleo.get(f"/api/graph-loads/{started['id']}")["status"] == "succeeded"
    assert cleo.get(f"/api/graph-loads/{started['id']}")["file"] is None


def test_a_format_that_cannot_be_reported_is_asked_for(cleo: Browser) -> None:
    done = load(cleo, b"neither\nnor\n", file="notes.txt")
    assert done["status"] == "failed"
    assert done["reason"] == "Cannot detect the format of “notes.txt” from its first lines. Choose it in the form."


def test_the_form_shows_the_formats_so_the_reason_lists_none(cleo: Browser) -> None:
    done = load(cleo, b"neither\nnor\n", file="notes.tsv")
    assert done["status"] == "failed"
    assert done["reason"].splitlines()[1:] == [
        "line 1: 1 columns instead of 3: neither",
        "line 2: 1 columns instead of 3: nor",
        "The first lines match no known format. The form shows an example of each.",
    ]


def test_what_makes_no_sense_is_refused_with_what_to_do(cleo: Browser, browser: Callable[[], Browser]) -> None:
    assert start(cleo, status=422, name="My Graph")["code"] == "graph_name"
    assert "comes with Discern" in start(cleo, status=422, name="sample")["message"]
    assert "100 characters" in start(cleo, status=422, name="a" * 101)["message"]
    assert start(cleo, status=422, format="xml")["code"] == "invalid_request"
    gone = cleo.post("/api/graph-loads", {"name": "people", "file": str(UUID(int=1))}, status=422)
    assert gone["code"] == "unknown_upload"
    visitor = browser()
    refused = visitor.post("/api/graph-loads", {"name": "people", "file": str(UUID(int=1))}, status=401)
    assert refused["code"] == "sign_in_first"
    assert not GraphLoad.objects.exists()
    assert "DISCERN_GRAPH" in remove(cleo, "toy", status=409)["message"]
    assert "loaded again at every start" in remove(cleo, "sample", status=409)["message"]


def test_one_name_is_loaded_once_at_a_time(cleo: Browser) -> None:
    first = start(cleo)
    second = wanted(cleo)
    assert cleo.post("/api/graph-loads", second, status=409)["code"] == "graph_is_loading"
    # The file of the one that was refused is free.
    assert cleo.post("/api/graph-loads", {**second, "name": "others"}, status=201)["status"] == "queued"
    assert cleo.post("/api/graph-loads", {**second, "name": "third"}, status=409)["code"] == "held_upload"
    assert remove(cleo, "people", status=409)["code"] == "graph_is_loading"
    assert cleo.post(f"/api/graph-loads/{first['id']}/cancel")["status"] == "cancelled"
    assert cleo.post("/api/graph-loads", {**second, "file": first_file(first)}, status=201)["name"] == "people"


def first_file(started: Any) -> str:
    return str(GraphLoad.objects.get(pk=started["id"]).file_id)


@contextmanager
def elsewhere(name: str) -> Iterator[None]:
    """A command in another process loads a graph of this name."""
    library = engine.graph_library()
    assert isinstance(library, SqliteLibrary)
    with claimed(library.path(name)):
        yield


def test_while_a_command_loads_the_name_the_page_waits_and_the_other_way_round(cleo: Browser, tmp_path: Path) -> None:
    started = start(cleo)
    with elsewhere("people"):
        graph_load_execute(UUID(started["id"]))
        waiting = cleo.get(f"/api/graph-loads/{started['id']}")
        assert (waiting["status"], waiting["reason"]) == ("queued", WAITS)
        file = tmp_path / "people.tsv"
        file.write_bytes(PEOPLE)
        with pytest.raises(CommandError, match="being loaded by another process"):
            call_command("load_graph", file, name="people", json=True)
    graph_load_execute(UUID(started["id"]))
    done = cleo.get(f"/api/graph-loads/{started['id']}")
    assert (done["status"], done["reason"]) == ("succeeded", "")
    with elsewhere("people"):
        assert remove(cleo, "people", status=409)["code"] == "graph_is_loading"


def test_a_full_disk_ends_a_load_with_the_reason_and_the_old_graph_stays(
    cleo: Browser, settings: SettingsWrapper
) -> None:
    load(cleo)
    version = graphs(cleo)["people"]["version"]
    started = start(cleo, triples(100_000), replace=True)
    # The site's own database, which keeps the reason, is smaller than this.
    with largest_file(4_000_000):
        graph_load_execute(UUID(started["id"]))
    done = cleo.get(f"/api/graph-loads/{started['id']}")
    assert done["status"] == "failed"
    assert done["reason"].startswith("The disk of this site is full.")
    assert graphs(cleo)["people"]["version"] == version
    reserve = settings.ENVIRONMENT
    again = cleo.post("/api/graph-loads", {"name": "people", "replace": True, "file": done["file"]["id"]}, status=201)
    settings.ENVIRONMENT = reserve.model_copy(update={"disk_reserve_mb": 10**9})
    graph_load_execute(UUID(again["id"]))
    settings.ENVIRONMENT = reserve
    assert cleo.get(f"/api/graph-loads/{again['id']}")["reason"].startswith("The disk of this site is full.")
    assert start(cleo, replace=True)["status"] == "queued"


def test_a_cancelled_load_leaves_the_old_graph(cleo: Browser) -> None:
    load(cleo)
    version = graphs(cleo)["people"]["version"]
    started = start(cleo, triples(400_000), replace=True)
    address = f"/api/graph-loads/{started['id']}"

    def work() -> None:
        try:
            graph_load_execute(UUID(started["id"]))
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        worker = pool.submit(work)
        wait_until(lambda: cleo.get(address)["lines"] > 0)
        assert cleo.post(f"{address}/cancel")["status"] == "cancelled"
        worker.result(timeout=60)
    assert cleo.get(address)["status"] == "cancelled"
    assert graphs(cleo)["people"]["version"] == version
    assert cleo.post(f"{address}/cancel")["status"] == "cancelled"


def test_questions_that_are_being_asked_go_on_while_their_graph_is_replaced(cleo: Browser) -> None:
    load(cleo)
    store = engine.graph("people")
    run = cleo.ask(QUESTION, graph="people", scorer="encoder")
    load(cleo, PEOPLE.replace(b"London", b"Piccadilly"), replace=True)
    # A reader that had it open reads the old graph.
    found = store.expand([Entity("Ada_Byron")], Relation("place_of_birth", Direction.FORWARD), 5)
    assert [str(triple.object) for triple in found.triples] == ["London"]
    # A new reader asks the new one, and says which.
    assert answers(run["id"]) == ["Piccadilly"]
    asked = ReasoningRun.objects.get(pk=run["id"])
    assert asked.graph_version == graphs(cleo)["people"]["version"]


def test_a_worker_shows_progress_and_one_that_is_killed_is_followed_by_another(
    cleo: Browser, worker: Callable[..., Worker]
) -> None:
    load(cleo)
    version = graphs(cleo)["people"]["version"]
    first = worker("--queues", "cpu,cpu.background")
    started = start(cleo, triples(300_000), replace=True)
    address = f"/api/graph-loads/{started['id']}"
    wait_until(lambda: cleo.get(address)["lines"] > 0, 120)
    first.process.send_signal(signal.SIGKILL)
    first.process.wait()
    assert graphs(cleo)["people"]["version"] == version
    assert cleo.get(address)["status"] == "running"
    worker("--queues", "cpu,cpu.background")
    wait_until(lambda: cleo.get(address)["status"] == "succeeded", 300)
    done = cleo.get(address)
    assert (done["lines"], done["triples"]) == (300_000, 300_000)
    assert GraphLoad.objects.get(pk=done["id"]).attempts == 2
    assert graphs(cleo)["people"]["version"] == done["version"] != version
    assert not Upload.objects.exists()


def test_over_a_load_that_kills_every_worker_the_site_gives_up_with_the_reason(cleo: Browser) -> None:
    started = start(cleo)
    GraphLoad.objects.filter(pk=started["id"]).update(
        status=Status.RUNNING, claim=UUID(int=1), lease_until="2020-01-01T00:00:00Z", attempts=5
    )
    assert graph_loads.recover() == 1
    done = cleo.get(f"/api/graph-loads/{started['id']}")
    assert done["status"] == "failed"
    assert "stopped 5 times" in done["reason"]
    assert done["file"]["received"] == len(PEOPLE)


def test_a_worker_that_stops_gives_the_load_back(cleo: Browser) -> None:
    started = start(cleo)
    graph_load_execute(UUID(started["id"]), stopping=lambda: True)
    load_ = GraphLoad.objects.get(pk=started["id"])
    assert (load_.status, load_.attempts) == (Status.QUEUED, 0)
    graph_load_execute(UUID(started["id"]))
    assert GraphLoad.objects.get(pk=started["id"]).status == Status.SUCCEEDED


STAFF = b"id,name,born,boss_id,likes\n1,Ada,1980,,tea;rye\n2,Ben,1990,1,tea\n3,Cy,soon,1,\n"


def test_a_table_is_looked_at_changed_and_loaded_as_the_mapping_says(cleo: Browser) -> None:
    file = send(cleo, STAFF, "staff.csv")["id"]
    seen = cleo.post("/api/graph-loads/tables", {"file": file}, status=200)
    [table] = seen["tables"]
    assert table["headers"] == ["id", "name", "born", "boss_id", "likes"]
    assert (table["rows"][0], table["looked_at"]) == (["1", "Ada", "1980", "", "tea;rye"], 3)
    assert {"subject": "staff_2", "relation": "boss", "object": "staff_1"} in seen["facts"]
    assert {"subject": "staff_3", "relation": "born", "object": "soon"} in seen["facts"]
    mapping = seen["mapping"]
    mapping[0]["kind"] = "employee"
    mapping[0]["columns"] = [
        {"header": "born", "use": "dates", "relation": "year_of_birth"},
        {"header": "boss_id", "use": "other things", "relation": "reports_to", "refers_to": "employee"},
    ]
    seen = cleo.post("/api/graph-loads/tables", {"file": file, "mapping": mapping}, status=200)
    assert [[*fact.values()] for fact in seen["facts"]] == [
        ["employee_1", "year_of_birth", '"1980"^^xsd:gYear'],
        ["employee_2", "year_of_birth", '"1990"^^xsd:gYear'],
        ["employee_2", "reports_to", "employee_1"],
        ["employee_3", "reports_to", "employee_1"],
    ]
    assert len(seen["reported"]) == 1
    payload = {"name": "staff", "format": "table", "file": file, "mapping": mapping}
    started = cleo.post("/api/graph-loads", payload, status=201)
    graph_load_execute(UUID(started["id"]))
    done = cleo.get(f"/api/graph-loads/{started['id']}")
    assert (done["status"], done["malformed"]) == ("succeeded", 1)
    store = engine.graph("staff")
    assert {str(each.relation) for each in store.relations([Entity("employee_2")])} == {"year_of_birth", "reports_to"}


def test_a_file_that_holds_no_tables_is_refused_when_looked_at(cleo: Browser, browser: Callable[[], Browser]) -> None:
    file = send(cleo, b"one,two\n", "short.csv")["id"]
    fault = cleo.post("/api/graph-loads/tables", {"file": file}, status=422)
    assert "filled in every row" in fault["message"]
    wrong = [{"kind": "a", "key": "three", "name": "one", "columns": []}]
    fault = cleo.post("/api/graph-loads/tables", {"file": file, "mapping": wrong}, status=422)
    assert "no column “three”" in fault["message"]
    assert browser().post("/api/graph-loads/tables", {"file": file}, status=401)["code"] == "sign_in_first"
