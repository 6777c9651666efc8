"""Where compiled kernels are kept between runs."""

from __future__ import annotations

import hashlib
import os
import pickle  # for the name of an error
import stat
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba

from firth import progress

__all__ = ["kept"]


def kept(compiled: Any) -> Any:
    """Let Numba keep a compiled function on disk.

    It looks for a folder beside the code and in the home folder. Where neither can be written to, as in
    some containers, the functions are kept in a temporary folder of the user, or else not at all.
    """
    try:
        compiled.enable_caching()
    except RuntimeError:
        before = numba.config.CACHE_DIR
        try:
            numba.config.CACHE_DIR = _temporary_folder()
            compiled.enable_caching()
        except RuntimeError:
            _say_that_nothing_is_kept()
            return compiled
        finally:
            numba.config.CACHE_DIR = before
    files = compiled._cache
    files._cache_file._source_stamp = _stamp(compiled.__module__)
    files.load_overload = _if_possible(files.load_overload)
    files.save_overload = _if_possible(files.save_overload)
    return compiled


@cache
def _stamp(module: str) -> str:
    """The checksum of the source of a module and of all modules whose kernels it calls.

    Numba would compile a kernel again only if its own file has changed.
    """
    paths = sorted(Path(str(sys.modules[name].__file__)) for name in _called(module))
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


def _called(module: str) -> set[str]:
    """A module, and those from which it imports kernels; all imports come before the first kernel."""
    found, new = {module}, [module]
    while new:
        for value in list(vars(sys.modules[new.pop()]).values()):
            is_kernel = hasattr(value, "py_func") or isinstance(value, numba.extending._Intrinsic)
            if is_kernel and value.__module__ not in found:
                found.add(value.__module__)
                new.append(value.__module__)
    return found


@cache
def _temporary_folder() -> str:
    """A folder that only this user can write to, because code is loaded from it; empty if there is none."""
    mine = os.getuid() if hasattr(os, "getuid") else 0
    folder = Path(tempfile.gettempdir()) / f"firth-kernels-{mine}"
    with suppress(OSError):
        with suppress(FileExistsError):
            folder.mkdir(0o700)
        found = folder.lstat()
        private = found.st_uid == mine and not found.st_mode & 0o077
        if stat.S_ISDIR(found.st_mode) and (private or os.name == "nt"):
            progress.notice(
                f"Compiled code is kept in {folder}, as no other folder can be written to.",
                "Set NUMBA_CACHE_DIR to a folder that lasts.",
            )
            return str(folder)
    return ""


@cache
def _say_that_nothing_is_kept() -> None:
    progress.notice(
        "Compiled code cannot be kept, so every run compiles it again.",
        "Set NUMBA_CACHE_DIR to a folder that you may write to.",
    )


def _if_possible(work: Callable[..., Any]) -> Callable[..., Any]:
    """Reads or writes compiled code, unless the disk is full or a file is damaged."""

    def attempt(*args: Any) -> Any:
        try:
            return work(*args)
        except (OSError, EOFError, pickle.UnpicklingError):
            _say_that_nothing_is_kept()
            return None

    return attempt
