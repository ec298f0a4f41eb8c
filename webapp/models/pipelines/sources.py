"""What a model may learn from. Another kind of source is one more `SourceKind`, in `_KINDS`.

Of each source a snapshot is made before anything trains, so that it is known for ever what went into a model. The
bundled sample is one of itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal
from uuid import UUID

from reasoning.datasets.identity import SNAPSHOT_ALGORITHM
from reasoning.datasets.registry import FORMATS
from reasoning.training.lessons.weak import PRECISION
from webapp import engine
from webapp.datasets.models import Dataset
from webapp.datasets.selectors import dataset_get
from webapp.evaluations.overlays.models import KeptOverlay
from webapp.labelling.exports.selections import ACCEPTED
from webapp.labelling.exports.snapshot import accepted_snapshot
from webapp.labelling.projects.models import Project
from webapp.labelling.projects.selectors import project_get
from webapp.models.pipelines.confirmed import confirmed_counts, confirmed_snapshot
from webapp.models.pipelines.schemas import OverlayChoiceOut, SourceIn, SourceOut
from webapp.platform.http.errors import ProductError
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from webapp.accounts.viewer import Viewer

OFFERED = 50
"""Maximum of sources of a kind that are offered, the newest first."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Something of a kind that may be learned from."""

    key: str
    """What tells it from others of its kind: an id."""
    title: str
    questions: int | None
    """How many there are now; None if not counted."""
    graph: str = ""
    """The graph of the training; empty if the user who starts it chooses one."""
    overlays: tuple[tuple[str, str], ...] = ()
    """The ids and names of the corrections that may be laid over."""
    least_precision: float | None = None
    """Where derivations are found from answers alone: the usual least precision of one; None where they are gold."""


@dataclass(frozen=True, slots=True)
class SourceKind:
    """A kind of source."""

    name: str
    title: str
    offers: Callable[[Viewer], Iterable[Offer]]
    find: Callable[[str, Viewer], Offer]
    """What a key means; raises `ProductError` where there is no such thing for the viewer."""
    snapshot: Callable[[str, Viewer], Dataset | None]
    """The dataset of what there is now; None for the bundled sample. Raises `ProductError`, `DatasetError`."""
    topics: Literal["named", "given"] = "named"


def sources_offered(viewer: Viewer) -> list[SourceOut]:
    """All that may be learned from, kind by kind."""
    return [
        SourceOut(
            kind=kind.name,
            kind_title=kind.title,
            key=offer.key,
            title=offer.title,
            questions=offer.questions,
            graph=offer.graph,
            overlays=[OverlayChoiceOut(id=UUID(key), name=name) for key, name in offer.overlays],
            least_precision=offer.least_precision,
        )
        for kind in _KINDS.values()
        for offer in kind.offers(viewer)
    ]


def source_chosen(wanted: SourceIn, viewer: Viewer) -> dict[str, Any]:
    """A source as a pipeline keeps it.

    Raises:
        ProductError: there is no such kind, or no such source for the viewer, or the corrections are not of it.

    """
    kind = _KINDS.get(wanted.kind)
    if kind is None:
        known = ", ".join(_KINDS)
        raise ProductError(
            422, "unknown_source", f"There is no kind of source “{wanted.kind}”. Choose one of: {known}."
        )
    offer = kind.find(wanted.key, viewer)
    overlay = None if wanted.overlay is None else str(wanted.overlay)
    if overlay is not None and overlay not in dict(offer.overlays):
        raise ProductError(422, "unknown_overlay", f"These are no corrections of “{offer.title}”. Choose others.")
    precision = offer.least_precision
    if wanted.least_precision is not None:
        if precision is None:
            message = (
                f"“{offer.title}” teaches derivations that are known, so none has a least precision. Leave it out."
            )
            raise ProductError(422, "not_weak", message)
        precision = wanted.least_precision
    return {
        "kind": kind.name,
        "key": wanted.key,
        "title": offer.title,
        "graph": "" if kind.name == _BUNDLED else offer.graph or wanted.graph or engine.default_graph(),
        "share": wanted.share,
        "overlay": overlay,
        "least_precision": precision,
    }


def snapshot_made(source: Mapping[str, Any], viewer: Viewer) -> dict[str, Any]:
    """What a training is to read of a source, its snapshot made.

    Raises:
        ProductError, DatasetError: it cannot be made.

    """
    kind = _KINDS[source["kind"]]
    dataset = kind.snapshot(source["key"], viewer)
    return {
        "title": source["title"] if dataset is None else f"{dataset.name}, version {dataset.version}",
        "dataset": None if dataset is None else str(dataset.pk),
        "graph": source["graph"] or None,
        "share": source["share"],
        "topics": kind.topics,
        "overlay": source["overlay"],
        # Pipelines that were begun by an earlier version know no weak labels.
        "least_precision": source.get("least_precision"),
    }


def _uuid(key: str, what: str) -> UUID:
    try:
        return UUID(key)
    except ValueError as error:
        raise ProductError(422, "unknown_source", f"There is no such {what}. Choose one of the list.") from error


_BUNDLED = "sample"
_SAMPLE = Offer("", "The bundled sample", None)


def _teaching() -> Iterable[Dataset]:
    usable = Dataset.objects.filter(status=Status.SUCCEEDED, archived_at__isnull=True, train__gt=0)
    teaching = [name for name, format_ in FORMATS.items() if not format_.of_people and not format_.own_graphs]
    return usable.filter(format__in=teaching).order_by("-created_at")[:OFFERED]


def _dataset_offer(dataset: Dataset, *, least_precision: float | None = None) -> Offer:
    overlays = KeptOverlay.objects.filter(identity=dataset.identity, algorithm=SNAPSHOT_ALGORITHM)
    return Offer(
        str(dataset.pk),
        f"{dataset.name}, version {dataset.version}",
        dataset.train,
        overlays=tuple((str(row.pk), row.name) for row in overlays),
        least_precision=least_precision,
    )


def _weak_offer(dataset: Dataset) -> Offer:
    return _dataset_offer(dataset, least_precision=PRECISION)


def _dataset(key: str, _: Viewer) -> Dataset:
    dataset = dataset_get(dataset_id=_uuid(key, "dataset"))
    if not dataset.is_loaded:
        raise ProductError(422, "not_loaded", f"“{dataset.name}” is not loaded. Wait until it is, or choose another.")
    return dataset


def _projects(_: Viewer) -> Iterable[Offer]:
    found = Project.objects.filter(archived_at__isnull=True).order_by("-created_at")[:OFFERED]
    offers = (_project_offer(project) for project in found)
    return [offer for offer in offers if offer.questions]


def _project_offer(project: Project) -> Offer:
    return Offer(str(project.pk), f"Accepted labels of {project.title}", ACCEPTED.count(project), graph=project.graph)


def _project(key: str, viewer: Viewer) -> Project:
    return project_get(project_id=_uuid(key, "project"), viewer=viewer)


def _confirmed_offer(graph: str, questions: int) -> Offer:
    return Offer(graph, f"Confirmed answers on {graph}", questions, graph=graph)


def _confirmed(graph: str, _: Viewer) -> Offer:
    counts = confirmed_counts()
    if graph not in counts:
        message = "No answer on this graph is confirmed that may be learned from. Choose one of the list."
        raise ProductError(422, "unknown_source", message)
    return _confirmed_offer(graph, counts[graph])


_KINDS = {
    kind.name: kind
    for kind in (
        SourceKind(
            "labels",
            "Accepted labels",
            _projects,
            lambda key, viewer: _project_offer(_project(key, viewer)),
            lambda key, viewer: accepted_snapshot(_project(key, viewer), viewer=viewer),
        ),
        SourceKind(
            "confirmed",
            "Confirmed answers to what people asked",
            lambda _: [_confirmed_offer(graph, count) for graph, count in confirmed_counts().items()],
            _confirmed,
            confirmed_snapshot,
        ),
        SourceKind(
            "dataset",
            "Datasets",
            lambda _: map(_dataset_offer, _teaching()),
            lambda key, viewer: _dataset_offer(_dataset(key, viewer)),
            _dataset,
            topics="given",
        ),
        SourceKind(
            "weak",
            "Weak labels, found from answers alone",
            lambda _: map(_weak_offer, _teaching()),
            lambda key, viewer: _weak_offer(_dataset(key, viewer)),
            _dataset,
            topics="given",
        ),
        SourceKind(_BUNDLED, "Bundled", lambda _: [_SAMPLE], lambda _key, _viewer: _SAMPLE, lambda _key, _viewer: None),
    )
}
