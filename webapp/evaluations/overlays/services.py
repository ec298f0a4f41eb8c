"""What people change of overlays: they keep and remove them, and let evaluations be judged under them."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NoReturn

from django.db import IntegrityError, transaction

from kgstore.characters import character_fault
from kgstore.store import GraphStoreError
from reasoning.datasets.identity import canonical
from reasoning.datasets.overlay import OverlayError, overlay_in
from webapp.accounts.audit import audited
from webapp.accounts.models import Audited
from webapp.accounts.permissions import Action, may_ensure
from webapp.asking.runs.services import ask_allowance_take
from webapp.datasets.models import Dataset
from webapp.evaluations.overlays.judging import judging
from webapp.evaluations.overlays.models import MAX_SIGNER_LENGTH, MAX_TIME_LENGTH, KeptOverlay, OverlaidEvaluation
from webapp.evaluations.overlays.selectors import corrected_dataset, overlay_with
from webapp.evaluations.selectors import evaluation_graph_changed
from webapp.platform.http.errors import ProductError, graph_error, room_ensure
from webapp.platform.work.states import OVER, Status
from webapp.uploads.services import upload_consume, upload_hold, upload_release

if TYPE_CHECKING:
    import uuid

    from reasoning.datasets.overlay import SignedOverlay
    from webapp.accounts.viewer import Viewer
    from webapp.evaluations.models import Evaluation
    from webapp.uploads.models import Upload

MAX_BYTES = 20_000_000
"""So large a file of corrections may be: it is read as a whole. A thousand corrections have about a million bytes."""


def overlay_keep(*, evaluation: Evaluation, upload_id: uuid.UUID, viewer: Viewer) -> KeptOverlay:
    """Keep a file that was sent, for the evaluations that ask the same questions; one that is kept already is that one.

    Raises:
        ProductError: the viewer may not, or the file is too large, no overlay, not signed, altered, or corrects
            another dataset.

    """
    may_ensure(viewer, Action.MANAGE_EVALUATIONS)
    room_ensure()
    dataset = corrected_dataset(evaluation)
    upload = upload_hold(upload_id=upload_id, viewer=viewer)
    try:
        overlay = _kept(_content(upload), upload.name, dataset, viewer)
    except BaseException:
        upload_release(upload)
        raise
    upload_consume(upload)
    return overlay


def overlay_keep_signed(*, file: str, name: str, dataset: Dataset, viewer: Viewer) -> KeptOverlay:
    """Keep what this site signed just now of a dataset; where it keeps the same corrections already, that.

    Raises:
        ProductError: the viewer may not.

    """
    may_ensure(viewer, Action.MANAGE_EVALUATIONS)
    room_ensure()
    return overlay_with(overlay_in(file).overlay) or _kept(file, name, dataset, viewer)


def overlay_remove(*, overlay: KeptOverlay, viewer: Viewer) -> None:
    """Remove an overlay, and the figures under it.

    Raises:
        ProductError: the viewer may not.

    """
    may_ensure(viewer, Action.MANAGE_EVALUATIONS)
    with transaction.atomic():
        removed, _ = KeptOverlay.objects.filter(pk=overlay.pk).delete()
        if removed:
            audited(viewer, Audited.OVERLAY_REMOVED, _title(overlay), before=_described(overlay))


def overlaid_begin(*, evaluation: Evaluation, overlay: KeptOverlay, viewer: Viewer) -> None:
    """Let a worker judge an evaluation under an overlay, unless that is done or under way.

    It counts as a question that is asked, since it takes as long.

    Raises:
        ProductError: the evaluation is not over, judged nothing, or its graph is not what it was; or one may ask
            no more.

    """
    room_ensure()
    if evaluation.finished_at is None:
        raise ProductError(409, "not_over", "This evaluation is running. Apply corrections once it has ended.")
    if evaluation.figures is None:
        raise ProductError(409, "nothing_judged", "No question was judged, so corrections change nothing.")
    known = OverlaidEvaluation.objects.filter(evaluation=evaluation, overlay=overlay).first()
    if known is not None and not _is_due(known, evaluation):
        return
    try:
        changed = evaluation_graph_changed(evaluation)
    except GraphStoreError as error:
        raise graph_error(error, status=409) from error
    if changed:
        message = (
            f"The graph “{evaluation.graph_title}” was loaded again since, so what was answered cannot be judged under "
            "corrections any more. Start a new evaluation."
        )
        raise ProductError(409, "graph_changed", message)
    ask_allowance_take(viewer=viewer)
    try:
        with transaction.atomic():
            item = OverlaidEvaluation.objects.select_for_update().filter(evaluation=evaluation, overlay=overlay).first()
            if item is None:
                item = OverlaidEvaluation(evaluation=evaluation, overlay=overlay)
            elif not _is_due(item, evaluation):
                return
            item.evaluation_ended, item.done, item.report = evaluation.finished_at, 0, None
            judging.begin(item)
    except IntegrityError as error:
        if not OverlaidEvaluation.objects.filter(evaluation=evaluation, overlay=overlay).exists():
            # Another process started it, or the overlay was removed.
            raise ProductError(404, "unknown_overlay", "These corrections are not here any more.") from error


def _is_due(item: OverlaidEvaluation, evaluation: Evaluation) -> bool:
    if item.status not in OVER:
        return False
    return item.status != Status.SUCCEEDED or item.evaluation_ended != evaluation.finished_at


def _content(upload: Upload) -> str:
    if upload.bytes > MAX_BYTES:
        message = (
            f"“{upload.name}” is too large: a file of corrections may have {MAX_BYTES / 1e6:,.0f} MB. "
            "Send fewer corrections, or evaluate with them on the command line."
        )
        raise ProductError(413, "too_large", message, limit=MAX_BYTES)
    try:
        return upload.path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        _refuse(upload.name, "is no overlay: it is not JSON.")


def _kept(content: str, name: str, dataset: Dataset, viewer: Viewer) -> KeptOverlay:
    try:
        signed = overlay_in(content)
    except OverlayError as error:
        _refuse(name, str(error))
    overlay = signed.overlay
    texts = (overlay.dataset, overlay.identity, overlay.algorithm, overlay.signer, overlay.made_at)
    if any(map(character_fault, texts)) or len(overlay.made_at) > MAX_TIME_LENGTH:
        _refuse(name, "is signed, but says in characters that cannot be kept who signed it, or what it corrects.")
    if (overlay.identity, overlay.algorithm) != (dataset.identity, dataset.identity_algorithm):
        raise _of_another(signed, name, dataset)
    row = KeptOverlay(
        identity=overlay.identity,
        algorithm=overlay.algorithm,
        file=content,
        sha256=hashlib.sha256(canonical(overlay.to_json())).hexdigest(),
        key=signed.key,
        signer=overlay.signer[:MAX_SIGNER_LENGTH],
        made_at=overlay.made_at,
        corrections=len(overlay.corrections),
        name=name[:300],
        keeper=viewer.user,
    )
    try:
        with transaction.atomic():
            row.save()
            audited(viewer, Audited.OVERLAY_KEPT, _title(row), after=_described(row))
    except IntegrityError:
        return KeptOverlay.objects.get(sha256=row.sha256, key=row.key)
    return row


def _refuse(name: str, why: str) -> NoReturn:
    raise ProductError(422, "overlay_refused", f"“{name}” {why}")


def _of_another(signed: SignedOverlay, name: str, dataset: Dataset) -> ProductError:
    overlay = signed.overlay
    here = Dataset.objects.filter(identity=overlay.identity, identity_algorithm=overlay.algorithm).first()
    other = (
        f"“{overlay.dataset}” (questions {overlay.identity[:12]}), which is not on this site"
        if here is None
        else f"“{here.name}”, version {here.version}"
    )
    message = (
        f"“{name}” corrects {other}. This evaluation asked “{dataset.name}”, version {dataset.version} (questions "
        f"{dataset.identity[:12]}). Send corrections of that."
    )
    return ProductError(422, "other_dataset", message, dataset=overlay.dataset, identity=overlay.identity)


def _title(overlay: KeptOverlay) -> str:
    return f"{overlay.name}, signed by {overlay.signer}"


def _described(overlay: KeptOverlay) -> str:
    count = overlay.corrections
    return f"{count:,} correction{'' if count == 1 else 's'}, key {overlay.key[:12]}"
