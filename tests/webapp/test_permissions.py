"""What each role may do, and what others are told who may not."""

from __future__ import annotations

import pytest

from tests.webapp.told_by_services import STAFF_ONLY, refused
from webapp.accounts.models import Role, User
from webapp.accounts.permissions import Action, may, may_ensure
from webapp.accounts.viewer import Viewer

OWN_ACCOUNT = {Action.KEEP_ACCOUNT, Action.KEEP_EXPLORATIONS}
REVIEWS = {Action.LABEL, Action.READ_QUESTIONS, Action.REVIEW_CASES, Action.MANAGE_PROJECTS}
NOT_BY_TOKEN = (403, "not_by_token", "This is not for API tokens. Sign in in a browser to do it.")


def viewer(role: Role | None, *, by_token: bool = False) -> Viewer:
    return Viewer(None if role is None else User(role=role), None, "192.0.2.1", by_token=by_token)


@pytest.mark.parametrize(
    ("role", "allowed"),
    [
        (None, set()),
        (Role.ASKER, OWN_ACCOUNT),
        (Role.ANNOTATOR, OWN_ACCOUNT | {Action.LABEL}),
        (Role.REVIEWER, OWN_ACCOUNT | REVIEWS),
        (Role.ADMIN, set(Action)),
    ],
)
def test_a_role_decides_what_somebody_may(role: Role | None, allowed: set[Action]) -> None:
    assert {action for action in Action if may(viewer(role), action)} == allowed
    for action in allowed:
        may_ensure(viewer(role), action)


def test_a_token_opens_neither_the_account_nor_the_list_of_people() -> None:
    admin = viewer(Role.ADMIN, by_token=True)
    refusals = {Action.KEEP_ACCOUNT, Action.MANAGE_PEOPLE}
    assert {action for action in Action if not may(admin, action)} == refusals
    for action in refusals:
        assert refused(lambda what=action: may_ensure(admin, what)) == NOT_BY_TOKEN
    may_ensure(admin, Action.MANAGE_DATASETS)


def test_a_token_gives_nobody_more_than_their_role() -> None:
    asker = viewer(Role.ASKER, by_token=True)
    assert {action for action in Action if may(asker, action)} == {Action.KEEP_EXPLORATIONS}
    assert refused(lambda: may_ensure(asker, Action.MANAGE_DATASETS)) == STAFF_ONLY


def test_who_may_not_is_reported_who_may() -> None:
    visitor, asker, reviewer = map(viewer, (None, Role.ASKER, Role.REVIEWER))
    sign_in = "You are not signed in. Sign in{} to do this."
    assert refused(lambda: may_ensure(visitor, Action.KEEP_ACCOUNT)) == (401, "sign_in_first", sign_in.format(""))
    as_reviewer = sign_in.format(" as a reviewer or an administrator")
    assert refused(lambda: may_ensure(visitor, Action.READ_QUESTIONS)) == (401, "sign_in_first", as_reviewer)
    annotators = (403, "annotators_only", "Only annotators may do this. Sign in as one.")
    assert refused(lambda: may_ensure(asker, Action.LABEL)) == annotators
    reviewers = (403, "reviewers_only", "Only reviewers and administrators may do this. Sign in as one.")
    assert refused(lambda: may_ensure(asker, Action.READ_QUESTIONS)) == reviewers
    assert refused(lambda: may_ensure(reviewer, Action.READ_AUDIT_LOG)) == STAFF_ONLY
