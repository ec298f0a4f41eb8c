"""Arguments that several commands take."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import TYPE_CHECKING, Any

from reasoning.core.strategy_options import AblationOption, NumberOption
from reasoning.core.switches import EngineSwitches
from reasoning.strategies.registry import DEFAULT, STRATEGIES, strategy_options

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Mapping, Sequence

    from reasoning.core.strategy_options import AnyOption


def positive(text: str) -> int:
    """A whole number of at least 1, as the ``type`` of an argument.

    Raises:
        ArgumentTypeError: it is something else.

    """
    if text.isdecimal() and (number := int(text)) >= 1:
        return number
    raise ArgumentTypeError(f"“{text}” should be a whole number of at least 1")


def topic_argument(parser: ArgumentParser) -> None:
    """Take ``--topic``."""
    parser.add_argument(
        "--topic", metavar="ID", help="the id of the entity that the question is about: m.03_r3, Ada_Byron"
    )


def strategy_arguments(parser: ArgumentParser) -> None:
    """Take ``--strategy`` and the options of strategies."""
    parser.add_argument(
        "--strategy", choices=STRATEGIES, default=DEFAULT, help=f"how questions are answered ({DEFAULT})"
    )
    switch_arguments(parser)


def switch_arguments(parser: ArgumentParser) -> None:
    """Take the options of all strategies."""
    for declared in strategy_options().values():
        _option_argument(parser, declared)
    parser.add_argument(
        "--model-may-answer",
        action="store_true",
        help="also print what a model that writes answers by itself, without a fact of the graph",
    )


def _option_argument(parser: ArgumentParser, declared: Sequence[tuple[AnyOption, Sequence[str]]]) -> None:
    (option, _), *_ = declared
    flag = f"--{option.name.replace('_', '-')}"
    help_ = "; ".join(f"{', '.join(STRATEGIES[name].title for name in names)}: {each.help}" for each, names in declared)
    if isinstance(option, NumberOption):
        parser.add_argument(
            flag,
            type=int,
            choices=range(1, option.most + 1),
            default=option.usual,
            metavar=f"1-{option.most}",
            help=f"{help_} ({option.usual})",
        )
        return
    values = [each.value for each in option.choices]
    if isinstance(option, AblationOption):
        parser.add_argument(
            flag, action="append", choices=values, default=[], help=f"ablation, may be given several times: {help_}"
        )
        return
    words = "; ".join(f"{each.value}, {each.words}" for each in option.choices)
    parser.add_argument(flag, choices=values, default=option.usual, help=f"{help_}: {words} ({option.usual})")
    for each in option.choices:
        if each.flag:
            parser.add_argument(
                each.flag,
                action="store_const",
                const=each.value,
                default=option.usual,
                dest=option.name,
                help=f"the same as {flag} {each.value}",
            )


def options_given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """What the arguments of `switch_arguments` say, by name."""
    return {name: arguments[name] for name in (*strategy_options(), "model_may_answer")}


def switches_given(arguments: Mapping[str, Any]) -> EngineSwitches:
    """The same for the engine."""
    return EngineSwitches.from_json(options_given(arguments))
