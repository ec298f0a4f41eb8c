"""The corrections of a dataset's labels that the labels of a project come to, signed by the site."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias, cast

from kgstore.terms import Entity
from reasoning.datasets.overlay import Correction, CorrectionKind, Overlay, now, signed
from reasoning.datasets.question import GoldParse
from webapp.accounts.permissions import Action, may_ensure
from webapp.evaluations.overlays.services import overlay_keep_signed
from webapp.evaluations.overlays.site_key import site_key
from webapp.labelling.exports.people import by_name, by_pseudonym
from webapp.labelling.exports.selections import LabelWants
from webapp.labelling.projects.draft import terms_of
from webapp.labelling.projects.roles import Right, project_may_ensure
from webapp.platform.http.errors import ProductError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from webapp.accounts.viewer import Viewer
    from webapp.evaluations.overlays.models import KeptOverlay
    from webapp.labelling.exports.people import Named
    from webapp.labelling.exports.selections import SelectedLabel, Selection
    from webapp.labelling.projects.draft import Draft
    from webapp.labelling.projects.models import Project

_Says: TypeAlias = tuple[CorrectionKind | None, frozenset[str], str]
"""What a label says of the benchmark's: the kind of correction, None for an ordinary one; new answers; rewording."""


@dataclass
class CorrectionTally:
    """What became of the corrected questions."""

    corrected: Counter[CorrectionKind] = field(default_factory=Counter)
    disputed: int = 0
    """The number of questions without a correction, as no view of their annotators has a majority."""


def export_overlay(project: Project, *, selection: Selection, viewer: Viewer, pseudonyms: bool, signer: str) -> str:
    """The corrections of a project's labels as a signed file.

    Raises:
        ProductError: the viewer may not, or no label says that the benchmark is not right.

    """
    project_may_ensure(project, viewer, Right.REVIEW)
    named = by_pseudonym(project) if pseudonyms else by_name
    written, tally = overlay_written(project, selection, named, signer)
    if not tally.corrected:
        message = (
            "No question of this project is corrected: no label says that a benchmark is wrong, that a question "
            "cannot be answered or has to be reworded, or those who labelled it do not agree."
        )
        raise ProductError(409, "nothing_corrected", message, disputed=tally.disputed)
    return written


def keep_overlay(
    project: Project, *, selection: Selection, viewer: Viewer, pseudonyms: bool, signer: str
) -> KeptOverlay:
    """Keep the corrections of a project's labels for evaluations; where the same are kept already, those.

    Raises:
        ProductError: the viewer may not, or no label says that the benchmark is not right.

    """
    may_ensure(viewer, Action.MANAGE_EVALUATIONS)
    written = export_overlay(project, selection=selection, viewer=viewer, pseudonyms=pseudonyms, signer=signer)
    return overlay_keep_signed(file=written, name=project.title, dataset=project.dataset, viewer=viewer)


def overlay_written(project: Project, selection: Selection, named: Named, signer: str) -> tuple[str, CorrectionTally]:
    """The signed file, and what became of the corrected questions."""
    tally = CorrectionTally()
    dataset = project.dataset
    overlay = Overlay(
        dataset.name,
        dataset.identity,
        dataset.identity_algorithm,
        signer,
        now(),
        tuple(_corrections(project, selection, named, tally)),
    )
    return signed(overlay, site_key()), tally


def _corrections(project: Project, selection: Selection, named: Named, tally: CorrectionTally) -> Iterator[Correction]:
    labels = selection.labels(project, LabelWants(named, known=False, moves=False))
    counting = (label for label in labels if not label.of_round)
    for _, group in groupby(counting, key=lambda label: label.question.pk):
        together = list(group)
        views = Counter(_says(label.draft) for label in together)
        (says, most), *others = views.most_common()
        if any(count == most for _, count in others) and any(view[0] for view in views):
            tally.disputed += 1
        elif says[0] is not None:
            tally.corrected[says[0]] += 1
            agreed = [label for label in together if _says(label.draft) == says]
            yield _correction(says[0], agreed, most / len(together))
        elif any(view[0] for view in views):
            tally.disputed += 1


def _says(draft: Draft) -> _Says:
    match draft.kind:
        case "benchmark" if draft.benchmark is not None:
            return CorrectionKind(draft.benchmark), frozenset(draft.marked), ""
        case "unanswerable":
            return CorrectionKind.UNANSWERABLE, frozenset(), ""
        case "reword":
            return CorrectionKind.REWORDED, frozenset(), " ".join(draft.rewording.split())
    return None, frozenset(), ""


def _correction(kind: CorrectionKind, agreed: Sequence[SelectedLabel], agreement: float) -> Correction:
    first = agreed[0]
    question, draft = first.question.to_benchmark(), first.draft
    new: tuple[GoldParse, ...] | None = None
    if kind is CorrectionKind.REWORDED:
        new = question.parses
    elif kind is CorrectionKind.UNANSWERABLE:
        new = (GoldParse(question.topic, frozenset(), None, _lacks(draft)),)
    elif draft.marked:
        topic = question.topic if draft.topic is None else Entity(draft.topic)
        new = (GoldParse(topic, frozenset(terms_of(draft.marked)), None, f"corrected: {kind.value}"),)
    ends = [cast("str", label.about["submitted_at"]) for label in agreed if label.about.get("submitted_at")]
    return Correction(
        question_id=first.question.question_id,
        kind=kind,
        old=question.parses,
        new=new,
        rewording=" ".join(draft.rewording.split()) if kind is CorrectionKind.REWORDED else "",
        reason="; ".join(dict.fromkeys(note for label in agreed if (note := _reason(label.draft)))),
        who=tuple(sorted(who for label in agreed if (who := label.about.get("who")))),
        agreement=agreement,
        at=max(ends, default=""),
    )


def _lacks(draft: Draft) -> str:
    return f"{draft.missing.what} missing" if draft.missing is not None else "unanswerable"


def _reason(draft: Draft) -> str:
    """The reason of the annotator or reviewer, in their own words."""
    notes = [draft.note, draft.missing.note if draft.kind == "unanswerable" and draft.missing is not None else ""]
    return "; ".join(note.strip() for note in notes if note.strip())
