"""Addresses of files on the network, as they may be shown and stored."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["is_allowed", "is_url", "local_path", "scrubbed", "without_secrets"]

_URL = re.compile(r"[a-z][a-z0-9+.-]+(://|::)", re.IGNORECASE)
_LINK = re.compile(r"([a-z][a-z0-9+.-]+)://([^/]*@)?(.*)", re.IGNORECASE | re.DOTALL)
_INSIDE = re.compile(r"\b[a-z][a-z0-9+.-]+://[^\s'\"<>]+", re.IGNORECASE)
_LOCAL = re.compile(r"(file|local)://", re.IGNORECASE)
_QUERY = re.compile(r"\?(?!versionId=)[^/?]*=.*", re.DOTALL)
_ALLOWED = re.compile(r"(s3|gs|gcs|az|abfs|abfss|http|https|hf)://(?!.*::).+", re.DOTALL)


def is_url(name: object) -> bool:
    """Whether a name is an address, also one that is chained as those of fsspec can be.

    >>> is_url("s3://bucket/a.txt"), is_url("simplecache::s3://bucket/a.txt"), is_url("C:\\\\a.txt")
    (True, True, False)
    """
    return isinstance(name, str) and _URL.match(name) is not None


def is_allowed(url: str) -> bool:
    """Whether a model may name this address as that of its text.

    Only object stores and web servers: other file systems of fsspec, and chains of them, lead to
    files of this machine.
    """
    return _ALLOWED.fullmatch(url) is not None


def local_path(url: str) -> Path | None:
    """The path that ``file://`` stands for; None for other addresses."""
    found = _LOCAL.match(url)
    return Path(re.sub(r"^/(?=[A-Za-z]:)", "", url[found.end() :])) if found else None


def without_secrets(url: str) -> str:
    """An address without user, password and signature.

    Web servers are given secrets in all kinds of parameters, so none of those is kept.

    >>> without_secrets("https://anna:secret@example.com/a.txt?X-Amz-Signature=1234")
    'https://example.com/a.txt'
    >>> without_secrets("abfs://box@account/a.txt"), without_secrets("s3://b/a.txt?versionId=3")
    ('abfs://box@account/a.txt', 's3://b/a.txt?versionId=3')
    """
    return "::".join(map(_link_without_secrets, url.split("::")))


def _link_without_secrets(link: str) -> str:
    found = _LINK.fullmatch(link)
    if found is None:  # a name alone, or the rest of an address with two colons
        return re.split("[?#]", link)[0]
    scheme, user, rest = found.groups()
    web = scheme.lower() in ("http", "https")
    rest = re.split("[?#]", rest)[0] if web else _QUERY.sub("", rest)
    return f"{scheme}://{'' if web or ':' in (user or '') else user or ''}{rest}"


def scrubbed(text: str) -> str:
    """A message of a library, with all addresses in it without secrets."""
    return _INSIDE.sub(lambda found: without_secrets(found[0]), text)
