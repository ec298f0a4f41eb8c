"""The settings of Django, Channels, Celery and the API, all made from `webapp.platform.environment`."""

from __future__ import annotations

import logging
from typing import Any

import dj_database_url
from csp.constants import NONE, SELF
from kombu import Queue as BrokerQueue

from webapp.platform.environment import REPOSITORY, read_environment
from webapp.platform.work.queues import Queue

ENVIRONMENT = read_environment()

# --- Secrets and hosts

SECRET_KEY = ENVIRONMENT.secret()
DEBUG = ENVIRONMENT.debug
ALLOWED_HOSTS = list(ENVIRONMENT.allowed_hosts)
CSRF_TRUSTED_ORIGINS = [
    f"https://{host}" for host in ALLOWED_HOSTS if ENVIRONMENT.https and host not in ("*", "localhost")
]

# --- Applications

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "csp",
    "webapp.accounts",
    "webapp.uploads",
    "webapp.graphs",
    "webapp.datasets",
    "webapp.asking.runs",
    "webapp.asking.questions",
    "webapp.asking.feedback",
    "webapp.labelling.projects",
    "webapp.labelling.adjudication",
    "webapp.labelling.agreement",
    "webapp.labelling.graph_updates",
    "webapp.labelling.exports",
    "webapp.labelling.log",
    "webapp.evaluations",
    "webapp.evaluations.overlays",
    "webapp.explorer",
    "webapp.review",
    "webapp.models.trainings",
    "webapp.models.pipelines",
    "webapp.launch",
]
MIDDLEWARE = [
    "webapp.platform.http.errors.error_body",
    "webapp.platform.http.read_limit.reads_limited",
    "webapp.platform.http.wellformed.refuse_malformed",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "webapp.accounts.sessions.watch_sessions",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "webapp.urls"
ASGI_APPLICATION = "webapp.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

# --- Database

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASES: dict[str, Any] = {
    "default": dj_database_url.parse(ENVIRONMENT.database_url or f"sqlite:///{ENVIRONMENT.home / 'db.sqlite3'}")
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # Readers and one writer at a time; a writer that waits for another takes its turn instead of failing.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON",
    }

# --- Redis: the broker, the channel layer, the cache

# Seconds. A Redis that accepts and never answers is reported within these, and blocks no request for longer.
_REDIS_TIMEOUT = 2.0
# A request holds one connection while it counts; a process may have hundreds of requests and sockets at a time.
_REDIS_CONNECTIONS = 4_000
_REDIS_OPTIONS = {
    "socket_timeout": _REDIS_TIMEOUT,
    "socket_connect_timeout": _REDIS_TIMEOUT,
    "max_connections": _REDIS_CONNECTIONS,
}
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": ENVIRONMENT.redis,
        "OPTIONS": _REDIS_OPTIONS,
    },
    # What each process counts by itself.
    "process": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "process",
        "OPTIONS": {"MAX_ENTRIES": 20_000},
    },
}
CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "webapp.platform.sockets.channel_layer.PatientChannelLayer",
        # A receiver waits 5 seconds at a time in one blocking pop; a timeout that is no longer would end every wait.
        "CONFIG": {"hosts": [{**_REDIS_OPTIONS, "address": ENVIRONMENT.redis, "socket_timeout": 15.0}]},
    }
}
CELERY_BROKER_URL = ENVIRONMENT.broker
# A worker waits for messages one second at a time, outside of this timeout.
CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_timeout": 2 * _REDIS_TIMEOUT, "socket_connect_timeout": _REDIS_TIMEOUT}
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
# A worker serves them all unless --queues says otherwise.
CELERY_TASK_DEFAULT_QUEUE = Queue.CPU.value
CELERY_TASK_QUEUES = [BrokerQueue(queue.value, routing_key=queue.value) for queue in Queue]
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_POOL = "threads"
CELERY_WORKER_CONCURRENCY = ENVIRONMENT.worker_threads
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A request must not hang on a broker that is away: what it leaves queued is delivered by the next `work_recover`.
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0, "interval_step": 0.1, "interval_max": 0.1}

# --- Accounts

AUTH_USER_MODEL = "accounts.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
] + [{"NAME": "webapp.accounts.password_validators.TokensEnd"}]
LOGIN_URL = "/admin/login/"
PASSWORD_RESET_TIMEOUT = 3600

# --- Mail

if ENVIRONMENT.mail_server is not None:
    EMAIL_HOST = ENVIRONMENT.mail_server.host
    EMAIL_PORT = ENVIRONMENT.mail_server.port
    EMAIL_HOST_USER = ENVIRONMENT.mail_server.user
    EMAIL_HOST_PASSWORD = ENVIRONMENT.mail_server.password
    EMAIL_USE_SSL = ENVIRONMENT.mail_server.tls
    EMAIL_USE_TLS = ENVIRONMENT.mail_server.starttls
EMAIL_TIMEOUT = 20

# --- Security

SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = ENVIRONMENT.https
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SECURE = ENVIRONMENT.https
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_SSL_REDIRECT = ENVIRONMENT.https
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
SECURE_HSTS_SECONDS = ENVIRONMENT.hsts_seconds
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if ENVIRONMENT.proxies else None
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "base-uri": [NONE],
        "connect-src": [SELF],
        "font-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "img-src": [SELF, "data:"],
        "manifest-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF],
        # Graph layouts run in a worker that the bundle makes from a blob of its own.
        "worker-src": [SELF, "blob:"],
    }
}
# Nearly every address takes less: see `webapp.platform.http.body_limit`.
DATA_UPLOAD_MAX_MEMORY_SIZE = 3 * 1024 * 1024

# --- Pages and files

FRONTEND = REPOSITORY / "frontend" / "dist"
# `manage.py export_openapi` writes it.
OPENAPI = REPOSITORY / "frontend" / "openapi.json"
STATIC_URL = "/static/"
STATICFILES_DIRS = [FRONTEND] if FRONTEND.is_dir() else []
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG
# Vite writes a hash of the contents into the name of everything under assets/.
WHITENOISE_IMMUTABLE_FILE_TEST = r"^.+[.-][0-9A-Za-z_-]{8,}\.(js|css|woff2|svg|png)$"

# --- Words and times

LANGUAGE_CODE = "en-gb"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"

# --- Logs: to standard error, which the launcher keeps in the home folder

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": "webapp.platform.terminal.shown.LogFormatter",
            "format": "{asctime} {levelname} {name}: {message}",
            "style": "{",
        }
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": ENVIRONMENT.log_level},
    "loggers": {
        "django": {"level": "INFO", "propagate": True, "handlers": []},
        "django.server": {"level": "INFO", "propagate": True, "handlers": []},
        "daphne": {"level": "WARNING"},
        # A line for every request to a language-model server would drown the rest.
        "httpx2": {"level": "WARNING"},
    },
}
logging.captureWarnings(capture=True)
