"""Exported SPARQL on engines that are not ours: each must find what a replay of the derivation finds."""
