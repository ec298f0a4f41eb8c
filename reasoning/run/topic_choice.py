"""The first decision of every strategy: which of the entities that the question names it is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.terms import Entity
from reasoning.core.options import Stage, TopicOption
from reasoning.core.structure import ROOT, AbstractStructure, InstanceGraph
from reasoning.facts.pools import topic_pool
from reasoning.question.linking import link
from reasoning.run.question_form import QuestionForm

if TYPE_CHECKING:
    from collections.abc import Generator

    from reasoning.events import StageEvent
    from reasoning.question.linking import Linking
    from reasoning.run.run import Run


def choose_topic(run: Run, *, may_be_type: bool = False) -> Generator[StageEvent, None, Linking]:
    """Find what the question names, and choose the topic entity among it unless the asker did.

    A type is a topic only for strategies whose conditions say which of its instances are meant. These also compare two
    named things.
    """
    with run.timed(Stage.LINK) as clock:
        linking = link(run.question, run.store, run.topic)
        if not may_be_type:
            linking = linking.without_types()
        run.form = QuestionForm.read(run.question, linking, may_compare=may_be_type)
        pool = topic_pool(linking)
        made = None
        if linking.topic is None and pool.options:
            made = run.decide(Stage.LINK, 0, pool, AbstractStructure(()), linking)
            if not isinstance(made.option, TopicOption) or not isinstance(made.option.mention.term, Entity):
                raise TypeError("a pool of topic entities held something else")
            linking = linking.about(linking.cards[made.option.mention.term])
        run.form = run.form.about(linking)
        linking = run.form.linking or linking
        if linking.topic is not None:
            run.trace.structure = AbstractStructure.rooted(linking.topic.name or linking.topic.entity.mid)
            run.trace.graph = InstanceGraph.rooted(linking.topic.entity)
        root = None if linking.topic is None else run.trace.structure.nodes[ROOT]
    yield run.narrator.linked(linking, None if made is None else made.record, root, seconds=clock())
    return linking
