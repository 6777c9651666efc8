"""Writing a model folder: one writer at a time, and every change is atomic."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, BinaryIO

from firth.errors import BusyError, InputError, ModelError
from firth.progress import size
from firth.store._contents import NoMemoryError, engine_of
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
from firth.store._system import (
    NO_SPACE,
    NoSpaceError,
    concerns,
    flush,
    is_reserved,
    lock,
    make_folder,
    open_plain_file,
    remove_file,
    remove_folder,
    remove_open_file,
    remove_tree,
    rename,
    sync,
)

__all__ = ["Draft", "Writer", "writing"]

LOCK = ".lock"
DRAFT = ".draft"
SCRATCH = ".scratch"
UNFINISHED = ".unfinished-"
NEW_MANIFEST = MANIFEST + ".new"
_VERSION = re.compile(r"(\.draft|\.scratch|[0-9a-f]{16})(-again)*")


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
        self.removed = 0
        """Bytes of unfinished files that were removed because there was no space."""
        self._in_use: set[Path] = set()
        """Folders that this process is writing to."""

    def begin(self) -> None:
        """Read the manifest, or write an empty one, and remove leftovers."""
        if not (self.path / MANIFEST).exists():
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
        with self._folder(name, DRAFT) as folder:
            draft = Draft(folder)
            yield draft
            part = self._publish(name, version, draft, read_back)
        with suppress(OSError):  # the part is complete without it
            self._log(part, seconds=round(time.perf_counter() - started, 3), **how)

    @contextmanager
    def scratch(self, name: str) -> Iterator[Path]:
        """A folder for files that are needed while a part is made, and not afterwards."""
        with self._folder(name, SCRATCH) as folder:
            yield folder

    @contextmanager
    def _folder(self, name: str, kind: str) -> Iterator[Path]:
        """A new folder beside the versions of a part, which is removed in the end."""
        if (self.path / name).is_symlink():
            raise ModelError(
                f"{self.path / name} is a link, and Firth writes only inside the model folder."
            )
        folder = _free(self.path / name / kind)
        self._in_use.add(folder)
        try:
            make_folder(folder)
            yield folder
        except OSError as error:
            if error.errno in NO_SPACE:
                self.removed += sum(path.stat().st_size for path in folder.glob("**/*"))
            raise
        finally:
            self._in_use.discard(folder)
            remove_tree(folder)
            remove_folder(self.path / name)  # only if it is empty

    def unfinished(self, name: str, version: int, parameters: Any, made_from: Any) -> Path:
        """The folder for checkpoints of an unfinished part, which the caller creates.

        It is kept until the part is finished or started with other parameters.
        """
        folder = self.path / name / f"{UNFINISHED}{identity(name, version, parameters, made_from)}"
        for path in (self.path / name, folder, *folder.rglob("*")):
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
                remove_tree(folder)

    def _publish(
        self, name: str, version: int, draft: Draft, read_back: Callable[[Part], object]
    ) -> Part:
        files = _finished(draft.folder)
        made_of = identity(name, version, draft.parameters, draft.made_from)
        if self.is_current(name, version, draft.parameters, draft.made_from):
            self.forget_unfinished(name)
            return self.parts[name]
        folder = _free(draft.folder.with_name(made_of))  # a damaged version may have the same name
        content = json.dumps(
            [[file, files[file]["sha256"]] for file in sorted(draft.content or files)]
        )
        part = Part(
            name, folder, version, made_of, hashlib.sha256(content.encode()).hexdigest(),
            draft.parameters, draft.made_from, draft.facts, files,
        )  # fmt: skip
        part = read_part(self.path, name, json.loads(json.dumps(_entry(part))))
        try:
            read_back(replace(part, folder=draft.folder))
        except ModelError:
            self.forget_unfinished(name)  # it may be the checkpoint that was wrong
            raise
        rename(draft.folder, folder)
        flush(folder.parent)
        self._write_manifest({**self.parts, name: part})
        self.forget_unfinished(name)
        self.sweep()
        return part

    def _write_manifest(self, parts: Mapping[str, Part]) -> None:
        entries = {name: _entry(part) for name, part in parts.items()}
        manifest = {"kind": "firth model", "format": FORMAT, "parts": entries}
        new = self.path / NEW_MANIFEST
        text = json.dumps(manifest, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
        data = text.encode()
        if len(data) > MANIFEST_LIMIT:
            raise ModelError(
                f"The manifest of {self.path} would be too large to be read again.",
                "Learn this part into a model of its own with -o.",
            )
        remove_file(new)
        with _open_plain(new, "xb") as file:
            file.write(data)
            sync(file)
        rename(new, self.path / MANIFEST)
        flush(self.path)

    def sweep(self) -> None:
        """Remove old versions, and what a killed process has left behind.

        The manifest on disk decides what is current, not the state of this process: an interruption
        may have come just after the manifest was replaced. Only drafts and folders with the name of a
        version are removed, and no draft that is being written.
        """
        self.parts = read_manifest(self.path)
        remove_file(self.path / NEW_MANIFEST)
        for part in self.path.iterdir():
            if part.is_symlink() or not part.is_dir():
                continue
            current = self.parts[part.name].folder.name if part.name in self.parts else None
            finished = f"{UNFINISHED}{self.parts[part.name].identity}" if current else None
            ours = [
                entry
                for entry in part.iterdir()
                if (_VERSION.fullmatch(entry.name) or entry.name == finished)
                and entry not in self._in_use
            ]
            for entry in ours:
                if entry.is_dir() and not entry.is_symlink() and entry.name != current:
                    remove_tree(entry)
            if ours:
                remove_folder(part)  # only if it is empty

    def _log(self, part: Part, **how: Any) -> None:
        from firth import __version__

        entry = {"date": datetime.now(UTC).isoformat(timespec="seconds"), "part": part.name, **how}
        entry |= {"identity": part.identity, "firth": __version__, "python": sys.version.split()[0]}
        with _open_plain(self.path / LOG, "ab") as log:
            log.write(json.dumps(entry).encode() + b"\n")


def _finished(folder: Path) -> dict[str, dict[str, Any]]:
    """Sizes and checksums of the files of a folder, after they were flushed to disk."""
    paths = sorted(folder.iterdir())
    sizes = [path.stat().st_size for path in paths]
    # all at once, since the disk does the one and the processor the other
    work = [(flush, path) for path in paths] + [(sha256, path) for path in paths]
    done = list(engine_of(sum(sizes)).map(lambda todo: todo[0](todo[1]), work))
    flush(folder)
    return {
        path.name: {"size": size, "sha256": checksum}
        for path, size, checksum in zip(paths, sizes, done[len(paths) :], strict=True)
    }


def _entry(part: Part) -> dict[str, Any]:
    """A part as the manifest describes it."""
    return {
        "folder": part.folder.name, "version": part.version, "identity": part.identity,
        "content": part.content, "parameters": part.parameters, "made_from": part.made_from,
        "facts": part.facts, "files": part.files,
    }  # fmt: skip


def _open_plain(path: Path, mode: str) -> BinaryIO:
    """Open a file for writing, creating it if necessary, but never follow a link."""
    file: BinaryIO | None = open_plain_file(path, mode)
    if file is None:
        raise ModelError(
            f"{path} is not a plain file, and Firth writes only inside the model folder."
        )
    return file


def _free(path: Path) -> Path:
    """A path, or another one if something is there that could not be removed."""
    while path.exists():
        path = path.with_name(path.name + "-again")
    return path


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
    if re.match(r"\w\w+:/", str(path)):
        raise ModelError(
            f"A model is written to a folder; {path} is an address.",
            "Give the name of a folder. To upload it afterwards: firth push --help",
        )
    path = Path(path)
    if is_reserved(path):
        raise ModelError(f"Windows reserves the name {path.name}.", "Give another name with -o.")
    made: list[Path] = []
    writer = Writer(path)
    try:
        _check_ours(path)
        made = make_folder(path)
        with _open_plain(path / LOCK, "r+b") as held:
            _take(held, path)
            try:
                writer.begin()
                yield writer
            finally:
                with suppress(OSError, ModelError):
                    writer.sweep()
                _remove_unused(path, held)
    except OSError as error:
        raise _in_words(error, path, writer.removed) from error
    except MemoryError as error:
        raise NoMemoryError(
            f"There is not enough memory to continue with {path}.",
            "Use a smaller --memory or --vocabulary, or fewer --threads. What was finished is kept.",
        ) from error
    finally:
        for folder in reversed(made):
            remove_folder(folder)  # only if it is empty


def _check_ours(path: Path) -> None:
    """Raise an error unless a folder is a model, is empty or does not exist."""
    if path.exists() and not path.is_dir():
        raise ModelError(f"{path} is a file, not a model folder.", "Give another name with -o.")
    if (
        path.exists()
        and not (path / MANIFEST).exists()
        and {entry.name for entry in path.iterdir()} - {LOCK, LOG, NEW_MANIFEST}
    ):
        raise ModelError(
            f"{path} is not empty and is not a Firth model (it has no {MANIFEST}).",
            "Give another name with -o; Firth never writes into other folders.",
        )


def _remove_unused(path: Path, held: IO[bytes]) -> None:
    """Remove our files from a model folder without parts, unless it has other files."""
    ours = (NEW_MANIFEST, MANIFEST, LOG)
    with suppress(OSError, ModelError):
        if (path / MANIFEST).exists() and read_manifest(path):
            return
        if not {entry.name for entry in path.iterdir()} - {*ours, LOCK}:
            for name in ours:
                remove_file(path / name)
            remove_open_file(held)


def _take(held: IO[bytes], path: Path) -> None:
    """Lock a file, or name the process that holds it. The system releases the lock when a process ends."""
    try:
        locked = lock(held)
    except OSError:
        _remove_unused(path, held)
        raise
    if not locked:
        held.seek(1)  # Windows locks the first byte
        holder = held.read(40).decode("ascii", "replace").strip()
        raise BusyError(
            f"Another process{f' ({holder})' if holder.isdecimal() else ''} is writing to {path}.",
            "Wait until it has finished, or give another name with -o.",
        )
    if not (path / LOCK).exists() or os.fstat(held.fileno()).st_ino != (path / LOCK).stat().st_ino:
        raise BusyError(f"Another process has just removed {path}.", "Run the same command again.")
    with suppress(OSError):  # it is only for the message above
        held.seek(0)
        held.truncate()
        held.write(f" {os.getpid()}".encode())


def _in_words(error: OSError, path: Path, removed: int) -> ModelError | InputError:
    if error.errno in NO_SPACE:
        needed = f" {size(removed)} of unfinished files were removed." if removed else ""
        if isinstance(error, NoSpaceError):
            needed += f" The next file needs {size(error.n_bytes)}."
        return ModelError(
            f"No space left while writing to {path}.{needed}",
            "Free some space, or write to another disk with -o. What was finished is kept, and the same "
            "command continues from there; firth learn --plan estimates the space.",
        )
    if error.filename is not None and not concerns(error, path):
        return InputError(f"Cannot use {error.filename}: {error.strerror}.")
    return ModelError(
        f"Cannot write to {path}: {error.strerror or error}.",
        "Check the permissions and the disk, or give another name with -o.",
    )
