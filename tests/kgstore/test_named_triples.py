"""MetaQA and PathQuestion, whose entities are known by name alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from kgstore.freebase.labels import RelationLabel, relation_label
from kgstore.loading.errors import GraphLoadError
from kgstore.loading.formats import metaqa, pathquestion
from kgstore.loading.formats.registry import FORMATS
from kgstore.loading.formats.source import Format, ReadOptions
from kgstore.sqlite.loader import load_graph
from kgstore.sqlite.store import SqliteStore
from kgstore.terms import Direction, Entity, Relation, TermKind

if TYPE_CHECKING:
    from pathlib import Path

    from kgstore.loading.formats.lines import TripleText
    from kgstore.loading.reading import LoadReport

FILMS = """Kismet|directed_by|William Dieterle
Kismet|release_year|1944
Kismet|starred_actors|Ronald Colman
Kismet|has_imdb_rating|good
Kismet|has_tags|"1944"
1984|release_year|1956
1984|has_genre|Drama
"""


def load(chosen: Format, source: Path, target: Path) -> tuple[LoadReport, SqliteStore]:
    triples = chosen.read(source, ReadOptions(strict=True))
    report = load_graph(triples, target, name="g", title="G", source=source.name)
    return report, SqliteStore(target)


def read(chosen: Format, folder: Path, text: str) -> list[TripleText]:
    path = folder / "lines"
    path.write_text(text, encoding="utf-8")
    return list(chosen.read(path, ReadOptions(strict=True)))


@pytest.fixture
def films(tmp_path: Path) -> SqliteStore:
    (tmp_path / "kb.txt").write_text(FILMS, encoding="utf-8")
    return load(metaqa.FORMAT, tmp_path / "kb.txt", tmp_path / "films.sqlite")[1]


def objects(store: SqliteStore, subject: str, predicate: str) -> list[str]:
    return sorted(str(t.object) for t in store.expand([Entity(subject)], Relation(predicate), 999).triples)


def test_names_are_ids_and_years_are_dates(films: SqliteStore) -> None:
    assert objects(films, "Kismet", "film.film.directed_by") == ["William Dieterle"]
    assert objects(films, "Kismet", "film.film.initial_release_date") == ['"1944"^^xsd:gYear']
    assert objects(films, "1984", "film.film.initial_release_date") == ['"1956"^^xsd:gYear']
    assert objects(films, "Kismet", "film.film.imdb_rating") == ['"good"@en']
    assert objects(films, "Kismet", "film.film.tags") == ['name:"1944"']
    assert films.labels([Entity('name:"1944"')]) == {Entity('name:"1944"'): '"1944"'}
    assert films.named(["1984", "kismet"]).keys() == {"1984", "kismet"}
    kinds = {str(count.relation): count.kind for count in films.relations([Entity("Kismet")])}
    assert kinds["film.film.initial_release_date"] is TermKind.DATE


def test_relations_bring_words_and_types(films: SqliteStore) -> None:
    cards = films.cards([Entity("Kismet"), Entity("William Dieterle"), Entity("Ronald Colman")])
    assert cards[Entity("Kismet")].types[0] == "film.film"
    assert cards[Entity("William Dieterle")].types == ("film.director",)
    assert cards[Entity("Ronald Colman")].types == ("film.actor",)
    assert not [card for card in cards.values() if card.is_mediator]
    for predicate in (*metaqa.RELATIONS.values(), *pathquestion.RELATIONS.values()):
        label = relation_label(Relation(predicate))
        assert "_" not in label.label + label.context
        assert label.context
    assert relation_label(Relation("film.film.imdb_rating")) == RelationLabel("IMDb rating", "film")


def test_malformed_lines_say_what_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "kb.txt"
    path.write_text("A|directed_by|B\nA|directed_by\nA|eaten_by|B\nA|release_year|soon\n|directed_by|B\n\n")
    source = FORMATS["metaqa"].read(path)
    assert ("A", "film.film.directed_by", "B") in list(source)
    assert [(bad.number, bad.reason.split(";")[0]) for bad in source.lines.examples] == [
        (2, "2 parts instead of 3"),
        (3, "unknown relation eaten_by"),
        (4, "'soon' is not a date"),
        (5, "an empty part"),
    ]


@pytest.mark.parametrize(
    ("relation", "said"),
    [
        ("release_year", '"1944"^^xsd:gYear'),
        ("has_imdb_rating", '"1944"@en'),
        ("has_imdb_votes", '"1944"@en'),
        ("in_language", "1944"),
    ],
)
def test_some_relations_of_metaqa_lead_to_literals(tmp_path: Path, relation: str, said: str) -> None:
    assert read(metaqa.FORMAT, tmp_path, f"A|{relation}|1944\n")[0] == ("A", metaqa.RELATIONS[relation], said)


def test_an_unknown_relation_of_metaqa_is_refused_with_those_that_are_known(tmp_path: Path) -> None:
    known = (
        "directed_by, written_by, starred_actors, release_year, in_language, has_genre, has_tags, has_imdb_rating, "
        "has_imdb_votes"
    )
    with pytest.raises(GraphLoadError, match=f"line 1: unknown relation eaten_by; known: {known}\\. "):
        read(metaqa.FORMAT, tmp_path, "A|eaten_by|B\n")


def test_every_entity_is_named_once_and_nothing_that_is_known_by_a_mid(tmp_path: Path) -> None:
    lines = ["A  b|has_genre|/c", "", "A b|has_tags|m.0abc", "g.11_x|has_genre|/c", "M.0|has_tags|A b"]
    triples = read(metaqa.FORMAT, tmp_path, "\n".join(lines))
    assert triples == [
        ("A b", "film.film.genre", "name:/c"),
        ("name:/c", "type.object.name", '"/c"'),
        ("A b", "type.object.name", '"A b"'),
        ("A b", "film.film.tags", "m.0abc"),
        ("g.11_x", "film.film.genre", "name:/c"),
        ("M.0", "film.film.tags", "A b"),
        ("M.0", "type.object.name", '"M.0"'),
    ]


@pytest.mark.parametrize(
    ("written", "predicate"),
    [
        ("spouse", "people.person.spouse_s|people.marriage.spouse"),
        ("__people__person__place_of_birth", "people.person.place_of_birth"),
        ("__film__film", "film.film"),
        ("__film", "__film"),
        ("__film__film__", "__film__film__"),
        ("x__film__film", "x__film__film"),
        ("knows-of", "knows-of"),
        ("a.b.c", "a.b.c"),
    ],
)
def test_relations_of_pathquestion_have_freebase_s_names_where_it_has_some(
    tmp_path: Path, written: str, predicate: str
) -> None:
    assert read(pathquestion.FORMAT, tmp_path, f"a\t{written}\tb\n")[0] == ("a", predicate, "b")


@pytest.mark.parametrize("relation", ["two words", 'a"b', "^back", "a|b", "a#b"])
def test_what_cannot_be_a_relation_of_pathquestion_is_refused(relation: str, tmp_path: Path) -> None:
    said = re.escape(f"line 1: {relation!r} is no name of a relation. ")
    with pytest.raises(GraphLoadError, match=said):
        read(pathquestion.FORMAT, tmp_path, f"a\t{relation}\tb\n")
    with pytest.raises(ValueError, match=f"^'{'x y' * 33}x' is no name of a relation$"):
        pathquestion.predicate_of("x y" * 40)


def test_tabs_in_a_row_are_one_and_bars_are_not(tmp_path: Path) -> None:
    triples = read(pathquestion.FORMAT, tmp_path, "joan_crawford\t\tspouse\t \tphillip_terry\t\n")
    assert triples == [
        ("joan_crawford", "people.person.spouse_s|people.marriage.spouse", "phillip_terry"),
        ("phillip_terry", "type.object.name", '"phillip terry"'),
        ("joan_crawford", "type.object.name", '"joan crawford"'),
    ]
    with pytest.raises(GraphLoadError, match="4 parts instead of 3"):
        read(metaqa.FORMAT, tmp_path, "A||has_genre|B\n")
    with pytest.raises(GraphLoadError, match="2 parts instead of 3"):
        read(pathquestion.FORMAT, tmp_path, "a\tspouse\t\n")


@pytest.mark.parametrize(
    ("chosen", "head", "is_it"),
    [
        (metaqa.FORMAT, ["A|has_genre|B"], True),
        (metaqa.FORMAT, ["A|has_genre|B", "A | release_year | 1944"], True),
        (metaqa.FORMAT, ["A|has_genre|B", "A|eaten_by|B"], False),
        (metaqa.FORMAT, ["A|has_genre|B", "A|has_genre"], False),
        (metaqa.FORMAT, ["A|has_genre|B|C"], False),
        (pathquestion.FORMAT, ["a\tspouse\tb", "a\t\tgender\t\tmale"], True),
        (pathquestion.FORMAT, ["a\t__people__person__gender\tb"], True),
        (pathquestion.FORMAT, ["a\tspouse\tb", "a\tknows\tb"], False),
        (pathquestion.FORMAT, ["a|spouse|b"], False),
    ],
)
def test_a_format_is_known_by_all_its_first_lines(chosen: Format, head: list[str], *, is_it: bool) -> None:
    assert chosen.recognises(head) is is_it


def test_pathquestion_names_are_for_people_without_underscores(tmp_path: Path) -> None:
    path = tmp_path / "2H-kb.txt"
    path.write_text("j_p_morgan_jr\tspouse\tjane_norton_grew\nj_p_morgan_jr\tinstitution\tharvard\n", encoding="utf-8")
    report, store = load(pathquestion.FORMAT, path, tmp_path / "g.sqlite")
    assert (report.edges, report.named, report.mediators) == (2, 3, 0)
    assert [match.card.entity.mid for match in store.search("j p mor", 5)] == ["j_p_morgan_jr"]
    assert list(store.named(["j_p_morgan_jr"])) == ["j_p_morgan_jr"]
    assert objects(store, "j_p_morgan_jr", "people.person.spouse_s|people.marriage.spouse") == ["jane_norton_grew"]


@pytest.mark.slow
@pytest.mark.real_data
def test_all_of_metaqa(real_data: Path, tmp_path: Path) -> None:
    report, store = load(metaqa.FORMAT, real_data / "metaqa" / "kb.txt", tmp_path / "metaqa.sqlite")
    # Ten years are the names of films too, which is why 43,234 distinct texts are ten terms more.
    assert (report.edges, report.entities, report.literals, report.predicates) == (133_582, 43_134, 110, 9)
    assert report.named == report.entities
    assert "1944" in objects(store, "Kismet", "film.film.initial_release_date")[0]
    acted = Relation("film.film.starring|film.performance.actor", Direction.REVERSE)
    films = {str(triple.subject) for triple in store.expand([Entity("Temuera Morrison")], acted, 99).triples}
    assert films == {"Once Were Warriors", "Tracker", "River Queen"}


@pytest.mark.real_data
@pytest.mark.parametrize(("name", "triples", "entities"), [("2H", 1_211, 1_056), ("3H", 2_839, 1_836)])
def test_all_of_pathquestion(real_data: Path, tmp_path: Path, name: str, triples: int, entities: int) -> None:
    folder = real_data / "pathquestion"
    report, store = load(pathquestion.FORMAT, folder / f"{name}-kb.txt", tmp_path / "pq.sqlite")
    assert (report.edges, report.entities, report.predicates) == (triples, entities, 13)
    # Every gold path can be walked: `question⇥answers⇥e#r#e#r#answer#<end>#answer`.
    questions = (folder / f"PQ-{name}.txt").read_text(encoding="utf-8").splitlines()[::50]
    for question in questions:
        path = question.split("\t")[2].split("#")
        for subject, relation, obj in zip(path[::2], path[1::2], path[2::2], strict=False):
            if relation != "<end>":
                assert obj in objects(store, subject, pathquestion.RELATIONS[relation])
