"""Graphs in SQLite files: the embedded default."""
