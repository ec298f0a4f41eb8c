"""Labels as queries in Cypher over Discern's layout of Neo4j, one after another, each under its question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.compiling.cypher import cypher_script, to_cypher
from reasoning.compiling.plan import NoQueryError
from reasoning.exports.source import ExportFormat, LeftOut, LeftOutError, derivation_of
from reasoning.exports.sparql import label_comments

if TYPE_CHECKING:
    from reasoning.exports.label import ExportedLabel


def _entry(label: ExportedLabel) -> str:
    try:
        query, parameters = to_cypher(derivation_of(label), label.graph)
    except NoQueryError as error:
        raise LeftOutError(LeftOut.NO_ANSWER_POSITION) from error
    return "".join(f"// {line}\n" for line in label_comments(label)) + cypher_script(query, parameters)


FORMAT = ExportFormat(
    name="cypher",
    title="Cypher",
    says="One query a label that is a derivation, with its parameters, under its question and its answers, in a text "
    "file that cypher-shell takes. The queries ask graphs as Discern keeps them in Neo4j.",
    cannot_say=(
        "Labels without a derivation.",
        "Steps of a derivation that no condition and no answer hangs on.",
        "Which facts a label rests on, who made it, when, and by which moves.",
        "Answers as terms: they stand in comments, by name.",
    ),
    ending="cypher.txt",
    media_type="text/plain",
    entry=_entry,
    between="\n",
)
