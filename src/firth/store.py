"""Model folders: parts, versions, checksums, and changes that happen wholly or not at all.

::

    MODEL/
      firth.json            the manifest: which version of each part is the current one
      firth.log             when and how each part was made, a JSON object a line (not checked)
      .lock                 held by the one process that writes
      corpus/<id>/...       the files of a part; <id> comes from what it was made of

A part is written into a draft folder beside the old version, flushed to disk, given its name, and becomes
current at the moment the manifest is replaced. A kill at any time leaves the old or the new. Whoever
writes next sweeps up what a kill left behind. ``docs/model-folder.md`` describes the format.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shutil
import stat
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
import numpy.typing as npt

from firth.errors import BusyError, ModelError

__all__ = ["Draft", "Part", "Store", "Writer", "array_file", "read_array", "identity", "writing"]

FORMAT = 1
MANIFEST = "firth.json"
LOG = "firth.log"
LOCK = ".lock"
DRAFT = ".draft"
_MANIFEST_LIMIT = 64 << 20
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*", re.ASCII)
_TYPES = {"u32": "<u4", "u64": "<u8", "i32": "<i4", "i64": "<i8", "f32": "<f4", "f64": "<f8"}


# Arrays in files -------------------------------------------------------------------------------


def array_file(name: str, dtype: npt.DTypeLike) -> str:
    """The file name of an array: its suffix tells the type.

    >>> array_file("ids", "uint32")
    'ids.u32'
    """
    wanted = np.dtype(dtype).newbyteorder("<")
    return name + "." + next(key for key, value in _TYPES.items() if np.dtype(value) == wanted)


def read_array(path: Path) -> npt.NDArray[Any]:
    """A raw little-endian array, mapped into memory, its type told by the suffix of the name."""
    dtype = np.dtype(_TYPES[path.suffix[1:]])
    n_bytes = path.stat().st_size
    if n_bytes % dtype.itemsize:
        raise ModelError(f"{path} is damaged: its size is no multiple of {dtype.itemsize}.")
    if n_bytes == 0:
        return np.empty(0, dtype)
    return np.memmap(path, dtype, mode="r")


# Reading ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """One part of a model, its current version, as the manifest describes it."""

    name: str
    folder: Path
    version: int
    identity: str
    content: str
    parameters: Mapping[str, Any]
    made_from: Mapping[str, Any]
    facts: Mapping[str, Any]
    files: Mapping[str, Mapping[str, Any]]

    @property
    def n_bytes(self) -> int:
        """The size of the part on disk."""
        return sum(entry["size"] for entry in self.files.values())

    def path(self, name: str) -> Path:
        """Where a file of the part lies."""
        if name not in self.files:
            raise _damaged(self.folder, f"the manifest lists no file {name!r} for it")
        return self.folder / name

    def verify(self) -> None:
        """Compare every file with the manifest: kind, size, checksum. Raises ModelError."""
        for folder in (self.folder.parent, self.folder):
            if not _is(folder, stat.S_ISDIR):
                raise _damaged(folder, "it is missing, or is not a plain folder")
        for name, entry in self.files.items():
            path = self.folder / name
            if not _is(path, stat.S_ISREG):
                raise _damaged(path, "it is missing, or is not a plain file")
            if path.stat().st_size != entry["size"]:
                raise _damaged(path, f"it should have {entry['size']:,} bytes and has {path.stat().st_size:,}")
        for name, entry in self.files.items():
            if _sha256(self.folder / name) != entry["sha256"]:
                raise _damaged(self.folder / name, "its checksum is not the one in the manifest")


def _is(path: Path, kind: Any) -> bool:
    try:
        return bool(kind(path.lstat().st_mode))  # lstat: links are never followed
    except OSError:
        return False


def _damaged(path: Path, why: str) -> ModelError:
    return ModelError(f"{path} cannot be trusted: {why}.", "Learn this part again, or restore the folder.")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def identity(name: str, version: int, parameters: Any, made_from: Any) -> str:
    """What a part is made of, as a short name: same inputs and parameters, same name."""
    text = json.dumps([FORMAT, name, version, parameters, made_from], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Store:
    """A model folder, opened for reading.

    Parameters
    ----------
    path : str or Path
        The folder. It must hold a manifest that this version of Firth understands.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.parts = _read_manifest(self.path)

    def part(self, name: str) -> Part:
        """The current version of a part, verified."""
        for attempt in (1, 2):
            if name not in self.parts:
                raise ModelError(
                    f"The model {self.path} has no {name}.",
                    f"It has: {', '.join(sorted(self.parts)) or 'nothing yet'}. See 'firth {name} learn --help'.",
                )
            try:
                self.parts[name].verify()
                break
            except ModelError:
                fresh = _read_manifest(self.path)  # replaced by a writer just now?
                if attempt == 2 or fresh.get(name) == self.parts[name]:
                    raise
                self.parts = fresh
        return self.parts[name]

    def history(self) -> list[dict[str, Any]]:
        """The log of the folder, oldest entry first; lines that are not JSON are passed over."""
        entries: list[dict[str, Any]] = []
        with suppress(OSError, UnicodeDecodeError):
            for line in (self.path / LOG).read_text(encoding="utf-8").splitlines():
                with suppress(ValueError):
                    entry = json.loads(line)
                    if isinstance(entry, dict):
                        entries.append(entry)
        return entries


def _read_manifest(folder: Path) -> dict[str, Part]:
    if not folder.exists():
        raise ModelError(f"There is no model folder {folder}.", f"Make one: firth learn TEXT -o {folder}")
    path = folder / MANIFEST
    if not folder.is_dir() or not path.exists():
        raise ModelError(f"{folder} is not a Firth model (it has no {MANIFEST}).", "Name the folder that was given to -o.")
    if not _is(path, stat.S_ISREG) or path.stat().st_size > _MANIFEST_LIMIT:
        raise _damaged(path, "it is not a plain file of a sensible size")
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise _damaged(path, "it is not valid JSON") from None
    if not isinstance(manifest, dict) or manifest.get("kind") != "firth model":
        raise ModelError(f"{path} does not describe a Firth model.", "Name the folder that was given to -o.")
    if manifest.get("format") != FORMAT:
        raise ModelError(
            f"The model {folder} has format {manifest.get('format')!r}; this Firth reads format {FORMAT}.",
            "Use a newer Firth: pip install --upgrade firth",
        )
    parts = manifest.get("parts")
    if not isinstance(parts, dict):
        raise _damaged(path, "it has no list of parts")
    return {name: _read_part(folder, name, entry) for name, entry in parts.items()}


def _read_part(folder: Path, name: str, entry: Any) -> Part:
    manifest = folder / MANIFEST
    if not _NAME.fullmatch(name) or not isinstance(entry, dict):
        raise _damaged(manifest, f"{name!r} is no name of a part")
    kinds = {"folder": str, "version": int, "identity": str, "content": str}
    kinds |= {"parameters": dict, "made_from": dict, "facts": dict, "files": dict}
    for key, kind in kinds.items():
        if not isinstance(entry.get(key), kind):
            raise _damaged(manifest, f"the {key} of {name} is missing or of the wrong kind")
    for file, facts in entry["files"].items():
        if not _NAME.fullmatch(file):
            raise _damaged(manifest, f"{file!r} is no name of a file inside the folder")
        if not isinstance(facts, dict) or not isinstance(facts.get("size"), int) or not isinstance(facts.get("sha256"), str):
            raise _damaged(manifest, f"size or checksum of {file} is missing")
    if not _NAME.fullmatch(entry["folder"]):
        raise _damaged(manifest, f"{entry['folder']!r} is no name of a folder inside the model")
    return Part(name, folder / name / entry["folder"], **{key: entry[key] for key in kinds if key != "folder"})


# Writing ---------------------------------------------------------------------------------------


@dataclass
class Draft:
    """A part in the making: write files into ``folder``, describe them, leave the ``with`` block."""

    folder: Path
    parameters: dict[str, Any] = field(default_factory=dict)
    made_from: dict[str, Any] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    content: Sequence[str] | None = None
    """The files that later stages are made from; all of them unless said otherwise."""


class Writer:
    """The one who may change a model folder; made by :func:`writing`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.parts: dict[str, Part] = {}
        if (path / MANIFEST).exists():
            self.parts = _read_manifest(path)
        else:
            self._write_manifest({})
        self.sweep()

    def is_current(self, name: str, version: int, parameters: Any, made_from: Any) -> bool:
        """Whether the part is there, undamaged, and was made from just this."""
        part = self.parts.get(name)
        if part is None or part.identity != identity(name, version, parameters, made_from):
            return False
        try:
            part.verify()
        except ModelError:
            return False
        return True

    @contextmanager
    def part(self, name: str, version: int, **how: Any) -> Iterator[Draft]:
        """Make a new version of a part; it becomes current when the block ends without an error.

        ``how`` goes into the log beside date and duration.
        """
        started = time.perf_counter()
        draft = Draft(self.path / name / DRAFT)
        shutil.rmtree(draft.folder, ignore_errors=True)
        draft.folder.mkdir(parents=True)
        try:
            yield draft
            part = self._publish(name, version, draft)
        finally:
            shutil.rmtree(draft.folder, ignore_errors=True)
            with suppress(OSError):
                (self.path / name).rmdir()  # only if nothing is in it
        self._log(part, seconds=round(time.perf_counter() - started, 3), **how)

    def _publish(self, name: str, version: int, draft: Draft) -> Part:
        files = {}
        for path in sorted(draft.folder.iterdir()):
            _flush(path)
            files[path.name] = {"size": path.stat().st_size, "sha256": _sha256(path)}
        _flush(draft.folder)
        made_of = identity(name, version, draft.parameters, draft.made_from)
        if self.is_current(name, version, draft.parameters, draft.made_from):
            return self.parts[name]
        folder = draft.folder.with_name(made_of)
        while folder.exists():  # a damaged version of the same identity is being replaced
            folder = folder.with_name(folder.name + "-again")
        content = json.dumps([[file, files[file]["sha256"]] for file in sorted(draft.content or files)])
        part = Part(
            name, folder, version, made_of, hashlib.sha256(content.encode()).hexdigest(),
            draft.parameters, draft.made_from, draft.facts, files,
        )  # fmt: skip
        draft.folder.rename(folder)
        _flush(folder.parent)
        self._write_manifest({**self.parts, name: part})
        self.parts[name] = part
        self.sweep()
        return part

    def _write_manifest(self, parts: Mapping[str, Part]) -> None:
        entries = {
            name: {
                "folder": part.folder.name, "version": part.version, "identity": part.identity,
                "content": part.content, "parameters": part.parameters, "made_from": part.made_from,
                "facts": part.facts, "files": part.files,
            }
            for name, part in parts.items()
        }  # fmt: skip
        manifest = {"kind": "firth model", "format": FORMAT, "parts": entries}
        new = self.path / (MANIFEST + ".new")
        new.write_text(json.dumps(manifest, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")
        _flush(new)
        new.replace(self.path / MANIFEST)
        _flush(self.path)

    def sweep(self) -> None:
        """Remove what is not current: old versions, and what a kill left behind."""
        (self.path / (MANIFEST + ".new")).unlink(missing_ok=True)
        for part in self.path.iterdir():
            if part.is_symlink() or not part.is_dir() or not _NAME.fullmatch(part.name):
                continue
            current = self.parts[part.name].folder.name if part.name in self.parts else None
            for version in part.iterdir():
                if version.is_dir() and not version.is_symlink() and version.name != current:
                    shutil.rmtree(version, ignore_errors=True)
            with suppress(OSError):
                part.rmdir()

    def _log(self, part: Part, **how: Any) -> None:
        from firth import __version__

        entry = {"date": datetime.now(UTC).isoformat(timespec="seconds"), "part": part.name, **how}
        entry |= {"identity": part.identity, "firth": __version__, "python": sys.version.split()[0]}
        with (self.path / LOG).open("a", encoding="utf-8") as log:
            log.write(json.dumps(entry) + "\n")


def _flush(path: Path) -> None:
    """Make sure a file or the entries of a folder are on the disk."""
    if path.is_dir() and os.name == "nt":
        return  # Windows cannot flush a folder
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def writing(path: str | Path) -> Iterator[Writer]:
    """Open a model folder for writing, making it if need be. One writer at a time.

    Raises
    ------
    BusyError
        Another process is writing to the folder.
    ModelError
        The folder holds something else, or cannot be written (no permission, no space).
    """
    path = Path(path)
    made = not path.exists()
    try:
        if path.exists() and not path.is_dir():
            raise ModelError(f"{path} is a file, not a model folder.", "Give another name to -o.")
        if not made and not (path / MANIFEST).exists() and set(os.listdir(path)) - {LOCK, LOG}:
            raise ModelError(
                f"{path} is not empty and is not a Firth model (it has no {MANIFEST}).",
                "Give another name to -o; Firth never writes into other folders.",
            )
        path.mkdir(parents=True, exist_ok=True)
        with (path / LOCK).open("a+", encoding="utf-8") as lock:
            _take(lock, path)
            writer = Writer(path)
            try:
                yield writer
            finally:
                with suppress(OSError):
                    writer.sweep()
                if not writer.parts:
                    _remove_unused(path, folder_too=made)
    except OSError as error:
        raise _cannot_write(error, path) from error


def _remove_unused(path: Path, folder_too: bool) -> None:
    with suppress(OSError):
        for name in (MANIFEST, LOG, LOCK):
            (path / name).unlink(missing_ok=True)
        if folder_too:
            path.rmdir()


def _take(lock: IO[str], path: Path) -> None:
    """Lock a file, or say who holds it. The system lets go of the lock when the process ends."""
    try:
        if os.name == "nt":
            import msvcrt

            windows = cast(Any, msvcrt)
            windows.locking(lock.fileno(), windows.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
            raise
        lock.seek(0)
        holder = lock.read(40).strip()
        raise BusyError(
            f"Another process{f' ({holder})' if holder.isdecimal() else ''} is writing to {path}.",
            "Wait until it has finished, or give another name to -o.",
        ) from None
    if not (path / LOCK).exists() or os.fstat(lock.fileno()).st_ino != (path / LOCK).stat().st_ino:
        raise BusyError(f"Another process has just removed {path}.", "Run the same command again.")
    lock.truncate(0)
    lock.write(str(os.getpid()))
    lock.flush()


def _cannot_write(error: OSError, path: Path) -> ModelError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return ModelError(
            f"No space left while writing to {path}.",
            "Free some space, or give a place on another disk to -o. What was there before is still there.",
        )
    return ModelError(f"Cannot write to {path}: {error.strerror or error}.", "Check the permissions, or give another name to -o.")
