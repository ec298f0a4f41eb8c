"""What to say of a file in which no triple was found: which lines were passed over, why, and what else it may be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.loading.errors import GraphLoadError
from kgstore.loading.formats.registry import described_formats, recognised

if TYPE_CHECKING:
    from kgstore.loading.formats.lines import LineReader, MalformedLine

_LINES_SHOWN = 5
_CHARACTERS_SHOWN = 100


def nothing_to_load(lines: LineReader, format_name: str) -> str:
    """For people: why a file that was read to its end gave no triples.

    Args:
        lines: the file, with the lines that were passed over.
        format_name: the format that it was read in.

    """
    passed_over = f"{lines.malformed:,} of its {lines.read:,} lines were passed over"
    said = [f"There are no triples to load in {lines.path.name}, read as {format_name}: {passed_over}."]
    said += map(_shown, lines.examples[:_LINES_SHOWN])
    if (more := lines.malformed - _LINES_SHOWN) > 0:
        said.append(f"… and {more:,} more")
    try:
        others = [known for known in recognised(lines.path) if known.name != format_name]
    except GraphLoadError:
        others = []
    if others:
        names = " or ".join(f"--format {known.name} ({known.title})" for known in others)
        said.append(f"The first lines look like another format. Load the file with {names}.")
    elif lines.malformed:
        said.append(f"The first lines match no known format. The formats are:{described_formats()}")
    return "\n".join(said)


def _shown(line: MalformedLine) -> str:
    text = line.text if len(line.text) <= _CHARACTERS_SHOWN else f"{line.text[:_CHARACTERS_SHOWN]}…"
    return f"line {line.number:,}: {line.reason}: {text}" if text else f"line {line.number:,}: {line.reason}"
