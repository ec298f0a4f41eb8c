"""The path reader: two small encoders that compare a complete relation path with a question."""
