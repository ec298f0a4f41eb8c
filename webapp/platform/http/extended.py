"""Schemas whose fields are declared elsewhere, such as the options of strategies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from ninja import Schema
from pydantic import create_model

if TYPE_CHECKING:
    from collections.abc import Mapping

Model = TypeVar("Model", bound=Schema)


def extended(model: type[Model], fields: Mapping[str, tuple[Any, Any]]) -> type[Model]:
    """The same schema, under the same name, with more fields: of each the type and the default."""
    declared: dict[str, Any] = dict(fields)
    made: type[Model] = create_model(
        model.__name__, __base__=model, __module__=model.__module__, __doc__=model.__doc__, **declared
    )
    return made
