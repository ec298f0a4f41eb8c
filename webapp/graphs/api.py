"""The graphs, and search in them."""

from typing import Annotated

from django.http import HttpRequest
from ninja import Query, Router

from webapp.accounts.viewer import viewer
from webapp.errors import ErrorOut
from webapp.graphs.schemas import EntityOut, GraphOut
from webapp.graphs.selectors import entity_search, graph_list
from webapp.inputs import NameInPath

router = Router(tags=["graphs"])


@router.get("", response={200: list[GraphOut], 503: ErrorOut}, operation_id="graph_list")
def graphs(request: HttpRequest) -> list[GraphOut]:
    """All graphs of this site, the default one first. One that cannot be read says why."""
    return graph_list(viewer=viewer(request))


@router.get(
    "/{name}/entities",
    response={200: list[EntityOut], 404: ErrorOut, 422: ErrorOut, 503: ErrorOut},
    operation_id="entity_search",
)
def entities(
    request: HttpRequest,
    name: NameInPath,
    q: Annotated[str, Query(max_length=200)] = "",
    limit: Annotated[int, Query(ge=1, le=50)] = 10,
) -> list[EntityOut]:
    """Entities whose names begin with what was typed, or have words that do; best known first."""
    return entity_search(graph=name, text=q, limit=limit)
