"""What can go wrong with a Neo4j, in words: for people who ask, and for whoever runs it."""

from __future__ import annotations

from typing import NamedTuple

from neo4j.exceptions import ConfigurationError, Neo4jError

from kgstore.store import GraphStoreError

_AWAY = "The graphs cannot be reached right now. Try again in a minute."
_UNREADABLE = "The graphs cannot be read. Tell whoever runs this site; its log says why."
_TOO_LONG = "A query took too long and was stopped. Try again in a minute, or ask something that touches fewer facts."
_CORRECT = "Correct GRAPH_STORE_URL."
_MAKE_ROOM = (
    "Its debug.log says why; most likely the disk is full. Make room, restart Neo4j, then run the same command again."
)
_DISK_FULL = ("no space left", "disk full", "databasefull", "not enough space", "out of disk")


class _Reason(NamedTuple):
    people: str
    operators: str
    """What follows the name of the server."""
    retryable: bool


def explain(error: Exception, *, address: str, user: str, database: str, seconds: float) -> GraphStoreError:
    """An error of the driver or the server, met by a query that had some seconds."""
    reason = _reason(error, user, database, seconds)
    detail = f"The Neo4j at {address} {reason.operators}"
    return GraphStoreError(reason.people, retryable=reason.retryable, detail=detail)


def _reason(error: Exception, user: str, database: str, seconds: float) -> _Reason:
    code = (error.code or "") if isinstance(error, Neo4jError) else ""
    limits = (
        f"needed more than {seconds:g} seconds for a query, which was stopped. If it stays so, give it more memory."
    )
    refuses = f"does not let the user “{user}” in: the password is wrong, or that user may not do this."
    by_code = {
        "AuthenticationRateLimit": _Reason(
            _UNREADABLE, f"was told a wrong password too often and waits a while. {_CORRECT}", retryable=True
        ),
        "Neo.ClientError.Security": _Reason(_UNREADABLE, f"{refuses} {_CORRECT}", retryable=False),
        "TransactionTimedOut": _Reason(_TOO_LONG, limits, retryable=True),
        "OutOfMemory": _Reason(
            _AWAY,
            "has too little memory for what it was asked. Ask for less at once, or give it a larger heap.",
            retryable=True,
        ),
        "TransactionLogError": _Reason(_UNREADABLE, f"could not write to its disk. {_MAKE_ROOM}", retryable=True),
        "TransactionCommitFailed": _Reason(_UNREADABLE, f"could not write to its disk. {_MAKE_ROOM}", retryable=True),
        "TransactionStartFailed": _Reason(
            _UNREADABLE, f"has stopped working after an error of its own. {_MAKE_ROOM}", retryable=True
        ),
        "DatabaseNotFound": _Reason(_UNREADABLE, f"has no database “{database}”. {_CORRECT}", retryable=False),
    }
    known = next((reason for sign, reason in by_code.items() if sign in code), None)
    if known is not None:
        return known
    if any(sign in f"{error}".lower() for sign in _DISK_FULL):
        return _Reason(_UNREADABLE, "has no room left on its disk. Make room, then try again.", retryable=True)
    if isinstance(error, ConfigurationError):
        return _Reason(_UNREADABLE, f"cannot be spoken with: {error}. {_CORRECT}", retryable=False)
    if isinstance(error, Neo4jError):
        if error.is_retryable() or "Unavailable" in code:
            return _Reason(_AWAY, f"is not ready ({code}). Wait, or look into its log.", retryable=True)
        return _Reason(_UNREADABLE, f"could not do a query: {error.message} ({code})", retryable=False)
    return _Reason(_AWAY, "does not answer. Start it, or correct GRAPH_STORE_URL.", retryable=True)
