"""Benchmarks: questions with known answers, read from the files that their makers publish."""
