"""The work of an evaluation: claims, transitions, the worker, and the runs of its questions."""
