"""DoG: a debate that shortens the question, hop by hop (arXiv 2409.03155)."""
