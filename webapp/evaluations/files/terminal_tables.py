"""The tables that `manage.py evaluate` prints beneath the figures: the headline, READS' tables, and the slices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table

from reasoning.evaluation.reporting.intervals import with_interval
from reasoning.evaluation.reporting.report import answers_between
from reasoning.evaluation.rules.registry import RULE_SETS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_SLICES_SHOWN = 10
_CONFUSED_SHOWN = 10


def detail_tables(report: Mapping[str, Any]) -> Iterator[Table]:
    """The tables of `reasoning.evaluation.reporting.full_report`; what an evaluation does not tell is left out."""
    reads, parts = report["reads"], report["slices"]
    headline = Table("figure", "questions", "value (95 % interval)", title="headline", header_style="dim")
    for each in report["headline"]:
        headline.add_row(
            _words(each["name"]),
            f"{each['questions']:,}",
            with_interval(each["value"], (each["low"], each["high"])),
        )
    yield headline
    if counts := report["by_answers"]:
        table = Table("answers", "questions", "hits at 1", "macro f1", title="by right answers", header_style="dim")
        for row in counts:
            table.add_row(answers_between(row), *(_cell(row[name]) for name in ("questions", "hits_at_1", "macro_f1")))
        yield table
    if reads["structures"]:
        yield _structures(reads["structures"])
    if reads["requests"]:
        yield _rows("calls and tokens (READS, Table 6)", reads["requests"])
    for title, name in (("edges of S_k (READS, Figure 3)", "structure_sizes"), ("facts of G_k, from", "graph_sizes")):
        if reads[name]:
            yield _rows(title, reads[name])
    if reads["levels"]:
        yield _rows("by level", reads["levels"])
    both = Table("figure", "all", "in graph", title="as READS counts it, and in the graph", header_style="dim")
    both.add_row("graph hits", *(_cell(reads["graph_hits"][base]) for base in ("all", "in_graph")))
    for case in sorted({case for counts in reads["cases"].values() for case in counts}):
        both.add_row(case, *(_cell(reads["cases"][base].get(case, 0)) for base in ("all", "in_graph")))
    for name in ("f1_empty_as_one", "f1_empty_as_zero", "precision_empty_as_zero", "empty"):
        both.add_row(_words(name), *(_cell((reads["paper"][base] or {}).get(name)) for base in ("all", "in_graph")))
    yield both
    yield from _slices(parts)


def rules_table(name: str, rows: Iterable[Mapping[str, Any]]) -> Table:
    """The figures by the rules of a script, as it prints them, next to ours of all questions."""
    rules = RULE_SETS[name]
    found = [row for row in rows if row["rules"] == name]
    counted = f"{found[0]['questions']:,} questions" if found else "no question is counted"
    table = Table(
        *("figure", f"by {rules.title}'s rules", "ours, of all", "which of ours"),
        title=f"by the rules of {rules.title}: {counted} ({rules.source})",
        header_style="dim",
    )
    for row in found:
        ours = "" if row["ours"] is None else _cell(row["ours"])
        table.add_row(_words(row["figure"]), row["printed"], ours, figure_words(row["our_figure"]) if ours else "")
    return table


def figure_words(name: str) -> str:
    """What a figure is called."""
    return "exact match of answers" if name == "exact_match" else _words(name)


def _structures(structures: Mapping[str, Any]) -> Table:
    names = ("relation_recall", "edit_distance", "edge_distance")
    head = ("leaves", "edges", "questions", *map(_words, names))
    table = Table(*head, title="by leaves and edges of the gold structure (READS, Table 2)", header_style="dim")
    for cell in structures["cells"]:
        table.add_row(*(_cell(cell[name]) for name in ("leaves", "edges", "questions", *names)))
    table.add_section()
    for title, means in (("mean of cells", structures["mean_of_cells"]), ("mean", structures["mean"])):
        table.add_row(title, "", "", *(_cell(means[name]) for name in names))
    return table


def _slices(parts: Mapping[str, Any]) -> Iterator[Table]:
    for name, title in (("worst", "the worst slices"), ("small", f"small: fewer than {parts['fewest']} questions")):
        if parts[name]:
            shown = parts[name][:_SLICES_SHOWN]
            table = Table(
                *("slice", "questions", "hits at 1 (95 % interval)", "macro f1 (95 % interval)"),
                title=f"{title}, {len(shown):,} of {parts[f'{name}_of']:,}",
                header_style="dim",
            )
            for each in shown:
                table.add_row(
                    f"{each['kind']}: {each['value']}",
                    f"{each['questions']:,}",
                    with_interval(each["hits_at_1"], tuple(each["hits_at_1_interval"].values())),
                    with_interval(each["macro_f1"], tuple(each["macro_f1_interval"].values())),
                )
            yield table
    if parts["confused"]:
        shown = parts["confused"][:_CONFUSED_SHOWN]
        yield _rows(f"confused relations, {len(shown):,} of {parts['confused_of']:,}", shown)


def _rows(title: str, rows: Iterable[Mapping[str, Any]]) -> Table:
    shown: Sequence[Mapping[str, Any]] = list(rows)
    table = Table(*map(_words, shown[0]), title=title, header_style="dim")
    for row in shown:
        table.add_row(*map(_cell, row.values()))
    return table


def _words(name: str) -> str:
    return name.replace("_", " ")


def _cell(value: Any) -> str:
    match value:
        case None:
            return "none"
        case float():
            return f"{value:.3f}"
        case _:
            return str(value)
