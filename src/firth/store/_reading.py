"""Reading a model folder; files are verified before they are used."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firth.errors import ModelError

__all__ = [
    "FORMAT",
    "LOG",
    "MANIFEST",
    "NAME",
    "Part",
    "Store",
    "identity",
    "read_manifest",
    "sha256",
]

FORMAT = 1
MANIFEST = "firth.json"
LOG = "firth.log"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*", re.ASCII)
"""Names of parts, versions and files; none of them can point outside the folder."""
_MANIFEST_LIMIT = 64 << 20
_AT_ONCE = 4 << 20


@dataclass(frozen=True)
class Part:
    """The current version of a part of a model, as described in the manifest."""

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
        cls, folder: Path, parameters: Mapping[str, Any] | None = None, **facts: Any
    ) -> Part:
        """A part from the files of any folder, without checksums."""
        files = {path.name: {"size": path.stat().st_size} for path in sorted(folder.iterdir())}
        return cls("", folder, 1, "", "", parameters or {}, {}, facts, files)

    @property
    def n_bytes(self) -> int:
        """The size of the part on disk."""
        return sum(entry["size"] for entry in self.files.values())

    def path(self, name: str) -> Path:
        """The path of a file of the part."""
        if name not in self.files:
            raise _damaged(self.folder, f"the manifest lists no file {name!r}")
        return self.folder / name

    def copy_to(self, folder: Path) -> None:
        """Copy the files of the part into a folder."""
        for name in self.files:
            shutil.copyfile(self.path(name), folder / name)

    def verify(self) -> None:
        """Compare type, size and checksum of every file with the manifest; raises ModelError."""
        try:
            self._verify()
        except OSError as error:
            raise _damaged(self.folder, f"{error.strerror}") from error

    def _verify(self) -> None:
        for folder in (self.folder.parent, self.folder):
            if not _is(folder, stat.S_ISDIR):
                raise _damaged(folder, "it is missing or not a plain folder")
        for name, entry in self.files.items():
            path = self.folder / name
            if not _is(path, stat.S_ISREG):
                raise _damaged(path, "it is missing or not a plain file")
            if path.stat().st_size != entry["size"]:
                raise _damaged(
                    path, f"it has {path.stat().st_size:,} bytes instead of {entry['size']:,}"
                )
        for name, entry in self.files.items():
            if sha256(self.folder / name) != entry["sha256"]:
                raise _damaged(self.folder / name, "its checksum differs from the manifest")


def _is(path: Path, kind: Any) -> bool:
    try:
        return bool(kind(path.lstat().st_mode))  # lstat: links are never followed
    except OSError:
        return False


def _damaged(path: Path, why: str) -> ModelError:
    return ModelError(
        f"{path} is damaged: {why}.",
        "Retrain this part; if that does not help, remove the model folder and train a new one.",
    )


def sha256(path: Path) -> str:
    """The checksum of a file, read in large pieces so that threads seldom wait for the GIL."""
    checksum, buffer = hashlib.sha256(), memoryview(bytearray(_AT_ONCE))
    with path.open("rb", buffering=0) as file:
        while n := file.readinto(buffer):
            checksum.update(buffer[:n])
    return checksum.hexdigest()


def identity(name: str, version: int, parameters: Any, made_from: Any) -> str:
    """A short hash of inputs and parameters, which names the version of a part."""
    text = json.dumps([FORMAT, name, version, parameters, made_from], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


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
        path = self.path / LOG
        if not _is(path, stat.S_ISREG) or path.stat().st_size > _MANIFEST_LIMIT:
            return []
        entries = []
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            with suppress(ValueError, RecursionError):
                entry = json.loads(line)
                if (
                    isinstance(entry, dict)
                    and isinstance(entry.get("date"), str)
                    and isinstance(entry.get("seconds"), int | float)
                    and isinstance(entry.get("identity"), str)
                ):
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
    if not _is(path, stat.S_ISREG) or path.stat().st_size > _MANIFEST_LIMIT:
        raise _damaged(path, "it is too large or not a plain file")
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise _damaged(path, "it is not valid JSON") from None
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
        raise _damaged(path, "it has no list of parts")
    return {name: _read_part(folder, name, entry) for name, entry in parts.items()}


def _read_part(folder: Path, name: str, entry: Any) -> Part:
    manifest = folder / MANIFEST
    if not NAME.fullmatch(name) or not isinstance(entry, dict):
        raise _damaged(manifest, f"{name!r} is not a valid name of a part")
    kinds = {"folder": str, "version": int, "identity": str, "content": str}
    kinds |= {"parameters": dict, "made_from": dict, "facts": dict, "files": dict}
    for key, kind in kinds.items():
        if not isinstance(entry.get(key), kind):
            raise _damaged(manifest, f"the {key} of {name} is missing or has the wrong type")
    for file, facts in entry["files"].items():
        if not NAME.fullmatch(file):
            raise _damaged(manifest, f"{file!r} is not a valid file name")
        if (
            not isinstance(facts, dict)
            or not isinstance(facts.get("size"), int)
            or not isinstance(facts.get("sha256"), str)
        ):
            raise _damaged(manifest, f"size or checksum of {file} is missing")
    if not NAME.fullmatch(entry["folder"]):
        raise _damaged(manifest, f"{entry['folder']!r} is not a valid folder name")
    return Part(
        name,
        folder / name / entry["folder"],
        **{key: entry[key] for key in kinds if key != "folder"},
    )
