"""The folder of an evaluation, and what it was made with."""
