"""Files that are made while they are sent, so that a large one is never whole in memory."""

from __future__ import annotations

import csv
import io
from itertools import islice
from typing import TYPE_CHECKING, cast

from asgiref.sync import sync_to_async
from django.http import StreamingHttpResponse

from webapp.platform.http.heavy_reads import heavy_read

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator

_PARTS_AT_ONCE = 50


class _StreamedFile(StreamingHttpResponse):
    """Takes some parts at a time, in a thread that may ask the database; Django would first take all of them."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        parts = cast("Iterator[bytes]", self.streaming_content)

        def some() -> bytes:
            # A large file takes seconds of CPU; other requests take their turn between two parts.
            with heavy_read:
                return b"".join(islice(parts, _PARTS_AT_ONCE))

        while content := await sync_to_async(some)():
            yield content


def streamed_file(parts: Iterator[str] | Iterator[bytes], *, name: str, media_type: str) -> StreamingHttpResponse:
    """An answer that is a file to be saved under a name."""
    return _StreamedFile(
        parts,
        content_type=f"{media_type}; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def streamed_table(rows: Iterable[Iterable[str]], *, name: str) -> StreamingHttpResponse:
    """The same for a table, as CSV."""
    return streamed_file(map(csv_line, rows), name=name, media_type="text/csv")


def csv_line(cells: Iterable[str]) -> str:
    """A row of a table as a line of CSV."""
    line = io.StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue()
