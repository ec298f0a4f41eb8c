"""What each reader makes of a file is recorded with the reader's version: who changes one changes the other.

Snapshots of datasets are found by their file and that version, so a reader that reads otherwise under the same version
would hand out questions that it did not read.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from reasoning.datasets.identity import SnapshotDigest
from reasoning.datasets.registry import FORMATS, asked, read_dataset

if TYPE_CHECKING:
    from pathlib import Path

PREFIX = "PREFIX ns: <http://rdf.freebase.com/ns/>\n"
QUERIES = (
    PREFIX + "SELECT DISTINCT ?x WHERE { ns:m.t ns:gov.positions ?y . ?y ns:gov.office ?x . FILTER (?x != ns:m.t) }",
    PREFIX + "SELECT ?x WHERE { ?x ns:people.person.born ?d . ns:m.t ns:film.film.cast ?x } ORDER BY DESC(?d) LIMIT 1",
    PREFIX + 'SELECT ?x WHERE { ns:m.t ns:a.b.c ?y . ?y ns:d.e.f ?x . ?y ns:g.h.from ?n . FILTER (?n > "1990") }',
    "",
    PREFIX + "SELECT (COUNT(?x) AS ?n) WHERE { SELECT DISTINCT ?x WHERE { ns:m.t ns:film.film.cast ?x } }",
)


def webqsp() -> list[dict[str, Any]]:
    answers = [{"AnswerType": "Entity", "AnswerArgument": "m.0a"}]
    answers += [{"AnswerType": "Value", "AnswerArgument": value} for value in ("1996", "032")]
    comment = {"ParseQuality": "Complete", "QuestionQuality": "Good"}
    return [
        {
            "QuestionId": f"q-{number}",
            "RawQuestion": "Who was it?",
            "ProcessedQuestion": "who was it",
            "Parses": [
                {
                    "ParseId": f"q-{number}.P0",
                    "AnnotatorComment": comment,
                    "Sparql": query,
                    "TopicEntityMid": "m.t",
                    "InferentialChain": ["gov.positions", "gov.office"],
                    "Answers": answers,
                }
            ],
        }
        for number, query in enumerate(QUERIES)
    ]


def cwq() -> list[dict[str, Any]]:
    given: tuple[dict[str, Any], ...] = (
        {"answers": [{"answer_id": "m.0a"}]},
        {"answer": "Ada"},
        {"answers": ["1996", "m.0b"]},
        {},
        {"answers": ["3", "032"]},
    )
    return [
        {"ID": f"q-{number}", "webqsp_ID": "w", "question": "who", "sparql": query, "compositionality_type": "a"} | more
        for number, (query, more) in enumerate(zip(QUERIES, given, strict=True))
    ]


def grailqa() -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = [
        {"nid": 0, "node_type": "class", "id": "opera.librettist", "question_node": 1, "function": "none"},
        {"nid": 1, "node_type": "entity", "id": "m.05", "question_node": 0, "function": "none"},
        {"nid": 2, "node_type": "literal", "id": "1990^^http://www.w3.org/2001/XMLSchema#gYear", "function": ">="},
    ]
    edges = [{"start": 1, "end": 0, "relation": "opera.opera.by"}, {"start": 0, "end": 2, "relation": "a.person.born"}]
    answers = [
        {"answer_type": "Entity", "answer_argument": "m.0b"},
        {"answer_type": "Value", "answer_argument": "1^^http://www.w3.org/2001/XMLSchema#integer"},
    ]
    counting = {"nodes": [{**nodes[0], "function": "count"}, nodes[1]], "edges": edges[:1]}
    counted = [{"answer_type": "Value", "answer_argument": "1523"}]
    entry = {"question": "who", "answer": answers, "graph_query": {"nodes": nodes, "edges": edges}, "level": "i.i.d."}
    return [
        {"qid": 1, **entry},
        {"qid": 2, **entry, "sparql_query": QUERIES[0], "s_expression": "(AND opera.librettist (JOIN a.b.c m.05))"},
        {"qid": 3, "question": "who"},
        {"qid": 4, **entry, "graph_query": counting, "answer": counted},
    ]


FILES: dict[str, tuple[str, ...]] = {
    "webqsp": ("WebQSP.json", json.dumps({"Questions": webqsp()})),
    "cwq": ("ComplexWebQuestions.json", json.dumps(cwq())),
    "grailqa": ("grailqa.json", json.dumps(grailqa())),
    "metaqa": ("dev.txt", "what are the films of [Ada]\tNight|1996", "when was [Night] released\t1996"),
    "pathquestion": (
        "PQ-2H.txt",
        "where is ada_b 's couple from ?\twales(wales/england/)\tada_b#spouse#bob#nationality#wales#<end>#wales",
    ),
    "simplequestions": (
        "annotated_fb_data_valid.txt",
        "www.freebase.com/m/0a\twww.freebase.com/people/person/born\twww.freebase.com/m/0b\twhere was she born?",
    ),
    "freebaseqa": (
        "FreebaseQA-dev.tab",
        "Men\tmen\tm.2\tfilm.starring\tfilm.actor\tm.f\tHenry Fonda\tWho is in Men?",
        "Men\tmen\tm.3\tmusic.artist\tnull\tm.f\tHenry Fonda\tWho is in Men?",
        "Men\tmen\tm.3\tfilm.code\tnull\t032\t032\tWhich code has Men?",
    ),
    "qald": (
        "qald-9-train-multilingual.json",
        json.dumps(
            {
                "questions": [
                    {
                        "id": "1",
                        "answertype": "resource",
                        "question": [{"language": "en", "string": "Who wrote Emma?"}],
                        "query": {"sparql": "SELECT ?uri WHERE { <http://e.org/Emma> <http://e.org/author> ?uri }"},
                        "answers": [
                            {
                                "head": {"vars": ["uri"]},
                                "results": {"bindings": [{"uri": {"type": "uri", "value": "http://e.org/Austen"}}]},
                            }
                        ],
                    },
                    {
                        "id": 2,
                        "question": [{"language": "en", "string": "Did Austen write Emma?"}],
                        "query": {"sparql": "ASK { <http://e.org/Emma> <http://e.org/author> <http://e.org/Austen> }"},
                        "answers": [{"head": {}, "boolean": True}],
                    },
                ]
            }
        ),
    ),
    "lcquad": (
        "lcquad.json",
        json.dumps(
            [
                {
                    "_id": "1",
                    "corrected_question": "How many films did Kubrick direct?",
                    "sparql_query": "SELECT DISTINCT COUNT(?u) WHERE {?u <http://e.org/by> <http://e.org/K> . }",
                    "sparql_template_id": 101,
                },
                {
                    "uid": 2,
                    "question": "Who is the child of Q1?",
                    "sparql_wikidata": "select ?x where { wd:Q1 wdt:P40 ?x }",
                    "template_id": 1,
                },
            ]
        ),
    ),
    "rog": (
        "rows.jsonl",
        '{"id": "r", "question": "who", "q_entity": ["A"], "a_entity": ["B"], "graph": [["A", "spouse", "B"]]}',
        '{"id": "s", "question": "w", "q_entity": ["A"], "a_entity": ["1990"], "graph": [["A", "a.opened", "1990"]]}',
    ),
    "discern": (
        "mine.jsonl",
        '{"id": "one", "phrasings": ["?", "!?"], "topic": "m", "search": [[0, "a.b"]], "constraints": [], "answer": 1}',
        '{"id": "two", "phrasings": ["?"], "unanswerable": "none"}',
    ),
    "asked": ("asked.jsonl", '{"id": "one", "question": "who is it?"}'),
    "confirmed": (
        "confirmed.jsonl",
        '{"id": "1", "question": "?", "confirmed": true, "topic":"m", "search":[[0, "a"]], "answer": 1, "answers": ["n"]}',  # noqa: E501 - one line of a file
        '{"id": "two", "question": "?", "topic": "m", "answers": ["n"]}',
    ),
}
"""For each format a file's name and its lines."""
READINGS = {
    "webqsp": (4, "84dd1eb8e0fab64f538de9156060603b163deec3d17c5811a06b33103954e94c"),
    "cwq": (4, "b60b897538afdf5c44c1a723a72d456dd34c6385da4450b5e4a96d5e6fdf82eb"),
    "grailqa": (5, "852755dbd88a5e2c1961e70873b2878d3b8fbee08c775bc169ff59b903387a39"),
    "metaqa": (1, "8df3d43275d3ce5f6f0ce38d65094c84836fb01a28b2a4eb61c2074b50489fc9"),
    "pathquestion": (1, "2e446104d05c6cf234eb0a40a7be3cb59cb26944d980190278a5e787d99a76de"),
    "simplequestions": (1, "50480dfea8e57189043a3b7451bc00ce12bd678029701b5b4f65d7bcf90999c9"),
    "freebaseqa": (2, "4290a72fa649b5132f2a2103dae72c98bfd6ef82ac39fdad19ff7fd0cfe11a2d"),
    "qald": (1, "0f833256f694663f2211369cf54be979dffb76ce26220989f4e349bc528e7dbf"),
    "lcquad": (1, "2d6913359817aaed97595967eecef0d9bf62fcb64680b7120bebcea26d737874"),
    "rog": (3, "a461ebc5fdd45b0e2613e5e3d858f763abc7431e7537a1524a7e6d26e2831386"),
    "discern": (3, "15773992e15a4e56adbea78b29f2db0c5f18bf60340645498155980b6c48cac1"),
    "asked": (1, "53d6f7c340fe1f7e871a54a23dc7c63ca40c8236e463b02fb9f9f1728480548b"),
    "confirmed": (1, "197b703fc7346b650a0f9acc8e473c33a9a6bedd0ce29890bc7737f4058b7b94"),
}
"""For each format the version of its reader, and the identity of the questions that it reads in its file above."""


@pytest.mark.parametrize("name", FORMATS)
def test_a_reader_that_reads_otherwise_has_another_version(name: str, tmp_path: Path) -> None:
    file, *lines = FILES[name]
    path = tmp_path / file
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    if name == "metaqa":
        (tmp_path / "qa_dev_qtype.txt").write_text("actor_to_movie\nmovie_to_year\n", encoding="utf-8")
    digest = SnapshotDigest()
    for question in asked(read_dataset(path, name)):
        digest.add(question.to_json())
    assert (FORMATS[name].reader_version, digest.hexdigest()) == READINGS[name], (
        f"The reader of {name} reads this file otherwise than before. Raise its reader_version, and record both here."
    )
