"""``manage.py evaluate``: from a benchmark's file to a report, on the terminal and in a folder."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import CommandError, call_command

from kgstore.loading.formats.registry import FORMATS
from kgstore.loading.reading import GraphToLoad
from reasoning.datasets.sample_questions import SAMPLE_FOLDER
from reasoning.scorers.chat import client as chat_client
from tests.reasoning.chat_server import chat_server, first_longest
from webapp.engine import graph_library

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_django.fixtures import SettingsWrapper

FILM = SAMPLE_FOLDER / "film.jsonl"
KB = """Jaws|directed_by|Steven Spielberg
Duel|directed_by|Steven Spielberg
Duel|release_year|1971
Jaws|release_year|1975
"""
QUESTIONS = """who directed [Jaws]\tSteven Spielberg
who directed [Alien]\tRidley Scott
"""


@pytest.fixture
def films(tmp_path: Path) -> Iterator[Path]:
    """A graph of four facts, and two questions, one of them about what it does not hold."""
    (tmp_path / "kb.txt").write_text(KB, encoding="utf-8")
    source = FORMATS["metaqa"].read(tmp_path / "kb.txt")
    graph_library().load(GraphToLoad(source, "films", "Films", "kb.txt"))
    (tmp_path / "dev.txt").write_text(QUESTIONS, encoding="utf-8")
    (tmp_path / "qa_dev_qtype.txt").write_text("movie_to_director\n" * 2, encoding="utf-8")
    yield tmp_path / "dev.txt"
    graph_library().remove("films")


def evaluate(capsys: pytest.CaptureFixture[str], dataset: Path, name: str, *more: str) -> dict[str, Any]:
    call_command("evaluate", "--dataset", str(dataset), "--format", name, "--scorer", "lexical", "--json", *more)
    output: dict[str, Any] = json.loads(capsys.readouterr().out)
    return output


def test_the_sample_is_evaluated(sample_graph_loaded: None, capsys: pytest.CaptureFixture[str]) -> None:
    shown = evaluate(capsys, FILM, "discern", "--graph", "sample", "--topics", "linked", "--split", "validation")
    assert (shown["dataset"], shown["split"], shown["graph"], shown["topics"]) == (
        "film.jsonl", "validation", "sample", "linked",
    )  # fmt: skip
    assert shown["scorer"] == "Lexical baseline"
    assert shown["failed"] == 0
    assert 0.1 < shown["in_graph"]["hits_at_1"] < 1
    assert shown["questions"] == shown["answerable"]["questions"] + shown["unanswerable"]["questions"]
    assert sum(shown["cases"].values()) == shown["in_graph"]["questions"]
    assert {"C1", "E1"} <= shown["cases"].keys() <= {"C1", "E1", "E2", "E3"}
    assert shown["graph_gap"]["questions"] == 0
    assert shown["linking"] > 0.5
    exact = round(shown["answerable"]["exact_match"] * shown["answerable"]["questions"])
    assert sum(shown["causes"].values()) == shown["answerable"]["questions"] - exact, "each has a gold derivation"
    assert "wrong relation" in shown["causes"]


def test_a_report_says_what_its_models_have_seen_in_training(
    sample_graph_loaded: None, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asked = ("--graph", "sample", "--split", "train", "--limit", "2")
    assert evaluate(capsys, FILM, "discern", *asked)["seen_in_training"] == {
        "questions": 2, "seen": 0, "same_identity": 0, "same_text": 0,
    }  # fmt: skip
    # A copy under another name: the wordings are the same.
    renamed = tmp_path / "renamed.jsonl"
    renamed.write_text(FILM.read_text(encoding="utf-8"), encoding="utf-8")
    arguments = ("--dataset", str(renamed), "--format", "discern", "--scorer", "encoder", *asked)
    call_command("evaluate", *arguments, "--json")
    assert json.loads(capsys.readouterr().out)["seen_in_training"] == {
        "questions": 2, "seen": 2, "same_identity": 0, "same_text": 2,
    }  # fmt: skip
    call_command("evaluate", *arguments)
    assert "has seen 2 of these 2 questions in training" in " ".join(capsys.readouterr().out.split())
    # The weights of a strategy have seen some where the scorer has seen none.
    call_command("evaluate", "--dataset", str(renamed), "--format", "discern", *asked, "--strategy", "etd")
    said = " ".join(capsys.readouterr().out.split())
    assert "the weights of EtD has seen 2 of these 2 questions" in said


def test_a_loaded_dataset_is_evaluated_by_its_name(
    sample_graph_loaded: None, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("load_dataset", str(FILM), "--format", "discern", "--name", "films of ours")
    capsys.readouterr()
    asked = ("--graph", "sample", "--limit", "3")
    by_name = evaluate(capsys, Path("films of ours"), "discern", *asked)
    by_file = evaluate(capsys, FILM, "discern", *asked)
    assert by_name["dataset"] == "films of ours"
    assert by_name["questions_sha256"] == by_file["questions_sha256"]
    with pytest.raises(CommandError, match="was loaded as discern"):
        evaluate(capsys, Path("films of ours"), "webqsp", *asked)


def test_what_a_perfect_chooser_would_get(films: Path, capsys: pytest.CaptureFixture[str]) -> None:
    films.write_text("who directed [Jaws]\tSteven Spielberg|Zelda\nwhen was [Duel] released\t1971\n", encoding="utf-8")
    (films.parent / "qa_dev_qtype.txt").write_text("movie_to_director\nmovie_to_year\n", encoding="utf-8")
    shown = evaluate(capsys, films, "metaqa", "--graph", "films", "--perfect")["reachable"]
    assert shown["questions"] == 2
    assert shown["perfect_hits_at_1"] == 1
    assert shown["perfect_f1"] == pytest.approx((2 / 3 + 1) / 2)
    assert shown["of_perfect"] == pytest.approx(shown["macro_f1"] / shown["perfect_f1"])
    assert evaluate(capsys, films, "metaqa", "--graph", "films")["reachable"] is None


def test_gold_topics_and_what_the_graph_lacks(films: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = evaluate(capsys, films, "metaqa", "--graph", "films")
    assert shown["compared_by"] == "name"
    assert shown["in_graph"]["questions"] == shown["in_graph"]["exact_match"] == 1
    assert shown["graph_gap"] == {"questions": 1, "topic_not_in_graph": 1, "turned_away": 1}
    assert shown["by_shape"][0] | {"cases": 0} == {
        "leaves": 2, "hops": 1, "questions": 1, "hits_at_1": 1, "macro_f1": 1, "cases": 0,
    }  # fmt: skip


def test_every_table_names_the_graph_and_how_topics_were_found(films: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command(
        "evaluate", "--dataset", str(films), "--format", "metaqa", "--graph", "films", "--scorer", "lexical", "--chain"
    )
    output = " ".join(capsys.readouterr().out.split())
    assert output.count("graph: films") == output.count("topics: gold") == 3
    assert output.count("search: chain") == 3


def test_an_evaluation_in_a_folder_goes_on_where_it_was(
    sample_graph_loaded: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    args = ("--graph", "sample", "--limit", "6", "--seed", "3", "--out", str(out))
    first = evaluate(capsys, FILM, "discern", *args)
    lines = (out / "outcomes.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == first["questions"] == 6
    # As if it had been broken off while the third outcome was written.
    (out / "outcomes.jsonl").write_text("\n".join([*lines[:2], lines[2][:40]]), encoding="utf-8")
    (out / "report.json").unlink()
    again = evaluate(capsys, FILM, "discern", *args)
    resumed = (out / "outcomes.jsonl").read_text(encoding="utf-8").splitlines()
    assert resumed[:2] == lines[:2]
    assert [json.loads(line)["predicted"] for line in resumed] == [json.loads(line)["predicted"] for line in lines]
    assert again["all"] == first["all"]
    assert json.loads((out / "report.json").read_text(encoding="utf-8")) == again
    with (out / "outcomes.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == 6
    with pytest.raises(CommandError, match=r"holds another evaluation.*seed was 3, is 4"):
        evaluate(capsys, FILM, "discern", *args[:4], "--seed", "4", "--out", str(out))


def test_a_folder_from_before_a_setting_came_goes_on(
    sample_graph_loaded: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    args = ("--graph", "sample", "--limit", "2", "--out", str(out))
    first = evaluate(capsys, FILM, "discern", *args)
    run = json.loads((out / "run.json").read_text(encoding="utf-8"))
    del run["settings"]["gold"]
    (out / "run.json").write_text(json.dumps(run), encoding="utf-8")
    assert evaluate(capsys, FILM, "discern", *args)["all"] == first["all"]


def test_a_question_without_answers_is_judged_by_what_its_query_gives(
    films: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset = films.with_name("simple.txt")
    dataset.write_text(
        "fb:Jaws\tfb:film.film.directed_by\tfb:Nobody\twho directed jaws\n"
        "fb:Alien\tfb:film.film.directed_by\tfb:Nobody\twho directed alien\n",
        encoding="utf-8",
    )
    args = ("--dataset", str(dataset), "--format", "simplequestions", "--graph", "films", "--scorer", "lexical")
    given = evaluate(capsys, dataset, "simplequestions", "--graph", "films")
    assert (given["gold_from_graph"], given["all"]["hits_at_1"]) == (0, 0)
    shown = evaluate(capsys, dataset, "simplequestions", "--graph", "films", "--gold", "from-graph")
    assert (shown["gold_from_graph"], shown["settings"]["gold"]) == (1, "from-graph")
    assert shown["in_graph"]["hits_at_1"] == 1
    call_command("evaluate", *args, "--gold", "from-graph")
    assert "Gold answers of 1 of 2 questions come from this graph" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(("status", "says"), [(503, "No chat model answers"), (401, "wants another key")])
def test_an_evaluation_whose_model_goes_away_ends_and_goes_on_when_it_is_back(
    sample_graph_loaded: None,
    tmp_path: Path,
    settings: SettingsWrapper,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    status: int,
    says: str,
) -> None:
    monkeypatch.setattr(chat_client, "RETRIES", 0)
    out = tmp_path / "out"
    args = ("--graph", "sample", "--limit", "6", "--scorer", "chat", "--out", str(out))

    def answer(messages: list[dict[str, str]]) -> str:
        if len(server.asked) == 12:
            server.failures.append(status)
        return first_longest(messages)

    with chat_server(answer) as server:
        address = {"llm_url": (server.url,), "llm_model": "picker"}
        settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update=address)
        with pytest.raises(CommandError, match=rf"{says}.* What was judged is kept; the same command resumes") as ended:
            evaluate(capsys, FILM, "discern", *args)
        assert ended.value.returncode == 1
        lines = (out / "outcomes.jsonl").read_text(encoding="utf-8").splitlines()
        assert 0 < len(lines) < 6
        assert not (out / "report.json").exists()
        again = evaluate(capsys, FILM, "discern", *args)
    assert (again["questions"], again["failed"]) == (6, 0)
    assert (out / "outcomes.jsonl").read_text(encoding="utf-8").splitlines()[: len(lines)] == lines


def test_predictions_of_another_system_come_to_the_same_figures(
    sample_graph_loaded: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What an evaluation predicted, taken for another system's predictions."""
    out = tmp_path / "out"
    args = ("--graph", "sample", "--limit", "12")
    own = evaluate(capsys, FILM, "discern", *args, "--out", str(out))
    args = (*args, "--predictions", str(out / "predictions.json"))
    theirs = evaluate(capsys, FILM, "discern", *args, "--system", " Ours  again", "--out", str(tmp_path / "theirs"))
    for part in ("all", "answerable", "in_graph", "graph_gap", "unanswerable"):
        assert theirs[part] == own[part], part
    assert (theirs["scorer"], theirs["seconds"], theirs["causes"]) == ("Ours again", None, {})
    assert len(theirs["predictions_sha256"]) == 64
    again = evaluate(capsys, FILM, "discern", *args, "--system", "Ours again", "--out", str(tmp_path / "theirs"))
    assert again == theirs
    call_command(
        "evaluate", "--dataset", str(FILM), "--format", "discern", *args, "--system", "Ours again",
    )  # fmt: skip
    assert "scorer: Ours again" in " ".join(capsys.readouterr().out.split())
    with pytest.raises(CommandError, match="go together"):
        evaluate(capsys, FILM, "discern", *args)
    with pytest.raises(CommandError, match=r"nowhere\.json cannot be read"):
        evaluate(capsys, FILM, "discern", *args[:4], "--predictions", "nowhere.json", "--system", "X")


def test_the_rules_of_scripts_are_printed_next_to_ours(
    films: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Jaws: Spielberg and a wrong one, P 1/2, R 1, F1 2/3. Alien: nothing, P 1, R 0, F1 0. Means 0.75, 0.5, 1/3."""
    answers = tmp_path / "answers.jsonl"
    entries = [
        {"question": "who directed Jaws", "prediction": ["Steven Spielberg", "Nobody"]},
        {"question": "who directed Alien", "prediction": []},
    ]
    answers.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    judged = ("--graph", "films", "--predictions", str(answers), "--system", "X")
    messages = evaluate(capsys, films, "metaqa", *judged, "--html", str(tmp_path / "report.html"))
    values = {(row["rules"], row["figure"]): (row["printed"], row["ours"]) for row in messages["by_rules"]}
    assert values["webqsp", "f1"] == ("0.333", pytest.approx(1 / 3))
    assert values["webqsp", "precision"] == ("0.750", 0.75)
    assert values["nsm", "hits"] == ("0.5", 0.5)
    assert values["gerbil", "macro_precision"] == ("0.25", 0.75)
    assert {rules for rules, _ in values} == {"webqsp", "rog", "tog", "nsm", "gerbil"}
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<h2>By the rules of published scripts</h2>" in page
    assert "0.333</td>" in page
    asked = ("--dataset", str(films), "--format", "metaqa", *judged)
    call_command("evaluate", *asked, "--rules", "webqsp", "--rules", "nsm")
    said = " ".join(capsys.readouterr().out.split())
    for title in ("by the rules of WebQSP: 2 questions", "by the rules of NSM: 2 questions", "exact match of answers"):
        assert title in said
    assert "by the rules of RoG" not in said
    with pytest.raises(CommandError, match="GrailQA compare logical forms, and no question has a gold one"):
        call_command("evaluate", *asked, "--rules", "grailqa")


def test_questions_of_one_wording_are_judged_by_their_own_predictions(
    films: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """MetaQA asks one wording of two films of one name; the second question alone is judged."""
    films.write_text("who directed [Jaws]\tSteven Spielberg\nwho directed [Jaws]\tRidley Scott\n", encoding="utf-8")
    answers = tmp_path / "answers.jsonl"
    entry = '{{"question": "who directed Jaws", "prediction": ["{}"]}}\n'.format
    answers.write_text(entry("Steven Spielberg") + entry("Ridley Scott"), encoding="utf-8")
    args = ("--graph", "films", "--topics", "linked", "--predictions", str(answers), "--system", "X")
    both = evaluate(capsys, films, "metaqa", *args)
    assert (both["questions"], both["all"]["exact_match"]) == (2, 1)
    (tmp_path / "ids.txt").write_text("dev/2\n", encoding="utf-8")
    second = evaluate(capsys, films, "metaqa", *args, "--ids", str(tmp_path / "ids.txt"))
    assert (second["questions"], second["all"]["exact_match"]) == (1, 1)
    answers.write_text(entry("Ridley Scott"), encoding="utf-8")
    with pytest.raises(CommandError, match=r"the text of 2 questions \(dev/1, dev/2\).*1 prediction of that text"):
        evaluate(capsys, films, "metaqa", *args)


def test_questions_are_named_by_a_file_of_ids(
    sample_graph_loaded: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ids = tmp_path / "ids.txt"
    ids.write_text("film-001/1\nfilm-002/2\n", encoding="utf-8")
    assert evaluate(capsys, FILM, "discern", "--graph", "sample", "--ids", str(ids))["questions"] == 2
    ids.write_text("film-xyz\n", encoding="utf-8")
    with pytest.raises(CommandError, match="no question film-xyz"):
        evaluate(capsys, FILM, "discern", "--graph", "sample", "--ids", str(ids))
    with pytest.raises(CommandError, match="cannot be read"):
        evaluate(capsys, FILM, "discern", "--graph", "sample", "--ids", str(tmp_path / "missing"))


def test_rows_bring_their_own_graphs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {
            "id": f"R-{number}",
            "question": f"who directed {film}",
            "q_entity": [film],
            "a_entity": [director],
            "graph": [[film, "film.film.directed_by", director]],
        }
        for number, (film, director) in enumerate([("Jaws", "Steven Spielberg"), ("Alien", "Ridley Scott")])
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    shown = evaluate(capsys, path, "rog")
    assert (shown["graph"], shown["compared_by"], shown["questions"]) == ("each row's own", "name", 2)
    assert shown["all"]["exact_match"] == 1


@pytest.mark.parametrize(
    ("dataset", "args", "says"),
    [
        ("dev.txt", ("--format", "squad", "--graph", "films"), "no format named 'squad'"),
        ("dev.txt", ("--format", "metaqa", "--graph", "nowhere"), "no graph named 'nowhere'"),
        ("dev.txt", ("--format", "metaqa", "--graph", "films", "--scorer", "guess"), "no scorer “guess”"),
        ("missing.txt", ("--format", "metaqa", "--graph", "films"), "missing.txt cannot be read"),
        ("dev.txt", ("--format", "metaqa", "--graph", "films", "--gold-branches-from", "2"), "No questions left"),
        ("dev.txt", ("--format", "pathquestion", "--graph", "films"), "line 1: expected question"),
        ("other.txt", ("--format", "metaqa", "--graph", "films"), "holds none of the 1 topic entities"),
    ],
)
def test_what_is_wrong_is_said(films: Path, dataset: str, args: tuple[str, ...], says: str) -> None:
    films.with_name("other.txt").write_text("who directed [Alien]\tRidley Scott\n", encoding="utf-8")
    scorer = () if "--scorer" in args else ("--scorer", "lexical")
    with pytest.raises(CommandError, match=says):
        call_command("evaluate", "--dataset", str(films.with_name(dataset)), *args, *scorer)


@pytest.mark.real_data
def test_real_neighbourhoods_are_asked_one_by_one(real_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = evaluate(capsys, real_data / "webqsp_subgraphs" / "subgraphs.jsonl", "rog")
    # One answer, William Roache, stands in no triple of its own row.
    assert (shown["questions"], shown["in_graph"]["questions"], shown["graph_gap"]["questions"]) == (6, 5, 1)
    assert shown["failed"] == 0


def test_the_headline_the_tables_of_reads_and_the_slices_are_printed(
    capsys: pytest.CaptureFixture[str], sample_graph_loaded: None
) -> None:
    common = ("--dataset", str(FILM), "--format", "discern", "--graph", "sample", "--scorer", "lexical")
    call_command("evaluate", *common, "--limit", "30", "--min-branches", "2")
    output = " ".join(capsys.readouterr().out.split())
    for title in ("headline", "Table 2", "Table 6", "Figure 3", "f1 empty as zero", "confused relations"):
        assert title in output
    assert "min_branches: 2" in output


def test_a_watched_figure_that_is_too_low_ends_with_a_status_of_its_own(
    films: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("--graph", "films")
    passed = evaluate(
        capsys, films, "metaqa", *asked, "--fail-below", "in_graph.hits_at_1=1", "--fail-below", "hit=0.5"
    )
    assert passed["all"]["hits_at_1"] == 0.5
    with pytest.raises(CommandError, match=r"all\.hits_at_1 is 0\.5000, below 0\.9\.$") as fell:
        evaluate(capsys, films, "metaqa", *asked, "--fail-below", "hits_at_1=0.9", "--fail-below", "hit=0.5")
    assert fell.value.returncode == 3
    assert json.loads(capsys.readouterr().out)["questions"] == 2, "the report is told all the same"
    with pytest.raises(CommandError, match="is unknown") as untold:
        evaluate(capsys, films, "metaqa", *asked, "--fail-below", "of_perfect=0.5")
    assert untold.value.returncode == 3


@pytest.mark.parametrize(
    ("watched", "told"),
    [
        ("speed=0.5", r"Metrics are: hit, hits_at_1, .*macro_f1"),
        ("nowhere.hit=0.5", "all, answerable, in_graph, reachable"),
        ("all.graph_hits=0.5", "METRIC=VALUE"),
        ("hit", "METRIC=VALUE"),
        ("hit=80", "a share from 0 to 1"),
        ("hit=much", "a share from 0 to 1"),
    ],
)
def test_what_cannot_be_watched_is_said_before_anything_is_asked(watched: str, told: str) -> None:
    with pytest.raises(CommandError, match=told) as refused:
        call_command("evaluate", "--dataset", "nowhere", "--format", "metaqa", "--fail-below", watched)
    assert refused.value.returncode == 1
