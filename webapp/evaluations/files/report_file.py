"""An evaluation's report as a file of its own: one page that needs no network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reasoning.evaluation.reporting.page import html_page
from reasoning.strategies.registry import STRATEGIES
from webapp.platform.http.errors import ProductError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webapp.evaluations.models import Evaluation


def evaluation_page(evaluation: Evaluation) -> str:
    """The report of what is judged so far.

    Raises:
        ProductError: nothing is judged.

    """
    if evaluation.figures is None:
        raise ProductError(409, "nothing_judged", "No question was judged yet, so there is nothing to report.")
    is_other = evaluation.predictions is not None
    report = {
        **evaluation.figures,
        "settings": evaluation.switches,
        "left_out": evaluation.left_out,
        "refused": evaluation.refused,
        "seen_in_training": evaluation.seen_in_training,
        "predictions": evaluation.predictions,
        "manifest": evaluation.manifest,
    }
    about = [f"Started on {evaluation.created_at:%d %B %Y}."]
    if evaluation.finished_at is None or evaluation.done != evaluation.total:
        about.append(f"Judged so far: {evaluation.figures_of:,} of {evaluation.total:,} questions.")
    if is_other:
        about.append(f"{evaluation.scorer} is another system: of its decisions and costs nothing is known.")
    title = page_title(
        evaluation.note, evaluation.scorer, "" if is_other else evaluation.switches["strategy"], evaluation.dataset
    )
    return html_page(report, title=title, about=about)


def page_of(report: Mapping[str, Any], *, is_other: bool) -> str:
    """The report of the command."""
    title = page_title("", report["scorer"], "" if is_other else report["settings"]["strategy"], report["dataset"])
    return html_page(report, title=title)


def page_title(note: str, scorer: str, strategy: str, dataset: str) -> str:
    """What an evaluation is called: its note, who answers in which way, and what is asked; empty parts are left out."""
    way = STRATEGIES[strategy].title if strategy in STRATEGIES else strategy
    return " · ".join(filter(None, (note, scorer, way, dataset)))
