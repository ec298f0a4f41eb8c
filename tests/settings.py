"""The site's settings for tests: a home folder of their own, the hand-drawn graph, a scorer that needs no model."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

_NAMES = ("DATABASE_URL", "REDIS_URL", "GRAPH_STORE_URL")
_KEPT = ("DISCERN_DATA", "DISCERN_CHROMIUM")
for _name in [name for name in os.environ if name in _NAMES or (name.startswith("DISCERN_") and name not in _KEPT)]:
    del os.environ[_name]

HOME = tempfile.mkdtemp(prefix="discern-")
atexit.register(shutil.rmtree, HOME, ignore_errors=True)
os.environ |= {"DISCERN_HOME": HOME, "DISCERN_GRAPH": "toy", "DISCERN_SCORER": "lexical"}

from webapp.settings import *  # noqa: E402, F403
from webapp.settings import DATABASES, ENVIRONMENT  # noqa: E402

# The file that a worker, started as a process of its own, opens too.
DATABASES["default"]["TEST"] = {"NAME": str(ENVIRONMENT.home / "db.sqlite3")}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# The pages' files are looked for where one is asked for; else each client that a test makes lists them all.
WHITENOISE_AUTOREFRESH = True
