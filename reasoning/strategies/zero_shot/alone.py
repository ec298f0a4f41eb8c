"""Zero-shot: a language model answers from the question alone.

READS' second version (Xu et al., arXiv 2412.12643) compares it with READS, to show what the graph adds. How it is asked
and read is our decision: it lists names, which are looked up in the graph. No fact supports such an answer, so it is
the model's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.core.options import Stage
from reasoning.run.model_answers import ANSWER_TOKENS, InGraph, answered_by_itself, terms_read
from reasoning.run.topic_choice import choose_topic
from reasoning.writers.base import Message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reasoning.events import StageEvent
    from reasoning.run.run import Run

PURPOSE = "the answer, from the question alone"
_ASKED = (
    "Answer the question from what you know. Write nothing but the names of the answers, one a line, each in full. "
    "Write dates as 2011-02-06. If you do not know the answer, write None.\n\nQuestion: {question}\nAnswers:"
)


class ZeroShot:
    """The strategy of the language model alone.

    The topic is chosen as in every strategy; the model does not see it. Where nothing that the question
    names is in the graph, the model is asked only if its own answers are wanted.
    """

    name = "zero-shot"
    needs_writer = True

    def answer(self, run: Run) -> Iterator[StageEvent]:
        """See `reasoning.run.strategy.Strategy`."""
        linking = yield from choose_topic(run)
        if linking.topic is None and not run.switches.model_may_answer:
            yield run.finished("not_in_graph", "no_topic")
            return
        asked = [Message("user", _ASKED.format(question=run.question))]
        text, wrote = run.write(Stage.INFER, PURPOSE, asked, limit=ANSWER_TOKENS)
        parts, record = terms_read(run, text, wrote, InGraph(run.store))
        yield record
        yield answered_by_itself(run, parts)
