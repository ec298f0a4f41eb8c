"""The graphs, search in them, and loading and removing them."""

import csv
import io
from typing import Annotated
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router
from ninja import Status as Reply

from reasoning.question.linking import MAX_QUESTION_LENGTH
from webapp.accounts.viewer import viewer
from webapp.graphs.schemas import (
    DependentOut,
    EntityOut,
    GraphLoadIn,
    GraphLoadOut,
    GraphLoadPageOut,
    GraphOut,
    PassedOverPageOut,
    RecognisedOut,
    TablesIn,
    TablesOut,
)
from webapp.graphs.selectors import (
    entity_search,
    graph_dependents,
    graph_list,
    graph_load_get,
    graph_load_out,
    graph_load_page,
    passed_over,
    passed_over_rows,
    question_recognised,
)
from webapp.graphs.services import graph_load_cancel, graph_load_create, graph_remove
from webapp.graphs.tables import tables_preview
from webapp.platform.http.errors import ErrorOut
from webapp.platform.http.inputs import NameInPath, Number
from webapp.platform.http.openapi import file_answer

router = Router(tags=["graphs"])
loads = Router(tags=["graphs"])


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


@router.get(
    "/{name}/recognised",
    response={200: list[RecognisedOut], 404: ErrorOut, 422: ErrorOut, 503: ErrorOut},
    operation_id="question_recognised",
)
def recognised(
    request: HttpRequest, name: NameInPath, q: Annotated[str, Query(max_length=MAX_QUESTION_LENGTH)] = ""
) -> list[RecognisedOut]:
    """What a question that is being typed seems to name, by place; no model is asked."""
    return question_recognised(graph=name, question=q)


@router.get(
    "/{name}/dependents",
    response={200: list[DependentOut], 403: ErrorOut, 404: ErrorOut},
    operation_id="graph_dependents",
)
def dependents(request: HttpRequest, name: NameInPath) -> list[DependentOut]:
    """What rests on a graph: how many questions were asked of it, how many evaluations were done on it."""
    return graph_dependents(name=name, viewer=viewer(request))


@router.delete(
    "/{name}", response={204: None, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut}, operation_id="graph_remove"
)
def remove(request: HttpRequest, name: NameInPath) -> Reply[None]:
    """Remove a graph; what was asked of it can still be read."""
    graph_remove(name=name, viewer=viewer(request))
    return Reply(204, None)


@loads.get("", response=GraphLoadPageOut, operation_id="graph_load_list")
def list_loads(request: HttpRequest) -> GraphLoadPageOut:
    """The last loads, newest first, and what may be loaded."""
    return graph_load_page(viewer=viewer(request))


@loads.post(
    "/tables", response={200: TablesOut, 403: ErrorOut, 409: ErrorOut, 422: ErrorOut}, operation_id="graph_load_tables"
)
def look_at_tables(request: HttpRequest, payload: TablesIn) -> TablesOut:
    """The first rows of a file of tables that was sent, what its columns are taken for, and the facts they become."""
    return tables_preview(wanted=payload, viewer=viewer(request))


@loads.post(
    "", response={201: GraphLoadOut, 403: ErrorOut, 409: ErrorOut, 422: ErrorOut}, operation_id="graph_load_create"
)
def create_load(request: HttpRequest, payload: GraphLoadIn) -> Reply[GraphLoadOut]:
    """Load a graph from files that were sent."""
    who = viewer(request)
    return Reply(201, graph_load_out(graph_load_create(wanted=payload, viewer=who), who))


@loads.get("/{uuid:load_id}", response={200: GraphLoadOut, 404: ErrorOut}, operation_id="graph_load_get")
def get_load(request: HttpRequest, load_id: UUID) -> GraphLoadOut:
    """How far a load is."""
    return graph_load_out(graph_load_get(load_id=load_id), viewer(request))


@loads.post(
    "/{uuid:load_id}/cancel",
    response={200: GraphLoadOut, 403: ErrorOut, 404: ErrorOut},
    operation_id="graph_load_cancel",
)
def cancel_load(request: HttpRequest, load_id: UUID) -> GraphLoadOut:
    """Stop a load; the graph that was there stays."""
    who = viewer(request)
    return graph_load_out(graph_load_cancel(load=graph_load_get(load_id=load_id), viewer=who), who)


@loads.get(
    "/{uuid:load_id}/passed-over",
    response={200: PassedOverPageOut, 403: ErrorOut, 404: ErrorOut},
    operation_id="graph_load_passed_over",
)
def lines_passed_over(
    request: HttpRequest, load_id: UUID, offset: Number = 0, limit: Annotated[int, Query(ge=1, le=200)] = 10
) -> PassedOverPageOut:
    """Some of the lines that a load passed over, and why."""
    return passed_over(load=graph_load_get(load_id=load_id), viewer=viewer(request), offset=offset, limit=limit)


@loads.get(
    "/{uuid:load_id}/passed-over.csv",
    response={403: ErrorOut, 404: ErrorOut},
    operation_id="graph_load_passed_over_csv",
    openapi_extra=file_answer("text/csv"),
)
def table_of_lines_passed_over(request: HttpRequest, load_id: UUID) -> HttpResponse:
    """The lines that a load passed over, as a table."""
    text = io.StringIO()
    csv.writer(text).writerows(passed_over_rows(load=graph_load_get(load_id=load_id), viewer=viewer(request)))
    headers = {"Content-Disposition": f'attachment; filename="passed-over-{load_id}.csv"'}
    return HttpResponse(text.getvalue(), content_type="text/csv; charset=utf-8", headers=headers)
