"""``make vllm-cpu``: a vLLM on the processor with a small model of random weights, until Ctrl-C.

``install`` only installs it; a folder as argument is served instead of the small model.
"""

from __future__ import annotations

import signal
import sys
import tempfile
from pathlib import Path

from tests.reasoning.language_models import served_model
from tests.vllm_server.server import NoVllmError, VllmServer, install


def main(arguments: list[str]) -> int:
    """Run a server in the foreground."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        print("Installing vLLM if it is not there yet (5 GB) …", flush=True)  # noqa: T201
        python = install()
        if arguments == ["install"]:
            return 0
        with tempfile.TemporaryDirectory(prefix="discern-vllm-") as folder:
            model = Path(arguments[0]) if arguments else served_model(Path(folder) / "model")
            print("Starting vLLM, which takes a minute …", flush=True)  # noqa: T201
            server = VllmServer.start(python, model, log=Path(folder) / "server.log")
            try:
                print(  # noqa: T201
                    f"vLLM runs, until Ctrl-C. In another terminal:\n"
                    f"  export DISCERN_LLM_URL={server.url}\n"
                    f"  DISCERN_SCORER=vllm make run, or VLLM_TEST_URL=$DISCERN_LLM_URL make test",
                    flush=True,
                )
                server.child.process.wait()
                raise NoVllmError(server.child.complaint())
            finally:
                server.stop()
    except NoVllmError as error:
        print(f"vLLM cannot run here: {error}.", file=sys.stderr)  # noqa: T201
        return 1
    except KeyboardInterrupt:
        return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
