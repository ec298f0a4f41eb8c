"""How fast the site starts: ``python -m tests.bench.bench_site [--json]``.

The web process is compared with a bare Python that only imports Django; the site's first start with its second.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from urllib.error import URLError
from urllib.request import urlopen

from rich.console import Console
from rich.table import Table

REPOSITORY = Path(__file__).resolve().parents[2]
REPEATS = 5
LIMITS = {"web process, until it answers": 2.0, "site, second start": 10.0}
"""What is promised, in seconds."""


def seconds_of_django(environment: dict[str, str]) -> float:
    """A Python that imports Django and ends."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import django.core.handlers.asgi"], env=environment, check=True)
    return time.perf_counter() - began


def seconds_of_web(environment: dict[str, str], port: int) -> float:
    """The web server alone, from its start to its first answer."""
    began = time.perf_counter()
    module = "webapp.launch.web_server"
    command = [sys.executable, "-m", module, "--port", str(port), "--verbosity", "0", "webapp.asgi:application"]
    server = subprocess.Popen(command, cwd=REPOSITORY, env=environment, stderr=subprocess.DEVNULL)
    try:
        while True:
            try:
                with urlopen(f"http://127.0.0.1:{port}/healthz"):
                    return time.perf_counter() - began
            except (URLError, OSError):
                time.sleep(0.005)
    finally:
        server.terminate()
        server.wait()


def seconds_of_site(environment: dict[str, str]) -> float:
    """Everything that `make run` starts, from `manage.py serve` to the line that says it is ready."""
    began = time.perf_counter()
    site = subprocess.Popen(
        [sys.executable, "manage.py", "serve", "--port", "0"],
        cwd=REPOSITORY,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        if site.stdout is None:
            raise TypeError("a pipe was asked for")
        for line in site.stdout:
            if "is ready after" in line:
                return time.perf_counter() - began
        raise RuntimeError("the site did not start")
    finally:
        site.send_signal(signal.SIGINT)
        site.communicate()


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    arguments = parser.parse_args()
    home = tempfile.mkdtemp(prefix="discern-")
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "webapp.settings", "DISCERN_HOME": home}
    try:
        figures = {
            "Python that imports Django": median(seconds_of_django(environment) for _ in range(REPEATS)),
            "web process, until it answers": median(seconds_of_web(environment, 18_765) for _ in range(REPEATS)),
            "site, first start": seconds_of_site(environment),
            "site, second start": median(seconds_of_site(environment) for _ in range(REPEATS)),
        }
    finally:
        shutil.rmtree(home)
    met = {name: figures[name] < limit for name, limit in LIMITS.items()}
    if arguments.json:
        sys.stdout.write(json.dumps({"seconds": figures, "limits": LIMITS, "met": met}, indent=2) + "\n")
    else:
        table = Table("what", "seconds", "promised")
        for name, seconds in figures.items():
            table.add_row(name, f"{seconds:.2f}", f"< {LIMITS[name]:.0f}" if name in LIMITS else "")
        Console().print(table)
    return 0 if all(met.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
