"""Single sign-on, against a provider that runs next to the tests and speaks the protocol over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx2
import pytest
from django.test import Client
from pydantic import SecretStr

from tests.webapp.oidc_provider import CLIENT_ID, CLIENT_SECRET, Lies, Provider
from webapp.accounts.models import AuditEntry, Role, User

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_django.fixtures import SettingsWrapper

START = "/sign-in/single-sign-on"

LONG_PAST = 1_000_000_000
"""A day in 2001, as seconds since 1970."""


@pytest.fixture(scope="module")
def served() -> Iterator[Provider]:
    provider = Provider()
    yield provider
    provider.shutdown()
    provider.server_close()


@pytest.fixture
def provider(served: Provider, settings: SettingsWrapper) -> Provider:
    served.person = {"sub": "42", "email": "mona@example.org", "email_verified": True, "name": "Mona Lisa"}
    served.lies = Lies()
    sign_on = {
        "oidc_issuer": served.issuer,
        "oidc_client_id": CLIENT_ID,
        "oidc_client_secret": SecretStr(CLIENT_SECRET),
        "oidc_name": "the lab",
        "site_url": "http://testserver",
    }
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update=sign_on)
    return served


def come(client: Client) -> str:
    """Go to the provider and come back; return the address of the way back."""
    there = client.get(START)
    assert there.status_code == 302
    back = httpx2.get(there.headers["Location"])
    assert back.status_code == 302, back.text
    return str(back.headers["location"])


def arrive(client: Client, back: str) -> str:
    """Take the way back; return who was let in, or the code of the refusal."""
    response = client.get(back)
    assert response.status_code == 302
    if response.headers["Location"] == "/":
        return str(client.get("/api/session").json()["user"]["username"])
    assert client.get("/api/session").json()["user"] is None
    return parse_qs(urlsplit(response.headers["Location"]).query)["refused"][0]


def signed_in() -> str:
    client = Client()
    return arrive(client, come(client))


def test_a_site_without_a_provider_offers_none() -> None:
    assert Client().get("/api/session").json()["ways_in"]["single_sign_on"] is None
    assert Client().get(START).headers["Location"] == "/account?refused=off"


def test_whom_the_provider_knows_gets_an_account_and_the_same_one_again(provider: Provider) -> None:
    assert Client().get("/api/session").json()["ways_in"]["single_sign_on"] == "the lab"
    assert signed_in() == "mona"
    mona = User.objects.get()
    assert (mona.display_name, mona.email, mona.role) == ("Mona Lisa", "mona@example.org", Role.ASKER)
    assert not mona.has_usable_password()
    provider.person |= {"email": "mona@elsewhere.example"}
    assert signed_in() == "mona"
    assert User.objects.count() == 1
    assert mona.signed_in_sessions.count() == 2


def test_an_account_with_the_verified_address_is_theirs(provider: Provider) -> None:
    User.objects.create_user("lisa", email="Mona@Example.org", password="a long password", role=Role.REVIEWER)
    assert signed_in() == "lisa"
    assert User.objects.get().role == Role.REVIEWER
    # A later holder of the same address at the provider is another person.
    provider.person |= {"sub": "43"}
    assert signed_in() == "other_person"


@pytest.mark.parametrize("verified", [False, None, "true"])
def test_an_address_that_is_not_verified_opens_no_account(provider: Provider, verified: object) -> None:
    User.objects.create_user("lisa", email="mona@example.org")
    provider.lies = Lies(claims={"email_verified": verified})
    assert signed_in() == "unverified"


def test_an_address_of_several_accounts_opens_none_of_them(provider: Provider) -> None:
    for name in ("one", "two"):
        User.objects.create_user(name, email="mona@example.org")
    assert signed_in() == "ambiguous"


def test_a_closed_account_stays_closed(provider: Provider) -> None:
    User.objects.create_user("lisa", email="mona@example.org", is_active=False)
    assert signed_in() == "closed"


def test_a_name_that_somebody_has_is_not_given_again(provider: Provider) -> None:
    User.objects.create_user("mona")
    assert signed_in() == "mona2"


@pytest.mark.parametrize(
    "lies",
    [
        Lies(claims={"nonce": "another"}),
        Lies(claims={"nonce": None}),
        Lies(claims={"aud": "another site"}),
        Lies(claims={"aud": ["another site", "a third"]}),
        Lies(claims={"aud": None}),
        Lies(claims={"iss": "https://evil.example"}),
        Lies(claims={"iss": None}),
        Lies(claims={"exp": LONG_PAST}),
        Lies(claims={"sub": None}),
        Lies(signature="foreign"),
        Lies(signature="none"),
        Lies(signature="secret"),
    ],
    ids=str,
)
def test_a_token_that_is_not_right_in_every_point_opens_nothing(provider: Provider, lies: Lies) -> None:
    provider.lies = lies
    assert signed_in() == "failed"
    assert not User.objects.exists()


def test_a_provider_by_another_name_is_not_believed(provider: Provider) -> None:
    provider.lies = Lies(issuer="https://evil.example")
    assert Client().get(START).headers["Location"] == "/account?refused=provider"


def test_a_provider_that_is_away_is_reported(provider: Provider, settings: SettingsWrapper) -> None:
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"oidc_issuer": "http://127.0.0.1:9/realm"})
    assert Client().get(START).headers["Location"] == "/account?refused=provider"


def _changed(back: str, **query: str) -> str:
    parts = urlsplit(back)
    kept = {name: values[0] for name, values in parse_qs(parts.query).items()}
    return f"{parts.path}?{urlencode({**kept, **query})}"


def test_a_way_back_with_another_state_is_refused(provider: Provider) -> None:
    client = Client()
    assert arrive(client, _changed(come(client), state="guessed")) == "failed"


def test_a_way_back_that_somebody_else_began_is_refused(provider: Provider) -> None:
    """No user can be signed in to the account of the sender of a link."""
    assert arrive(Client(), come(Client())) == "failed"


def test_a_way_back_is_taken_once(provider: Provider) -> None:
    client = Client()
    back = come(client)
    assert arrive(client, back) == "mona"
    client.delete("/api/session")
    assert arrive(client, back) == "failed"


def test_a_way_back_with_a_code_of_nobody_is_refused(provider: Provider) -> None:
    client = Client()
    assert arrive(client, _changed(come(client), code="guessed")) == "failed"


def test_who_gives_up_at_the_provider_is_shown_so(provider: Provider) -> None:
    client = Client()
    assert arrive(client, f"{START}/back?error=access_denied&state=x") == "denied"


@pytest.mark.parametrize(
    ("claim", "role"),
    [
        ("admin", Role.ADMIN),
        (["staff", "annotator", "reviewer"], Role.REVIEWER),
        (["staff"], Role.ASKER),
        (None, Role.ASKER),
        ({"admin": True}, Role.ASKER),
        (7, Role.ASKER),
    ],
)
def test_a_claim_names_the_role_where_the_settings_say_which(
    provider: Provider, settings: SettingsWrapper, claim: Any, role: Role
) -> None:
    User.objects.create_user("lisa", email="mona@example.org", role=Role.ANNOTATOR)
    provider.person |= {"roles": claim}
    assert signed_in() == "lisa"
    assert User.objects.get().role == Role.ANNOTATOR
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"oidc_role_claim": "roles"})
    assert signed_in() == "lisa"
    assert User.objects.get().role == role
    entry = AuditEntry.objects.get()
    assert (entry.who, entry.on, entry.before, entry.after) == ("single sign-on", "lisa", "annotator", role)
