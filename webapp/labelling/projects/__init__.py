"""Labelling gold derivations: projects, their tasks, who labels them, and every move they make."""
