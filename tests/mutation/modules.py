"""The modules that are mutated, and for each the tests that must notice: those of its own promises, and fast."""

from __future__ import annotations

REASONING = "tests/reasoning"
KGSTORE = "tests/kgstore"
WEBAPP = "tests/webapp"
RUNS = (f"{WEBAPP}/test_run_services.py", f"{WEBAPP}/test_runs.py", f"{WEBAPP}/test_variants.py")
EVALUATION_WORK = (f"{WEBAPP}/test_evaluation_work.py", f"{WEBAPP}/test_evaluation_services.py")

TESTS_OF: dict[str, tuple[str, ...]] = {
    "reasoning.answers": (f"{REASONING}/test_answers.py", f"{REASONING}/test_switches.py"),
    "reasoning.pools": (f"{REASONING}/test_pools.py", f"{REASONING}/test_linking.py"),
    "reasoning.literals": (f"{REASONING}/test_literals.py",),
    "reasoning.replay": (f"{REASONING}/test_replay.py",),
    "reasoning.structure": (f"{REASONING}/test_structure.py",),
    "reasoning.pruning": (f"{REASONING}/test_pruning.py",),
    "reasoning.continuation": (f"{REASONING}/test_continuation.py", f"{REASONING}/test_beam.py"),
    "reasoning.changes": (f"{REASONING}/test_changes.py",),
    "reasoning.linking": (f"{REASONING}/test_linking.py",),
    "reasoning.namesakes": (f"{REASONING}/test_namesakes.py",),
    "reasoning.recognition": (f"{REASONING}/test_recognition.py",),
    "reasoning.told_readings": (f"{REASONING}/test_wording.py",),
    "reasoning.topic_choice": (
        f"{REASONING}/test_toy_graph.py",
        f"{REASONING}/test_strategies.py",
        f"{REASONING}/test_switches.py",
    ),
    "reasoning.wording": (f"{REASONING}/test_wording.py",),
    "reasoning.decisions": (
        f"{REASONING}/test_decisions.py",
        f"{REASONING}/test_continuation.py",
        f"{REASONING}/test_replay.py",
        f"{REASONING}/test_strategies.py",
        f"{REASONING}/test_switches.py",
    ),
    "reasoning.unused_words": (f"{REASONING}/test_unused_words.py",),
    "reasoning.derivation_faults": (f"{REASONING}/test_derivation_faults.py",),
    "reasoning.strategies.reads.beam": (f"{REASONING}/test_beam.py", f"{REASONING}/test_strategies.py"),
    "reasoning.strategies.reads.reading": (f"{REASONING}/test_beam.py", f"{REASONING}/test_strategies.py"),
    "reasoning.strategies.reads.stages": (
        f"{REASONING}/test_toy_graph.py",
        f"{REASONING}/test_strategies.py",
        f"{REASONING}/test_switches.py",
        f"{REASONING}/test_unused_words.py",
        f"{REASONING}/test_beam.py",
    ),
    "reasoning.scorers.calibration": (f"{REASONING}/test_calibration.py",),
    "reasoning.evaluation.metrics": (f"{REASONING}/test_metrics.py",),
    "kgstore.sqlite.store": (f"{KGSTORE}/test_store_contract.py", f"{KGSTORE}/test_loading.py"),
    "kgstore.relation_codes": (f"{KGSTORE}/test_relation_codes.py", f"{KGSTORE}/test_store_contract.py"),
    "kgstore.truncation": (f"{KGSTORE}/test_truncation.py", f"{KGSTORE}/test_store_contract.py"),
    "kgstore.loading.arrange": (
        f"{KGSTORE}/test_arrange.py",
        f"{KGSTORE}/test_names_from_ids.py",
        f"{KGSTORE}/test_loading.py",
        f"{KGSTORE}/test_store_contract.py",
    ),
    "kgstore.loading.reading": (f"{KGSTORE}/test_loading.py",),
    "kgstore.sqlite.loader": (f"{KGSTORE}/test_sqlite_loader.py", f"{KGSTORE}/test_loading.py"),
    "kgstore.loading.naming": (f"{KGSTORE}/test_naming.py", f"{KGSTORE}/test_loading.py", f"{KGSTORE}/test_rdf.py"),
    "kgstore.loading.tsv": (f"{KGSTORE}/test_tsv.py", f"{KGSTORE}/test_loading.py", f"{KGSTORE}/test_formats.py"),
    "kgstore.loading.filters": (f"{KGSTORE}/test_filters.py",),
    "kgstore.loading.freebase_rdf": (f"{KGSTORE}/test_freebase_rdf.py", f"{KGSTORE}/test_formats.py"),
    "kgstore.loading.by_name": (f"{KGSTORE}/test_named_triples.py", f"{KGSTORE}/test_formats.py"),
    "kgstore.loading.metaqa": (f"{KGSTORE}/test_named_triples.py", f"{KGSTORE}/test_formats.py"),
    "kgstore.loading.pathquestion": (f"{KGSTORE}/test_named_triples.py", f"{KGSTORE}/test_formats.py"),
    "kgstore.loading.rog": (f"{KGSTORE}/test_rog.py", f"{KGSTORE}/test_formats.py"),
    "kgstore.loading.lines": (
        f"{KGSTORE}/test_lines.py",
        f"{KGSTORE}/test_loading.py",
        f"{KGSTORE}/test_hostile_files.py",
    ),
    "kgstore.loading.ntriples": (f"{KGSTORE}/test_rdf.py", f"{KGSTORE}/test_formats.py"),
    "kgstore.loading.turtle": (f"{KGSTORE}/test_rdf.py", f"{KGSTORE}/test_formats.py"),
    "kgstore.loading.subset": (f"{KGSTORE}/test_subset.py",),
    "webapp.accounts.services": (f"{WEBAPP}/test_account_services.py",),
    "webapp.runs.changes": (f"{WEBAPP}/test_run_changes.py",),
    "webapp.runs.services": RUNS,
    "webapp.runs.transitions": (f"{WEBAPP}/test_run_services.py", f"{WEBAPP}/test_runs.py"),
    "webapp.runs.variants": (f"{WEBAPP}/test_variants.py",),
    "webapp.runs.worker": RUNS,
    "webapp.evaluations.services": (f"{WEBAPP}/test_evaluation_services.py",),
    "webapp.evaluations.transitions": (f"{WEBAPP}/test_evaluation_services.py",),
    "webapp.evaluations.claims": EVALUATION_WORK,
    "webapp.evaluations.question_selection": (
        f"{WEBAPP}/test_evaluation_work.py",
        f"{WEBAPP}/test_evaluation_services.py",
    ),
    "webapp.evaluations.worker": EVALUATION_WORK,
    "webapp.scorers.services": (f"{WEBAPP}/test_training_services.py",),
    "webapp.scorers.worker": (f"{WEBAPP}/test_training_services.py",),
    "webapp.datasets.services": (f"{WEBAPP}/test_dataset_services.py",),
    "webapp.datasets.worker": (f"{WEBAPP}/test_dataset_services.py",),
    "webapp.datasets.transitions": (f"{WEBAPP}/test_dataset_services.py",),
    "webapp.graphs.services": (f"{WEBAPP}/test_graph_load_services.py",),
    "webapp.graphs.worker": (f"{WEBAPP}/test_graph_load_services.py",),
}
"""Tests that need a server beside Redis are left out."""
