"""How scorers learn from derivations. torch lives here and in `reasoning.scorers`."""

from reasoning.scorers.threads import prepare_threads

prepare_threads()
