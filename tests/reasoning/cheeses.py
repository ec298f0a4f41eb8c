"""A graph of things with types and values, about which questions need no name."""

from __future__ import annotations

AGED = {"Comté": 18, "Feta": 2, "Gouda": 10, "Manchego": 6, "Parmigiano Reggiano": 24, "Roquefort": 3}
DAIRIES = {"Comté": "Fort", "Feta": "Dodoni", "Gouda": "Henri", "Manchego": "La Casota", "Roquefort": "Papillon"}
FOUNDED = {"Fort": 1966, "Dodoni": 1963, "Henri": 1974, "La Casota": 1998, "Papillon": 1906}
COUNTRIES = {"Fort": "France", "Dodoni": "Greece", "Henri": "Netherlands", "La Casota": "Spain", "Papillon": "France"}
POPULATION = {"France": 68, "Greece": 10, "Netherlands": 18, "Spain": 48}


def cheese_triples() -> list[tuple[str, str, str]]:
    """Ids are names."""
    types = {"food.cheese": AGED, "food.dairy": FOUNDED, "location.country": POPULATION}
    triples = [(each, "type.object.type", kind) for kind, instances in types.items() for each in instances]
    triples += [(each, "type.object.name", f'"{each}"@en') for instances in types.values() for each in instances]
    triples += [(cheese, "aged_months", f'"{months}"^^xsd:integer') for cheese, months in AGED.items()]
    triples += [(cheese, "made_by", dairy) for cheese, dairy in DAIRIES.items()]
    triples += [(dairy, "founded", f'"{year}"^^xsd:gYear') for dairy, year in FOUNDED.items()]
    triples += [(dairy, "country", country) for dairy, country in COUNTRIES.items()]
    triples += [(country, "population", f'"{count}000000"^^xsd:integer') for country, count in POPULATION.items()]
    return triples
