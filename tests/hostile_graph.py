"""A graph whose names try what names can try: markup, formulas, invisible characters, too many of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.sqlite.loader import load_graph

if TYPE_CHECKING:
    from pathlib import Path

QUESTION = "which stall does the Village Fair have?"
LONG = "Wide" * 1_250
NAMES = (
    "<script>alert('name')</script>",
    '<img src=x onerror="alert(1)">',
    "\"quoted\" & 'single' </title>",
    "evil\u202egpj.exe",
    "KI\u200bTT",
    "red \u001b[31m herring",
    "[bold]markup[/]",
    '=HYPERLINK("http://evil.example","x")',
    "@SUM(A1)",
    "-12",
    "None",
    LONG,
    "\u05e9\u05dc\u05d5\u05dd (1999)",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 family",
)


def load_hostile_graph(folder: Path) -> None:
    """Load it among the graphs of a folder, as ``fair``."""
    triples = [("en.fair", "event.fair.stall", f"en.stall_{number}") for number in range(len(NAMES))]
    names = [("en.fair", "Village Fair"), *((f"en.stall_{number}", name) for number, name in enumerate(NAMES))]
    target = folder / "fair.sqlite"
    load_graph(triples, target, name="fair", title="Fair \u202e<b>", source="=made up", names=names)
