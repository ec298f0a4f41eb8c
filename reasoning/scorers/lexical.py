"""The baseline: word overlap between question and option, and a few rules of thumb. No model, no weights, instant."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING

from kgstore.terms import Date, Entity, Number, TermKind
from reasoning.core.derivation import Operator
from reasoning.core.options import AnswerOption, ConstraintOption, Stage, StepOption, TopicOption
from reasoning.core.structure import ROOT
from reasoning.facts.validity import is_dated
from reasoning.facts.verbalize import masked_question, relation_parts
from reasoning.question.kinds import words_for_kind
from reasoning.question.ordinals import place_asked
from reasoning.question.words import CUES, STOP_WORDS, stem, words_of
from reasoning.scorers.base import Cost, Distribution

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kgstore.terms import Relation, Term
    from reasoning.core.derivation import Constraint
    from reasoning.core.options import DecisionState, Option, OptionPool
    from reasoning.core.structure import SemanticNode

_RELATED: Mapping[str, str] = {
    "act": "actor cast starring performance",
    "album": "release",
    "attend": "education institution",
    "beat": "champion runner",
    "bear": "birth",
    "belong": "owner",
    "border": "adjoin",
    "born": "birth",
    "capital": "capital",
    "character": "character cast performance",
    "coach": "coach",
    "college": "education institution",
    "die": "death",
    "died": "death",
    "direct": "director",
    "found": "founder founded",
    "get": "award",
    "go": "education institution",
    "govern": "officials governing holder",
    "headquarter": "headquarters",
    "hom": "stadium arena",
    "husband": "spouse marriage",
    "languag": "language spoken",
    "lead": "leader leadership officials",
    "marri": "spouse marriage",
    "marry": "spouse marriage",
    "money": "currency",
    "own": "owner owned",
    "play": "actor cast starring performance teams roster",
    "president": "officials office holder government",
    "releas": "release date",
    "speak": "languages spoken",
    "star": "cast starring actor performance",
    "study": "education institution",
    "tall": "height",
    "title": "champion award",
    "voic": "actor cast",
    "wif": "spouse marriage",
    "win": "champion award awards won winner",
    "won": "champion award awards won winner",
    "work": "works employment",
    "writ": "author written writer works",
    "wrot": "author written writer works",
}
"""By the stem of a question's word, words of relations that mean the same."""

_ENOUGH = 1.2
"""A first step must fit at least so well, else None is chosen."""
_SHARPNESS = 3.0


class LexicalScorer:
    """Chooses what shares the most words with the question; stops when nothing is left to look for."""

    name = "Lexical baseline"

    def score(self, state: DecisionState, pool: OptionPool, *, best: int | None = None) -> Distribution:
        """The distribution over ``pool``, always all of it."""
        del best
        view = _View(state)
        weights = [exp(_SHARPNESS * view.fit(option)) for option in pool.options]
        total = sum(weights)
        return Distribution({index: weight / total for index, weight in enumerate(weights)}, 0.0, Cost())


class _View:
    """What the options of one pool share."""

    def __init__(self, state: DecisionState) -> None:
        self._state = state
        words = words_of(masked_question(state))
        self._cues = {cue for cue, members in CUES.items() if members & set(words)}
        self._names = [
            (mention.start, mention.end)
            for mention in (*state.targets, *([state.topic] if state.topic is not None else ()))
            if isinstance(mention.term, Entity)
        ]
        if place_asked(state.question, self._names) and not self._cues & {"first", "last", "most", "least"}:
            self._cues.add("first")  # her second husband is counted from the first on
        self._wanted = {stem(word) for word in words if word not in STOP_WORDS}
        for word in list(self._wanted):
            self._wanted |= {stem(related) for related in _RELATED.get(word, "").split()}
        nodes = state.structure.nodes
        self._newest = nodes[-1] if nodes else None
        self._open = {m.term for m in state.targets if isinstance(m.term, Entity)} - set(state.reached)
        kinds = {node.kind for node in nodes}
        named = {type(mention.term) for mention in state.targets}
        self._wants_date = TermKind.DATE not in kinds and (Date in named or bool(self._cues & {"first", "last"}))
        self._wants_number = TermKind.NUMBER not in kinds and (
            (Number in named and Date not in named) or bool(self._cues & {"most", "least"})
        )
        self._parents = {node.parent for node in nodes}

    def fit(self, option: Option) -> float:
        match option:
            case TopicOption():
                return self._topic(option)
            case StepOption():
                return self._step(option)
            case ConstraintOption(constraint=constraint):
                return self._constraint(constraint)
            case AnswerOption(position=position):
                return self._answer(position)
            case _:
                return self._none()

    def _topic(self, option: TopicOption) -> float:
        name = self._state.question[option.mention.start : option.mention.end]
        return 0.02 * len(name) + 0.5 * name[:1].isupper() + 0.001 * min(option.popularity, 100)

    def _step(self, option: StepOption) -> float:
        structure = self._state.structure
        source = structure.nodes[option.step.position]
        open_mediator = self._open_mediator()
        fit = self._overlap(option.step.relation)
        fit += 2.0 * bool(set(option.reaches) & self._open)
        dated = self._wants_date and option.kind is TermKind.DATE and source.position != ROOT
        fit += 1.0 * (dated and not self._is_covered_by_date_bound(option, source))
        fit += 1.0 * (self._wants_number and option.kind is TermKind.NUMBER and source.position != ROOT)
        fit += 0.3 * ("when" in self._cues and option.kind is TermKind.DATE)
        fit += 1.5 * (open_mediator and self._newest is not None and source.position == self._newest.position)
        fit += 0.1 * (option.kind is TermKind.MEDIATOR and bool(self._open))
        if source.relation is not None and option.step.relation == source.relation.inverse:
            fit -= 3.0
        if source.position == ROOT and structure.step > 0:
            fit -= 1.0
        return fit

    def _is_covered_by_date_bound(self, option: StepOption, source: SemanticNode) -> bool:
        """Whether a condition that something held says it, so that no step need lead to its beginning or end."""
        is_bound = source.kind is TermKind.MEDIATOR and is_dated([option.step.relation])
        return is_bound and not self._cues & {"after", "more", "before", "less", "first", "last"}

    def _constraint(self, constraint: Constraint) -> float:
        if constraint.operator is Operator.KIND:
            return self._kind(constraint)
        if constraint.operator.is_extremal:
            smallest = constraint.operator is Operator.MIN
            wanted = {"first", "least"} if smallest else {"last", "most"}
            return 2.0 if self._cues & wanted else -1.0
        if any(chosen.target == constraint.target for chosen in self._state.constraints):
            return -1.0
        if isinstance(constraint.target, Entity):
            return 2.0
        if constraint.operator is Operator.HOLDS:
            return self._held(constraint.target)
        later, earlier = self._cues & {"after", "more"}, self._cues & {"before", "less"}
        fitting = Operator.GREATER if later else Operator.LESS if earlier else Operator.EQUAL
        return 1.5 if constraint.operator is fitting else -1.0

    def _held(self, day: Term | None) -> float:
        """That something held at a date that the question names, or now: what it says unspoken is less sure."""
        if self._cues & {"after", "more", "before", "less"}:
            return -1.0
        return 2.0 if any(mention.term == day for mention in self._state.targets) else 1.0

    def _kind(self, constraint: Constraint) -> float:
        """A type that the words ask for, at the likely answer node; less for another type that they mention."""
        state = self._state
        if constraint.target is None or any(chosen.operator is Operator.KIND for chosen in state.constraints):
            return -1.0
        asked = words_for_kind(state.question, self._names, constraint.target)
        if asked is None:
            return -1.0
        return (1.5 if asked.is_asked_for else 0.5) + 0.2 * self._answer(constraint.position)

    def _answer(self, position: int) -> float:
        node = self._state.structure.nodes[position]
        fit = 0.5 * self._overlap(node.relation) if node.relation is not None else 0.0
        fit += 0.5 * ("when" in self._cues and node.kind is TermKind.DATE)
        fit += 0.5 * (node.kind is TermKind.ENTITY) - 0.05 * position
        return fit + 0.2 * (node.position not in self._parents)

    def _none(self) -> float:
        state = self._state
        if state.stage is not Stage.SEARCH:
            return 0.0
        if state.structure.step == 0:
            return _ENOUGH - 0.5 * bool(self._open)
        return 0.3 if self._open_mediator() else _ENOUGH + 0.3

    def _open_mediator(self) -> bool:
        newest = self._newest
        return newest is not None and newest.kind is TermKind.MEDIATOR and newest.position not in self._parents

    def _overlap(self, relation: Relation) -> float:
        """How many of a relation's words the question wants; the words of its type count a quarter."""
        kind, name = relation_parts(relation)
        if relation.is_reverse:
            kind, name = name, kind
        return self._share(name.split()) + 0.25 * self._share(kind.split())

    def _share(self, words: Iterable[str]) -> float:
        stems = {stem(word) for word in words if word not in STOP_WORDS}
        return 2 * len(stems & self._wanted) / (len(stems) + 1) if stems else 0.0
