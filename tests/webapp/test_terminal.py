"""No command hides anything that it prints, regardless of who wrote it; for programs it stays the same data."""

from __future__ import annotations

import importlib
import inspect
import io
import json
import shutil
from typing import TYPE_CHECKING

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command, get_commands
from pydantic import TypeAdapter
from rich.table import Table

from reasoning.events import Finished, ModelWrote, StageEvent
from tests.reasoning.rules import KITT_GOLD
from webapp import engine
from webapp.asking.questions.terminal import TerminalPrinter
from webapp.platform.environment import REPOSITORY
from webapp.platform.terminal.command import Terminal, TerminalCommand, progress_bar
from webapp.platform.terminal.shown import json_shown, lines_shown, shown

if TYPE_CHECKING:
    from pathlib import Path

HIDDEN = "a\u202eb\u200bc\x1b[31md"
SHOWN = "a⟨U+202E⟩b⟨U+200B⟩c⟨U+001B⟩[31md"
HEBREW = "שלום"
OWN = sorted(name for name, app in get_commands().items() if str(app).startswith("webapp."))


def test_the_commands_are_those_of_the_site() -> None:
    assert {"ask", "evaluate", "load_graph", "structure_table", "export_samples", "serve"} <= set(OWN)
    assert all(apps.is_installed(str(get_commands()[name])) for name in OWN)


@pytest.mark.parametrize("name", OWN)
def test_every_command_prints_by_the_one_way(name: str) -> None:
    module = importlib.import_module(f"{get_commands()[name]}.management.commands.{name}")
    assert issubclass(module.Command, TerminalCommand)
    source = inspect.getsource(module)
    assert "rich.console" not in source
    assert "rich.progress import Progress" not in source


def printed(*command: str) -> str:
    out = io.StringIO()
    call_command(*command, stdout=out, stderr=out)
    return out.getvalue()


@pytest.mark.parametrize("text", ["0", "-3", "many", "1.5"])
@pytest.mark.parametrize("argument", [["ask", "who?", "--answers"], ["extract_subset", "--out", "here", "--hops"]])
def test_a_number_of_things_is_at_least_one(argument: list[str], text: str) -> None:
    with pytest.raises(CommandError, match=rf"{argument[-1]}: “{text}” should be a whole number of at least 1"):
        call_command(*argument, text)


def test_an_error_hides_nothing() -> None:
    with pytest.raises(CommandError) as refused:
        printed("load_graph", f"/nowhere/{HIDDEN}", "--name", "g")
    assert SHOWN in str(refused.value)


def test_what_a_command_tells_hides_nothing(tmp_path: Path) -> None:
    messages = printed(
        "extract_subset", str(tmp_path / "part.tsv"), "--graph", "toy", "--topic", "m.kr", "--topic", HIDDEN
    )
    assert f"Topics not in the graph: {SHOWN}" in messages


def test_a_table_hides_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    folder = engine.scorers_folder() / "hostile"
    folder.mkdir(parents=True)
    try:
        card = json.loads((REPOSITORY / "reasoning" / "scorers" / "weights" / "encoder" / "card.json").read_text())
        card["trained"]["title"] = HIDDEN
        (folder / "card.json").write_text(json.dumps(card))
        call_command("list_scorers")
        assert SHOWN in capsys.readouterr().out
        document = printed("list_scorers", "--json")
        assert "\u202e" not in document
        assert json.loads(document)["hostile"]["trained"]["title"] == HIDDEN
    finally:
        shutil.rmtree(folder)


def test_lines_of_data_are_the_same_data_and_hide_nothing(tmp_path: Path) -> None:
    path = tmp_path / "accepted.jsonl"
    phrasings = [f"{phrasing} \u202e\u200b?" for phrasing in KITT_GOLD["phrasings"]]
    path.write_text(json.dumps({**KITT_GOLD, "phrasings": phrasings}), encoding="utf-8")
    command = ("export_samples", "--dataset", str(path), "--graph", "toy", "--split", "all")
    out = io.StringIO()
    call_command(*command, "-", stdout=out, stderr=io.StringIO())
    printed(*command, str(tmp_path / "samples.jsonl"))
    assert "\\u202e" in out.getvalue()
    assert shown(out.getvalue().replace("\n", "")) == out.getvalue().replace("\n", "")
    lines = (tmp_path / "samples.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in out.getvalue().splitlines()] == [json.loads(line) for line in lines]


def test_progress_hides_nothing() -> None:
    bar = progress_bar()
    bar.add_task(f"{HIDDEN} [bold]", total=1)
    console = Terminal(file=io.StringIO(), width=200)
    console.print(bar.get_renderable())
    assert f"{SHOWN} [bold]" in console.file.getvalue()  # type: ignore[attr-defined]


def test_a_console_marks_cells_and_lines_and_keeps_its_own_colours() -> None:
    console = Terminal(file=io.StringIO(), width=200, force_terminal=True)
    table = Table(HIDDEN)
    table.add_row(HIDDEN)
    console.print(table)
    console.print(f"[bold]{HIDDEN}[/]\n{HEBREW}", highlight=False)
    found = console.file.getvalue()  # type: ignore[attr-defined]
    assert found.count(SHOWN) == 3
    assert "\x1b[1m" in found
    assert f"\u2068{HEBREW}\u2069" in found


def test_lines_may_hold_names_that_are_shown_already() -> None:
    line = f"{shown(HEBREW)} ─▸ {shown(HIDDEN)}\n{HIDDEN}\n"
    assert lines_shown(line) == f"\u2068{HEBREW}\u2069 ─▸ {SHOWN}\n{SHOWN}\n"
    assert lines_shown("a\u2068b\u2069c") == "a⟨U+2068⟩b⟨U+2069⟩c"


def run_printed(log: list[StageEvent], capsys: pytest.CaptureFixture[str]) -> list[str]:
    printer = TerminalPrinter()
    for event in log:
        printer.print(event)
    return [line.strip() for line in capsys.readouterr().out.splitlines()]


def recorded(name: str) -> list[StageEvent]:
    rows = json.loads((REPOSITORY / "tests" / "recorded" / f"{name}.json").read_text(encoding="utf-8"))
    adapter: TypeAdapter[StageEvent] = TypeAdapter(StageEvent)
    return [adapter.validate_python(row["event"]) for row in rows]


def test_where_it_was_asked_how_many_the_number_comes_first(capsys: pytest.CaptureFixture[str]) -> None:
    lines = run_printed(recorded("counted"), capsys)
    at = lines.index("3")
    assert lines[at + 1] == "Counted; the list shows 3 of 3."
    assert "David Hasselhoff" in lines[at + 2 :]
    assert any(line.endswith("Count the answers") for line in lines[:at])


def test_what_is_not_understood_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    lines = run_printed(recorded("not_understood"), capsys)
    assert "Not supported yet: “never”. The answers may include what it excludes." in lines


def test_a_run_that_weighs_readings_tells_each_round_and_how_else_it_may_be_read(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    lines = run_printed(recorded("readings"), capsys)
    assert lines[:2] == [
        "who plays the voice of KITT in Knight Rider?",
        "graph Toy · scorer rules · strategy beam",
    ]
    first = lines.index("Readings Weighed 2 readings, kept 2")
    assert lines[first + 1 : first + 3] == ["0.80 Knight Rider", "0.20 KITT"]
    last = lines.index("2 other readings")
    assert lines[last - 2 : last + 2] == [
        "Confidence 26 %, not calibrated",
        "Weakest step: begin at Knight Rider (80 %)",
        "2 other readings",
        "0.16 KITT: no answer found",
    ]


def test_a_run_that_goes_on_from_another_and_stops_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    lines = run_printed(recorded("undecided"), capsys)
    assert lines[2:4] == [
        "Continues another run: 2 decisions kept, then: search step 2 was removed",
        "the kept decisions were made by rules",
    ]
    assert lines[-1] == "Stopped before a decision: which node holds the answer · 1 option"


def test_what_a_model_wrote_is_reported_as_such_and_hides_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    finished = recorded("condition")[-1]
    assert isinstance(finished, Finished)
    cost = finished.cost
    wrote = ModelWrote(
        stage="infer",
        purpose="a plan",
        writer=HIDDEN,
        messages=[],
        text=f"first\n[bold]{HIDDEN}",
        length=4000,
        cost=cost,
        seconds=0,
    )
    answers = [finished.answers[0].model_copy(update={"weight": 0.8321})]
    ended = finished.model_copy(update={"verdict": "from_the_model", "answers": answers})
    lines = run_printed([*recorded("condition")[:1], wrote, ended], capsys)
    start = lines.index(f"Written  Written by {SHOWN}, not from the graph")
    assert lines[start + 1 : start + 5] == ["a plan", "the first 23 of 4,000 characters", "first", f"[bold]{SHOWN}"]
    assert "A language model gave this answer. No fact of the graph supports it." in lines
    assert "William Daniels 0.832" in lines


@pytest.mark.parametrize("text", [HIDDEN, "\ud800", "\U000e0041", "👩‍🚀", HEBREW, "a\n\tb\x7f\u2028", '\\"'])
def test_json_says_the_same_with_nothing_hidden(text: str) -> None:
    found = json_shown(json.dumps([text], indent=2, ensure_ascii=False))
    assert json.loads(found) == [text]
    assert all(shown(line) in (line, f"\u2068{line}\u2069") for line in found.split("\n"))


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        (
            "no_relation",
            [
                "The model was 80 % sure that no option leads to an answer.",
                "Next best: number of seasons (7 %), programme creator (7 %).",
                '--change "search:1=number of seasons"',
                '--change "search:1=programme creator"',
            ],
        ),
        ("conditions_leave_nothing", ['--change "prune:1=drop"']),
    ],
)
def test_a_run_without_an_answer_says_how_to_go_on(
    name: str, lines: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert set(lines) <= set(run_printed(recorded(name), capsys))


def test_what_had_no_choice_has_no_number_and_the_weakest_choice_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    found = "\n".join(run_printed(recorded("several_answers"), capsys))
    assert "the only option" in found
    assert "1.00" not in found
    assert "Weakest step: begin at Jamaica (80 %)" in found
