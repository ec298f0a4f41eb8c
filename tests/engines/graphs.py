"""Small graphs with everything in which engines differ: dates, numbers and texts of all kinds, and ids of all forms."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from tests.reasoning.random_graphs import random_triples

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kgstore.loading.formats.lines import TripleText

_PIECES = 12
_MORE_VALUES = {
    "base.mixed.size": [
        *('"9007199254740993"^^xsd:integer', '"9007199254740992"^^xsd:integer', '"0.1"^^xsd:decimal', '"4.5"', '"-3"'),
        *('"1e3"', '"1.0E300"^^xsd:double', '"0.30000000000000004"^^xsd:decimal', '"0.3"^^xsd:decimal', '"007"'),
    ],
    "base.mixed.day": [
        *('"12000"^^xsd:gYear', '"2011"^^xsd:gYear', '"20110"^^xsd:gYear', '"2011-02-28"^^xsd:date'),
        *('"0099"^^xsd:gYear', '"-0100-12"^^xsd:gYearMonth', '"12000-02"^^xsd:gYearMonth'),
    ],
    "base.mixed.word": [
        *('"day"@en', '"day"@en-gb', '"day"', '"true"^^xsd:boolean', '"P1Y"^^xsd:duration', '"a\\\\b\\"c"@de'),
        '"POINT(1 2)"^^<http://www.opengis.net/ont/geosparql#wktLiteral>',
    ],
}


def mixed_triples() -> list[TripleText]:
    """Ids as tables have them: mids, names with blanks and marks, relations over a dropped mediator."""
    choose = random.Random("mixed")
    triples = [triple for piece in range(_PIECES) for triple in random_triples(choose, f"m.{piece}.")]
    things = sorted({subject for subject, _, _ in triples})
    for relation, values in _MORE_VALUES.items():
        triples += [(choose.choice(things), relation, value) for value in values * 3]
    return list(dict.fromkeys(triples))


def _turtle(films: int = 24, people: int = 12) -> Iterator[str]:
    choose = random.Random("addresses")
    yield "@prefix ex: <http://example.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> ."
    yield "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix urn: <urn:example:> ."
    released = (
        *('"2011"^^xsd:gYear', '"2011Z"^^xsd:gYear', '"2011-02+01:00"^^xsd:gYearMonth', '"2011-02-06Z"^^xsd:date'),
        *('"2011-02-06"^^xsd:date', '"2011-02-06T12:30:00"^^xsd:dateTime', '"2012-01-01-05:00"^^xsd:date'),
        *('"2010-12-31T23:59:59.5Z"^^xsd:dateTime', '"-0044-03-15"^^xsd:date', '"12010"^^xsd:gYear'),
    )
    rated = (
        '"0.1"^^xsd:float',
        '"0.1"^^xsd:double',
        "0.1",
        "1.0e-1",
        "1",
        "1.0",
        "7",
        '"7"^^xsd:short',
        "1.0e30",
        '"7"',
    )
    taglines = ('"day"@en', '"day"@EN', '"day"@en-GB', '"day"', '"tag"@de', "true")
    for number in range(people):
        yield f'ex:René%20{number} a ex:Person ; rdfs:label "René {number}"@fr ; ex:height {choose.choice(rated)} .'
    for number in range(films):
        cast = [f"ex:René%20{choose.randrange(people)}" for _ in range(3)]
        yield f'urn:film-{number} a ex:Film, {choose.choice(("ex:Long", "ex:Short"))} ; rdfs:label "Film {number}"@en ;'
        yield f"  ex:director {cast[0]} ; ex:role [ ex:actor {cast[1]} ; ex:from {choose.choice(released)} ] ;"
        yield f"  ex:released {choose.choice(released)}, {choose.choice(released)} ; ex:rated {choose.choice(rated)} ;"
        yield f"  ex:tagline {choose.choice(taglines)}, {choose.choice(taglines)} ; ex:likes {cast[2]} ."


TURTLE = "\n".join(_turtle()) + "\n"
"""RDF with its own addresses; dates with time zones and times of day, 0.1 in four datatypes, tags in capitals."""

_NS = "http://rdf.freebase.com/ns/"
_XSD = "http://www.w3.org/2001/XMLSchema#"


def _dump(people: int = 16, films: int = 16) -> Iterator[tuple[str, str, str]]:
    choose = random.Random("freebase")
    born = (f'"1980-05-06T00:00:00Z"^^<{_XSD}dateTime>', f'"1980-05"^^<{_XSD}gYearMonth>', f'"1979"^^<{_XSD}gYear>')
    yield "m.0land", "type.object.type", "location.country"
    yield "m.0land", "type.object.name", '"Land"@en'
    for number in range(films):
        film = f"m.0film{number}"
        yield film, "type.object.type", "film.film"
        yield film, "type.object.name", f'"Film {number}"@en'
        yield film, "film.film.initial_release_date", f'"20{number:02}-01-0{number % 9 + 1}"^^<{_XSD}date>'
        yield film, "film.film.country", "m.0land"
        yield film, "location.country.iso_numeric", choose.choice(('"032"', '"392"', '"076"'))
    for number in range(people):
        person, held = f"m.0person{number}", f"m.0held{number}"
        yield person, "type.object.type", "people.person"
        yield person, "type.object.name", f'"Person {number}"@en'
        yield (
            person,
            "people.person.date_of_birth",
            choose.choice((*born, f'"1981-0{number % 9 + 1}-03"^^<{_XSD}date>')),
        )
        yield person, "people.person.height_meters", choose.choice(('"1.8"', '"1.75"', '"2"', '"1.80"'))
        yield held, "type.object.type", "government.government_position_held"
        yield held, "government.government_position_held.office_holder", person
        yield held, "government.government_position_held.jurisdiction_of_office", "m.0land"
        yield held, "government.government_position_held.from", f'"199{number % 10}"^^<{_XSD}gYear>'
        # Of each fact one direction alone: loading adds the other.
        film = f"m.0film{choose.randrange(films)}"
        yield (film, "film.film.directed_by", person) if number % 2 else (person, "film.director.film", film)


def _dump_text(triples: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    for subject, predicate, target in triples:
        written = target if target.startswith('"') else f"<{_NS}{target}>"
        yield f"<{_NS}{subject}>\t<{_NS}{predicate}>\t{written}\t.\n"


FREEBASE_DUMP = "".join(_dump_text(_dump()))
"""A part of Freebase as its dump writes it: numbers without a datatype, days with a time, half of the inverse facts."""
