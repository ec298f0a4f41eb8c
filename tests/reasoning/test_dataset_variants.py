"""Benchmarks circulate in more than one shape: each shape is read alike, or refused with its place."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from kgstore.terms import Date, Direction, Entity, Relation, Text
from reasoning.datasets.errors import DatasetError
from reasoning.datasets.question import Refusal, RefusedQuestion
from reasoning.datasets.registry import asked, read_dataset

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reasoning.datasets.question import BenchmarkQuestion

QUERY = "PREFIX ns: <http://rdf.freebase.com/ns/> SELECT ?x WHERE { ns:m.t ns:gov.positions ?y . ?y ns:gov.office ?x }"


def read(path: Path, name: str, content: str) -> list[BenchmarkQuestion]:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return list(asked(read_dataset(path, name)))


def refused(path: Path, name: str, content: str) -> list[RefusedQuestion]:
    path.write_text(content, encoding="utf-8")
    return [entry for entry in read_dataset(path, name) if isinstance(entry, RefusedQuestion)]


def chain(question: BenchmarkQuestion) -> list[str]:
    (derivation,) = {parse.derivation for parse in question.parses}
    assert derivation is not None
    return [str(step.relation) for step in derivation.steps]


WRAPPINGS: dict[str, Callable[[dict[str, Any]], str]] = {
    "a list": lambda entry: json.dumps([entry]),
    "a list over many lines": lambda entry: json.dumps([entry], indent=2),
    "an object with the list": lambda entry: json.dumps({"Questions": [entry]}),
    "an object over many lines": lambda entry: json.dumps({"Questions": [entry]}, indent=2),
    "one object a line": lambda entry: json.dumps(entry) + "\n",
    "lines that end in CR LF": lambda entry: json.dumps(entry) + "\r\n",
    "a byte order mark": lambda entry: "\ufeff" + json.dumps(entry) + "\n",
}


@pytest.mark.parametrize("wrapped", WRAPPINGS.values(), ids=WRAPPINGS)
@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("webqsp", {"QuestionId": "q", "RawQuestion": "who", "Parses": [{"Sparql": QUERY, "Answers": []}]}),
        ("cwq", {"ID": "q", "question": "who", "sparql": QUERY}),
        ("grailqa", {"qid": "q", "question": "who", "sparql_query": QUERY}),
        (
            "freebaseqa",
            {
                "Question-ID": "q",
                "RawQuestion": "who",
                "Parses": [
                    {
                        "TopicEntityMid": "m.t",
                        "InferentialChain": "gov.positions..gov.office",
                        "Answers": [{"AnswersMid": "m.a"}],
                    }
                ],
            },
        ),
    ],
)
def test_json_is_read_whichever_way_it_is_wrapped(
    name: str, entry: dict[str, Any], wrapped: Callable[[dict[str, Any]], str], tmp_path: Path
) -> None:
    (question,) = read(tmp_path / "file.json", name, wrapped(entry))
    assert (question.id, question.text) == ("q", "who")
    assert question.topic == Entity("m.t")
    assert chain(question) == ["gov.positions", "gov.office"]


@pytest.mark.parametrize(
    ("given", "answers", "by"),
    [
        ({"answers": [{"answer_id": "m.0a", "answer": "A"}]}, {Entity("m.0a")}, "id"),
        ({"answers": [{"answer_id": None, "answer": "1996"}]}, {Date("1996")}, "id"),
        ({"answers": ["m.0a", "m.0b"]}, {Entity("m.0a"), Entity("m.0b")}, "id"),
        ({"answers": ["Ada", "Bob"]}, {Text("Ada", "en"), Text("Bob", "en")}, "name"),
        ({"answer": "Ada"}, {Text("Ada", "en")}, "name"),
        ({"answer": ["m.0a"]}, {Entity("m.0a")}, "id"),
        ({"answers": None, "answer": "m.0a"}, {Entity("m.0a")}, "id"),
        ({"answers": []}, frozenset(), "id"),
    ],
)
def test_complex_questions_with_answers_in_every_shape(
    given: dict[str, Any], answers: frozenset[object], by: str, tmp_path: Path
) -> None:
    entry = {"ID": "q", "question": "who", "sparql": QUERY} | given
    (question,) = read(tmp_path / "cwq.json", "cwq", json.dumps([entry]))
    assert question.parses[0].answers == answers
    assert question.compared_by == by
    assert "answers" not in question.labels


@pytest.mark.parametrize("given", [{}, {"answers": None}, {"answer": None}, {"sparql": None}])
def test_complex_questions_without_answers_do_not_claim_that_there_are_none(
    given: dict[str, Any], tmp_path: Path
) -> None:
    entry = {"ID": "q", "question": "who", "sparql": QUERY} | given
    (question,) = read(tmp_path / "cwq.json", "cwq", json.dumps([entry]))
    assert question.labels == {"answers": "unknown"}


@pytest.mark.parametrize("given", [5, True, {"answer_id": 5}, [[]], [{"answer": None}]])
def test_answers_that_are_none_are_refused_with_their_place(given: object, tmp_path: Path) -> None:
    good = {"ID": "good", "question": "who", "sparql": QUERY}
    (fault,) = refused(tmp_path / "cwq.json", "cwq", json.dumps([good, good | {"ID": "bad", "answers": given}]))
    assert fault.place == "question 2"


GRAPH_QUERY = {
    "nodes": [
        {"nid": 0, "node_type": "class", "id": "opera.librettist", "question_node": 1, "function": "none"},
        {"nid": 1, "node_type": "entity", "id": "m.05", "question_node": 0, "function": "none"},
        {
            "nid": 2,
            "node_type": "literal",
            "id": "1990^^http://www.w3.org/2001/XMLSchema#gYear",
            "question_node": 0,
            "function": ">=",
        },
    ],
    "edges": [
        {"start": 1, "end": 0, "relation": "opera.opera.librettist"},
        {"start": 0, "end": 2, "relation": "people.person.born"},
    ],
}
GRAIL = {
    "qid": 1,
    "question": "who wrote it",
    "graph_query": GRAPH_QUERY,
    "answer": [{"answer_type": "Entity", "answer_argument": "m.0b"}],
}


def test_a_graph_query_is_gold_enough(tmp_path: Path) -> None:
    (question,) = read(tmp_path / "g.json", "grailqa", json.dumps([GRAIL]))
    (parse,) = question.parses
    assert parse.topic == Entity("m.05")
    assert parse.derivation is not None
    assert [str(step.relation) for step in parse.derivation.steps] == ["opera.opera.librettist", "people.person.born"]
    (constraint,) = parse.derivation.constraints
    assert (constraint.position, str(constraint.operator), constraint.target) == (2, ">=", Date("1990"))
    assert parse.derivation.answer_position == 1


def test_a_graph_query_that_ranks_or_counts(tmp_path: Path) -> None:
    nodes = [dict(node) for node in GRAPH_QUERY["nodes"]]
    nodes[2]["function"] = "argmin"
    ranked, counting = GRAIL | {"graph_query": GRAPH_QUERY | {"nodes": nodes}}, [dict(node) for node in nodes]
    counting[0]["function"] = "count"
    counted = GRAIL | {"qid": 2, "graph_query": GRAPH_QUERY | {"nodes": counting}}
    first, second = read(tmp_path / "g.json", "grailqa", json.dumps([ranked, counted]))
    assert first.parses[0].derivation is not None
    assert [str(each.operator) for each in first.parses[0].derivation.constraints] == ["min"]
    assert not first.parses[0].derivation.counted
    assert second.parses[0].derivation == replace(first.parses[0].derivation, counted=True)


def test_a_public_test_file_has_questions_alone(tmp_path: Path) -> None:
    (question,) = read(tmp_path / "g.json", "grailqa", json.dumps([{"qid": 1, "question": "who wrote it"}]))
    assert question.labels == {"answers": "unknown"}
    assert question.topic is None


@pytest.mark.parametrize(
    "change",
    [
        {"nodes": []},
        {"nodes": "none"},
        {"edges": [{"start": 0, "end": 9, "relation": "a.b"}]},
        {"nodes": [GRAPH_QUERY["nodes"][0] | {"function": "median"}]},
    ],
)
def test_a_graph_query_that_is_none_is_refused(change: dict[str, Any], tmp_path: Path) -> None:
    broken = GRAIL | {"qid": 2, "graph_query": GRAPH_QUERY | change}
    (fault,) = refused(tmp_path / "g.json", "grailqa", json.dumps([GRAIL, broken]))
    assert fault.place == "question 2"


@pytest.mark.real_data
def test_graph_queries_say_what_sparql_says(real_data: Path, tmp_path: Path) -> None:
    """The official files have both, and no topic entity: either is decomposed into the same derivation."""
    entries = json.loads((real_data / "grailqa" / "grailqa_sample_1000.json").read_text(encoding="utf-8"))
    for entry in entries:
        del entry["topic_entity"]
    by_sparql = read(tmp_path / "sparql.json", "grailqa", json.dumps(entries))
    for entry in entries:
        del entry["sparql_query"]
    by_graph = read(tmp_path / "graph.json", "grailqa", json.dumps(entries))
    assert len(by_sparql) == len(by_graph) == 1_000
    assert sum(a.parses == b.parses for a, b in zip(by_sparql, by_graph, strict=True)) >= 999


@pytest.mark.parametrize("ending", ["#<end>#Live_Album", ""])
def test_pathquestion_with_either_ending_and_any_relation(ending: str, tmp_path: Path) -> None:
    line = (
        " what is the releases of Robin_Hood 's recording ?\tLive_Album(Live_Album/AC/DC/)\t"
        f"Robin_Hood#__music__release_track__recording#Robin_Hood#sung_by#Live_Album{ending}\n"
    )
    (question,) = read(tmp_path / "PQL-2H.txt", "pathquestion", line)
    assert question.text == "what is the releases of Robin Hood 's recording ?"
    assert chain(question) == ["music.release_track.recording", "sung_by"]
    assert Entity("Live_Album") in question.parses[0].answers


def test_an_answer_with_a_slash_is_one_where_the_path_ends_with_it(tmp_path: Path) -> None:
    line = "who sings it ?\tAC/DC(Kiss/AC/DC/)\tIt#artist#AC/DC\n"
    (question,) = read(tmp_path / "PQL-2H.txt", "pathquestion", line)
    assert question.parses[0].answers == {Entity("AC/DC"), Entity("Kiss")}


@pytest.mark.parametrize(
    ("subject", "relation", "answer"),
    [
        ("www.freebase.com/m/0a_", "www.freebase.com/people/person/place_of_birth", "www.freebase.com/m/0b"),
        ("fb:m.0a_", "fb:people.person.place_of_birth", "fb:m.0b"),
        ("/m/0a_", "/people/person/place_of_birth", "/m/0b"),
        ("m.0a_", "people.person.place_of_birth", "m.0b"),
        (
            "<http://rdf.freebase.com/ns/m.0a_>",
            "<http://rdf.freebase.com/ns/people.person.place_of_birth>",
            "<http://rdf.freebase.com/ns/m.0b>",
        ),
    ],
)
def test_simple_questions_write_terms_in_many_ways(subject: str, relation: str, answer: str, tmp_path: Path) -> None:
    line = f"{subject}\t{relation}\t{answer}\twhere was she born?\r\n"
    (question,) = read(tmp_path / "annotated_fb_data_test.txt", "simplequestions", line)
    assert question.id == "annotated_fb_data_test/1"
    assert question.text == "where was she born?"
    assert question.topic == Entity("m.0a_")
    assert chain(question) == ["people.person.place_of_birth"]
    assert question.parses[0].answers == {Entity("m.0b")}
    assert question.labels["answers"] == "one of several"


def test_simple_questions_over_wikidata_may_go_backwards(tmp_path: Path) -> None:
    (question,) = read(tmp_path / "annotated_wd_data.txt", "simplequestions", "Q1\tR19\tQ2\twho was born there\n")
    derivation = question.parses[0].derivation
    assert derivation is not None
    assert derivation.steps[0].relation == Relation("P19", Direction.REVERSE)


@pytest.mark.parametrize("line", ["m.a\tr.p\tm.b", "m.a\tr.p\tm.b\twho\tmore", "m a\tr.p\tm.b\twho", "\tr.p\tm.b\twho"])
def test_a_simple_question_that_is_none_is_refused_with_its_line(line: str, tmp_path: Path) -> None:
    (fault,) = refused(tmp_path / "s.txt", "simplequestions", f"m.a\tr.p\tm.b\twho\n{line}\n")
    assert fault.place == "line 2"


def test_rows_of_one_question_are_its_readings(tmp_path: Path) -> None:
    rows = [
        'Overture\toverture\tm.1\tmusic.composer\tnull\tm.t\tTchaikovsky\t"Who wrote ""Overture"", and when?"',
        "Men\tmen\tm.2\tfilm.starring\tfilm.actor\tm.f\tHenry Fonda\tWho is in Men?",
        'Overture\toverture\tm.1\tmusic.composer\tnull\tm.t\tPyotr Tchaikovsky\t"Who wrote ""Overture"", and when?"',
        'Overture\toverture\tm.3\tmusic.artist\tNULL\tm.t\tTchaikovsky\t"Who wrote ""Overture"", and when?"',
        "Men\tmen\tm.2\tfilm.starring",
    ]
    path = tmp_path / "FreebaseQA-dev.tab"
    first, second = read(path, "freebaseqa", "\n".join(rows))
    assert (first.id, first.text) == ("FreebaseQA-dev/1", 'Who wrote "Overture", and when?')
    assert [(parse.topic, parse.answers) for parse in first.parses] == [
        (Entity("m.1"), {Entity("m.t")}),
        (Entity("m.3"), {Entity("m.t")}),
    ]
    assert chain(second) == ["film.starring", "film.actor"]
    (fault,) = [entry for entry in read_dataset(path, "freebaseqa") if isinstance(entry, RefusedQuestion)]
    assert fault.place == "line 5"


@pytest.mark.parametrize("mention", ["overture\rof 1812", '"' + "x" * 200_000])
def test_a_row_that_is_no_table_is_refused_with_its_line(mention: str, tmp_path: Path) -> None:
    good = "Men\tmen\tm.2\tfilm.starring\tnull\tm.f\tHenry Fonda\tWho is in Men?\n"
    bad = f"Overture\t{mention}\tm.1\tmusic.composer\tnull\tm.t\tTchaikovsky\tWho wrote it?\n"
    (fault,) = refused(tmp_path / "FreebaseQA-dev.tab", "freebaseqa", good + bad)
    assert (fault.place, fault.reason) == ("line 2", Refusal.NOT_OF_FORMAT)


def test_metaqa_as_in_the_official_archive(tmp_path: Path) -> None:
    folder = tmp_path / "MetaQA" / "1-hop"
    folder.mkdir(parents=True)
    (folder / "qa_test_qtype.txt").write_text("movie_to_director\n", encoding="utf-8")
    (question,) = read(folder / "vanilla" / "qa_test.txt", "metaqa", "who directed [Jaws]\tSteven Spielberg\n")
    assert chain(question) == ["film.film.directed_by"]
    assert question.labels == {"hops": "1", "type": "movie_to_director"}


def test_webqsp_with_parts_missing(tmp_path: Path) -> None:
    entry = {"QuestionId": "q", "ProcessedQuestion": "who", "Parses": [{"Sparql": QUERY, "Answers": []}]}
    (question,) = read(tmp_path / "w.json", "webqsp", json.dumps({"Questions": [entry]}))
    assert question.text == "who"
    assert question.topic == Entity("m.t")
    assert question.labels == {}


def test_questions_of_ones_own_need_no_way_to_the_answer(tmp_path: Path) -> None:
    entry = {"id": "born", "question": "where was Ada born?", "answers": ["London"]}
    (question,) = read(tmp_path / "mine.jsonl", "discern", json.dumps(entry))
    assert (question.id, question.text, question.topic) == ("born/1", "where was Ada born?", None)
    (parse,) = question.parses
    assert (parse.answers, parse.derivation, parse.problem) == ({Entity("London")}, None, "no gold path")
    (question,) = read(tmp_path / "mine.jsonl", "discern", json.dumps(entry | {"topic": "Ada"}))
    assert question.topic == Entity("Ada")


def test_one_name_by_itself_is_as_good_as_a_list(tmp_path: Path) -> None:
    row = {"id": "r", "question": "who", "q_entity": "Abe", "a_entity": "Mary", "graph": [["Abe", "spouse", "Mary"]]}
    (question,) = read(tmp_path / "r.jsonl", "rog", json.dumps(row))
    assert (question.topic, question.parses[0].answers) == (Entity("Abe"), {Entity("Mary")})


def test_a_file_of_another_format_names_the_first_line_that_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "s.txt"
    path.write_text("what is this\n", encoding="utf-8")
    with pytest.raises(DatasetError, match="line 1: expected subject⇥relation⇥object⇥question"):
        list(read_dataset(path, "simplequestions"))
