"""The static files of the page, read once. No other file can be requested."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

__all__ = ["page_files"]

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
}


@cache
def page_files() -> dict[str, tuple[bytes, str]]:
    """Content and media type of every file of the page, by name; what all pages have in their heads is in place."""
    found: dict[str, tuple[bytes, str]] = {}
    for entry in sorted(files("firth.explore").joinpath("page").iterdir(), key=lambda e: e.name):
        suffix = entry.name[entry.name.rfind(".") :]
        if suffix in _TYPES:
            found[entry.name] = entry.read_bytes(), _TYPES[suffix]
    head, _ = found.pop("head.html")
    for name in [name for name in found if name.endswith(".html")]:
        content, kind = found[name]
        found[name] = content.replace(b"<!-- head -->\n", head), kind
    return found
