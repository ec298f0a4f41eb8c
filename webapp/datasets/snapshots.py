"""A dataset that the site writes itself: from what people asked, or from labels that were accepted."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from webapp.datasets.models import Dataset
from webapp.datasets.services import dataset_register
from webapp.datasets.worker import DatasetBusyError, dataset_load
from webapp.platform.http.errors import ProductError
from webapp.platform.work.lease import ClaimLostError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webapp.accounts.models import User


def dataset_of_lines(lines: Iterable[str], *, name: str, format_: str, starter: User | None) -> tuple[Dataset, bool]:
    """A dataset of a name that holds these lines, loaded, and whether it is new; a version that holds them is taken.

    Raises:
        ProductError: another process is making a version of it.
        DatasetError: the lines cannot be read as that format.

    """
    with TemporaryDirectory() as folder:
        file = Path(folder) / f"{format_}.jsonl"
        with file.open("w", encoding="utf-8") as out:
            out.writelines(lines)
        try:
            dataset, is_new = dataset_register(file, name=name, format=format_, file=file.name, starter=starter)
            dataset = dataset_load(dataset, file)
        except (DatasetBusyError, ClaimLostError) as error:
            message = "Another user is making a dataset of these questions. Try again in a moment."
            raise ProductError(409, "dataset_busy", message) from error
    Dataset.objects.filter(pk=dataset.pk).update(archived_at=None)
    return dataset, is_new
