"""Asking a question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings

from kgstore.store import GraphStoreError
from kgstore.terms import Entity
from reasoning.core.switches import EngineSwitches
from reasoning.question.linking import question_fault
from webapp import engine
from webapp.asking.runs.services import ask_allowance_take, run_queue
from webapp.platform.http.errors import ProductError, graph_error, room_ensure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kgstore.store import GraphInfo
    from webapp.accounts.viewer import Viewer
    from webapp.asking.runs.models import ReasoningRun


def question_ask(
    *,
    text: str,
    viewer: Viewer,
    graph: str | None = None,
    topic: str | None = None,
    scorer: str | None = None,
    strategy: str | None = None,
    switches: Mapping[str, object] | None = None,
) -> ReasoningRun:
    """Take a question and queue a run for it, with these of `EngineSwitches` other than usual.

    Raises:
        ProductError: the question is empty or too long, names no known graph, topic, scorer or strategy, or comes too
            soon.

    """
    wanted = dict(switches or {})
    text = question_text(text)
    scorer = engine.scorer_chosen(scorer)
    strategy = engine.strategy_chosen(strategy, EngineSwitches.from_json(wanted))
    info = graph_asked(graph, topic)
    room_ensure()
    ask_allowance_take(viewer=viewer)
    return run_queue(
        text=text,
        viewer=viewer,
        info=info,
        topic=topic or "",
        scorer=scorer,
        strategy=strategy,
        switches=wanted,
    )


def graph_asked(graph: str | None, topic: str | None) -> GraphInfo:
    """The graph of that name, or the site's own choice, which holds the topic if one is named.

    Raises:
        ProductError: there is none, it cannot be read, or it holds no such topic.

    """
    try:
        store = engine.graph(graph or engine.default_graph())
        info = store.info()
        if topic and Entity(topic) not in store.cards([Entity(topic)]):
            message = f"The graph “{info.title}” does not hold {topic}. Choose another topic."
            raise ProductError(422, "unknown_topic", message, topic=topic)
    except GraphStoreError as error:
        raise graph_error(error, status=422) from error
    return info


def question_text(text: str) -> str:
    """A question as it is asked, wherever it was typed: with single spaces.

    Raises:
        ProductError: it is empty, too long, or holds what no text may hold.

    """
    text = " ".join(text.split())
    longest = settings.ENVIRONMENT.question_length
    if not text:
        raise ProductError(422, "empty_question", "Type a question first.")
    if len(text) > longest:
        message = f"This question has {len(text)} characters; it may have {longest}. Make it shorter."
        raise ProductError(422, "question_too_long", message, length=len(text), limit=longest)
    if fault := question_fault(text):
        raise ProductError(422, "question_unreadable", fault)
    return text
