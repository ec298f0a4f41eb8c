"""EtD's determination by a model that writes: one zero-shot call over the candidates (arXiv 2406.01145).

As in the paper, the prompt has the task, the question and N lettered candidates, each with its probability and its
path as triples in the graph's direction. It writes a letter, or else an answer of its own. Each part can be left out,
as in the paper's ablations. Ours are the words, how a reply is read (`reasoning.writers.said`), and that a name counts
as its letter does. So does the name of anything else at the end of a candidate's way, for the facts hold it.
"""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_uppercase
from typing import TYPE_CHECKING

from reasoning.run.model_answers import AmongTerms, InGraph, InTurn, Named, terms_held
from reasoning.writers.said import NamedOptions

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from kgstore.terms import Term
    from reasoning.events import FactRecord
    from reasoning.run.run import Run
    from reasoning.strategies.etd.options import CandidatePart
    from reasoning.writers.said import Said

PURPOSE = "the answer, from the candidates"
NAME_SHOWN = 200
"""Maximum of characters of a name that is shown."""
_ASKED = (
    "{task} Write nothing but {reply}. If {wrong}, write the name of the answer that you know; if you know none, write "
    "None.\n\n{shown}Question: {question}\nAnswer:"
)


@dataclass(frozen=True, slots=True)
class ShownCandidate:
    """A candidate as it stands in the prompt."""

    position: int
    """Of the node of S_k that holds it."""
    term: Term
    weight: float
    """Its probability."""
    path: Sequence[FactRecord]


class Sheet:
    """What a model is sent of some candidates, and how its reply to it is read."""

    def __init__(
        self,
        run: Run,
        candidates: Sequence[ShownCandidate],
        positions: Collection[int],
        without: Collection[CandidatePart],
    ) -> None:
        """Take the candidates in the order in which they are shown, and what is left out of them.

        ``positions`` are those that may hold the answer.
        """
        self._run = run
        self._held = terms_held(run, run.trace.graph.members, positions)
        self._candidates = candidates
        self._without = frozenset(without)
        run.narrator.learn(one.term for one in candidates)
        self._names = [run.narrator.term(one.term).label for one in candidates]
        lettered = not self._without & {"letters", "candidates"}
        self._labels = ascii_uppercase[: len(candidates)] if lettered else ""
        self._options = NamedOptions(self._names, self._labels)

    def asked(self) -> str:
        """What the model is sent."""
        shown = [self._entry(place) for place in range(len(self._candidates))]
        if "candidates" not in self._without:
            task = f"Choose the answer to the question from the {len(shown):,} candidates below."
            wrong = "none of them is right"
        elif "paths" not in self._without:
            task = "Answer the question from the paths of facts below."
            wrong = "the answer does not stand in them"
        else:
            task, wrong = "Answer the question.", "you are not sure"
        if "candidates" not in self._without and "probabilities" not in self._without:
            task += " With each stands how probable it is, from 0 to 1."
        if "paths" not in self._without:
            task += " A fact is told as subject | relation | object."
        reply = "the letter of your choice" if self._labels else "the name of the answer"
        text = "\n".join(line for entry in shown for line in entry)
        return _ASKED.format(
            task=task, reply=reply, wrong=wrong, shown=f"{text}\n\n" if text else "", question=self._run.question
        )

    def find(self) -> _Meant:
        """What texts name: letters, candidates, else what stands where an answer may, else anything in the graph."""
        there = AmongTerms(self._held, self._run.narrator.cards(self._held))
        return _Meant(self._options, self._candidates, self._labels, InTurn((there, InGraph(self._run.store))))

    def chosen(self, parts: Sequence[Said[Named]]) -> tuple[int, Term] | None:
        """The position and the term that a reply names first of what the facts hold; None where it names no such.

        Only what reading the reply found counts, so that the run uses exactly what its event reports.
        """
        for part in parts:
            if not part.found or part.found[0].place != "facts":
                continue
            term = part.found[0].term
            # A letter names a candidate, which may stand at another position than the first that holds its term.
            meant = self._options([part.text]).get(part.text, ())
            return (self._candidates[meant[0]].position if meant else self._held[term]), term
        return None

    def _entry(self, place: int) -> list[str]:
        """The lines of a candidate."""
        one = self._candidates[place]
        lines = []
        if "candidates" not in self._without:
            mark = f"{self._labels[place]}." if self._labels else "-"
            probable = "" if "probabilities" in self._without else f" ({one.weight:.4f})"
            lines.append(f"{mark} {_cut(self._names[place])}{probable}")
        if "paths" not in self._without:
            lines += [f"   {_fact(fact)}" for fact in one.path]
        return lines


@dataclass(frozen=True, slots=True)
class _Meant:
    """What texts name. A letter names a candidate or nothing, whatever else in the graph is called so."""

    options: NamedOptions
    candidates: Sequence[ShownCandidate]
    labels: str
    otherwise: InTurn

    def __call__(self, texts: Collection[str]) -> Mapping[str, Sequence[Named]]:
        """See ``find`` of `reasoning.writers.said.read_reply`."""
        found = {
            text: [Named(self.candidates[place].term, "facts") for place in places]
            for text, places in self.options(texts).items()
        }
        rest = [text for text in texts if text not in found and not (self.labels and is_letter(text))]
        return {**self.otherwise(rest), **found}


def is_letter(text: str) -> bool:
    """Whether a text is but a letter, with or without marks around it."""
    return len(text.strip("().: ")) == 1 and text.strip("().: ").upper() in ascii_uppercase


def _fact(fact: FactRecord) -> str:
    """A fact in the graph's direction, whichever way it was gone."""
    ends = [_cut(fact.source.label), _cut(fact.target.label)]
    if fact.relation.reverse:
        ends.reverse()
    return f"{ends[0]} | {fact.relation.label} | {ends[1]}"


def _cut(name: str) -> str:
    return name if len(name) <= NAME_SHOWN else f"{name[:NAME_SHOWN]}…"
