"""The messages of loading, worded for the page: fields of the form instead of options of the command, no folders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webapp.platform.redaction import without_folders
from webapp.uploads.models import uploads_folder

if TYPE_CHECKING:
    from webapp.graphs.models import GraphLoad

_FIELDS = {
    "--names NAMES": "a file of names",
    "--names-from-ids": "names from ids",
    "--format ": "the format ",
}
"""What the command calls things, and what the page does."""
_NO_OTHER_FORMAT = "The first lines match no known format. The formats are:"
_NAME_THE_FORMAT = "Name it with --format:"


def words_of_page(text: str, load: GraphLoad | None = None) -> str:
    """A sentence of the loader, in the words of the page; files bear the names that they were sent with."""
    if load is not None:
        for upload in filter(None, (load.file, load.names_file)):
            text = text.replace(str(upload.path), f"“{upload.name}”").replace(upload.stored_name, upload.name)
    text = without_folders(text, uploads_folder())
    shown, asked, _formats = text.partition(_NAME_THE_FORMAT)
    if asked:
        # The form shows what a line of each looks like.
        text = f"{shown}Choose it in the form."
    shown, unknown, _formats = text.partition(_NO_OTHER_FORMAT)
    if unknown:
        text = f"{shown}The first lines match no known format. The form shows an example of each."
    for command, page in _FIELDS.items():
        text = text.replace(command, page)
    return text
