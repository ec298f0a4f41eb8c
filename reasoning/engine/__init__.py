"""From a question to a run: strategies by name, changes of a run, checks of a derivation."""
