"""Who did what in a project of labelling: every move, and what was handed in, sent back, accepted and withdrawn."""
