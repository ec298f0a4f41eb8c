"""Why a cause is proposed: what was chosen at the first wrong decision, and how the model took what was wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from pydantic import TypeAdapter

from kgstore.store import GraphStoreError
from kgstore.terms import Entity
from reasoning.core.blame import Blame, Cause
from reasoning.core.derivation import Constraint, Derivation, SearchStep, derivation_read
from reasoning.datasets.question import BenchmarkQuestion
from reasoning.evaluation.judging.laid_over import laid_over
from reasoning.evaluation.judging.missing import missing
from reasoning.gold.fitting import read_with_answers
from reasoning.labels.decided import DecidedSoFar, led_to
from reasoning.narration.narration import Narrator
from reasoning.narration.replay import choice_of_option, decisions_made
from reasoning.run.run import RunLimits
from webapp import engine
from webapp.asking.runs.changes import ChoiceIn
from webapp.asking.runs.selectors import stage_events
from webapp.evaluations.models import JudgedDecisions
from webapp.platform.http.errors import ProductError, graph_error
from webapp.review import schemas

if TYPE_CHECKING:
    from kgstore.store import GraphStore
    from reasoning.core.blame import Wanted
    from reasoning.events import DecisionRecord, OptionRecord
    from reasoning.run.diagnosis import DogClass
    from webapp.evaluations.models import EvaluatedQuestion, Evaluation
    from webapp.evaluations.schemas import Case as ErrorClass

_CHOICE: TypeAdapter[ChoiceIn] = TypeAdapter(ChoiceIn)
_LISTED = 20
"""Maximum of missing things that are named."""


def proposed_of(question: EvaluatedQuestion) -> schemas.ProposedOut:
    """What is proposed of a case. Where the graph is not what it was, names are missing, and nothing else."""
    document = (question.outcome or {}).get("blame")
    blame = None if document is None else Blame.from_json(document)
    record = None if blame is None else _decision(question, blame)
    store = _graph(question.evaluation)
    options = [] if record is None else record.options
    return schemas.ProposedOut(
        error_class=cast("ErrorClass | None", question.case or None),
        dog_class=cast("DogClass | None", question.dog_class or None),
        dog_why=((question.outcome or {}).get("dog") or {}).get("why", ""),
        cause="" if blame is None else blame.cause.value,
        stage=None if blame is None or blame.stage is None else blame.stage.value,
        number=None if blame is None else blame.number,
        chosen=None if record is None else next((each for each in options if each.index == record.chosen), None),
        wanted=[]
        if blame is None or document is None
        else [
            _wanted(wanted, choice, options, store)
            for wanted, choice in zip(blame.wanted, document["wanted"], strict=True)
        ],
        options=None if record is None else record.total,
        missing=_missing(question, store) if blame is not None and blame.cause is Cause.GAP else None,
    )


def laid_over_out(question: EvaluatedQuestion) -> schemas.LaidOverOut:
    """What was predicted, and what the benchmark's derivation leads to, as one structure.

    Raises:
        ProductError: the benchmark has no derivation, or the graph is not what it was.

    """
    outcome = question.outcome or {}
    if outcome.get("gold_derivation") is None:
        raise ProductError(409, "no_gold_derivation", "The benchmark does not say which way leads to its answers.")
    store = _graph(question.evaluation)
    if store is None:
        message = "The graph was loaded again since, or is gone, so gold and prediction cannot be drawn together."
        raise ProductError(409, "graph_changed", message)
    made = None if outcome["derivation"] is None else derivation_read(outcome["derivation"])
    gold = Derivation.from_json(outcome["gold_derivation"])
    try:
        fitting = read_with_answers(store, gold)
        gold = gold if fitting is None else fitting[0]
        over = laid_over(made, gold)
        shown = led_to(question.text, store, DecidedSoFar(gold.topic, over.steps), RunLimits()).emitted
        narrator = Narrator(store)
        narrator.learn([each.target for each, _ in over.constraints if each.target is not None])
        conditions = [
            schemas.OverConditionOut(constraint=narrator.constraint(each), side=side) for each, side in over.constraints
        ]
    except GraphStoreError as error:
        raise graph_error(error, status=409) from error
    return schemas.LaidOverOut(
        events=shown,
        steps=[schemas.OverStepOut(place=place, side=side) for place, side in enumerate(over.sides, start=1)],
        made_answer=over.made_answer,
        gold_answer=over.gold_answer,
        conditions=conditions,
        fits=fitting is not None,
    )


def _decision(question: EvaluatedQuestion, blame: Blame) -> DecisionRecord | None:
    """The decision that went wrong, as it was recorded."""
    kept = JudgedDecisions.objects.filter(question=question).first()
    if kept is None or blame.stage is None:
        return None
    made = decisions_made(stage_events(kept.events))
    return next((each.record for each in made if (each.stage, each.number) == (blame.stage, blame.number)), None)


def _wanted(
    wanted: Wanted, choice: dict[str, Any], options: list[OptionRecord], store: GraphStore | None
) -> schemas.WantedOut:
    at = next((at for at, shown in enumerate(options) if choice_of_option(shown) == wanted), None)
    return schemas.WantedOut(
        choice=_CHOICE.validate_python(choice),
        words=_words(wanted, store),
        option=None if at is None else options[at],
        rank=None if at is None or options[at].probability is None else at + 1,
    )


def _words(option: Wanted, store: GraphStore | None) -> str:
    """What is wanted, in short; by ids where no graph gives names."""
    narrator = None if store is None else Narrator(store)
    match option:
        case Entity():
            return option.mid if narrator is None else narrator.term(option).label
        case SearchStep(relation=relation):
            return str(relation) if narrator is None else narrator.relation(relation).label
        case Constraint(operator=operator, target=target):
            named = "" if target is None else str(target) if narrator is None else narrator.term(target).label
            return f"{operator.value} {named}".strip()
        case int():
            return f"node {option}"
        case None:
            return "nothing more"


def _missing(question: EvaluatedQuestion, store: GraphStore | None) -> schemas.MissingOut | None:
    if store is None:
        return None
    try:
        found = missing(BenchmarkQuestion.from_json(question.gold), store)
        narrator = Narrator(store)
        narrator.learn([*found.entities[:_LISTED], *found.answers[:_LISTED]])
        return schemas.MissingOut(
            entities=[narrator.term(term) for term in found.entities[:_LISTED]],
            relation=None if found.step is None else narrator.relation(found.step.relation),
            answers=[narrator.term(term) for term in found.answers[:_LISTED]],
        )
    except GraphStoreError:
        return None


def _graph(evaluation: Evaluation) -> GraphStore | None:
    """The graph of an evaluation, as it was; None where it is not that any more, or there is none for all questions."""
    if not evaluation.graph:
        return None
    try:
        store = engine.graph(evaluation.graph)
        return store if store.info().version == evaluation.graph_version else None
    except GraphStoreError:
        return None
