"""How Freebase's own ids, mids, are written."""

from __future__ import annotations

import re

_MID = re.compile(r"[mg]\.[0-9a-z_]+")


def is_mid(text: str) -> bool:
    """Whether a text is written as Freebase's mids are: ``m.0d3k14``, ``g.11b66kdx2p``."""
    return _MID.fullmatch(text) is not None
