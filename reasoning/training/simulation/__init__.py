"""Trials: quality of a scorer by number of labels."""
