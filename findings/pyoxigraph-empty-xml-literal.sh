#!/usr/bin/env bash
# pyoxigraph 0.5.13 with rdflib 7.6.0, Python 3.11; 2026-11-29.
#
# RDF/XML may give a property an empty XML literal (rdf:parseType="Literal" and nothing between the tags; RDF 1.1 XML
# Syntax, section 7.2.17, and two tests of W3C's suite). rdflib reads it as a literal without characters. pyoxigraph
# stops with a syntax error that says there is no value, and nothing after that element is read. One blank between the
# tags is enough for it to be read.
#
# Guess before: both read it as an empty literal.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pyoxigraph==0.5.13 rdflib==7.6.0

"$folder/venv/bin/python" - <<'PYTHON'
import io

import rdflib
from pyoxigraph import RdfFormat, parse

FILE = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:ex="http://example.org/">
<rdf:Description rdf:about="http://example.org/letter"><ex:remark rdf:parseType="Literal">{}</ex:remark></rdf:Description>
<rdf:Description rdf:about="http://example.org/answer"><ex:remark>yes</ex:remark></rdf:Description>
</rdf:RDF>"""


def by_pyoxigraph(content: str) -> str:
    try:
        found = list(parse(io.BytesIO(FILE.format(content).encode()), format=RdfFormat.RDF_XML))
    except SyntaxError as error:
        return f"syntax error: {error}"
    return f"{len(found)} triples"


def by_rdflib(content: str) -> str:
    return f"{len(rdflib.Graph().parse(data=FILE.format(content), format='xml'))} triples"


seen = {name: (by_pyoxigraph(content), by_rdflib(content)) for name, content in (("empty", ""), ("blank", " "))}
for name, (one, other) in seen.items():
    print(f"{name}: pyoxigraph {one}; rdflib {other}")
assert seen["empty"][0].startswith("syntax error: No value found"), "pyoxigraph reads it now"
assert seen["empty"][1] == "2 triples", "rdflib reads it otherwise now"
assert seen["blank"] == ("2 triples", "2 triples")
PYTHON
