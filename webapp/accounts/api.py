"""Signing in and out."""

from django.conf import settings
from django.http import HttpRequest
from django.middleware.csrf import get_token
from ninja import Router

from webapp.accounts.models import Role, User
from webapp.accounts.schemas import CredentialsIn, LimitsOut, SessionOut, UserOut
from webapp.accounts.services import session_close, session_open
from webapp.accounts.viewer import viewer
from webapp.errors import ErrorOut

router = Router(tags=["session"])


def _session(request: HttpRequest) -> SessionOut:
    user = request.user if isinstance(request.user, User) else None
    return SessionOut(
        user=None if user is None else UserOut(name=user.display_name, username=user.username, role=Role(user.role)),
        csrf_token=get_token(request),
        limits=LimitsOut(question_length=settings.ENVIRONMENT.question_length),
    )


@router.get("", response=SessionOut, operation_id="session_get")
def session_get(request: HttpRequest) -> SessionOut:
    """Who is looking, and the token for requests that change something."""
    return _session(request)


@router.post("", response={200: SessionOut, 401: ErrorOut, 403: ErrorOut, 429: ErrorOut}, operation_id="session_open")
def post(request: HttpRequest, payload: CredentialsIn) -> SessionOut:
    """Sign in."""
    session_open(request=request, address=viewer(request).address, username=payload.username, password=payload.password)
    return _session(request)


@router.delete("", response={200: SessionOut, 403: ErrorOut}, operation_id="session_close")
def delete(request: HttpRequest) -> SessionOut:
    """Sign out."""
    session_close(request=request)
    return _session(request)
