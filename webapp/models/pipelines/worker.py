"""Worker side of a chain: it goes from link to link, and waits where a link's own work takes its time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Q

from webapp.models.pipelines.links import AFTER, LINKS, write
from webapp.models.pipelines.models import Chain, Link
from webapp.models.pipelines.transitions import chains
from webapp.platform.work.states import Status
from webapp.platform.work.worker import worker_of

if TYPE_CHECKING:
    from webapp.platform.work.turn import Turn


@worker_of(chains)
def chain_work(turn: Turn[Chain]) -> None:
    """Take a chain as far as it goes."""
    chain = turn.item
    while True:
        turn.check()
        link = Link(chain.link)
        LINKS[link](chain)
        works = chain.works
        if failed := next((work for work in works if work.is_over and work.status != Status.SUCCEEDED), None):
            chains.fail(chain, failed.reason or "The work of this link was stopped. Go on from here to take it up.")
            return
        if any(not work.is_over for work in works):
            chains.wait(chain)
            return
        following = AFTER[link]
        write(chain, link=following)
        if following is Link.REVIEW:
            chains.close(chain.pk, Status.SUCCEEDED, only=Q(claim=chain.claim))
            return
