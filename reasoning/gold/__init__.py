"""Gold derivations: where they come from, and how they fit a graph."""
