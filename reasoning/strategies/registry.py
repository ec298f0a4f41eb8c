"""The strategies that there are. A new one is a folder beside ``reads`` and an entry here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reasoning.core.errors import UnknownStrategyError
from reasoning.scorers.cards import CARD_FILE
from reasoning.strategies.dog.strategy import Dog
from reasoning.strategies.eperm.judge import BUNDLED as BUNDLED_JUDGE
from reasoning.strategies.eperm.strategy import Eperm
from reasoning.strategies.etd.strategy import BUNDLED as BUNDLED_EXPLORER
from reasoning.strategies.etd.strategy import Etd
from reasoning.strategies.reads.beam import Beam
from reasoning.strategies.reads.stages import Reads
from reasoning.strategies.reads.written_answer import Augmented, WrittenAnswer
from reasoning.strategies.reads.written_filters import WrittenFilters
from reasoning.strategies.rog.strategy import Rog
from reasoning.strategies.tog.strategy import Tog, TogR
from reasoning.strategies.zero_shot.alone import ZeroShot

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reasoning.core.switches import WhoChooses
    from reasoning.run.strategy import Strategy

_trained: list[Path] = []


def trained_in(folder: Path) -> None:
    """Say where strategies' own weights lie that were trained here, each in a folder of the strategy's name."""
    _trained[:] = [folder]


def explorer_weights() -> Path:
    """The folder of the explorer's weights: those that were trained here, else those that come with the product."""
    return _own_or(Etd.name, BUNDLED_EXPLORER)


def judge_weights() -> Path:
    """The folder of the judge's weights, likewise."""
    return _own_or(Eperm.name, BUNDLED_JUDGE)


def _own_or(name: str, bundled: Path) -> Path:
    own = (folder / name for folder in _trained)
    return next((folder for folder in own if (folder / CARD_FILE).exists()), bundled)


DEFAULT = Reads.name
"""The strategy where none is chosen."""


@dataclass(frozen=True, slots=True)
class StrategyEntry:
    """A strategy as commands and pages offer it."""

    title: str
    """What people call it."""
    about: str
    """What it does, in a sentence for people."""
    open: Callable[[], Strategy]
    keeps_readings: bool = False
    """Whether it keeps several readings, as many as `EngineSwitches.width` says."""
    determines: bool = False
    """Whether `EngineSwitches.determination` says who chooses in it at last."""
    plans: bool = False
    """Whether it follows plans, of which `EngineSwitches.plans`, ``planner`` and ``reasoner`` say more."""
    debates: bool = False
    """Whether it shortens the question by a debate, of which `EngineSwitches.rounds`, ``debate``, ``debaters`` and
    ``sufficiency`` say more."""
    beams: bool = False
    """Whether it keeps a beam over the graph, of which `EngineSwitches.width`, ``depth`` and ``sufficiency`` say
    more."""
    predicts: bool = False
    """Whether it weighs evidence paths along plans, of which `EngineSwitches.plans`, ``relations``, ``entities``,
    ``predictor`` and ``evidence_without`` say more."""
    otherwise: str = ""
    """What to do without a model that writes, where one is needed only if somebody chose it: an imperative."""
    own_answers: bool = False
    """Whether a model may answer by itself in it, which is told where `EngineSwitches.model_may_answer` says so."""
    weights: Callable[[], Path] | None = None
    """Where its own weights lie now; None where it has none."""

    @property
    def has_weights(self) -> bool:
        """Whether it has weights of its own, which `manage.py train_strategy` trains."""
        return self.weights is not None


STRATEGIES: dict[str, StrategyEntry] = {
    Reads.name: StrategyEntry("READS", "Chooses one fact, one condition and one place of the answer at a time.", Reads),
    Beam.name: StrategyEntry(
        "READS with a width",
        "Keeps several readings of the question side by side, and weighs them as wholes.",
        Beam,
        keeps_readings=True,
    ),
    ZeroShot.name: StrategyEntry(
        "Language model alone",
        "A model answers from what it knows; no fact supports that.",
        ZeroShot,
        own_answers=True,
    ),
    Augmented.name: StrategyEntry(
        "READS, then a language model",
        "Searches and prunes as READS does; a model writes the answer from the facts that are left.",
        Augmented,
        own_answers=True,
    ),
    WrittenAnswer.name: StrategyEntry(
        "READS, answer written",
        "Searches and prunes as READS does; a model writes the answer instead of choosing where it stands.",
        WrittenAnswer,
        own_answers=True,
    ),
    WrittenFilters.name: StrategyEntry(
        "READS, options filtered",
        "A model writes which relations and conditions stay, before one of them is chosen.",
        WrittenFilters,
    ),
    Etd.name: StrategyEntry(
        "EtD",
        "A small graph network explores layer by layer; then one of its best candidates is chosen.",
        lambda: Etd(explorer_weights()),
        determines=True,
        otherwise="Let another choose among the candidates",
        own_answers=True,
        weights=explorer_weights,
    ),
    Rog.name: StrategyEntry(
        "RoG",
        "Makes plans of relation paths, follows the best ones, and answers with what the weightiest leads to.",
        Rog,
        plans=True,
        otherwise="Let the model that decides make the plans, and their weights answer",
        own_answers=True,
    ),
    Eperm.name: StrategyEntry(
        "EPERM",
        "Weighs paths of facts along plans, keeps the entities that fit, and answers with what weighs most.",
        lambda: Eperm(judge_weights()),
        predicts=True,
        otherwise="Let the weights of the paths answer, or the model that decides",
        own_answers=True,
        weights=judge_weights,
    ),
    Dog.name: StrategyEntry(
        "DoG",
        "Follows one relation at a time, and shortens the question by what it answered in a debate of three roles.",
        Dog,
        debates=True,
        otherwise="Let rules stand in for the debate, and the model that decides say what is enough",
        own_answers=True,
    ),
    Tog.name: StrategyEntry(
        "ToG",
        "Goes on from the best entities of the best relations, hop by hop, until what was found is enough.",
        Tog,
        beams=True,
        otherwise="Let the model that decides say what is enough",
        own_answers=True,
    ),
    TogR.name: StrategyEntry(
        "ToG-R",
        "As ToG, but scores relations alone, and goes on from all that they lead to.",
        TogR,
        beams=True,
        otherwise="Let the model that decides say what is enough",
        own_answers=True,
    ),
}
"""By name."""


def needs_writer(name: str, who: WhoChooses) -> bool:
    """Whether a strategy of that name needs a model that writes; one that is gone needs none."""
    if name not in STRATEGIES:
        return False
    entry = STRATEGIES[name]
    chosen = (
        (entry.determines and who.determination == "writer")
        or (entry.plans and "writer" in (who.planner, who.reasoner))
        or (entry.debates and who.debate == "writer")
        or ((entry.debates or entry.beams) and who.sufficiency == "writer")
        or (entry.predicts and who.predictor == "writer")
    )
    return chosen or open_strategy(name).needs_writer


def open_strategy(name: str) -> Strategy:
    """The strategy of a name.

    Raises:
        UnknownStrategyError: there is none.

    """
    if name not in STRATEGIES:
        raise UnknownStrategyError(f"There is no strategy “{name}”. Choose one of: {', '.join(STRATEGIES)}.")
    return STRATEGIES[name].open()
