"""Errors of Neo4j in words, for users and for operators."""

from __future__ import annotations

from typing import NamedTuple

from neo4j.exceptions import ConfigurationError, Neo4jError

from kgstore.store_parts.errors import (
    GraphAwayError,
    GraphBusyError,
    GraphDiskFullError,
    GraphForbiddenError,
    GraphMissingError,
    GraphRefusedError,
    StoreFaultError,
)

_AWAY = "The graphs cannot be reached right now. Try again in a minute."
_UNREADABLE = "The graphs cannot be read. Tell the administrator; its log says why."
_TOO_LONG = "A query took too long and was stopped. Try again in a minute, or ask something that touches fewer facts."
_CORRECT = "Correct GRAPH_STORE_URL."
_MAKE_ROOM = (
    "Its debug.log says why; most likely the disk is full. Make room, restart Neo4j, then run the same command again."
)
_DISK_FULL = ("no space left", "disk full", "databasefull", "not enough space", "out of disk")


class _Reason(NamedTuple):
    kind: type[StoreFaultError]
    people: str
    operators: str
    """What follows the name of the server."""


def explain(error: Exception, *, address: str, user: str, database: str, seconds: float) -> StoreFaultError:
    """An error of the driver or the server, met by a query that had some seconds."""
    reason = _reason(error, user, database, seconds)
    return reason.kind(f"The Neo4j at {address} {reason.operators}", reason.people)


def _reason(error: Exception, user: str, database: str, seconds: float) -> _Reason:
    code = (error.code or "") if isinstance(error, Neo4jError) else ""
    limits = (
        f"needed more than {seconds:g} seconds for a query, which was stopped. If it stays so, give it more memory."
    )
    refuses = f"does not let the user “{user}” in: the password is wrong, or that user may not do this."
    waits = f"got a wrong password too often and refuses sign-ins for a while. {_CORRECT}"
    memory = "has too little memory for what it was asked. Ask for less at once, or give it a larger heap."
    disk = f"could not write to its disk. {_MAKE_ROOM}"
    stopped = f"has stopped working after an error of its own. {_MAKE_ROOM}"
    unknown = f"has no database “{database}”. {_CORRECT}"
    by_code = {
        "AuthenticationRateLimit": _Reason(GraphAwayError, _UNREADABLE, waits),
        "Neo.ClientError.Security": _Reason(GraphForbiddenError, _UNREADABLE, f"{refuses} {_CORRECT}"),
        "TransactionTimedOut": _Reason(GraphBusyError, _TOO_LONG, limits),
        "OutOfMemory": _Reason(GraphBusyError, _AWAY, memory),
        "TransactionLogError": _Reason(GraphDiskFullError, _UNREADABLE, disk),
        "TransactionCommitFailed": _Reason(GraphDiskFullError, _UNREADABLE, disk),
        "TransactionStartFailed": _Reason(GraphAwayError, _UNREADABLE, stopped),
        "DatabaseNotFound": _Reason(GraphMissingError, _UNREADABLE, unknown),
    }
    known = next((reason for sign, reason in by_code.items() if sign in code), None)
    if known is not None:
        return known
    if any(sign in f"{error}".lower() for sign in _DISK_FULL):
        full = "has no room left on its disk. Make room, then try again."
        return _Reason(GraphDiskFullError, GraphDiskFullError.people, full)
    if isinstance(error, ConfigurationError):
        return _Reason(GraphRefusedError, _UNREADABLE, f"cannot be spoken with: {error}. {_CORRECT}")
    if isinstance(error, Neo4jError):
        if error.is_retryable() or "Unavailable" in code:
            return _Reason(GraphAwayError, _AWAY, f"is not ready ({code}). Wait, or look into its log.")
        return _Reason(GraphRefusedError, _UNREADABLE, f"could not do a query: {error.message} ({code})")
    return _Reason(GraphAwayError, _AWAY, "does not answer. Start it, or correct GRAPH_STORE_URL.")
