"""The knowledge graph: terms, stores, loaders, and what is known of Freebase."""
