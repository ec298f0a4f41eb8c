"""Which characters a text may hold: databases, JSON and terminals take neither NUL nor half a surrogate pair."""

from __future__ import annotations


def character_fault(text: str) -> str:
    """Why a text can be neither kept nor sent, in fixed words; empty where it can."""
    if "\0" in text:
        return "holds a NUL character"
    try:
        text.encode()
    except UnicodeEncodeError:
        # JSON's "\ud800" alone, or an argument whose bytes were no UTF-8.
        return "holds half a character (a lone surrogate)"
    return ""


def characters_mended(text: str) -> str:
    """The text with U+FFFD in the place of what can be neither kept nor sent."""
    return text.replace("\0", "\ufffd").encode(errors="surrogatepass").decode(errors="replace")
