"""API schemas of questions and examples."""

from ninja import Field, Schema

from reasoning.linking import LONGEST_QUESTION
from webapp.http.inputs import LONGEST_NAME, Input


class QuestionIn(Input):
    """A question, and what it is asked of."""

    question: str = Field(max_length=LONGEST_QUESTION)
    graph: str | None = Field(default=None, max_length=LONGEST_NAME)
    """The name of a graph; the site's own choice where it is left out."""
    topic: str | None = Field(default=None, max_length=LONGEST_NAME)
    """The mid of the topic entity; found in the question where it is left out."""
    scorer: str | None = Field(default=None, max_length=LONGEST_NAME)


class ExampleOut(Schema):
    """A question to try."""

    question: str
    kind: str
    """What is special about it, in a word or two: a chain, a date, several answers."""
