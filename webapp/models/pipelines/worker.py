"""What a worker does for a chain: it goes from link to link, and waits where a link's own work takes its time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Q

from reasoning.datasets.errors import DatasetError
from webapp.datasets.files import datasets_folder
from webapp.models.pipelines.links import AFTER, LINKS, link_works, write
from webapp.models.pipelines.models import Chain, Link
from webapp.models.pipelines.transitions import chains
from webapp.platform.http.errors import ProductError
from webapp.platform.redaction import without_folders
from webapp.platform.work.lease import ClaimLostError
from webapp.platform.work.states import Status
from webapp.platform.work.turn import HandedBackError, turn_at

if TYPE_CHECKING:
    import uuid
    from collections.abc import Callable
    from datetime import timedelta

DISK_FULL = "The disk of this site is full. Free space, then go on from here."


def chain_work(*, chain_id: uuid.UUID, stopping: Callable[[], bool] = lambda: False) -> None:
    """Take a chain as far as it goes; safe to call at any time by many: only who wins the claim works."""
    chain = chains.claim(chain_id)
    if chain is None:
        return
    broke = "This link broke. See the worker's log, then go on from here."
    with turn_at(chains, chain, disk_full=DISK_FULL, broke=broke) as lost:
        try:
            _go_on(chain, lost, stopping)
        except ProductError as error:
            chains.fail(chain, error.message)
        except DatasetError as error:
            chains.fail(chain, without_folders(str(error), datasets_folder()))


def _go_on(chain: Chain, lost: Callable[[], bool], stopping: Callable[[], bool]) -> None:
    """Begin one link after the other.

    Raises:
        ClaimLostError: the chain was stopped, or another worker holds it.
        HandedBackError: the worker is to stop.
        ProductError, DatasetError: a link cannot begin.

    """
    while True:
        if lost():
            raise ClaimLostError
        if stopping():
            raise HandedBackError
        link = Link(chain.link)
        LINKS[link](chain)
        works = link_works(chain)
        if failed := next((work for work in works if work.is_over and work.status != Status.SUCCEEDED), None):
            chains.fail(chain, failed.reason or "The work of this link was stopped. Go on from here to take it up.")
            return
        if any(not work.is_over for work in works):
            chains.wait(chain)
            _wake_ended(chain.pk)
            return
        following = AFTER[link]
        write(chain, link=following)
        if following is Link.REVIEW:
            chains.close(chain.pk, Status.SUCCEEDED, only=Q(claim=chain.claim))
            return


def chains_recover(*, grace: timedelta) -> int:
    """Take up every chain whose worker is gone, and those that were not told that the work they wait for has ended."""
    waiting = Chain.objects.filter(status=Status.QUEUED, awaits=True).values_list("pk", flat=True)
    return chains.recover(grace=grace) + sum(map(_wake_ended, waiting))


def _wake_ended(pk: uuid.UUID) -> int:
    chain = Chain.objects.select_related("training", "evaluation", "baseline").get(pk=pk)
    return chains.wake(pk) if all(work.is_over for work in link_works(chain)) else 0
