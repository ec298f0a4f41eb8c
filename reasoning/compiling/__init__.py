"""Derivations as queries in SPARQL and in Cypher."""
