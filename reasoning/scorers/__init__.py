"""Models that give P(option given S_k, Q), and the list of them."""

from reasoning.scorers.threads import prepare_threads

prepare_threads()
