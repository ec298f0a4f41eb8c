"""Files of questions with mistakes: what can be asked is asked, and everything else has a reason."""

from __future__ import annotations

import copy
import gzip
import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgstore.sparql.query_graph import Unreadable
from reasoning.core.boundary import UnforeseenError, one_question
from reasoning.core.errors import ScorerUnavailableError
from reasoning.datasets.benchmarks.webqsp_spines import read_spines
from reasoning.datasets.errors import DatasetError
from reasoning.datasets.question import BenchmarkQuestion, Refusal, RefusedQuestion
from reasoning.datasets.registry import FORMATS, asked, read_dataset
from reasoning.datasets.source import MAX_ID_LENGTH, MAX_STEPS, read_questions
from reasoning.evaluation.judging.rows import RowGraphs
from reasoning.evaluation.judging.selection import select
from reasoning.evaluation.judging.settings import EvaluationSettings
from reasoning.evaluation.metrics.structure_size import StructureTable
from reasoning.gold.decomposition import Problem
from reasoning.question.linking import MAX_QUESTION_LENGTH
from reasoning.training.lessons.sources import names_in, read_paths

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

QUERY = "PREFIX ns: <http://rdf.freebase.com/ns/> SELECT ?x WHERE { ns:m.t ns:gov.positions ?y . ?y ns:gov.office ?x }"
WEBQSP = {
    "QuestionId": "WebQTrn-1",
    "RawQuestion": "what office does he hold?",
    "Parses": [
        {
            "AnnotatorComment": {"ParseQuality": "Complete", "QuestionQuality": "Good"},
            "Sparql": QUERY,
            "TopicEntityMid": "m.t",
            "TopicEntityName": "He",
            "PotentialTopicEntityMention": "he",
            "Constraints": [{"Argument": "m.c", "EntityName": "C"}],
            "Answers": [
                {"AnswerType": "Entity", "AnswerArgument": "m.a", "EntityName": "A"},
                {"AnswerType": "Value", "AnswerArgument": "2010-05-01", "EntityName": None},
            ],
        }
    ],
}
CWQ = {
    "ID": "WebQTest-1_a",
    "webqsp_ID": "WebQTest-1",
    "question": "where is it",
    "sparql": QUERY,
    "compositionality_type": "conjunction",
    "answers": [{"answer_id": "m.0a", "answer": "A"}, {"answer_id": "1996", "answer": "1996"}],
}
GRAILQA = {
    "qid": 21,
    "question": "how many",
    "sparql_query": QUERY,
    "topic_entity": {"m.t": "T"},
    "answer": [{"answer_type": "Value", "answer_argument": "5^^http://www.w3.org/2001/XMLSchema#integer"}],
    "level": "i.i.d.",
    "function": "count",
}
ROG = {
    "id": "Q-1",
    "question": "when was abe born",
    "q_entity": ["Abe"],
    "a_entity": ["1834-11-10", "Mary"],
    "graph": [["Abe", "people.person.date_of_birth", "1834-11-10"], ["Abe", "people.person.spouse_s", "Mary"]],
}
DISCERN = {
    "id": "a-1",
    "phrasings": ["who is it", "who are they"],
    "topic": "en.a",
    "search": [[0, "r.p"], [1, "^r.q"]],
    "constraints": [[2, "=", '"2010"^^xsd:gYear'], [1, "max", None]],
    "answer": 1,
    "answers": ["en.b", '"5"^^xsd:integer'],
}
FREEBASEQA = {
    "Question-ID": "FreebaseQA-dev-0",
    "RawQuestion": "Who starred in 12 Angry Men?",
    "ProcessedQuestion": "who starred in 12 angry men",
    "Parses": [
        {
            "Parse-Id": "FreebaseQA-dev-0.P0",
            "PotentialTopicEntityMention": "12 angry men",
            "TopicEntityName": "12 angry men",
            "TopicEntityMid": "m.0m_tj",
            "InferentialChain": "film.film.starring..film.performance.actor",
            "Answers": [{"AnswersMid": "m.0cj8x", "AnswersName": ["henry fonda"]}],
        }
    ],
}
QALD = {
    "id": "99",
    "answertype": "resource",
    "aggregation": False,
    "question": [{"language": "de", "string": "Wer schrieb Emma?"}, {"language": "en", "string": "Who wrote Emma?"}],
    "query": {"sparql": "SELECT ?uri WHERE { <http://e.org/Emma> <http://e.org/author> ?uri }"},
    "answers": [
        {
            "head": {"vars": ["uri"]},
            "results": {"bindings": [{"uri": {"type": "uri", "value": "http://e.org/Jane_Austen"}}]},
        }
    ],
}
LCQUAD = {
    "_id": "1501",
    "corrected_question": "How many films did Stanley Kubrick direct?",
    "sparql_query": "SELECT DISTINCT COUNT(?uri) WHERE {?uri <http://e.org/director> <http://e.org/Kubrick> . }",
    "sparql_template_id": 101,
}
QUESTIONS = {
    "qald": QALD,
    "lcquad": LCQUAD,
    "webqsp": WEBQSP,
    "cwq": CWQ,
    "grailqa": GRAILQA,
    "freebaseqa": FREEBASEQA,
    "rog": ROG,
    "discern": DISCERN,
    "asked": {"id": "1", "question": "who is it"},
    "confirmed": {
        **{key: value for key, value in DISCERN.items() if key != "phrasings"},
        "question": "who is it",
        "confirmed": True,
    },
}
LINES = {
    "metaqa": "which films did [Sharon Tate] act in\tValley of the Dolls|1967\n",
    "pathquestion": (
        "what is the nation of abe 's couple ?\twales(wales/england/)\tabe#spouse#b#nationality#wales#<end>#wales\n"
    ),
    "simplequestions": (
        "www.freebase.com/m/0a\twww.freebase.com/people/person/nationality\twww.freebase.com/m/0b\twhere is abe from\n"
    ),
}
NAMES = sorted(FORMATS)
KEYS = {"webqsp": "QuestionId", "cwq": "ID", "grailqa": "qid", "freebaseqa": "Question-ID", "lcquad": "_id"}
"""What the key of a question's id is called, if not ``id``."""


def document(name: str, *questions: object) -> bytes:
    """A file of a format in JSON; what is no question stands in it as it is."""
    if name in ("webqsp", "freebaseqa"):
        return json.dumps({"Questions": questions}).encode()
    if name == "qald":
        return json.dumps({"questions": questions}).encode()
    if name in ("cwq", "grailqa", "lcquad"):
        return json.dumps(questions).encode()
    return b"".join(json.dumps(question).encode() + b"\n" for question in questions)


def good(name: str) -> bytes:
    """A file with two questions."""
    if name in LINES:
        return (LINES[name] * 2).encode()
    key = KEYS.get(name, "id")
    return document(name, QUESTIONS[name], QUESTIONS[name] | {key: "another"})


def read(path: Path, name: str, content: bytes) -> list[BenchmarkQuestion | RefusedQuestion]:
    path.write_bytes(content)
    return list(read_dataset(path, name))


def used(path: Path, name: str, content: bytes) -> list[BenchmarkQuestion | RefusedQuestion]:
    """Read a file, and do with it all that evaluations and trainings do; fail over any error but a `DatasetError`."""
    try:
        found = read(path, name, content)
    except DatasetError:
        return []
    for entry in found:
        if isinstance(entry, RefusedQuestion):
            assert entry.place
            assert entry.detail
            assert entry.reason in {*map(str, Refusal)}, entry
            json.dumps(entry.to_json(), ensure_ascii=False)
            continue
        # What is handed to a database, shown and printed.
        json.dumps(entry.to_json(), ensure_ascii=False).encode()
        assert BenchmarkQuestion.from_json(json.loads(json.dumps(entry.to_json()))) == entry
        assert entry.split in ("train", "validation")
        for parse in entry.parses:
            assert (parse.derivation is None) == bool(parse.problem)
            assert "unforeseen" not in parse.problem, parse
    StructureTable().add(found)
    selection = select(iter(found), EvaluationSettings(gold_branches_from=2))
    assert sum(selection.left_out.values()) + len(selection.questions) == len(found)
    if name == "webqsp":
        read_spines(path)
        names_in(path, name)
    if name == "rog" and any(True for _ in asked(found)):
        RowGraphs(path).__exit__(None, None, None)
    return found


HOSTILE: list[Any] = [
    *(None, True, 0, -1, 2.5, 1e308, 10**400, "", " ", "\x00", "\ud800", "\u202e", [], {}, [[]], [None], {"a": None}),
    *(
        '"',
        '"x"',
        '"x"^^xsd:date',
        "/m/",
        "^",
        "x" * (MAX_QUESTION_LENGTH + 1),
        "x" * 50_000,
        "1e999",
        "-9999999",
        "٢٠١١",
    ),
    *("²", "nan^^xsd:double", "(" * 5_000, QUERY.replace("?x }", "?x FILTER(?x < ?y) }"), "\u0000\uffff", [1] * 500),
]
BYTES = [b"\xed\xa0\x80", b"\x00", b"\n", b"[" * 3_000]
SIGNS = ["[", "]", "|", "\t", "#", "<end>", "(", "/)", "a", "_"]
json_values = st.recursive(
    st.sampled_from(HOSTILE) | st.text(max_size=20) | st.integers() | st.floats(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def places(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value within a document."""
    yield way
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*way, key))


def replaced(value: Any, way: tuple[Any, ...], new: Any) -> Any:
    """A document with another value at one place."""
    if not way:
        return new
    value = copy.copy(value)
    value[way[0]] = replaced(value[way[0]], way[1:], new)
    return value


@st.composite
def mutated(draw: st.DrawFn, name: str) -> Any:
    """A question of a format in which some values are others, or are gone."""
    question = QUESTIONS[name]
    for _ in range(draw(st.integers(1, 3))):
        way = draw(st.sampled_from(list(places(question))))
        if way and draw(st.booleans()):
            inner = question
            for key in way[:-1]:
                inner = inner[key]  # type: ignore[assignment,index]
            less: Any = copy.copy(inner)
            del less[way[-1]]
            question = replaced(question, way[:-1], less)
        else:
            question = replaced(question, way, draw(json_values))
        if not isinstance(question, dict):
            break
    return question


many = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("name", sorted(QUESTIONS))
@many
@given(data=st.data())
def test_a_mutated_question_is_asked_or_refused_and_the_rest_goes_on(
    name: str, tmp_path: Path, data: st.DataObject
) -> None:
    broken = data.draw(mutated(name))
    key = KEYS.get(name, "id")
    found = used(tmp_path / "file", name, document(name, broken, QUESTIONS[name] | {key: "the last one"}))
    assert found
    assert any(question.id.startswith("the last one") for question in asked(found))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@many
@given(data=st.data())
def test_a_file_with_other_bytes_is_read_or_refused(name: str, tmp_path: Path, data: st.DataObject) -> None:
    content = bytearray(good(name))
    for _ in range(data.draw(st.integers(1, 5))):
        start = data.draw(st.integers(0, len(content)))
        end = data.draw(st.integers(start, min(len(content), start + 40)))
        content[start:end] = data.draw(
            st.binary(max_size=6) | st.sampled_from([b"\xed\xa0\x80", b"\x00", b"\n", b"[" * 3_000])
        )
    used(tmp_path / "file", name, bytes(content))


@pytest.mark.parametrize("name", sorted(LINES))
@many
@given(
    line=st.text(max_size=80)
    | st.lists(st.sampled_from(["[", "]", "|", "\t", "#", "<end>", "(", "/)", "a", "_"])).map("".join)
)
def test_a_line_of_any_text_is_read_or_refused(name: str, line: str, tmp_path: Path) -> None:
    content = line.encode(errors="surrogatepass") + b"\n" + LINES[name].encode()
    found = used(tmp_path / "file", name, content)
    assert sum(1 for _ in asked(found)) >= 1


@pytest.mark.parametrize("name", sorted(QUESTIONS))
@pytest.mark.parametrize("entry", [None, 5, "text", [], {}, [[[]]]], ids=repr)
def test_what_is_no_question_at_all_is_refused_with_its_place(name: str, entry: object, tmp_path: Path) -> None:
    refused, *questions = read(tmp_path / "file", name, document(name, entry, QUESTIONS[name]))
    assert isinstance(refused, RefusedQuestion)
    assert refused.place in ("question 1", "question 1 (None)", "line 1")
    assert refused.reason in (Refusal.NOT_OF_FORMAT, Refusal.NOT_JSON)
    assert questions
    assert all(isinstance(question, BenchmarkQuestion) for question in questions)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"RawQuestion": "x" * (MAX_QUESTION_LENGTH + 1)}, Refusal.UNREADABLE),
        ({"RawQuestion": "  "}, Refusal.UNREADABLE),
        ({"RawQuestion": "who\x00"}, Refusal.NOT_TEXT),
        ({"RawQuestion": "who \ud800"}, Refusal.NOT_TEXT),
        ({"QuestionId": "\udfff"}, Refusal.NOT_TEXT),
        ({"QuestionId": "x" * (MAX_ID_LENGTH + 1)}, Refusal.NOT_OF_FORMAT),
        ({"QuestionId": 7}, Refusal.NOT_OF_FORMAT),
        ({"QuestionId": ["WebQTrn-1"]}, Refusal.NOT_OF_FORMAT),
        ({"Parses": None}, Refusal.NOT_OF_FORMAT),
        ({"Parses": WEBQSP}, Refusal.NOT_OF_FORMAT),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_question_that_cannot_be_asked_has_its_reason(change: dict[str, Any], reason: str, tmp_path: Path) -> None:
    refused, question = read(tmp_path / "file", "webqsp", document("webqsp", WEBQSP | change, WEBQSP))
    assert isinstance(refused, RefusedQuestion)
    assert isinstance(question, BenchmarkQuestion)
    assert refused.reason == reason
    assert refused.place.startswith("question 1")


def test_the_longest_question_is_asked(tmp_path: Path) -> None:
    (question,) = read(tmp_path / "file", "cwq", document("cwq", CWQ | {"question": "x" * MAX_QUESTION_LENGTH}))
    assert isinstance(question, BenchmarkQuestion)


def test_a_second_question_of_one_id_is_refused(tmp_path: Path) -> None:
    first, second = read(tmp_path / "file", "webqsp", document("webqsp", WEBQSP, WEBQSP))
    assert isinstance(first, BenchmarkQuestion)
    assert isinstance(second, RefusedQuestion)
    assert (second.reason, second.place) == (Refusal.KNOWN_ID, "question WebQTrn-1")


def test_a_query_that_is_not_understood_leaves_the_question_without_a_way(tmp_path: Path) -> None:
    bound = (
        "FILTER(NOT EXISTS {?y ns:a.b.from ?s} || EXISTS {?y ns:a.b.from ?t . "
        "FILTER(xsd:datetime(?t) - xsd:datetime(?v) <= 0)}) }"
    )
    queries = {
        "a variable": (QUERY.replace("}", f". ?y ns:a.b.to ?v {bound}"), Problem.VARIABLES_COMPARED),
        "a surrogate": (QUERY.replace("ns:m.t", "'\ud800'"), None),
        "depth": (QUERY.replace("}", "FILTER " + "(" * 500), Unreadable.TOO_LARGE),
    }
    entries = [CWQ | {"ID": name, "sparql": query} for name, (query, _) in queries.items()]
    found = read(tmp_path / "file", "cwq", document("cwq", *entries))
    for entry, (name, (_, problem)) in zip(found, queries.items(), strict=True):
        assert isinstance(entry, BenchmarkQuestion), name
        assert entry.parses[0].problem == (problem or Unreadable.NOT_TEXT)
        assert entry.parses[0].answers


@pytest.mark.parametrize(
    "change",
    [
        {"search": [[1, "r.p"]]},
        {"search": [[-1, "r.p"]]},
        {"search": [["0", "r.p"]]},
        {"search": [[0, 5]]},
        {"answer": 3},
        {"answer": None},
        {"constraints": [[9, "=", "en.b"]]},
        {"constraints": [[1, "max", "en.b"]]},
        {"constraints": [[1, "=", None]]},
        {"constraints": [[1, "~", "en.b"]]},
        {"topic": 5},
        {"topic": ["en.a"]},
        {"phrasings": "who"},
        {"phrasings": [None]},
        {"search": [[place, "r.p"] for place in range(MAX_STEPS + 1)]},
    ],
    ids=str,
)
def test_a_derivation_that_no_run_could_take_is_refused(change: dict[str, Any], tmp_path: Path) -> None:
    refused, *questions = read(tmp_path / "file", "discern", document("discern", DISCERN | change, DISCERN))
    assert isinstance(refused, RefusedQuestion)
    assert refused.reason == Refusal.NOT_OF_FORMAT
    assert len(questions) == 2


@pytest.mark.parametrize(
    "answers", ["Glen A. Larson", {"en.glen_a_larson": 1}, None, 7, [None], [["en.glen"]]], ids=repr
)
def test_answers_that_are_no_list_of_texts_are_refused(answers: object, tmp_path: Path) -> None:
    """A text above all, whose letters would be answers."""
    asked = {"id": "one", "question": "who created Knight Rider?", "topic": "en.knight_rider", "answers": ["en.glen"]}
    refused, *questions = read(tmp_path / "file", "discern", document("discern", asked | {"answers": answers}, asked))
    assert isinstance(refused, RefusedQuestion)
    assert refused.reason == Refusal.NOT_OF_FORMAT
    assert len(questions) == 1


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda content: gzip.compress(content)[:20], "is damaged"),
        (lambda content: b"PK\x03\x04" + content, "is damaged"),
        (lambda content: content.decode().encode("utf-16"), "is UTF-16. Save it as UTF-8"),
        (lambda content: b"\xff" * len(content), "expected"),
    ],
    ids=["cut gzip", "cut zip", "UTF-16", "bytes"],
)
def test_a_file_that_is_no_text_is_refused_as_a_whole(name: str, spoil: Any, says: str, tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=str(tmp_path)) as refused:
        read(tmp_path / "file", name, spoil(good(name)))
    assert says in str(refused.value)


@pytest.mark.parametrize("name", ["webqsp", "grailqa"])
@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty. Name a file with questions"),
        (b"  \n", "is empty"),
        (good("webqsp")[:-30], "The file ends too early: copy it again"),
        (b"[" * 100_000, "expected JSON"),
        (b"[" + b"1" * 5_000 + b"]", "expected"),
        (b"<html>", "line 1: expected JSON"),
        (b'{"Questions": {}}', "expected a"),
    ],
    ids=["empty", "blank", "cut", "deep", "digits", "page", "shape"],
)
def test_a_file_that_is_not_json_is_refused_as_a_whole(name: str, content: bytes, says: str, tmp_path: Path) -> None:
    with pytest.raises(DatasetError) as refused:
        read(tmp_path / "file", name, content)
    assert says in str(refused.value)


def test_lines_that_are_not_utf8_or_nest_too_deeply_are_refused_one_by_one(tmp_path: Path) -> None:
    lines = [b'{"id": "\xff"}', b"[" * 100_000, b'{"id": ' + b"1" * 5_000 + b"}", json.dumps(CWQ).encode()]
    content = b"\xef\xbb\xbf" + b"\n".join([json.dumps(CWQ | {"ID": "first"}).encode(), *lines])
    first, *refused, last = read(tmp_path / "file", "cwq", content)
    assert isinstance(first, BenchmarkQuestion)
    assert isinstance(last, BenchmarkQuestion)
    shown = [(entry.place, entry.reason) for entry in refused if isinstance(entry, RefusedQuestion)]
    assert shown == [("line 2", Refusal.NOT_UTF8), ("line 3", Refusal.NOT_JSON), ("line 4", Refusal.NOT_JSON)]


def test_what_nobody_foresaw_is_caught_around_one_entry_and_named_by_its_type(caplog: pytest.LogCaptureFixture) -> None:
    def reader(place: str, entry: int) -> list[BenchmarkQuestion]:
        return [BenchmarkQuestion(f"{place} {1 // entry}", "who", ())]

    found = list(read_questions([("a", 1), ("b", 0), ("c", 1)], reader, "expected"))
    assert [isinstance(entry, BenchmarkQuestion) for entry in found] == [True, False, True]
    assert isinstance(found[1], RefusedQuestion)
    assert (found[1].place, found[1].reason) == ("b", "unforeseen ZeroDivisionError")
    assert "question b broke" in caplog.text
    assert "ZeroDivisionError" in caplog.text


def test_the_errors_of_graphs_and_models_are_not_those_of_a_question() -> None:
    with pytest.raises(ScorerUnavailableError), one_question("a"):
        raise ScorerUnavailableError("gone")
    with pytest.raises(KeyError), one_question("a", KeyError):
        raise KeyError
    with pytest.raises(UnforeseenError, match=r"^unforeseen KeyError$"), one_question("a"):
        raise KeyError


@many
@given(value=json_values)
def test_paths_that_are_not_paths_are_passed_over(value: object, tmp_path: Path) -> None:
    path = tmp_path / "paths.json"
    right = {"path": [[["r.p", "r.q", "END OF HOP"], 0.5]]}
    path.write_text(json.dumps({"who": right, "what": {"path": value}, "when": value}), encoding="utf-8")
    assert read_paths(path)["who"] == [["r.p", "r.q"]]


@pytest.mark.real_data
def test_every_real_query_decomposes_or_has_one_of_few_reasons(real_data: Path) -> None:
    problems: dict[str, Counter[str]] = {}
    for file, name in (
        ("webqsp/WebQSP.train.json", "webqsp"),
        ("cwq/cwq_val_sparql.jsonl", "cwq"),
        ("grailqa/grailqa_sample_1000.json", "grailqa"),
    ):
        found = list(read_dataset(real_data / file, name))
        assert not [entry for entry in found if isinstance(entry, RefusedQuestion)]
        problems[name] = Counter(parse.problem for question in asked(found) for parse in question.parses)
    assert problems == {
        "webqsp": {
            "": 3_398,
            Unreadable.ALTERNATIVES: 25,
            Problem.VARIABLES_COMPARED: 17,
            Problem.ANSWER_CONSTRAINED: 5,
            Unreadable.NOT_THE_FIRST: 1,
            Unreadable.AGGREGATE: 3,
            Problem.TOPIC_ABSENT: 2,
            Problem.NO_ENTITY: 1,
            Unreadable.NOT_SPARQL: 1,
        },
        "cwq": {"": 3_485, Problem.CYCLE: 19, Unreadable.AGGREGATE: 15},
        "grailqa": {"": 1_000},
    }
