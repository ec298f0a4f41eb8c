"""What the form of a question says beyond the relation that is asked for: a claim, a comparison, a negation, two names.

Discern's own. The forms decide where words alone do, and say where what was found answers another question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reasoning import events
from reasoning.core.derivation import Operator
from reasoning.core.structure import ROOT
from reasoning.question.literals import overlaps
from reasoning.question.not_understood import NotUnderstood, not_understood
from reasoning.question.unused_words import unused_words
from reasoning.run.both_named import decide_both
from reasoning.run.claim_direction import subject_of
from reasoning.run.claims import asks_whether, claim_of, decide_by_claim, named_there, said_of
from reasoning.run.held_now import decide_held_now
from reasoning.run.kind_answered import answers_another_word, kind_not_answered
from reasoning.run.kind_asked import decide_by_kind
from reasoning.run.two_compared import two_compared

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kgstore.store import EntityCard, GraphStore
    from kgstore.terms import Date, Entity, Relation, Term
    from reasoning.core.options import DecisionState, OptionPool
    from reasoning.core.trace import Trace
    from reasoning.events import Reason
    from reasoning.narration.narration import Narrator
    from reasoning.question.linking import Linking
    from reasoning.question.literals import Span
    from reasoning.question.not_understood import NotUnderstoodWords
    from reasoning.question.unused_words import UnusedWords
    from reasoning.run.claims import Claim
    from reasoning.run.two_compared import TwoCompared
    from reasoning.scorers.base import Distribution

ANSWERS_ANOTHER: frozenset[Reason] = frozenset(
    {"two_not_compared", "claim_not_checked", "claim_reversed", "not_left_out", "another_kind", "described"}
)
"""Why there is no answer where what was found answers another question."""

_DESCRIBE = re.compile(
    r"\s*(?:(?:please|can\s+you|could\s+you)\s+)?(?:(?:tell\s+(?:me|us)|say)(?:\s+\w+){0,2}\s+about|describe|"
    r"what\s+(?:do\s+you|can\s+you|does\s+\w+)\s+(?:know|tell\s+me|say)\s+about|"
    r"(?:(?:give|show)\s+me\s+)?(?:some\s+|all\s+)?(?:information|facts|details)\s+(?:about|on|of))"
    r"(?:\s+(?:the|a|an))?\s+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class QuestionForm:
    """What the form of a question says, once it was linked."""

    question: str = ""
    not_understood: tuple[NotUnderstoodWords, ...] = ()
    """The words that negate, compare or ask a second question."""
    said_of: Span | None = None
    """The name that a yes-no question says something of, where its form tells."""
    compared: TwoCompared | None = None
    """The two named things that it compares, if the strategy may do so."""
    linking: Linking | None = None
    """What it names, once its topic was chosen."""
    claim: Claim | None = None
    """What a yes-no question claims, likewise."""

    @classmethod
    def read(cls, question: str, linking: Linking, *, may_compare: bool) -> QuestionForm:
        """The form of a question whose topic may still be open."""
        missed = tuple(not_understood(question, linking))
        compared = two_compared(question, linking, missed) if may_compare else None
        return cls(question, missed, said_of(question, linking), compared)

    def about(self, linking: Linking) -> QuestionForm:
        """The same once the topic was chosen, if there is one; its linking has what is claimed among no targets."""
        claim = claim_of(self.question, linking, self.not_understood)
        return replace(
            self, claim=claim, linking=linking if claim is None else replace(linking, claimed=claim.mentions)
        )

    @property
    def asks_for_description(self) -> bool:
        """Whether the question asks what its topic is, and for no fact of it: *tell me about X*."""
        mention = None if self.linking is None else self.linking.mention
        if mention is None:
            return False
        before, after = self.question[: mention.start], self.question[mention.end :]
        return bool(_DESCRIBE.fullmatch(before)) and not any(map(str.isalnum, after))

    def led_to_topic(self, pool: OptionPool, found: Distribution) -> Distribution:
        """P(topic) where the one of which a yes-no question says something takes the place of the best one."""
        return found if self.said_of is None else found.led_by(named_there(pool, self.said_of))

    def led(
        self,
        state: DecisionState,
        pool: OptionPool,
        linking: Linking,
        members: Sequence[frozenset[Term]],
        found: Distribution,
        store: GraphStore,
        narrator: Narrator,
        today: Date | None,
    ) -> Distribution:
        """P(option) where an option that the form asks for takes the place of the best one.

        Raises:
            GraphStoreError: the graph cannot be read.

        """
        found = decide_by_kind(state, pool, linking, members, found, store, narrator.cards)
        found = decide_both(state, pool, linking, members, found, store)
        if self.claim is not None:
            found = decide_by_claim(state, pool, self.claim, members, found, store)
        return decide_held_now(state, pool, members, found, store, today)

    def claimed_first(self, terms: tuple[Term, ...], relation: Relation | None) -> tuple[Term, ...]:
        """Answers that a relation leads to, those that a yes-no question claims before the others."""
        claim = self.claim
        return terms if claim is None else tuple(sorted(terms, key=lambda term: not claim.holds([term], relation)))

    def checked(self, trace: Trace, cards: Mapping[Entity, EntityCard]) -> events.ClaimRecord | None:
        """Whether what a yes-no question claims is among the answers; None where they do not tell."""
        if self.claim is None or self._is_other_direction(trace):
            return None
        relation = None if trace.position is None else trace.structure.nodes[trace.position].relation
        holds = self.claim.is_so(trace.answers, relation, cards)
        start, end = self.claim.span
        return None if holds is None else events.ClaimRecord(start=start, end=end, holds=holds)

    def _is_other_direction(self, trace: Trace) -> bool:
        """Whether the question claims the relation that was followed in the other direction than it was.

        That tells only between things that may be of one kind, and if what is claimed was found.
        """
        claim, linking = self.claim, self.linking
        node = None if trace.position is None else trace.structure.nodes[trace.position]
        relation = node.relation if node is not None and node.parent == ROOT else None
        if claim is None or relation is None or linking is None or linking.mention is None:
            return False
        types = frozenset[str]() if linking.topic is None else frozenset(linking.topic.types)
        if not claim.may_be_of(types) or not claim.holds(trace.answers, relation):
            return False
        topic = (linking.mention.start, linking.mention.end)
        subject = subject_of(self.question, (topic, claim.span), relation)
        return subject is not None and (subject == topic) == relation.is_reverse

    def why_not_answered(
        self, trace: Trace, claim: events.ClaimRecord | None, cards: Mapping[Entity, EntityCard], *, counted: bool
    ) -> Reason | None:
        """Why what was found does not answer the question, though it answers another; None where it may.

        ``cards`` are those of the answers, ``counted`` says whether these are counted.
        """
        if self.linking is None:
            return None
        if any(one.kind is NotUnderstood.COMPARISON for one in self.not_understood):
            return "two_not_compared"
        negated = [one.start for one in self.not_understood if one.kind is NotUnderstood.NEGATION]
        targets = {one.target for one in trace.constraints if one.operator is Operator.EQUAL}
        kept = [one for one in self.linking.mentions if one.term in targets or one == self.linking.mention]
        if any(start < one.start for start in negated for one in kept):
            return "not_left_out"
        if claim is None and asks_whether(self.question, self.linking):
            return "claim_reversed" if self._is_other_direction(trace) else "claim_not_checked"
        if answers_another_word(self.question, self.linking, trace.answers, cards, counted=counted):
            return "another_kind"
        return None

    def kind_missed(
        self, trace: Trace, cards: Mapping[Entity, EntityCard], store: GraphStore, *, counted: bool
    ) -> list[Span]:
        """The noun that says what is asked for, where no answer is of that kind; arguments as above.

        Raises:
            GraphStoreError: the graph cannot be read.

        """
        if self.linking is None or counted:
            return []
        followed = [node.relation for node in trace.structure.nodes if node.relation is not None]
        noun = kind_not_answered(self.question, self.linking, trace.answers, cards, followed, store)
        return [] if noun is None else [noun]

    def missed(self, *, is_compared: bool) -> list[NotUnderstoodWords]:
        """What is not understood, without a comparison that was made."""
        kinds = {NotUnderstood.COMPARISON} if is_compared else set[NotUnderstood]()
        return [one for one in self.not_understood if one.kind not in kinds]

    def unused(
        self, trace: Trace, found: Iterable[EntityCard], left: Iterable[Relation], *, counted: bool
    ) -> list[UnusedWords] | None:
        """What the question says and no decision used; None where it names nothing.

        Args:
            trace: what the run came to.
            found: the cards of its answers.
            left: the relations that could have been followed further.
            counted: whether the answers are counted.

        """
        if self.linking is None or self.linking.topic is None:
            return None
        compared = self.compared
        linking = self.linking if compared is None else replace(self.linking, claimed=compared.mentions)
        every = unused_words(
            self.question, linking, trace.structure, trace.constraints, counted=counted, left=left, found=[*found]
        )
        return [one for one in every if compared is None or not overlaps((one.start, one.end), [compared.words])]
