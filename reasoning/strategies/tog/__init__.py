"""ToG: think on graph, a beam over relations and entities (arXiv 2307.07697)."""
