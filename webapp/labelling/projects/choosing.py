"""Which questions become the tasks of a new project, and in which order."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from django.db.models import Q

from webapp.asking.runs.selectors import asked_often
from webapp.datasets.selectors import dataset_get
from webapp.labelling.projects.models import MAX_TASKS
from webapp.platform.http.errors import ProductError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webapp.labelling.projects.schemas import ProjectIn, QuestionsIn


def questions_chosen(wanted: ProjectIn) -> list[int]:
    """The questions that become tasks, in the order in which they are handed out before any model ranked them.

    Raises:
        ProductError: there is none, there are too many, one that was chosen is not in the dataset, or they are to be
            ordered by the doubts of a model, and none suggests.

    """
    if wanted.order == "doubt" and wanted.suggests != "model":
        message = "Choose a model that suggests: its doubts make the order. Or choose another order."
        raise ProductError(422, "no_model", message)
    if wanted.order == "chosen" and not wanted.questions.chosen:
        raise ProductError(422, "none_chosen", "No questions were chosen. Choose some, or another order.")
    rows = _rows(wanted.questions)
    found = list(rows)
    if wanted.order == "random":
        random.shuffle(found)
    elif wanted.order == "chosen":
        place = {id_: number for number, id_ in enumerate(wanted.questions.chosen or ())}
        found.sort(key=lambda pk: place[rows[pk][0]])
    elif wanted.order == "asked":
        often = asked_often({hash_ for _, hash_ in rows.values()})
        found.sort(key=lambda pk: -often[rows[pk][1]])
    found = found[: wanted.questions.limit]
    if not found:
        raise ProductError(422, "no_questions", "No question of this dataset is among those. Choose others.")
    if len(found) > MAX_TASKS:
        message = f"These are {len(found):,} questions; a project has {MAX_TASKS:,} at most. Set a limit."
        raise ProductError(422, "too_many_questions", message)
    return found


def _rows(wanted: QuestionsIn) -> Mapping[int, tuple[str, str]]:
    """The id and the hash of the text of each question, in the order of the dataset."""
    found = dataset_get(dataset_id=wanted.dataset).questions.all()
    if wanted.chosen is not None:
        found = found.filter(question_id__in=wanted.chosen)
        missing = set(wanted.chosen) - set(found.values_list("question_id", flat=True))
        if missing:
            message = f"The dataset has no question “{min(missing)}”. Choose those of one dataset."
            raise ProductError(422, "unknown_question", message, question=min(missing), missing=len(missing))
    elif wanted.split is not None:
        found = found.filter(split=wanted.split)
    if wanted.chosen is None and (words := wanted.search.strip()):
        found = found.filter(Q(text__icontains=words) | Q(question_id__icontains=words))
    rows = found.order_by("position").values_list("pk", "question_id", "text_hash")
    return {pk: (id_, hash_) for pk, id_, hash_ in rows}
