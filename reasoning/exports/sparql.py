"""Labels as queries in SPARQL, one after another in a text file, each under its question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.compiling.plan import NoQueryError
from reasoning.compiling.sparql import to_sparql
from reasoning.exports.source import ExportFormat, LeftOut, LeftOutError, derivation_of
from reasoning.exports.written import on_one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reasoning.exports.label import ExportedLabel

_ANSWERS_SHOWN = 10


def _entry(label: ExportedLabel) -> str:
    try:
        query = to_sparql(derivation_of(label))
    except NoQueryError as error:
        raise LeftOutError(LeftOut.NO_ANSWER_POSITION) from error
    return "".join(f"# {line}\n" for line in label_comments(label)) + query


def label_comments(label: ExportedLabel) -> Iterator[str]:
    """What stands above a query, to be read by people: its label, question, topic and answers."""
    yield on_one_line(label.id)
    yield on_one_line(label.text)
    if label.derivation is not None:
        yield f"about: {on_one_line(label.name(label.derivation.topic))}"
    shown = [on_one_line(label.name(answer)) for answer in label.answers[:_ANSWERS_SHOWN]]
    more = len(label.answers) - len(shown)
    yield f"answers: {'; '.join(shown) or 'none'}{f'; and {more:,} more' if more else ''}"


FORMAT = ExportFormat(
    name="sparql",
    title="SPARQL",
    says="One query a label that is a derivation, under its question and its answers, in a text file. Ask them one by "
    "one: the file as a whole is no query.",
    cannot_say=(
        "Labels without a derivation.",
        "Steps of a derivation that no condition and no answer hangs on.",
        "Which facts a label rests on, who made it, when, and by which moves.",
        "Answers as terms: they stand in comments, by name.",
    ),
    ending="rq.txt",
    media_type="text/plain",
    entry=_entry,
    between="\n",
)
