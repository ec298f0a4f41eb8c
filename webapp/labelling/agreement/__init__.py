"""Agreement of those who labelled the same questions of a project: figures, the worst questions, the work behind."""
