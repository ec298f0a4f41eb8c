"""The modules that are mutated, and for each the tests that must notice: those of its own promises, and fast."""

from __future__ import annotations

REASONING = "tests/reasoning"
KGSTORE = "tests/kgstore"

TESTS_OF: dict[str, tuple[str, ...]] = {
    "reasoning.answers": (f"{REASONING}/test_answers.py", f"{REASONING}/test_switches.py"),
    "reasoning.pools": (f"{REASONING}/test_pools.py", f"{REASONING}/test_linking.py"),
    "reasoning.literals": (f"{REASONING}/test_literals.py",),
    "reasoning.replay": (f"{REASONING}/test_replay.py",),
    "reasoning.structure": (f"{REASONING}/test_toy_graph.py", f"{REASONING}/test_pruning.py"),
    "reasoning.pruning": (f"{REASONING}/test_pruning.py", f"{REASONING}/test_toy_graph.py"),
    "reasoning.evaluation.metrics": (f"{REASONING}/test_metrics.py",),
}
