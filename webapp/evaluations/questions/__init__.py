"""Which questions an evaluation asks, and which of them a model has seen."""
