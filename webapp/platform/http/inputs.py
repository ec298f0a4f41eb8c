"""Rules for all input: bodies refuse unknown fields, and numbers in an address have bounds."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from ninja import Path, Query, Schema
from pydantic import ConfigDict

LARGEST = 2**31 - 1
"""No number of a row, and no count of rows, is larger: PostgreSQL's integer."""
MAX_NAME_LENGTH = 200
"""Maximum of characters of a name: of a graph, a scorer, a dataset, an entity's id."""

Number: TypeAlias = Annotated[int, Query(ge=0, le=LARGEST)]
"""Counts rows: how many to skip, the number of an event."""
Position: TypeAlias = Annotated[int, Query(ge=1, le=LARGEST)]
"""Counts from one."""
PositionInPath: TypeAlias = Annotated[int, Path(ge=1, le=LARGEST)]
"""The same as a part of an address."""
IdInPath: TypeAlias = Annotated[int, Path(ge=1, le=2**63 - 1)]
"""A row's own number as a part of an address."""
Name: TypeAlias = Annotated[str, Query(max_length=MAX_NAME_LENGTH)]
NameInPath: TypeAlias = Annotated[str, Path(max_length=MAX_NAME_LENGTH)]


class Input(Schema):
    """A body: a field that is not known, or is of another JSON type, is refused by its name."""

    model_config = ConfigDict(extra="forbid", strict=True)
