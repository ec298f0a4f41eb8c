"""An option of a strategy besides its name.

A strategy declares each of its options once. The flags of commands, the fields of the API, the settings of evaluations,
the forms and the words of a result are derived from the declaration.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, Field, dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, Literal, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping

OptionValue: TypeAlias = int | str | tuple[str, ...]
Value = TypeVar("Value", bound=OptionValue)
Word = TypeVar("Word", bound=str)

WRITER: Final = "writer"
"""The value of a `ChoiceOption` that needs a model that writes."""


@dataclass(frozen=True, slots=True)
class Choice(Generic[Word]):
    """One of several values, by words."""

    value: Word
    words: str
    """As a form offers it: *the model that decides*."""
    told: str = ""
    """As a result tells it: *explorer alone*; its ``words`` if empty."""
    flag: str = ""
    """A flag of its own, besides the option's."""


@dataclass(frozen=True, slots=True)
class StrategyOption(Generic[Value]):
    """What all kinds of options have."""

    name: str
    """Its key in JSON. Its flag is the same with hyphens."""
    usual: Value
    """Its default."""
    _: KW_ONLY
    label: str
    """Above its field in a form."""
    lead: str = ""
    """Before its field in a line of text: *following* 3 plans."""
    help: str
    """What it decides, as part of a sentence: *how many of the best plans are followed*."""

    @property
    def sentence(self) -> str:
        """What it decides, as a sentence."""
        return f"{self.help[0].upper()}{self.help[1:]}."


@dataclass(frozen=True, slots=True)
class NumberOption(StrategyOption[int]):
    """How many of something, from 1 to ``most``."""

    _: KW_ONLY
    most: int
    one: str
    """What is counted: *plan*."""
    more: str = ""
    """Its plural; with an *s* if empty."""
    told: str = "{count}"
    """As a result tells it: *at most {count}*."""
    is_always_told: bool = False
    """Whether a result tells the usual number too."""
    offered: tuple[int, ...] = ()
    """The numbers that a form offers; all if empty."""
    kind: Literal["number"] = "number"


@dataclass(frozen=True, slots=True)
class ChoiceOption(StrategyOption[Word]):
    """Who or what, of several."""

    _: KW_ONLY
    choices: tuple[Choice[Word], ...]
    kind: Literal["choice"] = "choice"


@dataclass(frozen=True, slots=True)
class AblationOption(StrategyOption[tuple[Word, ...]], Generic[Word]):
    """What is left out, to measure what it is worth. Commands and evaluations take it, questions on the page do not."""

    _: KW_ONLY
    choices: tuple[Choice[Word], ...]
    kind: Literal["ablation"] = "ablation"


AnyOption: TypeAlias = NumberOption | ChoiceOption[Any] | AblationOption[Any]


class HoldsOptions(Protocol):
    """A dataclass that keeps the options of strategies in one of its fields."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __init__(self, *, options: Mapping[str, OptionValue], **own: Any) -> None:
        """Keep them."""

    @property
    def options(self) -> Mapping[str, OptionValue]:
        """By name."""


Holder = TypeVar("Holder", bound=HoldsOptions)


def read_value(option: AnyOption, value: Any) -> OptionValue:
    """The value of an option as JSON gives it; parts that are left out in their order, each once.

    Raises:
        TypeError, ValueError: it is no number, or none of the known values.

    """
    if isinstance(option, NumberOption):
        if not isinstance(value, int):
            raise TypeError(f"{option.name} is {value!r}; expected a number")
        return value
    known = [each.value for each in option.choices]
    for part in value if isinstance(option, AblationOption) else (value,):
        if part not in known:
            raise ValueError(f"{option.name} is {part!r}; expected one of {', '.join(known)}")
    return tuple(part for part in known if part in value) if isinstance(option, AblationOption) else str(value)


def read_with_options(made: type[Holder], named: Mapping[str, Any]) -> Holder:
    """Make a dataclass from its own fields and the options of strategies, which go into ``options``.

    Raises:
        TypeError: a field is missing.

    """
    own = {one.name for one in fields(made)}
    options = {name: tuple(each) if isinstance(each, list) else each for name, each in named.items() if name not in own}
    return made(**{name: value for name, value in named.items() if name in own}, options=options)


def write_with_options(holder: HoldsOptions) -> dict[str, Any]:
    """What `read_with_options` reads, as values of JSON."""
    own = {one.name: getattr(holder, one.name) for one in fields(holder) if one.name != "options"}
    return own | {name: [*each] if isinstance(each, tuple) else each for name, each in holder.options.items()}
