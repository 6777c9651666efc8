"""The files of the page, read once: nothing else below the folder can be asked for."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

__all__ = ["page_files"]

_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
}


@cache
def page_files() -> dict[str, tuple[bytes, str]]:
    """Content and kind of every file of the page, by name."""
    found = {}
    for entry in sorted(files("firth.explore").joinpath("page").iterdir(), key=lambda e: e.name):
        suffix = entry.name[entry.name.rfind(".") :]
        if suffix in _KINDS:
            found[entry.name] = entry.read_bytes(), _KINDS[suffix]
    return found
