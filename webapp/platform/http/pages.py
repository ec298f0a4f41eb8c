"""The pages: one document that the frontend was built into; it reads the address itself."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

_NOT_BUILT = """<!doctype html><html lang="en"><title>Discern</title>
<p>The pages are not built yet. Run <code>make run</code>, or <code>npm run build</code> in <code>frontend</code>.</p>
"""


@require_safe
def page(_request: HttpRequest) -> HttpResponse:
    """The document of every page."""
    document = settings.FRONTEND / "index.html"
    try:
        html = document.read_text(encoding="utf-8")
    except FileNotFoundError:
        return HttpResponse(_NOT_BUILT, status=503)
    response = HttpResponse(html)
    # It names its scripts by their hashes, so a page kept from before a new build would ask for files that are gone.
    response["Cache-Control"] = "no-cache"
    return response
