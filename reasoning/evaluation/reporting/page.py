"""The report of an evaluation as one HTML file that needs no network: figures, charts, tables and the manifest.

It is made of the report's document alone, so that it tells what the command and the site tell. Charts are SVG; every
bar stands in a table too. What has no place of its own stands in a table at the end: nothing is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from reasoning.evaluation.reporting.report import answers_between
from reasoning.narration.wording import DOG_CLASSES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_BASES = {
    "all": "all questions",
    "answerable": "with an answer in the benchmark",
    "in_graph": "with an answer in this graph",
    "reachable": "within reach of a perfect chooser",
    "from_the_model": "answered by the model itself",
    "without_the_model": "all, without what the model answered itself",
}
_SHARES = {
    "hits_at_1": ("Hits@1", "the first answer is a gold answer"),
    "hit": ("Hit", "some answer is a gold answer"),
    "macro_f1": ("Macro-F1", "the mean of the questions' F1"),
    "exact_match": ("Exact match of answers", "the answers are the gold answers, no more and no fewer"),
    "exact_match_of_logical_forms": (
        "Exact match of logical forms",
        "the predicted query graph is the gold one, and the same node of it is asked for",
    ),
    "precision": ("Precision", "the mean; 1 where nothing is answered"),
    "recall": ("Recall", "the mean"),
    "paper_f1": ("Paper's F1", "the harmonic mean of mean precision and mean recall, as READS has it"),
    "turned_away": ("Not answered", "no answer, whatever the reason"),
    "perfect_hits_at_1": ("Perfect Hits@1", "of a chooser that makes no mistake"),
    "perfect_f1": ("Perfect F1", "of a chooser that makes no mistake"),
    "of_perfect": ("Of perfect", "macro-F1 divided by the perfect one"),
}
_CASES = {
    "C1": "right, and the answer was found",
    "C2": "right, but the answer was not found",
    "E1": "the answer was not found: search failed",
    "E2": "a right answer is there, but not first",
    "E3": "the answer was found, but not answered",
}
_SHOWN = frozenset({
    *_BASES, "cases", "dog", "by_shape", "by_answers", "seconds", "confidence", "manifest", "dataset", "split",
    "graph", "topics", "scorer", "settings", "questions", "compared_by", "refused", "by_rules",
})  # fmt: skip
_REFUSED_SHOWN = 100
_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 560, 240, 44, 18, 52
_PERCENT = 100
_STYLE = """
:root { color-scheme: light dark; --ink: #1d1d24; --soft: #65656f; --line: #dcdce3; --ground: #fff; --bar: #4a5fc1;
  --other: #c28a2c; }
@media (prefers-color-scheme: dark) { :root { --ink: #ececf1; --soft: #a0a0ab; --line: #3a3a44; --ground: #17171c;
  --bar: #8c9bea; --other: #dcb061; } }
body { max-width: 1080px; margin: 0 auto; padding: 24px 16px 64px; background: var(--ground); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { margin: 0 0 4px; font-size: 24px; overflow-wrap: anywhere; } h2 { margin: 36px 0 8px; font-size: 17px; }
p { margin: 0 0 8px; color: var(--soft); } .scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 14px; } caption { text-align: left; color: var(--soft); }
th, td { padding: 4px 14px 4px 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top;
  font-weight: 400; overflow-wrap: anywhere; } thead th { color: var(--soft); } td.n { text-align: right;
  font-variant-numeric: tabular-nums; white-space: nowrap; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr)); gap: 24px; }
figure { margin: 0; min-width: 0; } figcaption { font-weight: 600; } svg { width: 100%; height: auto; }
svg text { fill: var(--soft); font-size: 11px; } svg line { stroke: var(--line); } .b0 { fill: var(--bar); }
.b1 { fill: var(--other); } .b2 { fill: var(--soft); } .hash { font: 12.5px ui-monospace, monospace; }
summary { color: var(--soft); cursor: pointer; font-size: 13px; } @media print { details > * { display: revert; } }
"""


@dataclass(frozen=True, slots=True)
class Chart:
    """Bars by group: a row of the table is a group, a column a series."""

    title: str
    across: str
    series: tuple[str, ...]
    groups: tuple[tuple[str, tuple[float | None, ...], str], ...]
    """The name of each, a value for each series, and more in words."""
    is_share: bool = True


def html_page(report: Mapping[str, Any], *, title: str, about: Iterable[str] = ()) -> str:
    """The report as one page. ``report`` is what `figures` gives with the keys of the run and the manifest.

    ``about`` are lines that stand beneath the title.
    """
    return "".join(
        (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
            f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{escape(title)}</h1>\n",
            *(f"<p>{escape(line)}</p>\n" for line in (*about, _ground(report))),
            *_parts(report),
            "</body>\n</html>\n",
        )
    )


def charts_of(report: Mapping[str, Any]) -> Iterator[Chart]:
    """The charts of a report; those with nothing to draw are left out."""
    cases = report.get("cases") or {}
    groups: tuple[tuple[str, tuple[float | None, ...], str], ...]
    if total := sum(cases.values()):
        groups = tuple((name, (cases[name] / total,), f"{_count(cases[name])}: {_CASES[name]}") for name in cases)
        yield Chart("Error classes", "Class", ("share",), groups)
    if dog := report.get("dog"):
        counts = dog["classes"]
        wrong = sum(counts.values())
        groups = tuple(
            (
                DOG_CLASSES[name]["title"],
                (counts[name] / wrong,),
                f"{_count(counts[name])}: {DOG_CLASSES[name]['text']}",
            )
            for name in counts
        )
        yield Chart("Error classes of DoG", "Class", ("share of wrong answers",), groups)
    if shapes := report.get("by_shape"):
        hops = sorted({shape["hops"] for shape in shapes})
        leaves = sorted({shape["leaves"] for shape in shapes})
        known = {(shape["leaves"], shape["hops"]): shape for shape in shapes}
        groups = tuple(
            (
                f"{leaf} leaves" if leaf != 1 else "1 leaf",
                tuple(known[leaf, hop]["macro_f1"] if (leaf, hop) in known else None for hop in hops),
                ", ".join(
                    f"{_hops(hop)}: {_count(known[leaf, hop]['questions'])}" for hop in hops if (leaf, hop) in known
                ),
            )
            for leaf in leaves
        )
        yield Chart("Macro-F1 by leaves and hops", "Leaves", tuple(map(_hops, hops)), groups)
    if counts := report.get("by_answers"):
        groups = tuple((answers_between(row), (row["macro_f1"],), _count(row["questions"])) for row in counts)
        yield Chart("Macro-F1 by number of right answers", "Right answers", ("macro-F1",), groups)
    if seconds := report.get("seconds"):
        groups = tuple((stage, (value,), "") for stage, value in seconds["stages"].items())
        yield Chart("Seconds by stage, on average", "Stage", ("seconds",), groups, is_share=False)
    if bins := (report.get("confidence") or {}).get("bins"):
        groups = tuple(
            (f"{each['low'] * _PERCENT:.0f} to {each['high'] * _PERCENT:.0f}", (each["confidence"], each["right"]),
             _count(each["questions"], "answer"))
            for each in bins
        )  # fmt: skip
        yield Chart("Confidence and truth", "Confidence, in percent", ("claimed", "right"), groups)


def _parts(report: Mapping[str, Any]) -> Iterator[str]:
    yield "<h2>Figures</h2>\n"
    yield from _figures(report)
    charts = list(charts_of(report))
    if charts:
        yield '<h2>Charts</h2>\n<div class="charts">\n'
        for chart in charts:
            yield from _drawn(chart)
        yield "</div>\n"
    if by_rules := report.get("by_rules"):
        yield "<h2>By the rules of published scripts</h2>\n"
        head = ("script", "questions", "figure", "by its rules", "ours", "which of ours")
        yield _table(head, list(map(_rule_row, by_rules)), numbers=(1, 3, 4))
    if dog := report.get("dog"):
        yield f"<h2>Right by another name alone</h2>\n<p>{escape(_aliases(report, dog))}</p>\n"
    if seconds := report.get("seconds"):
        figures = [("mean", seconds["mean"]), ("95th percentile", seconds["p95"]), ("longest", seconds["longest"])]
        yield "<h2>Seconds a question</h2>\n" + _table(
            ("", "seconds"), [(name, _shown(value)) for name, value in figures]
        )
    if confidence := report.get("confidence"):
        rows = [(_words(name), _shown(value)) for name, value in confidence.items() if name != "bins"]
        yield "<h2>Confidence</h2>\n" + _table(("", "value"), rows)
    rest = {name: value for name, value in report.items() if name not in _SHOWN and value not in (None, {}, [])}
    alone = {name: value for name, value in rest.items() if not isinstance(value, dict | list)}
    if alone:
        yield "<h2>Counted apart</h2>\n" + _any_table(alone)
    for name in (each for each in rest if each not in alone):
        yield f"<h2>{escape(_words(name).capitalize())}</h2>\n" + _any_table(rest[name])
    if refused := report.get("refused"):
        rows = [(each["place"], each["detail"]) for each in refused[:_REFUSED_SHOWN]]
        of = f" (the first {_REFUSED_SHOWN} of {len(refused):,})" if len(refused) > _REFUSED_SHOWN else ""
        yield f"<h2>Entries that are no questions{of}</h2>\n" + _table(("place", "why"), rows)
    yield "<h2>What it was made with</h2>\n"
    if manifest := report.get("manifest"):
        yield "<p>How to make these figures again: docs/results/reproduce.md of Discern.</p>\n"
        yield _table(("", ""), list(_flat(manifest)), css="hash")
    else:
        yield _table(("setting", "value"), list(_flat(report.get("settings") or {})))


def _figures(report: Mapping[str, Any]) -> Iterator[str]:
    """Each figure by the questions that it speaks of."""
    bases = [base for base in _BASES if report.get(base)]
    names = [name for name in _SHARES if any(report[base].get(name) is not None for base in bases)]
    head = ("", *(f"{_BASES[base]} ({report[base]['questions']:,})" for base in bases), "what it is")
    rows = [
        (_SHARES[name][0], *(_percent(report[base].get(name)) for base in bases), _SHARES[name][1]) for name in names
    ]
    yield _table(head, rows, numbers=range(1, len(bases) + 1))


def _rule_row(row: Mapping[str, Any]) -> tuple[str, ...]:
    """A figure by the rules of a script, as the script prints it, next to ours."""
    ours = ("", "") if row["ours"] is None else (_percent(row["ours"]), _SHARES[row["our_figure"]][0])
    return row["title"], f"{row['questions']:,}", _words(row["figure"]), row["printed"], *ours


def _aliases(report: Mapping[str, Any], dog: Mapping[str, Any]) -> str:
    """What answers of DoG are right by another name alone, and what was compared."""
    count = dog["classes"].get("aliasing", 0)
    by_name = "name" in (report["compared_by"] or "")
    compared = (
        "name, so a wrong answer is also compared by all names that the graph gives it."
        if by_name
        else "id, so a wrong answer is also compared by name where it has no id."
    )
    return (
        f"{_count(count)}; wrong in all other figures. If they counted, Hits@1 of all questions would be "
        f"{_percent(dog['hits_at_1_with_aliases'])}. The benchmark knows its answers by {compared}"
    )


def _drawn(chart: Chart) -> Iterator[str]:
    yield f"<figure><figcaption>{escape(chart.title)}</figcaption>\n{_svg(chart)}"
    head = (chart.across, *chart.series, "more")
    rows = [(name, *(_value(chart, value) for value in values), more) for name, values, more in chart.groups]
    table = _table(head, rows, numbers=range(1, len(chart.series) + 1))
    yield f"<details><summary>As a table</summary>{table}</details></figure>\n"


def _svg(chart: Chart) -> str:
    most = max((value for _, values, _ in chart.groups for value in values if value is not None), default=0) or 1
    inner, room = _HEIGHT - _TOP - _BOTTOM, (_WIDTH - _LEFT) / len(chart.groups)
    wide = room * 0.7 / len(chart.series)
    parts = [f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(chart.title)}">']
    for step in range(3):
        at = _TOP + inner * (1 - step / 2)
        parts.append(f'<line x1="{_LEFT}" x2="{_WIDTH}" y1="{at:.1f}" y2="{at:.1f}"/>')
        label = escape(_value(chart, most * step / 2))
        parts.append(f'<text x="{_LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{label}</text>')
    for index, (name, values, more) in enumerate(chart.groups):
        left = _LEFT + room * index + room * 0.15
        for number, value in enumerate(values):
            if value is None:
                continue
            tall, x = inner * value / most, left + wide * number
            tooltip = escape(", ".join(filter(None, (name, chart.series[number], _value(chart, value), more))))
            parts.append(
                f'<rect class="b{number % 3}" x="{x:.1f}" y="{_TOP + inner - tall:.1f}" width="{wide * 0.94:.1f}" '
                f'height="{tall:.1f}" rx="2"><title>{tooltip}</title></rect>'
            )
        middle = left + room * 0.35
        parts.append(f'<text x="{middle:.1f}" y="{_HEIGHT - _BOTTOM + 16}" text-anchor="middle">{escape(name)}</text>')
    if len(chart.series) > 1:
        for number, name in enumerate(chart.series):
            x = _LEFT + number * 90
            parts.append(f'<rect class="b{number % 3}" x="{x}" y="{_HEIGHT - 20}" width="10" height="10"/>')
            parts.append(f'<text x="{x + 14}" y="{_HEIGHT - 11}">{escape(name)}</text>')
    return "".join([*parts, "</svg>\n"])


def _any_table(value: Any) -> str:
    match value:
        case [{}, *_]:
            names = list(dict.fromkeys(name for row in value for name in row))
            return _table(
                [_words(name) for name in names], [[_shown(row.get(name)) for name in names] for row in value]
            )
        case dict():
            return _table(("", "value"), list(_flat(value)), numbers=(1,))
        case _:
            return f"<p>{escape(_shown(value))}</p>\n"


def _flat(document: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """A document's values by their names, those within it by both."""
    for name, value in document.items():
        path = f"{above}, {_words(name)}" if above else _words(name)
        match value:
            case dict() if value:
                yield from _flat(value, path)
            case [{}, *_]:
                for number, each in enumerate(value, start=1):
                    yield from _flat(each, f"{path} {number}")
            case _:
                yield path, _shown(value)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: Iterable[int] = (), css: str = "") -> str:
    right = frozenset(numbers)

    def cells(row: Sequence[str]) -> str:
        first, *others = row
        body = "".join(
            f'<td class="{"n" if at in right else css}">{escape(text)}</td>' for at, text in enumerate(others, start=1)
        )
        return f'<tr><th scope="row">{escape(first)}</th>{body}</tr>'

    top = "".join(f'<th scope="col">{escape(text)}</th>' for text in head)
    body = "\n".join(map(cells, rows))
    return f'<div class="scroll"><table><thead><tr>{top}</tr></thead><tbody>\n{body}\n</tbody></table></div>\n'


def _ground(report: Mapping[str, Any]) -> str:
    lines = [f"{_count(report['questions'])}", f"graph: {report['graph']}"]
    if report["compared_by"]:
        lines.append(f"compared by {report['compared_by']}")
    if report["topics"] and report.get("seconds"):
        lines.append("topic entities given" if report["topics"] == "gold" else "topic entities found in the question")
    return " · ".join(lines)


def _value(chart: Chart, value: float | None) -> str:
    return _percent(value) if chart.is_share else _shown(value)


def _percent(value: float | None) -> str:
    return "none" if value is None else f"{value * _PERCENT:.1f} %"


def _count(number: int, one: str = "question") -> str:
    return f"{number:,} {one}{'' if number == 1 else 's'}"


def _hops(number: int) -> str:
    return _count(number, "hop")


def _words(name: str) -> str:
    return name.replace("_", " ") or "(none)"


def _shown(value: Any) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.4g}"
        case list():
            return ", ".join(map(_shown, value)) or "none"
        case dict():
            return "; ".join(f"{name}: {inner}" for name, inner in _flat(value)) or "none"
        case _:
            return str(value)
