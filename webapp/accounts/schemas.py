"""API schemas of people, sessions, tokens and invitations."""

from datetime import datetime
from typing import Annotated

from ninja import Field, Schema

from webapp.accounts.models import Audited, Role
from webapp.platform.http.inputs import Input

Password = Annotated[str, Field(max_length=1_000)]
RoleIn = Annotated[Role, Field(strict=False)]
"""By its name, as JSON has it."""


class UserOut(Schema):
    """A signed-in user."""

    name: str
    username: str
    role: Role


class LimitsOut(Schema):
    """What a question may be."""

    question_length: int


class WaysInOut(Schema):
    """The ways to sign in, besides a name and a password."""

    mail: bool
    """Whether a forgotten password can be reset by mail."""
    single_sign_on: str | None
    """What people call the provider of single sign-on, where there is one."""


class SessionOut(Schema):
    """Who is looking, and what a page needs to know to ask."""

    user: UserOut | None
    csrf_token: str
    """To be sent as ``X-CSRFToken`` with every request that changes something."""
    limits: LimitsOut
    ways_in: WaysInOut


class CredentialsIn(Input):
    """A name and a password."""

    username: Annotated[str, Field(max_length=150)]
    password: Password


class AccountOut(Schema):
    """One's own account."""

    username: str
    name: str
    email: str
    role: Role
    has_password: bool
    """Whether it can sign in by a password."""


class NameIn(Input):
    """The display name that a user wants."""

    name: Annotated[str, Field(max_length=150)]


class PasswordIn(Input):
    """Another password."""

    old: Password
    new: Password
    keep_tokens: bool = False
    """Whether scripts go on with the tokens that there are; otherwise these are revoked."""


class EndedOut(Schema):
    """How many were ended."""

    ended: int


class PasswordChangedOut(Schema):
    """What a new password ended."""

    sessions: int
    """How many other sessions."""
    tokens: int
    """How many tokens that were good."""


class SignedInOut(Schema):
    """Where one is signed in."""

    id: int
    browser: str
    """In words: Firefox on Linux."""
    address: str
    """Shortened."""
    started_at: datetime
    seen_at: datetime
    is_this_one: bool


class TokenIn(Input):
    """A token for a script."""

    name: Annotated[str, Field(min_length=1, max_length=100)]
    days: Annotated[int, Field(ge=1, le=366)] = 90
    password: Password = ""
    """The password of the account; an account that signs in elsewhere has none."""


class TokenOut(Schema):
    """A token, without what it is."""

    id: int
    name: str
    created_at: datetime
    expires_at: datetime
    used_at: datetime | None


class NewTokenOut(TokenOut):
    """A token that was just made."""

    token: str
    """Shown this once."""


class EmailIn(Input):
    """An e-mail address."""

    email: Annotated[str, Field(max_length=254)]


class ResetIn(Input):
    """A password, by a mailed link."""

    key: Annotated[str, Field(max_length=200)]
    """What stands after the link's ``#``."""
    password: Password


class InvitationIn(Input):
    """Whom to invite, and as what."""

    email: Annotated[str, Field(max_length=254)]
    role: RoleIn


class InvitationOut(Schema):
    """An invitation that is not accepted."""

    id: int
    email: str
    role: Role
    inviter: str | None
    created_at: datetime
    expires_at: datetime
    mailed_at: datetime | None
    fault: str
    """Why the mail could not be sent; it is tried again for some minutes."""


class KeyIn(Input):
    """What stands after a mailed link's ``#``."""

    key: Annotated[str, Field(max_length=200)]


class InvitedOut(Schema):
    """What an invitation is for."""

    email: str
    role: Role


class AcceptIn(KeyIn):
    """The account that an invited person wants."""

    username: Annotated[str, Field(min_length=1, max_length=150)]
    name: Annotated[str, Field(max_length=150)] = ""
    password: Password


class PersonOut(Schema):
    """A user with an account, as administrators see them."""

    id: int
    username: str
    name: str
    email: str
    role: Role
    is_active: bool
    """Whether they can sign in; a closed account cannot."""
    joined_at: datetime
    last_sign_in_at: datetime | None
    sessions: int
    tokens: int


class PeoplePageOut(Schema):
    """Some of the people."""

    people: list[PersonOut]
    total: int


class PersonIn(Input):
    """What is to change; what is left out stays."""

    role: RoleIn | None = None
    is_active: bool | None = None


class AuditEntryOut(Schema):
    """One thing that an administrator did."""

    id: int
    at: datetime
    who: str
    what: Audited
    words: str
    """The same in words."""
    on: str
    before: str
    after: str
    address: str
