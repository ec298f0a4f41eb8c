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
    """The text as a database takes it: the symbol for NUL instead of NUL, and U+FFFD instead of half a character."""
    return text.replace("\0", "\N{SYMBOL FOR NULL}").encode(errors="surrogatepass").decode(errors="replace")
