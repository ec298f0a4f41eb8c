"""The report of an evaluation as one page."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

from reasoning.evaluation.reporting.page import charts_of, html_page
from reasoning.evaluation.reporting.report import figures
from tests.reasoning.outcomes import outcome


class Page(HTMLParser):
    """What stands in a page: its cells row by row, and whatever would be fetched or run."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.fetched: list[tuple[str, str]] = []
        self.tags: list[str] = []
        self._in_cell = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.fetched += [(tag, name) for name, _ in attrs if name in ("src", "href", "onclick", "onload")]
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self._in_cell = True

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1] and self._in_cell:
            self.rows[-1][-1] += data

    def handle_endtag(self, tag: str) -> None:
        self._in_cell = self._in_cell and tag not in ("td", "th")


def report(**more: Any) -> dict[str, Any]:
    right = replace(outcome(), leaves=2, hops=1, confidence=0.9, stage_seconds={"search": 0.25})
    wrong = replace(
        right,
        id="w",
        hit=False,
        hit_first=False,
        exact=False,
        f1=0.25,
        precision=0.5,
        recall=1 / 6,
        case="E1",
        leaves=3,
    )
    shown = figures([right, right, wrong], topics="gold", graph="Toy")
    return {**shown, "dataset": "d", "scorer": "s", "settings": {"strategy": "reads"}, **more}


def test_a_page_tells_the_figures_and_fetches_and_runs_nothing() -> None:
    page = Page(html_page(report(), title="First", about=["Started."]))
    rows = {row[0]: row[1:] for row in page.rows if row}
    assert rows["Hits@1"] == ["66.7 %", "66.7 %", "66.7 %", "the first answer is a gold answer"]
    assert rows["Macro-F1"][0] == "75.0 %"
    assert rows["E1"] == ["33.3 %", "1 question: the answer was not found: search failed"]
    assert page.fetched == []
    assert not {"script", "img", "link", "iframe", "object"} & {*page.tags}
    assert "http" not in html_page(report(), title="First")


def test_every_bar_stands_in_a_table_too() -> None:
    told = report()
    charts = list(charts_of(told))
    assert [chart.title for chart in charts] == [
        "Error classes", "Macro-F1 by leaves and hops", "Macro-F1 by number of right answers",
        "Seconds by stage, on average", "Confidence and truth",
    ]  # fmt: skip
    page = html_page(told, title="x")
    bars = sum(value is not None for chart in charts for _, values, _ in chart.groups for value in values)
    assert len(re.findall(r'<rect class="b\d" [^>]*><title>', page)) == bars
    assert page.count("<summary>As a table</summary>") == len(charts)


def test_what_is_written_by_people_is_no_markup() -> None:
    page = html_page(report(note_of="<script>alert(1)</script>"), title='</title><img src="x">')
    assert "<script>" not in page
    assert "<img" not in page


def test_what_the_page_does_not_know_stands_in_a_table() -> None:
    page = Page(html_page(report(new_table=[{"size": 2, "hits": 0.5}, {"size": 3}], more={"a": {"b": 1}}), title="x"))
    assert ["size", "hits"] in page.rows
    assert ["2", "0.5"] in page.rows
    assert ["3", "none"] in page.rows
    assert ["a, b", "1"] in page.rows


def test_nothing_judged_is_a_page_too() -> None:
    page = html_page(figures([], topics="gold", graph="Toy"), title="Nothing")
    assert "0 questions" in page
    assert "<svg" not in page
