"""Shared parts of all background work."""
