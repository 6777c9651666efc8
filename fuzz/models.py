"""Targets in a model folder: parts, the manifest, the log, and checkpoints."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
from pathlib import Path
from typing import Any

import firth
from firth import describe
from firth.classes import learn_hierarchy
from firth.compute import ONE_THREAD
from firth.model import Model
from firth.parts import PARTS
from firth.store import MANIFEST, _checkpoint, writing
from fuzz import sample
from fuzz.changes import KINDS, Change, Files, apply, draw, draw_json, is_array
from fuzz.mends import HOW, mend
from fuzz.target import Case, Target
from fuzz.uses import use

_ENTRY = "entry.json"
"""The entry of a part in the manifest, as a file that can be changed."""
_LOG = "firth.log"
_OUTSIDE = b"precious"
"""The contents of the file that links lead to."""


def targets() -> list[Target]:
    """The targets in model folders."""
    parts = [PartTarget(name) for name in PARTS]
    states = [StateTarget(name) for name in sample.STATES]
    return [*parts, *states, ManifestTarget(), LogTarget()]


def n_changes(chance: random.Random) -> int:
    """One change, or a few."""
    return chance.choice((1, 1, 1, 2, 2, 3, 4))


def put(path: Path, content: Any) -> None:
    """Write a file, or what stands in its place; old contents may be mapped, so they stay as they are."""
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    path.unlink(missing_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content == "link":
        outside = path.parent.parent / "outside"
        outside.write_bytes(_OUTSIDE)
        path.symlink_to(outside)
    elif content == "fifo":
        os.mkfifo(path)
    elif content == "folder":
        path.mkdir()


class PartTarget(Target):
    """A part, and those that are loaded with it, in a model folder of its own."""

    def __init__(self, name: str) -> None:
        self.name, self.kind = name, PARTS[name]
        owner = next((kind.name for kind in PARTS.values() if kind.names == name), "")
        self.changed = (name, *self.kind.needs)
        """The parts whose files are changed."""
        self.parts = (*self.changed, *filter(None, (owner, self.kind.names)))

    def prepare(self, samples: Path, work: Path) -> None:
        self._models = [self._copy(samples / name, work / name) for name in sample.MODELS]

    def _copy(self, model: Path, folder: Path) -> tuple[Path, Files, dict[str, Any]]:
        """A model with the parts that are needed; their files, and the manifest."""
        manifest = json.loads((model / MANIFEST).read_bytes())
        manifest["parts"] = {name: manifest["parts"][name] for name in self.parts}
        files: Files = {}
        for part, entry in manifest["parts"].items():
            shutil.copytree(model / part / entry["folder"], folder / part / entry["folder"])
            for file in entry["files"]:
                files[f"{part}/{file}"] = (folder / part / entry["folder"] / file).read_bytes()
            files[f"{part}/{_ENTRY}"] = json.dumps(
                {key: value for key, value in entry.items() if key != "files"}
            ).encode()
        (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
        return folder, files, manifest

    def plain(self) -> list[Case]:
        return [[which] for which in range(len(self._models))]

    def draw(self, chance: random.Random) -> Case:
        which = chance.randrange(len(self._models))
        _, files, _ = self._models[which]
        own = {name: data for name, data in files.items() if name.split("/")[0] in self.changed}
        changes = [draw(chance, own, chance.choice(list(own))) for _ in range(n_changes(chance))]
        changes += [
            ["mend", part, chance.choice(HOW)] for part in self.changed if chance.random() < 0.5
        ]
        return [which, *changes]

    def changed_files(self, case: Case) -> tuple[Files, list[str]]:
        """The files of a case, and the names of those that differ from the sample."""
        which, *changes = case
        original = self._models[which][1]
        files = dict(original)
        for change in changes:
            if change[0] == "mend":
                mend(files, *change[1:])
            else:
                apply(files, change)
        return files, [name for name in files if files[name] is not original[name]]

    def run(self, case: Case) -> None:
        folder, original, manifest = self._models[case[0]]
        files, touched = self.changed_files(case)
        try:
            self._write(folder, manifest, files, touched)
            use(Model(folder), self.name)
        finally:
            self._write(folder, manifest, original, touched)

    def _write(
        self, folder: Path, manifest: dict[str, Any], files: Files, touched: list[str]
    ) -> None:
        """Write the files that were changed, and a manifest with their checksums."""
        for name in touched:
            part, file = name.split("/")
            if file != _ENTRY:
                put(folder / part / manifest["parts"][part]["folder"] / file, files[name])
        put(folder / MANIFEST, self._manifest(manifest, files))

    def _manifest(self, manifest: dict[str, Any], files: Files) -> bytes:
        entries = []
        for part, entry in manifest["parts"].items():
            listed = {
                file: listed_as(files[f"{part}/{file}"], entry["files"][file])
                for file in entry["files"]
            }
            text = files[f"{part}/{_ENTRY}"]
            if isinstance(text, bytes) and text.startswith(b"{"):
                more = b", " if text.strip() != b"{}" else b""
                text = b'{"files": ' + json.dumps(listed).encode() + more + text.lstrip()[1:]
            entries.append(
                json.dumps(part).encode() + b": " + (text if isinstance(text, bytes) else b"0")
            )
        return b'{"kind": "firth model", "format": 1, "parts": {' + b", ".join(entries) + b"}}"


def listed_as(content: Any, before: dict[str, Any]) -> dict[str, Any]:
    """What the manifest says about a file."""
    if not isinstance(content, bytes):
        return before
    return {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}


class ManifestTarget(Target):
    """The manifest of a whole model, changed anywhere."""

    name = "manifest"

    def prepare(self, samples: Path, work: Path) -> None:
        self._folder = work / "model"
        shutil.copytree(samples / sample.MODELS[0], self._folder)
        self._manifest = (self._folder / MANIFEST).read_bytes()
        self._parsed = json.loads(self._manifest)

    def plain(self) -> list[Case]:
        return [[part] for part in PARTS]

    def draw(self, chance: random.Random) -> Case:
        changes = [self._draw(chance) for _ in range(n_changes(chance))]
        return [chance.choice(list(PARTS)), *changes]

    def _draw(self, chance: random.Random) -> Change:
        if chance.random() < 0.1:
            return draw(chance, {MANIFEST[:-5]: self._manifest}, MANIFEST[:-5])
        if chance.random() < 0.5:  # anywhere else, most places are in lists of files
            part = chance.choice(list(self._parsed["parts"]))
            change = draw_json(chance, MANIFEST, self._parsed["parts"][part])
            change[2] = ["parts", part, *change[2]]
            return change
        return draw_json(chance, MANIFEST, self._parsed)

    def run(self, case: Case) -> None:
        part, *changes = case
        files: Files = {MANIFEST: self._manifest}
        for change in changes:
            apply(files, [change[0], MANIFEST, *change[2:]])
        try:
            put(self._folder / MANIFEST, files[MANIFEST])
            model = firth.load(self._folder)
            describe.model_facts(model)
            repr(model), dir(model)
            for name in model.parts:
                model.is_stale(name)
            use(model, part)
        finally:
            put(self._folder / MANIFEST, self._manifest)


class LogTarget(Target):
    """The log of a model, whose lines are JSON."""

    name = "log"

    def prepare(self, samples: Path, work: Path) -> None:
        self._folder = work / "model"
        shutil.copytree(samples / sample.MODELS[0], self._folder)
        self._lines = (self._folder / _LOG).read_bytes().splitlines()

    def draw(self, chance: random.Random) -> Case:
        case: Case = []
        for _ in range(n_changes(chance)):
            number = chance.randrange(len(self._lines))
            name = f"{number}.json" if chance.random() < 0.8 else str(number)
            case.append(draw(chance, {name: self._lines[number]}, name))
        return case

    def run(self, case: Case) -> None:
        files: Files = {str(number): line for number, line in enumerate(self._lines)}
        for change in case:
            number = change[1].removesuffix(".json")
            apply(files, [change[0], number, *change[2:]])
        whole = next((kind for kind in files.values() if isinstance(kind, str)), None)
        log = b"\n".join(line for line in files.values() if isinstance(line, bytes))
        try:
            put(self._folder / _LOG, whole or log)
            model = firth.load(self._folder)
            model.history()
            describe.model_facts(model)
        finally:
            put(self._folder / _LOG, b"\n".join(self._lines) + b"\n")


class StateTarget(Target):
    """A checkpoint of learning classes: its arrays, its header, or its bytes are changed."""

    def __init__(self, state: str) -> None:
        self.name, self.state = f"checkpoint-{state}", state

    def prepare(self, samples: Path, work: Path) -> None:
        self._model = work / "model"
        self._folder = self._model / "classes" / "unfinished"
        self._folder.mkdir(parents=True)
        (self._model / MANIFEST).write_bytes(b'{"kind": "firth model", "format": 1, "parts": {}}')
        path = samples / "states" / f"{self.state}.state"
        self._arrays = {n: a.tobytes() for n, a in _checkpoint._arrays(path).items()}
        self._counts = firth.load(samples / sample.MODELS[0]).counts

    def draw(self, chance: random.Random) -> Case:
        case: Case = []
        for _ in range(n_changes(chance)):
            kind = chance.random()
            if kind < 0.05:
                case.append(["kind", "new", chance.choice(KINDS)])
            elif kind < 0.8:
                case.append(draw(chance, self._arrays, chance.choice(list(self._arrays))))
            else:
                whole = self._encoded(dict(self._arrays), [])
                name = "header.json" if kind < 0.9 else "state"
                file = whole.split(b"\n")[0] if name == "header.json" else whole
                case.append(draw(chance, {name: file}, name))
        return case

    def _encoded(self, arrays: Files, changes: list[Change]) -> Any:
        """The file: a line of JSON, and the arrays."""
        body = {name: data for name, data in arrays.items() if isinstance(data, bytes)}
        content = b"".join(body.values())
        checksum = hashlib.sha256(content).hexdigest()
        sizes = {
            name: len(data) // (int(name[-2:]) // 8)
            for name, data in body.items()
            if is_array(name)
        }
        files: Files = {"header.json": json.dumps({"sha256": checksum, "arrays": sizes}).encode()}
        for change in changes:
            apply(files, change)
        header = files["header.json"]
        files = {"state": (header if isinstance(header, bytes) else b"") + b"\n" + content}
        for change in changes:
            apply(files, change)
        return files["state"]

    def run(self, case: Case) -> None:
        arrays: Files = dict(self._arrays)
        for change in case:
            apply(arrays, change)
        new: Files = {"new": b""}
        for change in case:
            apply(new, change)
        outside = self._folder.parent / "outside"
        try:
            put(self._folder / f"{self.state}.state", self._encoded(arrays, case))
            if new["new"]:
                put(self._folder / f"{self.state}.new", new["new"])
            with writing(self._model), sample.many_checkpoints():
                learn_hierarchy(
                    self._counts, sample.parameters_for(self.state), ONE_THREAD, self._folder
                )
            if outside.exists() and outside.read_bytes() != _OUTSIDE:
                raise AssertionError("A file outside the folder was overwritten.")
        finally:
            put(outside, None)
            for path in self._folder.iterdir():
                put(path, None)
