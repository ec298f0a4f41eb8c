"""Gold derivations: what a benchmark's queries say of how its questions are answered."""
