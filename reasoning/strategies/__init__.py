"""Methods that answer a question, a folder each, and the registry that names them."""
