#!/usr/bin/env bash
# pyoxigraph 0.5.13, rdflib 7.6.0 (Python 3.11), Comunica 4.5.0 (Node 20); 2026-11-29.
#
# An xsd:integer has any number of digits. Asked for the larger of two neighbours, three SPARQL engines behave in three
# ways. rdflib compares exactly. Comunica computes with double numbers: from 2^53 on, neighbours are the same number, so
# a filter for the larger one finds nothing and a filter for equal ones finds both. pyoxigraph compares exactly up to
# 2^63 - 1; beyond, an integer can be read and printed, and equals itself, but has no order: comparing two different ones
# is an error, so the larger one is found neither by "larger" nor by "not larger". No engine reports anything. (XPath
# allows limits for integers, and asks that an overflow be an error; the integers of the data are read without one.)
#
# Guess before: all three compare exactly, or refuse the data.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pyoxigraph==0.5.13 rdflib==7.6.0
(cd "$folder" && npm init --yes >/dev/null && npm install --silent --no-audit --no-fund @comunica/query-sparql-rdfjs@4.5.0 n3@1.26.0)

cat >"$folder/ask.cjs" <<'JAVASCRIPT'
const { QueryEngine } = require('@comunica/query-sparql-rdfjs');
const { Parser, Store } = require('n3');

const [turtle, query] = process.argv.slice(2);
(async () => {
  const answers = await new QueryEngine().queryBindings(query, { sources: [new Store(new Parser().parse(turtle))] });
  console.log((await answers.toArray()).length);
})();
JAVASCRIPT

"$folder/venv/bin/python" - "$folder" <<'PYTHON'
import subprocess
import sys

import pyoxigraph
import rdflib

SIZES = {"2^53": 2**53, "2^63": 2**63}
TESTS = ("?count > {limit}", "!(?count > {limit})", "?count = {limit}")


def counts(turtle: str, query: str) -> tuple[int, int, int]:
    """How many rows rdflib, pyoxigraph and Comunica find."""
    store = pyoxigraph.Store()
    store.load(turtle.encode(), format=pyoxigraph.RdfFormat.TURTLE)
    asked = subprocess.run(
        ["node", "ask.cjs", turtle, query], cwd=sys.argv[1], capture_output=True, text=True, check=True
    )
    by_rdflib = len(rdflib.Graph().parse(data=turtle, format="turtle").query(query))
    return by_rdflib, len(list(store.query(query))), int(asked.stdout)


seen = {}
for name, size in SIZES.items():
    turtle = f"<http://example.org/a> <http://example.org/count> {size} . <http://example.org/b> <http://example.org/count> {size + 1} ."
    for test in TESTS:
        words = test.format(limit=name)
        query = f"SELECT ?who {{ ?who <http://example.org/count> ?count FILTER({test.format(limit=size)}) }}"
        seen[words] = counts(turtle, query)
        print(f"of {name} and the next one, {words}: rdflib {seen[words][0]}, pyoxigraph {seen[words][1]}, Comunica {seen[words][2]}")
assert [seen[test.format(limit="2^53")] for test in TESTS] == [(1, 1, 0), (1, 1, 2), (1, 1, 2)], "2^53 is compared otherwise now"
assert [found[0] for found in seen.values()] == [1, 1, 1] * 2, "rdflib compares otherwise now"
assert [seen[test.format(limit="2^63")][1] for test in TESTS] == [0, 1, 1], "pyoxigraph compares beyond 2^63 now"
PYTHON
