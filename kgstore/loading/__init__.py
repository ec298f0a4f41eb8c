"""Bringing graphs into a store."""
