"""Writing a model folder: one writer at a time, and every change is atomic."""

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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, cast

from firth.errors import BusyError, ModelError
from firth.store._reading import (
    FORMAT,
    LOG,
    MANIFEST,
    MANIFEST_LIMIT,
    Part,
    identity,
    read_manifest,
    read_part,
    sha256,
)

__all__ = ["Draft", "Writer", "writing"]

LOCK = ".lock"
DRAFT = ".draft"
UNFINISHED = ".unfinished-"
NEW_MANIFEST = MANIFEST + ".new"
_VERSION = re.compile(r"\.draft|[0-9a-f]{16}(-again)*")
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@dataclass
class Draft:
    """A part that is being written: put files into ``folder`` and set the other attributes."""

    folder: Path
    parameters: dict[str, Any] = field(default_factory=dict)
    made_from: dict[str, Any] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    content: Sequence[str] | None = None
    """The files that later stages depend on; all of them by default."""


class Writer:
    """Changes a model folder; made by ``writing``."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.parts: dict[str, Part] = {}
        if not (path / MANIFEST).exists():
            self._write_manifest({})
        self.sweep()

    def is_current(self, name: str, version: int, parameters: Any, made_from: Any) -> bool:
        """Whether the part exists, is undamaged, and was made with these parameters and inputs."""
        part = self.parts.get(name)
        if part is None or part.identity != identity(name, version, parameters, made_from):
            return False
        try:
            part.verify()
        except ModelError:
            return False
        return True

    @contextmanager
    def part(
        self, name: str, version: int, read_back: Callable[[Part], object], **how: Any
    ) -> Iterator[Draft]:
        """Write a new version of a part; it becomes current when the block ends without an error.

        ``read_back`` gets the finished draft before it replaces anything, and raises an error if it
        cannot be used; stages use ``firth.parts.new_part``. ``how`` is added to the log, beside date
        and duration.
        """
        started = time.perf_counter()
        draft = Draft(self.path / name / DRAFT)
        if (self.path / name).is_symlink():
            raise ModelError(
                f"{self.path / name} is a link, and Firth writes only inside the model folder."
            )
        shutil.rmtree(draft.folder, ignore_errors=True)
        draft.folder.mkdir(parents=True)
        try:
            yield draft
            part = self._publish(name, version, draft, read_back)
        finally:
            shutil.rmtree(draft.folder, ignore_errors=True)
            with suppress(OSError):
                (self.path / name).rmdir()  # only if it is empty
        self._log(part, seconds=round(time.perf_counter() - started, 3), **how)

    def unfinished(self, name: str, version: int, parameters: Any, made_from: Any) -> Path:
        """The folder for checkpoints of an unfinished part, which the caller creates.

        It is kept until the part is finished or started with other parameters.
        """
        folder = self.path / name / f"{UNFINISHED}{identity(name, version, parameters, made_from)}"
        for path in (self.path / name, folder):
            if path.is_symlink():
                raise ModelError(
                    f"{path} is a link, and Firth writes only inside the model folder."
                )
        self.forget_unfinished(name, but=folder)
        return folder

    def forget_unfinished(self, name: str, but: Path | None = None) -> None:
        """Remove the checkpoints of a part."""
        if (self.path / name).is_symlink():
            return
        for folder in (self.path / name).glob(f"{UNFINISHED}*"):
            if folder != but and not folder.is_symlink():
                shutil.rmtree(folder, ignore_errors=True)

    def _publish(
        self, name: str, version: int, draft: Draft, read_back: Callable[[Part], object]
    ) -> Part:
        files = {}
        for path in sorted(draft.folder.iterdir()):
            _flush(path)
            files[path.name] = {"size": path.stat().st_size, "sha256": sha256(path)}
        _flush(draft.folder)
        made_of = identity(name, version, draft.parameters, draft.made_from)
        if self.is_current(name, version, draft.parameters, draft.made_from):
            self.forget_unfinished(name)
            return self.parts[name]
        folder = draft.folder.with_name(made_of)
        while folder.exists():  # replaces a damaged version with the same identity
            folder = folder.with_name(folder.name + "-again")
        content = json.dumps(
            [[file, files[file]["sha256"]] for file in sorted(draft.content or files)]
        )
        part = Part(
            name, folder, version, made_of, hashlib.sha256(content.encode()).hexdigest(),
            draft.parameters, draft.made_from, draft.facts, files,
        )  # fmt: skip
        part = read_part(self.path, name, json.loads(json.dumps(_entry(part))))
        read_back(replace(part, folder=draft.folder))
        draft.folder.rename(folder)
        _flush(folder.parent)
        self._write_manifest({**self.parts, name: part})
        self.forget_unfinished(name)
        self.sweep()
        return part

    def _write_manifest(self, parts: Mapping[str, Part]) -> None:
        entries = {name: _entry(part) for name, part in parts.items()}
        manifest = {"kind": "firth model", "format": FORMAT, "parts": entries}
        new = self.path / NEW_MANIFEST
        new.unlink(missing_ok=True)
        with _open_plain(new, os.O_WRONLY | os.O_EXCL) as file:
            file.write(json.dumps(manifest, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
        if new.stat().st_size > MANIFEST_LIMIT:
            raise ModelError(
                f"The manifest of {self.path} would be too large to be read again.",
                "Learn this part into a model of its own with -o.",
            )
        _flush(new)
        new.replace(self.path / MANIFEST)
        _flush(self.path)

    def sweep(self) -> None:
        """Remove old versions, and what a killed process has left behind.

        The manifest on disk decides what is current, not the state of this process: an interruption
        may have come just after the manifest was replaced. Only drafts and folders with the name of a
        version are removed.
        """
        self.parts = read_manifest(self.path)
        (self.path / NEW_MANIFEST).unlink(missing_ok=True)
        for part in self.path.iterdir():
            if part.is_symlink() or not part.is_dir():
                continue
            current = self.parts[part.name].folder.name if part.name in self.parts else None
            ours = [entry for entry in part.iterdir() if _VERSION.fullmatch(entry.name)]
            for entry in ours:
                if entry.is_dir() and not entry.is_symlink() and entry.name != current:
                    shutil.rmtree(entry, ignore_errors=True)
            if ours:
                with suppress(OSError):
                    part.rmdir()  # only if it is empty

    def _log(self, part: Part, **how: Any) -> None:
        from firth import __version__

        entry = {"date": datetime.now(UTC).isoformat(timespec="seconds"), "part": part.name, **how}
        entry |= {"identity": part.identity, "firth": __version__, "python": sys.version.split()[0]}
        with _open_plain(self.path / LOG, os.O_WRONLY | os.O_APPEND) as log:
            log.write(json.dumps(entry) + "\n")


def _entry(part: Part) -> dict[str, Any]:
    """A part as the manifest describes it."""
    return {
        "folder": part.folder.name, "version": part.version, "identity": part.identity,
        "content": part.content, "parameters": part.parameters, "made_from": part.made_from,
        "facts": part.facts, "files": part.files,
    }  # fmt: skip


def _open_plain(path: Path, flags: int) -> IO[str]:
    """Open a file for writing, creating it if necessary, but never follow a link."""
    flags |= os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise ModelError(
                f"{path} is not a plain file, and Firth writes only inside the model folder."
            ) from None
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise ModelError(
            f"{path} is not a plain file, and Firth writes only inside the model folder."
        )
    return os.fdopen(descriptor, "r+" if flags & os.O_RDWR else "w", encoding="utf-8")


def _flush(path: Path) -> None:
    """Flush a file, or the entries of a folder, to disk."""
    if path.is_dir() and os.name == "nt":
        return  # Windows cannot flush a folder
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def writing(path: str | Path) -> Iterator[Writer]:
    """Open a model folder for writing, creating it if necessary. One writer at a time.

    Raises
    ------
    BusyError
        Another process is writing to the folder.
    ModelError
        The folder is not a model, or cannot be written (no permission, no space).
    """
    path = Path(path)
    made = not path.exists()
    try:
        if path.exists() and not path.is_dir():
            raise ModelError(f"{path} is a file, not a model folder.", "Give another name with -o.")
        if (
            not made
            and not (path / MANIFEST).exists()
            and {entry.name for entry in path.iterdir()} - {LOCK, LOG, NEW_MANIFEST}
        ):
            raise ModelError(
                f"{path} is not empty and is not a Firth model (it has no {MANIFEST}).",
                "Give another name with -o; Firth never writes into other folders.",
            )
        path.mkdir(parents=True, exist_ok=True)
        with _open_plain(path / LOCK, os.O_RDWR) as lock:
            _take(lock, path)
            writer = Writer(path)
            try:
                yield writer
            finally:
                with suppress(OSError, ModelError):
                    writer.sweep()
                    if not writer.parts:
                        _remove_unused(path, folder_too=made)
    except OSError as error:
        if error.errno not in _NO_SPACE and not _concerns(error, path):
            raise  # not an error of the model folder
        raise _cannot_write(error, path) from error


def _concerns(error: OSError, path: Path) -> bool:
    names = [name for name in (error.filename, error.filename2) if name is not None]
    return not names or any(
        Path(os.fsdecode(n)).absolute().is_relative_to(path.absolute()) for n in names
    )


def _remove_unused(path: Path, folder_too: bool) -> None:
    """Remove a model folder without parts, unless it has other files."""
    ours = (MANIFEST, LOG, LOCK)
    with suppress(OSError):
        if {entry.name for entry in path.iterdir()} - set(ours):
            return
        for name in ours:
            (path / name).unlink(missing_ok=True)
        if folder_too:
            path.rmdir()


def _take(lock: IO[str], path: Path) -> None:
    """Lock a file, or name the process that holds it. The system releases the lock when a process ends."""
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
            "Wait until it has finished, or give another name with -o.",
        ) from None
    if not (path / LOCK).exists() or os.fstat(lock.fileno()).st_ino != (path / LOCK).stat().st_ino:
        raise BusyError(f"Another process has just removed {path}.", "Run the same command again.")
    lock.seek(0)
    lock.truncate()
    lock.write(str(os.getpid()))
    lock.flush()


def _cannot_write(error: OSError, path: Path) -> ModelError:
    if error.errno in _NO_SPACE:
        return ModelError(
            f"No space left while writing to {path}.",
            "Free some space, or write to another disk with -o. The previous version is unchanged.",
        )
    return ModelError(
        f"Cannot write to {path}: {error.strerror or error}.",
        "Check the permissions, or give another name with -o.",
    )
