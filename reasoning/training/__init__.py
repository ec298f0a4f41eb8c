"""How scorers learn from derivations. torch lives here and in `reasoning.scorers`."""
