"""What to take of a large dump, said in a small TOML file. `kgstore/loading/freebase_filters.example.toml` shows all.

* ``[keep] domains`` and ``relations``: facts of these are taken, and no others. Without both, facts of all are.
* ``[drop] domains`` and ``relations``: facts of these are left out even so.
* ``[keep] languages``: texts in these languages are taken; those without a language always are.

The domain of ``film.film.directed_by`` is ``film``. Names, aliases and types are taken whatever is kept, of what stands
in a fact that is taken.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgstore.loading.errors import GraphLoadError

if TYPE_CHECKING:
    from pathlib import Path

_KEYS = {"keep": ("domains", "relations", "languages"), "drop": ("domains", "relations")}


@dataclass(frozen=True, slots=True)
class TripleFilter:
    """Which facts and texts of a dump are taken."""

    kept_domains: frozenset[str] = frozenset()
    kept_relations: frozenset[str] = frozenset()
    languages: frozenset[str] = frozenset()
    """In small letters."""
    dropped_domains: frozenset[str] = frozenset()
    dropped_relations: frozenset[str] = frozenset()

    @property
    def is_selective(self) -> bool:
        """Whether only some relations are taken."""
        return bool(self.kept_domains or self.kept_relations or self.dropped_domains or self.dropped_relations)

    def takes(self, predicate: str) -> bool:
        """Whether facts of a relation are taken."""
        domain = predicate.partition(".")[0]
        if predicate in self.dropped_relations or domain in self.dropped_domains:
            return False
        if not (self.kept_domains or self.kept_relations):
            return True
        return predicate in self.kept_relations or domain in self.kept_domains

    def takes_language(self, language: str) -> bool:
        """Whether texts in a language are taken: ``en`` stands for ``en-GB`` too. Capitals do not count."""
        tag = language.lower()
        return not (self.languages and tag) or not self.languages.isdisjoint((tag, tag.partition("-")[0]))

    def words(self) -> list[str]:
        """What is taken, for people."""
        parts = {
            "facts of the domains": self.kept_domains,
            "facts of the relations": self.kept_relations,
            "texts in the languages": self.languages,
            "without the domains": self.dropped_domains,
            "without the relations": self.dropped_relations,
        }
        return [f"{what} {', '.join(sorted(names))}" for what, names in parts.items() if names]


def read_filter(path: Path) -> TripleFilter:
    """Read a TOML file of filters.

    Raises:
        GraphLoadError: it cannot be read, or says something that is not known.

    """
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise GraphLoadError(f"{path} cannot be read: {error.strerror or error}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise GraphLoadError(f"{path} is not TOML: {error}.") from error
    for table, content in tables.items():
        if table not in _KEYS or not isinstance(content, dict):
            raise GraphLoadError(f"{path}: {table} is not known; write tables named {' and '.join(_KEYS)}.")
        for key, value in content.items():
            if key not in _KEYS[table]:
                raise GraphLoadError(f"{path}: [{table}] {key} is not known; known: {', '.join(_KEYS[table])}.")
            if not isinstance(value, list) or not all(isinstance(name, str) and name for name in value):
                raise GraphLoadError(f'{path}: [{table}] {key} must be a list of texts, such as ["film", "tv"].')
    keep, drop = tables.get("keep", {}), tables.get("drop", {})
    return TripleFilter(
        kept_domains=frozenset(keep.get("domains", ())),
        kept_relations=frozenset(keep.get("relations", ())),
        languages=frozenset(language.lower() for language in keep.get("languages", ())),
        dropped_domains=frozenset(drop.get("domains", ())),
        dropped_relations=frozenset(drop.get("relations", ())),
    )
