"""Plans that a language model chooses among whole relation paths of the graph.

RoG (arXiv 2310.01061, section 3.1) and EPERM (arXiv 2502.16171, section 3.3) let a fine-tuned language model write
plans, by beam search. Here the model is asked how probable each relation path of the graph is, from its first token to
its end: so plans are in the graph, and the most probable ones are found exactly, since no path is more probable than
what it begins with.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgstore.terms import TermKind
from reasoning.core.options import Stage, StepOption
from reasoning.core.structure import ROOT
from reasoning.strategies.plans.plan import Looked, Plans, weighed
from reasoning.strategies.plans.search import DEFAULT_DEPTH, begun

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reasoning.question.linking import Linking
    from reasoning.run.run import Run
    from reasoning.scorers.base import PathScorer
    from reasoning.strategies.plans.plan import Way
    from reasoning.strategies.plans.search import Prefix

MAX_PATHS = 2_000
"""Maximum of paths around a topic entity; the search stops there."""
LEADING_ON = frozenset({TermKind.ENTITY, TermKind.MEDIATOR})
"""What may have relations of its own."""


@dataclass(frozen=True, slots=True)
class Around:
    """The relation paths around a topic entity."""

    paths: tuple[Way, ...]
    """Those that do not end at a mediator, each once, the shortest first."""
    looked: Looked


def paths_around(
    run: Run, linking: Linking, *, begin: int = ROOT, depth: int = DEFAULT_DEPTH, most: int = MAX_PATHS
) -> Around:
    """The relation paths that the graph holds from a node of S_k on, breadth first; arguments as for `plans_of`.

    Once there are ``most``, no way is followed further; then some are missing.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    first = begun(run, begin)
    last = max(depth, len(first.way) + 1)
    found: list[Way] = [first.way] if first.may_end else []
    level: list[tuple[Prefix, StepOption | None]] = [(first, None)]
    followed = leading_on = 0
    for length in range(len(first.way) + 1, last + 1):
        leading_on += len(level)
        further: list[tuple[Prefix, StepOption | None]] = []
        for before, taken in level:
            if len(found) >= most:
                break
            followed += 1
            prefix = before if taken is None else before.followed(run, taken, 1.0)
            for option in prefix.pool(run, linking).options:
                if not isinstance(option, StepOption):
                    continue
                if option.kind is not TermKind.MEDIATOR:
                    found.append((*prefix.way, option.step.relation))
                if option.kind in LEADING_ON and length < last:
                    further.append((prefix, option))
        level = further
    return Around(tuple(found), Looked(followed, leading_on))


def best_paths(
    run: Run, linking: Linking, scorer: PathScorer, paths: Sequence[Way], looked: Looked, *, count: int
) -> Plans:
    """The ``count`` most probable of some relation paths, or fewer where there are no more; exact.

    Raises:
        ScorerUnavailableError, UndecidedError: see `Scorer.score`.
        UndecidedStopError: the run was asked to stop at what is not given.

    """
    run.stop_where_open(Stage.SEARCH, 0, begun(run, ROOT).pool(run, linking))
    asked = run.ask_paths(scorer, paths, linking, best=count)
    shares = asked.probabilities
    order = sorted(shares, key=lambda index: (-shares[index], index))[:count]
    plans, covered = weighed([(paths[index], shares[index]) for index in order])
    return Plans(plans, len(paths), covered if looked.is_whole and plans else None, asked.cost, looked=looked)
