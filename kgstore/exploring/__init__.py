"""Reading a graph without a question: paths, common neighbours, a summary of the schema."""
