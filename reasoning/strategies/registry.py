"""The strategies that there are. A new one is a folder next to ``reads`` and an entry here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reasoning.core.errors import UnknownStrategyError
from reasoning.core.strategy_options import WRITER, ChoiceOption
from reasoning.scorers.cards import CARD_FILE
from reasoning.strategies.dog import options as dog
from reasoning.strategies.dog.diagnosis import dog_diagnosis
from reasoning.strategies.dog.strategy import Dog
from reasoning.strategies.eperm import options as eperm
from reasoning.strategies.eperm.judge import BUNDLED as BUNDLED_JUDGE
from reasoning.strategies.eperm.strategy import Eperm
from reasoning.strategies.etd import options as etd
from reasoning.strategies.etd.strategy import BUNDLED as BUNDLED_EXPLORER
from reasoning.strategies.etd.strategy import Etd
from reasoning.strategies.reads import options as beam
from reasoning.strategies.reads.beam import Beam
from reasoning.strategies.reads.stages import Reads
from reasoning.strategies.reads.written_answer import Augmented, WrittenAnswer
from reasoning.strategies.reads.written_filters import WrittenFilters
from reasoning.strategies.rog import options as rog
from reasoning.strategies.rog.strategy import Rog
from reasoning.strategies.sufficiency_options import SUFFICIENCY
from reasoning.strategies.tog import options as tog
from reasoning.strategies.tog.strategy import Tog, TogR
from reasoning.strategies.zero_shot.alone import ZeroShot

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reasoning.core.strategy_options import AnyOption
    from reasoning.core.switches import HasOptions
    from reasoning.run.diagnosis import Diagnose
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
"""The default strategy."""
TAUGHT = Rog.name
"""The strategy whose plans and answers language models learn."""
READINGS = beam.WIDTH
"""How many readings of a question a strategy keeps that keeps several."""


@dataclass(frozen=True, slots=True)
class StrategyEntry:
    """A strategy as commands and pages offer it."""

    title: str
    """What people call it."""
    about: str
    """What it does, in a sentence for people."""
    open: Callable[[], Strategy]
    options: tuple[AnyOption, ...] = ()
    """Its options, in the order of the forms."""
    otherwise: str = ""
    """What to do without a model that writes, where one is needed only if a user chose it: an imperative."""
    own_answers: bool = False
    """Whether a model may answer by itself in it; reported where `EngineSwitches.model_may_answer` says so."""
    answered_by: ChoiceOption[Any] | None = None
    """The option that says who answers: a model does by itself only if that is one that writes. None if it always
    may."""
    weights: Callable[[], Path] | None = None
    """Where its own weights lie now; None where it has none."""
    diagnose: Diagnose | None = None
    """Finds the error class of a wrong answer; None where it has no error classes."""

    @property
    def keeps_readings(self) -> bool:
        """Whether it keeps several readings of a question."""
        return READINGS in self.options

    @property
    def has_weights(self) -> bool:
        """Whether it has weights of its own, which `manage.py train_strategy` trains."""
        return self.weights is not None


STRATEGIES: dict[str, StrategyEntry] = {
    Reads.name: StrategyEntry(
        "READS", "Chooses one step or condition at a time, then the node that holds the answer.", Reads
    ),
    Beam.name: StrategyEntry(
        "READS, several readings",
        "Follows several readings of the question and takes the most probable one.",
        Beam,
        options=beam.OPTIONS,
    ),
    ZeroShot.name: StrategyEntry(
        "Language model alone",
        "A model answers from memory; no fact of the graph supports the answer.",
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
        "Searches and prunes as READS does; a model writes the answer instead of choosing a node.",
        WrittenAnswer,
        own_answers=True,
    ),
    WrittenFilters.name: StrategyEntry(
        "READS, options filtered",
        "A model first writes which relations and conditions to keep; then one of them is chosen.",
        WrittenFilters,
    ),
    Etd.name: StrategyEntry(
        "EtD",
        "A small graph network explores the graph in layers; one of its best candidates is the answer.",
        lambda: Etd(explorer_weights()),
        options=etd.OPTIONS,
        otherwise="Let another choose among the candidates",
        own_answers=True,
        answered_by=etd.DETERMINATION,
        weights=explorer_weights,
    ),
    Rog.name: StrategyEntry(
        "RoG",
        "Plans relation paths and follows the best ones; the most probable plan gives the answer.",
        Rog,
        options=rog.OPTIONS,
        otherwise="Let the model that decides make the plans, and their weights answer",
        own_answers=True,
        answered_by=rog.REASONER,
    ),
    Eperm.name: StrategyEntry(
        "EPERM",
        "Plans relation paths, keeps the entities that fit, and answers from the evidence with the highest weight.",
        lambda: Eperm(judge_weights()),
        options=eperm.OPTIONS,
        otherwise="Let the weights of the paths answer, or the model that decides",
        own_answers=True,
        answered_by=eperm.PREDICTOR,
        weights=judge_weights,
    ),
    Dog.name: StrategyEntry(
        "DoG",
        "Follows one relation at a time; a debate of three roles then removes the answered part of the question.",
        Dog,
        options=dog.OPTIONS,
        otherwise="Let rules stand in for the debate, and the model that decides say what is enough",
        own_answers=True,
        answered_by=dog.DEBATE,
        diagnose=dog_diagnosis,
    ),
    Tog.name: StrategyEntry(
        "ToG",
        "Follows the best relations from the best entities, hop by hop, until the facts are sufficient.",
        Tog,
        options=tog.OPTIONS,
        otherwise="Let the model that decides say what is enough",
        own_answers=True,
        answered_by=SUFFICIENCY,
    ),
    TogR.name: StrategyEntry(
        "ToG-R",
        "Like ToG, but scores only relations and keeps all entities that they lead to.",
        TogR,
        options=tog.OPTIONS,
        otherwise="Let the model that decides say what is enough",
        own_answers=True,
        answered_by=SUFFICIENCY,
    ),
}
"""By name."""
DIAGNOSED = [name for name, entry in STRATEGIES.items() if entry.diagnose is not None]
"""The strategies with error classes of their own."""


def strategy_options() -> dict[str, list[tuple[AnyOption, list[str]]]]:
    """The options of all strategies by name, each with the strategies that take it.

    Strategies may share a name and word it differently; then the values are the same.
    """
    found: dict[str, list[tuple[AnyOption, list[str]]]] = {}
    for name, entry in STRATEGIES.items():
        for option in entry.options:
            declared = found.setdefault(option.name, [])
            taken_by = next((names for one, names in declared if one == option), None)
            if taken_by is None:
                declared.append((option, [name]))
            else:
                taken_by.append(name)
    return found


def options_by_name() -> dict[str, AnyOption]:
    """One declaration of each option, for its values."""
    return {name: option for name, ((option, _), *_) in strategy_options().items()}


def needs_writer(name: str, chosen: HasOptions) -> bool:
    """Whether a strategy of that name needs a model that writes; one that is gone needs none."""
    if name not in STRATEGIES:
        return False
    return open_strategy(name).needs_writer or any(
        isinstance(option, ChoiceOption) and chosen[option] == WRITER for option in STRATEGIES[name].options
    )


def open_strategy(name: str) -> Strategy:
    """The strategy of a name.

    Raises:
        UnknownStrategyError: there is none.

    """
    if name not in STRATEGIES:
        raise UnknownStrategyError(f"There is no strategy “{name}”. Choose one of: {', '.join(STRATEGIES)}.")
    return STRATEGIES[name].open()
