"""The whole site as a process, started as people start it."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from webapp.launch.setup import LOCK, digest_of
from webapp.platform.environment import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Iterator


def environment(home: Path) -> dict[str, str]:
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith("DISCERN_") and name != "DATABASE_URL"
    }
    return {
        **kept,
        "DJANGO_SETTINGS_MODULE": "tests.site_settings",
        "DISCERN_HOME": str(home),
        "DISCERN_SCORER": "lexical",
    }


def processes_of(home: Path) -> list[int]:
    """Every living process that was started with this home folder."""
    return [int(folder.name) for folder in Path("/proc").glob("[0-9]*") if _belongs(folder, home)]


def _belongs(process: Path, home: Path) -> bool:
    """Whether a folder of /proc is of a process of a site: by what it was given, or by its log.

    Redis always, and Celery where it can, write a title over their environment.
    """
    mark = str(home)
    try:
        given = (process / "environ").read_bytes() + (process / "cmdline").read_bytes()
        return mark.encode() in given or os.readlink(process / "fd" / "1").startswith(mark)  # noqa: PTH115 - no path
    except OSError:
        return False


def process_of(home: Path, mark: bytes) -> int | None:
    """The process of a site whose command holds a mark, such as ``celery``; None where none does."""
    found = []
    for pid in processes_of(home):
        with suppress(OSError):
            if mark in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(pid)
    return found[0] if found else None


def living_process_of(home: Path, mark: bytes) -> int:
    """The same, waited for where it is just being started again."""
    until = time.monotonic() + 60
    while (found := process_of(home, mark)) is None:
        assert time.monotonic() < until, f"there is no {mark.decode()}"
        time.sleep(0.05)
    return found


@contextmanager
def held(home: Path, mark: bytes) -> Iterator[int]:
    """The number of a process of a site that neither works nor ends meanwhile."""
    number = living_process_of(home, mark)
    os.kill(number, signal.SIGSTOP)
    try:
        yield number
    finally:
        os.kill(number, signal.SIGCONT)


@cache
def migrated_database() -> Path:
    """A database without rows. One process makes it, in 10 s, for all until a migration or a library changes."""
    digest = digest_of(LOCK, *sorted(REPOSITORY.glob("webapp/**/migrations/*.py")))
    kept = REPOSITORY / "var" / "tests" / f"migrated-{digest[:16]}.sqlite3"
    kept.parent.mkdir(parents=True, exist_ok=True)
    with kept.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            with tempfile.TemporaryDirectory(prefix="discern-migrated-", dir=kept.parent) as folder:
                migrate(Path(folder))
                (Path(folder) / "db.sqlite3").replace(kept)
    return kept


def migrate(home: Path) -> None:
    """Bring the database of a home folder to what this version has; make it where there is none."""
    command = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
    subprocess.run(command, cwd=REPOSITORY, env=environment(home), check=True)


def home_folder(prefix: str) -> Path:
    """A new home folder that holds a database without rows, which is half of a first start.

    How a site makes its database itself is shown in tests/webapp/test_serve.py.
    """
    home = Path(tempfile.mkdtemp(prefix=prefix))
    shutil.copy(migrated_database(), home / "db.sqlite3")
    return home


class RunningSite:
    """`manage.py serve` on a free port, with a home folder of its own."""

    def __init__(self, home: Path, *arguments: str, **settings: str) -> None:
        self.home = home
        self.environment = {**environment(home), **settings}
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "serve", "--port", "0", *arguments],
            cwd=REPOSITORY,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.output = ""

    def ready(self) -> str:
        """Wait until it is ready, or runs and says why it is not; return its address."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.output += line
            if line.startswith("Logs: "):
                break
        match = re.search(r"is (?:ready|running) after .*: (http://\S+)", self.output)
        assert match is not None, self.output
        self.address = match[1].rstrip("/")
        return match[1]

    def account(self, role: str) -> tuple[str, str]:
        """The name and the password of a demo account."""
        accounts = json.loads((self.home / "demo_accounts.json").read_text(encoding="utf-8"))
        return next((each["username"], each["password"]) for each in accounts if each["role"] == role)

    def end(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        self.output += self.process.communicate(timeout=20)[0]
        return self.process.returncode


@contextmanager
def site_ready(**settings: str) -> Iterator[RunningSite]:
    """A site that is ready, in a home folder that goes with it."""
    home = home_folder("discern-browser-")
    site = RunningSite(home, **settings)
    try:
        site.ready()
        yield site
    finally:
        site.end(signal.SIGINT)
        shutil.rmtree(home)
