"""DoG's debate by a model that writes: it plays each role in turn and sees all that was said (section 3, appendix).

What DoG tells it: what simplifying means, the question, the new triples, its role, what was said before. The words are
ours, and so is that the reply must hold the name of what is found, so that the question still says what it is about.
Only the last role's question counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.core.options import Stage
from reasoning.strategies.dog.options import DEBATERS
from reasoning.strategies.dog.shrinking import Shrinking
from reasoning.strategies.dog.turns import ROLES, turn_text
from reasoning.strategies.sufficiency import fact_lines
from reasoning.writers.base import Message
from reasoning.writers.said import reply_lines

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from reasoning import events
    from reasoning.events import DebateRole
    from reasoning.run.run import Run
    from reasoning.strategies.dog.turns import Subject

TURN_TOKENS = 512
SHOWN_CHARACTERS = 2_000
"""So much is shown of the new facts."""
_MEANING = (
    "A question over a knowledge graph is answered one relation at a time. The relation {relation} was followed, and "
    "led to {name}. To simplify the question is to take out the words of the part that this answered, and to write "
    "{name} in its place, so that it asks only for what is left. It must not ask for anything else.\n\n"
    "Question: {question}\nNew facts ({shown:,} of {total:,}):\n{facts}"
)
_ROLES: dict[DebateRole, str] = {
    "simplifier": "You are the simplifier. Write the simplified question, and nothing else.",
    "critic": "You are the critic. Say in a sentence what is wrong with the simplified question, if anything is. Then "
    "write the simplified question as it should be, alone on the last line.",
    "linguist": "You are the linguist. Remove what is left of the relation that was followed, and make the question "
    "good English. Write it, and nothing else.",
    "all": "Simplify the question, object to what is wrong with it, and remove what is left of the relation that was "
    "followed. Write the question that comes of it, alone on the last line.",
}


def debated(run: Run, subject: Subject) -> Generator[events.StageEvent, None, Shrinking]:
    """Let a model play the roles: their texts and turns as events, and the question that they come to.

    Raises:
        WriterMissingError, ScorerUnavailableError, UndecidedError, WritingTimeoutError, WritingCancelledError: see
            `Run.write`.

    """
    said: list[tuple[DebateRole, str]] = []
    text = ""
    with run.timed(Stage.SEARCH):
        meaning = _meaning(run, subject)
    for turn, role in enumerate(ROLES[run.switches[DEBATERS]], 1):
        asked = [Message("user", "\n\n".join((meaning, *_history(said), _ROLES[role])))]
        text, wrote = run.write(Stage.SEARCH, purpose(subject.round, role), asked, limit=TURN_TOKENS)
        yield wrote
        said.append((role, text))
        yield turn_text(run, subject, turn, role, text, seconds=wrote.seconds)
    return read(subject, text)


def purpose(round_: int, role: DebateRole) -> str:
    """What a text is asked for, in a few words."""
    who = "one agent for all roles" if role == "all" else f"the {role}"
    return f"round {round_}: {who} on a shorter question"


def read(subject: Subject, text: str) -> Shrinking:
    """The last line of a reply as the question, if it names what it shall be about; else the question stays."""
    line = next(reversed(list(reply_lines(text, labelled=False))), "")
    at = line.casefold().find(subject.name.casefold())
    if at < 0:
        return subject.question
    topic = (at, at + len(subject.name))
    others = [
        (line.casefold().find(words.casefold()), one)
        for one in subject.question.others
        for words in (subject.question.text[one.start : one.end],)
    ]
    moved = [
        type(one)(place, place + one.end - one.start, one.term)
        for place, one in others
        if place >= 0 and (place + one.end - one.start <= at or place >= topic[1])
    ]
    return Shrinking(line, topic, tuple(sorted(moved, key=lambda one: one.start)))


def _meaning(run: Run, subject: Subject) -> str:
    gained = run.trace.graph.facts_at(subject.position)
    lines = fact_lines(run, gained, SHOWN_CHARACTERS)
    return _MEANING.format(
        relation=subject.relation,
        name=subject.name,
        question=subject.question.text,
        shown=len(lines),
        total=len(gained),
        facts="\n".join(lines),
    )


def _history(said: Sequence[tuple[DebateRole, str]]) -> list[str]:
    return [f"The {role} said:\n{text}" for role, text in said]
