"""What the API says of graphs."""

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
    loaded_at: str
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
