"""Texts and names use the words of docs/glossary.md, so that readers understand them and searches find them."""

from __future__ import annotations

import ast
import re

from tests.test_folders import REPOSITORY, tracked

PHRASES = {
    "so many": "maximum, or: the number of",
    "whoever runs": "the administrator, or: operators",
    "loaded anew": "loaded again",
    "where none is chosen": "by default",
    "nobody says otherwise": "by default",
    "what hangs on": "what depends on, or: neighbours",
    "told of": "shown, reported",
    "is told by": "is reported by",
    "goes on where it was": "resumes where it stopped",
}
"""Phrases that no text has, and what to write instead."""
NAMES = {"told": "record, event, output, or: what the value is", "hanging": "dependent"}
"""Words that no name in the code has, and what to write instead."""
KEEPS_OLD_WORDS = {"docs/glossary.md", "tests/test_words.py", "frontend/openapi.json"}


def test_no_text_has_a_phrase_that_stops_readers() -> None:
    pattern = re.compile(rf"\b({'|'.join(PHRASES)})\b", re.IGNORECASE)
    found = [
        f"{path}:{number}: “{match[0]}”: write {PHRASES[match[0].lower()]}"
        for path in tracked("*.py", "*.md", "frontend/src/*.svelte", "frontend/src/*.ts")
        if str(path) not in KEEPS_OLD_WORDS and "migrations" not in path.parts
        for number, line in enumerate((REPOSITORY / path).read_text(encoding="utf-8").splitlines(), 1)
        for match in pattern.finditer(line)
    ]
    assert found == []


def test_no_variable_and_no_function_has_a_name_that_says_nothing() -> None:
    found = [
        f"{path}: {name}: write {NAMES[word]}"
        for path in tracked("kgstore/*.py", "reasoning/*.py", "webapp/*.py")
        if "migrations" not in path.parts
        for node in ast.walk(ast.parse((REPOSITORY / path).read_text(encoding="utf-8")))
        for name in _names(node)
        for word in sorted(set(name.lower().split("_")) & set(NAMES))
    ]
    assert found == []


def _names(node: ast.AST) -> list[str]:
    """Names of functions, parameters and variables. Fields are left out: they are keys of stored documents."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.arg(arg=name):
            return [name]
        case ast.Assign(targets=targets, value=value) if not ast.unparse(value).startswith("models."):
            return [each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]
        case ast.For(target=target) | ast.comprehension(target=target):
            return [each.id for each in ast.walk(target) if isinstance(each, ast.Name)]
        case _:
            return []
