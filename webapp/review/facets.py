"""What cases are filtered by.

The query parameters of the API, the counts next to a list and the filters of the page come from this one table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from ninja import Field

from webapp.platform.http.extended import extended

if TYPE_CHECKING:
    from ninja import Schema

    from webapp.platform.http.extended import Model


@dataclass(frozen=True, slots=True)
class Facet:
    """One choice that a list of cases offers."""

    name: str
    """In addresses of pages, and in the answers of the API."""
    title: str
    """Above its values on the page."""
    field: str = ""
    """Of a `QueuedCase`; empty where it is called like the facet. A case whose field is empty has no value."""
    parameter: str = ""
    """Of the API; empty where it is called like the facet."""
    longest: int = 40
    """Maximum of characters of a value."""
    most: int = 10
    """Maximum of values in one request."""
    help: str = ""
    """What the API's document says of it."""

    @property
    def asked_as(self) -> str:
        """Its query parameter."""
        return self.parameter or self.name


# All of a filter at its longest is 14 kB, and a web server rejects requests with a head of more than 16 kB.
FACETS = (
    Facet("status", "Status"),
    Facet("result", "Result"),
    Facet("class", "Error class", field="error_class", parameter="error_class"),
    Facet("dog", "DoG error class", field="dog_class", longest=16, help="Error classes of DoG."),
    Facet("cause", "Proposed cause"),
    Facet("stage", "First wrong stage"),
    Facet("confidence", "Confidence", field="sureness"),
    Facet("shape", "Shape"),
    Facet("domain", "Domain", longest=300),
    Facet("relation", "Relation", longest=300),
    Facet("other", "Compared evaluation", help="The result of the evaluation ``against`` for the same question."),
    Facet(
        "agreement",
        "Agreement of evaluations",
        help="How far this evaluation and those ``beside`` agree on the answers.",
    ),
    Facet("says", "Verdict"),
    Facet("named", "Reviewed cause", help="The cause that reviewers chose."),
    Facet("assignee", "Assigned to", longest=300),
    Facet(
        "confused",
        "Confused relations",
        longest=620,
        most=4,
        help="A gold relation and the one that was chosen instead, as ``gold>chosen``.",
    ),
)
"""In the order of the page."""


def with_facets(model: type[Model]) -> type[Model]:
    """Give a schema a list for each facet, which may be left out."""
    return extended(model, {facet.asked_as: _parameter(facet) for facet in FACETS})


def facets_asked(query: Schema) -> dict[str, list[str]]:
    """The values that a query asks for, by facet."""
    return {facet.name: getattr(query, facet.asked_as) for facet in FACETS}


def _parameter(facet: Facet) -> tuple[Any, Any]:
    value = Annotated[str, Field(max_length=facet.longest)]
    return list[value], Field(default_factory=list, max_length=facet.most, description=facet.help or None)
