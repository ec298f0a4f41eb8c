"""What each role may do: one table, read by one function."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING

from webapp.accounts.models import Role
from webapp.platform.http.errors import ProductError

if TYPE_CHECKING:
    from webapp.accounts.viewer import Viewer


class Action(Enum):
    """What not everybody may do. Asking, and reading what one has the link of, is open to all."""

    KEEP_ACCOUNT = auto()
    """See and change one's own account: name, password, sessions, tokens."""
    KEEP_EXPLORATIONS = auto()
    """Keep what one drew of a graph, and see what others share with everybody who is signed in."""
    REMOVE_EXPLORATIONS = auto()
    """Remove what another user saved of a graph."""
    MANAGE_EVALUATIONS = auto()
    """Start, stop and resume evaluations."""
    MANAGE_DATASETS = auto()
    """Load, archive and remove datasets."""
    MANAGE_GRAPHS = auto()
    """Load, replace and remove graphs."""
    MANAGE_TRAININGS = auto()
    """Start, stop and resume trainings of scorers."""
    UPLOAD_FILES = auto()
    """Send files to the site, for what reads them."""
    CANCEL_ANY_RUN = auto()
    """Stop a run of another user."""
    MANAGE_PEOPLE = auto()
    """See everybody, change roles, invite, end sessions, revoke tokens."""
    READ_AUDIT_LOG = auto()
    """See what administrators did."""
    READ_QUESTIONS = auto()
    """Read the questions of others regardless of who else may, and whether people call the answers right."""
    REVIEW_CASES = auto()
    """Say what was to blame where an answer is not right."""
    LABEL = auto()
    """Label questions in the annotation projects that one is a member of."""
    MANAGE_PROJECTS = auto()
    """Make and change annotation projects, and read what everybody labelled in them."""
    READ_FAULTS = auto()
    """Read of a fault what the log says: where files lie, and what a store answered."""


_OF_EVERY_ROLE = frozenset({Action.KEEP_ACCOUNT, Action.KEEP_EXPLORATIONS})
_ACTIONS: dict[Role | None, frozenset[Action]] = {
    None: frozenset(),
    Role.ASKER: _OF_EVERY_ROLE,
    Role.ANNOTATOR: _OF_EVERY_ROLE | {Action.LABEL},
    Role.REVIEWER: _OF_EVERY_ROLE | {Action.LABEL, Action.READ_QUESTIONS, Action.REVIEW_CASES, Action.MANAGE_PROJECTS},
    Role.ADMIN: frozenset(Action),
}
"""By role; None is a visitor, who has no account."""
_REFUSED = {
    Role.ANNOTATOR: ("annotators_only", "annotators", "an annotator"),
    Role.REVIEWER: ("reviewers_only", "reviewers and administrators", "a reviewer or an administrator"),
    Role.ADMIN: ("staff_only", "administrators", "an administrator"),
}
"""By the first role that may: the code, and who may."""
_NEVER_BY_TOKEN = frozenset({Action.KEEP_ACCOUNT, Action.MANAGE_PEOPLE})
"""What a person does in a browser: a token that leaks opens no other door."""


def may(viewer: Viewer, action: Action) -> bool:
    """Whether a viewer has a permission."""
    return action in _ACTIONS[viewer.role] and not (viewer.by_token and action in _NEVER_BY_TOKEN)


def may_ensure(viewer: Viewer, action: Action) -> None:
    """Check that a viewer has a permission.

    Raises:
        ProductError: they may not; it says who may. 401 for visitors, 403 for users.

    """
    if may(viewer, action):
        return
    if viewer.by_token and action in _NEVER_BY_TOKEN:
        raise ProductError(403, "not_by_token", "This is not for API tokens. Sign in in a browser to do it.")
    if action in _OF_EVERY_ROLE:
        raise sign_in_first()
    code, who, one = next(each for role, each in _REFUSED.items() if action in _ACTIONS[role])
    if viewer.user is None:
        raise sign_in_first(f" as {one}")
    raise ProductError(403, code, f"Only {who} may do this. Sign in as one.")


def refusal(viewer: Viewer, code: str, message: str) -> ProductError:
    """The error if a viewer may not: 401 for a visitor, else 403 with a code of its own."""
    return ProductError(*((401, "sign_in_first") if viewer.user is None else (403, code)), message)


def sign_in_first(as_whom: str = "") -> ProductError:
    """The error for visitors; ``as_whom`` continues the sentence "Sign in"."""
    return ProductError(401, "sign_in_first", f"You are not signed in. Sign in{as_whom} to do this.")
