"""The web server: Daphne, which keeps no more of a body than the site ever reads.

By itself it writes a body to disk before the site sees anything of the request, however long it is, and reads a form
into memory. So one visitor could fill either.
"""

from __future__ import annotations

import gc
from importlib import import_module

from daphne import http_protocol, server
from daphne.cli import CommandLineInterface
from twisted.web.http import HTTPChannel

from webapp.platform.http.file_parts import PART_BYTES
from webapp.platform.http.heavy_reads import reader_process

_KEPT_BYTES = PART_BYTES + 1
"""One more than the longest body that any route takes, so that the site still sees which one is too long."""
_MAX_HEAD_LENGTH = 65_536
"""The bytes of an address with its headers: of a question that is being typed, each character may take twelve. Twisted
closes a connection that sends more, without an answer."""


class BoundedRequest(http_protocol.WebRequest):
    """A request of whose body only the beginning is kept; the site refuses it where there was more."""

    def __init__(self, *arguments: object) -> None:
        """Leave forms to Django."""
        super().__init__(*arguments, parsePOSTFormSubmission=False)
        self._room = _KEPT_BYTES

    def handleContentChunk(self, data: bytes) -> None:  # noqa: N802 - Twisted's name
        """Keep what there is room for."""
        kept = data[: self._room]
        self._room -= len(kept)
        super().handleContentChunk(kept)


class BoundedFactory(server.HTTPFactory):
    """Makes connections whose requests are bounded."""

    def buildProtocol(self, addr: object) -> object:  # noqa: N802 - Twisted's name
        """Make one."""
        protocol = super().buildProtocol(addr)
        protocol.requestFactory = BoundedRequest
        return protocol


class LongLivedServer(server.Server):
    """A server whose garbage collection passes over what was there before the first request, and stays.

    Each full collection would look at it all, for some tenths of a second in which a request waits.
    """

    def run(self) -> None:
        """Serve until asked to stop."""
        import_module("webapp.urls")
        reader_process.open()
        gc.collect()
        gc.freeze()
        super().run()


if __name__ == "__main__":
    # Neither Daphne nor Twisted has a setting for these.
    server.HTTPFactory = BoundedFactory
    HTTPChannel.MAX_LENGTH = HTTPChannel.totalHeadersSize = _MAX_HEAD_LENGTH
    CommandLineInterface.server_class = LongLivedServer
    CommandLineInterface.entrypoint()
