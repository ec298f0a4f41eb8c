"""The files of an evaluation's outcomes: a worker writes each once at its end, and downloads read what it wrote.

They lie in ``cache/evaluations`` of the home folder and may be deleted. Where one is not there, because the evaluation
goes on, was stopped, or is older than these files, each download makes it from the outcomes.
"""

from __future__ import annotations

import json
import logging
import shutil
import uuid
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from django.conf import settings

from webapp.evaluations.selectors import outcome_documents, outcome_predictions, outcome_table
from webapp.platform.disk import NoRoomError, room_check
from webapp.platform.http.streaming import csv_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from webapp.evaluations.models import Evaluation

log = logging.getLogger(__name__)

Export = Literal["results.jsonl", "results.csv", "predictions.json"]
_BYTES_AT_ONCE = 1 << 15


def _json_lines(evaluation: Evaluation) -> Iterator[str]:
    return (json.dumps(document, ensure_ascii=False) + "\n" for document in outcome_documents(evaluation))


def _table(evaluation: Evaluation) -> Iterator[str]:
    return map(csv_line, outcome_table(evaluation))


_MAKERS: Mapping[Export, Callable[[Evaluation], Iterator[str]]] = {
    "results.jsonl": _json_lines,
    "results.csv": _table,
    "predictions.json": outcome_predictions,
}


def export_parts(evaluation: Evaluation, export: Export) -> Iterator[bytes]:
    """The parts of a file of what was judged so far."""
    try:
        with (_folder(evaluation.pk) / export).open("rb") as file:
            yield from iter(partial(file.read, _BYTES_AT_ONCE), b"")
    except FileNotFoundError:
        for part in _MAKERS[export](evaluation):
            yield part.encode()


def exports_write(evaluation: Evaluation) -> None:
    """Write the files of an ended evaluation. One that cannot be written is made at each download."""
    folder = _folder(evaluation.pk)
    for export, make in _MAKERS.items():
        draft = folder / f"{export}.{uuid.uuid4()}"
        try:
            room_check()
            folder.mkdir(parents=True, exist_ok=True)
            with draft.open("w", encoding="utf-8", newline="") as file:
                file.writelines(make(evaluation))
            draft.replace(folder / export)
        except (OSError, NoRoomError) as error:
            log.warning("%s of evaluation %s is not kept, so each download makes it: %s", export, evaluation.pk, error)
        finally:
            draft.unlink(missing_ok=True)


def exports_remove(evaluation_id: uuid.UUID) -> None:
    """Delete the files of an evaluation, if there are any."""
    shutil.rmtree(_folder(evaluation_id), ignore_errors=True)


def _folder(evaluation_id: uuid.UUID) -> Path:
    return Path(settings.ENVIRONMENT.home) / "cache" / "evaluations" / str(evaluation_id)
