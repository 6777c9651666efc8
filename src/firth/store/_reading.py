"""Reading a model folder; files are verified before they are used."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import ModelError
from firth.store._contents import (
    Order,
    UnsoundError,
    check_array,
    engine_of,
    has_structure,
    map_file,
    open_plain,
    parse_json,
    read_array,
    read_json,
)
from firth.store._system import open_file

__all__ = [
    "FORMAT",
    "LOG",
    "MANIFEST",
    "MANIFEST_LIMIT",
    "NAME",
    "Part",
    "Store",
    "identity",
    "read_manifest",
    "read_part",
    "sha256",
]

FORMAT = 1
MANIFEST = "firth.json"
LOG = "firth.log"
NAME = re.compile(
    r"(?!(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$))[a-z0-9][a-z0-9_-]*(\.[a-z0-9_-]+)*",
    re.ASCII | re.IGNORECASE,
)
"""Names of parts, versions and files; none of them can point outside the folder, or to a device of Windows."""
MANIFEST_LIMIT = 64 << 20
_AT_LEAST, _AT_ONCE = 1 << 14, 4 << 20
"""How many bytes of a file are read at once."""


@dataclass(frozen=True)
class Part:
    """The current version of a part of a model, as described in the manifest.

    Its files are read with ``array`` and ``json``, which check what they contain: no number or text
    of a model is used before it is known to be in range. ``require`` states what else must hold.
    """

    name: str
    folder: Path
    version: int
    identity: str
    content: str
    parameters: Mapping[str, Any]
    made_from: Mapping[str, Any]
    facts: Mapping[str, Any]
    files: Mapping[str, Mapping[str, Any]]

    @classmethod
    def in_folder(
        cls, folder: Path, parameters: Mapping[str, Any] | None = None, name: str = "", **facts: Any
    ) -> Part:
        """A part from the files of any folder, without checksums."""
        files = {path.name: {"size": path.stat().st_size} for path in sorted(folder.iterdir())}
        return cls(name, folder, 1, "", "", parameters or {}, {}, facts, files)

    @property
    def n_bytes(self) -> int:
        """The size of the part on disk."""
        return sum(entry["size"] for entry in self.files.values())

    def path(self, name: str) -> Path:
        """The path of a file of the part."""
        self.require(name in self.files, f"the manifest lists no file {name!r}")
        return self.folder / name

    def require(self, holds: object, why: str) -> None:
        """Raise an error that says why the part cannot be used, unless something holds."""
        if not holds:
            raise UnsoundError(self.folder, why)

    def array(
        self,
        name: str | Sequence[str],
        shape: int | Sequence[int],
        low: float,
        high: float,
        order: Order | None = None,
        infinite: bool = False,
        copy: bool = False,
    ) -> npt.NDArray[Any]:
        """A memory-mapped array, after its size, range and order were checked.

        Parameters
        ----------
        name : str or sequence of str
            The file; of several, the one that the part has.
        shape : int or sequence of int
            One dimension may be -1.
        low, high : float
            The smallest and the largest value allowed.
        order : {None, "never falls", "never rises", "always rises"}
            The order of the elements.
        infinite : bool
            Whether infinite numbers are allowed, within the range.
        copy : bool
            Read it into memory, for kernels that are compiled for writable arrays.
        """
        names = (name,) if isinstance(name, str) else name
        path = self.path(next((one for one in names if one in self.files), names[0]))
        checked = check_array(read_array(path), path, shape, low, high, order, infinite)
        return np.array(checked) if copy else checked

    def json(self, name: str, kind: Any) -> Any:
        """The contents of a JSON file with a given structure; see ``has_structure``."""
        path = self.path(name)
        found = read_json(path)
        if not has_structure(found, kind):
            raise UnsoundError(path, "it does not contain what it should")
        return found

    def copy_to(self, folder: Path) -> None:
        """Copy the files of the part into a folder."""
        for name in self.files:
            with open_plain(self.path(name)) as old, open_file(folder / name, "wb") as new:
                shutil.copyfileobj(old, new, _AT_ONCE)

    def verify(self) -> None:
        """Compare type, size and checksum of every file with the manifest; raises ModelError."""
        for folder in (self.folder.parent, self.folder):
            if not _is(folder, stat.S_ISDIR):
                raise UnsoundError(folder, "it is missing or not a plain folder")
        for name, entry in self.files.items():
            with open_plain(self.folder / name) as file:
                size = file.seek(0, 2)
            if size != entry["size"]:
                why = f"it has {size:,} bytes instead of {entry['size']:,}"
                raise UnsoundError(self.folder / name, why)
        engine_of(self.n_bytes).each(self._verify_content, self.files)

    def _verify_content(self, name: str) -> None:
        with open_plain(self.folder / name) as file:
            try:
                found = _sha256(file)
            except OSError as error:
                raise UnsoundError(self.folder / name, str(error.strerror)) from error
        if found != self.files[name]["sha256"]:
            raise UnsoundError(self.folder / name, "its checksum differs from the manifest")


def _is(path: Path, kind: Any) -> bool:
    try:
        return bool(kind(path.lstat().st_mode))  # lstat: links are never followed
    except OSError:
        return False


def sha256(path: Path) -> str:
    """The checksum of a file."""
    with open_file(path, "rb", 0) as file:
        return _sha256(file)


def _sha256(file: Any) -> str:
    """The checksum of an open file, read in large pieces so that threads seldom wait for the GIL."""
    size = min(max(os.fstat(file.fileno()).st_size, _AT_LEAST), _AT_ONCE)
    checksum, buffer = hashlib.sha256(), memoryview(bytearray(size))
    while n := file.readinto(buffer):
        checksum.update(buffer[:n])
    return checksum.hexdigest()


def identity(name: str, version: int, parameters: Any, made_from: Any) -> str:
    """A short hash of inputs and parameters, which names the version of a part."""
    text = json.dumps([FORMAT, name, version, parameters, made_from], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


_LOGGED = {"date": str, "seconds": float, "identity": str}


class Store:
    """A model folder, opened for reading.

    Parameters
    ----------
    path : str or Path
        The folder. It must have a manifest that this version of Firth can read.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.parts = read_manifest(self.path)

    def part(self, name: str) -> Part:
        """The current version of a part, verified."""
        for attempt in (1, 2):
            if name not in self.parts:
                raise ModelError(
                    f"The model {self.path} has no {name}.",
                    f"Its parts: {', '.join(sorted(self.parts)) or 'none'}. See: firth {name} learn --help",
                )
            try:
                self.parts[name].verify()
                break
            except ModelError:
                fresh = read_manifest(self.path)  # replaced by a writer just now?
                if attempt == 2 or fresh.get(name) == self.parts[name]:
                    raise
                self.parts = fresh
        return self.parts[name]

    def reload(self) -> None:
        """Read the manifest again, as a writer may have replaced it."""
        self.parts = read_manifest(self.path)

    def history(self) -> list[dict[str, Any]]:
        """The log of the folder, oldest entry first; invalid lines are skipped."""
        path, entries = self.path / LOG, []
        with suppress(UnsoundError):
            log = map_file(path)[:MANIFEST_LIMIT].tobytes()
            for line in log.splitlines():
                with suppress(ModelError):
                    entry = parse_json(line, path)
                    if has_structure(entry, _LOGGED) and entry["seconds"] is not None:
                        entries.append(entry)
        return entries


def read_manifest(folder: Path) -> dict[str, Part]:
    if not folder.exists():
        raise ModelError(
            f"There is no model folder {folder}.", f"Make one: firth learn TEXT -o {folder}"
        )
    path = folder / MANIFEST
    if not folder.is_dir() or not path.exists():
        raise ModelError(
            f"{folder} is not a Firth model (it has no {MANIFEST}).",
            "Give the folder that was written with -o.",
        )
    manifest = read_json(path, MANIFEST_LIMIT)
    if not isinstance(manifest, dict) or manifest.get("kind") != "firth model":
        raise ModelError(
            f"{path} does not describe a Firth model.", "Give the folder that was written with -o."
        )
    if manifest.get("format") != FORMAT:
        raise ModelError(
            f"The model {folder} has format {manifest.get('format')!r}; this version of Firth reads {FORMAT}.",
            "Upgrade it: pip install --upgrade firth",
        )
    parts = manifest.get("parts")
    if not isinstance(parts, dict):
        raise UnsoundError(path, "it has no list of parts")
    return {name: read_part(folder, name, entry) for name, entry in parts.items()}


_ENTRY = {
    "folder": str, "version": int, "identity": str, "content": str, "parameters": dict, "made_from": dict,
    "facts": dict, "files": dict,
}  # fmt: skip
_FILE = {"size": int, "sha256": str}


def read_part(folder: Path, name: str, entry: Any) -> Part:
    """The part that an entry of the manifest of a folder describes."""
    manifest = folder / MANIFEST
    if not NAME.fullmatch(name) or not isinstance(entry, dict):
        raise UnsoundError(manifest, f"{name!r} is not a valid name of a part")
    for key, kind in _ENTRY.items():
        if not has_structure(entry.get(key), kind):
            raise UnsoundError(manifest, f"the {key} of {name} is missing or has the wrong type")
    for file, facts in entry["files"].items():
        if not NAME.fullmatch(file):
            raise UnsoundError(manifest, f"{file!r} is not a valid file name")
        if not has_structure(facts, _FILE):
            raise UnsoundError(manifest, f"size or checksum of {file} is missing")
    if not NAME.fullmatch(entry["folder"]):
        raise UnsoundError(manifest, f"{entry['folder']!r} is not a valid folder name")
    return Part(
        name,
        folder / name / entry["folder"],
        **{key: entry[key] for key in _ENTRY if key != "folder"},
    )
