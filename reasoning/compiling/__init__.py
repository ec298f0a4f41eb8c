"""Derivations as queries: what they say, in SPARQL and in Cypher."""
