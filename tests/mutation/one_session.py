"""mutmut with one session of pytest for all mutants: ``python -P tests/mutation/one_session.py run …``.

By default, mutmut starts pytest again for each mutant: collect, make a database, start a Redis. Here all of that is
done once. Each mutant is a fork of that process, which finds everything there and runs its tests. It is run as a file,
since as a module it would import the tests from where they are not mutated.
"""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from _pytest.config import _prepareconfig
from _pytest.main import Session
from _pytest.runner import runtestprotocol
from django.db import connections
from mutmut.__main__ import cli
from mutmut.runners.harness import ListAllTestsResult, PytestRunner
from mutmut.state import state
from mutmut.utils.file_utils import change_cwd
from mutmut.workers import isolation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest import Item  # noqa: PT013 - a type alone


class OneSession(PytestRunner):
    """Runs tests in a session that is opened once and stays open."""

    @cache  # noqa: B019 - there is one runner, as long as the process
    def session(self) -> Session:
        """The session, its tests collected; to be called where tests run, in mutmut's folder of mutated code."""
        arguments = ["--rootdir=.", "-s", *self._pytest_add_cli_args_test_selection]
        config = _prepareconfig([*arguments, *self._pytest_add_cli_args])
        config._do_configure()
        session = Session.from_config(config)
        config.hook.pytest_sessionstart(session=session)
        config.hook.pytest_collection(session=session)
        if session.testsfailed:
            raise SystemExit("The tests cannot be collected.")
        return session

    def run_stats(self, *, tests: Iterable[str]) -> int:
        """Run tests, and note how long each takes and which functions it meets."""
        with change_cwd("mutants"):
            for item in self._items(tests):
                began = time.monotonic()
                if self._fails(item, None):
                    return 1
                state().duration_by_test[item.nodeid] = time.monotonic() - began
                for function in state()._stats:
                    state().tests_by_mangled_function_name[function].add(item.nodeid)
                state()._stats.clear()
        return 0

    def run_tests(self, *, mutant_name: str | None, tests: Iterable[str]) -> int:
        """Run tests until one fails. What runs for no mutant must hold in a fork as well, where all mutants run."""
        tests = list(tests)
        with change_cwd("mutants"):
            if mutant_name is not None:
                return self._of_a_fork(tests)
            fails = self._any_fails(tests)
            connections.close_all()  # which no fork may share
            if fails:
                return 1
            _home_keep()
            return isolation.run_in_fork(self._of_a_fork, tests)

    def _of_a_fork(self, tests: list[str]) -> int:
        """Run tests as a fork that lives for nothing else."""
        os.setpgrp()
        # Out of time: with it go the processes that its tests started.
        signal.signal(signal.SIGXCPU, lambda *_: os.killpg(0, signal.SIGKILL))
        _home_put_back()
        return int(self._any_fails(tests))

    def _any_fails(self, tests: list[str]) -> bool:
        items = self._items(tests)
        return any(self._fails(item, following) for item, following in zip(items, [*items[1:], None], strict=True))

    def list_all_tests(self) -> ListAllTestsResult:
        """The tests of the session, by their ids."""
        with change_cwd("mutants"):
            return ListAllTestsResult(ids={item.nodeid for item in self.session().items})

    def _items(self, tests: Iterable[str]) -> list[Item]:
        """The tests of these ids in the order given, or all of them where none are."""
        items = {item.nodeid: item for item in self.session().items}
        return [items[test] for test in tests] or list(items.values())

    def _fails(self, item: Item, following: Item | None) -> bool:
        """Run a test; afterwards what the following one needs stands, and what belongs to the session."""
        kept = following or self.session()
        reports = runtestprotocol(item, log=False, nextitem=kept)  # type: ignore[arg-type]
        failed = [report for report in reports if report.failed]
        if failed:
            # The tests that follow are not run. What stood for them would end the first one of every mutant.
            self.session()._setupstate.teardown_exact(self.session())
        for report in failed:
            sys.stdout.write(f"{report.nodeid} ({report.when})\n{report.longrepr}\n")
        return bool(failed)


@cache
def _kept() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="discern-mutants-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _home_keep() -> None:
    """Remember the home folder of the tests, with its database."""
    shutil.rmtree(_kept())
    shutil.copytree(os.environ["DISCERN_HOME"], _kept(), ignore=_sockets)


def _home_put_back() -> None:
    """Let no mutant find what another one left."""
    home = Path(os.environ["DISCERN_HOME"])
    for path in home.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif not path.is_socket():
            path.unlink()
    shutil.copytree(_kept(), home, dirs_exist_ok=True)


def _sockets(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if Path(folder, name).is_socket()]


def main(command: str, *arguments: str) -> None:
    """What mutmut does for a command; several mutants are shown at once, as it takes a while to begin."""
    isolation.PytestRunner = OneSession
    for mutants in [[mutant] for mutant in arguments] if command == "show" else [arguments]:
        cli([command, *mutants], standalone_mode=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
