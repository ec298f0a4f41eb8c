"""The kinds of model that write. A new one is a file in this folder and an entry of `KINDS`."""

from __future__ import annotations

from dataclasses import dataclass
from pkgutil import resolve_name
from typing import TYPE_CHECKING, cast

from reasoning.core.errors import ScorerUnavailableError
from reasoning.scorers.registry import Place

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from reasoning.scorers.server import ModelServer
    from reasoning.writers.base import Writer


@dataclass(frozen=True, slots=True)
class WriterKind:
    """A kind of model that writes."""

    name: str
    about: str
    """One sentence for people who choose."""
    opens: str
    """What makes one, as ``module:name``; its libraries are not imported before. It is handed the server where it
    computes on one, else the folder of the model, and raises `ScorerUnavailableError`."""
    place: Place


KINDS: Mapping[str, WriterKind] = {
    kind.name: kind
    for kind in (
        WriterKind(
            "chat",
            "A chat model on any server that speaks OpenAI's protocol.",
            "reasoning.writers.chat:ChatWriter",
            Place.SERVER,
        ),
        WriterKind(
            "vllm",
            "A language model on vLLM servers, which take turns; it need not have been taught to chat.",
            "reasoning.writers.vllm:VllmWriter",
            Place.SERVER,
        ),
        WriterKind(
            "causal",
            "A language model in a folder, computed by the worker.",
            "reasoning.writers.causal:CausalWriter.open",
            Place.GPU,
        ),
    )
}


def writer_fault(name: str, *, folder: Path | None, server: ModelServer | None) -> str:
    """Why a writer cannot be opened with these, and what to do; empty where it can be tried."""
    if name not in KINDS:
        return f"There is no writer “{name}”; choose one of: {', '.join(KINDS)}."
    if KINDS[name].place is Place.SERVER:
        return "" if server else f"The writer “{name}” asks a server of yours: set DISCERN_LLM_URL to its address."
    if folder is None:
        return f"The writer “{name}” is a model of yours: say in which folder it lies (DISCERN_WRITER_WEIGHTS)."
    return ""


def open_writer(name: str, *, folder: Path | None = None, server: ModelServer | None = None) -> Writer:
    """Open a writer: a model on a ``server``, or the one in a ``folder``.

    Raises:
        ScorerUnavailableError: there is none of that name, or it cannot be opened.

    """
    if fault := writer_fault(name, folder=folder, server=server):
        raise ScorerUnavailableError(fault)
    kind = KINDS[name]
    try:
        opens = resolve_name(kind.opens)
    except ImportError as error:
        raise ScorerUnavailableError(
            f"The writer “{name}” needs a package that is missing ({error}); install the extra “models”."
        ) from error
    return cast("Writer", opens(server if kind.place is Place.SERVER else folder))
