"""The whole site as one: its Redis, a worker and the web server, started in order and ended together."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import signal
import socket
import sys
import time
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING, TextIO
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

from django.conf import settings
from django.core import checks
from django.core.management import call_command
from django.db import connections
from rich.console import Console

from kgstore.loading.errors import GraphLoadError
from webapp import engine
from webapp.accounts.demo import demo_accounts_ensure
from webapp.asking.questions.examples import examples_of
from webapp.graphs.sample import sample_graph_ensure
from webapp.health.readiness import needed_faults, scorer_state
from webapp.health.system_checks import DEPLOYED
from webapp.labelling.projects.sample_project import sample_project_ensure
from webapp.launch.database import database_held_open
from webapp.launch.processes import Child, ChildError
from webapp.launch.redis_server import start_redis
from webapp.launch.side_printer import SidePrinter
from webapp.launch.supervision import Supervisor
from webapp.platform.environment import REPOSITORY
from webapp.platform.terminal.command import SETTINGS_CHECKS
from webapp.platform.work.heartbeat import LOADING, READY, heartbeat_forget, is_served

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from kgstore.loading.reading import LoadProgress
    from webapp.accounts.demo import DemoAccount

_START_SECONDS = 300.0
"""A machine that is busy with other work takes minutes; a failed start is reported long before."""
_MODEL_SECONDS = 60.0
"""Maximum time to wait for the default scorer to load. A larger model goes on loading, and the site reports when it is
ready."""
_LOOK_SECONDS = 0.3
_FAREWELL_SECONDS = 1.0
"""So long the last words may take."""


class LaunchError(Exception):
    """The site cannot start; the message says why and what to do."""


class GivenUpError(LaunchError):
    """The site ran and cannot go on; the message says why."""


class _Stopped(Exception):  # noqa: N818 - it is none
    """The site was asked to stop."""


class Site:
    """A site that runs while `run` does."""

    def __init__(self, host: str, port: int) -> None:
        self.host = host
        self.port = port
        self.home = settings.ENVIRONMENT.home
        self.logs = self.home / "logs"
        self.console = Console(highlight=False)
        self.printer = SidePrinter(self.console)
        """For what is said while the site runs: who watches processes must not wait for who reads."""
        self.supervisor = Supervisor(self.printer.say)
        self.is_asked_to_stop = False

    def run(self) -> None:
        """Start everything, say where it is, and watch until Ctrl-C, SIGTERM or the end of the terminal.

        A part that dies is started again. The listening socket stays open here meanwhile, so that connections wait for
        the next web server instead of being refused.

        Raises:
            LaunchError: a part cannot start. Nothing is left running.
            GivenUpError: a part died again and again. Nothing is left running.

        """
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._ask_to_stop)
        began = time.monotonic()
        is_ready = False
        try:
            with ExitStack() as stack:
                lock = stack.enter_context(self._alone())
                listener = stack.enter_context(self._listen())
                stack.callback(self.supervisor.end)
                accounts = self._start(listener)
                stack.enter_context(database_held_open())
                lock.write(json.dumps({"pid": os.getpid(), "address": self.address}))
                lock.flush()
                faults = self._wait_until_ready()
                self._welcome(accounts, time.monotonic() - began, faults)
                state = scorer_state()
                is_ready = True
                while True:
                    self._go_on()
                    self.supervisor.watch()
                    state = self._report_scorer(state)
                    time.sleep(_LOOK_SECONDS)
        except _Stopped:
            self.printer.say("Discern has ended.")
            self.printer.flush(_FAREWELL_SECONDS)
        except (ChildError, GraphLoadError) as error:
            raise (GivenUpError if is_ready else LaunchError)(str(error)) from error

    @property
    def address(self) -> str:
        """Where people reach the site."""
        host = "localhost" if self.host in ("127.0.0.1", "0.0.0.0", "::") else self.host  # noqa: S104 - compared
        return f"http://{host}:{self.port}/"

    @contextmanager
    def _alone(self) -> Iterator[TextIO]:
        """Hold the home folder's lock, which goes with this process."""
        with (self.home / "serve.lock").open("a+", encoding="utf-8") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                lock.seek(0)
                raise LaunchError(_already_running(lock.read())) from None
            lock.truncate(0)
            yield lock
            lock.truncate(0)

    @contextmanager
    def _listen(self) -> Iterator[socket.socket]:
        """Take the port first: a busy one is known before anything is started."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        with socket.socket(family) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listener.bind((self.host, self.port))
                listener.listen(128)
            except OSError as error:
                raise LaunchError(self._port_fault(error)) from error
            self.port = listener.getsockname()[1]
            yield listener

    def _port_fault(self, error: OSError) -> str:
        choose = "Choose another: make run PORT=8001, or PORT=0 for any that is free."
        if error.errno == errno.EADDRINUSE:
            return f"port {self.port} is busy: another program listens there. {choose}"
        if error.errno == errno.EACCES:
            return f"port {self.port} is not for this user. {choose}"
        return f"nothing can listen on {self.host}:{self.port} ({error.strerror}). {choose}"

    def _start(self, listener: socket.socket) -> list[DemoAccount]:
        if settings.ENVIRONMENT.redis_url is None:
            with self._step("Starting Redis"):
                socket_path, log = settings.ENVIRONMENT.redis_socket, self.logs / "redis.log"
                self.supervisor.start("Redis", partial(start_redis, socket_path, log=log))
        with self._step("Migrating the database"):
            call_command("migrate", verbosity=0, interactive=False)
        with self._step("Preparing the sample graph") as report_step:
            report = sample_graph_ensure(lambda progress: report_step(_progress(progress)))
            report_step("up to date" if report is None else f"{report.triples:,} triples")
        with self._step("Preparing the demo accounts and a project to try"):
            accounts = demo_accounts_ensure()
            sample_project_ensure()
            connections.close_all()
        with self._step("Checking"):
            self._check()
        with self._step("Starting the worker and the web server"):
            self._start_worker_and_web(listener)
        return accounts

    def _start_worker_and_web(self, listener: socket.socket) -> None:
        heartbeat_forget()
        environment = {
            "DJANGO_SETTINGS_MODULE": settings.SETTINGS_MODULE,
            "DISCERN_HOME": str(self.home),
            "PYTHONPATH": os.pathsep.join(filter(None, (str(REPOSITORY), os.environ.get("PYTHONPATH")))),
            "PYTHONUNBUFFERED": "1",
        }
        worker = ["-m", "celery", "-A", "webapp.celery", "worker", "--loglevel", settings.ENVIRONMENT.log_level]
        worker += ["--without-mingle", "--without-gossip"]
        web = ["-m", "webapp.launch.web_server", "--fd", str(listener.fileno()), "--verbosity", "0"]
        web += ["webapp.asgi:application"]
        start = partial(Child.start, environment=environment)
        self.supervisor.start(
            "worker", partial(start, "worker", [sys.executable, *worker], log=self.logs / "worker.log")
        )
        self.supervisor.start(
            "web server",
            partial(start, "web server", [sys.executable, *web], log=self.logs / "web.log", keep=[listener.fileno()]),
        )
        self._wait_for(self._answers)
        self._wait_for(lambda: is_served(engine.queue_of(engine.default_scorer())))

    def _wait_until_ready(self) -> str:
        """Wait while the default scorer loads; return why the site is not ready then, empty if it is."""
        with self._step("Loading the model"):
            deadline = time.monotonic() + _MODEL_SECONDS
            while found := needed_faults():
                self._look()
                if time.monotonic() > deadline or scorer_state() != LOADING:
                    break
                time.sleep(_LOOK_SECONDS)
        return " ".join(found.values())

    def _answers(self) -> bool:
        try:
            with urlopen(f"{self.address}healthz", timeout=2):  # noqa: S310 - our own address
                return True
        except HTTPError:
            return True  # it answers, if only to say that it goes by other names
        except (URLError, OSError):
            return False

    def _wait_for(self, ready: Callable[[], bool]) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while not ready():
            self._look()
            if time.monotonic() > deadline:
                raise LaunchError(f"it was not ready within {_START_SECONDS:.0f} seconds. See the logs in {self.logs}.")
            time.sleep(0.1)

    def _check(self) -> None:
        for message in checks.run_checks(tags=[SETTINGS_CHECKS, DEPLOYED], include_deployment_checks=True):
            if message.is_serious():
                raise LaunchError(" ".join(filter(None, (message.msg, message.hint))))
            self.console.print(f"  [yellow]{message.msg}[/] {message.hint or ''}")

    def _welcome(self, accounts: list[DemoAccount], seconds: float, faults: str) -> None:
        say = self.console.print
        if faults:
            say(f"\n[bold yellow]Discern is running[/] after {seconds:.1f} s: [bold]{self.address}[/]")
            say(f"No question can be answered yet: {faults}\n", markup=False)
        else:
            say(f"\n[bold green]Discern is ready[/] after {seconds:.1f} s: [bold]{self.address}[/]\n")
        say("Demo accounts (visitors may ask too):")
        for account in accounts:
            say(f"  {account.role:<10} {account.username:<6} {account.password}", markup=False)
        say("\nThree questions to try:")
        for example in examples_of("")[:3]:
            say(f"  {example.question}", markup=False)
        say(f"\nLogs: {self.logs}. Ctrl-C ends everything.")

    def _report_scorer(self, before: str | None) -> str | None:
        """Say so when the scorer, which the worker loads by the side, becomes ready, or why it does not."""
        state = scorer_state()
        if state in (None, before):
            return before
        if state == READY:
            self.printer.say(f"The scorer “{engine.default_scorer()}” is ready.")
        else:
            self.printer.say(f"No question can be answered yet. {state}")
        return state

    def _ask_to_stop(self, _number: int, _frame: FrameType | None) -> None:
        """Take note only: an exception that a signal raises may be lost wherever it strikes."""
        self.is_asked_to_stop = True

    def _go_on(self) -> None:
        if self.is_asked_to_stop:
            raise _Stopped

    def _look(self) -> None:
        """See, while the site starts, whether to continue: no stop was requested, and every process lives."""
        self._go_on()
        self.supervisor.check()

    @contextmanager
    def _step(self, name: str) -> Iterator[Callable[[str], None]]:
        """Show what is being done and, when it is, how long it took."""
        began = time.monotonic()
        line = ""

        def report_step(text: str) -> None:
            nonlocal line
            self._look()
            line = text
            status.update(f"{name}: {text}")

        with self.console.status(name) as status:
            self._look()
            yield report_step
        detail = f" [dim]{line}[/]" if line else ""
        self.console.print(f"  [green]✓[/] {name}{detail} [dim]{time.monotonic() - began:.1f} s[/]")


def _progress(progress: LoadProgress) -> str:
    return f"{progress.stage} {progress.done:,}" + (f" of {progress.total:,}" if progress.total else "")


def _already_running(text: str) -> str:
    with contextlib.suppress(ValueError, KeyError):
        known = json.loads(text)
        return (
            f"it runs already, at {known['address']} (process {known['pid']}). "
            "Stop that one first, or set DISCERN_HOME to another folder for a second site."
        )
    return "another one is starting in the same home folder. Wait for it, or set DISCERN_HOME to another folder."
