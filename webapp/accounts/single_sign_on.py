"""Single sign-on by OpenID Connect: Authlib speaks the protocol; whose account a person has is decided here."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

from authlib.common.errors import AuthlibBaseError
from authlib.integrations.django_client import DjangoOAuth2App, OAuth
from django.conf import settings
from django.contrib.auth import login
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_safe
from joserfc.errors import JoseError
from requests.exceptions import RequestException

from kgstore.characters import characters_mended
from webapp.accounts.audit import audited_by
from webapp.accounts.models import Audited, Role, User
from webapp.platform.environment import Rate
from webapp.platform.http.addresses import client_address
from webapp.platform.http.errors import ProductError
from webapp.platform.http.rate_limit import allowance_take, network_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpResponse

    from webapp.platform.environment import Provider

log = logging.getLogger(__name__)

_BACKEND = "django.contrib.auth.backends.ModelBackend"
_TIMEOUT_SECONDS = 10
_WHO: Final = "single sign-on"
_ASYMMETRIC = ("RS", "PS", "ES", "Ed")
"""Signatures that only the provider can make, by the beginnings of their names."""
_USERNAME_LENGTH = 150


class SignOnError(Exception):
    """A person cannot sign in that way; the page explains the code."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(detail or code)
        self.code = code


def single_sign_on_name() -> str | None:
    """What people call the provider; None where there is none."""
    environment = settings.ENVIRONMENT
    return None if environment.provider is None else environment.oidc_name


@require_safe
def start(request: HttpRequest) -> HttpResponse:
    """Redirect a person to the provider."""
    try:
        _allowed(request)
        reply: HttpResponse = _provider().authorize_redirect(request, _own_address())
    except (SignOnError, RequestException, AuthlibBaseError, ValueError, RuntimeError) as error:
        return _refused(error)
    return reply


@require_safe
def back(request: HttpRequest) -> HttpResponse:
    """Sign in a person who returns from the provider."""
    try:
        _allowed(request)
        user = _person(_claims(request), address=client_address(request))
    except (SignOnError, RequestException, AuthlibBaseError, JoseError, ValueError, RuntimeError) as error:
        return _refused(error)
    login(request, user, backend=_BACKEND)
    return HttpResponseRedirect("/")


def _allowed(request: HttpRequest) -> None:
    _known()
    try:
        allowance_take(
            what="single_sign_on", who=network_of(client_address(request)), rate=Rate("60/minute"), message=""
        )
    except ProductError as error:
        raise SignOnError("often") from error


def _known() -> Provider:
    provider = settings.ENVIRONMENT.provider
    if provider is None:
        raise SignOnError("off")
    return provider


def _provider() -> DjangoOAuth2App:
    """The provider, with what it says of itself.

    Raises:
        SignOnError: it is another one than the settings name.

    """
    known = _known()
    provider: DjangoOAuth2App = OAuth().register(
        "provider",
        client_id=known.client_id,
        client_secret=known.client_secret.get_secret_value(),
        server_metadata_url=f"{known.issuer.rstrip('/')}/.well-known/openid-configuration",
        client_kwargs={
            "scope": "openid email profile",
            "code_challenge_method": "S256",
            "default_timeout": _TIMEOUT_SECONDS,
        },
    )
    metadata = provider.load_server_metadata()
    if metadata.get("issuer") != known.issuer:
        raise SignOnError("provider", f"the provider calls itself {metadata.get('issuer')!r}, not {known.issuer!r}")
    offered = metadata.get("id_token_signing_alg_values_supported") or ["RS256"]
    metadata["id_token_signing_alg_values_supported"] = [name for name in offered if name.startswith(_ASYMMETRIC)]
    return provider


def _claims(request: HttpRequest) -> Mapping[str, Any]:
    """What the provider says of a person: signed by it, for this site, in answer to the request of this very session.

    Raises:
        SignOnError: they gave up at the provider, or it named no user.
        AuthlibBaseError: state, code or claims are not right.
        JoseError: the signature is not right, or what it holds.

    """
    if request.GET.get("error") == "access_denied":
        raise SignOnError("denied")
    known = _known()
    token = _provider().authorize_access_token(
        request,
        claims_options={
            "iss": {"essential": True, "value": known.issuer},
            "aud": {"essential": True, "value": known.client_id},
        },
    )
    claims = token.get("userinfo")
    if not claims or not claims.get("sub"):
        raise SignOnError("provider", "the provider sent no identity")
    return dict(claims)


def _person(claims: Mapping[str, Any], *, address: str) -> User:
    """Whose account this is: known by the provider's subject, else by the verified address, else a new one.

    Raises:
        SignOnError: the address is not verified, belongs to several accounts, or the account is closed.

    """
    issuer, subject = _known().issuer, str(claims["sub"])
    with transaction.atomic():
        user = User.objects.filter(sso_issuer=issuer, sso_subject=subject).first()
        if user is None:
            user = _by_address(claims)
            if user.pk is not None and user.sso_subject:
                raise SignOnError("other_person", f"{user.username} is another person at the provider")
            user.sso_issuer, user.sso_subject = issuer, subject
            try:
                user.save()
            except IntegrityError as error:
                raise SignOnError("again", "another request made the account at the same time") from error
        if not user.is_active:
            raise SignOnError("closed")
        _role_follow(user, claims, address=address)
    return user


def _by_address(claims: Mapping[str, Any]) -> User:
    email = str(claims.get("email") or "")
    if not email or claims.get("email_verified") is not True:
        raise SignOnError("unverified")
    known = list(User.objects.filter(email__iexact=email)[:2])
    if len(known) > 1:
        raise SignOnError("ambiguous", f"several accounts have the address {email}")
    if known:
        return known[0]
    user = User(
        username=_free_name(str(claims.get("preferred_username") or email.partition("@")[0])),
        first_name=" ".join(characters_mended(str(claims.get("name") or "")).split())[:_USERNAME_LENGTH],
        email=email,
        role=Role.ASKER,
    )
    user.set_unusable_password()
    return user


def _free_name(wanted: str) -> str:
    """A user name that is not taken."""
    allowed = "".join(letter for letter in User.normalize_username(wanted) if letter.isalnum() or letter in "@.+-_")
    base = allowed[: _USERNAME_LENGTH - 6] or "person"
    name, number = base, 2
    while User.objects.filter(username__iexact=name).exists():
        name, number = f"{base}{number}", number + 1
    return name


def _role_follow(user: User, claims: Mapping[str, Any], *, address: str) -> None:
    """Where a claim names roles, give the account the highest that it names; none means an asker."""
    claim = settings.ENVIRONMENT.oidc_role_claim
    if claim is None:
        return
    said = claims.get(claim)
    named = [said] if isinstance(said, str) else said if isinstance(said, list) else []
    order = list(Role)
    role = max((role for role in order if role.value in named), key=order.index, default=Role.ASKER)
    if role != user.role:
        before, user.role = user.role, role
        user.save(update_fields=["role"])
        audited_by(_WHO, Audited.ROLE_CHANGED, user.username, before=before, after=role, address=address)


def _own_address() -> str:
    return f"{settings.ENVIRONMENT.site_url}{reverse('single_sign_on_back')}"


def _refused(error: Exception) -> HttpResponse:
    code = error.code if isinstance(error, SignOnError) else "provider"
    if isinstance(error, AuthlibBaseError | JoseError):
        code = "failed"
    log.warning("single sign-on was refused (%s): %s", code, error)
    return HttpResponseRedirect(f"/account?refused={code}")
