"""DoG's debate by rule: what each role says, where rules stand in for it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reasoning.strategies.dog.turns import ROLES
from reasoning.strategies.dog.word_rules import corrected, objections, result, simplified, spans_gone, tidied

if TYPE_CHECKING:
    from reasoning.events import DebateRole
    from reasoning.question.literals import Span
    from reasoning.strategies.dog.options import Debaters
    from reasoning.strategies.dog.shrinking import Shrinking
    from reasoning.strategies.dog.turns import Subject
    from reasoning.strategies.dog.word_rules import Proposal

NOT_NAMED = "The question does not name what it is about, so it stays as it is."


def spoken(subject: Subject, debaters: Debaters) -> tuple[list[tuple[DebateRole, str]], Shrinking, list[Span]]:
    """The turns, the question that they come to, and the parts of it that went."""
    question = subject.question
    words, relation = question.words(), subject.relation
    roles = ROLES[debaters]
    first = simplified(words, relation)
    if first is None or question.topic is None:
        return [(roles[0], NOT_NAMED)], question, []
    proposal = first
    turns: list[tuple[DebateRole, str]] = []
    for role in roles:
        if role in ("simplifier", "all"):
            if role == "all":
                proposal = tidied(words, corrected(words, proposal, relation))
            turns.append((role, _proposes(question, proposal, subject.name)))
        elif role == "critic":
            against = objections(words, proposal, relation)
            proposal = corrected(words, proposal, relation)
            lines = [*against, f"Rather: “{result(question, proposal, subject.name).text}”"] if against else []
            turns.append((role, " ".join(lines) or "No objection."))
        else:
            better = tidied(words, proposal)
            more = replace(better, gone=better.gone - proposal.gone, shortened=())
            left = [question.text[slice(*span)] for span in spans_gone(words, more)]
            if left:
                said = (
                    f"Of what was answered, {_listed(left)} still stood there. {_reads(question, better, subject.name)}"
                )
            else:
                said = "Nothing of what was answered is left."
            proposal = better
            turns.append((role, said))
    gone = sorted((*spans_gone(words, proposal), question.topic))
    return turns, result(question, proposal, subject.name), gone


def _proposes(question: Shrinking, proposal: Proposal, name: str) -> str:
    gone = [question.text[slice(*span)] for span in spans_gone(question.words(), proposal)]
    out = f" and without {_listed(gone)}" if gone else ""
    topic = "" if question.topic is None else question.text[slice(*question.topic)]
    return f"With “{name}” for “{topic}”{out}: “{result(question, proposal, name).text}”"


def _reads(question: Shrinking, proposal: Proposal, name: str) -> str:
    return f"Now it reads: “{result(question, proposal, name).text}”"


def _listed(words: list[str]) -> str:
    return ", ".join(f"“{word}”" for word in words)
