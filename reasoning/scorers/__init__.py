"""Models that give P(option given S_k, Q), and the list of them."""
