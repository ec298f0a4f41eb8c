"""Everything that can be set from outside, typed. A wrong value is refused, with the variable and what to write."""

from __future__ import annotations

import os
import re
import secrets
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured
from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from kgstore.open import open_library
from reasoning.question.linking import MAX_QUESTION_LENGTH
from reasoning.training.causal.settings import NEW
from reasoning.writers.registry import KINDS as WRITERS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pydantic_core import ErrorDetails

REPOSITORY = Path(__file__).resolve().parents[2]

ELSEWHERE = {"DISCERN_TORCH_INDEX", "DISCERN_DATA", "DISCERN_CHROMIUM"}
"""Variables of the same prefix that setup and tests read."""

_SECRETS = {"secret_key", "llm_key", "mail_url", "oidc_client_secret"}
_PASSWORD = re.compile(r"//[^/]*@")
_RATE = re.compile(r"^(?P<count>[1-9]\d*)/(?P<period>second|minute|hour|day)$")
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}


class Rate:
    """At most ``count`` in ``seconds``, written ``20/minute``."""

    def __init__(self, text: str) -> None:
        match = _RATE.match(text.strip())
        if match is None:
            raise ValueError("write a number and a period, such as 20/minute (second, minute, hour or day)")
        self.count = int(match["count"])
        self.period = match["period"]
        self.seconds = _SECONDS[self.period]

    def __str__(self) -> str:
        return f"{self.count}/{self.period}"


@dataclass(frozen=True, slots=True)
class MailServer:
    """A mail server, as its address names it."""

    host: str
    port: int
    user: str
    password: str
    tls: bool
    """From the start."""
    starttls: bool

    @classmethod
    def of(cls, url: str) -> MailServer:
        """Read an address.

        Raises:
            ValueError: it is none of a mail server.

        """
        parts = urlsplit(url)
        ports = {"smtp": 25, "smtp+starttls": 587, "smtps": 465}
        if parts.scheme not in ports or not parts.hostname:
            raise ValueError("write an address that begins with smtp://, smtp+starttls:// or smtps://")
        return cls(
            parts.hostname,
            parts.port or ports[parts.scheme],
            unquote(parts.username or ""),
            unquote(parts.password or ""),
            tls=parts.scheme == "smtps",
            starttls=parts.scheme == "smtp+starttls",
        )


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider of single sign-on, and what this site is to it."""

    issuer: str
    client_id: str
    client_secret: SecretStr


def _base_name(source: str) -> str:
    return Path(source).name if source.startswith("/") else source


_HUB_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?", re.ASCII)
QuestionReaders: TypeAlias = Literal["link", "people", "asker"]
"""Who may read a question besides its asker and reviewers."""


class Environment(BaseSettings):
    """The settings of a site. Each is the environment variable ``DISCERN_<NAME>`` unless its alias says otherwise."""

    model_config = SettingsConfigDict(env_prefix="DISCERN_", env_ignore_empty=True, extra="ignore", frozen=True)

    home: Path = Field(
        default=REPOSITORY / "var",
        description="a folder that the site may write to",
        examples=["/srv/discern"],
    )
    debug: bool = Field(
        default=False, description="1 to show error pages with code; only for development", examples=["1"]
    )
    secret_key: SecretStr | None = Field(
        default=None,
        min_length=32,
        description="a secret of at least 32 characters, the same for every process of the site",
        examples=["$(openssl rand -hex 32)"],
    )
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        default=("localhost", "127.0.0.1", "[::1]"),
        description="the host names of the site, separated by commas",
        examples=["discern.example.org,localhost"],
    )
    https: bool = Field(default=False, description="1 if the site is served over https", examples=["1"])
    hsts_seconds: int = Field(
        default=0, ge=0, description="how long browsers must use https, in seconds", examples=["31536000"]
    )
    proxies: int = Field(default=0, ge=0, description="number of reverse proxies in front of the site", examples=["1"])
    database_url: str | None = Field(
        default=None,
        validation_alias="DATABASE_URL",
        pattern=r"^(sqlite|postgres|postgresql)://",
        description="the address of the site's database",
        examples=["postgresql://discern:password@localhost/discern"],
    )
    redis_url: str | None = Field(
        default=None,
        validation_alias="REDIS_URL",
        pattern=r"^(redis|rediss|unix)://",
        description="the address of a Redis",
        examples=["redis://localhost:6379/0"],
    )
    graph_store_url: str | None = Field(
        default=None,
        validation_alias="GRAPH_STORE_URL",
        description="where the graphs are stored: a folder, or a Neo4j as neo4j://user:password@host:7687",
        examples=["sqlite:////srv/discern/graphs"],
    )
    graph: str = Field(default="sample", min_length=1, description="the graph asked by default", examples=["sample"])
    scorer: str = Field(
        default="path-reader", min_length=1, description="the scorer used by default", examples=["path-reader"]
    )
    scorer_weights: Path | None = Field(
        default=None,
        description="the folder of the weights of the scorer used by default; with them it is encoder if none is named",
        examples=["/srv/discern/scorers/mine"],
    )
    writer: str | None = Field(
        default=None,
        min_length=1,
        description=f"the kind of language model that writes, for strategies that need one: {', '.join(WRITERS)}",
        examples=["chat"],
    )
    writer_weights: Path | None = Field(
        default=None,
        description="the folder of a language model that writes; the worker runs it",
        examples=["/srv/models/small-llama"],
    )
    base_models: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="the language models that administrators may fine-tune on the page: folders, or names on the "
        "Hugging Face hub, separated by commas",
        examples=["/srv/models/small-llama,meta-llama/Llama-2-7b-hf"],
    )
    llm_url: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="the address of a language-model server, or of several with the same model, separated by commas",
        examples=["http://gpu-1:8000,http://gpu-2:8000"],
    )
    llm_model: str | None = Field(
        default=None,
        min_length=1,
        description="the name of the model on that server, if it serves several",
        examples=["meta-llama/Llama-2-7b-hf"],
    )
    llm_key: SecretStr | None = Field(
        default=None, min_length=1, description="the API key of that server", examples=["$(cat key)"]
    )
    pace_ms: int = Field(
        default=0,
        ge=0,
        le=60_000,
        description="minimum time between two decisions in milliseconds, so that people can follow a run",
        examples=["700"],
    )
    question_length: int = Field(
        default=300,
        ge=10,
        le=MAX_QUESTION_LENGTH,
        description="maximum length of a question in characters",
        examples=["300"],
    )
    visitor_rate: str = Field(
        default="20/minute", description="rate limit for questions of a visitor", examples=["20/minute"]
    )
    user_rate: str = Field(
        default="60/minute", description="rate limit for questions of a signed-in user", examples=["60/minute"]
    )
    question_readers: QuestionReaders = Field(
        default="link",
        description="who may read a question besides its asker and reviewers: anyone with its address (`link`), "
        "signed-in users with its address (`people`), or no one else (`asker`)",
        examples=["asker"],
    )
    read_rate: str = Field(
        default="3000/minute",
        description="rate limit for reading the API, per address and web process",
        examples=["3000/minute"],
    )
    sockets_per_address: int = Field(
        default=100,
        ge=1,
        le=10_000,
        description="maximum number of open sockets per address and web process",
        examples=["100"],
    )
    worker_threads: int = Field(
        default=2, ge=1, le=64, description="number of questions that a worker answers at a time", examples=["2"]
    )
    disk_reserve_mb: int = Field(
        default=100,
        ge=0,
        description="minimum free disk space in megabytes; below it the site accepts no work",
        examples=["100"],
    )
    upload_mb: int = Field(
        default=2_000,
        ge=1,
        description="maximum size of an uploaded file in megabytes",
        examples=["2000"],
    )
    site_url: str | None = Field(
        default=None,
        pattern=r"^https?://[^/\s]+$",
        description="the public address of the site, without a path, for links in mails and for single sign-on",
        examples=["https://discern.example.org"],
    )
    mail_url: SecretStr | None = Field(
        default=None,
        description="a mail server for invitations and password resets: smtps:// with TLS from the start, "
        "smtp+starttls:// with STARTTLS, smtp:// without TLS",
        examples=["smtp+starttls://discern:password@mail.example.org:587"],
    )
    mail_from: str | None = Field(
        default=None,
        pattern=r"^[^\s@]+@[^\s@]+$",
        description="the sender address of mails",
        examples=["discern@example.org"],
    )
    oidc_issuer: str | None = Field(
        default=None,
        pattern=r"^https?://\S+$",
        description="the issuer of an OpenID Connect provider for single sign-on",
        examples=["https://login.example.org/realms/lab"],
    )
    oidc_client_id: str | None = Field(
        default=None, min_length=1, description="the client id of this site at that provider", examples=["discern"]
    )
    oidc_client_secret: SecretStr | None = Field(
        default=None,
        min_length=1,
        description="the client secret of this site at that provider",
        examples=["$(cat secret)"],
    )
    oidc_name: str = Field(
        default="single sign-on",
        min_length=1,
        description="the name of that provider on the sign-in page",
        examples=["the account of the lab"],
    )
    oidc_role_claim: str | None = Field(
        default=None,
        min_length=1,
        description="the claim of the provider that names the role of a user: asker, annotator, reviewer or admin",
        examples=["discern_role"],
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        default="INFO", description="one of DEBUG, INFO, WARNING, ERROR", examples=["INFO"]
    )

    @model_validator(mode="before")
    @classmethod
    def _weights_alone(cls, values: dict[str, Any]) -> dict[str, Any]:
        """A folder of weights without a scorer's name is an encoder's, as it was when that was the default."""
        return {"scorer": "encoder"} | values if values.get("scorer_weights") else values

    @field_validator("allowed_hosts", "llm_url", "base_models", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @field_validator("llm_url")
    @classmethod
    def _addresses(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if any(urlsplit(url).scheme not in {"http", "https"} or not urlsplit(url).hostname for url in value):
            raise ValueError("write addresses that begin with http:// or https://")
        return value

    @field_validator("base_models")
    @classmethod
    def _bases(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        sources = tuple(str(Path(each).expanduser()) if each.startswith("~") else each for each in value)
        for source in sources:
            if not source.startswith("/") and not _HUB_NAME.fullmatch(source):
                raise ValueError(f"“{source}” is neither a folder, from / on, nor the name of a model on a hub")
        names = [NEW, *map(_base_name, sources)]
        if double := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"two models would be called “{double}”; give one of the folders another name")
        return sources

    @field_validator("graph_store_url")
    @classmethod
    def _opens(cls, value: str | None) -> str | None:
        if value is not None:
            open_library(value).close()
        return value

    @field_validator("mail_url")
    @classmethod
    def _mail(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None:
            MailServer.of(value.get_secret_value())
        return value

    @field_validator("visitor_rate", "user_rate", "read_rate")
    @classmethod
    def _rate(cls, value: str) -> str:
        return str(Rate(value))

    @field_validator("home", "scorer_weights", "writer_weights")
    @classmethod
    def _absolute(cls, value: Path | None) -> Path | None:
        return None if value is None else value.expanduser().absolute()

    @property
    def bases(self) -> Mapping[str, str]:
        """Where each language model lies that may be fine-tuned, by its name: folders go by their last part."""
        return {_base_name(source): source for source in self.base_models}

    @property
    def is_embedded(self) -> bool:
        """Whether the site keeps everything in its home folder and brings its own Redis."""
        return self.database_url is None and self.redis_url is None

    @property
    def redis_socket(self) -> Path:
        """Where the site's own Redis listens."""
        return self.home / "redis.sock"

    @property
    def redis(self) -> str:
        """The address of Redis: the one configured, else the site's own."""
        return self.redis_url or f"unix://{self.redis_socket}"

    @property
    def broker(self) -> str:
        """The same Redis in the words of Celery."""
        return f"redis+socket://{self.redis[len('unix://') :]}" if self.redis.startswith("unix://") else self.redis

    @property
    def graphs(self) -> str:
        """The address of the graphs: the one configured, else the home folder's own."""
        return self.graph_store_url or f"sqlite:///{self.home / 'graphs'}"

    @property
    def mail_server(self) -> MailServer | None:
        """Where mails are handed in; None where the site sends none."""
        return None if self.mail_url is None else MailServer.of(self.mail_url.get_secret_value())

    @property
    def provider(self) -> Provider | None:
        """The external sign-in provider; None if there is none."""
        if self.oidc_issuer is None or self.oidc_client_id is None or self.oidc_client_secret is None:
            return None
        return Provider(self.oidc_issuer, self.oidc_client_id, self.oidc_client_secret)

    def missing(self) -> str | None:
        """Which setting is missing that another one needs."""
        needs = {
            "mail_url": ("mail_from", "site_url"),
            "oidc_issuer": ("oidc_client_id", "oidc_client_secret", "site_url"),
        }
        for name, others in needs.items():
            for other in others:
                if getattr(self, name) is not None and getattr(self, other) is None:
                    field = type(self).model_fields[other]
                    example = (field.examples or [""])[0]
                    return (
                        f"{variable(other)} is missing. {variable(name)} needs it. It is {field.description}. "
                        f"Write for example: {variable(other)}={example}"
                    )
        return None

    def open_home(self) -> None:
        """Create the home folder, for this user alone.

        Raises:
            ImproperlyConfigured: it cannot be created or written.

        """
        try:
            self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise ImproperlyConfigured(
                f"the home folder {self.home} cannot be made ({error.strerror}). "
                "Set DISCERN_HOME to a folder that you may write to."
            ) from error
        if not os.access(self.home, os.W_OK | os.X_OK):
            raise ImproperlyConfigured(
                f"the home folder {self.home} cannot be written. Set DISCERN_HOME to a folder that you may write to."
            )

    def secret(self) -> str:
        """The secret that signs sessions: the one configured, else the home folder's own, made on first use.

        Raises:
            ImproperlyConfigured: none is configured although the site is not embedded.

        """
        if self.secret_key is not None:
            return self.secret_key.get_secret_value()
        if not self.is_embedded:
            raise ImproperlyConfigured(
                "DISCERN_SECRET_KEY is missing. With DATABASE_URL or REDIS_URL set, several processes share the site "
                "and need the same secret. Write: DISCERN_SECRET_KEY=$(openssl rand -hex 32)"
            )
        return kept_secret(self.home / "secret_key", lambda: secrets.token_urlsafe(50))


def kept_secret(path: Path, make: Callable[[], str]) -> str:
    """What the file holds: made on first use, for this user alone; safe where two processes start at once."""
    if not path.exists():
        draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(make())
        try:
            path.hardlink_to(draft)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text(encoding="utf-8")


def replace_secret(path: Path, content: str) -> None:
    """Put other content into a file of `kept_secret`, whole or not at all."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(content)
    draft.replace(path)


def variable(name: str) -> str:
    """The environment variable behind a setting."""
    alias = Environment.model_fields[name].validation_alias
    return alias if isinstance(alias, str) else f"DISCERN_{name.upper()}"


def read_environment() -> Environment:
    """Read the settings.

    Raises:
        ImproperlyConfigured: a variable is wrong; the message names each and says what to write.

    """
    try:
        environment = Environment()
    except ValidationError as error:
        raise ImproperlyConfigured("\n".join(_complaint(fault) for fault in error.errors())) from error
    missing = environment.missing()
    if missing is not None:
        raise ImproperlyConfigured(missing)
    environment.open_home()
    return environment


def _complaint(fault: ErrorDetails) -> str:
    place = str(fault["loc"][0])
    by_variable = {variable(name): name for name in Environment.model_fields}
    name = by_variable.get(place) or by_variable.get(place.upper()) or place
    field = Environment.model_fields[name]
    shown = "its value" if name in _SECRETS else repr(_PASSWORD.sub("//…@", str(fault["input"])))
    example = (field.examples or [""])[0]
    return (
        f"{variable(name)} is wrong: {shown}. It is {field.description}. Write for example: {variable(name)}={example}"
    )


def unknown_variables() -> list[tuple[str, str | None]]:
    """Variables that look like settings but are none, each with the setting that may have been meant."""
    known = {variable(name) for name in Environment.model_fields} | ELSEWHERE
    return [
        (name, next(iter(get_close_matches(name, known, n=1)), None))
        for name in sorted(os.environ)
        if name.startswith("DISCERN_") and name not in known
    ]
