"""The encoder scorer: a small text encoder and the model that chooses among its vectors."""
