from __future__ import annotations

import csv
import gzip
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgstore.loading.errors import GraphLoadError
from kgstore.loading.formats.registry import FORMATS
from kgstore.loading.formats.source import ReadOptions
from kgstore.loading.formats.tsv import TripleReader
from kgstore.loading.subset import (
    DumpSurroundings,
    Gold,
    StoreSurroundings,
    Subset,
    Surroundings,
    read_gold,
    read_topics,
    write_tsv,
)
from kgstore.sqlite.loader import load_graph
from kgstore.sqlite.store import SqliteStore
from kgstore.terms import Relation

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

    from kgstore.loading.formats.lines import TripleText

# film → director → other film → its genre; a country that everything leads to; something apart.
FACTS: list[TripleText] = [
    ("film1", "film.film.directed_by", "director"),
    ("director", "film.director.film", "film1"),
    ("film2", "film.film.directed_by", "director"),
    ("film2", "film.film.genre", "genre"),
    ("film3", "film.film.genre", "genre"),
    ("film1", "film.film.initial_release_date", '"1944"^^xsd:gYear'),
    ("director", "people.person.nationality", "country"),
    *[(f"person{i}", "people.person.nationality", "country") for i in range(20)],
    ("apart", "some.other.relation", "apart too"),
    ("apart", "some.further.relation", "apart three"),
]
NAMES: list[TripleText] = [
    (mid, "type.object.name", f'"The {mid}"') for mid in ("film1", "director", "film2", "genre", "film3", "country")
]


@pytest.fixture(params=["dump", "store"])
def surroundings(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Collection[TripleText]], Surroundings]:
    """The same graph as a dump and as a loaded graph: what is cut out of them must be the same."""

    def make(triples: Collection[TripleText]) -> Surroundings:
        path = tmp_path / "graph.tsv"
        path.write_text("".join("\t".join(triple) + "\n" for triple in triples), encoding="utf-8")
        reader = TripleReader(path, strict=True)
        if request.param == "dump":
            return DumpSurroundings(reader)
        load_graph(reader, tmp_path / "graph.sqlite", name="g", title="G", source="test")
        return StoreSurroundings(SqliteStore(tmp_path / "graph.sqlite"))

    return make


@pytest.fixture
def graph(surroundings: Callable[[Collection[TripleText]], Surroundings]) -> Surroundings:
    return surroundings([*NAMES, *FACTS])


def facts(subset: Subset) -> set[TripleText]:
    subset.walk()
    triples = [triple for triple in subset if not triple[1].startswith("type.object.")]
    assert len(set(triples)) == len(triples)
    return set(triples)


def reach(triples: Collection[TripleText], topics: Collection[str], hops: int) -> set[TripleText]:
    """The definition: every fact with an end less than ``hops`` edges from a topic."""
    near = set(topics)
    for _ in range(hops - 1):
        near |= {end for s, _, o in triples for end in (s, o) if end[0] != '"' and not near.isdisjoint((s, o))}
    return {(s, p, o) for s, p, o in triples if s in near or o in near}


@pytest.mark.parametrize("hops", [1, 2, 3, 4])
@pytest.mark.parametrize("topics", [["film1"], ["genre"], ["film3", "apart"]], ids=str)
def test_a_part_is_what_lies_within_the_hops(graph: Surroundings, topics: list[str], hops: int) -> None:
    assert facts(Subset(graph, topics, hops=hops)) == reach(FACTS, topics, hops)


def test_names_come_with_everything_that_stands_in_a_fact(graph: Surroundings) -> None:
    subset = Subset(graph, ["film1"], hops=1)
    subset.walk()
    named = {subject for subject, predicate, _ in subset if predicate == "type.object.name"}
    assert named == {"film1", "director"}
    assert (subset.report.facts, subset.report.entities) == (3, 2)
    assert subset.report.names >= 2


def test_a_hub_is_not_walked_through_unless_it_is_a_topic(graph: Surroundings) -> None:
    subset = Subset(graph, ["film1"], hops=3, most_facts=10)
    assert facts(subset) == reach(FACTS, ["film1"], 3) - {f for f in FACTS if f[0].startswith("person")}
    assert (subset.report.hubs, subset.report.entities_met) == (1, 4)
    assert "1 of 4 entities not walked through, for having more than 10 facts" in subset.words()
    assert len(facts(Subset(graph, ["country"], hops=1, most_facts=10))) == 21


def test_gold_is_in_the_part_however_far(graph: Surroundings) -> None:
    gold = Gold(
        frozenset({"genre", "nobody"}),
        frozenset(
            {
                ("apart", Relation("some.other.relation")),
                ("apart three", Relation.parse("^some.further.relation")),
                ("apart", Relation("no.such.relation")),
            }
        ),
    )
    subset = Subset(graph, ["film1"], hops=1, gold=gold)
    assert facts(subset) == reach(FACTS, ["film1", "genre"], 1) | reach(FACTS, ["apart"], 1)
    assert (subset.report.gold_found, subset.report.gold) == (3, 5)
    assert subset.words()[-1] == "all facts of 2 gold entities, and those of 3 others along a gold relation"


def test_topics_that_are_not_there_are_counted(graph: Surroundings) -> None:
    subset = Subset(graph, ["film1", "nobody", "nowhere"], hops=1)
    subset.walk()
    assert (subset.report.topics_found, subset.report.topics) == (1, 3)
    assert subset.report.topics_missing == ["nobody", "nowhere"]
    assert subset.words() == ["1 hop around 1 of 3 topics"]


edges = st.lists(
    st.tuples(
        st.sampled_from("abcdef"),
        st.sampled_from(["film.film.directed_by", "film.director.film", "r.s.t"]),
        st.sampled_from([*"abcdef", '"1"^^xsd:integer', '"x"@en']),
    ),
    min_size=1,
    max_size=15,
    unique=True,
)


@pytest.mark.slow
@given(edges, st.sampled_from("abcdef"), st.integers(1, 4))
def test_dump_and_store_agree_with_the_definition(
    tmp_path_factory: pytest.TempPathFactory, triples: list[TripleText], topic: str, hops: int
) -> None:
    folder = tmp_path_factory.getbasetemp()
    path = folder / "any.tsv"
    path.write_text("".join("\t".join(triple) + "\n" for triple in triples), encoding="utf-8")
    expected = reach(triples, [topic], hops)
    assert facts(Subset(DumpSurroundings(TripleReader(path, strict=True)), [topic], hops=hops)) == expected
    load_graph(triples, folder / "any.sqlite", name="g", title="G", source="test")
    store = SqliteStore(folder / "any.sqlite")
    assert facts(Subset(StoreSurroundings(store), [topic], hops=hops)) == expected
    store.close()


def test_progress_is_reported_every_stage(graph: Surroundings) -> None:
    heard: list[tuple[str, float]] = []
    subset = Subset(graph, ["film1"], hops=2, progress=lambda stage, done: heard.append((stage, done)))
    subset.walk()
    assert list(subset)
    assert list(dict.fromkeys(stage for stage, _ in heard)) == ["Hop 1 of 2", "Hop 2 of 2", "Facts", "Names"]
    assert all(0 <= done <= 1 for _, done in heard)


@pytest.mark.parametrize("name", ["part.tsv", "part.tsv.gz"])
def test_what_is_written_can_be_loaded_and_says_what_it_is(graph: Surroundings, tmp_path: Path, name: str) -> None:
    subset = Subset(graph, ["film1"], hops=2)
    subset.walk()
    write_tsv(tmp_path / name, subset)
    if name.endswith(".gz"):
        assert (tmp_path / name).read_bytes()[:2] == b"\x1f\x8b"
    source = FORMATS["tsv"].read(tmp_path / name, ReadOptions(strict=True))
    report = load_graph(source, tmp_path / "part.sqlite", name="p", title="P", source=name, filters=source.filters)
    assert report.edges == subset.report.facts == len(reach(FACTS, ["film1"], 2))
    info = SqliteStore(tmp_path / "part.sqlite").info()
    assert info.filters == ("2 hops around 1 of 1 topics",)
    part_of_part = Subset(StoreSurroundings(SqliteStore(tmp_path / "part.sqlite")), ["film1"], hops=1)
    assert part_of_part.words()[0] == "2 hops around 1 of 1 topics"


def test_a_part_is_written_as_other_tools_read_it(tmp_path: Path) -> None:
    path = tmp_path / "graph.tsv"
    path.write_text('# filter: all\na\tr.s.t\tb\na\tr.s.size\t"1"^^xsd:integer\na\ttype.object.name\t"A \\"x"@en\n')
    rows = {}
    for literals in (True, False):
        subset = Subset(DumpSurroundings(TripleReader(path)), ["a"], hops=1)
        subset.walk()
        write_tsv(tmp_path / "part.tsv", subset, comments=False, literals=literals)
        with (tmp_path / "part.tsv").open(encoding="utf-8", newline="") as file:
            rows[literals] = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
        assert subset.report.literals_left_out == (0 if literals else 2)
    assert rows[False] == [["a", "r.s.t", "b"]]
    assert ["a", "type.object.name", '"A \\"x"@en'] in rows[True]
    assert {len(row) for row in rows[True]} == {3}


def test_nothing_is_left_of_a_part_that_could_not_be_written(tmp_path: Path) -> None:
    path = tmp_path / "graph.tsv.gz"
    path.write_bytes(gzip.compress(b"a\tr.s.t\tb\n" * 9_000)[:-30])
    subset = Subset(DumpSurroundings(TripleReader(path)), ["a"], hops=1)
    with pytest.raises(GraphLoadError, match="is damaged"):
        subset.walk()
    with pytest.raises(GraphLoadError, match="is damaged"):
        write_tsv(tmp_path / "part.tsv", subset)
    with pytest.raises(GraphLoadError, match="cannot be written"):
        write_tsv(tmp_path / "missing" / "part.tsv", subset)
    assert [left.name for left in tmp_path.iterdir()] == ["graph.tsv.gz"]


def test_lists_of_topics_and_gold_are_read(tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_text("# said\n/m/1\n\nm.2\tOne of two\n", encoding="utf-8")
    assert read_topics(path) == ["m.1", "m.2"]
    path.write_text("m.1\nm.2\t^film.film.genre\n", encoding="utf-8")
    assert read_gold(path) == Gold(frozenset({"m.1"}), frozenset({("m.2", Relation.parse("^film.film.genre"))}))
    for bad in ("m.1\ta.b.c\tm.2", "m.1\t", '"x"@en', '"x'):
        path.write_text(f"m.1\n{bad}\n", encoding="utf-8")
        with pytest.raises(GraphLoadError, match="line 2"):
            read_gold(path)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("m.1\ta.b.c\tm.2", "expected an id, or an id and a relation with a tab between."),
        ("m.1\t", "expected an id, or an id and a relation with a tab between."),
        ("\ta.b.c", "expected an id, or an id and a relation with a tab between."),
        ('"x"@en\ta.b.c', '"x"@en is a literal and no id.'),
        ('"x', "."),
    ],
)
def test_a_line_of_gold_that_is_none_is_refused_by_its_number(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "gold"
    path.write_text(f"# said\n\nm.1\n{line}\n", encoding="utf-8")
    with pytest.raises(GraphLoadError, match=f"^{re.escape(str(path))}, line 4: .*{re.escape(said)}$") as raised:
        read_gold(path)
    assert "None" not in str(raised.value)


def test_a_list_of_topics_is_refused_by_its_number_too(tmp_path: Path) -> None:
    path = tmp_path / "topics"
    path.write_text('m.1\n"5"^^xsd:integer\n', encoding="utf-8")
    said = f'{path}, line 2: "5"^^xsd:integer is a literal and no id.'
    with pytest.raises(GraphLoadError, match=f"^{re.escape(said)}$"):
        read_topics(path)
    path.write_bytes(b"m.1\n\xff\n")
    with pytest.raises(GraphLoadError, match="line 2: not UTF-8"):
        read_topics(path)


def test_a_list_of_ids_may_have_more_after_a_tab_and_spaces_around(tmp_path: Path) -> None:
    path = tmp_path / "topics"
    path.write_text(" /m/1 \t a \t b\n#no comment\n \n# one\nm.2\n", encoding="utf-8")
    assert read_topics(path) == ["m.1", "#no comment", "m.2"]
    path.write_text(" m.1 \t ^a.b.c \nm.3\n", encoding="utf-8")
    assert read_gold(path) == Gold(frozenset({"m.3"}), frozenset({("m.1", Relation.parse("^a.b.c"))}))


def test_names_aliases_and_types_come_along(
    surroundings: Callable[[Collection[TripleText]], Surroundings],
) -> None:
    naming: list[TripleText] = [
        ("a", "type.object.name", '"Ay"'),
        ("a", "common.topic.alias", '"Eh"'),
        ("a", "type.object.type", "film.film"),
        ("b", "common.topic.alias", '"Bee"'),
        ("far", "type.object.name", '"Far"'),
    ]
    subset = Subset(surroundings([*naming, ("a", "r.s.t", "b"), ("c", "r.s.t", "far")]), ["a"], hops=1)
    subset.walk()
    triples = list(subset)
    assert triples[0] == ("a", "r.s.t", "b")
    assert set(naming[:3]) < set(triples)
    assert {triple[0] for triple in triples[1:]} == {"a", "b"}
    assert subset.report.names == len(triples) - 1


def test_a_part_of_a_part_says_what_the_whole_was_of(tmp_path: Path) -> None:
    path = tmp_path / "graph.tsv"
    path.write_text("# filter: films alone\na\tr.s.t\tb\n")
    subset = Subset(DumpSurroundings(TripleReader(path)), ["a", "b", "c"], hops=2)
    subset.walk()
    assert subset.words() == ["films alone", "2 hops around 2 of 3 topics"]


def test_numbers_are_reported_with_commas_and_only_some_missing_topics_are_named(graph: Surroundings) -> None:
    missing = [f"unknown{number:04}" for number in range(1_500)]
    gold = Gold(frozenset(missing), frozenset((mid, Relation("r.s.t")) for mid in missing))
    subset = Subset(graph, ["film1", *missing], hops=1, gold=gold, most_facts=1_000)
    subset.walk()
    assert subset.report.topics_missing == missing[:10]
    assert subset.words() == [
        "1 hop around 1 of 1,501 topics",
        "all facts of 1,500 gold entities, and those of 1,500 others along a gold relation",
    ]


@pytest.mark.parametrize(("most_facts", "hubs"), [(21, 0), (20, 1)])
def test_a_hub_has_more_facts_than_are_allowed(graph: Surroundings, most_facts: int, hubs: int) -> None:
    subset = Subset(graph, ["director"], hops=2, most_facts=most_facts)
    subset.walk()
    assert (subset.report.hubs, subset.report.entities_met) == (hubs, 4)
    assert len(list(subset)) == subset.report.facts + subset.report.names


def test_a_fact_of_an_entity_with_itself_counts_once(
    surroundings: Callable[[Collection[TripleText]], Surroundings],
) -> None:
    loop: list[TripleText] = [("a", "r.s.t", "a"), ("x", "r.s.t", "a"), ("a", "r.s.t", "b")]
    subset = Subset(surroundings(loop), ["x"], hops=2, most_facts=3)
    assert facts(subset) == set(loop)
    assert subset.report.hubs == 0


def test_everything_is_walked_through_where_no_limit_is_set(graph: Surroundings) -> None:
    assert facts(Subset(graph, ["film1"], hops=3)) == reach(FACTS, ["film1"], 3)


def test_gold_facts_are_found_in_either_direction_and_reported_once(graph: Surroundings) -> None:
    gold = Gold(
        frozenset(),
        frozenset({("film2", Relation("film.film.genre")), ("genre", Relation.parse("^film.film.genre"))}),
    )
    subset = Subset(graph, ["apart"], hops=1, gold=gold)
    found = facts(subset)
    assert found == {*FACTS[-2:], ("film2", "film.film.genre", "genre"), ("film3", "film.film.genre", "genre")}
    assert (subset.report.gold_found, subset.report.facts, subset.report.entities) == (2, 4, 6)
    assert subset.report.hops == 1


def test_a_gold_relation_of_what_is_in_the_part_is_reported_once_and_even_where_it_is_never_offered(
    surroundings: Callable[[Collection[TripleText]], Surroundings],
) -> None:
    triples: list[TripleText] = [
        ("a", "r.s.t", "b"),
        ("c", "r.s.t", "a"),
        ("a", "type.object.key", '"/en/a"'),
    ]
    along = {("a", Relation("r.s.t")), ("a", Relation.parse("^r.s.t")), ("a", Relation("type.object.key"))}
    subset = Subset(surroundings(triples), ["a"], hops=1, gold=Gold(frozenset(), frozenset(along)))
    subset.walk()
    assert sorted(triple for triple in subset if triple[1] != "type.object.type") == sorted(triples)
    assert subset.report.gold_found == 3


def test_hubs_are_counted_over_all_hops(surroundings: Callable[[Collection[TripleText]], Surroundings]) -> None:
    triples: list[TripleText] = [("topic", "r.s.t", "near"), ("topic", "r.s.t", "hub1"), ("near", "r.s.t", "hub2")]
    triples += [(f"{hub}-{n}", "r.s.t", hub) for hub in ("hub1", "hub2") for n in range(5)]
    subset = Subset(surroundings(triples), ["topic"], hops=3, most_facts=4)
    subset.walk()
    assert (subset.report.hubs, subset.report.entities_met) == (2, 4)
    assert subset.words()[-1] == "2 of 4 entities not walked through, for having more than 4 facts"


def test_many_entities_are_asked_for_in_batches(tmp_path: Path) -> None:
    triples = [("hub", "r.s.t", f"e{number:04}") for number in range(1_200)]
    triples += [(f"e{number:04}", "r.s.u", f"o{number:04}") for number in range(1_200)]
    load_graph(triples, tmp_path / "g.sqlite", name="g", title="G", source="test")
    heard: list[float] = []
    around = StoreSurroundings(SqliteStore(tmp_path / "g.sqlite"))
    met = list(around.facts({f"e{number:04}" for number in range(1_200)}, frozenset(), heard.append))
    assert len(met) == len(set(met)) == 2_400
    assert heard == [0, 500 / 1_200, 1_000 / 1_200, 1]
    heard.clear()
    assert list(around.naming({"e0001"}, heard.append)) == list(around.naming({"e0001"}, heard.append))
    assert heard == [0, 1, 0, 1]


def test_a_dump_tells_how_much_of_it_was_read(tmp_path: Path) -> None:
    path = tmp_path / "graph.tsv"
    path.write_text("".join(f"e{number}\tr.s.t\thub\n" for number in range(45_000)))
    heard: list[float] = []
    assert len(list(DumpSurroundings(TripleReader(path)).facts({"hub"}, frozenset(), heard.append))) == 45_000
    assert len(heard) == 3
    assert 0 < heard[0] < heard[1] < heard[2] <= 1


def test_the_same_part_is_the_same_file(graph: Surroundings, tmp_path: Path) -> None:
    written = []
    for name in ("one.tsv.gz", "two.tsv.gz"):
        subset = Subset(graph, ["film1"], hops=1)
        subset.walk()
        write_tsv(tmp_path / name, subset)
        written.append((tmp_path / name).read_bytes())
    assert written[0] == written[1]
    # No name, no time, and what the text is: each a line, with tabs between.
    assert written[0][3:8] == bytes(5)
    text = gzip.decompress(written[0]).decode()
    assert text.startswith("# filter: 1 hop around 1 of 1 topics\n")
    assert "film1\tfilm.film.directed_by\tdirector\n" in text


def test_names_in_any_script_are_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "graph.tsv"
    path.write_text("東京\tr.s.t\tŁódź\n", encoding="utf-8")
    subset = Subset(DumpSurroundings(TripleReader(path)), ["東京"], hops=1)
    subset.walk()
    write_tsv(tmp_path / "part.tsv", subset)
    assert (tmp_path / "part.tsv").read_bytes().decode().endswith("東京\tr.s.t\tŁódź\n")


def test_a_part_that_cannot_be_written_says_why(graph: Surroundings, tmp_path: Path) -> None:
    target = tmp_path / "missing" / "part.tsv"
    subset = Subset(graph, ["film1"], hops=1)
    subset.walk()
    said = f"{target} cannot be written: No such file or directory."
    with pytest.raises(GraphLoadError, match=f"^{re.escape(said)}$"):
        write_tsv(target, subset)


@pytest.mark.slow
@pytest.mark.real_data
def test_jamaica_cut_out_of_its_neighbours(real_data: Path, tmp_path: Path) -> None:
    rows = real_data / "webqsp_subgraphs" / "subgraphs.jsonl"
    subset = Subset(DumpSurroundings(FORMATS["rog"].read(rows)), ["Jamaica"], hops=1)
    subset.walk()
    write_tsv(tmp_path / "jamaica.tsv.gz", subset)
    report = load_graph(
        TripleReader(tmp_path / "jamaica.tsv.gz", strict=True), tmp_path / "j.sqlite", name="j", title="J", source="j"
    )
    store = SqliteStore(tmp_path / "j.sqlite")
    whole = load_graph(FORMATS["rog"].read(rows), tmp_path / "all.sqlite", name="a", title="A", source="a")
    assert 500 < report.edges < whole.edges / 2
    [jamaica] = store.named(["Jamaica"])["Jamaica"]
    everything = SqliteStore(tmp_path / "all.sqlite")
    near, far = (
        {count.relation: count.triples for count in s.relations([jamaica.card.entity])} for s in (store, everything)
    )
    assert near == far
