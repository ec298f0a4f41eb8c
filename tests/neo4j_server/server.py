"""Neo4j Community on this machine, without Docker: Maven brings it, and it lives as long as it is needed.

What it keeps lies in a folder that the caller names; nothing outlives that. `make neo4j` runs it in the foreground.
"""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from webapp.launch.processes import Child
from webapp.launch.setup import neo4j_missing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HERE = Path(__file__).resolve().parent
USER = "neo4j"
_START_SECONDS = 120.0
_OLDEST_JAVA = 17
_OPENED = (
    "java.base/java.nio",
    "java.base/java.io",
    "java.base/sun.nio.ch",
    "java.base/java.util.concurrent",
    "java.base/java.lang",
    "java.base/jdk.internal.misc",
)
_JVM = (
    "-XX:+UseG1GC",
    "-XX:-OmitStackTraceInFastThrow",
    "-Djdk.tls.ephemeralDHKeySize=2048",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dfile.encoding=UTF-8",
    *(f"--add-opens={module}=ALL-UNNAMED" for module in _OPENED),
)
_STARTS_QUICKLY = ("-XX:TieredStopAtLevel=1",)
"""For a life of minutes; over hours it would be slow."""
_SETTINGS = {
    "server.default_listen_address": "127.0.0.1",
    "server.http.enabled": "false",
    "server.https.enabled": "false",
    "dbms.usage_report.enabled": "false",
    "db.tx_log.preallocate": "false",
    "db.tx_log.rotation.retention_policy": "keep_none",
}


class NoNeo4jError(Exception):
    """There is no way to start Neo4j here; the message is a plain reason."""


@cache
def class_path() -> str:
    """The jars of Neo4j, brought by Maven if they are not there yet.

    Raises:
        NoNeo4jError: Java or Maven is missing, or Maven cannot bring them.

    """
    if missing := neo4j_missing():
        raise NoNeo4jError(f"there is no {missing} on the PATH")
    output = subprocess.run(["java", "-version"], capture_output=True, text=True, check=False).stderr
    version = output.partition('version "')[2].partition(".")[0].partition('"')[0]
    if not version.isdigit() or int(version) < _OLDEST_JAVA:
        raise NoNeo4jError(f"Java is too old ({output.splitlines()[0] if output else 'it says no version'})")
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as jars:
        maven = subprocess.run(
            [
                *("mvn", "--batch-mode", "--quiet", "--file", str(HERE / "pom.xml"), "dependency:build-classpath"),
                *(f"-Dmdep.outputFile={jars.name}", "-DincludeScope=runtime", "-Dstyle.color=never"),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        if maven.returncode != 0:
            lines = (maven.stdout + maven.stderr).strip().splitlines() or ["it gave no reason"]
            raise NoNeo4jError(f"Maven could not bring Neo4j: {lines[0]}")
        # Maven puts another file in the place of this one.
        return Path(jars.name).read_text(encoding="utf-8").strip()


@dataclass
class Neo4jServer:
    """A private server, with its own folder and a random password."""

    home: Path
    port: int
    password: str
    heap: str
    jars: str
    jvm: tuple[str, ...] = _STARTS_QUICKLY
    child: Child | None = None

    @classmethod
    def install(
        cls,
        home: Path,
        *,
        heap: str = "1g",
        page_cache: str = "512m",
        for_minutes: bool = True,
        settings: Mapping[str, str] | None = None,
    ) -> Neo4jServer:
        """Make a server's folder; it is not started. One that lives ``for_minutes`` starts quickly and stays slow.

        Raises:
            NoNeo4jError: see `class_path`.

        """
        server = cls(home, _free_port(), secrets.token_hex(16), heap, class_path())
        if not for_minutes:
            server.jvm = ()
        (home / "conf").mkdir(parents=True)
        address = f"127.0.0.1:{server.port}"
        own = {"server.bolt.listen_address": address, "server.bolt.advertised_address": address}
        own |= {"server.memory.pagecache.size": page_cache, "server.directories.import": str(home)}
        configuration = "".join(f"{key}={value}\n" for key, value in (_SETTINGS | own | dict(settings or {})).items())
        (home / "conf" / "neo4j.conf").write_text(configuration, encoding="utf-8")
        server.admin("dbms", "set-initial-password", server.password)
        return server

    @property
    def url(self) -> str:
        """The address, with user and password."""
        return f"bolt://{USER}:{self.password}@127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, and wait until Bolt answers.

        Raises:
            NoNeo4jError: it did not start.

        """
        # Without HTTP it never says that it has started.
        where = (f"--home-dir={self.home}", f"--config-dir={self.home / 'conf'}")
        command = ["java", f"-Xmx{self.heap}", f"-Xms{self.heap}", *self.jvm, *_JVM, "-cp", self.jars]
        main = "org.neo4j.server.CommunityEntryPoint"
        self.child = Child.start("Neo4j", [*command, main, *where], log=self.home / "server.log")
        deadline = time.monotonic() + _START_SECONDS
        while not _answers(self.port):
            if self.child.has_ended:
                raise NoNeo4jError(self.child.complaint())
            if time.monotonic() > deadline:
                self.stop()
                raise NoNeo4jError(f"Neo4j did not answer within {_START_SECONDS:.0f} seconds")
            time.sleep(0.05)

    def stop(self) -> None:
        """End it, politely."""
        if self.child is not None:
            self.child.ask_to_end()
            self.child.end(within=30)
            self.child = None

    def kill(self) -> None:
        """End it at once, where what it holds is no longer needed or a crash is what is wanted."""
        if self.child is not None:
            self.child.end(within=0)
            self.child = None

    def admin(self, *arguments: str) -> str:
        """Run a command of ``neo4j-admin``, and return what it says.

        Raises:
            NoNeo4jError: it failed.

        """
        done = self.run_admin(arguments)
        if done.returncode != 0:
            raise NoNeo4jError(f"neo4j-admin {' '.join(arguments[:2])} failed: {done.stdout}{done.stderr}")
        return done.stdout

    def run_admin(self, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
        """Run a command of ``neo4j-admin``, whatever comes of it."""
        command = ["java", f"-Xmx{self.heap}", *self.jvm, *_JVM, "-cp", self.jars, "org.neo4j.cli.AdminTool"]
        return subprocess.run(
            [*command, *arguments],
            env={**os.environ, "NEO4J_HOME": str(self.home), "NEO4J_CONF": str(self.home / "conf")},
            capture_output=True,
            text=True,
            check=False,
        )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _answers(port: int) -> bool:
    """Whether something at the port agrees on a version of Bolt."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
            connection.sendall(bytes.fromhex("6060b017 00000005 00000000 00000000 00000000"))
            return connection.recv(4) == bytes.fromhex("00000005")
    except OSError:
        return False
