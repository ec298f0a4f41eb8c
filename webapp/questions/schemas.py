"""What the API takes as a question, and offers as examples."""

from ninja import Schema
from pydantic import ConfigDict


class QuestionIn(Schema):
    """A question, and what it is asked of."""

    model_config = ConfigDict(extra="forbid")

    question: str
    graph: str | None = None
    """The name of a graph; the site's own choice where it is left out."""
    topic: str | None = None
    """The mid of the topic entity; found in the question where it is left out."""
    scorer: str | None = None


class ExampleOut(Schema):
    """A question to try."""

    question: str
    shape: str
    """What is special about it, in a word or two: a chain, a date, several answers."""
