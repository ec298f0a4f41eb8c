"""Texts and names use the words of docs/glossary.md, so that readers understand them and searches find them."""

from __future__ import annotations

import ast
import re
import tokenize
from typing import TYPE_CHECKING

from tests.test_folders import REPOSITORY, tracked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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
NAMES = {
    "told": "record, event, output, or: what the value is",
    "tell": "print, record, report, show, write",
    "tells": "has, records, is",
    "teller": "recorder, writer, names",
    "hanging": "dependent",
    "beside": "next_to, second, neighbours, or: what the value is",
    "anew": "again",
    "chain": "pipeline, path, structure, or: what it consists of",
    "chains": "pipelines, paths",
}
"""Words that no name in the code has, and what to write instead."""
STORED_NAMES = {"beside", "chain_id"}
"""Parameters of addresses."""
STORED_FRONTEND_NAMES = {"told_topic", "is_always_told"}
"""Keys of documents."""
TOLD_IS_A_KEY = {
    "frontend/src/core/words/filled.test.ts",
    "frontend/src/core/words/strategies.test.ts",
    "frontend/src/core/words/strategies.ts",
    "frontend/src/core/words/strategySamples.ts",
    "frontend/src/labelling/projects/AnnotatePage.svelte",
}
"""Files that use `told` as a key of documents: before a colon, or after a full stop."""
CHAINS_OF_FILES = {
    "reasoning/datasets/benchmarks/freebaseqa.py",
    "reasoning/exports/webqsp.py",
}
"""Files that read or write the *inferential chains* of benchmarks."""
WORDS = {
    "somebody": "the role: user, viewer, annotator, reviewer, asker",
    "nobody(?! else)": "no user, no one, or a sentence without a person: the decision is open",
    "whoever": "the role: user, viewer, caller, reader",
    "beside": "besides, next to, or: together with",
    "anew": "again",
    "is over": "has ended, has expired, or: is complete",
}
"""Words that no docstring, comment or message of `WORDED` has, and what to write instead."""
WORDED = (
    "kgstore/*.py",
    "webapp/*.py",
    "reasoning/*.py",
    "tests/kgstore/*.py",
)
EXPLAINED = ("tests/*.py",)
"""Files whose comments and docstrings have none of these words. Their data may have them, such as names of users."""
STORED = {"stands beside what is of a kind that the question asks for, and is not"}
"""Texts that files of weights have as keys."""
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


def test_docstrings_comments_and_messages_name_roles() -> None:
    # In backquotes is a name of the API or the code.
    pattern = re.compile(rf"(?<!`)\b({'|'.join(WORDS)})\b(?!`)", re.IGNORECASE)
    found = [
        f"{path}:{token.start[0]}: “{match[0]}”: write {_instead_of(match[0])}"
        for files, types in ((WORDED, _TEXTS), (EXPLAINED, {tokenize.COMMENT}))
        for path in tracked(*files)
        if "migrations" not in path.parts and str(path) not in KEEPS_OLD_WORDS
        for token in _tokens(REPOSITORY / path)
        if token.type in types or token.string.startswith('"""')
        for match in pattern.finditer(" ".join(token.string.split()))
        if token.string.strip("'\"") not in {match[0], *STORED}
    ]
    assert found == []


def test_pages_and_documents_name_roles() -> None:
    # "beside" is still the name of a parameter of addresses.
    pattern = re.compile(rf"\b({'|'.join(WORDS.keys() - {'beside'})})\b", re.IGNORECASE)
    found = [
        f"{path}:{number}: “{match[0]}”: write {_instead_of(match[0])}"
        for path in tracked("*.md", "frontend/src/*.svelte", "frontend/src/*.ts")
        if str(path) not in KEEPS_OLD_WORDS
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
        if name not in STORED_NAMES
        for word in sorted(set(_name_words(name)) & set(NAMES))
        if not (word.startswith("chain") and str(path) in CHAINS_OF_FILES)
    ]
    assert found == []


def test_no_name_of_the_page_has_a_word_that_says_nothing() -> None:
    words = ("told", "tell", "tells", "teller")
    found = [
        f"{path}: {name}: write {NAMES[word]}"
        for path in tracked("frontend/src/*.svelte", "frontend/src/*.ts")
        for name in _page_names(
            (REPOSITORY / path).read_text(encoding="utf-8"), is_told_a_key=str(path) in TOLD_IS_A_KEY
        )
        for word in words
        if word in _name_words(name) and name not in STORED_FRONTEND_NAMES
    ]
    assert found == []


def test_names_of_the_page_are_found_in_code_but_not_in_texts() -> None:
    source = """
    <!-- told in a comment --> /* told in another */
    const { told: answer } = reply.told; // told in a third
    const untoldOnes = `told ${isTold} told` + 'told';
    .told { color: red; }
    """
    names = list(_page_names(source, is_told_a_key=False))
    assert [name for name in names if "told" in _name_words(name)] == ["told", "told", "isTold", "told"]
    assert "untoldOnes" in names
    names = list(_page_names("const { told: answer } = reply.told; optionTold(told)", is_told_a_key=True))
    assert [name for name in names if "told" in _name_words(name)] == ["optionTold", "told"]


_TEXTS = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
"""Since Python 3.12, the parts of an f-string are tokens of their own."""


def _instead_of(word: str) -> str:
    return next(plain for pattern, plain in WORDS.items() if re.match(pattern, word, re.IGNORECASE))


def _tokens(file: Path) -> Iterator[tokenize.TokenInfo]:
    with file.open("rb") as lines:
        yield from tokenize.tokenize(lines.readline)


_PAGE_TOKENS = re.compile(
    r"<!--.*?-->|/\*.*?\*/|(?<![:\w])//[^\n]*"
    r"|'(?:[^'\\\n]|\\.)*'"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|(?P<template>`[^`]*`)|(?P<name>[A-Za-z_]\w*)",
    re.DOTALL,
)
"""Comments, texts in quotes, templates and names of TypeScript, Svelte and CSS."""


def _page_names(source: str, *, is_told_a_key: bool) -> Iterator[str]:
    for token in _PAGE_TOKENS.finditer(source):
        if token["template"]:
            for expression in re.findall(r"\$\{([^}]*)", token["template"]):
                yield from _page_names(expression, is_told_a_key=is_told_a_key)
        elif name := token["name"]:
            is_key = source.startswith(".", token.start() - 1) or source.startswith(":", token.end())
            if not (is_told_a_key and name == "told" and is_key):
                yield name


def _name_words(name: str) -> list[str]:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().split("_")


def _names(node: ast.AST) -> list[str]:
    """Names of classes, functions, parameters, variables and attributes. Fields are keys of documents, so left out."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
            return [name]
        case ast.Assign(targets=targets, value=value) if not ast.unparse(value).startswith("models."):
            walked = [each for target in targets for each in ast.walk(target)]
            return [each.id for each in walked if isinstance(each, ast.Name)] + [
                each.attr for each in walked if isinstance(each, ast.Attribute)
            ]
        case ast.For(target=target) | ast.comprehension(target=target):
            return [each.id for each in ast.walk(target) if isinstance(each, ast.Name)]
        case _:
            return []
