"""The log of a project over HTTP, for who reviews or manages it."""

from datetime import UTC, datetime
from typing import Annotated, Literal
from uuid import UUID

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from ninja import Query, Router, Schema
from pydantic import AfterValidator, AwareDatetime, BeforeValidator, Field

from webapp.accounts.viewer import viewer
from webapp.labelling.log.entries import LogFilter
from webapp.labelling.log.schemas import LogPageOut, LogWhat
from webapp.labelling.log.selectors import log_page, log_table
from webapp.labelling.projects.selectors import project_get
from webapp.platform.http.errors import ErrorOut
from webapp.platform.http.inputs import LARGEST, Number
from webapp.platform.http.openapi import file_answer
from webapp.platform.http.streaming import streamed_file

router = Router(tags=["annotation"])

_FIRST_YEAR, _LAST_YEAR = 1900, 9000


def _storable(at: datetime) -> datetime:
    """A time that databases hold, whatever zone it is in."""
    if not _FIRST_YEAR <= at.year <= _LAST_YEAR:
        raise ValueError(f"a year from {_FIRST_YEAR} to {_LAST_YEAR} is wanted")
    return at.astimezone(UTC)


def _written(at: object) -> object:
    """A time as people write it: a bare number would be taken for seconds."""
    if isinstance(at, str) and "-" not in at[1:]:
        raise ValueError("a day and a time with its zone are wanted, as 2026-11-23T12:00:00Z")
    return at


Instant = Annotated[AwareDatetime, BeforeValidator(_written), AfterValidator(_storable)]


class LogFilterIn(Schema):
    """Which entries are wanted."""

    person: Annotated[int, Field(ge=1, le=LARGEST)] | None = None
    """The id of who did it."""
    search: Annotated[str, Field(max_length=1_000)] = ""
    """The number of a task, or words of its question or its id."""
    what: LogWhat | None = None
    since: Instant | None = None
    until: Instant | None = None
    """Before then; both with their zone."""

    def wanted(self) -> LogFilter:
        """The same for what reads the log."""
        return LogFilter(self.person, self.search, self.what, self.since, self.until)


@router.get(
    "/{uuid:project_id}/log",
    response={200: LogPageOut, 403: ErrorOut, 404: ErrorOut, 422: ErrorOut},
    operation_id="labelling_log",
)
def page(
    request: HttpRequest,
    project_id: UUID,
    asked: Query[LogFilterIn],
    offset: Number = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> LogPageOut:
    """Who did what in a project, the newest first: moves of labels, and what was handed in, sent back and accepted."""
    who = viewer(request)
    project = project_get(project_id=project_id, viewer=who)
    return log_page(project, viewer=who, wanted=asked.wanted(), offset=offset, limit=limit)


@router.get(
    "/{uuid:project_id}/log/file",
    response={403: ErrorOut, 404: ErrorOut, 422: ErrorOut},
    operation_id="labelling_log_file",
    openapi_extra=file_answer("text/csv"),
)
def file(
    request: HttpRequest,
    project_id: UUID,
    asked: Query[LogFilterIn],
    people: Annotated[Literal["names", "pseudonyms"], Query()] = "names",
) -> HttpResponseBase:
    """The same as a table, all entries that are wanted; it is made while it is sent."""
    who = viewer(request)
    project = project_get(project_id=project_id, viewer=who)
    lines = log_table(project, viewer=who, wanted=asked.wanted(), pseudonyms=people == "pseudonyms")
    return streamed_file(lines, name=f"log-{project_id}.csv", media_type="text/csv")
