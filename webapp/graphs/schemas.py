"""API schemas of graphs."""

from ninja import Schema


class GraphOut(Schema):
    """A graph that may be asked."""

    name: str
    title: str
    version: str
    entities: int
    triples: int
    predicates: int
    source: str
    """Where its triples come from."""
    filters: list[str]
    """What was chosen of the source or left out, each in words and with counts; empty where all of it was loaded."""
    loaded_at: str
    named: int | None
    """How many entities have a name; null where the graph was loaded by a version that did not count them."""
    advice: list[str]
    """What is wrong with the graph and what to do, each a sentence or two; most often empty."""
    is_default: bool


class EntityOut(Schema):
    """An entity found by one of its names."""

    id: str
    """Its mid."""
    name: str
    matched: str
    """The name or alias that matched."""
    hint: str
    """What tells it from others of the same name: its type in words."""
    popularity: int
    """How many facts it stands in."""
