"""The language model alone: it answers from the question, and the graph only says what its words name."""
