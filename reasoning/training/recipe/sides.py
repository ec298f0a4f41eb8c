"""On which side of the split questions fall, for weights that learn from answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from reasoning.datasets.question import is_validation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reasoning.datasets.question import BenchmarkQuestion, Split
    from reasoning.training.lessons.sources import Sources
    from reasoning.training.recipe.recipe import Source
    from reasoning.training.recipe.weights_recipe import HeldOut

One = TypeVar("One")


def divided(
    sources: Sources, source: Source, *, held_out: HeldOut, tested: int, teach: bool = True
) -> tuple[list[BenchmarkQuestion], dict[str, bool]]:
    """The questions to read, and by id whether each is held out; empty where their wording decides that.

    Those to be taught only if wanted, and at most ``tested`` that are not. What the sources keep out is not taught;
    where the wording decides, it is not read at all, since it is not known yet on which side it falls.
    """
    splits: tuple[Split, ...] = ("train", "validation")
    asked = [question for split in splits for question in sources.questions(source, split)]
    if held_out == "wording":
        return [each for each in asked if not sources.is_kept_out(source, each)], {}
    tests = {each.id: _is_held_out(each, held_out) for each in asked}
    taught = [each for each in asked if not tests[each.id] and not sources.is_kept_out(source, each)] if teach else []
    # Those that will not be asked need not be read.
    return [*taught, *spread([each for each in asked if tests[each.id]], tested)], tests


def spread(found: Sequence[One], most: int) -> list[One]:
    """Up to ``most``, evenly chosen."""
    return list(found[:: max(len(found) // max(most, 1), 1)][:most])


def _is_held_out(question: BenchmarkQuestion, held_out: HeldOut) -> bool:
    return is_validation(_template(question)) if held_out == "template" else question.split == "validation"


def _template(question: BenchmarkQuestion) -> str:
    """What questions of one template have in common: the type that the benchmark names, else the relations of gold.

    It only says on which side of the split a question falls.
    """
    if "type" in question.labels:
        return f"template {question.labels['type']}"
    found = next((parse.derivation for parse in question.parses if parse.derivation is not None), None)
    return question.id if found is None else " ".join(str(step.relation) for step in found.steps)
