"""The options of strategies as fields of the API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from ninja import Field, Schema
from pydantic import create_model

from reasoning.core.strategy_options import AblationOption, NumberOption
from reasoning.strategies.registry import strategy_options

if TYPE_CHECKING:
    from collections.abc import Callable

    from reasoning.core.strategy_options import AnyOption
    from reasoning.core.switches import EngineSwitches

Model = TypeVar("Model", bound=Schema)
Use: TypeAlias = Literal["asked", "evaluated", "recorded"]
"""What a schema holds options for: a question, where each may be left out; an evaluation, where what is left out is as
usual; or what answered a question, where each is told."""


def with_options(use: Use) -> Callable[[type[Model]], type[Model]]:
    """Give a schema a field for each option of each strategy. Only an evaluation has ablations."""

    def extended(model: type[Model]) -> type[Model]:
        fields: dict[str, Any] = {
            name: _field(option, " ".join(each.sentence for each, _ in declared), use)
            for name, declared in strategy_options().items()
            for option, _ in declared[:1]
            if use == "evaluated" or not isinstance(option, AblationOption)
        }
        made: type[Model] = create_model(
            model.__name__, __base__=model, __module__=model.__module__, __doc__=model.__doc__, **fields
        )
        return made

    return extended


def _field(option: AnyOption, description: str, use: Use) -> tuple[Any, Any]:
    bounds: dict[str, Any] = {"description": description}
    if isinstance(option, NumberOption):
        type_: Any = int
        if use != "recorded":
            bounds |= {"ge": 1, "le": option.most}
    else:
        type_ = Literal.__getitem__(tuple(each.value for each in option.choices))
    if isinstance(option, AblationOption):
        type_ = list[type_]
        bounds["max_length"] = len(option.choices)
    match use:
        case "asked":
            return type_ | None, Field(default=None, **bounds)
        case "evaluated":
            usual = [*option.usual] if isinstance(option, AblationOption) else option.usual
            return type_, Field(default=usual, **bounds)
        case "recorded":
            return type_, Field(**bounds)


def options_recorded(switches: EngineSwitches) -> dict[str, Any]:
    """The options that a schema records, by name."""
    declared = [option for ((option, _), *_) in strategy_options().values()]
    return {option.name: switches[option] for option in declared if not isinstance(option, AblationOption)}


def options_of(body: Schema) -> dict[str, Any]:
    """The options that a body has, by name, without those that were left out."""
    said = {name: getattr(body, name, None) for name in strategy_options()}
    return {name: value for name, value in said.items() if value is not None}
