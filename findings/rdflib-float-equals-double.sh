#!/usr/bin/env bash
# rdflib 7.6.0 next to pyoxigraph 0.5.13, Python 3.11; 2026-11-29.
#
# SPARQL promotes two numbers of different datatypes to the wider one before it compares them (SPARQL 1.1, section 17.3;
# XPath 2.0, appendix B.1). A decimal 0.1 becomes the double 0.1, so they are equal; a float 0.1 becomes the double
# 0.10000000149…, so it is not. pyoxigraph does that. rdflib answers the other way round in both cases: it keeps a decimal
# exact and compares it with the double's binary value, and it reads a float with the precision of a double.
#
# Guess before: rdflib promotes as the specification says, because both values are written 0.1 and "=" is asked in SPARQL.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pyoxigraph==0.5.13 rdflib==7.6.0

"$folder/venv/bin/python" - <<'PYTHON'
import pyoxigraph
import rdflib

PAIRS = {"decimal and double": ("decimal", "double"), "float and double": ("float", "double")}


def query(one: str, other: str) -> str:
    return (
        "PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> "
        f'SELECT ?same {{ BIND("0.1"^^xsd:{one} = "0.1"^^xsd:{other} AS ?same) }}'
    )


seen = {}
for name, pair in PAIRS.items():
    [row] = rdflib.Graph().query(query(*pair))
    [solution] = pyoxigraph.Store().query(query(*pair))
    seen[name] = (str(row[0]).lower(), solution["same"].value)
    print(f"0.1 as {name}: rdflib {seen[name][0]}, pyoxigraph {seen[name][1]}")
assert seen["decimal and double"] == ("false", "true"), "the decimal is promoted now"
assert seen["float and double"] == ("true", "false"), "the float is promoted now"
PYTHON
