"""Training of a judge, and the threshold of answers (EPERM, arXiv 2502.16171, sections 3.3 and 3.4).

L_find is the negative log-likelihood of what lies on labelled paths: of plans that pass the precision test, what leads
to answers is right, and what lies next to it is not. The paper trains its planner with it; here plans are the scorer's,
and the entities on them are judged (ours). L_reason is that of the answers, given N sampled paths: the probability of a
candidate is 1 - prod(1 - w) over its paths, w being the product of the plan's weight and the scores on the path. It
learns from plans without a label too. The loss is the sum of both.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch.nn import functional

from reasoning.strategies.eperm.evidence import answer_together
from reasoning.strategies.eperm.model import PARTS
from reasoning.strategies.eperm.weights import parts_of, vectors_of
from reasoning.training.encoder.epochs import train_epochs

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from torch import Tensor

    from reasoning.scorers.encoder.frozen_texts import FrozenTexts
    from reasoning.strategies.eperm.model import JudgeModel
    from reasoning.training.encoder.epochs import Trained
    from reasoning.training.encoder.train import Progress
    from reasoning.training.eperm.lessons import JudgeLesson, LessonPath
    from reasoning.training.eperm.recipe import JudgeSettings

_ALMOST = 1e-6
THRESHOLDS = tuple(step / 20 for step in range(1, 21))
POWERS = (0.25, 0.5, 0.75, 1.0)
"""Those that are tried."""


@dataclass(frozen=True, slots=True)
class ReadLesson:
    """A lesson with its vectors, in half precision."""

    lesson: JudgeLesson
    question: Tensor
    parts: Tensor
    flags: Tensor


def read_lesson(lesson: JudgeLesson, texts: FrozenTexts) -> ReadLesson:
    """Read the texts of a lesson."""
    # All at once is quicker.
    texts.of(list({text for row in lesson.rows for part in parts_of(row.known, row.relation) for text in part}))
    found = [vectors_of([row.known], row.relation, texts) for row in lesson.rows]
    parts = torch.cat([one for one, _ in found]) if found else torch.zeros(0, len(PARTS), 0)
    flags = torch.cat([one for _, one in found]) if found else torch.zeros(0, 0)
    return ReadLesson(lesson, texts.of([lesson.question]).float(), parts.half(), flags)


def logits_of(model: JudgeModel, read: ReadLesson, *, dropout: float = 0.0) -> Tensor:
    """By row."""
    parts = read.parts.float()
    if dropout:
        parts = parts * (torch.rand(*parts.shape[:2], 1) >= dropout)
    return model.logits(read.question.expand(len(parts), -1), parts, read.flags)


def candidate_weights(scores: Tensor, paths: Sequence[LessonPath], candidates: int, *, shared: bool = False) -> Tensor:
    """The probability of each candidate: 1 - prod(1 - w) over the paths that lead to it; 0 where none does.

    ``shared`` makes the weights of all paths sum to one, as a run tells them.
    """
    weights = torch.stack([path.plan_weight * scores[list(path.rows)].prod() for path in paths])
    if shared:
        weights = weights / weights.sum().clamp(min=_ALMOST)
    target = torch.tensor([path.target for path in paths])
    missed = torch.log1p(-weights.clamp(max=1 - _ALMOST))
    return -torch.expm1(torch.zeros(candidates).index_add(0, target, missed))


def loss_of(model: JudgeModel, read: ReadLesson, paths: Sequence[LessonPath], *, dropout: float) -> Tensor | None:
    """L_find + L_reason of one question; None where it teaches nothing."""
    lesson = read.lesson
    logits = logits_of(model, read, dropout=dropout)
    losses: list[Tensor] = []
    if lesson.found:
        rows = torch.tensor([row for row, _ in lesson.found])
        wanted = torch.tensor([label for _, label in lesson.found])
        losses.append(_balanced(logits[rows], wanted))
    drawn = sorted({path.target for path in paths})
    hits = torch.tensor([lesson.right[one] for one in drawn]).float()
    if paths and hits.sum() > 0:
        found = candidate_weights(torch.sigmoid(logits), paths, len(lesson.right))[drawn].clamp(_ALMOST, 1 - _ALMOST)
        lost = functional.binary_cross_entropy(found, hits, reduction="none")
        losses.append(_mean_of_both(lost, hits))
    return torch.stack(losses).sum() if losses else None


def _balanced(logits: Tensor, wanted: Tensor) -> Tensor:
    lost = functional.binary_cross_entropy_with_logits(logits, wanted, reduction="none")
    return _mean_of_both(lost, wanted)


def _mean_of_both(lost: Tensor, wanted: Tensor) -> Tensor:
    """The mean over what is right and the mean over what is not, so that a hundred wrong ones do not drown the rest."""
    right, wrong = wanted > 0, wanted == 0
    return torch.stack([lost[part].mean() for part in (right, wrong) if bool(part.any())]).mean()


def train_judge(
    model: JudgeModel,
    lessons: Sequence[ReadLesson],
    settings: JudgeSettings,
    *,
    recipe: dict[str, Any],
    checkpoint: Path | None = None,
    progress: Callable[[Progress], None] = lambda _: None,
    stop: Callable[[], bool] = lambda: False,
) -> Trained:
    """Train a model in place; see `train_epochs`."""
    batch = max(settings.batch, 1)

    def of_epoch(chance: random.Random) -> list[Callable[[], Tensor | None]]:
        mixed = chance.sample(list(lessons), len(lessons))
        torch.manual_seed(chance.randrange(2**31))
        return [partial(loss, mixed[at : at + batch], chance) for at in range(0, len(mixed), batch)]

    def loss(part: Sequence[ReadLesson], chance: random.Random) -> Tensor | None:
        lost = [
            loss_of(model, one, _drawn(one.lesson.paths, settings.paths, chance), dropout=settings.dropout)
            for one in part
        ]
        taught = [one for one in lost if one is not None]
        return torch.stack(taught).mean() if taught else None

    return train_epochs(
        model,
        of_epoch,
        settings,
        batches=len(range(0, len(lessons), batch)),
        recipe=recipe,
        checkpoint=checkpoint,
        progress=progress,
        stop=stop,
    )


def _drawn(paths: Sequence[LessonPath], most: int, chance: random.Random) -> list[LessonPath]:
    """Up to ``most`` paths, drawn at random."""
    return list(paths) if len(paths) <= most else chance.sample(list(paths), most)


def answer_weights(lesson: JudgeLesson, scores: Tensor) -> Tensor:
    """By candidate its weight as a run tells it; 0 for those that only plans lead to that may not answer.

    See `answer_together`; here a plan is known by the words of its relations.
    """
    weights = candidate_weights(scores, lesson.paths, len(lesson.right), shared=True)
    products = [path.plan_weight * float(scores[list(path.rows)].prod()) for path in lesson.paths]
    ways = [tuple(lesson.rows[row].relation for row in path.rows) for path in lesson.paths]
    best_first = sorted(range(len(ways)), key=lambda number: -products[number])
    kept = answer_together(dict.fromkeys(ways[number] for number in best_first))
    may_answer = torch.zeros(len(weights))
    may_answer[[path.target for path, way in zip(lesson.paths, ways, strict=True) if way in kept]] = 1.0
    return weights * may_answer


def answered(lesson: JudgeLesson, weights: Tensor, threshold: float) -> tuple[bool, float]:
    """Whether the weightiest candidate of a question is an answer, and the F1 of those that weigh enough."""
    if not lesson.paths:
        return False, 0.0
    chosen = (weights > 0) & (weights >= threshold * weights.max() - _ALMOST)
    right = torch.tensor(lesson.right)
    hits = int((chosen & right).sum())
    f1 = 2 * hits / (int(chosen.sum()) + lesson.answers)
    return bool(right[int(weights.argmax())]), f1


@dataclass(frozen=True, slots=True)
class Tuned:
    """What is chosen by how well held-out questions are answered (ours)."""

    power: float
    """A score is raised to it. Below 1, a path's weight is its plan's more than its entities'."""
    threshold: float
    """The share of the best candidate's weight from which a candidate is an answer."""


def figures(model: JudgeModel | None, lessons: Sequence[ReadLesson], chosen: Tuned) -> dict[str, Any]:
    """How candidates are answered by rank on some questions; without a model all score 1.

    ``hits_at_1``: the weightiest candidate is an answer; ``f1``: the mean of the questions'; ``answers_kept``: the mean
    share of a question's answers that are candidates.
    """
    found = [answered(one.lesson, _weights(model, one, chosen.power), chosen.threshold) for one in lessons]
    if not found:
        return {"hits_at_1": None, "f1": None, "answers_kept": None}
    return {
        "hits_at_1": sum(hit for hit, _ in found) / len(found),
        "f1": sum(f1 for _, f1 in found) / len(found),
        "answers_kept": sum(sum(one.lesson.right) / one.lesson.answers for one in lessons) / len(lessons),
    }


def tuned(model: JudgeModel, sources: Sequence[Sequence[ReadLesson]]) -> Tuned:
    """The middle of the powers and thresholds that do not differ from the best by macro-F1, the mean over sources.

    Those are within a standard error of it. Some hundred questions have their best at an edge as often as not, where
    others do worse; the middle of what is as good does about as well on all.
    """
    tried = [(power, threshold) for power in POWERS for threshold in THRESHOLDS]
    found = [torch.tensor([_f1_of_each(model, one) for one in lessons]) for lessons in sources if lessons]
    if not found:
        return Tuned(1.0, 1.0)
    means = torch.stack([f1.mean(0) for f1 in found]).mean(0)
    best = int(means.argmax())
    lost = [f1[:, best, None] - f1 for f1 in found]
    error = torch.stack([each.var(0, unbiased=False) / len(each) for each in lost]).sum(0).sqrt() / len(found)
    good = [tried[number] for number in (means[best] - means <= error + _ALMOST).nonzero()[:, 0].tolist()]
    power, threshold = (sum(values) / len(good) for values in zip(*good, strict=True))
    return Tuned(round(power, 2), round(threshold, 2))


def _f1_of_each(model: JudgeModel, read: ReadLesson) -> list[float]:
    """The F1 of a question by each power and threshold."""
    found: list[float] = []
    for power in POWERS:
        weights = _weights(model, read, power)
        found += [answered(read.lesson, weights, threshold)[1] for threshold in THRESHOLDS]
    return found


def _weights(model: JudgeModel | None, read: ReadLesson, power: float) -> Tensor:
    if not read.lesson.paths:
        return torch.zeros(0)
    if model is None:
        return answer_weights(read.lesson, torch.ones(len(read.lesson.rows)))
    with torch.inference_mode():
        return answer_weights(read.lesson, torch.sigmoid(logits_of(model, read)) ** power)
