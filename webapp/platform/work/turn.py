"""A worker's turn at an item: its lease is renewed meanwhile, and whatever breaks the turn off is noted at the item."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from django.db import InterfaceError, OperationalError

from kgstore.store import GraphStoreError
from reasoning.core.errors import ReasoningError
from webapp.platform.disk import is_no_room
from webapp.platform.work.lease import ClaimLostError, lease_renewed
from webapp.platform.work.state_machine import WorkItem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from webapp.platform.work.state_machine import StateMachine

log = logging.getLogger(__name__)

Item = TypeVar("Item", bound=WorkItem)


class HandedBackError(Exception):
    """What is left of an item goes back to the queue: the worker is to stop, or somebody waits for it."""


@contextmanager
def turn_at(machine: StateMachine[Item], item: Item, *, disk_full: str, broke: str) -> Iterator[Callable[[], bool]]:
    """Hold a claimed item while it is worked on; what is yielded tells whether the claim is lost.

    Whoever works raises `ClaimLostError` or `HandedBackError` to end the turn early. Whatever else is raised ends it,
    too: a fault that passes puts the item back for the next look of a worker's watch, any other fails it, with
    ``disk_full`` or ``broke`` as the reason where the fault has none of its own for people.
    """
    name = f"{type(item).__name__} {item.pk}"
    try:
        with lease_renewed(item.pk, partial(machine.renew, item)) as lost:
            yield lost
    except ClaimLostError:
        log.info("%s was stopped or taken over", name)
    except HandedBackError:
        machine.release(item)
    except (OperationalError, InterfaceError) as error:
        machine.fail_unwritten(item, error, disk_full)
    except (GraphStoreError, ReasoningError) as error:
        log.warning("%s: %s", name, error.for_operators)
        if error.retryable:
            machine.release(item, error.for_people, at_once=False)
        else:
            machine.fail(item, error.for_people)
    except Exception as error:
        if is_no_room(error):
            machine.fail_unwritten(item, error, disk_full)
        else:
            log.exception("%s broke", name)
            machine.fail(item, broke)
