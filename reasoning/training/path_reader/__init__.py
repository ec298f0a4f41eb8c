"""Training of the path reader: two encoders that compare complete relation paths with a question."""
