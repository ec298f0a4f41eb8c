"""Sentences for the events of a run, the same in the terminal and in the browser."""
