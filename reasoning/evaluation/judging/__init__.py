"""Asking a question and judging its answer: comparison, metrics, error classes, what was to blame."""
