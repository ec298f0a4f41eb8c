"""What is made of gold derivations on the command line: ``structure_table`` and ``export_samples``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import CommandError, call_command

from tests.reasoning.rules import KITT_GOLD

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "PREFIX ns: <http://rdf.freebase.com/ns/> SELECT DISTINCT ?x WHERE { "
CHAIN = HEAD + "ns:m.a ns:r.p ?x }"
WITH_ENTITY = HEAD + "ns:m.a ns:r.p ?y . ?y ns:r.q ?x . ?y ns:r.s ns:m.b }"
UNION = HEAD + "{ ns:m.a ns:r.p ?x } UNION { ns:m.a ns:r.q ?x } }"
COMPLETE = {"QuestionQuality": "Good", "ParseQuality": "Complete"}


@pytest.fixture
def webqsp(tmp_path: Path) -> Path:
    def question(number: int, *queries: str) -> dict[str, Any]:
        parses = [
            {"Sparql": query, "TopicEntityMid": "m.a", "Answers": [], "AnnotatorComment": COMPLETE} for query in queries
        ]
        return {"QuestionId": f"Q-{number}", "RawQuestion": "who?", "Parses": parses}

    queries = [(CHAIN,), (CHAIN,), (UNION, WITH_ENTITY), (UNION,), ()]
    path = tmp_path / "WebQSP.train.json"
    path.write_text(json.dumps({"Questions": [question(i, *each) for i, each in enumerate(queries)]}), encoding="utf-8")
    return path


@pytest.fixture
def cwq(tmp_path: Path) -> Path:
    path = tmp_path / "cwq.jsonl"
    path.write_text(json.dumps({"ID": "C-1", "question": "who?", "sparql": WITH_ENTITY}) + "\n", encoding="utf-8")
    return path


def test_questions_are_counted_by_leaves_and_edges(webqsp: Path, cwq: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("structure_table", str(webqsp), str(cwq), "--json")
    output = capsys.readouterr()
    assert json.loads(output.out) == {"2": {"1": 2}, "3": {"3": 2}}
    assert output.err.splitlines() == [
        "Counted 4 of 6 questions.",
        "Not counted, 1: alternatives (UNION, OR)",
        "Not counted, 1: the benchmark has no parse",
    ]


def test_the_table_is_printed_for_people(webqsp: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("structure_table", str(webqsp))
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows[-3:] == [["leaves", "1", "3", "questions"], ["2", "2", "2"], ["3", "1", "1"]]


def test_a_file_of_no_known_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("words", encoding="utf-8")
    with pytest.raises(CommandError, match=r"Name it: --format webqsp\|cwq"):
        call_command("structure_table", str(path))
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("structure_table", str(tmp_path / "missing.json"))


@pytest.fixture
def derivations(tmp_path: Path) -> Path:
    """An accepted derivation over the hand-drawn graph."""
    path = tmp_path / "accepted.jsonl"
    path.write_text(json.dumps(KITT_GOLD) + "\n", encoding="utf-8")
    return path


def test_every_decision_of_a_derivation_is_a_sample(derivations: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = derivations.parent / "samples.jsonl"
    call_command(
        "export_samples", str(out), "--dataset", str(derivations), "--graph", "toy", "--split", "all", "--json"
    )
    counts = json.loads(capsys.readouterr().out)
    samples = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    stages = [sample["stage"] for sample in samples]
    assert stages.count("search") == 4
    assert stages.count("prune") == 1
    assert stages.count("infer") == 1
    assert counts["samples"] == len(samples) == counts["pool: graph"]
    assert [s["completion"] for s in samples if s["stage"] == "infer"] == ["entity_2"]
    assert all(sample["options"][right] for sample in samples for right in sample["right"])
    assert {sample["pool"] for sample in samples} == {"graph"}
    pruned = next(sample for sample in samples if sample["stage"] == "prune")
    assert "KITT" in pruned["completion"]


def test_a_file_that_cannot_be_written_is_said_plainly(derivations: Path) -> None:
    out = derivations.parent / "no" / "samples.jsonl"
    with pytest.raises(CommandError, match="cannot be written: No such file or directory"):
        call_command("export_samples", str(out), "--dataset", str(derivations), "--graph", "toy")
