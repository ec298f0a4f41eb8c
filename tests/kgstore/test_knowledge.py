from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING

import pytest

from kgstore.freebase.knowledge import load_knowledge, table
from kgstore.freebase.labels import RelationLabel, relation_label, type_label
from kgstore.terms import Relation

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS = {
    "date_words.tsv": 3,
    "labels.tsv": 3,
    "mediator_types.tsv": 2,
    "naming_relations.tsv": 3,
    "never_offered.tsv": 2,
    "notable_types.tsv": 3,
    "reverse_relations.tsv": 3,
    "span_relations.tsv": 3,
    "types_telling_little.tsv": 2,
    "units.tsv": 3,
}


def test_every_table_is_checked_here() -> None:
    assert {path.name for path in files("kgstore.freebase").iterdir() if path.name.endswith(".tsv")} == set(COLUMNS)


@pytest.mark.parametrize("name", COLUMNS)
def test_every_row_has_a_reason_and_stands_once(name: str) -> None:
    rows = list(table(name))
    assert rows
    assert {len(row) for row in rows} == {COLUMNS[name]}
    assert all(cell.strip() == cell and cell for row in rows for cell in row)
    assert len({row[0] for row in rows}) == len(rows)


def test_a_relation_has_one_reverse() -> None:
    ends = [end for row in table("reverse_relations.tsv") for end in row[:2]]
    assert len(set(ends)) == len(ends)


def test_a_mediator_type_is_a_type() -> None:
    assert all(re.fullmatch(r"[a-z0-9_]+(\.[a-z0-9_]+)+", row[0]) for row in table("mediator_types.tsv"))


@pytest.mark.parametrize(
    ("predicate", "is_offered"),
    [
        ("film.film.directed_by", True),
        ("type.object.key", False),
        ("freebase.valuenotation.is_reviewed", False),
        ("common.topic.webpage", False),
        ("common.topic.notable_types", True),
        ("common.topic.webpage|common.webpage.category", False),
        ("film.film.starring|film.performance.actor", True),
        ("typewriter.model.maker", True),
    ],
)
def test_what_is_offered(predicate: str, is_offered: bool) -> None:
    assert load_knowledge().is_offered(predicate) is is_offered


def test_reverse_relations_work_both_ways_and_joined() -> None:
    reverse_of = load_knowledge().reverse_of
    assert reverse_of("film.film.directed_by") == "film.director.film"
    assert reverse_of("film.director.film") == "film.film.directed_by"
    assert reverse_of("film.film.starring|film.performance.actor") == "film.actor.film|film.performance.film"
    assert reverse_of("film.film.starring|film.performance.note") is None
    assert reverse_of("no.such.relation") is None


def test_types_of_both_ends() -> None:
    knowledge = load_knowledge()
    assert knowledge.subject_type("film.film.directed_by") == "film.film"
    assert knowledge.object_type("film.film.directed_by") == "film.director"
    assert knowledge.object_type("no.such.relation") is None
    assert knowledge.subject_type("plain") is None


@pytest.mark.parametrize(
    ("relation", "label"),
    [
        ("tv.regular_tv_appearance.actor", RelationLabel("actor", "TV appearance")),
        ("film.film.directed_by", RelationLabel("directed by", "film")),
        ("^film.film.directed_by", RelationLabel("directed by", "film")),
        ("location.statistical_region.gdp_real", RelationLabel("GDP real", "place in figures")),
        ("sports.professional_sports_team.owner_s", RelationLabel("owners", "professional sports team")),
        ("film.film.starring|film.performance.actor", RelationLabel("starring → actor", "film")),
        ("^film.film.starring|film.performance.actor", RelationLabel("actor → starring", "film performance")),
        ("directed_by", RelationLabel("directed by", "")),
        ("odd.", RelationLabel("odd.", "odd")),
        ("location.location.area", RelationLabel("area", "place", "km²")),
        ("film.film.runtime|film.film_cut.runtime", RelationLabel("runtime → runtime", "film", "min")),
        ("^film.film.runtime|film.film_cut.runtime", RelationLabel("runtime → runtime", "film cut")),
        ("people.person.weight_kg", RelationLabel("weight kg", "person", "kg")),
        ("location.statistical_region.population", RelationLabel("population", "place in figures")),
    ],
)
def test_relations_in_words(relation: str, label: RelationLabel) -> None:
    assert relation_label(Relation.parse(relation)) == label


def test_types_in_words() -> None:
    assert type_label("tv.tv_program") == "TV programme"
    assert type_label("location.us_county") == "US county"
    assert type_label("film.film") == "film"


@pytest.mark.real_data
def test_names_of_relations_say_which_lead_to_dates(real_data: Path) -> None:
    lines = (real_data / "freebase_schema" / "fb_roles").read_text(encoding="utf-8").splitlines()
    roles = [fields for line in lines if len(fields := line.split()) == 3]
    knowledge = load_knowledge()

    def said(*ranges: str) -> tuple[int, int]:
        """Of the relations to some types: how many are said to lead to dates, and how many there are."""
        shown = [knowledge.leads_to_dates(relation) for _, relation, target in roles if target in ranges]
        return sum(shown), len(shown)

    dates, of_dates = said("type.datetime")
    assert of_dates == 1_276
    assert dates >= 1_180
    amounts, of_amounts = said("type.int", "type.float")
    assert of_amounts == 2_121
    assert amounts <= 20
