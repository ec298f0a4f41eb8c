"""Reads of label exports: what can be chosen, what would go in, and the file itself."""

from __future__ import annotations

from itertools import islice
from time import monotonic
from typing import TYPE_CHECKING

from reasoning.exports.registry import EXPORT_FORMATS
from reasoning.exports.source import ExportTally, exported
from webapp.evaluations.overlays.site_key import site_public_key
from webapp.labelling.exports.labels import graph_fault, labels_of
from webapp.labelling.exports.people import by_name, by_pseudonym
from webapp.labelling.exports.schemas import (
    ExportChoicesOut,
    ExportFormatOut,
    ExportPreviewOut,
    ExportReasonOut,
    ExportSelectionOut,
)
from webapp.labelling.exports.selections import SELECTIONS, LabelWants
from webapp.labelling.projects.roles import Right, project_may, project_may_ensure
from webapp.platform.http.errors import ProductError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reasoning.exports.source import ExportFormat
    from webapp.accounts.viewer import Viewer
    from webapp.labelling.exports.selections import Selection
    from webapp.labelling.projects.models import Project

_PREVIEW_SECONDS = 2.0


def export_choices(*, may_keep_overlay: bool) -> ExportChoicesOut:
    """What one can choose."""
    return ExportChoicesOut(
        formats=[
            ExportFormatOut(
                name=each.name,
                title=each.title,
                says=each.says,
                cannot_say=list(each.cannot_say),
                ending=each.ending,
                has_people=each.has_people,
                has_moves=each.has_moves,
            )
            for each in EXPORT_FORMATS.values()
        ],
        selections=[
            ExportSelectionOut(name=each.name, title=each.title, says=each.says) for each in SELECTIONS.values()
        ],
        overlay_key=site_public_key(),
        may_keep_overlay=may_keep_overlay,
    )


def export_format(name: str) -> ExportFormat:
    """The format of a name.

    Raises:
        ProductError: there is none.

    """
    if name not in EXPORT_FORMATS:
        message = f"There is no format named “{name}”. Choose one of {', '.join(EXPORT_FORMATS)}."
        raise ProductError(422, "unknown_export_format", message)
    return EXPORT_FORMATS[name]


def export_selection(name: str) -> Selection:
    """The choice of labels of a name.

    Raises:
        ProductError: there is none.

    """
    if name not in SELECTIONS:
        message = f"There is no choice of labels named “{name}”. Choose one of {', '.join(SELECTIONS)}."
        raise ProductError(422, "unknown_export_selection", message)
    return SELECTIONS[name]


def export_preview(
    project: Project, *, format_: ExportFormat, selection: Selection, viewer: Viewer
) -> ExportPreviewOut:
    """What would go in, as far as it is known after a few seconds.

    Raises:
        ProductError: the viewer may not.

    """
    project_may_ensure(project, viewer, Right.REVIEW)
    tally, until = ExportTally(), monotonic() + _PREVIEW_SECONDS
    wants = LabelWants(by_name, known=False, moves=False)
    labels = labels_of(project, selection, wants, format_)
    while batch := list(islice(labels, 20)):
        for _ in exported(batch, format_, tally):
            pass
        if monotonic() > until:
            break
    return ExportPreviewOut(
        total=selection.count(project),
        looked=tally.went_in + tally.left_out.total(),
        went_in=tally.went_in,
        left_out=[ExportReasonOut(reason=str(reason), count=n) for reason, n in tally.left_out.most_common()],
        graph_fault=graph_fault(project, format_),
    )


def export_parts(
    project: Project,
    *,
    format_: ExportFormat,
    selection: Selection,
    viewer: Viewer,
    pseudonyms: bool,
    moves: bool,
) -> Iterator[str]:
    """The parts of the file, made while they are taken. Answers that are known are for managers alone.

    Raises:
        ProductError: the viewer may not; before the first part.

    """
    project_may_ensure(project, viewer, Right.REVIEW)
    named = by_pseudonym(project) if pseudonyms else by_name
    known = project_may(project, viewer, Right.MANAGE)
    wants = LabelWants(named, known=known, moves=moves, agreement=format_.has_agreement)
    return exported(labels_of(project, selection, wants, format_), format_, ExportTally())
