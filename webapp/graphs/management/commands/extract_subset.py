"""Cut a part out of a graph: some hops around topic entities, and what gold queries touch."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError

from kgstore.loading.errors import GraphLoadError
from kgstore.loading.formats.registry import FORMATS, format_of
from kgstore.loading.formats.source import ReadOptions
from kgstore.loading.subset import (
    DumpSurroundings,
    StoreSurroundings,
    Subset,
    SubsetReport,
    read_gold,
    read_topics,
    write_tsv,
)
from kgstore.store import GraphStoreError
from webapp.engine import graph
from webapp.platform.terminal.arguments import positive
from webapp.platform.terminal.command import TerminalCommand, progress_bar

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Mapping

    from kgstore.loading.subset import Surroundings


class Command(TerminalCommand):
    """``manage.py extract_subset OUTPUT (--graph NAME | --file FILE) --topics FILE``."""

    help = (
        "Write a part of a loaded graph or of a dump as TSV: everything within some hops of topic entities, and what "
        "gold queries touch. Load it by `manage.py load_graph`."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """See ``--help``."""
        parser.add_argument("output", type=Path, help="the file to write: part.tsv or part.tsv.gz")
        where = parser.add_mutually_exclusive_group(required=True)
        where.add_argument("--graph", help="the name of a loaded graph; relations that are never offered are left out")
        where.add_argument("--file", type=Path, help="a file of triples; it is read once per hop and twice more")
        parser.add_argument(
            "--format", choices=list(FORMATS), help="the format of the file (default: detected from its first lines)"
        )
        parser.add_argument("--filters", type=Path, help="a TOML file: which part of a dump to read")
        parser.add_argument("--topic", action="append", default=[], help="the id of a topic entity; may be repeated")
        parser.add_argument("--topics", type=Path, help="a file of ids of topic entities, one per line")
        parser.add_argument("--gold", type=Path, help="a file with one id per line, or an id, a tab and a relation")
        parser.add_argument("--hops", type=positive, default=2, help="number of hops from the topic entities (2)")
        parser.add_argument(
            "--most-facts",
            type=positive,
            help="do not expand entities with more facts than this, except topic entities",
        )
        parser.add_argument(
            "--no-comments",
            action="store_true",
            help="leave out the first lines, which say what the file is of the larger graph: pandas, PyKEEN and PyG "
            "read no comments",
        )
        parser.add_argument(
            "--no-literals",
            action="store_true",
            help="only triples between entities, without names, numbers, dates and texts, as PyKEEN and PyG need them",
        )
        parser.add_argument("--json", action="store_true", help="report as one JSON document")

    def handle(self, *_: Any, **options: Any) -> None:
        """Extract, and say what was found."""
        if not (options["topic"] or options["topics"] or options["gold"]):
            raise CommandError("Nothing to start from. Give --topic ID, --topics FILE or --gold FILE.")
        if options["graph"] and (options["format"] or options["filters"]):
            raise CommandError("--format and --filters are for a --file, not for a loaded graph.")
        try:
            report = _extract(options)
        except (GraphLoadError, GraphStoreError) as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError("Stopped. Nothing was written.", returncode=130) from None
        if options["json"]:
            self.print_json(dataclasses.asdict(report))
        else:
            self.print_text("\n".join(_lines(report, options)))


def _extract(options: Mapping[str, Any]) -> SubsetReport:
    topics = [*options["topic"], *(read_topics(options["topics"]) if options["topics"] else ())]
    gold = read_gold(options["gold"]) if options["gold"] else None
    with progress_bar() as bar:
        task = bar.add_task("Searching", total=1.0)
        subset = Subset(
            _surroundings(options),
            topics,
            hops=options["hops"],
            gold=gold,
            most_facts=options["most_facts"],
            progress=lambda stage, done: bar.update(task, description=stage, completed=done),
        )
        subset.walk()
        write_tsv(options["output"], subset, comments=not options["no_comments"], literals=not options["no_literals"])
    return subset.report


def _surroundings(options: Mapping[str, Any]) -> Surroundings:
    if options["graph"]:
        return StoreSurroundings(graph(options["graph"]))
    chosen = FORMATS[options["format"]] if options["format"] else format_of(options["file"])
    return DumpSurroundings(chosen.read(options["file"], ReadOptions(filters=options["filters"])))


def _lines(report: SubsetReport, options: Mapping[str, Any]) -> list[str]:
    """What was extracted, for people; every limit with how many of how many."""
    lines = [
        f"Wrote {options['output']}: {report.facts:,} facts of {report.entities:,} entities.",
        f"Names and types: {report.names:,}.",
        f"Topics in the graph: {report.topics_found:,} of {report.topics:,}.",
    ]
    if report.literals_left_out:
        lines.append(f"Left out: {report.literals_left_out:,} triples with a literal, names among them.")
    if report.topics_missing:
        rest = report.topics - report.topics_found - len(report.topics_missing)
        lines.append(
            f"Topics not in the graph: {', '.join(report.topics_missing)}{f' and {rest:,} more' if rest else ''}."
        )
    if options["most_facts"]:
        lines.append(
            f"Not expanded because of more than {options['most_facts']:,} facts: "
            f"{report.hubs:,} of {report.entities_met:,} entities."
        )
    if report.gold:
        lines.append(f"Gold lines with facts in the graph: {report.gold_found:,} of {report.gold:,}.")
    return lines
