"""The engine: search, prune and infer over a knowledge graph; a scorer makes every choice among options that exist."""
