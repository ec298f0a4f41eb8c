"""The site's settings for tests: a home folder of their own, the hand-drawn graph, a scorer that needs no model.

``TEST_DATABASE_URL`` names a PostgreSQL server to use instead of SQLite: each session makes its own database there and
drops it. The workers and web servers that tests start use it too. Whole sites that tests start (``manage.py serve``)
keep their own SQLite file.
"""

from __future__ import annotations

import atexit
import os
import secrets
import shutil
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

_NAMES = ("DATABASE_URL", "REDIS_URL", "GRAPH_STORE_URL")
_KEPT = ("DISCERN_DATA", "DISCERN_CHROMIUM")
for _name in [name for name in os.environ if name in _NAMES or (name.startswith("DISCERN_") and name not in _KEPT)]:
    del os.environ[_name]

HOME = tempfile.mkdtemp(prefix="discern-")
atexit.register(shutil.rmtree, HOME, ignore_errors=True)
os.environ |= {"DISCERN_HOME": HOME, "DISCERN_GRAPH": "toy", "DISCERN_SCORER": "lexical"}
if _server := os.environ.get("TEST_DATABASE_URL"):
    os.environ |= {
        "DATABASE_URL": urlsplit(_server)._replace(path=f"/{Path(HOME).name}").geturl(),
        "DISCERN_SECRET_KEY": secrets.token_hex(32),
    }

from tests.site_settings import *  # noqa: E402, F403
from webapp.settings import DATABASES  # noqa: E402

# The database that a worker, started as a process of its own, opens too.
DATABASES["default"]["TEST"] = {"NAME": DATABASES["default"]["NAME"]}
# The pages' files are looked for where one is asked for; else each client that a test makes lists them all.
WHITENOISE_AUTOREFRESH = True
