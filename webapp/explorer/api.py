"""Routes to look around in a graph."""

from typing import Annotated

from django.http import HttpRequest
from ninja import Query, Router

from webapp.explorer.schemas import EntityDetailOut, ExploredPageOut
from webapp.explorer.selectors import entity_detail, entity_facts
from webapp.http.errors import ErrorOut
from webapp.http.inputs import NameInPath

LONGEST_ID = 4_000
"""So many characters may the id of an entity or of a relation have: some are addresses."""
LONGEST_CURSOR = 200
PAGE = 50

Id = Annotated[str, Query(min_length=1, max_length=LONGEST_ID)]
Limit = Annotated[int, Query(ge=1, le=500)]
Cursor = Annotated[str | None, Query(max_length=LONGEST_CURSOR)]
REFUSALS = {404: ErrorOut, 422: ErrorOut, 503: ErrorOut}

router = Router(tags=["explore"])


@router.get("/{graph}/entity", response={200: EntityDetailOut, **REFUSALS}, operation_id="entity_detail")
def entity(request: HttpRequest, graph: NameInPath, id: Id) -> EntityDetailOut:  # noqa: A002 - the parameter's name
    """What a graph holds of an entity: what it is, and its facts counted by relation."""
    return entity_detail(graph=graph, entity_id=id)


@router.get("/{graph}/facts", response={200: ExploredPageOut, 409: ErrorOut, **REFUSALS}, operation_id="entity_facts")
def facts(
    request: HttpRequest,
    graph: NameInPath,
    id: Id,  # noqa: A002 - the parameter's name
    relation: Id,
    limit: Limit = PAGE,
    cursor: Cursor = None,
) -> ExploredPageOut:
    """Some facts of an entity along a relation, best known first; the next ones follow a cursor."""
    return entity_facts(graph=graph, entity_id=id, relation_id=relation, limit=limit, cursor=cursor)
