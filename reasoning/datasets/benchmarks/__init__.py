"""The readers of published benchmarks, one module each, and what they share."""
