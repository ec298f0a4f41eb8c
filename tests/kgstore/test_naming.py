"""What triples say of names, aliases and types, in whatever order they say it."""

from __future__ import annotations

import pytest

from kgstore.freebase.knowledge import load_knowledge
from kgstore.loading.naming import Naming

NAME, ALIAS, TYPE = "type.object.name", "common.topic.alias", "type.object.type"


def naming(*triples: tuple[str, str]) -> Naming:
    """What (predicate, object) pairs say of m.1."""
    read = Naming()
    read.read((("m.1", predicate, obj) for predicate, obj in triples), load_knowledge())
    read.settle()
    return read


@pytest.mark.parametrize(
    ("names", "name", "aliases"),
    [
        (['"One"@en'], "One", []),
        (['"One"@en-GB'], "One", []),
        (['"One"'], "One", []),
        (['"One"@en', '"One"@en'], "One", []),
        (['"One"@en', '"Uno"@en', '"Eins"@en'], "One", ["Uno", "Eins"]),
        (['"One"', '"Uno"'], "One", ["Uno"]),
        (['"One"', '"Uno"', '"Eins"@en'], "Eins", ["Uno", "One"]),
        (['"One"', '"One"@en', '"Uno"@en'], "One", ["Uno"]),
        (['"One"', '"Uno"@en', '"Eins"@en'], "Uno", ["One", "Eins"]),
        (['"One"@en', '"Uno"', '"Eins"@en'], "One", ["Uno", "Eins"]),
        (['"One"@EN'], "One", []),
        (['"One"', '"Uno"@mul', '"Eins"@En-gb'], "Eins", ["One", "Uno"]),
        (['"One"@mul', '"Uno"'], "One", ["Uno"]),
        (['"One"', '"Uno"@mul', '"Eins"@mul'], "Uno", ["One", "Eins"]),
        (["Bare words"], "Bare words", []),
        (['"a \\"quoted\\" word"@en'], 'a "quoted" word', []),
        (['"a\\tb"@de'], "a\tb", []),
        (['"7.0"^^xsd:float'], "7", []),
        (['"1984-05"^^xsd:gYearMonth'], "1984-05", []),
    ],
)
def test_an_english_name_goes_before_one_without_a_language(names: list[str], name: str, aliases: list[str]) -> None:
    read = naming(*((NAME, each) for each in names))
    assert read.names == {"m.1": name}
    assert read.aliases.get("m.1", []) == aliases


@pytest.mark.parametrize(
    ("said", "name", "aliases", "foreign"),
    [
        ([(NAME, '"Eins"@de')], "Eins", [], 0),
        ([(NAME, '"Eins"@de'), (NAME, '"Un"@fr')], "Eins", [], 1),
        ([(NAME, '"Eins"@de'), (NAME, '"Un"@fr'), (NAME, '"Uno"@es')], "Eins", [], 2),
        ([(NAME, '"Eins"@de'), (NAME, '"One"@en')], "One", [], 1),
        ([(NAME, '"Eins"@de'), (NAME, '"One"')], "One", [], 1),
        ([(NAME, '"Oon"@enm'), (NAME, '"One"')], "One", [], 1),
        ([(NAME, '"Eins"@de'), (NAME, '"Oon"@enm'), (NAME, '"One"@mul')], "One", [], 2),
        ([("dct:title", '"One"'), ("gn:alternateName", '"Uno"')], "One", ["Uno"], 0),
        ([(ALIAS, '"Number 1"@en'), (NAME, '"Eins"@de')], "Number 1", ["Number 1"], 1),
        ([(ALIAS, '"Number 1"'), (ALIAS, '"First"@en')], "Number 1", ["Number 1", "First"], 0),
        ([(ALIAS, '"Nummer 1"@de'), (NAME, '"One"@en')], "One", [], 1),
        ([(ALIAS, '"Nummer 1"@de')], None, [], 1),
        ([(ALIAS, '"Uno"'), (NAME, '"One"@en')], "One", ["Uno"], 0),
    ],
)
def test_what_has_no_english_name_is_named_by_its_alias_or_in_another_language(
    said: list[tuple[str, str]], name: str | None, aliases: list[str], foreign: int
) -> None:
    read = naming(*said)
    assert read.names.get("m.1") == name
    assert read.aliases.get("m.1", []) == aliases
    assert read.foreign == foreign


def test_types_are_kept_once_each_in_the_order_of_the_file() -> None:
    read = naming((TYPE, "film.film"), (TYPE, "common.topic"), (TYPE, "film.film"), (NAME, '"One"@en'))
    assert read.types == {"m.1": ["film.film", "common.topic"]}
    assert read.names == {"m.1": "One"}


def test_what_follows_a_type_or_a_foreign_name_is_read_too() -> None:
    read = naming((TYPE, "film.film"), (NAME, '"Eins"@de'), (NAME, '"One"@en'), (TYPE, "tv.tv_program"))
    assert read.types == {"m.1": ["film.film", "tv.tv_program"]}
    assert read.names == {"m.1": "One"}


def test_a_year_may_be_a_name_in_no_language() -> None:
    read = naming((NAME, '"1984"^^xsd:gYear'), (NAME, '"Nineteen Eighty-Four"@en'))
    assert (read.names, read.aliases) == ({"m.1": "Nineteen Eighty-Four"}, {"m.1": ["1984"]})
    assert read.foreign == 0


def test_names_of_different_things_do_not_mix() -> None:
    read = Naming()
    said = [("a", NAME, '"A"'), ("b", NAME, '"B"@en'), ("a", NAME, '"Ay"@en'), ("b", NAME, '"Bee"@en')]
    said += [("c", ALIAS, '"C"@en'), ("d", NAME, '"De"@de'), ("c", NAME, '"Ce"@de')]
    read.read(said, load_knowledge())
    read.settle()
    assert read.names == {"a": "Ay", "b": "B", "c": "C", "d": "De"}
    assert read.aliases == {"a": ["A"], "b": ["Bee"], "c": ["C"]}
    assert read.foreign == 1


def test_a_name_that_is_added_is_the_first_or_an_alias() -> None:
    read = Naming()
    for name in ("One", "One", "Uno"):
        read.add("m.1", name)
    assert (read.names, read.aliases) == ({"m.1": "One"}, {"m.1": ["Uno"]})


@pytest.mark.parametrize("prefix", ["skosxl:", "http://www.w3.org/2008/05/skos-xl#"])
def test_labels_that_are_nodes_name_what_they_are_of_whatever_comes_first(prefix: str) -> None:
    triples = [
        ("c1", f"{prefix}prefLabel", "_:l1"),
        ("_:l1", "rdf:type", f"{prefix}Label"),
        ("_:l1", f"{prefix}literalForm", '"Cheese"@en'),
        ("c1", f"{prefix}altLabel", "_:l2"),
        ("_:l2", f"{prefix}literalForm", '"Fromage"@en'),
        ("c1", f"{prefix}prefLabel", "_:l3"),
        ("_:l3", f"{prefix}literalForm", '"K\\u00e4se"@de'),
        ("c2", f"{prefix}prefLabel", "_:gone"),
    ]
    for order in (triples, triples[::-1]):
        read = Naming()
        read.read(order, load_knowledge())
        read.settle()
        assert (dict(read.names), read.aliases["c1"], read.foreign) == ({"c1": "Cheese"}, ["Fromage"], 1)
        assert not read.types
