"""Training of the encoder scorer, its validation and its model card."""
