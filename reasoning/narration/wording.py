"""The words for a run: its decisions as sentences, its conditions, and why it has no answer.

A word in braces is filled in. The terminal does so with `RunWords`; the browser has the same words from
``frontend/src/api/wording.ts``, which `manage.py export_openapi` writes. ``tests/worded.json`` holds both to one
behaviour.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from reasoning import events
from reasoning.core.options import Stage
from reasoning.narration.readings import ReadingText

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

STAGE_OF_EVENT: Mapping[str, Stage] = {
    "entity_linked": Stage.LINK,
    "search_step": Stage.SEARCH,
    "search_ended": Stage.SEARCH,
    "constraint_chosen": Stage.PRUNE,
    "pruning_ended": Stage.PRUNE,
    "answer_position": Stage.INFER,
    "answers_counted": Stage.INFER,
    "no_candidate": Stage.INFER,
}
"""The stage of each kind of event that tells a decision."""
LABELS: Mapping[str, str] = {
    "readings_kept": "Readings",
    "plans_proposed": "Plans",
    "paths_weighed": "Paths",
    "layer_explored": "Explored",
    "candidates_ranked": "Ranked",
    "frontier_kept": "Kept",
    "sufficiency": "Check",
    "debate_turn": "Debate",
    "question_simplified": "Question",
}
"""What stands before events in a terminal that tell no decision."""
DECISIONS: Mapping[str, str] = {
    "topic": "Begin at {node}",
    "no_topic": "No entity of the question is in this graph",
    "step": "Follow {relation}",
    "step_backwards": "Follow {relation} backwards",
    "search_ended": "Stop searching",
    "condition": "Keep facts where {condition}",
    "no_more_conditions": "No more conditions",
    "no_conditions": "No conditions",
    "answer": "The answer is {node}",
    "count": "Count the answers",
    "no_count": "Do not count the answers",
    "no_candidate": "None of the candidates is the answer",
}
"""What was decided."""
NOTES: Mapping[str, str] = {
    "step": "from {node} · {facts}",
    "step_cut": "from {node} · {gained} of {facts}",
    "step_limit": "step limit reached",
    "nothing_left": "no relation is left to follow",
    "pruned": "{facts} removed, {kept} left",
    "leaves_nothing": "no fact meets this condition",
    "no_condition_possible": "no further condition is possible",
}
"""What followed from a decision."""
PLACE = "node {position}"
"""A node of S_k without a record."""
CONDITION = "{node} {comparison}"
COMPARISONS: Mapping[str, str] = {
    "=": "is {target}",
    "<": "is less than {target}",
    "<=": "is at most {target}",
    ">": "is more than {target}",
    ">=": "is at least {target}",
    "min": "is the smallest",
    "max": "is the largest",
    "holds": "held in {target}",
    "kind": "is {target}",
}
"""By operator; of dates, `DATE_COMPARISONS`. Of a kind the target is one of `KINDS`."""
KINDS: Mapping[str, str] = {"a": "a {kind}", "an": "an {kind}", "open": "of a kind"}
"""A kind after *is*: by its article, and where it is still to be chosen."""
DATE_COMPARISONS: Mapping[str, str] = {
    "=": "is in {target}",
    "<": "is before {target}",
    "<=": "is no later than {target}",
    ">": "is after {target}",
    ">=": "is no earlier than {target}",
    "min": "is the earliest",
    "max": "is the latest",
    "holds": "held in {target}",
    "kind": "is {target}",
}
"""A whole date is not *in* a day: of that, `COMPARISONS` has the words for ``=``."""
HELD: Mapping[str, str] = {
    "then": "held in {target}",
    "day": "held on {target}",
    "now": "is still true on {target}",
}
"""That something held in a year or a month, on a day, or on the day that *now* means in the run."""
PLACED: Mapping[str, str] = {"min": "is the {place} smallest", "max": "is the {place} largest"}
"""A minimum or a maximum at another place than the first; of dates, `DATES_PLACED`."""
DATES_PLACED: Mapping[str, str] = {"min": "is the {place} earliest", "max": "is the {place} latest"}
PLACES: Sequence[str] = ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
"""The places from 2 on; those beyond are numbers with an ending."""
PLACE_ENDINGS: Mapping[str, str] = {"1": "{number}st", "2": "{number}nd", "3": "{number}rd", "other": "{number}th"}
"""By the last digit of a number of two or more, but for those from 11 to 13."""
PERIODS: Mapping[str, str] = {
    "bounds": "{node} is from {start} to {end}",
    "asked": "the time includes {target}",
    "met": "it held from {start} to {end}",
}
"""Two conditions that are one: bounds of one place; or a beginning and an end with a time between them, as it was
asked, and with the dates that met it."""
HELD_TIMES: Mapping[str, str] = {
    "both": "from {begins} to {ends}",
    "begins": "since {begins}",
    "ends": "until {ends}",
    "neither": "no dates are known",
}
"""When something held that a condition asks to have held, as far as the graph tells."""
PERIOD_ENDS: Mapping[str, tuple[str, ...]] = {
    "start": ("from", "start", "begin", "began", "since"),
    "end": ("to", "end", "ended", "until"),
}
"""The words of a relation that leads to the beginning of a time, or to its end."""
QUANTITY = "{number} {unit}"
"""A number in the unit in which the schema counts it."""
BEFORE_CHRIST = "{date} BC"
VERDICT_WORDS: Mapping[events.Verdict, str] = {
    "answered": "answered",
    "from_the_model": "answered by the model, not by the graph",
    "not_in_graph": "not in this graph",
    "no_answer_found": "no answer found",
    "conditions_leave_nothing": "no fact meets the conditions",
}
"""What a run came to, in a few words."""
TITLES: Mapping[str, str] = {
    "no_topic": "Not in this graph",
    "no_answer": "No answer found",
    "described": "About {topic}",
}
"""What stands over the sentence that explains it. Runs of earlier versions are *not in the graph* wherever they came to
no answer; their reason tells more."""
REASONS: Mapping[str, str] = {
    "no_topic": "No entity of the question was found in {graph}. Choose a topic, or ask about something else.",
    "no_place": "The search took {steps} from {topic} and found no node that can hold an answer.",
    "no_relation": "{topic} is in {graph}, but the model judged that {refused} the question.",
    "nothing_compared": "The question asks for certain instances of {topic}, and no fact of {graph} was found that "
    "tells which.",
    "claim_not_checked": "The question asks for yes or no, and no fact of {graph} was found that tells. Ask who, what, "
    "when or where instead.",
    "claim_reversed": "{graph} has no such fact. It has one the other way round.",
    "described": "The question asks for no single fact of {topic}. Explore shows all that {graph} holds about it.",
    "another_kind": "What was found in {graph} is not of the kind that the question asks for.",
    "not_left_out": "The question leaves something out, which is not supported yet. Ask without it.",
    "two_not_compared": "The question compares two things, and no number or date of both was found in {graph} that "
    "decides. Ask for the value of each.",
    "nothing_said": "The language model named no answer.",
    "unsupported": "A language model wrote an answer that no fact of {graph} supports, so it is not shown as an "
    "answer.",
    "topic_alone": "The chosen node holds only {topic}, which the question is about, so it is not an answer.",
    "conditions": "{facts} found, but none where {conditions}.",
    "last_condition": "The last condition removed the remaining facts: {condition}.",
}
"""Why a run has no answer."""
REFUSED: Mapping[str, str] = {
    "only": "its only relation does not fit",
    "some": "none of its {relations} fits",
    "all": "none of its relations fits",
}
"""What the model took to lead nowhere."""
FROM_THE_MODEL = "A language model gave this answer. No fact of the graph supports it."
SHARE: Mapping[str, str] = {"under": "under 1 %", "over": "over 99 %", "share": "{share} %"}
"""A probability. What is not certain is never shown as 100 %, and what is possible never as 0 %."""
SURE: Mapping[str, str] = {"sure": "Confidence {share}", "raw": "{sure}, not calibrated"}
"""How probable all decisions of a run are together, and that held-out questions did not correct it."""
WEAKEST = "Weakest step: {decision} ({share})"
"""The least probable decision among those with more than one option. It starts with a small letter."""
STOPPED: Mapping[str, str] = {
    "sure": "The model was {share} sure that no option leads to an answer.",
    "next": "Next best: {options}.",
    "option": "{option} ({share})",
}
"""How sure a model was of stopping, and what it would have done otherwise."""
MEANT: Mapping[str, str] = {"other": "Did you mean {topics}?", "hinted": "{topic} ({hint})", "plain": "{topic}"}
"""Other topics that the question may be about."""
PARTIAL: Mapping[str, str] = {
    "one": "Partial answer: {words} was not used",
    "several": "Partial answer: {words} were not used",
}
"""The headline of an answer to less than was asked."""
CLAIM: Mapping[str, str] = {
    "yes": "Yes",
    "no": "No such fact in this graph",
    "among": "{words} is among the answers:",
    "others": "What the graph has instead of {words}:",
}
"""The answer to a yes-no question, and what stands between it and the answers that it was checked against."""
COMPARED: Mapping[str, str] = {
    "yes": "Yes",
    "no": "No",
    "value": "{thing}: {relation} {value}",
    "same": "Both are the same.",
}
"""Whether a comparison of two things holds, and the values that decide."""
UNUSED = "Not taken into account: {words}"
"""The words of the question that no decision used."""
NOT_UNDERSTOOD: Mapping[str, str] = {
    "negation": "Not supported yet: {words}. The answers may include what it excludes.",
    "comparison": "Not compared: {words}.",
    "second question": "Only one question is answered. Ask {words} on its own.",
}
"""What the question says and no decision can, by its kind."""
COUNTED: Mapping[str, str] = {
    "all": "Counted; the list shows {shown} of {total}.",
    "at_least": "At least this number, because a step was cut; the list shows {shown} of {total}.",
}
"""What stands between the number that was asked for and what was counted."""
CONTINUED: Mapping[str, str] = {
    "kept": "Continues another run: {decisions} kept",
    "changed": "Continues another run: {decisions} kept, then: {change}",
    "by": "the kept decisions were made by {scorer}",
}
CHANGES: Mapping[str, str] = {
    "replace": "{decision} was replaced",
    "insert": "a decision was added before {decision}",
    "remove": "{decision} was removed",
    "end": "stopped before {decision}",
    "reading": "another reading was chosen",
}
"""What was decided otherwise, by its kind."""
NAMED_DECISIONS: Mapping[str, str] = {
    "link": "the topic",
    "search": "search step {number}",
    "prune": "condition {number}",
    "infer": "the answer node",
    "other": "decision {number}",
}
"""What a decision is called, by its stage."""
LATER: Mapping[str, str] = {
    "keep": "later decisions are kept where they still fit",
    "ask": "later decisions are made again",
}
"""What became of the decisions after the change."""
OPEN_DECISIONS: Mapping[str, str] = {
    "link": "what the question is about",
    "search": "which relation to follow",
    "search_from": "which relation to follow from {node}",
    "prune": "which condition must hold",
    "infer": "which node holds the answer",
    "other": "decision {number}",
}
"""What a decision would settle, by its stage; of a search, where all its options lead on from one node."""
UNDECIDED: Mapping[str, str] = {"title": "Stopped before a decision", "open": "{decision} · {options}"}
ROUNDS: Mapping[str, str] = {
    "round": "Weighed {readings}, kept {kept}",
    "all": "Weighed {readings} in {rounds}",
    "over": "{reading} · complete",
}
"""What the rounds of a beam kept."""
READING: Mapping[str, str] = {
    "forwards": "{path} → {node}",
    "backwards": "{path} ← {node}",
    "branch": "{path}, {node}",
    "where": "{path}, where {conditions}",
    "comes_to": "{reading}: {answers}",
    "cut": "{answers} ({shown} of {total})",
    "told_topic": "the chosen entity",
    "no_topic": "no topic entity",
}
"""One way to read the question: its path from the topic, then its conditions."""
SELECTION = "Kept {kept} of {options}, by {measure}"
EXPLORED: Mapping[str, str] = {
    "layer": "Layer {layer} of {layers}: kept {kept} of {edges}",
    "entities": "from {before} to {after}",
    "depths": "Layers needed: {depths}",
    "depth": "{layers} {share}",
    "candidates": "Ranked {candidates}, showing {shown}",
    "candidate": "{term}, {weight}",
}
"""What a graph network looked at, and what it found."""
PLANS: Mapping[str, str] = {
    "scorer": "Weighed {plans}, proposed {shown}",
    "paths": "Weighed {paths}, proposed {shown}",
    "looked": "extended {followed} of {ways}",
    "writer": "A model wrote {plans}, {grounded} of them in the graph",
    "begins": "only plans that begin with {way}",
    "covered": "together {share} of the probability of all plans",
    "backwards": "{relation} (backwards)",
    "step": "{way} → {relation}",
    "none": "no relation fits the question, or none leads to a possible answer",
    "ungrounded": "not in the graph, so not followed",
}
"""Plans: the relations to follow from the topic entity, and their shared description."""
EVIDENCE: Mapping[str, str] = {
    "frontier": "Hop {hop} ({way}): kept {kept} of {entities}",
    "judged": "judged by {judge}",
    "not_judged": "no model judged them, so all were kept",
    "paths": "Weighed {paths}, showing {shown}",
    "factors": "{weight} of the weight of all paths: plan {plan}, entities {scores}",
    "threshold": "answers have a weight of {weight} or more",
    "overruled": "not an answer: belongs to another reading of the question",
}
"""What was kept of the entities that plans lead to, and how much the evidence for each weighs."""
DEBATE: Mapping[str, str] = {
    "enough": "Enough to answer “{question}”",
    "more": "Not enough yet for “{question}”",
    "share": "the facts are enough with a probability of {share}",
    "simplified": "Question shortened to “{after}”",
    "kept": "“{before}” was not shortened",
    "rule": "by rules instead of a language model",
    "writer": "by a language model",
    "simplifier": "Simplifier",
    "critic": "Critic",
    "linguist": "Linguist",
    "all": "One agent for all roles",
    "cut": "the first {shown} of {length} characters",
}
"""Whether what was found is enough, and how DoG's debate shortened the question."""
DOG_CLASSES: Mapping[str, Mapping[str, str]] = {
    "relation": {
        "title": "wrong relation",
        "text": "The filter chose a relation that does not lead to the answer, or none although one was left.",
    },
    "stopping": {
        "title": "wrong stop",
        "text": "The check stopped the search although a relation was left, or continued it past the answer.",
    },
    "simplification": {
        "title": "lost words",
        "text": "The debate removed the words of the question that name the next relation.",
    },
    "generation": {
        "title": "wrong answer chosen",
        "text": "Every decision was right and the facts hold the answer, but another answer came first.",
    },
    "aliasing": {
        "title": "another name",
        "text": "The first answer is a gold answer by another name. It counts as wrong in all other figures.",
    },
    "other": {
        "title": "other",
        "text": "No round caused it: the graph lacks the answer, or the run failed, started elsewhere or was cut.",
    },
}
"""The error classes of DoG: `reasoning.run.diagnosis`."""
RIGHT_ANSWERS: Mapping[str, str] = {
    "exactly": "{fewest}",
    "between": "{fewest} to {most}",
    "or_more": "{fewest} or more",
}
"""How many right answers the questions have that figures tell of together."""
WRITTEN: Mapping[str, str] = {
    "by": "Written by {writer}, not from the graph",
    "cut": "the first {shown} of {length} characters",
}
"""The heading of a text that a model wrote, and the note under one that is shown in part."""
SAID: Mapping[str, str] = {
    "facts": "“{text}” names {names}, which is in the facts",
    "graph": "“{text}” names {names}, which is in the graph but not in the facts",
    "options": "“{text}” keeps {names}",
    "nothing": "“{text}” names no entity and no option",
    "silent": "The text names no entity and no option",
    "cut_short": "The text was cut at the token limit",
    "some": "{names} ({shown} of {total})",
}
"""How a text that a model wrote was read: its parts by where that was found which they name."""
LOW = 0.5
"""A choice less probable than this is less likely right than wrong."""
CLOSE = 0.1
"""A second this near might as well have been the first."""

MEANT_FROM = 0.2
"""A topic that is at least this probable, and was not chosen, may be meant."""
RUNNERS_UP = 2
"""Maximum of rejected options that a sentence names."""

_AN = ("a", "e", "i", "o")
"""Before these letters, *an*. Kinds that begin with u (*university*) have *a*."""
_DATE = re.compile(r"(-?)(\d{1,12})(?:-(0[1-9]|1[0-2])(?:-(\d{2}))?)?")
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_NEARLY_SURE = 99
"""Per cent."""
_DAY = re.compile(r"\d-\d\d-")
_BEGINS = ("<=", "<")
_ENDS = (">=", ">")


def is_doubtful(decision: events.DecisionRecord) -> bool:
    """Whether a choice deserves a second look: a low probability, or a close second.

    Where options were left unread, what is certain of the chosen one counts, and what is possible of the others.
    """
    read = {option.index: option.probability for option in decision.options if option.probability is not None}
    chosen = read.pop(decision.chosen, None)
    if decision.given or not decision.exact or chosen is None:
        return False
    unread = 0.0 if decision.unread is None else decision.unread.each
    return chosen < LOW or any(chosen - other < CLOSE for other in (*read.values(), unread))


class RunWords:
    """Words for the events of one run, in their order.

    Names pass through ``name`` on their way into a sentence, so that each place where they are printed has its rules.
    """

    def __init__(self, name: Callable[[str], str] = str) -> None:
        self._name = name
        self._graph = ""
        self._nodes: dict[int, str] = {}
        self._kinds: dict[int, str] = {}
        self._units: dict[int, str] = {}
        self._parents: dict[int, int | None] = {}
        self._constraints: list[events.ConstraintRecord] = []
        self._facts = 0
        self._last: events.DecisionRecord | None = None
        self._weakest: tuple[float, str, events.DecisionRecord] | None = None
        self._choices = 0
        self._question = ""
        self._scorer = ""
        self._kept: tuple[ReadingText, ...] = ()
        self._today: str | None = None

    def learn(self, event: events.StageEvent) -> None:
        """Take note of what an event brings; its own words may need it."""
        match event:
            case events.Started(graph_title=title, question=question, scorer=scorer):
                self._graph, self._question, self._scorer = self._name(title), question, scorer
                self._today = event.today
            case events.EntityLinked(topic=topic, root=root) if topic is not None and root is not None:
                self._nodes[root.position] = self.term(topic)
                self._kinds[root.position] = root.kind
            case events.SearchStepTaken(node=node):
                self._place(node)
                self._facts += event.facts_gained
            case events.ConstraintChosen(constraint=constraint):
                self._constraints.append(constraint)
            case events.ReadingsKept(kept=kept):
                self._kept = tuple(self._grown(record) for record in kept)
            case _:
                pass
        stage = STAGE_OF_EVENT.get(event.kind)
        decision = decision_of(event)
        if decision is None:
            return
        if stage is not Stage.LINK:
            self._last = decision
        sure = decision.probability
        if sure is None or decision.total <= 1:
            return
        self._choices += 1
        if self._weakest is None or sure < self._weakest[0]:
            self._weakest = sure, self.decision(event), decision

    def decision(self, event: events.StageEvent) -> str:
        """What an event that was learned decided, as a sentence; empty where it decided nothing."""
        slots: dict[str, str] = {}
        match event:
            case events.EntityLinked(topic=topic):
                which = "no_topic" if topic is None else "topic"
                slots = {} if topic is None else {"node": self.term(topic)}
            case events.SearchStepTaken(node=node) if node.relation is not None:
                which = "step_backwards" if node.relation.reverse else "step"
                slots = {"relation": self._name(node.relation.label)}
            case events.SearchEnded(decision=decision) if decision is not None:
                which = "search_ended"
            case events.ConstraintChosen(constraint=constraint):
                which = "condition"
                slots = {"condition": self.condition(constraint)}
            case events.PruningEnded(decision=decision) if decision is not None:
                which = "no_more_conditions" if self._constraints else "no_conditions"
            case events.AnswerPositionChosen(position=position):
                which = "answer"
                slots = {"node": self.node(position)}
            case events.AnswersCounted(counted=counted):
                which = "count" if counted else "no_count"
            case events.NoCandidateChosen():
                which = "no_candidate"
            case _:
                return ""
        return DECISIONS[which].format_map(slots)

    def note(self, event: events.StageEvent) -> str:
        """What followed, in a few words; empty where there is nothing to say."""
        match event:
            case events.SearchStepTaken(node=node, facts_gained=gained, facts_available=available):
                cut = available > gained
                return NOTES["step_cut" if cut else "step"].format(
                    node=self.node(node.parent or 0),
                    gained=f"{gained:,}",
                    facts=_plural(available if cut else gained, "fact"),
                )
            case events.SearchEnded(reason="step_limit" | "nothing_left" as reason):
                return NOTES[reason]
            case events.Pruned(leaves_nothing=True):
                return NOTES["leaves_nothing"]
            case events.Pruned(removed_total=removed, kept_total=kept):
                return NOTES["pruned"].format(facts=_plural(removed, "fact"), kept=f"{kept:,}")
            case events.PruningEnded(decision=None) if self._constraints:
                return NOTES["no_condition_possible"]
            case _:
                return ""

    def other_lines(self, event: events.StageEvent) -> list[str]:
        """What a recorded event reports besides decisions and `readings`, line by line."""
        match event:
            case events.Started(continued=continued) if continued is not None:
                sentences = self._continued(continued)
            case events.ReadingsKept(considered=considered, kept=kept):
                sentences = [ROUNDS["round"].format(readings=_plural(considered, "reading"), kept=f"{len(kept):,}")]
            case events.SelectionMade(selection=selection):
                options = _plural(selection.total, "option")
                sentences = [
                    SELECTION.format(kept=f"{len(selection.kept):,}", options=options, measure=selection.measure)
                ]
            case events.LayerExplored() | events.CandidatesRanked():
                sentences = self._explored(event)
            case events.PlansProposed():
                sentences = self._proposed(event)
            case events.FrontierKept() | events.PathsWeighed():
                sentences = self._evidence(event)
            case events.Sufficiency() | events.DebateTurn() | events.QuestionSimplified():
                sentences = self._debated(event)
            case events.ModelWrote():
                sentences = self._written(event)
            case events.Undecided():
                sentences = [UNDECIDED["title"], self._open(event)]
            case events.Finished(verdict=verdict, readings=readings):
                others = _plural(len(readings), "other reading") if readings else ""
                model = FROM_THE_MODEL if verdict == "from_the_model" else ""
                rest = (*self._sure(event), *self.not_understood(event), self.unused(event))
                sentences = [line for line in (model, *rest, others) if line]
            case _:
                sentences = []
        return sentences

    def readings(self, event: events.StageEvent) -> list[tuple[float, str]]:
        """The readings, plans or paths that an event that was learned tells, each with its probability or weight."""
        match event:
            case events.PathsWeighed(paths=paths):
                return [(path.weight, self._evidence_path(path)) for path in paths]
            case events.PlansProposed(plans=plans):
                return [(plan.weight, self._plan(plan)) for plan in plans]
            case events.ReadingsKept(kept=kept):
                sentences = [(each, self.reading(reading)) for each, reading in zip(kept, self._kept, strict=True)]
                return [
                    (e.probability, ROUNDS["over"].format(reading=words) if e.over else words) for e, words in sentences
                ]
            case events.Finished(readings=readings):
                return [(each.probability, self._other(each)) for each in readings or ()]
            case _:
                return []

    def confidence(self, finished: events.Finished) -> str:
        """How sure the model was of all its decisions together; empty where that is not known, or says nothing.

        What held-out questions showed of such a confidence counts more, where it is known; where not, it says so.
        """
        sure = finished.confidence if finished.calibrated is None else finished.calibrated
        if sure is None or finished.partial or finished.reason == "no_topic":
            return ""
        sentence = SURE["sure"].format(share=_share(sure))
        return sentence if finished.calibrated is not None else SURE["raw"].format(sure=sentence)

    def stopped(self, finished: events.Finished) -> list[str]:
        """How sure the model was when it stopped without an answer, and what it would have done otherwise."""
        last = self._last
        if last is None or last.probability is None:
            return []
        stopped = self._chose_to_stop(finished)
        if not stopped and (finished.reason != "conditions_leave_nothing" or self._constraints):
            return []
        others = ", ".join(
            STOPPED["option"].format(option=self.option(option), share=_share(option.probability or 0.0))
            for option in runners_up(last)
        )
        sure = STOPPED["sure"].format(share=_share(last.probability)) if stopped else ""
        return [line for line in (sure, others and STOPPED["next"].format(options=others)) if line]

    def ways_on(self, finished: events.Finished) -> list[str]:
        """The changes with which a run without an answer may go on, as a terminal takes them."""
        if finished.reason == "conditions_leave_nothing" and self._constraints:
            return [f"{Stage.PRUNE.value}:{len(self._constraints)}=drop"]
        if self._last is None or not self.stopped(finished):
            return []
        stage = Stage.SEARCH if finished.reason == "no_relation" else Stage.INFER
        number = len(self._nodes) if stage is Stage.SEARCH else 1
        return [f"{stage.value}:{number}={self.option(option)}" for option in runners_up(self._last)]

    def option(self, option: events.OptionRecord) -> str:
        """An option in a few words."""
        match option:
            case events.TopicOptionRecord(term=term):
                return self.term(term)
            case events.StepOptionRecord(relation=relation):
                return self._name(relation.label)
            case events.ConstraintOptionRecord(constraint=constraint):
                return self.condition(constraint)
            case events.AnswerOptionRecord(position=position):
                return self.node(position)
            case events.NoneOptionRecord():
                return "None"

    def partial(self, finished: events.Finished) -> str:
        """The headline of an answer to less than was asked; empty where it is to the whole question."""
        words = [self._quoted(start, end) for start, end in finished.partial or ()]
        return PARTIAL["one" if len(words) == 1 else "several"].format(words=", ".join(words)) if words else ""

    def claim(self, finished: events.Finished) -> tuple[str, str] | None:
        """The answer to a yes-no question, and what it was checked against; None for other questions."""
        claim = finished.claim
        if claim is None:
            return None
        said, why = ("yes", "among") if claim.holds else ("no", "others")
        return CLAIM[said], CLAIM[why].format(words=self._quoted(claim.start, claim.end))

    def compared(self, finished: events.Finished) -> list[str]:
        """Whether a comparison of two things holds, if that was asked, and their values; else nothing."""
        record = finished.compared
        if record is None:
            return []
        said = [] if record.holds is None else [COMPARED["yes" if record.holds else "no"]]
        values = [
            COMPARED["value"].format(
                thing=self.term(each.term),
                relation=self._name(record.relation.label),
                value=self.term(each.value, each.unit),
            )
            for each in record.values
        ]
        return [*said, *values, *([COMPARED["same"]] if len(finished.answers) > 1 else [])]

    def unused(self, finished: events.Finished) -> str:
        """The words of the question that no decision used, without those that make its answer partial."""
        spans = [span for span in finished.unused_words or () if span not in (finished.partial or ())]
        words = ", ".join(self._quoted(start, end) for start, end in spans)
        return UNUSED.format(words=words) if words else ""

    def not_understood(self, finished: events.Finished) -> list[str]:
        """What of the question is not understood at all, a sentence a kind; empty where it is all understood."""
        parts = finished.not_understood or []
        lines = []
        for what, sentence in NOT_UNDERSTOOD.items():
            words = ", ".join(self._quoted(one.start, one.end) for one in parts if one.what == what)
            if words:
                lines.append(sentence.format(words=words))
        return lines

    def _quoted(self, start: int, end: int) -> str:
        return f"“{self._name(self._question[start:end])}”"

    def _sure(self, finished: events.Finished) -> list[str]:
        """How sure the model was, and of which decision the least; without what `stopped` tells."""
        sure = self.confidence(finished)
        stopped = self._chose_to_stop(finished)
        if not sure or (stopped and self._choices == 1):
            return []
        if self._weakest is None or (stopped and self._weakest[2] is self._last):
            return [sure]
        share, decision, _ = self._weakest
        return [sure, WEAKEST.format(decision=decision[:1].lower() + decision[1:], share=_share(share))]

    def _chose_to_stop(self, finished: events.Finished) -> bool:
        """Whether a run has no answer because its model chose to stop, with a probability that is known."""
        last = self._last
        if finished.reason != "no_relation" or last is None or last.probability is None:
            return False
        chosen = next(option for option in last.options if option.index == last.chosen)
        return isinstance(chosen, events.NoneOptionRecord)

    def reading(self, reading: ReadingText) -> str:
        """A way to read the question, in a line."""
        if not reading.nodes:
            return READING["no_topic"]
        words = RunWords(self._name)
        words._today = self._today
        for node in reading.nodes:
            words._place(node)
        sentence, last = "", -1
        for node in reading.way():
            name = words.node(node.position)
            if node.parent is None or node.relation is None:
                sentence = name
            else:
                if node.parent != last:
                    sentence = READING["branch"].format(path=sentence, node=words.node(node.parent))
                sentence = READING["backwards" if node.relation.reverse else "forwards"].format(
                    path=sentence, node=name
                )
            last = node.position
        conditions = " and ".join(words.conditions(reading.constraints))
        return READING["where"].format(path=sentence, conditions=conditions) if conditions else sentence

    def _grown(self, record: events.KeptReadingRecord) -> ReadingText:
        """A kept reading: the one that it came from, and its decision."""
        before = self._kept[record.parent] if record.parent < len(self._kept) else ReadingText()
        decision = record.decision
        if decision is None:
            return before
        option = next(option for option in decision.options if option.index == decision.chosen)
        return before.grown(option, self._nodes.get(0, READING["told_topic"]))

    def _continued(self, continued: events.ContinuedRecord) -> list[str]:
        decisions, change = _plural(continued.kept, "decision"), continued.change
        by = [] if continued.scorer == self._scorer else [CONTINUED["by"].format(scorer=self._name(continued.scorer))]
        if change is None:
            return [CONTINUED["kept"].format(decisions=decisions), *by]
        changed = CHANGES[change.kind].format(decision=_of_stage(NAMED_DECISIONS, change.stage, change.number))
        return [CONTINUED["changed"].format(decisions=decisions, change=changed), *by, LATER[continued.later]]

    def _open(self, event: events.Undecided) -> str:
        decision = _of_stage(OPEN_DECISIONS, event.stage, event.number)
        starts = {option.position for option in event.options if isinstance(option, events.StepOptionRecord)}
        if event.stage == Stage.SEARCH and len(starts) == 1:
            decision = OPEN_DECISIONS["search_from"].format(node=self.node(starts.pop()))
        return UNDECIDED["open"].format(decision=decision, options=_plural(event.total, "option"))

    def _explored(self, event: events.LayerExplored | events.CandidatesRanked) -> list[str]:
        if isinstance(event, events.CandidatesRanked):
            candidates, shown = _plural(event.total, "candidate"), f"{len(event.candidates):,}"
            best = [
                EXPLORED["candidate"].format(term=self.term(each.term), weight=f"{each.weight:.3g}")
                + (f" ({EVIDENCE['overruled']})" if each.overruled else "")
                for each in event.candidates
            ]
            sentence = EXPLORED["candidates"].format(candidates=candidates, shown=shown)
            if event.threshold is not None:
                best.append(EVIDENCE["threshold"].format(weight=f"{event.threshold:.3g}"))
            return [sentence, *best]
        words = [
            EXPLORED["layer"].format(
                layer=event.layer,
                layers=event.layers,
                kept=f"{event.edges_kept:,}",
                edges=_plural(event.edges_total, "edge"),
            ),
            EXPLORED["entities"].format(
                before=f"{event.entities_before:,}", after=f"{event.entities_after:,} entities"
            ),
        ]
        if event.depths and event.layer == 1:
            depths = (
                EXPLORED["depth"].format(layers=_plural(number, "layer"), share=_share(depth))
                for number, depth in enumerate(event.depths, start=1)
            )
            words.append(EXPLORED["depths"].format(depths=", ".join(depths)))
        return words

    def _proposed(self, event: events.PlansProposed) -> list[str]:
        plans, grounded = _plural(event.total, "plan"), sum(plan.grounded for plan in event.plans)
        said = PLANS[event.by if event.looked is None else "paths"]
        paths, shown = _plural(event.total, "relation path"), f"{len(event.plans):,}"
        lines = [said.format(plans=plans, paths=paths, shown=shown, grounded=f"{grounded:,}")]
        looked = event.looked
        if looked is not None and looked.followed < looked.leading_on:
            lines.append(
                PLANS["looked"].format(followed=f"{looked.followed:,}", ways=_plural(looked.leading_on, "path"))
            )
        if event.begins:
            lines.append(PLANS["begins"].format(way=self._way(event.begins)))
        if not event.plans:
            lines.append(PLANS["none"])
        if event.covered is not None:
            lines.append(PLANS["covered"].format(share=_share(event.covered)))
        return lines

    def _debated(self, event: events.Sufficiency | events.DebateTurn | events.QuestionSimplified) -> list[str]:
        match event:
            case events.Sufficiency(enough=enough, question=question, share=share):
                sentence = DEBATE["enough" if enough else "more"].format(question=self._name(question))
                return [sentence] if share is None else [sentence, DEBATE["share"].format(share=_share(share))]
            case events.DebateTurn(role=role, text=text):
                return [f"{DEBATE[role]}: {self._name(text)}"]
            case events.QuestionSimplified(before=before, after=after, by=by):
                words = DEBATE["kept" if before == after else "simplified"]
                return [words.format(before=self._name(before), after=self._name(after)), DEBATE[by]]

    def _evidence(self, event: events.FrontierKept | events.PathsWeighed) -> list[str]:
        if isinstance(event, events.PathsWeighed):
            return [EVIDENCE["paths"].format(paths=_plural(event.total, "path"), shown=f"{len(event.paths):,}")]
        entities = _plural(event.kept + event.dropped, "entity", "entities")
        kept = EVIDENCE["frontier"].format(
            hop=event.hop, way=self._way(event.way), kept=f"{event.kept:,}", entities=entities
        )
        by = EVIDENCE["judged"].format(judge=self._name(event.judge)) if event.judge else EVIDENCE["not_judged"]
        return [kept, by]

    def _evidence_path(self, path: events.WeighedPathRecord) -> str:
        way = self._way([fact.relation for fact in path.facts])
        return PLANS["step"].format(way=way, relation=self.term(path.target))

    def _plan(self, plan: events.PlanRecord) -> str:
        way = self._way(plan.relations) if plan.written is None else self._name(plan.written)
        return way if plan.grounded else f"{way} ({PLANS['ungrounded']})"

    def _way(self, relations: Sequence[events.RelationRecord]) -> str:
        sentence = ""
        for relation in relations:
            name = self._name(relation.label)
            step = PLANS["backwards"].format(relation=name) if relation.reverse else name
            sentence = PLANS["step"].format(way=sentence, relation=step) if sentence else step
        return sentence

    def _written(self, event: events.ModelWrote) -> list[str]:
        sentences = [WRITTEN["by"].format(writer=self._name(event.writer)), self._name(event.purpose)]
        if len(event.text) < event.length:
            sentences.append(WRITTEN["cut"].format(shown=f"{len(event.text):,}", length=f"{event.length:,}"))
        return sentences

    def read_as(self, event: events.ModelWrote) -> list[str]:
        """How a text was read, part by part; empty where it was not read."""
        sentences = [SAID["cut_short"]] if event.cut_short else []
        if event.said is not None:
            sentences += [self._said(part) for part in event.said] or [SAID["silent"]]
        return sentences

    def _said(self, part: events.SaidRecord) -> str:
        names = ", ".join(map(self._name, part.names))
        if len(part.names) < part.total:
            names = SAID["some"].format(names=names, shown=f"{len(part.names):,}", total=f"{part.total:,}")
        return SAID[part.place or "nothing"].format(text=self._name(part.text), names=names)

    def _other(self, record: events.ReadingRecord) -> str:
        """A reading that was not the best, with what it comes to."""
        reading = self.reading(ReadingText(tuple(record.nodes), tuple(record.constraints), record.position))
        place = next((node.relation for node in record.nodes if node.position == record.position), None)
        unit = "" if place is None else place.unit or ""
        answers = ", ".join(self.term(answer, unit) for answer in record.answers) or VERDICT_WORDS[record.verdict]
        if record.answers_total > len(record.answers):
            answers = READING["cut"].format(
                answers=answers, shown=len(record.answers), total=f"{record.answers_total:,}"
            )
        return READING["comes_to"].format(reading=reading, answers=answers)

    def title(self, finished: events.Finished) -> str:
        """What stands over the reason why a run has no answer."""
        return TITLES.get(finished.reason, TITLES["no_answer"]).format(topic=self.node(0))

    def reason(self, finished: events.Finished) -> str:
        """Why a run has no answer; empty where it has one."""
        slots = {"graph": self._graph, "topic": self.node(0)}
        match finished.reason:
            case "answered" | "from_the_model":
                return ""
            case "no_topic":
                which = "no_topic"
            case "no_relation" if len(self._nodes) > 1:
                which = "no_place"
                slots["steps"] = _plural(len(self._nodes) - 1, "step")
            case "no_relation":
                which = "no_relation"
                slots["refused"] = self._refused()
            case (
                "unsupported"
                | "nothing_said"
                | "nothing_compared"
                | "two_not_compared"
                | "claim_not_checked"
                | "not_left_out"
                | "another_kind"
                | "described"
                | "claim_reversed"
            ):
                which = finished.reason
            case "conditions_leave_nothing":
                which = "conditions" if self._constraints else "topic_alone"
                slots["facts"] = _plural(self._facts, "fact")
                slots["conditions"] = " and ".join(self.conditions(self._constraints))
        sentence = REASONS[which].format_map(slots)
        if len(self._constraints) > 1 and which == "conditions":
            sentence += " " + REASONS["last_condition"].format(condition=self.condition(self._constraints[-1]))
        return sentence

    def term(self, term: events.TermRecord, unit: str = "") -> str:
        """A term as people write it: 37,253,956; 1.85 m; 6 February 2011; William Daniels."""
        if term.kind == "number":
            number = _number(term.label) or self._name(term.label)
            return QUANTITY.format(number=number, unit=unit) if unit else number
        if term.kind == "date":
            return _date(term.label) or self._name(term.label)
        return self._name(term.label)

    def node(self, position: int) -> str:
        """What people call a node of S_k: the topic's name, else the relation that leads to it."""
        return self._nodes.get(position) or PLACE.format(position=position)

    def condition(self, constraint: events.ConstraintRecord) -> str:
        """A condition: *character is KITT*."""
        target = constraint.target
        if target is not None and constraint.operator in PLACED:
            words = DATES_PLACED if self._kinds.get(constraint.position) == "date" else PLACED
            comparison = words[constraint.operator].format(place=_place(target.label))
            return CONDITION.format(node=self.node(constraint.position), comparison=comparison)
        kind = self._kinds.get(constraint.position, "entity") if target is None else target.kind
        is_day = target is not None and _DAY.search(target.label) is not None
        if constraint.operator == "holds" and target is not None:
            pattern = HELD["now" if target.label == self._today else "day" if is_day else "then"]
        else:
            words = DATE_COMPARISONS if kind == "date" and not (is_day and constraint.operator == "=") else COMPARISONS
            pattern = words[constraint.operator]
        unit = self._units.get(constraint.position, "")
        phrase = "" if target is None else self.term(target, unit)
        if constraint.operator == "kind":
            phrase = self._kind(target)
        comparison = pattern.format(target=phrase)
        return CONDITION.format(node=self.node(constraint.position), comparison=comparison)

    def _kind(self, kind: events.TermRecord | None) -> str:
        """A kind with its article: *a country*, *an actor*."""
        if kind is None:
            return KINDS["open"]
        return KINDS["an" if kind.label[:1].lower() in _AN else "a"].format(kind=self.term(kind))

    def held(self, held: events.HeldRecord) -> str:
        """When something held, as far as the graph tells: *from 1961 to 1963*."""
        which = {(True, True): "both", (True, False): "begins", (False, True): "ends", (False, False): "neither"}
        begins, ends = (", ".join(map(self.term, dates)) for dates in (held.begins, held.ends))
        return HELD_TIMES[which[bool(begins), bool(ends)]].format(begins=begins, ends=ends)

    def conditions(self, constraints: Sequence[events.ConstraintRecord]) -> list[str]:
        """Conditions in the order in which they were chosen; two that bound one time or one number are one."""
        phrases, left = [], list(constraints)
        while left:
            one = left.pop(0)
            pairs = ((other, self._as_one(*pair)) for other in left for pair in ((one, other), (other, one)))
            other, words = next(((other, words) for other, words in pairs if words), (None, self.condition(one)))
            phrases.append(words)
            if other is not None:
                left.remove(other)
        return phrases

    def _as_one(self, one: events.ConstraintRecord, other: events.ConstraintRecord) -> str:
        """What two conditions say together, the one that comes first in time before the other; empty for nothing."""
        if one.target is None or other.target is None:
            return ""
        if one.position == other.position:
            if (one.operator, other.operator) != (">=", "<="):
                return ""
            unit = self._units.get(one.position, "")
            return PERIODS["bounds"].format(
                node=self.node(one.position), start=self.term(one.target), end=self.term(other.target, unit)
            )
        same_place = self._parents.get(one.position, -1) == self._parents.get(other.position, -2)
        around = one.operator in _BEGINS and other.operator in _ENDS and one.target == other.target
        if same_place and around and self._is_end(one, "start") and self._is_end(other, "end"):
            return PERIODS["asked"].format(target=self.term(one.target))
        return ""

    def _is_end(self, constraint: events.ConstraintRecord, end: str) -> bool:
        return not {*self.node(constraint.position).lower().split()}.isdisjoint(PERIOD_ENDS[end])

    def _place(self, node: events.SemanticNodeRecord) -> None:
        """Take note of a node of S_k."""
        self._nodes[node.position] = self._name(node.name if node.relation is None else node.relation.label)
        self._kinds[node.position] = node.kind
        self._parents[node.position] = node.parent
        self._units[node.position] = "" if node.relation is None else node.relation.unit or ""

    def _refused(self) -> str:
        # None is an option, and no relation.
        relations = (1 if self._last is None else self._last.total) - 1
        if relations == 1:
            return REFUSED["only"]
        return REFUSED["some"].format(relations=_plural(relations, "relation")) if relations else REFUSED["all"]


def runners_up(decision: events.DecisionRecord) -> Sequence[events.OptionRecord]:
    """The likeliest options that were not taken and lead on: relations, or places of the answer."""
    return [
        option
        for option in decision.options
        if option.index != decision.chosen
        and isinstance(option, events.StepOptionRecord | events.AnswerOptionRecord)
        and option.probability
    ][:RUNNERS_UP]


def decision_of(event: events.StageEvent) -> events.DecisionRecord | None:
    """The choice that an event tells, if it tells one."""
    match event:
        case (
            events.EntityLinked(decision=decision)
            | events.SearchStepTaken(decision=decision)
            | events.SearchEnded(decision=decision)
            | events.ConstraintChosen(decision=decision)
            | events.PruningEnded(decision=decision)
            | events.AnswerPositionChosen(decision=decision)
            | events.NoCandidateChosen(decision=decision)
        ):
            return decision
        case _:
            return None


def _of_stage(words: Mapping[str, str], stage: str, number: int) -> str:
    return words.get(stage, words["other"]).format(number=f"{number + 1:,}")


def _plural(count: int, one: str, many: str = "") -> str:
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def _share(probability: float) -> str:
    share = math.floor(probability * 100 + 0.5)
    bound = "under" if share == 0 else "over" if share > _NEARLY_SURE and probability < 1 else "share"
    return SHARE[bound].format(share=share)


def _number(label: str) -> str:
    try:
        value = float(label)
    except ValueError:
        return ""
    return f"{value:,.6f}".rstrip("0").rstrip(".") if math.isfinite(value) else ""


def _date(label: str) -> str:
    found = _DATE.fullmatch(label)
    if found is None:
        return ""
    sign, year, month, day = found.groups()
    named = f"{_MONTHS[int(month) - 1]} {int(year)}" if month else f"{int(year)}"
    text = f"{int(day)} {named}" if day else named
    return BEFORE_CHRIST.format(date=text) if sign else text


def _place(label: str) -> str:
    """*second*, *11th*, *22nd*; what is no number as it is."""
    if not label.isdecimal() or int(label) < 2:  # noqa: PLR2004
        return label
    number = int(label)
    if number - 2 < len(PLACES):
        return PLACES[number - 2]
    last = "other" if number // 10 % 10 == 1 else label[-1]
    return PLACE_ENDINGS.get(last, PLACE_ENDINGS["other"]).format(number=number)
