"""Benchmarks are read as their makers publish them, and whatever is wrong with a file is said."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from kgstore.terms import Date, Direction, Entity, Number, Relation, Text
from reasoning.core.derivation import Derivation, SearchStep
from reasoning.datasets.errors import DatasetError
from reasoning.datasets.registry import FORMATS, asked, read_dataset
from reasoning.datasets.sample_questions import SAMPLE_FOLDER, read_question

if TYPE_CHECKING:
    from pathlib import Path

    from reasoning.datasets.question import BenchmarkQuestion

STARRING = "film.film.starring|film.performance.actor"


def read(path: Path, name: str) -> list[BenchmarkQuestion]:
    return list(asked(read_dataset(path, name)))


def metaqa_file(folder: Path, lines: list[str], types: list[str] | None) -> Path:
    hop = folder / "2-hop"
    hop.mkdir()
    path = hop / "dev.txt"
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    if types is not None:
        (hop / "qa_dev_qtype.txt").write_text("".join(line + "\n" for line in types), encoding="utf-8")
    return path


FILMS_IN_YEARS = "the films acted by [Sharon Tate] were released in which years\t1967|1968"
SAME_DIRECTOR = "which films share directors with [Police]\tLoulou|1984"


def test_metaqa_gives_topic_answers_and_the_gold_path(tmp_path: Path) -> None:
    types = ["actor_to_movie_to_year", "movie_to_director_to_movie"]
    years, films = read(metaqa_file(tmp_path, [FILMS_IN_YEARS, SAME_DIRECTOR], types), "metaqa")
    assert years.id == "2-hop/dev/1"
    assert years.text == "the films acted by Sharon Tate were released in which years"
    (parse,) = years.parses
    assert parse.topic == Entity("Sharon Tate")
    assert parse.answers == {Date("1967"), Date("1968")}
    assert parse.derivation is not None
    assert parse.derivation.steps == (
        SearchStep(0, Relation(STARRING, Direction.REVERSE)),
        SearchStep(1, Relation("film.film.initial_release_date")),
    )
    assert parse.derivation.answer_position == 2
    assert years.labels == {"hops": "2", "type": "actor_to_movie_to_year"}
    # A film may be called 1984: only where years are asked for is it one.
    assert films.parses[0].answers == {Entity("Loulou"), Entity("1984")}


def test_metaqa_without_types_has_no_path_and_says_so(tmp_path: Path) -> None:
    (question,) = read(metaqa_file(tmp_path, [FILMS_IN_YEARS], None), "metaqa")
    assert question.parses[0].derivation is None
    assert question.parses[0].problem == "no gold path"
    assert question.parses[0].answers == {Date("1967"), Date("1968")}
    assert question.labels == {"hops": "2"}


@pytest.mark.parametrize(
    ("lines", "types", "says"),
    [
        (["who directed Jaws\tSteven Spielberg"], ["movie_to_director"], r"line 1: expected .* \[brackets\]"),
        (["who directed [Jaws]"], ["movie_to_director"], r"line 1: expected .* a tab"),
        (["who directed [Jaws]\tSteven Spielberg"], [" "], "line 1: has no line in the file of types"),
        (["who directed [Jaws]\tSteven Spielberg"], ["movie_to_producer"], r"line 1: .*one of director, writer"),
        (["when did [Jaws] come out\tlong ago"], ["movie_to_year"], "line 1: 'long ago' is not a date"),
    ],
)
def test_a_bad_metaqa_file_is_reported(tmp_path: Path, lines: list[str], types: list[str], says: str) -> None:
    with pytest.raises(DatasetError, match=says):
        read(metaqa_file(tmp_path, lines, types), "metaqa")


COUPLE = (
    "what is the nation of john_2nd_earl_(d.1300) 's couple ?\twales(wales/england/)"
    "\tjohn_2nd_earl_(d.1300)#spouse#a_b#nationality#wales#<end>#wales\n"
)


def test_pathquestion_is_read_with_the_names_that_the_graph_shows(tmp_path: Path) -> None:
    path = tmp_path / "PQ-2H.txt"
    path.write_text(COUPLE + COUPLE.replace("what is the nation", "which is the nationality"), encoding="utf-8")
    first, second = read(path, "pathquestion")
    assert first.text == "what is the nation of john 2nd earl (d.1300) 's couple ?"
    (parse,) = first.parses
    assert parse.topic == Entity("john_2nd_earl_(d.1300)")
    assert parse.answers == {Entity("wales"), Entity("england")}
    assert parse.derivation is not None
    assert [str(step.relation) for step in parse.derivation.steps] == [
        "people.person.spouse_s|people.marriage.spouse",
        "people.person.nationality",
    ]
    assert first.labels["hops"] == "2"
    assert first.topic_may_answer
    # Wordings of one path stay together.
    assert first.group == second.group
    assert first.split == second.split


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("question\tanswer", r"line 1: expected question⇥answer"),
        (COUPLE.replace("#<end>#wales", "#<end>"), r"line 1: expected question⇥answer"),
        (COUPLE.replace("wales(", "france("), r"line 1: expected question⇥answer"),
        (COUPLE.replace("#spouse#", "#a neighbour#"), "line 1: expected .*'a neighbour' is no name of a relation"),
    ],
)
def test_a_bad_pathquestion_file_is_reported(tmp_path: Path, line: str, says: str) -> None:
    path = tmp_path / "PQ-2H.txt"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(DatasetError, match=says):
        read(path, "pathquestion")


def test_every_phrasing_of_the_sample_is_a_question_of_its_group() -> None:
    phrasings = read(SAMPLE_FOLDER, "discern")
    lines = [line for path in SAMPLE_FOLDER.glob("*.jsonl") for line in path.read_text(encoding="utf-8").splitlines()]
    sample = [read_question(json.loads(line)) for line in lines]
    assert len(phrasings) == sum(len(question.phrasings) for question in sample)
    assert len({question.id for question in phrasings}) == len(phrasings)
    validation = {question.id for question in sample if question.is_validation}
    assert {q.group for q in phrasings if q.split == "validation"} == validation
    assert {q.group for q in phrasings if q.split == "train"} == {q.id for q in sample} - validation
    one_file = read(SAMPLE_FOLDER / "film.jsonl", "discern")
    assert [q for q in phrasings if q.labels["domain"] == "film"] == one_file
    refused = [q for q in phrasings if q.parses[0].derivation is None]
    assert refused
    assert all(q.parses[0].problem and not q.parses[0].answers for q in refused)


def test_a_bad_line_of_our_own_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "some.jsonl"
    path.write_text('{"id": "a-1", "phrasings": ["who"], "topic": "en.a"}\n', encoding="utf-8")
    with pytest.raises(DatasetError, match=r'line 1: expected \{"id"'):
        read(path, "discern")
    path.write_text("\nnot JSON\n", encoding="utf-8")
    with pytest.raises(DatasetError, match="line 2: expected a JSON object"):
        read(path, "discern")


ROW = {
    "id": "Q-1",
    "question": "when was abe born",
    "q_entity": ["Abe"],
    "a_entity": ["1834-11-10", "1989", "Mary"],
    "graph": [
        ["Abe", "people.person.date_of_birth", "1834-11-10"],
        ["Abe", "music.artist.album", "1989"],
        ["Abe", "music.artist.album", "Greatest Hits"],
        ["Abe", "people.person.spouse_s", "Mary"],
    ],
}


def test_a_row_has_its_graphs_own_terms_for_answers(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    rows = [ROW, ROW | {"id": 2, "q_entity": [], "a_entity": []}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    first, second = read(path, "rog")
    assert first.topic == Entity("Abe")
    assert first.parses[0].answers == {Date("1834-11-10"), Entity("1989"), Entity("Mary")}
    assert (first.row, second.row) == ("Q-1", "2")
    assert second.topic is None
    assert second.parses[0].answers == frozenset()


def test_a_row_without_a_graph_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({key: ROW[key] for key in ROW if key != "graph"}), encoding="utf-8")
    with pytest.raises(DatasetError, match=r'line 1: expected .*"graph"'):
        read(path, "rog")


def webqsp_file(folder: Path, *questions: dict[str, Any]) -> Path:
    path = folder / "WebQSP.train.json"
    path.write_text(json.dumps({"Version": "1.0", "Questions": questions}), encoding="utf-8")
    return path


def parse_of(mid: str | None, *answers: tuple[str, str], quality: str = "Good") -> dict[str, Any]:
    return {
        "AnnotatorComment": {"ParseQuality": "Complete", "QuestionQuality": quality},
        "Sparql": "",
        "TopicEntityMid": mid,
        "Answers": [{"AnswerType": kind, "AnswerArgument": argument} for kind, argument in answers],
    }


def test_webqsp_is_read_with_all_parses(tmp_path: Path) -> None:
    values = [("1897-03-04", Date("1897-03-04")), ("1972", Date("1972")), ("-1332", Date("-1332"))]
    values += [("-479", Date("-0479")), ("2011-02", Date("2011-02"))]
    others = [("0.01", Number(0.01)), ("jm", Text("jm", "en")), ("United Nations", Text("United Nations", "en"))]
    written = [("Value", text) for text, _ in (*values, *others)]
    path = webqsp_file(
        tmp_path,
        {
            "QuestionId": "WebQTrn-1",
            "RawQuestion": "When was it? ",
            "Parses": [parse_of("m.0a", ("Entity", "m.0b_c"), *written), parse_of(None)],
        },
        {"QuestionId": "WebQTrn-2", "RawQuestion": "who", "Parses": [parse_of("m.0a", quality="Bad")]},
        {"QuestionId": "WebQTrn-3", "RawQuestion": "who", "Parses": []},
    )
    first, second, third = read(path, "webqsp")
    assert first.text == "When was it?"
    assert first.parses[0].answers == {Entity("m.0b_c"), *(term for _, term in (*values, *others))}
    assert first.parses[1].answers == frozenset()
    assert first.topic == Entity("m.0a")
    assert all(parse.derivation is None and parse.problem == "no SPARQL" for parse in first.parses)
    assert [question.labels for question in (first, second, third)] == [{}, {"scored": "no"}, {"scored": "no"}]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("5", 'expected a list of questions, an object with a list of "Questions", or one object a line'),
        ('{"Questions": 5}', 'expected a list of questions, an object with a list of "Questions"'),
        ("{", "line 1: expected JSON"),
        ('{"Questions": [{"QuestionId": "Q7"}]}', r"question 1 \(Q7\): expected"),
        ('{"Questions": ["Q7"]}', "question 1: expected"),
    ],
)
def test_a_bad_webqsp_file_is_reported(tmp_path: Path, content: str, says: str) -> None:
    path = tmp_path / "WebQSP.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DatasetError, match=says):
        read(path, "webqsp")


def test_cwq_is_read_from_the_official_list_and_from_lines_without_answers(tmp_path: Path) -> None:
    official = tmp_path / "ComplexWebQuestions_dev.json"
    entry = {
        "ID": "WebQTest-1_a",
        "webqsp_ID": "WebQTest-1",
        "question": "where",
        "sparql": "",
        "compositionality_type": "conjunction",
        "answers": [{"answer_id": "m.0a", "answer": "A"}, {"answer_id": "1996", "answer": "1996"}],
    }
    official.write_text(json.dumps([entry]), encoding="utf-8")
    (question,) = read(official, "cwq")
    assert question.parses[0].answers == {Entity("m.0a"), Date("1996")}
    assert question.group == "WebQTest-1"
    assert question.labels == {"type": "conjunction"}
    lines = tmp_path / "cwq.jsonl"
    lines.write_text(json.dumps({"id": "val_0", "question": "Who?", "sparql": ""}) + "\n", encoding="utf-8")
    (question,) = read(lines, "cwq")
    assert (question.id, question.labels) == ("val_0", {"answers": "unknown"})
    lines.write_text(json.dumps({"id": "val_0", "sparql": ""}) + "\n", encoding="utf-8")
    with pytest.raises(DatasetError, match='line 1: expected "ID" or "id"'):
        read(lines, "cwq")


def test_grailqa_is_read(tmp_path: Path) -> None:
    path = tmp_path / "grailqa.json"
    entry = {
        "qid": 21,
        "question": "how many",
        "sparql_query": "",
        "topic_entity": {"m.0a": "A"},
        "answer": [{"answer_type": "Value", "answer_argument": "5"}],
        "level": "i.i.d.",
        "function": "count",
    }
    nodes = [
        {"nid": 0, "node_type": "class", "id": "r.s", "question_node": 1, "function": "count"},
        {"nid": 1, "node_type": "entity", "id": "m.0a", "question_node": 0, "function": "none"},
    ]
    graph = {"nodes": nodes, "edges": [{"start": 1, "end": 0, "relation": "r.s.t"}]}
    path.write_text(json.dumps([entry | {"graph_query": graph}]), encoding="utf-8")
    (counts,) = read(path, "grailqa")
    assert counts.parses[0].derivation == Derivation(
        Entity("m.0a"), (SearchStep(0, Relation("r.s.t")),), (), 1, counted=True
    )
    several = entry | {"qid": 22, "topic_entity": {"m.0a": "A", "m.0b": "B"}}
    typed = [{"answer_type": "Value", "answer_argument": "1931^^http://www.w3.org/2001/XMLSchema#gYear"}]
    path.write_text(json.dumps([entry, several | {"answer": typed}]), encoding="utf-8")
    first, second = read(path, "grailqa")
    assert (first.id, first.topic, first.parses[0].answers) == ("21", Entity("m.0a"), {Number(5)})
    assert first.labels == {"level": "i.i.d.", "function": "count"}
    assert (second.topic, second.parses[0].answers) == (None, {Date("1931")})
    path.write_text(json.dumps([{"qid": 21}]), encoding="utf-8")
    with pytest.raises(DatasetError, match="question 1: expected"):
        read(path, "grailqa")


def test_a_format_that_is_not_there_and_a_file_that_is_not_there_are_reported(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"no format named 'squad'\. Use one of webqsp, cwq"):
        read_dataset(tmp_path, "squad")
    for name in FORMATS:
        with pytest.raises(DatasetError, match="cannot be read"):
            read(tmp_path / "missing.txt", name)


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("file", "name", "questions"),
    [
        ("metaqa/1-hop/dev.txt", "metaqa", 9_992),
        ("metaqa/2-hop/dev.txt", "metaqa", 14_872),
        ("metaqa/3-hop/dev.txt", "metaqa", 14_274),
        ("pathquestion/PQ-2H.txt", "pathquestion", 1_908),
        ("pathquestion/PQ-3H.txt", "pathquestion", 5_198),
        ("webqsp_subgraphs/subgraphs.jsonl", "rog", 6),
        ("webqsp/WebQSP.train.json", "webqsp", 3_098),
        ("cwq/cwq_val_sparql.jsonl", "cwq", 3_519),
        ("grailqa/grailqa_sample_1000.json", "grailqa", 1_000),
        ("simplequestions/annotated_fb_data_valid.txt", "simplequestions", 10_845),
        ("freebaseqa/FreebaseQA-dev.tab", "freebaseqa", 3_995),
    ],
)
def test_real_files_are_read_whole(real_data: Path, file: str, name: str, questions: int) -> None:
    found = read(real_data / file, name)
    assert len(found) == len({question.id for question in found}) == questions
