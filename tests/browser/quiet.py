"""An untouched page sends no requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

_RESTING_MS = 1_500


def asked_while_resting(page: Page) -> list[str]:
    """The addresses that a page asks for by itself, once all that it asked for is there."""
    page.wait_for_load_state("networkidle")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_timeout(_RESTING_MS)
    return asked
