"""Signing in and out, one's own account, and the administration of accounts."""

from typing import Annotated

from django.conf import settings
from django.http import HttpRequest
from django.middleware.csrf import get_token
from ninja import Query, Router
from ninja import Status as Reply

from webapp.accounts.links import (
    invitation_accept,
    invitation_create,
    invitation_look,
    invitation_revoke,
    invitations,
    reset_ask,
    reset_do,
)
from webapp.accounts.mails import mail_is_configured
from webapp.accounts.models import ApiToken, Audited, AuditEntry, Invitation, Role, User
from webapp.accounts.people import (
    audit_page,
    people_page,
    person_close,
    person_get,
    person_reopen,
    person_sign_out,
    person_tokens_revoke,
    role_change,
)
from webapp.accounts.permissions import Action, may_ensure
from webapp.accounts.schemas import (
    AcceptIn,
    AccountOut,
    AuditEntryOut,
    CredentialsIn,
    EmailIn,
    EndedOut,
    InvitationIn,
    InvitationOut,
    InvitedOut,
    KeyIn,
    LimitsOut,
    NameIn,
    NewTokenOut,
    PasswordChangedOut,
    PasswordIn,
    PeoplePageOut,
    PersonIn,
    PersonOut,
    ResetIn,
    SessionOut,
    SignedInOut,
    TokenIn,
    TokenOut,
    UserOut,
    WaysInOut,
)
from webapp.accounts.services import name_change, own_password_check, password_change, session_close, session_open
from webapp.accounts.sessions import session_end, sessions_end, sessions_of
from webapp.accounts.single_sign_on import single_sign_on_name
from webapp.accounts.tokens import token_create, token_revoke, tokens_of
from webapp.accounts.viewer import viewer
from webapp.platform.http.errors import ErrorOut, ProductError
from webapp.platform.http.inputs import IdInPath

router = Router(tags=["session"])
account = Router(tags=["account"])
links = Router(tags=["account"])
people = Router(tags=["people"])

_OWN = {401: ErrorOut, 403: ErrorOut}


def _session(request: HttpRequest, user: User | None) -> SessionOut:
    return SessionOut(
        user=None if user is None else UserOut(name=user.display_name, username=user.username, role=Role(user.role)),
        csrf_token=get_token(request),
        limits=LimitsOut(question_length=settings.ENVIRONMENT.question_length),
        ways_in=WaysInOut(mail=mail_is_configured(), single_sign_on=single_sign_on_name()),
    )


def _browser_ensure(request: HttpRequest) -> None:
    if viewer(request).by_token:
        raise ProductError(403, "not_by_token", "This is not for API tokens. Sign in in a browser to do it.")


def _own(request: HttpRequest) -> User:
    """Whose account it is.

    Raises:
        ProductError: the request has no session, or a token.

    """
    known = viewer(request)
    may_ensure(known, Action.KEEP_ACCOUNT)
    assert known.user is not None  # noqa: S101 - who may keep an account has one
    return known.user


@router.get("", response={200: SessionOut, 401: ErrorOut}, operation_id="session_get")
def session_get(request: HttpRequest) -> SessionOut:
    """Who is looking, and the token for requests that change something."""
    return _session(request, viewer(request).user)


@router.post("", response={200: SessionOut, 401: ErrorOut, 403: ErrorOut, 429: ErrorOut}, operation_id="session_open")
def post(request: HttpRequest, payload: CredentialsIn) -> SessionOut:
    """Sign in."""
    _browser_ensure(request)
    return _session(request, session_open(request=request, username=payload.username, password=payload.password))


@router.delete("", response={200: SessionOut, 403: ErrorOut}, operation_id="session_close")
def delete(request: HttpRequest) -> SessionOut:
    """Sign out."""
    _browser_ensure(request)
    session_close(request=request)
    return _session(request, None)


def _account(user: User) -> AccountOut:
    return AccountOut(
        username=user.username,
        name=user.display_name,
        email=user.email,
        role=Role(user.role),
        has_password=user.has_usable_password(),
    )


@account.get("", response={200: AccountOut, **_OWN}, operation_id="account_get")
def account_get(request: HttpRequest) -> AccountOut:
    """One's own account."""
    return _account(_own(request))


@account.patch("", response={200: AccountOut, 422: ErrorOut, **_OWN}, operation_id="account_rename")
def account_rename(request: HttpRequest, payload: NameIn) -> AccountOut:
    """Be called something else."""
    user = _own(request)
    name_change(user=user, name=payload.name)
    return _account(user)


@account.post(
    "/password",
    response={200: PasswordChangedOut, 409: ErrorOut, 422: ErrorOut, 429: ErrorOut, **_OWN},
    operation_id="password_change",
)
def password(request: HttpRequest, payload: PasswordIn) -> PasswordChangedOut:
    """Take another password; all other sessions end, and all tokens unless they are kept."""
    ended = password_change(
        request=request, user=_own(request), old=payload.old, new=payload.new, keep_tokens=payload.keep_tokens
    )
    return PasswordChangedOut(sessions=ended.sessions, tokens=ended.tokens)


@account.get("/sessions", response={200: list[SignedInOut], **_OWN}, operation_id="own_session_list")
def session_list(request: HttpRequest) -> list[SignedInOut]:
    """Where one is signed in, last seen first."""
    return [
        SignedInOut(
            id=each.pk,
            browser=each.browser,
            address=each.address,
            started_at=each.started_at,
            seen_at=each.seen_at,
            is_this_one=each.session_key == request.session.session_key,
        )
        for each in sessions_of(_own(request))
    ]


@account.delete("/sessions", response={200: EndedOut, **_OWN}, operation_id="own_session_end_others")
def session_end_others(request: HttpRequest) -> EndedOut:
    """Sign out everywhere else."""
    return EndedOut(ended=sessions_end(user=_own(request), but=request.session.session_key))


@account.delete(
    "/sessions/{int:session_id}", response={204: None, 404: ErrorOut, **_OWN}, operation_id="own_session_end"
)
def session_end_one(request: HttpRequest, session_id: IdInPath) -> Reply[None]:
    """Sign out in one place."""
    session_end(user=_own(request), session_id=session_id)
    return Reply(204, None)


def _token(token: ApiToken) -> TokenOut:
    return TokenOut(
        id=token.pk,
        name=token.name,
        created_at=token.created_at,
        expires_at=token.expires_at,
        used_at=token.used_at,
    )


@account.get("/tokens", response={200: list[TokenOut], **_OWN}, operation_id="token_list")
def token_list(request: HttpRequest) -> list[TokenOut]:
    """One's own tokens for scripts, newest first."""
    return [_token(each) for each in tokens_of(_own(request))]


@account.post(
    "/tokens",
    response={201: NewTokenOut, 409: ErrorOut, 422: ErrorOut, 429: ErrorOut, **_OWN},
    operation_id="token_create",
)
def token_post(request: HttpRequest, payload: TokenIn) -> Reply[NewTokenOut]:
    """Make a token, which is shown only once. It takes the password: a token outlives the session that made it."""
    user = _own(request)
    own_password_check(request=request, user=user, password=payload.password)
    token, secret = token_create(user=user, name=payload.name, days=payload.days)
    return Reply(201, NewTokenOut(**_token(token).model_dump(), token=secret))


@account.delete("/tokens/{int:token_id}", response={204: None, 404: ErrorOut, **_OWN}, operation_id="token_revoke")
def token_delete(request: HttpRequest, token_id: IdInPath) -> Reply[None]:
    """Revoke a token."""
    token_revoke(user=_own(request), token_id=token_id)
    return Reply(204, None)


_LINK = {403: ErrorOut, 409: ErrorOut, 410: ErrorOut, 422: ErrorOut, 429: ErrorOut}


@links.post(
    "/reset/mail",
    response={202: None, 403: ErrorOut, 409: ErrorOut, 422: ErrorOut, 429: ErrorOut, 503: ErrorOut},
    operation_id="reset_ask",
)
def reset_mail(request: HttpRequest, payload: EmailIn) -> Reply[None]:
    """Mail a link to reset a password. The answer is the same if there is no such account."""
    _browser_ensure(request)
    reset_ask(request=request, email=payload.email)
    return Reply(202, None)


@links.post("/reset", response={204: None, **_LINK}, operation_id="reset_do")
def reset(request: HttpRequest, payload: ResetIn) -> Reply[None]:
    """Set a password by a mailed link; every session of the account ends."""
    _browser_ensure(request)
    reset_do(request=request, key=payload.key, password=payload.password)
    return Reply(204, None)


@links.post("/invitation", response={200: InvitedOut, **_LINK}, operation_id="invitation_look")
def invitation(request: HttpRequest, payload: KeyIn) -> InvitedOut:
    """What a mailed invitation is for."""
    _browser_ensure(request)
    known = invitation_look(request=request, key=payload.key)
    return InvitedOut(email=known.email, role=Role(known.role))


@links.post("/invitation/accept", response={201: SessionOut, **_LINK}, operation_id="invitation_accept")
def accept(request: HttpRequest, payload: AcceptIn) -> Reply[SessionOut]:
    """Make the account that an invitation is for, and sign in."""
    _browser_ensure(request)
    user = invitation_accept(
        request=request, key=payload.key, username=payload.username, name=payload.name, password=payload.password
    )
    return Reply(201, _session(request, user))


def _person(user: User) -> PersonOut:
    return PersonOut(
        id=user.pk,
        username=user.username,
        name=user.display_name,
        email=user.email,
        role=Role(user.role),
        is_active=user.is_active,
        joined_at=user.date_joined,
        last_sign_in_at=user.last_login,
        sessions=user.sessions,  # type: ignore[attr-defined]  # counted by the query
        tokens=user.tokens,  # type: ignore[attr-defined]
    )


@people.get("/people", response={200: PeoplePageOut, 422: ErrorOut, **_OWN}, operation_id="person_list")
def person_list(
    request: HttpRequest,
    q: Annotated[str, Query(max_length=200)] = "",
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=100)] = 30,
) -> PeoplePageOut:
    """People with accounts, by name."""
    found, total = people_page(viewer=viewer(request), text=q, offset=offset, limit=limit)
    return PeoplePageOut(people=[_person(each) for each in found], total=total)


_PERSON = {404: ErrorOut, **_OWN}


@people.patch(
    "/people/{int:person_id}",
    response={200: PersonOut, 409: ErrorOut, 422: ErrorOut, **_PERSON},
    operation_id="person_change",
)
def person_change(request: HttpRequest, person_id: IdInPath, payload: PersonIn) -> PersonOut:
    """Change the role of a user, or close or open their account."""
    who = viewer(request)
    person = person_get(viewer=who, person_id=person_id)
    if payload.role is not None:
        role_change(viewer=who, person=person, role=payload.role)
    if payload.is_active is not None:
        (person_reopen if payload.is_active else person_close)(viewer=who, person=person)
    return _person(person_get(viewer=who, person_id=person_id))


@people.delete("/people/{int:person_id}/sessions", response={200: EndedOut, **_PERSON}, operation_id="person_sign_out")
def person_sessions(request: HttpRequest, person_id: IdInPath) -> EndedOut:
    """Sign a user out everywhere."""
    who = viewer(request)
    return EndedOut(ended=person_sign_out(viewer=who, person=person_get(viewer=who, person_id=person_id)))


@people.delete(
    "/people/{int:person_id}/tokens", response={200: EndedOut, **_PERSON}, operation_id="person_tokens_revoke"
)
def person_tokens(request: HttpRequest, person_id: IdInPath) -> EndedOut:
    """Revoke all tokens of a user."""
    who = viewer(request)
    return EndedOut(ended=person_tokens_revoke(viewer=who, person=person_get(viewer=who, person_id=person_id)))


def _invitation(known: Invitation) -> InvitationOut:
    return InvitationOut(
        id=known.pk,
        email=known.email,
        role=Role(known.role),
        inviter=None if known.inviter is None else known.inviter.display_name,
        created_at=known.created_at,
        expires_at=known.expires_at,
        mailed_at=known.mailed_at,
        fault=known.fault,
    )


@people.get("/invitations", response={200: list[InvitationOut], **_OWN}, operation_id="invitation_list")
def invitation_list(request: HttpRequest) -> list[InvitationOut]:
    """Invitations that are not accepted, newest first."""
    return [_invitation(each) for each in invitations(viewer=viewer(request))]


@people.post(
    "/invitations",
    response={201: InvitationOut, 409: ErrorOut, 422: ErrorOut, 503: ErrorOut, **_OWN},
    operation_id="invitation_create",
)
def invite(request: HttpRequest, payload: InvitationIn) -> Reply[InvitationOut]:
    """Invite a person by mail."""
    known = invitation_create(viewer=viewer(request), email=payload.email, role=payload.role)
    return Reply(201, _invitation(known))


@people.delete("/invitations/{int:invitation_id}", response={204: None, **_PERSON}, operation_id="invitation_revoke")
def uninvite(request: HttpRequest, invitation_id: IdInPath) -> Reply[None]:
    """Take an invitation back."""
    invitation_revoke(viewer=viewer(request), invitation_id=invitation_id)
    return Reply(204, None)


def _entry(entry: AuditEntry) -> AuditEntryOut:
    return AuditEntryOut(
        id=entry.pk,
        at=entry.at,
        who=entry.who,
        what=Audited(entry.what),
        words=Audited(entry.what).label,
        on=entry.on,
        before=entry.before,
        after=entry.after,
        address=entry.address,
    )


@people.get("/audit", response={200: list[AuditEntryOut], 422: ErrorOut, **_OWN}, operation_id="audit_list")
def audit(
    request: HttpRequest,
    before: Annotated[int | None, Query(ge=1, le=2**62)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> list[AuditEntryOut]:
    """What administrators did, newest first."""
    return [_entry(each) for each in audit_page(viewer=viewer(request), before=before, limit=limit)]
