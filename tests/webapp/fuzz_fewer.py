"""Hooks of Schemathesis that bound how many coverage cases are sent.

The coverage phase tries each kind of value (too long, the maximum, of another type, …) of each field of each route,
often several times. Fields of one name share their type, so routes take turns with the kinds: each field of each route
gets an allowed and a forbidden value, and each kind is tried for each field name. `make fuzz` sends all cases.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import schemathesis
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation.meta import CoveragePhaseData, CoverageScenario

if TYPE_CHECKING:
    from schemathesis import Case, HookContext

_sent: set[tuple[object, ...]] = set()


@schemathesis.hook
def filter_case(context: HookContext, case: Case[Any]) -> bool:
    """Whether a case is sent."""
    del context
    if case.meta is None or not isinstance(data := case.meta.phase.data, CoveragePhaseData):
        return True
    route = case.operation.label
    field = _field(data)
    kind = re.sub(r"'.*'", "", data.description.rpartition(": ")[2])
    tries = {(route, field, case.meta.generation.mode), (field or route, kind)}
    is_new = not tries <= _sent
    _sent.update(tries)
    return is_new


def _field(data: CoveragePhaseData) -> str:
    """Name of the field that a case is about, empty if it is about the request as a whole.

    Schemathesis has no field for it: a description reads ``Object with valid 'moves' value: Maximum items array``.
    """
    if data.scenario is CoverageScenario.UNSPECIFIED_HTTP_METHOD:
        return "method"
    properties = re.findall(r"/properties/([^/]+)", data.location or "") or re.findall(
        r"'([^']+)' value", data.description
    )
    is_parameter = data.parameter_location in {ParameterLocation.PATH, ParameterLocation.QUERY}
    return properties[-1] if properties else (is_parameter and data.parameter) or ""
