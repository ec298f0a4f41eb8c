"""What a move of a label says, in plain words."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, TypeAlias

from kgstore.names import literal_label
from kgstore.terms import Entity, TermError, parse_term
from reasoning.narration.narration import Narrator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from kgstore.store import GraphStore
    from kgstore.terms import Term

    Part: TypeAlias = Mapping[str, Any]
    """Some fields of a draft, as they are kept of a move."""
    Called: TypeAlias = Callable[[str], str]
    """What a term is called."""

KINDS = {
    "derivation": "derivation",
    "facts": "set of facts",
    "answers": "answers alone",
    "unanswerable": "cannot be answered here",
    "ambiguous": "ambiguous",
    "reword": "to be reworded",
    "benchmark": "the benchmark is wrong",
}
_NONE = "none"
_LISTED = 10
"""Maximum of added or removed values that are named; the rest is counted."""
_QUOTED = 300
"""Maximum of characters of a text that is quoted."""
_ENDED = {
    "steps_ended": ("nothing more leads on", "something more leads on"),
    "conditions_ended": ("no further condition", "a further condition"),
    "counted": ("answers counted", "answers not counted"),
    "flagged": ("flagged for others", "flag taken off"),
}


def move_words(was: Part, now: Part, called: Called) -> str:
    """What a move changes, each of its fields from what to what."""
    return "; ".join(_field_words(field, was.get(field), now[field], called) for field in now)


def quoted(text: str) -> str:
    """A text of a user in quotation marks, cut if it is long."""
    plain = " ".join(text.split())
    return f"“{plain[:_QUOTED]}…”" if len(plain) > _QUOTED else f"“{plain}”"


def called_on(store: GraphStore | None, parts: Iterable[Part]) -> Called:
    """What the terms that parts of drafts name are called on a graph, looked up at once; without one, by their ids.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    narrator = None if store is None else Narrator(store)
    if narrator is not None:
        read = (_term(each) for part in parts for each in _named(part))
        narrator.learn(term for term in read if term is not None)

    def called(written: str) -> str:
        term = _term(written)
        if term is None:
            return written
        if narrator is not None:
            return narrator.term(term).label
        return term.mid if isinstance(term, Entity) else literal_label(term)

    return called


def _term(written: str) -> Term | None:
    try:
        return parse_term(written)
    except TermError:
        return None


def _named(part: Part) -> Iterator[str]:
    """The terms that some fields name."""
    yield from part.get("marked") or ()
    if part.get("topic"):
        yield part["topic"]
    for condition in part.get("conditions") or ():
        if condition["target"] is not None:
            yield condition["target"]
    for fact in [*(part.get("facts") or ()), *(report["fact"] for report in part.get("reports") or ())]:
        yield fact["subject"]
        yield fact["object"]


def _field_words(field: str, was: Any, now: Any, called: Called) -> str:  # noqa: PLR0911 - one way for each field
    match field:
        case "kind":
            return f"kind: {KINDS.get(was, was)} → {KINDS.get(now, now)}"
        case "topic":
            return _from_to("topic", *(each and called(each) for each in (was, now)))
        case "steps":
            return _list_words("relation", was, now, lambda step: step["relation"])
        case "conditions":
            return _list_words("condition", was, now, lambda each: _condition_words(each, called))
        case "marked":
            return _list_words("answers", was, now, called)
        case "facts":
            return _list_words("facts", was, now, lambda fact: _fact_words(fact, called))
        case "reports":
            return _list_words("reported", was, now, lambda report: _report_words(report, called))
        case "readings":
            return _from_to("readings", *(str(len(each)) for each in (was or [], now or [])))
        case "missing":
            return _from_to("missing here", *(each and _missing_words(each) for each in (was, now)))
        case "answer":
            return _from_to("answer node", *(None if each is None else str(each) for each in (was, now)))
        case "steps_ended" | "conditions_ended" | "counted" | "flagged":
            return _ENDED[field][0 if now else 1]
    return _from_to(field, *(each and quoted(each) for each in (was, now)))


def _from_to(what: str, was: str | None, now: str | None) -> str:
    return f"{what}: {now or _NONE}" if not was else f"{what}: {was} → {now or _NONE}"


def _list_words(what: str, was: Sequence[Any] | None, now: Sequence[Any] | None, words: Callable[[Any], str]) -> str:
    """What came to a list and what went: ``answers: + KITT``; of one thing more at its end ``next relation: …``."""
    before, after = ([*map(words, each or ())] for each in (was, now))
    came, went = (
        list((Counter(after) - Counter(before)).elements()),
        list((Counter(before) - Counter(after)).elements()),
    )
    if came and not went and what in ("relation", "condition"):
        return f"next {what}: {', '.join(came)}"
    if not came and not went:
        return f"{what}: in another order" if before != after or was != now else f"{what}: as before"
    return f"{what}: {', '.join([*_signed('+', came), *_signed('-', went)])}"


def _signed(sign: str, words: Sequence[str]) -> Iterator[str]:
    yield from (f"{sign} {each}" for each in words[:_LISTED])
    if len(words) > _LISTED:
        yield f"{sign} {len(words) - _LISTED:,} others"


def _condition_words(condition: Mapping[str, Any], called: Called) -> str:
    target = condition["target"]
    place = f"place {condition['position']}"
    return f"{place} {condition['operator']}" if target is None else f"{place} {condition['operator']} {called(target)}"


def _fact_words(fact: Mapping[str, Any], called: Called) -> str:
    return f"{called(fact['subject'])} ─ {fact['relation']} → {called(fact['object'])}"


def _report_words(report: Mapping[str, Any], called: Called) -> str:
    note = f" ({quoted(report['note'])})" if report["note"] else ""
    return f"{report['says']}: {_fact_words(report['fact'], called)}{note}"


def _missing_words(missing: Mapping[str, Any]) -> str:
    return f"{missing['what']} ({quoted(missing['note'])})" if missing["note"] else str(missing["what"])
