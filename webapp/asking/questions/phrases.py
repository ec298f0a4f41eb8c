"""Questions that a relation answers, worded by the form of its name: *works at* asks where, *manages* who does so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.freebase.knowledge import parts
from kgstore.freebase.labels import reads_as_verb, relation_label
from kgstore.terms import Relation

if TYPE_CHECKING:
    from collections.abc import Sequence

_BY_FORM = {
    "noun": ("what is the {name} of {of}?", "which {kind} has {of} as its {name}?"),
    "nouns": ("what are the {name} of {of}?", "which {kind} has {of} among its {name}?"),
    "has": ("what {rest} does {of} have?", "which {kind} has {of} as {rest}?"),
    "verb": ("{who} does {of} {do}?", "which {kind} {name} {of}?"),
    "verb, where": ("where does {of} {do}?", "which {kind} {name} {of}?"),
    "verb, what": ("what does {of} {do} {last}?", "which {kind} {name} {of}?"),
    "participle, when": ("when {be} {of} {middle}?", "which {kind} {be} {name} {of}?"),
    "participle, where": ("where {be} {of} {middle}?", "which {kind} {be} {name} {of}?"),
    "participle, what": ("what {be} {of} {name}?", "which {kind} {be} {name} {of}?"),
    "noun of": ("what is {of} {article}{name}?", "which {kind} is {article}{name} {of}?"),
}
"""By the form of a name, the question that has the subject of a fact, and the one that has its object."""
_PARTICIPLES = frozenset(
    {
        *(
            "born",
            "held",
            "written",
            "made",
            "built",
            "won",
            "sung",
            "known",
            "found",
            "led",
            "taught",
            "given",
            "taken",
        ),
        *("spoken", "shot", "sold", "worn", "drawn", "set", "paid", "bought", "run", "shown", "sent", "grown"),
    }
)
"""Those that do not end in *-ed*."""
_VERBS = frozenset(
    {
        *("manages", "employs", "owns", "teaches", "contains", "includes", "produces", "treats", "borders", "speaks"),
        *("leads", "requires", "supervises", "mentors", "follows", "knows", "marries", "directs", "writes", "plays"),
        *("creates", "makes", "sells", "buys", "serves", "governs", "rules", "operates", "runs", "studies", "wins"),
        *("inhibits", "activates", "regulates", "binds", "encodes", "affects", "interacts", "replaces", "supplies"),
        *("cooks", "cites", "imports", "extends", "implements", "calls", "sponsors", "hires", "advises", "represents"),
    }
)
"""In the third person. Other names that end in *s* are taken for nouns in the plural."""
_OF_PEOPLE = frozenset(
    {"manages", "employs", "teaches", "supervises", "mentors", "marries", "hires", "advises", "directs", "leads"}
)
"""What they lead to is asked for by *who*."""
_OF_PLACES = frozenset({"in", "at", "near"})
_ARTICLES = {"part": "", "member": "a ", "citizen": "a ", "resident": "a "}
"""Of nouns before *of*; others have *the*."""
_LASTING = frozenset(
    {"located", "based", "situated", "owned", "contained", "used", "spoken", "held", "called", "named"}
)
"""What is so still."""
_OF_TIME = frozenset({"on", "since", "until"})
_NO_AGENT = frozenset({"of", "by"})


def question_about(relation: Relation, topic: str) -> str:
    """A question that a relation answers of a topic, which is given by its name."""
    # Of two relations joined over a mediator, the first gives the subject, and the last the object.
    joined = [relation_label(Relation(part, label=relation.label)) for part in parts(relation.predicate)]
    name = joined[-1].label.removeprefix("is ")
    first, *others = name.lower().split() or [name]
    middle = [first, *others[:-1]]
    form = _form(first, others)
    does = [_base(first), *(others if form == "verb" else others[:-1])]
    return _BY_FORM[form][relation.is_reverse].format(
        name=name,
        of=topic,
        kind=joined[0].context or "one",
        rest=" ".join(others),
        middle=" ".join(middle),
        last=others[-1] if others else first,
        do=" ".join(does),
        who="who" if first in _OF_PEOPLE else "what",
        be="is" if first in _LASTING else "was",
        article=_ARTICLES.get(first, "the ") if name.endswith(" of") else "",
    )


def _form(first: str, others: Sequence[str]) -> str:
    """Which of `_BY_FORM` the words of a name have."""
    last = others[-1] if others else first
    joins = bool(others) and (reads_as_verb(f"{first} {last}") or last in _OF_TIME or last in _OF_PLACES)
    if first == "has" and others:
        return "has"
    if joins and _is_participle(first):
        return "participle, when" if last in _OF_TIME else f"participle, {_asks(last)}"
    if joins and _is_third_person(first, last):
        return f"verb, {_asks(last)}"
    if first in _VERBS:
        return "verb"
    if joins:
        return "noun of"
    is_plural = any(word.endswith("s") and not word.endswith("ss") for word in (first, *others))
    return "nouns" if is_plural else "noun"


def _asks(preposition: str) -> str:
    return "where" if preposition in _OF_PLACES else "what"


def _is_participle(word: str) -> bool:
    return word.endswith("ed") or word in _PARTICIPLES


def _is_third_person(word: str, preposition: str) -> bool:
    """*works* in *works at*, but not *parents* in *parents of*."""
    return word in _VERBS or (word.endswith("s") and not word.endswith("ss") and preposition not in _NO_AGENT)


def _base(verb: str) -> str:
    """*manage* for *manages*."""
    if verb.endswith("ies"):
        return f"{verb[:-3]}y"
    if verb.endswith(("ches", "shes", "sses", "xes", "zes", "oes")):
        return verb[:-2]
    return verb.removesuffix("s")
