"""How many threads a model computes with: chosen here, for commands, workers and trainings alike.

Threads of one computation wait for one another at every step. By default they wait by turning in circles, so that
where another process takes a processor, all of them burn time for the one that has none: two threads on two busy
processors are some twenty times slower than one. So what is small is computed by one thread, and what is large by
several that sleep while they wait. ``OMP_NUM_THREADS``, where it is set, is the number for everything.
"""

from __future__ import annotations

import os

_NUMBER = "OMP_NUM_THREADS"


def prepare_threads() -> None:
    """Let threads sleep while they wait; the libraries read this once, so it comes before they are imported."""
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    # Texts are tokenised a few at a time, while other threads answer questions.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")


def small_model_threads() -> int:
    """For a sentence encoder that reads some short texts: sharing them out costs more than it gains."""
    return _named() or 1


def large_model_threads() -> int:
    """For a language model on the processor: all processors that this process may use."""
    return _named() or _processors()


def training_threads(wanted: int) -> int:
    """For a training that a recipe gives ``wanted`` threads: no more than there are processors."""
    return _named() or min(wanted, _processors())


def compute_with(threads: int) -> None:
    """Set the number of threads of the calling thread. Each thread has its own setting, so set it before computing."""
    import torch  # noqa: PLC0415 - callers that compute have imported it; others need only the numbers

    if torch.get_num_threads() != threads:
        torch.set_num_threads(threads)


def _named() -> int | None:
    number = os.environ.get(_NUMBER, "").partition(",")[0]
    return int(number) if number.isdecimal() and int(number) > 0 else None


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
