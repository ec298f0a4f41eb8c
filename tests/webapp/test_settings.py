from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from django.core.exceptions import ImproperlyConfigured

from webapp.health.system_checks import scorer_check
from webapp.platform.environment import REPOSITORY, MailServer, kept_secret, read_environment, unknown_variables

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_django.fixtures import SettingsWrapper


@pytest.mark.parametrize(
    ("variable", "value", "told"),
    [
        ("DISCERN_PACE_MS", "fast", "DISCERN_PACE_MS=700"),
        ("DISCERN_PACE_MS", "-1", "DISCERN_PACE_MS=700"),
        ("DATABASE_URL", "mysql://localhost/x", "DATABASE_URL=postgresql://"),
        ("REDIS_URL", "localhost:6379", "REDIS_URL=redis://localhost:6379/0"),
        ("GRAPH_STORE_URL", "/srv/graphs", "GRAPH_STORE_URL=sqlite:////srv/discern/graphs"),
        ("DISCERN_VISITOR_RATE", "many", "DISCERN_VISITOR_RATE=20/minute"),
        ("DISCERN_SECRET_KEY", "short", "DISCERN_SECRET_KEY=$(openssl rand -hex 32)"),
        ("DISCERN_HTTPS", "perhaps", "DISCERN_HTTPS=1"),
        ("DISCERN_MAIL_URL", "mail.example.org", "DISCERN_MAIL_URL=smtp+starttls://"),
        ("DISCERN_MAIL_FROM", "nobody", "DISCERN_MAIL_FROM=discern@example.org"),
        ("DISCERN_SITE_URL", "https://discern.example.org/path", "DISCERN_SITE_URL=https://discern.example.org"),
        ("DISCERN_OIDC_ISSUER", "login.example.org", "DISCERN_OIDC_ISSUER=https://login.example.org/realms/lab"),
        ("DISCERN_LLM_URL", "localhost:8000", "DISCERN_LLM_URL=http://gpu-1:8000,http://gpu-2:8000"),
        ("DISCERN_LLM_URL", "http://gpu-1:8000,gpu-2:8000", "DISCERN_LLM_URL=http://gpu-1:8000,http://gpu-2:8000"),
    ],
)
def test_a_wrong_variable_is_refused_by_name_with_what_to_write(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, told: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(ImproperlyConfigured) as refusal:
        read_environment()
    assert str(refusal.value).startswith(f"{variable} is wrong: ")
    assert told in str(refusal.value)


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({"MAIL_URL": "smtp://localhost"}, "DISCERN_MAIL_FROM is missing. DISCERN_MAIL_URL needs it."),
        ({"MAIL_URL": "smtp://localhost", "MAIL_FROM": "a@b"}, "DISCERN_SITE_URL is missing."),
        ({"OIDC_ISSUER": "https://login.example.org"}, "DISCERN_OIDC_CLIENT_ID is missing."),
        (
            {"OIDC_ISSUER": "https://login.example.org", "OIDC_CLIENT_ID": "a", "OIDC_CLIENT_SECRET": "b"},
            "DISCERN_SITE_URL is missing. DISCERN_OIDC_ISSUER needs it.",
        ),
    ],
)
def test_a_setting_that_another_one_needs_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, str], missing: str
) -> None:
    for name, value in given.items():
        monkeypatch.setenv(f"DISCERN_{name}", value)
    with pytest.raises(ImproperlyConfigured) as refusal:
        read_environment()
    assert str(refusal.value).startswith(missing)


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("smtp://localhost", MailServer("localhost", 25, "", "", tls=False, starttls=False)),
        ("smtps://a:b%40c@mail.example.org", MailServer("mail.example.org", 465, "a", "b@c", tls=True, starttls=False)),
        ("smtp+starttls://m:2525", MailServer("m", 2525, "", "", tls=False, starttls=True)),
    ],
)
def test_a_mail_server_is_read_from_its_address(monkeypatch: pytest.MonkeyPatch, url: str, server: MailServer) -> None:
    for name, value in {"MAIL_URL": url, "MAIL_FROM": "a@example.org", "SITE_URL": "https://example.org"}.items():
        monkeypatch.setenv(f"DISCERN_{name}", value)
    environment = read_environment()
    assert environment.mail_server == server
    assert "b%40c" not in repr(environment)


def test_a_secret_is_never_repeated_in_a_complaint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCERN_SECRET_KEY", "hunter2")
    with pytest.raises(ImproperlyConfigured) as refusal:
        read_environment()
    assert "hunter2" not in str(refusal.value)


def test_language_model_servers_are_named_with_commas_between(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCERN_LLM_URL", "http://gpu-1:8000, https://gpu-2/v1")
    monkeypatch.setenv("DISCERN_LLM_KEY", "open sesame")
    environment = read_environment()
    assert environment.llm_url == ("http://gpu-1:8000", "https://gpu-2/v1")
    assert "sesame" not in repr(environment)


@pytest.mark.parametrize(
    ("scorer", "hint"),
    [("vllm", "DISCERN_LLM_URL"), ("chat", "DISCERN_LLM_URL"), ("causal", "DISCERN_SCORER_WEIGHTS")],
)
def test_a_language_model_that_is_not_named_is_reported_before_the_start(
    settings: SettingsWrapper, scorer: str, hint: str
) -> None:
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"scorer": scorer})
    (shown,) = scorer_check()
    assert hint in shown.hint
    named = {"llm_url": ("http://gpu-1:8000",), "scorer_weights": settings.ENVIRONMENT.home}
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update=named)
    assert list(scorer_check()) == []


@pytest.fixture
def embedded(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment without what tests/settings.py sets where the tests use PostgreSQL."""
    for name in ("DATABASE_URL", "DISCERN_SECRET_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("embedded")
def test_a_site_of_several_processes_needs_a_secret_from_outside(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DISCERN_HOME", str(tmp_path))
    monkeypatch.setenv("REDIS_URL", "redis://localhost:6379/0")
    with pytest.raises(ImproperlyConfigured, match="DISCERN_SECRET_KEY is missing"):
        read_environment().secret()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("embedded")
def test_an_embedded_site_draws_its_secret_once_for_this_user_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DISCERN_HOME", str(tmp_path / "home"))
    drawn = read_environment().secret()
    assert len(drawn) > 50
    assert read_environment().secret() == drawn
    assert stat.S_IMODE((tmp_path / "home" / "secret_key").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700


def test_of_two_processes_that_draw_a_secret_one_wins(tmp_path: Path) -> None:
    path = tmp_path / "secret"

    def draw_while_another_does() -> str:
        kept_secret(path, lambda: "theirs")
        return "ours"

    assert kept_secret(path, draw_while_another_does) == "theirs"
    assert list(tmp_path.iterdir()) == [path]


def test_a_misspelt_variable_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCERN_SCORERS", "lexical")
    assert unknown_variables() == [("DISCERN_SCORERS", "DISCERN_SCORER")]


def test_a_command_says_in_one_sentence_what_is_wrong() -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=REPOSITORY,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "webapp.settings", "DISCERN_PACE_MS": "fast"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("Discern cannot start: DISCERN_PACE_MS is wrong: 'fast'.")
    assert "Traceback" not in done.stderr


def test_a_site_behind_https_passes_django_s_own_security_checks() -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--tag", "security", "--fail-level", "WARNING"],
        cwd=REPOSITORY,
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "webapp.settings",
            "DISCERN_HTTPS": "1",
            "DISCERN_HSTS_SECONDS": "31536000",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    # Whether subdomains are https too is not for this site to say.
    assert set(re.findall(r"security\.[WE]\d+", done.stderr)) <= {"security.W005", "security.W021"}, done.stderr


_WEB = """
import sys
import webapp.asgi
from django.test import Client
client = Client()
assert client.get("/healthz").status_code == 200
assert client.get("/api/graphs/toy/entities?q=knight").json()
assert client.get("/api/graphs").json()
client.get("/admin/login/")
heavy = {"torch", "transformers", "sklearn", "scipy"} & set(sys.modules)
sys.exit(f"the web process imported {heavy}" if heavy else 0)
"""


def test_the_web_process_imports_no_model_library() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _WEB],
        cwd=REPOSITORY,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "webapp.settings", "DISCERN_SCORER": "encoder",
             "DISCERN_ALLOWED_HOSTS": "testserver"},
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
