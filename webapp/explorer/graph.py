"""A graph that a user explores, and the words for what is found there."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from kgstore.exploring.explorable import NotStoredError
from kgstore.freebase.labels import type_label
from kgstore.store import GraphStoreError
from kgstore.store_parts.cursor import CursorError
from kgstore.terms import Entity
from reasoning.narration.narration import Narrator
from webapp import engine
from webapp.explorer.schemas import ExploredFact, KindOut
from webapp.platform.http.errors import ProductError, graph_error

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kgstore.exploring.explorable import ExplorableStore
    from kgstore.terms import Relation, Term, Triple


@contextmanager
def explored_graph(name: str) -> Iterator[ExplorableStore]:
    """A graph of this site, for the length of a block.

    Raises:
        ProductError: there is none of that name, it cannot be read, or a cursor is none of its lists.

    """
    try:
        yield engine.graph(name)
    except NotStoredError as error:
        raise ProductError(409, "graph_outdated", error.for_people) from error
    except CursorError as error:
        raise ProductError(409, "cursor_outdated", error.for_people) from error
    except GraphStoreError as error:
        raise graph_error(error, status=404) from error


def entities_ensure(store: ExplorableStore, *ids: str) -> list[Entity]:
    """The entities of some ids.

    Raises:
        ProductError: the graph does not hold one of them.

    """
    entities = [Entity(each) for each in ids]
    known = store.cards(entities)
    for entity in entities:
        # What is quoted is a literal, which a store may hold under that text, too.
        if entity not in known or entity.mid.startswith('"'):
            message = f"This graph has no entity “{entity.mid[:200]}”. Search for it by its name."
            raise ProductError(404, "entity_unknown", message)
    return entities


class FactRecorder:
    """Turns facts of a graph into records; names that many facts share are looked up once."""

    def __init__(self, store: ExplorableStore) -> None:
        self.narrator = Narrator(store)

    def fact(self, triple: Triple, relation: Relation) -> ExploredFact:
        """A triple, as it is read along a relation that has its predicate."""
        ends: tuple[Term, Term] = (triple.subject, triple.object)
        source, target = reversed(ends) if relation.is_reverse else ends
        return ExploredFact(
            key=str(triple),
            source=self.narrator.term(source),
            relation=self.narrator.relation(relation),
            target=self.narrator.term(target),
        )

    def facts(self, facts: Iterable[tuple[Triple, Relation]]) -> list[ExploredFact]:
        """Triples, each as it is read along a relation that has its predicate."""
        facts = list(facts)
        self.learn(triple for triple, _ in facts)
        return [self.fact(triple, relation) for triple, relation in facts]

    def learn(self, triples: Iterable[Triple]) -> None:
        """Look up all that some triples name in one query."""
        self.narrator.learn(end for triple in triples for end in (triple.subject, triple.object))

    def kinds(self, terms: Iterable[Term]) -> dict[str, KindOut | None]:
        """The first kind of each entity among some terms, by its id; None where the graph knows none."""
        cards = self.narrator.cards(terms)
        return {entity.mid: kind_out(card.types[0]) if card.types else None for entity, card in cards.items()}


def kind_out(name: str) -> KindOut:
    """A kind, in words."""
    return KindOut(id=name, label=type_label(name))
