"""Routes to look around in a graph, and to keep what one drew of it."""

from typing import Annotated
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router
from ninja import Status as Reply

from webapp.accounts.viewer import viewer
from webapp.explorer.saved import exploration_content_out, exploration_page, exploration_read
from webapp.explorer.schemas import (
    MAX_ID_LENGTH,
    BetweenIn,
    BetweenOut,
    CommonOut,
    EntityDetailOut,
    ExplorationChangeIn,
    ExplorationContentOut,
    ExplorationIn,
    ExplorationPageOut,
    ExploredPageOut,
    OverviewOut,
    PathsOut,
    SchemaOut,
)
from webapp.explorer.selectors import (
    entities_common,
    entity_detail,
    entity_facts,
    entity_paths,
    entity_questions,
    facts_between,
    graph_overview,
    graph_schema_out,
    relation_facts,
)
from webapp.explorer.services import exploration_create, exploration_delete, exploration_save
from webapp.platform.http.errors import ErrorOut
from webapp.platform.http.inputs import NameInPath, Number

MAX_CURSOR_LENGTH = 200
PAGE = 50

Id = Annotated[str, Query(min_length=1, max_length=MAX_ID_LENGTH)]
Limit = Annotated[int, Query(ge=1, le=500)]
Cursor = Annotated[str | None, Query(max_length=MAX_CURSOR_LENGTH)]
REFUSALS = {404: ErrorOut, 422: ErrorOut, 503: ErrorOut}

router = Router(tags=["explore"])
explorations = Router(tags=["explore"])


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


@router.get(
    "/{graph}/relation", response={200: ExploredPageOut, 409: ErrorOut, **REFUSALS}, operation_id="relation_facts"
)
def facts_of_relation(
    request: HttpRequest,
    graph: NameInPath,
    id: Id,  # noqa: A002 - the parameter's name
    limit: Limit = PAGE,
    cursor: Cursor = None,
) -> ExploredPageOut:
    """Some of all facts of a relation, those of the best known entities first."""
    return relation_facts(graph=graph, relation_id=id, limit=limit, cursor=cursor)


@router.get("/{graph}/common", response={200: CommonOut, **REFUSALS}, operation_id="entities_common")
def common(request: HttpRequest, graph: NameInPath, one: Id, other: Id, limit: Limit = PAGE) -> CommonOut:
    """What two entities are both directly joined with, the less known first."""
    return entities_common(graph=graph, one=one, other=other, limit=limit)


@router.get("/{graph}/paths", response={200: PathsOut, **REFUSALS}, operation_id="entity_paths")
def paths(
    request: HttpRequest,
    graph: NameInPath,
    source: Id,
    target: Id,
    longest: Annotated[int, Query(ge=1, le=6)] = 4,
    limit: Annotated[int, Query(ge=1, le=50)] = 10,
) -> PathsOut:
    """The shortest paths from one entity to another, over facts in either direction."""
    return entity_paths(graph=graph, source=source, target=target, longest=longest, limit=limit)


@router.post("/{graph}/between", response={200: BetweenOut, **REFUSALS}, operation_id="facts_between")
def between(request: HttpRequest, graph: NameInPath, payload: BetweenIn) -> BetweenOut:
    """The facts that join entities that are drawn. It changes nothing; a list of ids is too long for an address."""
    return facts_between(graph=graph, ids=payload.ids, others=payload.others)


@router.get("/{graph}/overview", response={200: OverviewOut, **REFUSALS}, operation_id="graph_overview")
def overview(request: HttpRequest, graph: NameInPath) -> OverviewOut:
    """What a graph is, of what it tells most, and what is missing."""
    return graph_overview(graph=graph)


@router.get("/{graph}/schema", response={200: SchemaOut, **REFUSALS}, operation_id="graph_schema")
def schema(request: HttpRequest, graph: NameInPath, limit: Annotated[int, Query(ge=1, le=1_000)] = 100) -> SchemaOut:
    """The kinds of a graph and the relations between them, the most frequent first."""
    return graph_schema_out(graph=graph, limit=limit)


@router.get("/{graph}/questions", response={200: list[str], **REFUSALS}, operation_id="entity_questions")
def questions(request: HttpRequest, graph: NameInPath, id: Id) -> list[str]:  # noqa: A002 - the parameter's name
    """A few questions that a graph can answer of an entity."""
    return entity_questions(graph=graph, entity_id=id)


@explorations.get("", response={200: ExplorationPageOut, 401: ErrorOut, 422: ErrorOut}, operation_id="exploration_list")
def list_(
    request: HttpRequest, offset: Number = 0, limit: Annotated[int, Query(ge=1, le=100)] = 20
) -> ExplorationPageOut:
    """One's own explorations and those shared with everybody who is signed in, the last saved first."""
    return exploration_page(viewer=viewer(request), offset=offset, limit=limit)


@explorations.post(
    "",
    response={
        201: ExplorationContentOut,
        401: ErrorOut,
        404: ErrorOut,
        409: ErrorOut,
        413: ErrorOut,
        422: ErrorOut,
        503: ErrorOut,
    },
    operation_id="exploration_create",
)
def create(request: HttpRequest, response: HttpResponse, payload: ExplorationIn) -> Reply[ExplorationContentOut]:
    """Keep what was drawn."""
    who = viewer(request)
    exploration = exploration_create(wanted=payload, viewer=who)
    response["Location"] = f"/api/explorations/{exploration.pk}"
    return Reply(201, exploration_content_out(exploration, who))


@explorations.get(
    "/{uuid:exploration_id}",
    response={200: ExplorationContentOut, 401: ErrorOut, 403: ErrorOut, 404: ErrorOut},
    operation_id="exploration_get",
)
def get(request: HttpRequest, exploration_id: UUID) -> ExplorationContentOut:
    """A kept exploration."""
    who = viewer(request)
    return exploration_content_out(exploration_read(exploration_id=exploration_id, viewer=who), who)


@explorations.put(
    "/{uuid:exploration_id}",
    response={
        200: ExplorationContentOut,
        401: ErrorOut,
        403: ErrorOut,
        404: ErrorOut,
        409: ErrorOut,
        413: ErrorOut,
        422: ErrorOut,
        503: ErrorOut,
    },
    operation_id="exploration_save",
)
def save(request: HttpRequest, exploration_id: UUID, payload: ExplorationChangeIn) -> ExplorationContentOut:
    """Save an exploration again, name it otherwise, or share it otherwise."""
    who = viewer(request)
    return exploration_content_out(exploration_save(exploration_id=exploration_id, wanted=payload, viewer=who), who)


@explorations.delete(
    "/{uuid:exploration_id}",
    response={204: None, 401: ErrorOut, 403: ErrorOut, 404: ErrorOut},
    operation_id="exploration_delete",
)
def delete(request: HttpRequest, exploration_id: UUID) -> Reply[None]:
    """Delete an exploration."""
    exploration_delete(exploration_id=exploration_id, viewer=viewer(request))
    return Reply(204, None)
