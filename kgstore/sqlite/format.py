"""The file format of a graph in SQLite, for the loader and the store.

Every term has an integer id from 1, in the one order of `kgstore.store.GraphStore`: entities come first, the best known
with the smallest id, then literals. Both indexes of the edges end with such an id, so that an ordered cut of a hub
reads only what it gives. In graphs of version 1 ties were in the order of the file; those of versions 1 and 2 have
neither ``sources``, nor the triples of predicates counted, nor the schema; those of versions 1 to 3 lack the instances
of types and the labels of predicates. A predicate's ids follow the order
of their names, and a relation's code is ``2 * predicate + (1 if it is followed backwards)``: the order of codes is the
order of relations.
"""

from __future__ import annotations

APPLICATION_ID = 0x4B475354
"""Marks a SQLite file as a graph of ours (``KGST``)."""
FORMAT_VERSION = 4
"""Changes whenever the tables, or the order of ids, change."""
READABLE_VERSIONS = (1, 2, 3, FORMAT_VERSION)
"""Graphs of these are read; those of an earlier one say that they should be loaded again."""

TABLES = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE predicates (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    is_offered INTEGER NOT NULL,
    reverse INTEGER,              -- the predicate that says the same from object to subject
    subject_kind TEXT NOT NULL,   -- what most of its triples have on either side
    object_kind TEXT NOT NULL,
    triples INTEGER NOT NULL,
    label TEXT NOT NULL           -- what the graph calls it, or nothing
);

CREATE TABLE terms (
    id INTEGER PRIMARY KEY,
    text TEXT NOT NULL,           -- the term's textual form
    name TEXT,
    types TEXT NOT NULL,          -- one a line
    is_mediator INTEGER NOT NULL,
    popularity INTEGER NOT NULL,
    relations BLOB NOT NULL       -- every relation it has and its count: a hub's costs what a leaf's costs
);

CREATE TABLE edges (
    subject INTEGER NOT NULL,
    predicate INTEGER NOT NULL,
    object INTEGER NOT NULL,
    PRIMARY KEY (subject, predicate, object)
) WITHOUT ROWID;

CREATE TABLE sources (           -- the subjects of every predicate: its triples, in order, without an index of them all
    predicate INTEGER NOT NULL,
    subject INTEGER NOT NULL,
    PRIMARY KEY (predicate, subject)
) WITHOUT ROWID;

CREATE TABLE types (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    entities INTEGER NOT NULL
);

CREATE TABLE instances (         -- the entities of every type
    type INTEGER NOT NULL,
    entity INTEGER NOT NULL,
    PRIMARY KEY (type, entity)
) WITHOUT ROWID;

CREATE TABLE names (
    id INTEGER PRIMARY KEY,       -- in the order of entities: the best known first
    entity INTEGER NOT NULL,
    text TEXT NOT NULL,
    folded TEXT NOT NULL
);

CREATE VIRTUAL TABLE words USING fts5 (
    folded,
    content = '',
    columnsize = 0,
    prefix = '1 2 3',
    tokenize = "unicode61 remove_diacritics 0 categories 'L* N* M* Co'"
);
"""

INDEXES = """
CREATE UNIQUE INDEX terms_by_text ON terms (text);
CREATE INDEX edges_backwards ON edges (object, predicate, subject);
CREATE UNIQUE INDEX types_by_name ON types (name);
CREATE INDEX names_by_entity ON names (entity);
CREATE INDEX names_by_folded ON names (folded);
INSERT INTO words (words, rank) VALUES ('hashsize', 67108864);
INSERT INTO words (rowid, folded) SELECT id, folded FROM names ORDER BY id;
"""
