"""Looking around in a graph: entities, their facts, ways between them, and what people keep of that."""
