"""What the documents say holds: files and links are there, and the commands of the tutorials do what they promise."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from tests.running_site import environment, home_folder
from tests.test_folders import REPOSITORY, tracked

if TYPE_CHECKING:
    from collections.abc import Iterator

_FILE = re.compile(r"`((?:kgstore|reasoning|webapp|frontend|tests)/[\w./-]+)`")
_FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(([^)\s#]*)(?:#([^)\s]*))?\)")
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
TUTORIALS = tracked("docs/tutorials/*.md")
NOTEBOOK = Path("docs/tutorials/notebook.ipynb")


def text_of(document: Path) -> str:
    return (REPOSITORY / document).read_text(encoding="utf-8")


def anchors(document: Path) -> Iterator[str]:
    """The names by which links reach the headings of a document."""
    for heading in _HEADING.findall(_FENCED.sub("", text_of(document))):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        yield re.sub(r"[^\w\- ]", "", words).replace(" ", "-")


def broken(document: Path, target: str, anchor: str) -> bool:
    if re.match(r"[a-z]+:", target):
        return False
    path = Path(os.path.normpath(document.parent / target)) if target else document
    if not (REPOSITORY / path).exists():
        return True
    return bool(anchor) and path.suffix == ".md" and anchor not in set(anchors(path))


def test_documents_name_files_that_are_there() -> None:
    named = {
        (document, found)
        for document in tracked("*.md")
        for found in _FILE.findall(text_of(document))
        if "NAME" not in found
    }
    assert named
    assert {f"{document}: {found}" for document, found in named if not (REPOSITORY / found).exists()} == set()


def test_links_lead_to_a_page_and_a_heading() -> None:
    links = [
        (document, *link) for document in tracked("*.md") for link in _LINK.findall(_FENCED.sub("", text_of(document)))
    ]
    assert len(links) > 100
    assert [
        f"{document}: {target}#{anchor}" for document, target, anchor in links if broken(document, target, anchor)
    ] == []


@pytest.mark.slow
@pytest.mark.parametrize("tutorial", TUTORIALS, ids=lambda path: path.stem)
def test_the_commands_of_a_tutorial_print_what_it_shows(tutorial: Path, tmp_path: Path) -> None:
    home = home_folder("discern-tutorial-")
    site = environment(home) | {"DISCERN_SCORER": "encoder"}
    subprocess.run([sys.executable, "manage.py", "prepare"], cwd=REPOSITORY, env=site, check=True, capture_output=True)
    blocks = _FENCED.findall(text_of(tutorial).replace("/tmp/", f"{tmp_path}/"))  # noqa: S108 - a tutorial's own
    printed, ran = "", 0
    for kind, block in blocks:
        if kind == "sh":
            command = block.replace(".venv/bin/python", sys.executable)
            done = subprocess.run(
                ["bash", "-ec", command], cwd=REPOSITORY, env=site, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stdout + done.stderr
            printed, ran = done.stdout, ran + 1
        elif kind == "text":
            assert [line for line in block.splitlines() if line not in printed] == [], printed
    assert ran > 0


@pytest.mark.slow
def test_the_example_of_the_python_interface_answers(tmp_path: Path) -> None:
    _, code = next(
        block for block in _FENCED.findall(text_of(Path("docs/reference/python-api.md"))) if block[0] == "python"
    )
    script = code.replace("/tmp/graphs", str(tmp_path / "graphs"))  # noqa: S108 - the example's own
    done = subprocess.run([sys.executable, "-c", script], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["answered ['William Daniels']"]


@pytest.mark.slow
def test_the_notebook_loads_asks_evaluates_and_plots() -> None:
    cells = ["".join(cell["source"]) for cell in json.loads(text_of(NOTEBOOK))["cells"] if cell["cell_type"] == "code"]
    shown: dict[str, Any] = {}
    for cell in cells:
        exec(cell, shown)  # noqa: S102 - the notebook is part of the repository
    assert shown["answers"] == ["William Daniels"]
    assert [len(judged) for judged in shown["outcomes"].values()] == [20, 20, 20]
    drawing = ET.fromstring(shown["drawing"].svg)  # noqa: S314 - drawn by the notebook
    assert [line.tag.rpartition("}")[2] for line in drawing].count("polyline") == len(shown["curves"])
