"""``make neo4j``: a Neo4j with nothing in it, until Ctrl-C."""

from __future__ import annotations

import signal
import sys
import tempfile
from pathlib import Path

from tests.neo4j_server.server import Neo4jServer, NoNeo4jError


def main() -> int:
    """Run a server in the foreground."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(prefix="discern-neo4j-") as folder:
        try:
            print("Starting Neo4j …", flush=True)  # noqa: T201
            server = Neo4jServer.install(Path(folder) / "home", for_minutes=False)
            try:
                server.start()
                print(  # noqa: T201
                    f"Neo4j runs, and is gone with what it holds on Ctrl-C. In another terminal:\n"
                    f"  export GRAPH_STORE_URL={server.url}\n"
                    f"  make run, manage.py load_graph …, or NEO4J_TEST_URL=$GRAPH_STORE_URL make test",
                    flush=True,
                )
                server.child.process.wait()
                raise NoNeo4jError(server.child.complaint())
            finally:
                server.stop()
        except NoNeo4jError as error:
            print(f"Neo4j cannot run here: {error}.", file=sys.stderr)  # noqa: T201
            return 1
        except KeyboardInterrupt:
            return 0


if __name__ == "__main__":
    sys.exit(main())
