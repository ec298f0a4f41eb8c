"""First lines of tables that name the columns, in any order and as any tool calls them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.loading.formats.comma_separated import CommaSeparatedReader
from kgstore.loading.formats.registry import recognised
from kgstore.loading.formats.tsv import TripleReader

if TYPE_CHECKING:
    from pathlib import Path

HEADERS = [
    "subject,predicate,object",
    ":START_ID,:TYPE,:END_ID",
    ":START_ID(Person),:TYPE,:END_ID(Film)",
    "person:START_ID,:TYPE,:END_ID",
    "node_1,edge,node_2",
    "Node 1,Edge,Node 2",
    "From,Type,To",
    "source_id,relation_type,target_id",
    "Source Node,interaction,Target Node",
    "src,rel,dst",
    "start,label,end",
    "HEAD_ENTITY,RELATION,TAIL_ENTITY",
    "entity1,relationship,entity2",
]
TABLES = [
    (":START_ID,:END_ID,:TYPE", "anna,bert,knows", []),
    (":START_ID,since:int,:END_ID,:TYPE", "anna,1990,bert,knows", ["since:int"]),
    ("id,subject,predicate,object,category", "e1,anna,knows,bert,biolink:Association", ["id", "category"]),
    ("Source,Target,Type,Id,Label,Weight", "anna,bert,Directed,0,knows,1.0", ["Type", "Id", "Weight"]),
    ("tail,head,relation", "bert,anna,knows", []),
    ("subject,object,predicate,source", "anna,bert,knows,a paper", ["source"]),
    ("_from,_to,_type", "anna,bert,knows", []),
    ("from,to,relation,since", "anna,bert,knows,1990", ["since"]),
]


def read(folder: Path, text: str, sign: str) -> tuple[list[tuple[str, str, str]], list[str], list[int]]:
    path = folder / f"table.{'csv' if sign == ',' else 'tsv'}"
    path.write_text(text.replace(",", sign), encoding="utf-8")
    reader = CommaSeparatedReader(path) if sign == "," else TripleReader(path)
    assert [known.name for known in recognised(path)][:1] == [path.suffix[1:]]
    return list(reader), list(reader.filters()), [line.number for line in reader.lines.examples]


@pytest.mark.parametrize("sign", [",", "\t"])
@pytest.mark.parametrize("header", HEADERS)
def test_the_usual_names_of_the_columns_are_no_triple(tmp_path: Path, header: str, sign: str) -> None:
    assert read(tmp_path, f"{header}\nanna,knows,bert\n", sign) == ([("anna", "knows", "bert")], [], [])


@pytest.mark.parametrize("sign", [",", "\t"])
@pytest.mark.parametrize(("header", "row", "left_out"), TABLES)
def test_they_say_where_the_columns_stand(
    tmp_path: Path, header: str, row: str, left_out: list[str], sign: str
) -> None:
    triples, filters, passed_over = read(tmp_path, f"{header}\n{row}\na,b\n{row}\n", sign)
    assert triples == [("anna", "knows", "bert")] * 2
    assert filters == ([f"columns left out: {', '.join(left_out)}"] if left_out else [])
    assert passed_over == [3]


@pytest.mark.parametrize("sign", [",", "\t"])
@pytest.mark.parametrize("header", ["source,target,comment", ":ID,name,:LABEL", "from,how,to"])
def test_a_header_that_is_not_clear_is_passed_over_and_reported(tmp_path: Path, header: str, sign: str) -> None:
    path = tmp_path / "table"
    path.write_text(f"{header}\nanna,knows,bert\n".replace(",", sign), encoding="utf-8")
    reader = CommaSeparatedReader(path) if sign == "," else TripleReader(path)
    assert list(reader) == [("anna", "knows", "bert")]
    [line] = reader.lines.examples
    assert line.number == 1
    assert "call them subject, relation and object" in line.reason


@pytest.mark.parametrize("sign", [",", "\t"])
@pytest.mark.parametrize("first", ["Source,developed_by,Valve", "type,rdf:type,label", "Relation,kind_of,Edge"])
def test_a_triple_with_such_words_stays_one(tmp_path: Path, first: str, sign: str) -> None:
    subject, predicate, obj = first.split(",")
    triples, _, passed_over = read(tmp_path, f"{first}\nanna,knows,bert\n", sign)
    assert triples == [(subject, predicate, obj), ("anna", "knows", "bert")]
    assert passed_over == []


@pytest.mark.parametrize("sign", [",", "\t"])
def test_a_row_for_each_event_is_no_table_of_triples(tmp_path: Path, sign: str) -> None:
    path = tmp_path / "events"
    path.write_text("event,start,end,type\nFair,1990,1991,trade\n".replace(",", sign), encoding="utf-8")
    reader = CommaSeparatedReader(path) if sign == "," else TripleReader(path)
    assert list(reader) == []
    assert [line.reason for line in reader.lines.examples] == ["4 columns instead of 3"] * 2
