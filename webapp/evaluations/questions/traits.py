"""What questions of an evaluation have in common, to be filtered by; read once and kept while no question is added."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from django.db.models import BooleanField, Func, JSONField, Value
from django.db.models.functions import Cast

from reasoning.evaluation.judging.outcome import Outcome
from reasoning.evaluation.reporting.relation_confusion import Confused
from reasoning.evaluation.reporting.slices import traits_of
from webapp.evaluations.models import EvaluatedQuestion

if TYPE_CHECKING:
    import uuid
    from collections.abc import Iterator, Mapping

    from django.db.backends.base.base import BaseDatabaseWrapper
    from django.db.models import QuerySet
    from django.db.models.sql.compiler import SQLCompiler

    from reasoning.evaluation.reporting.slices import Traits
    from webapp.evaluations.models import Evaluation
    from webapp.evaluations.schemas import QuestionFilter

_ROWS_AT_ONCE = 500
_EVALUATIONS_KEPT = 8


class _Among(Func):
    """Whether a number is in a JSON list, which may be longer than a database takes parameters."""

    template = "(%(expressions)s) AS each_number(value)))"
    arg_joiner = " IN (SELECT each_number.value::integer FROM jsonb_array_elements_text("
    arity = 2
    output_field: BooleanField[bool, bool] = BooleanField()

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **_: Any) -> tuple[str, Any]:
        """The same with SQLite's own function."""
        template = "(%(expressions)s) AS each_number))"
        joiner = " IN (SELECT each_number.value FROM json_each("
        return self.as_sql(compiler, connection, template=template, arg_joiner=joiner)


def with_traits(
    found: QuerySet[EvaluatedQuestion], evaluation: Evaluation, wanted: QuestionFilter
) -> QuerySet[EvaluatedQuestion]:
    """Those of an evaluation's questions that have what is wanted in common."""
    if not (wanted.relation or wanted.domain or wanted.word or wanted.confused or wanted.linking is not None):
        return found
    traits = _traits(evaluation.pk, evaluation.done)
    positions = [position for position, each in traits.items() if _has(each, wanted)]
    return found.filter(_Among("position", Cast(Value(json.dumps(positions)), JSONField())))


def confused_relations(evaluation: Evaluation) -> Mapping[int, str]:
    """By position, where a relation was chosen in a gold one's stead, both as ``gold>chosen``."""
    traits = _traits(evaluation.pk, evaluation.done)
    return {position: str(each.confused) for position, each in traits.items() if each.confused is not None}


def _has(traits: Traits, wanted: QuestionFilter) -> bool:
    return (
        (not wanted.relation or wanted.relation in traits.relations)
        and (not wanted.domain or wanted.domain in traits.domains)
        and (not wanted.word or wanted.word.casefold() in traits.words)
        and (wanted.linking is None or traits.linking is wanted.linking)
        and (not wanted.confused or traits.confused == Confused.parse(wanted.confused))
    )


@lru_cache(maxsize=_EVALUATIONS_KEPT)
def _traits(evaluation_id: uuid.UUID, _done: int) -> Mapping[int, Traits]:
    """By position; what is kept is read again once more questions are done."""
    return dict(_read(evaluation_id))


def _read(evaluation_id: uuid.UUID) -> Iterator[tuple[int, Traits]]:
    judged = EvaluatedQuestion.objects.filter(evaluation=evaluation_id, judged_at__isnull=False).order_by("position")
    for position, document in judged.values_list("position", "outcome").iterator(_ROWS_AT_ONCE):
        if document is not None:
            yield position, traits_of(Outcome.from_json(document))
