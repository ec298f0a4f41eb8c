"""Corrections of a benchmark's labels, kept apart from the benchmark: a signed file that others can use.

The file is one JSON object::

    {"format": "discern-overlay-1",
     "content": {"dataset": {"name", "identity", "algorithm"}, "signer", "made_at", "corrections": [{
         "question_id", "kind", "old": [reading, …], "new": [reading, …] or null, "rewording",
         "reason", "who": [name, …], "agreement", "at"}]},
     "sha256": …, "signature": {"algorithm": "ed25519", "key": …, "value": …}}

A reading is what `GoldParse.to_json` gives. The hash and the signature are over the content as
`reasoning.datasets.identity.canonical` writes it; hash, key and signature are in hexadecimal. A reader of a file
learns that its content is what the holder of the key signed. Who holds it they must know from elsewhere, so they may
name the key that they expect.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from reasoning.core.compared import as_compared
from reasoning.datasets.identity import canonical
from reasoning.datasets.question import GoldParse

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from reasoning.datasets.question import BenchmarkQuestion

FORMAT = "discern-overlay-1"
ALGORITHM = "ed25519"
CORRECTED = "corrected"
"""The label of a question that was corrected; its value is the kind of correction."""


class OverlayError(Exception):
    """A file of corrections is none, is not signed, or was altered. The message says which, and what to do."""


class CorrectionKind(StrEnum):
    """What was wrong with a benchmark's label."""

    WRONG = "wrong"
    INCOMPLETE = "incomplete"
    OUTDATED = "outdated"
    UNANSWERABLE = "unanswerable"
    REWORDED = "reworded"


@dataclass(frozen=True, slots=True)
class Correction:
    """One question's label, before and after."""

    question_id: str
    kind: CorrectionKind
    old: tuple[GoldParse, ...]
    """The readings of the benchmark that were corrected."""
    new: tuple[GoldParse, ...] | None
    """Those that count instead; None where it is only known that the old ones are not right."""
    rewording: str = ""
    """The question as it should be asked; empty where its wording stays."""
    reason: str = ""
    who: tuple[str, ...] = ()
    agreement: float | None = None
    """The share of those who labelled the question that say this; None where that is not known."""
    at: str = ""
    """When it was said: a date and a time as ISO 8601 writes them."""

    def __post_init__(self) -> None:
        """See that its parts belong together.

        Raises:
            ValueError: they do not.

        """
        if (self.kind is CorrectionKind.REWORDED) != bool(self.rewording.strip()):
            raise ValueError("a rewording is there for a reworded question, and for no other")
        if self.agreement is not None and not 0 <= self.agreement <= 1:
            raise ValueError("an agreement is from 0 to 1")
        if self.at:
            datetime.fromisoformat(self.at)

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Read what `to_json` gives.

        Raises:
            KeyError, TypeError, ValueError: a part is missing, unknown, or is none of the field's values.

        """
        read = dict(document)
        if not all(isinstance(read[name], str) for name in ("question_id", "rewording", "reason", "at")):
            raise TypeError("a text is none")
        return cls(
            **{
                **read,
                "kind": CorrectionKind(read["kind"]),
                "old": tuple(map(GoldParse.from_json, read["old"])),
                "new": None if read["new"] is None else tuple(map(GoldParse.from_json, read["new"])),
                "who": tuple(map(str, read["who"])),
            }
        )

    def to_json(self) -> dict[str, Any]:
        """The correction as a document of plain values."""
        return {
            "question_id": self.question_id,
            "kind": self.kind.value,
            "old": [parse.to_json() for parse in self.old],
            "new": None if self.new is None else [parse.to_json() for parse in self.new],
            "rewording": self.rewording,
            "reason": self.reason,
            "who": list(self.who),
            "agreement": self.agreement,
            "at": self.at,
        }

    def is_of(self, question: BenchmarkQuestion) -> bool:
        """Whether the benchmark still says of a question what was corrected."""
        return {_plain(parse) for parse in self.old} == {_plain(parse) for parse in question.parses}

    def corrected(self, question: BenchmarkQuestion) -> BenchmarkQuestion | None:
        """The question with the readings that count; None where they are not known."""
        if self.new is None:
            return None
        labels = {**question.labels, CORRECTED: self.kind.value}
        return replace(question, text=self.rewording or question.text, parses=self.new, labels=labels)


def _plain(parse: GoldParse) -> bytes:
    """A reading whose answers are those of another one if they are equal, however they are typed."""
    return canonical(replace(parse, answers=frozenset(as_compared(parse.answers))).to_json())


@dataclass(frozen=True, slots=True)
class Overlay:
    """The corrections of a dataset's labels."""

    dataset: str
    """The name of the dataset."""
    identity: str
    """The hash of its questions, in hexadecimal; see `reasoning.datasets.identity.SnapshotDigest`."""
    algorithm: str
    """What made that hash."""
    signer: str
    """Who says it, for people."""
    made_at: str
    """When it was signed: a date and a time as ISO 8601 writes them."""
    corrections: tuple[Correction, ...]
    """At most one of a question."""

    def __post_init__(self) -> None:
        """See that no question is corrected twice.

        Raises:
            ValueError: one is, or the time is none.

        """
        ids = [correction.question_id for correction in self.corrections]
        if len(ids) != len(set(ids)):
            raise ValueError("a question is corrected twice")
        datetime.fromisoformat(self.made_at)

    def by_question(self) -> Mapping[str, Correction]:
        """The corrections by the id of their question."""
        return {correction.question_id: correction for correction in self.corrections}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Read what `to_json` gives.

        Raises:
            KeyError, TypeError, ValueError: a part is missing, or is none of the field's values.

        """
        of = document["dataset"]
        texts = (of["name"], of["identity"], of["algorithm"], document["signer"], document["made_at"])
        if not all(isinstance(text, str) for text in texts):
            raise TypeError("a text is none")
        return cls(*texts, tuple(map(Correction.from_json, document["corrections"])))

    def to_json(self) -> dict[str, Any]:
        """The content of a file."""
        return {
            "dataset": {"name": self.dataset, "identity": self.identity, "algorithm": self.algorithm},
            "signer": self.signer,
            "made_at": self.made_at,
            "corrections": [correction.to_json() for correction in self.corrections],
        }


@dataclass(frozen=True, slots=True)
class SignedOverlay:
    """An overlay whose signature was found good."""

    overlay: Overlay
    key: str
    """The public key that it was signed with, in hexadecimal."""


def signed(overlay: Overlay, private: Ed25519PrivateKey) -> str:
    """An overlay as a file that says who signed it."""
    content = overlay.to_json()
    written = canonical(content)
    document = {
        "format": FORMAT,
        "content": content,
        "sha256": hashlib.sha256(written).hexdigest(),
        "signature": {
            "algorithm": ALGORITHM,
            "key": private.public_key().public_bytes_raw().hex(),
            "value": private.sign(written).hex(),
        },
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def now() -> str:
    """The time as overlays tell it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def read_overlay(path: Path, *, key: str | None = None) -> SignedOverlay:
    """The overlay of a file, once its signature was found good, and by ``key`` where one is named.

    Raises:
        OverlayError: the file cannot be read, is no overlay, is not signed, was altered, or has the signature of
        another key.

    """
    try:
        return overlay_in(path.read_bytes(), key=key)
    except OSError as error:
        raise OverlayError(f"{path} cannot be read: {error.strerror or error}.") from error
    except OverlayError as error:
        raise OverlayError(f"{path} {error}") from error


def overlay_in(content: bytes | str, *, key: str | None = None) -> SignedOverlay:
    """The overlay of a file's content; see `read_overlay`.

    Raises:
        OverlayError: as there; the message goes on from the file's name.

    """
    try:
        return overlay_of(json.loads(content), key=key)
    except (ValueError, RecursionError) as error:
        raise OverlayError("is no overlay: it is not JSON.") from error


def overlay_of(document: Any, *, key: str | None = None) -> SignedOverlay:
    """The overlay of a document; see `read_overlay`.

    Raises:
        OverlayError: as there; the message goes on from the file's name.

    """
    if not isinstance(document, dict) or document.get("format") != FORMAT or "content" not in document:
        raise OverlayError(f"is no overlay: expected an object whose format is {FORMAT}.")
    signer = _key_that_signed(document)
    if key is not None and key.lower() != signer:
        raise OverlayError(f"is signed with the key {signer}, not with the one that you named.")
    try:
        overlay = Overlay.from_json(document["content"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise OverlayError(f"is signed, but what it holds cannot be read: {error!r:.200}.") from error
    return SignedOverlay(overlay, signer)


def _key_that_signed(document: Mapping[str, Any]) -> str:
    match document.get("signature"):
        case {"algorithm": str(algorithm), "key": str(public), "value": str(value)} if algorithm == ALGORITHM:
            pass
        case _:
            raise OverlayError("is not signed. Ask its author for the signed file.")
    try:
        written = canonical(document["content"])
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(value), written)
    except (InvalidSignature, ValueError) as error:
        message = "was altered after it was signed. Ask its author for the file as it was."
        raise OverlayError(message) from error
    if document.get("sha256") != hashlib.sha256(written).hexdigest():
        raise OverlayError("names another hash than that of its content. Ask its author for the file as it was.")
    return bytes.fromhex(public).hex()
