"""File names as text that can be stored: every name comes back exactly, byte by byte."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote_from_bytes, unquote_to_bytes

from firth.errors import shown
from firth.formats._remote import RemoteFile
from firth.formats._urls import is_url

__all__ = ["path_of", "stored_name"]

_SCHEME = "file:"


def stored_name(path: str | Path | RemoteFile) -> str:
    r"""The path of a file as text in Unicode; ``path_of`` turns it back.

    That of a remote file is its address.

    On many systems the name of a file is any bytes. A name that is not UTF-8 is stored as a URI.

    >>> stored_name("/home/anna/text.txt"), stored_name("/home/anna/caf\udce9.txt")
    ('/home/anna/text.txt', 'file:/home/anna/caf%E9.txt')
    """
    name = str(path)
    if name.startswith(_SCHEME) or shown(name) != name:
        return _SCHEME + quote_from_bytes(os.fsencode(name))
    return name


def path_of(name: str) -> Path:
    """The path that ``stored_name`` made a name of; raises ValueError for an address."""
    if is_url(name):
        raise ValueError(f"{name} is not a path")
    if not name.startswith(_SCHEME):
        return Path(name)
    return Path(os.fsdecode(unquote_to_bytes(name.removeprefix(_SCHEME))))
