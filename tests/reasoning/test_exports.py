"""What is exported is read again by our own readers as the same question, answers and derivation, or is left out."""

from __future__ import annotations

import csv
import json
import random
import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from kgstore.freebase.knowledge import TYPE
from kgstore.loading.formats.by_name import entity_id
from kgstore.loading.formats.rog import RogReader
from kgstore.loading.reading import GraphToLoad
from kgstore.sqlite.library import SqliteLibrary
from kgstore.sqlite.loader import load_graph
from kgstore.sqlite.store import SqliteStore
from kgstore.terms import Date, Entity, Number, Relation, Term, Text, Triple, parse_term
from reasoning.core.derivation import Constraint, Derivation, Operator, SearchStep
from reasoning.core.structure import ROOT
from reasoning.datasets.question import BenchmarkQuestion
from reasoning.datasets.registry import asked, read_dataset
from reasoning.exports.grailqa import graph_query
from reasoning.exports.label import ExportedLabel
from reasoning.exports.registry import EXPORT_FORMATS
from reasoning.exports.s_expression import s_expression
from reasoning.exports.sameness import asks
from reasoning.exports.source import ExportTally, LeftOut, LeftOutError, exported
from reasoning.exports.written import on_one_line
from reasoning.facts.pruning import meets
from reasoning.gold.decomposition import decompose
from reasoning.gold.fitting import read_on, replay
from reasoning.labels.gold_subgraph import gold_subgraph
from tests.reasoning.random_graphs import KINDS, random_derivation, random_triples, replayed, sqlite_store
from tests.sample import sample_questions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from kgstore.loading.formats.lines import TripleText
    from kgstore.store import GraphStore

READ_AGAIN = ("discern", "webqsp", "grailqa", "rog")
A = Entity("m.a")


def label(**given: Any) -> ExportedLabel:
    """A label about one thing, answered by another."""
    usual: dict[str, Any] = {
        "id": "q/label-1",
        "question_id": "q",
        "text": "who acts?",
        "kind": "derivation",
        "graph": "toy",
        "topic": A,
        "answers": (Entity("m.b"),),
        "derivation": Derivation(A, (SearchStep(0, Relation("film.film.actor")),), (), 1),
        "facts": (Triple(A, "film.film.actor", Entity("m.b")),),
        "names": {A: "The film", Entity("m.b"): "Bea"},
    }
    return ExportedLabel(**{**usual, **given})


def written(format_: str, labels: Iterable[ExportedLabel], path: Path) -> ExportTally:
    tally = ExportTally()
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(exported(labels, EXPORT_FORMATS[format_], tally))
    return tally


def read_again(
    format_: str, labels: Iterable[ExportedLabel], path: Path
) -> tuple[list[BenchmarkQuestion], ExportTally]:
    """What our reader of the format makes of the file; it may refuse none of those that went in."""
    tally = written(format_, labels, path)
    if not tally.went_in:
        return [], tally
    found = list(read_dataset(path, format_))
    assert all(isinstance(each, BenchmarkQuestion) for each in found), found
    return list(asked(found)), tally


def ensure_same(format_: str, of: ExportedLabel, read: BenchmarkQuestion) -> None:
    """See that a question that was read says what a label said, as far as the format promises it."""
    (parse,) = read.parses
    assert read.id == (f"{of.id}/1" if format_ == "discern" else of.id)
    assert read.text.strip() == of.text.strip()
    if format_ == "rog":
        named = [t if isinstance(t, Number | Date) else Entity(entity_id(_name(of, t))) for t in of.answers]
        assert parse.answers == set(named)
        assert parse.topic == (None if of.topic is None else Entity(entity_id(of.name(of.topic))))
        return
    assert parse.answers == set(of.answers)
    assert parse.topic == of.topic
    if of.derivation is None or format_ == "discern":
        assert parse.derivation == of.derivation
    else:
        assert parse.derivation is not None
        assert asks(parse.derivation) == asks(of.derivation)


def _name(of: ExportedLabel, term: Term) -> str:
    return term.value if isinstance(term, Text) else of.name(term)


# --- The questions of the sample


@pytest.fixture(scope="module")
def sample_labels(sample: GraphStore) -> list[ExportedLabel]:
    """Each question of the sample as a label with its facts, those without a way as others."""
    found = []
    for question in list(sample_questions())[::3]:
        derivation = question.derivation
        facts = () if derivation is None else gold_subgraph(derivation, sample)
        kind = "unanswerable" if question.unanswerable else "derivation" if derivation else "answers"
        terms = {t for f in facts for t in (f.subject, f.object)} | set(question.answers)
        terms |= {question.topic} if question.topic else set()
        found.append(
            ExportedLabel(
                id=question.id,
                question_id=question.id,
                text=question.phrasings[0],
                kind=kind,
                graph="sample",
                topic=question.topic,
                answers=tuple(sorted(question.answers, key=str)),
                derivation=derivation,
                facts=facts,
                missing="fact" if question.unanswerable else "",
                names=dict(sample.labels(terms)),
            )
        )
    return found


@pytest.mark.slow
@pytest.mark.parametrize("format_", READ_AGAIN)
def test_the_questions_of_the_sample_are_read_again_as_they_were(
    format_: str, sample_labels: list[ExportedLabel], tmp_path: Path
) -> None:
    read, tally = read_again(format_, sample_labels, tmp_path / "labels")
    by_id = {each.id: each for each in sample_labels}
    for question in read:
        ensure_same(format_, by_id[question.id.removesuffix("/1") if format_ == "discern" else question.id], question)
    assert tally.went_in + tally.left_out.total() == len(sample_labels)
    assert tally.went_in == len(read)
    ways = sum(each.derivation is not None for each in sample_labels)
    assert tally.went_in > 0.9 * (len(sample_labels) if format_ in ("discern", "webqsp") else ways), tally


def test_a_gold_subgraph_holds_the_answers_and_nothing_that_leads_elsewhere(
    sample: GraphStore, sample_labels: list[ExportedLabel], tmp_path: Path
) -> None:
    """Over its own facts alone a derivation leads to the same answers, and each fact is needed for one."""
    some = [each for each in sample_labels if each.derivation is not None][::3]
    for number, each in enumerate(some):
        assert each.derivation is not None
        if any(constraint.operator is Operator.KIND for constraint in each.derivation.constraints):
            continue  # types stand on cards and are no facts
        triples = [(str(f.subject), f.predicate, str(f.object)) for f in each.facts]
        path = tmp_path / f"{number}.sqlite"
        load_graph(triples, path, name="g", title="G", source="made up")
        store = SqliteStore(path)
        assert replay(each.derivation, store) == set(each.answers)
        assert set(gold_subgraph(each.derivation, store)) == set(each.facts)
        store.close()


def test_rows_are_loaded_as_graphs_that_hold_their_answers(sample_labels: list[ExportedLabel], tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    read, _ = read_again("rog", sample_labels[:30], path)
    library = SqliteLibrary(tmp_path / "graphs")
    for question in read:
        library.load(GraphToLoad(RogReader(path, rows=[question.row]), "row", "Row", "made up"))
        held = library.open("row").cards([term for term in question.parses[0].answers if isinstance(term, Entity)])
        assert len(held) == sum(isinstance(term, Entity) for term in question.parses[0].answers)
    library.close()


# --- Generated derivations and odd input

RELATIONS = ("film.film.actor", "people.person.knows", "r.s", "film.starring|film.actor", "plain", "ü e.x", "a b")
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12)
ODD = st.sampled_from(
    [
        'say "KITT"',
        "back\\slash",
        "two\nlines",
        "\u202eevil\u2066",
        "=1+1",
        "1984",
        "-479",
        "a^^xsd:integer",
        "é ü 漢 🚗",
        "\u2028",
    ]
)
MIDS = st.sampled_from(["m.a", "m.b", "en.kitt", "Ada_Byron", "c'd", "ü e", "name:x", "_5", "http://x.org/a#b", "a(b)"])
DATES = st.sampled_from(["2011", "2011-02", "2011-02-06", "-0044-03-15", "-0479", "0044", "13800000000"])
NUMBERS = st.one_of(st.integers(-3_000, 3_000), st.floats(allow_nan=False, allow_infinity=False))
WORDS = TEXTS | ODD
TERMS: st.SearchStrategy[Term] = st.one_of(
    MIDS.map(Entity),
    DATES.map(Date),
    NUMBERS.map(lambda value: Number(float(value))),
    WORDS.map(lambda value: Text(value, "en")),
    st.builds(Text, WORDS, st.sampled_from(["", "fr", "pt-BR"])),
    st.builds(Text, WORDS, st.just(""), st.sampled_from(["xsd:boolean", "xsd:duration", "http://x.org/wkt"])),
)


KIND_TERMS: st.SearchStrategy[Term] = st.sampled_from(["made.up", "opera.opera", "plain", "ü e.kind", "a (b"]).map(
    Entity
)
"""No relation above ensures them: what one does is left out where a query is read again."""


@st.composite
def derivations(draw: st.DrawFn, *, is_said: bool = False) -> Derivation:
    """Any derivation; with ``is_said``, more of those that an s-expression says."""
    operators = [each for each in Operator if not is_said or each is not Operator.HOLDS]
    parents = [draw(st.integers(0, i)) for i in range(draw(st.integers(1, 4)))]
    steps: list[SearchStep] = []
    for parent in parents:
        step = SearchStep(parent, Relation.parse(draw(st.sampled_from(["", "^"])) + draw(st.sampled_from(RELATIONS))))
        assume(step not in steps)
        steps.append(step)
    place = draw(st.integers(1, len(steps)))
    others = [position for position in range(1, len(steps) + 1) if position != place]
    if is_said:
        others = [position for position in others if position not in parents]
    wanted = draw(st.lists(st.sampled_from(others), max_size=2, unique=is_said)) if others else []
    constraints = []
    for position in wanted:
        operator = draw(st.sampled_from(operators))
        targets: st.SearchStrategy[Term] = TERMS
        if operator is Operator.HOLDS:
            targets = DATES.map(Date)
        elif operator is Operator.KIND:
            targets = KIND_TERMS
        elif is_said and operator is not Operator.EQUAL:
            targets = st.one_of(DATES.map(Date), NUMBERS.map(lambda value: Number(float(value))))
        constraints.append(Constraint(position, operator, None if operator.is_extremal else draw(targets)))
    if draw(st.booleans()):
        constraints.append(Constraint(place, Operator.KIND, draw(KIND_TERMS)))
    counted = draw(st.booleans())
    return Derivation(Entity(draw(MIDS)), tuple(steps), tuple(dict.fromkeys(constraints)), place, counted)


@st.composite
def labels(draw: st.DrawFn) -> ExportedLabel:
    kind = draw(st.sampled_from(["derivation", "derivation", "derivation", "answers", "facts", "unanswerable"]))
    derivation = draw(derivations()) if kind == "derivation" else None
    topic = derivation.topic if derivation else draw(st.none() | MIDS.map(Entity))
    answers = () if kind == "unanswerable" else tuple(dict.fromkeys(draw(st.lists(TERMS, max_size=3))))
    facts = [Triple(topic or A, "r.s.t", answer) for answer in answers]
    names = {t: draw(WORDS) for t in {topic, *answers} if isinstance(t, Entity) and draw(st.booleans())}
    text = draw(WORDS.filter(lambda text: bool(text.strip())))
    return label(
        kind=kind, text=text, topic=topic, answers=answers, derivation=derivation, facts=tuple(facts), names=names,
        missing="relation" if kind == "unanswerable" else "",
    )  # fmt: skip


@pytest.mark.slow
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(of=labels(), format_=st.sampled_from(READ_AGAIN))
def test_whatever_a_label_says_is_read_again_or_left_out(of: ExportedLabel, format_: str, tmp_path: Path) -> None:
    read, tally = read_again(format_, [of], tmp_path / "labels")
    assert tally.went_in + tally.left_out.total() == 1
    for question in read:
        ensure_same(format_, of, question)
    if format_ == "discern":
        assert tally.went_in == 1


@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much],
)
@given(derivation=derivations(is_said=True))
def test_a_graph_query_says_what_the_s_expression_says(derivation: Derivation, tmp_path: Path) -> None:
    """GrailQA's reader takes the SPARQL first; without it, it reads the same from the graph query."""
    try:
        s_expression(derivation)
        query = graph_query(derivation, {})
    except LeftOutError:
        assume(False)
        raise
    entry = {
        "qid": 1,
        "question": "who?",
        "answer": [],
        "topic_entity": {derivation.topic.mid: ""},
        "graph_query": query,
    }
    path = tmp_path / "one.json"
    path.write_text(json.dumps([entry]), encoding="utf-8")
    (read,) = read_dataset(path, "grailqa")
    assert isinstance(read, BenchmarkQuestion)
    found = read.parses[0].derivation
    assert found is not None, read.parses[0].problem
    assert asks(found) == asks(derivation)


# --- S-expressions

TOKEN = re.compile(r'\(|\)|"(?:[^"\\]|\\.)*"[^\s()]*|[^\s()]+')


def parsed(expression: str) -> Any:
    """An s-expression as nested lists."""
    stack: list[list[Any]] = [[]]
    for token in TOKEN.findall(expression):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    ((only,),) = stack
    return only


class Expressions:
    """S-expressions asked of triples: another reading of them than ours, to compare with."""

    def __init__(self, triples: Iterable[TripleText]) -> None:
        self.triples = {(Entity(s), p, parse_term(o)) for s, p, o in triples}

    def links(self, relation: Any) -> set[tuple[Term, Term]]:
        if isinstance(relation, list):
            return {(o, s) for s, o in self.links(relation[1])}
        return {(s, o) for s, p, o in self.triples if p == relation}

    def ask(self, part: Any) -> set[Term]:
        signs = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}
        match part:
            case ["JOIN", relation, into]:
                ends = self.ask(into)
                return {s for s, o in self.links(relation) if any(meets(o, Operator.EQUAL, e) for e in ends)}
            case ["AND", one, other]:
                return self.ask(one) & self.ask(other)
            case ["ARGMAX" | "ARGMIN" as name, among, relation]:
                values = [(s, _rank(o)) for s, o in self.links(relation) if s in self.ask(among) and _rank(o)]
                best = (max if name == "ARGMAX" else min)((v for _, v in values), default=None)
                return {s for s, v in values if v == best}
            case [str(sign), relation, value]:
                target = literal(value)
                return {s for s, o in self.links(relation) if meets(o, Operator(signs[sign]), target)}
            case str(value) if value in KINDS:
                return {s for s, o in self.links(TYPE) if o == Entity(value)}
            case str(value):
                return {literal(value)}
        raise AssertionError(part)


def literal(value: str) -> Term:
    body, marker, datatype = value.rpartition("^^http://www.w3.org/2001/XMLSchema#")
    return parse_term(f'"{body}"^^xsd:{datatype}') if marker else parse_term(value)


def _rank(term: Term) -> tuple[float, ...]:
    match term:
        case Number(value):
            return (value,)
        case Date():
            return term.interval[0]
    return ()


def leads_on_from_literals(derivation: Derivation) -> bool:
    """Whether a step goes back from what a relation leads to: search leads on from entities alone."""
    return any(
        step.relation.is_reverse
        and step.position != ROOT
        and not derivation.steps[step.position - 1].relation.is_reverse
        for step in derivation.steps
    )


def test_an_s_expression_has_the_answers_of_a_replay(tmp_path: Path) -> None:
    said: Counter[bool] = Counter()
    for seed in range(60):
        choose = random.Random(seed)
        # No spaces or brackets in ids: an s-expression has no way to write them.
        triples = [
            (s.replace(" ", "_"), p, o if o.startswith('"') else o.replace(" ", "_"))
            for s, p, o in random_triples(choose)
        ]
        (tmp_path / "graph.sqlite").unlink(missing_ok=True)
        store = sqlite_store(triples, tmp_path)
        for derivation in filter(None, (random_derivation(choose, store, A) for _ in range(4))):
            if leads_on_from_literals(derivation):
                continue
            try:
                expression = s_expression(derivation)
            except LeftOutError:
                said[False] += 1
                continue
            said[True] += 1
            assert Expressions(triples).ask(parsed(expression)) - {A} == replayed(store, derivation), expression
        store.close()
    assert said[True] > said[False], said


def ways(*steps: tuple[int, str], constraints: Iterable[tuple[int, str, str]] = (), place: int) -> Derivation:
    return Derivation(
        A,
        tuple(SearchStep(position, Relation.parse(relation)) for position, relation in steps),
        tuple(Constraint(p, Operator(op), parse_term(target) if target else None) for p, op, target in constraints),
        place,
    )


@pytest.mark.parametrize(
    ("derivation", "expression"),
    [
        (ways((0, "r.s"), place=1), "(JOIN (R r.s) m.a)"),
        (ways((0, "^r.s"), (1, "t.u"), place=2), "(JOIN (R t.u) (JOIN r.s m.a))"),
        (
            ways((0, "tv.cast"), (1, "tv.actor"), (1, "tv.character"), constraints=[(3, "=", "en.kitt")], place=2),
            "(JOIN (R tv.actor) (AND (JOIN (R tv.cast) m.a) (JOIN tv.character en.kitt)))",
        ),
        (
            ways((0, "r.child"), (1, "r.born"), constraints=[(2, "<", '"2011"^^xsd:gYear')], place=1),
            "(AND (JOIN (R r.child) m.a) (lt r.born 2011^^http://www.w3.org/2001/XMLSchema#gYear))",
        ),
        (
            ways((0, "r.child"), (1, "r.motto"), constraints=[(2, "=", '"a (b)"@en')], place=1),
            '(AND (JOIN (R r.child) m.a) (JOIN r.motto "a (b)"@en))',
        ),
        (
            ways((0, "^type.object.type"), (1, "r.born"), constraints=[(2, "=", '"2011"^^xsd:gYear')], place=1),
            "(AND m.a (JOIN r.born 2011^^http://www.w3.org/2001/XMLSchema#gYear))",
        ),
        (
            ways((0, "^type.object.type"), (1, "r.born"), constraints=[(2, "max", "")], place=1),
            "(ARGMAX m.a r.born)",
        ),
        (
            ways((0, "r.child"), (1, "r.born"), constraints=[(2, "max", "")], place=1),
            "(AND (ARGMAX (JOIN (R r.child) m.a) r.born) (JOIN (R r.child) m.a))",
        ),
        (replace(ways((0, "r.child"), place=1), counted=True), "(COUNT (JOIN (R r.child) m.a))"),
    ],
)
def test_s_expressions_are_written_as_grailqa_writes_them(derivation: Derivation, expression: str) -> None:
    assert s_expression(derivation) == expression


@pytest.mark.parametrize(
    "derivation",
    [
        ways(
            (0, "r.c"), (1, "r.b"), constraints=[(2, ">=", '"1"^^xsd:integer'), (2, "<", '"9"^^xsd:integer')], place=1
        ),
        ways((0, "r.c"), (1, "r.b"), (1, "r.d"), constraints=[(2, "max", ""), (3, "min", "")], place=1),
        ways((0, "r.c"), (1, "r.b"), (2, "r.d"), constraints=[(1, "=", "m.x")], place=3),
        ways((0, "r.c"), (0, "r.b"), constraints=[(2, "max", "")], place=1),
        ways((0, "r.c"), (1, "^r.b"), constraints=[(2, ">", '"1"^^xsd:integer')], place=1),
        ways((0, "r.c"), (1, "r.b"), constraints=[(2, "=", "c d")], place=1),
        ways((0, "r.c d"), place=1),
    ],
    ids=[
        "a range",
        "two rankings",
        "on what leads on",
        "of the topic",
        "backwards",
        "an id with a space",
        "a relation",
    ],
)
def test_what_no_s_expression_says_is_left_out_by_its_reason(derivation: Derivation, tmp_path: Path) -> None:
    of = label(derivation=derivation)
    assert written("grailqa", [of], tmp_path / "g").left_out == {LeftOut.NO_S_EXPRESSION: 1}
    assert written("sparql", [of], tmp_path / "s").went_in == 1


# --- What is left out, and why


@pytest.mark.parametrize(
    ("given_", "left_out"),
    [
        ({}, {}),
        ({"of_round": True}, dict.fromkeys(("webqsp", "grailqa", "rog", "sparql", "cypher"), LeftOut.OF_ROUND)),
        (
            {"kind": "benchmark", "derivation": None, "answers": (), "facts": ()},
            dict.fromkeys(("webqsp", "grailqa", "rog", "sparql", "cypher"), LeftOut.OF_THE_QUESTION),
        ),
        (
            {"kind": "ambiguous", "derivation": None},
            dict.fromkeys(("webqsp", "grailqa", "rog", "sparql", "cypher"), LeftOut.AMBIGUOUS),
        ),
        (
            {"kind": "unanswerable", "derivation": None, "answers": (), "missing": "fact"},
            dict.fromkeys(("grailqa", "rog", "sparql", "cypher"), LeftOut.UNANSWERABLE),
        ),
        (
            {"kind": "answers", "derivation": None, "facts": ()},
            {**dict.fromkeys(("grailqa", "sparql", "cypher"), LeftOut.NO_DERIVATION), "rog": LeftOut.NO_FACTS},
        ),
        (
            {"derivation": Derivation(A, (), (), 0), "facts": ()},
            {
                **dict.fromkeys(("webqsp", "grailqa", "sparql", "cypher"), LeftOut.NO_ANSWER_POSITION),
                "rog": LeftOut.NO_FACTS,
            },
        ),
        ({"names": {A: "Bea", Entity("m.b"): "Bea"}}, {"rog": LeftOut.ONE_NAME}),
        ({"answers": (Text("bonjour", "fr"),)}, dict.fromkeys(("webqsp", "grailqa"), LeftOut.READ_OTHERWISE)),
        ({"text": "who\0?"}, dict.fromkeys(("webqsp", "grailqa", "rog"), LeftOut.UNREADABLE)),
        ({"id": "x" * 300}, dict.fromkeys(("webqsp", "grailqa", "rog"), LeftOut.UNREADABLE)),
    ],
)
def test_each_format_counts_what_it_has_no_words_for(
    given_: dict[str, Any], left_out: dict[str, LeftOut], tmp_path: Path
) -> None:
    for name in EXPORT_FORMATS:
        tally = written(name, [label(**given_)], tmp_path / name)
        expected = {left_out[name]: 1} if name in left_out else {}
        assert (name, tally.went_in, tally.left_out) == (name, int(not expected), expected)


def test_an_export_of_nothing_is_a_file_of_nothing(tmp_path: Path) -> None:
    for name in ("webqsp", "grailqa"):
        written(name, [], tmp_path / name)
        json.loads((tmp_path / name).read_text(encoding="utf-8"))


# --- Queries and tables


def queries(text: str, comment: str) -> list[str]:
    parts = text.split("\n\n")
    return ["\n".join(line for line in part.splitlines() if not line.startswith(comment)) for part in parts]


def test_each_query_of_a_text_file_is_read_again(sample_labels: list[ExportedLabel], tmp_path: Path) -> None:
    some = [each for each in sample_labels if each.derivation is not None][::8]
    written("sparql", some, tmp_path / "all")
    found = queries((tmp_path / "all").read_text(encoding="utf-8"), "# ")
    assert len(found) == len(some)
    for each, query in zip(some, found, strict=True):
        assert each.derivation is not None
        read = decompose(query, each.derivation.topic).derivation
        assert read is not None
        assert asks(read) == asks(each.derivation)
    written("cypher", some, tmp_path / "all")
    assert len(queries((tmp_path / "all").read_text(encoding="utf-8"), "// ")) == len(some)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=WORDS, name=WORDS)
def test_no_question_and_no_name_leaves_its_comment(text: str, name: str, tmp_path: Path) -> None:
    of = label(text=text, names={A: name})
    for format_, comment in (("sparql", "#"), ("cypher", "//")):
        plain = tmp_path / "plain"
        written(format_, [label()], plain)
        without = queries(plain.read_text(encoding="utf-8"), comment)
        written(format_, [of], plain)
        content = plain.read_text(encoding="utf-8")
        assert queries(content, comment) == without
        assert not set(content) & set("\u202e\u2066\u2028\u2029\u200f")


def test_a_comment_is_on_one_line_and_turns_no_text() -> None:
    assert on_one_line("a\r\nb\u2028c\u202ed\te") == "a b cd e"


def test_a_table_holds_every_label_and_no_formula(tmp_path: Path) -> None:
    some = [
        label(text="=1+1"),
        label(text='say "KITT",\nthen', kind="answers", derivation=None, answers=(Text("@x", "en"), Number(-3.0))),
        label(kind="reword", derivation=None, answers=(), about={"draft": {"rewording": "+who?"}, "who": "-ben"}),
    ]
    tally = written("csv", some, tmp_path / "t.csv")
    with (tmp_path / "t.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert tally.went_in == len(rows) == 3
    assert [row["question"] for row in rows] == ["'=1+1", 'say "KITT",\nthen', "who acts?"]
    assert rows[0]["topic_name"] == "The film"
    assert Derivation.from_json(json.loads(rows[0]["derivation"])) == some[0].derivation
    assert rows[1]["answers"] == '"@x"@en | "-3"^^xsd:integer'
    assert (rows[2]["rewording"], rows[2]["who"]) == ("'+who?", "'-ben")


# --- Real questions

EVERY = 5
"""One question out of this number is exported. Of all 3,098 1,039 hold on the part of Freebase; of these 1,037 go into
a WebQSP file, 1,037 into a GrailQA file and 1,034 into RoG rows."""


@pytest.fixture(scope="module")
def real_labels(real_data: Path, freebase: GraphStore) -> Sequence[ExportedLabel]:
    """The training questions of WebQSP whose gold derivation holds on the part of Freebase, labelled so."""
    found = []
    for question in list(asked(read_dataset(real_data / "webqsp" / "WebQSP.train.json", "webqsp")))[::EVERY]:
        gold = next((parse.derivation for parse in question.parses if parse.derivation is not None), None)
        derivation = None if gold is None else read_on(freebase, gold)
        facts = () if derivation is None else gold_subgraph(derivation, freebase)
        if derivation is None or not facts:
            continue
        answers = replayed(freebase, derivation)
        terms = {term for fact in facts for term in (fact.subject, fact.object)} | answers | {derivation.topic}
        found.append(
            label(
                id=question.id, question_id=question.id, text=question.text, topic=derivation.topic,
                answers=tuple(sorted(answers, key=str)), derivation=derivation, facts=facts,
                names=dict(freebase.labels(terms)),
            )
        )  # fmt: skip
    return found


@pytest.mark.real_data
@pytest.mark.parametrize(("format_", "share"), [("webqsp", 0.99), ("grailqa", 0.8), ("rog", 0.9)])
def test_real_questions_are_read_again_as_they_were(
    format_: str, share: float, real_labels: Sequence[ExportedLabel], tmp_path: Path
) -> None:
    read, tally = read_again(format_, real_labels, tmp_path / "labels")
    by_id = {each.id: each for each in real_labels}
    for question in read:
        ensure_same(format_, by_id[question.id], question)
    assert tally.went_in == len(read) >= share * len(real_labels), tally
