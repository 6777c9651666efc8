"""Downloading a data set: what has arrived is kept, and continued after failures.

The standard library is enough. pooch, which many use for this, begins again after each failure, and brings
requests with all that it needs.
"""

from __future__ import annotations

import hashlib
import http.client
import os
import re
import ssl
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NoReturn

from firth import __version__, progress
from firth.data._table import DataSet, find_set
from firth.errors import BusyError, InputError
from firth.formats import without_secrets
from firth.store import lock, make_folder, open_file, rename, sha256, sync

__all__ = ["cache_folder", "get"]

TIMEOUT = 30.0
"""Seconds without a byte after which a connection is given up."""
PAUSES = (1.0, 2.0, 4.0, 8.0)
"""Seconds before each new attempt; an attempt that brings something new begins them again."""
_PIECE = 1 << 16
_TRANSIENT = (408, 425, 429, 500, 502, 503, 504)
_BEYOND_END = 416
_SUFFIX = re.compile(r"(\.[a-z0-9]{1,8}){1,2}$", re.IGNORECASE)


def cache_folder() -> Path:
    """The folder for downloads: ``FIRTH_CACHE``, or ``firth`` in the user's folder for such files."""
    if own := os.environ.get("FIRTH_CACHE"):
        return Path(own)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "firth"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "firth"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "firth"


def get(name: str, table: str | Path | None = None, offline: bool = False) -> Path:
    """Download a data set, unless it is on this machine; returns its path.

    Parameters
    ----------
    name : str
    table : str or Path, optional
        A TOML file with data sets; by default the table that comes with Firth.
    offline : bool
        Whether to use what is on this machine only; also if ``FIRTH_OFFLINE`` is set.

    Examples
    --------
    >>> import firth, firth.data
    >>> text = firth.data.get("moby-dick")                              # doctest: +SKIP
    >>> model = firth.learn(text, "moby", split="paragraphs")           # doctest: +SKIP
    """
    wanted = find_set(name, table)
    path = path_of(wanted)
    if is_here(wanted):
        return path
    if offline or os.environ.get("FIRTH_OFFLINE"):
        because = (
            "FIRTH_OFFLINE is set" if os.environ.get("FIRTH_OFFLINE") else "--offline is given"
        )
        raise InputError(
            f"{name} is not on this machine, and {because}.",
            "Download it while there is a connection.",
        )
    with _explained(wanted):
        make_folder(path.parent)
        part = path.with_name(f"{path.name}.part")
        with open_file(part, "a+b") as file:
            if not lock(file):
                raise BusyError(f"Another process downloads {name}.", "Wait until it has finished.")
            _fill(file, wanted)
            sync(file)
        try:
            rename(part, path)
        except FileNotFoundError:  # another process has finished it just now
            if not is_here(wanted):
                raise
    progress.remark(f"The licence of {name}: {wanted.licence}.")
    return path


def path_of(wanted: DataSet) -> Path:
    """Where a data set is kept; another version of it has another name."""
    suffix = _SUFFIX.search(wanted.url.rpartition("/")[2])
    return cache_folder() / f"{wanted.name}-{wanted.sha256[:8]}{suffix[0] if suffix else ''}"


def is_here(wanted: DataSet) -> bool:
    """Whether a data set is on this machine, as the table describes it."""
    path = path_of(wanted)
    return path.is_file() and path.stat().st_size == wanted.size and sha256(path) == wanted.sha256


def _fill(file: IO[bytes], wanted: DataSet) -> None:
    """Download what a file lacks. If it is wrong then, and began with an earlier part, begin again."""
    while True:
        began = file.seek(0, os.SEEK_END)
        _receive_all(file, wanted)
        if _checksum(file) == wanted.sha256:
            return
        file.truncate(0)
        if not began:
            raise InputError(
                f"The file at {without_secrets(wanted.url)} is not the one in the table: its checksum is wrong.",
                "It was changed, or damaged on the way. Nothing of it was kept.",
            )


def _receive_all(file: IO[bytes], wanted: DataSet) -> None:
    """Try until the file has its size, or until nothing new has come for a while."""
    most, pauses = file.seek(0, os.SEEK_END), iter(PAUSES)
    with progress.stage(f"downloading {wanted.name}", wanted.size, "bytes") as stage:
        while True:
            try:
                _receive(file, wanted, stage)
                return
            except (http.client.HTTPException, OSError) as error:
                if getattr(error, "code", 0) == _BEYOND_END:
                    file.truncate(0)
                elif not _is_transient(error):
                    raise
                size = file.seek(0, os.SEEK_END)
                if size > most:
                    most, pauses = size, iter(PAUSES)
                pause = next(pauses, None)
                if pause is None:
                    raise
                time.sleep(pause)


def _receive(file: IO[bytes], wanted: DataSet, stage: progress.Stage) -> None:
    """Make one request for what is missing."""
    start = file.seek(0, os.SEEK_END)
    if start >= wanted.size:  # all of it, or what cannot be right
        return
    headers = {"User-Agent": f"firth/{__version__}", "Accept-Encoding": "identity"}
    if start:
        headers["Range"] = f"bytes={start}-"
    request = urllib.request.Request(wanted.url, headers=headers)  # noqa: S310  # checked by the table
    with _opener().open(request, timeout=TIMEOUT) as answer:
        continued = str(answer.headers.get("Content-Range", "")).startswith(f"bytes {start}-")
        if start and not (answer.status == 206 and continued):
            start = 0
            file.truncate(0)
        stage.advance(start - stage.done)
        while piece := answer.read1(_PIECE):
            start += len(piece)
            if start > wanted.size:
                file.truncate(0)
                raise InputError(
                    f"The file at {without_secrets(wanted.url)} is larger than the table says."
                )
            file.write(piece)
            stage.advance(len(piece))
    if start < wanted.size:
        raise http.client.IncompleteRead(b"", wanted.size - start)


def _opener() -> Any:
    """What opens web addresses, through a proxy if the environment names one, and nothing else."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPRedirectHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.UnknownHandler(),
    ):
        opener.add_handler(handler)
    return opener


def _is_transient(error: Exception) -> bool:
    """Whether it may be better in a moment."""
    if isinstance(error, urllib.error.HTTPError):
        return error.code in _TRANSIENT
    if isinstance(error, http.client.InvalidURL):
        return False
    if isinstance(error, OSError) and error.filename is not None:  # a file of ours
        return False
    return not isinstance(getattr(error, "reason", error), ssl.SSLCertVerificationError)


def _checksum(file: IO[bytes]) -> str:
    file.seek(0)
    digest = hashlib.sha256()
    while piece := file.read(_PIECE):
        digest.update(piece)
    return digest.hexdigest()


@contextmanager
def _explained(wanted: DataSet) -> Iterator[None]:
    """Say what went wrong on the way, or on the disk."""
    try:
        yield
    except urllib.error.HTTPError as error:
        error.close()
        _fail(wanted, f"the server answers {error.code} {error.reason}")
    except (ValueError, http.client.InvalidURL):  # UnicodeError for the name of a host, too
        raise InputError(
            f"{wanted.name} cannot be downloaded from {without_secrets(wanted.url)}: this address, or one that "
            "it leads to, is not valid.",
            "Correct it in the table.",
        ) from None
    except (http.client.HTTPException, TimeoutError) as error:
        _fail(
            wanted, "it stalls" if isinstance(error, TimeoutError) else "the connection breaks off"
        )
    except urllib.error.URLError as error:
        _fail(wanted, str(getattr(error.reason, "strerror", None) or error.reason))
    except OSError as error:
        if error.filename is None:
            _fail(wanted, str(error.strerror or error))
        raise InputError(
            f"Cannot write {error.filename}: {error.strerror}.",
            "Set FIRTH_CACHE to a folder with space that you may write to.",
        ) from None


def _fail(wanted: DataSet, why: str) -> NoReturn:
    raise InputError(
        f"{wanted.name} cannot be downloaded from {without_secrets(wanted.url)}: {why}.",
        "Check the connection, and run the same command again: what has arrived is kept.",
    ) from None
