"""Graphs in a Neo4j server."""
