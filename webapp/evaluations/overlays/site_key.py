"""The key that the site signs overlays with.

It is drawn from the site's secret key, so that nothing is kept and every file of a site bears the same one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings
from django.utils.crypto import salted_hmac

if TYPE_CHECKING:
    from django.http import HttpRequest


def site_key() -> Ed25519PrivateKey:
    """The key."""
    drawn = salted_hmac("webapp.overlays.site_key", "ed25519", algorithm="sha256").digest()
    return Ed25519PrivateKey.from_private_bytes(drawn)


def site_public_key() -> str:
    """Its public half, in hexadecimal: what others name to read this site's overlays alone."""
    return site_key().public_key().public_bytes_raw().hex()


def site_signer(request: HttpRequest) -> str:
    """What the site calls itself where it signs, for people: its address."""
    return str(settings.ENVIRONMENT.site_url or request.get_host())
