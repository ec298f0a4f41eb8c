"""Which field of an entry of a prediction file holds what the system predicted, and which one holds the gold answers.

Published files call both ``answers``, or write them side by side. The name alone does not tell: the other field
does. NSM, ReaRev and GNN-RAG write ``answers`` (gold) and ``cand`` (predicted); StructGPT writes ``Answers`` (gold)
and ``Prediction``; RoG writes ``prediction`` and ``ground_truth``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

CANDIDATES = "cand"
"""What NSM and the systems after it write: what was retrieved, best first, each with its probability."""
RESULTS = "results"
"""What Think-on-Graph writes: a sentence with the answer in braces."""
_PREDICTED = re.compile(
    r"(?:model|llm|system|final|generated|predicted|predict|prediction|pred|gen)[ _-]?"
    r"(?:answers?|text|output|results?)?|predictions?|preds|responses?|outputs?|results"
)
"""Names of fields, in small letters, that hold a prediction regardless of the other fields."""
_ANSWERS = re.compile(r"answers?")
"""Names that hold the gold answers if the entry also has a prediction or a score, and the prediction otherwise."""
_NEXT_TO_GOLD = re.compile(
    r"precision|recall|f1|hits?(?:@?1)?|em|exact_match|acc(?:uracy)?|score|cand"
    r"|ground_?truths?|gold\w*|golden\w*|targets?|labels?|a_entity"
)
"""Names that accompany gold answers: scores, and other names of the gold answers."""


def predicted_field(names: Iterable[str]) -> str:
    """The name of the field that holds the prediction, of all names of an entry.

    Raises:
        ValueError: none does, or several might; the message names the fields and says what to do.

    """
    names_plain = {name: name.casefold() for name in names}
    predicted = [name for name, plain in names_plain.items() if plain == CANDIDATES or _PREDICTED.fullmatch(plain)]
    if len(predicted) > 1:
        raise ValueError(
            f"expected one field with a prediction; there are {_listed(predicted)}. Keep the one that is to be judged"
        )
    if predicted:
        return predicted[0]
    answers = [name for name, plain in names_plain.items() if _ANSWERS.fullmatch(plain)]
    of_gold = [name for name, plain in names_plain.items() if _NEXT_TO_GOLD.fullmatch(plain)]
    if answers and of_gold:
        raise ValueError(
            f"expected a field with a prediction; {_listed(answers)} holds the gold answers, because the entry "
            f"also has {_listed(of_gold)}. Call the predicted answers “prediction”"
        )
    if len(answers) > 1:
        raise ValueError(
            f"expected one field with answers; there are {_listed(answers)}. Call the predicted ones “prediction”"
        )
    if answers:
        return answers[0]
    raise ValueError(
        "expected a question's “id” (or “qid”, “QuestionId”, or its text as “question”) and its answers as "
        f"“prediction”, “predictions” or “answers”; the fields are {_listed(names_plain) or 'none'}"
    )


def values_at(entry: Mapping[str, object], name: str) -> object:
    """What a field holds; of `CANDIDATES`, the most probable first."""
    value = entry[name]
    if name.casefold() == CANDIDATES and isinstance(value, list) and all(map(_is_weighed, value)):
        return sorted(value, key=lambda one: -one[1])
    return value


def _is_weighed(candidate: object) -> bool:
    match candidate:
        case [str(), int() | float()]:
            return True
    return False


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"“{name}”" for name in names)
