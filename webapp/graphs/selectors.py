"""Reads of graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings

from kgstore.freebase.labels import relation_label
from kgstore.library import UnreadableGraph
from kgstore.loading.formats.registry import FORMATS
from kgstore.store import EntityMatch, GraphStoreError
from kgstore.terms import Entity, Relation
from reasoning.core.errors import QuestionTextError
from reasoning.evaluation.reporting.cells import harmless
from reasoning.question.kinds import kinds_beginning
from reasoning.question.namesakes import distinguished, kind_words, namesakes
from reasoning.question.recognition import recognise
from webapp import engine
from webapp.accounts.permissions import Action, may, may_ensure
from webapp.graphs.models import GraphLoad
from webapp.graphs.schemas import (
    CommonRelationOut,
    DependentOut,
    EntityOut,
    GraphFormatOut,
    GraphLoadOut,
    GraphLoadPageOut,
    GraphOut,
    PassedOverOut,
    PassedOverPageOut,
    RecognisedOut,
)
from webapp.graphs.services import why_kept
from webapp.health.readiness import no_worker_reason
from webapp.platform.dependents import Thing, dependents_count
from webapp.platform.http.errors import ProductError, graph_error
from webapp.platform.work.queues import Queue
from webapp.platform.work.states import OVER, Status
from webapp.uploads.selectors import upload_out

if TYPE_CHECKING:
    import uuid
    from collections.abc import Iterator, Mapping

    from kgstore.commonest import CommonPredicate
    from kgstore.store import EntityCard, GraphInfo
    from webapp.accounts.viewer import Viewer
    from webapp.uploads.models import Upload
    from webapp.uploads.schemas import UploadOut

LOADS_SHOWN = 20
COMMONEST_SHOWN = 3


def graph_list(*, viewer: Viewer) -> list[GraphOut]:
    """All graphs of this site, the default one first. One that cannot be read says why.

    Raises:
        GraphStoreError: it cannot even be said which there are.

    """
    infos = engine.graph_library().infos()
    in_full = may(viewer, Action.READ_FAULTS)
    listed = [_unreadable(info, in_full) if isinstance(info, UnreadableGraph) else _graph(info) for info in infos]
    return sorted(listed, key=lambda graph: (not graph.is_default, graph.title))


def _graph(info: GraphInfo) -> GraphOut:
    return GraphOut(
        name=info.name,
        title=info.title,
        version=info.version,
        entities=info.entities,
        triples=info.triples,
        predicates=info.predicates,
        source=info.source,
        filters=list(info.filters),
        loaded_at=info.loaded_at,
        named=info.named,
        commonest=[_common(each) for each in info.commonest[:COMMONEST_SHOWN]],
        advice=list(info.advice),
        is_default=info.name == engine.default_graph(),
        fault=None,
        kept=why_kept(info.name),
    )


def _common(common: CommonPredicate) -> CommonRelationOut:
    label = relation_label(Relation(common.predicate, label=common.label))
    return CommonRelationOut(label=label.label, context=label.context, triples=common.triples)


def _unreadable(graph: UnreadableGraph, in_full: bool) -> GraphOut:  # noqa: FBT001 - of one call
    return GraphOut(
        name=graph.name,
        title=graph.name,
        version="",
        entities=0,
        triples=0,
        predicates=0,
        source="",
        filters=[],
        loaded_at="",
        named=None,
        commonest=[],
        advice=[],
        is_default=graph.name == engine.default_graph(),
        fault=graph.error.for_operators if in_full else graph.error.for_people,
        kept=why_kept(graph.name),
    )


def entity_search(*, graph: str, text: str, limit: int) -> list[EntityOut]:
    """Entities of a graph by what was typed so far, best known first; then types.

    Where no name begins so, those that are spelt nearly so.

    Raises:
        ProductError: there is no such graph, or it cannot be read.

    """
    try:
        store = engine.graph(graph)
        matches = [*(store.search(text, limit) or store.similar([text]).get(text, ()))] if text.strip() else []
        known = {match.card.entity for match in matches}
        named = {Entity(kind): name for kind, name in kinds_beginning(text, store).items() if Entity(kind) not in known}
        types = store.cards([*named][: max(limit - len(matches), 0)])
        matches = [*matches[:limit], *(EntityMatch(card, named[kind]) for kind, card in types.items())]
        apart = distinguished(namesakes(match.card for match in matches), store)
    except GraphStoreError as error:
        raise graph_error(error, status=404) from error
    return [_entity(match.card, match.matched, apart) for match in matches]


def question_recognised(*, graph: str, question: str) -> list[RecognisedOut]:
    """What a question that is being typed seems to name.

    Raises:
        ProductError: there is no such graph, it cannot be read, or the question holds what no text may hold.

    """
    try:
        store = engine.graph(graph)
        found = recognise(question, store)
        apart = distinguished(namesakes(card for each in found for card in each.cards), store)
    except QuestionTextError as error:
        raise ProductError(422, error.code, error.for_people) from error
    except GraphStoreError as error:
        raise graph_error(error, status=404) from error
    return [
        RecognisedOut(
            start=each.start,
            end=each.end,
            likeness=each.likeness,
            entities=[_entity(card, card.name or card.entity.mid, apart) for card in each.cards],
        )
        for each in found
    ]


def _entity(card: EntityCard, matched: str, apart: Mapping[Entity, str]) -> EntityOut:
    return EntityOut(
        id=card.entity.mid,
        name=card.name or card.entity.mid,
        matched=matched,
        hint=apart.get(card.entity) or kind_words(card),
        popularity=card.popularity,
    )


def graph_dependents(*, name: str, viewer: Viewer) -> list[DependentOut]:
    """What rests on a graph, there or not.

    Raises:
        ProductError: the viewer may not remove graphs.

    """
    may_ensure(viewer, Action.MANAGE_GRAPHS)
    return [DependentOut(count=count, what=what) for what, count in dependents_count(Thing.GRAPH, name)]


def graph_load_get(*, load_id: uuid.UUID) -> GraphLoad:
    """A load.

    Raises:
        ProductError: there is none of this id.

    """
    load = GraphLoad.objects.select_related("starter", "file", "names_file").filter(pk=load_id).first()
    if load is None:
        raise ProductError(404, "unknown_load", "There is no such load. Choose one of the list.")
    return load


def graph_load_page(*, viewer: Viewer) -> GraphLoadPageOut:
    """The last loads, newest first, and what may be loaded."""
    last = GraphLoad.objects.select_related("starter", "file", "names_file").order_by("-created_at")[:LOADS_SHOWN]
    return GraphLoadPageOut(
        loads=[graph_load_out(load, viewer) for load in last],
        total=GraphLoad.objects.count(),
        formats=[GraphFormatOut(name=each.name, title=each.title, looks=each.looks) for each in FORMATS.values()],
        upload_mb=settings.ENVIRONMENT.upload_mb,
        waits=no_worker_reason(Queue.CPU_BACKGROUND),
        may_manage=may(viewer, Action.MANAGE_GRAPHS),
    )


def graph_load_out(load: GraphLoad, viewer: Viewer) -> GraphLoadOut:
    """A load, and how far it is."""
    return GraphLoadOut(
        id=load.pk,
        name=load.name,
        title=load.title,
        status=Status(load.status),
        reason=load.reason,
        format=load.format,
        names_from_ids=load.names_from_ids,
        file_name=load.file_name,
        names_file_name=load.names_file_name,
        sha256=load.sha256,
        replaces=load.replaces,
        stage=load.stage,
        lines=load.lines,
        done=load.done,
        total=load.total,
        fraction=load.fraction,
        malformed=load.malformed,
        kept=len(load.passed_over),
        triples=load.triples,
        version=load.version,
        created_at=load.created_at,
        finished_at=load.finished_at,
        starter=None if load.starter is None else load.starter.display_name,
        file=_left(load.file, load, viewer),
        names_file=_left(load.names_file, load, viewer),
    )


def passed_over(*, load: GraphLoad, viewer: Viewer, offset: int, limit: int) -> PassedOverPageOut:
    """Some of the lines that a load passed over.

    Raises:
        ProductError: the viewer may not: lines may hold what is in no graph.

    """
    may_ensure(viewer, Action.MANAGE_GRAPHS)
    lines = [PassedOverOut(**line) for line in load.passed_over[offset : offset + limit]]
    return PassedOverPageOut(lines=lines, kept=len(load.passed_over), total=load.malformed)


def passed_over_rows(*, load: GraphLoad, viewer: Viewer) -> Iterator[list[str]]:
    """All of them that are kept, as rows of a table with a head; the last one says how many more there were.

    Raises:
        ProductError: the viewer may not.

    """
    may_ensure(viewer, Action.MANAGE_GRAPHS)
    yield ["file", "line", "reason", "text"]
    for line in load.passed_over:
        yield [
            harmless(line["file"]),
            str(line["number"]),
            harmless(line["reason"]),
            harmless(line["text"]),
        ]
    if (more := load.malformed - len(load.passed_over)) > 0:
        yield ["", "", f"{more:,} more lines were passed over", ""]


def _left(upload: Upload | None, load: GraphLoad, viewer: Viewer) -> UploadOut | None:
    """A file that may be loaded once more."""
    is_own = upload is not None and viewer.user is not None and upload.owner_id == viewer.user.pk
    return upload_out(upload) if upload is not None and is_own and load.status in OVER else None
