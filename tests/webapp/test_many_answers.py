"""More answers than a log lists: all of them are counted, and can be reached."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings
from django.core.management import call_command

from kgstore.loading.formats.tsv import TripleReader
from kgstore.sqlite.loader import load_graph
from webapp.asking.runs.models import ReasoningRun
from webapp.asking.runs.worker import run_execute

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.webapp.conftest import Browser

QUESTION = "who is a member of the Ada Society?"
MEMBERS = 431


@pytest.fixture
def society(tmp_path: Path) -> Iterator[Callable[[int], None]]:
    """Loads a society with this number of members; every tenth has no name, and the last one is the best known."""
    path = settings.ENVIRONMENT.home / "graphs" / "society.sqlite"

    def load(members: int) -> None:
        rows = ['s.ada\ttype.object.name\t"Ada Society"@en']
        for each in range(members):
            rows.append(f"s.ada\torganization.organization.member\tp.{each:03}")
            if each % 10:
                rows.append(f'p.{each:03}\ttype.object.name\t"Member {each:03}"@en')
        last = members - 1 if (members - 1) % 10 else members - 2
        rows += [f"p.{last:03}\tpeople.person.profession\tj.{each}" for each in range(5)]
        (tmp_path / "society.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
        reader = TripleReader(tmp_path / "society.tsv")
        load_graph(reader, path, name="society", title="Society", source="society.tsv")

    yield load
    path.unlink(missing_ok=True)


def _asked(visitor: Browser) -> tuple[str, dict[str, Any]]:
    asked = visitor.post("/api/runs", {"question": QUESTION, "graph": "society"}, status=201)
    run_execute(ReasoningRun.objects.get().pk)
    return asked["id"], visitor.get(f"/api/runs/{asked['id']}/events")[-1]["event"]


def test_every_answer_is_read_page_by_page(browser: Callable[[], Browser], society: Callable[[int], None]) -> None:
    society(MEMBERS)
    visitor = browser()
    run, ended = _asked(visitor)
    assert (len(ended["answers"]), ended["answers_total"]) == (200, MEMBERS)
    pages = [visitor.get(f"/api/runs/{run}/answers?offset={offset}&limit=150") for offset in (0, 150, 300, 450)]
    assert [len(page["answers"]) for page in pages] == [150, 150, 131, 0]
    assert {page["total"] for page in pages} == {MEMBERS}
    every = [answer for page in pages for answer in page["answers"]]
    assert every[:200] == ended["answers"]
    ids = [answer["term"]["id"] for answer in every]
    assert len(set(ids)) == MEMBERS
    assert ids[0] == "p.429"
    named = [answer["term"]["label"] != answer["term"]["id"] for answer in every]
    assert named == sorted(named, reverse=True)
    assert all(answer["path"][-1]["target"] == answer["term"] for answer in every)


def test_where_the_graph_has_changed_the_listed_answers_are_left(
    browser: Callable[[], Browser], society: Callable[[int], None]
) -> None:
    society(MEMBERS)
    visitor = browser()
    run, ended = _asked(visitor)
    society(MEMBERS + 1)
    assert visitor.get(f"/api/runs/{run}/answers?limit=200")["answers"] == ended["answers"]
    assert visitor.get(f"/api/runs/{run}/answers?offset=200", status=409)["code"] == "graph_changed"


def test_a_run_at_work_has_no_answers_yet(browser: Callable[[], Browser]) -> None:
    visitor = browser()
    asked = visitor.ask()
    assert visitor.get(f"/api/runs/{asked['id']}/answers") == {"answers": [], "total": 0}


def test_the_terminal_lists_as_many_as_one_wants(
    capsys: pytest.CaptureFixture[str], society: Callable[[int], None]
) -> None:
    society(MEMBERS)
    call_command("ask", QUESTION, "--graph", "society")
    output = capsys.readouterr().out
    assert f"… 20 of {MEMBERS} answers; --answers {MEMBERS} lists all" in output
    call_command("ask", QUESTION, "--graph", "society", "--answers", str(MEMBERS))
    output = capsys.readouterr().out
    assert "lists all" not in output
    assert output.count("─▸ members ─▸") + output.count("─▸ member ─▸") == MEMBERS
    call_command("ask", QUESTION, "--graph", "society", "--answers", str(MEMBERS), "--json")
    *_, last = capsys.readouterr().out.strip().splitlines()
    assert len(json.loads(last)["event"]["answers"]) == MEMBERS
