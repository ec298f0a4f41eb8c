"""Questions and their runs, and what people say of the answers."""
