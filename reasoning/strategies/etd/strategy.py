"""EtD: explore with a graph network, then determine the answer among its candidates (arXiv 2406.01145)."""

from __future__ import annotations

from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from reasoning import events
from reasoning.core.options import Stage
from reasoning.core.structure import ROOT
from reasoning.run.topic_choice import choose_topic
from reasoning.scorers.cards import CARD_FILE
from reasoning.strategies.asking import masked_text
from reasoning.strategies.etd.determination import determined
from reasoning.strategies.etd.options import CANDIDATES
from reasoning.strategies.growth import DIGITS, searched

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from kgstore.terms import Entity
    from reasoning.question.linking import Linking
    from reasoning.run.run import Run
    from reasoning.strategies.etd.ways import Candidate, Way, Ways
    from reasoning.strategies.etd.weights import Explorer

BUNDLED = Path(__file__).parent / "bundled"
"""The explorer that comes with the product."""
_OPENED = 4
_LOOKED_AT = 2_000
"""Maximum of the most probable candidates that are searched for paths that none of them has yet."""


@lru_cache(maxsize=_OPENED)
def _opened(folder: Path, _written: int) -> Explorer:
    # torch takes seconds to import, and only those who explore need it.
    from reasoning.strategies.etd.weights import Explorer  # noqa: PLC0415

    return Explorer.open(folder)


class Etd:
    """Explores layer by layer, keeps the ways to the best candidates, and lets a model choose among them.

    S_k holds the ways to the ``EngineSwitches.candidates`` best candidates of different ways; G_k the facts along them
    that the layers kept. The answer is what stands at the end of the chosen way, the most probable first (ours: the
    paper tells one candidate).
    """

    name = "etd"
    needs_writer = False

    def __init__(self, weights: Path) -> None:
        self._weights = weights

    def answer(self, run: Run) -> Iterator[events.StageEvent]:
        """See `reasoning.run.strategy.Strategy`.

        Raises:
            ScorerUnavailableError: there are no weights, or they cannot be loaded.

        """
        linking = yield from choose_topic(run)
        if linking.topic is None:
            yield run.finished("not_in_graph", "no_topic")
            return
        ways = yield from self._explored(run, linking, linking.topic.entity)
        with run.timed(Stage.INFER):
            candidates = _best(run, ways)
        grown = yield from searched(run, linking, ways, [one.way for one in candidates])
        yield from determined(run, linking, ways, candidates, grown)

    def _explorer(self) -> Explorer:
        card = self._weights / CARD_FILE
        return _opened(self._weights, card.stat().st_mtime_ns if card.exists() else 0)

    def _explored(self, run: Run, linking: Linking, topic: Entity) -> Generator[events.StageEvent, None, Ways]:
        """Explore, and tell layer by layer what was kept."""
        from reasoning.strategies.etd.ways import Ways  # noqa: PLC0415 - needs torch, as in `_opened`

        with run.timed(Stage.SEARCH) as clock:
            explorer = self._explorer()
            text = masked_text(run.question, linking)
            found, edges = explorer.explore(run.store, topic, text, may_recur=run.switches.topic_may_recur)
            ways = Ways(found, edges, topic)
        # Several options are kept in every layer.
        run.confidence = None
        seconds = clock() / ways.layers
        for number in range(ways.layers):
            yield _layer(run, explorer, ways, number, seconds)
        return ways


def _layer(run: Run, explorer: Explorer, ways: Ways, number: int, seconds: float) -> events.LayerExplored:
    groups = ways.groups(number)
    before, after = ways.entities(number)
    return events.LayerExplored(
        layer=number + 1,
        layers=ways.layers,
        depths=ways.depths if explorer.model.shape.chosen_depth else None,
        explorer=explorer.name,
        keep=explorer.model.shape.keep,
        groups=[
            events.ExploredGroupRecord(
                way=[run.narrator.relation(relation) for relation in group.way],
                relation=run.narrator.relation(group.relation),
                weight=round(group.weight, DIGITS),
                heads=group.heads,
                edges=group.edges,
                kept=group.kept,
            )
            for group in groups[: run.limits.options_shown]
        ],
        groups_total=len(groups),
        entities_before=before,
        entities_after=after,
        edges_total=sum(group.edges for group in groups),
        edges_kept=sum(group.kept for group in groups),
        seconds=seconds,
    )


def _best(run: Run, ways: Ways) -> list[Candidate]:
    """The most probable candidates, one of each path: what can be an answer, and is no topic that may not answer.

    The attention does not see the tail, so a way stands for all that it leads to.
    """
    chosen: dict[Way, Candidate] = {}
    topic = run.trace.graph.members[ROOT]
    for candidate in islice(ways.ranked(DIGITS), _LOOKED_AT):
        if len(chosen) == run.switches[CANDIDATES]:
            break
        if not candidate.way or candidate.way in chosen:
            continue
        if candidate.term in topic and not run.switches.topic_may_answer:
            continue
        if run.narrator.term(candidate.term).kind != "mediator":
            chosen[candidate.way] = candidate
    return list(chosen.values())
