"""Failures on purpose: any single system call or allocation of a stage fails, and nothing is lost.

``STAGES`` are all stages, on a few sentences. ``Workshop`` runs one of them with a failure and checks
what is left. ``tests/store/test_faults.py`` tries a few failures of each stage, and ``make torture``
all of them.
"""

from __future__ import annotations

import errno
import gc
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Self
from unittest.mock import patch

import numpy as np

import firth
from firth import pipeline, plots
from firth.counts import _count
from firth.errors import FirthError
from firth.explore import Snapshot, export_page
from firth.store import Room, TemporaryFolder, _room, _system, writing
from tests.cli.grammar_samples import trees
from tests.conftest import zipf_text

__all__ = ["STAGES", "Fault", "Workshop"]

LABELLED = "Anna B-PER\nsees O\nOslo B-LOC\n. O\n\nOslo B-LOC\nhears O\nAnna B-PER\n. O\n\n"
ERRORS = {
    "write": errno.ENOSPC, "mkdir": errno.ENOSPC, "open": errno.EIO, "read": errno.EIO,
    "fsync": errno.EIO, "rename": errno.EIO, "mmap": errno.ENOMEM, "allocate": errno.ENOSPC, "unlink": errno.EBUSY,
    "rmdir": errno.EBUSY, "rmtree": errno.EBUSY, "lock": errno.ENOLCK,
}  # fmt: skip
ALLOCATIONS = ("empty", "zeros", "ones", "full", "array", "concatenate", "arange", "empty_like")
OUTSIDE = (
    "export vectors",
    "export parquet",
    "export classes",
    "plot",
    "page",
    "temporary",
    "plan",
)
"""Stages that write no model. That memory is short is left to their callers to handle."""


class Fault:
    """Lets the call with the number ``at`` fail, inside a ``with`` block; counts calls from 0.

    Calls are the system calls of the store and of all stages, or, for ``memory``, the arrays that
    they allocate. A write that fails has written the first half.
    """

    def __init__(self, at: int | None = None, memory: bool = False) -> None:
        self.at, self.memory = at, memory
        self.calls: list[str] = []

    def _is_next(self, what: str) -> bool:
        self.calls.append(what)
        return len(self.calls) - 1 == self.at

    def call(self, what: str, path: Any, function: Callable[..., Any], *args: Any) -> Any:
        if self._is_next(what):
            if what == "write":
                data = memoryview(args[0]).cast("B")
                function(data[: len(data) // 2])
            raise OSError(ERRORS[what], os.strerror(ERRORS[what]), os.fspath(path))
        return self._real(what, path, function, *args)

    def _allocating(self, name: str, allocate: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **kwargs: Any) -> Any:
            module = sys._getframe(1).f_globals.get("__name__", "")
            if module.startswith("firth.") and self._is_next(name):
                raise MemoryError(f"injected into {module}")
            return allocate(*args, **kwargs)

        return run

    def __enter__(self) -> Self:
        self._real = _system.call
        self._allocations = {name: getattr(np, name) for name in ALLOCATIONS}
        if self.memory:
            for name, allocate in self._allocations.items():
                setattr(np, name, self._allocating(name, allocate))
        else:
            _system.call = self.call
        return self

    def __exit__(self, *_: object) -> None:
        _system.call = self._real
        for name, allocate in self._allocations.items():
            setattr(np, name, allocate)


Run = Callable[[Path, Path], object]
"""A stage: reads ``inputs``, and changes ``work/model`` or files in ``work``."""


@cache
def _snapshot(model: Path) -> Snapshot:
    """The explorer's view of a model that never changes."""
    snapshot = Snapshot(firth.load(model))
    for name in snapshot.parts:
        getattr(snapshot, name)
    return snapshot


def _count_in_runs(model: Path) -> None:
    """Count as if a cell took so much memory that the text has to be counted in pieces."""
    with patch.object(_count, "_BYTES_PER_CELL", 1 << 17):
        pipeline.learn_counts(model, contexts="bag3", memory="64M", threads=1)


def _in_files(run: Run) -> Run:
    """Run a stage as if it had no memory for arrays, so that all of them are files."""
    make = Room.__init__

    def without_memory(room: Room, limit: int | None = None, folder: Path | None = None) -> None:
        make(room, limit if folder is None else 0, folder)

    def stage(inputs: Path, work: Path) -> None:
        with patch.object(_room, "_SMALL", 0), patch.object(Room, "__init__", without_memory):
            run(inputs, work)

    return stage


def _counted(inputs: Path) -> None:
    corpus = firth.Corpus.from_files(inputs / "text.txt", threads=1)
    firth.count(corpus, min_count=1, threads=1)


def _trace(inputs: Path, work: Path) -> None:
    from firth.classes import write_trace

    trace: list[Any] = []
    pipeline.learn_classes(work / "model", n_classes=6, threads=1, trace=trace)
    write_trace(work / "trace.tsv", trace)


STAGES: dict[str, Run] = {
    "corpus": lambda i, w: pipeline.learn_corpus(
        w / "model", i / "more.txt", threads=1, replace=True
    ),
    "counts": lambda i, w: pipeline.learn_counts(w / "model", contexts="LR1", threads=1),
    "counts in runs": lambda i, w: _count_in_runs(w / "model"),
    "vectors": lambda i, w: pipeline.learn_vectors(w / "model", dim=3, threads=1),
    "brown": lambda i, w: pipeline.learn_classes(w / "model", n_classes=5, threads=1),
    "spectral": lambda i, w: pipeline.learn_classes(
        w / "model", n_classes=5, method="spectral", threads=1
    ),
    "seeds": lambda i, w: pipeline.learn_classes(
        w / "model", n_classes=5, method="seeds", threads=1
    ),
    "anchors": lambda i, w: pipeline.learn_tags(w / "model", n_tags=3, threads=1),
    "baum-welch": lambda i, w: pipeline.learn_tags(
        w / "model", method="baum-welch", n_tags=3, rounds=3, threads=1
    ),
    "ner": lambda i, w: pipeline.learn_entities(
        w / "model", i / "ner.txt", rounds=1, threads=1, using=i / "model", replace=True
    ),
    "grammar": lambda i, w: pipeline.learn_grammar(
        w / "model", [i / "trees.mrg"], n_states=2, held_out=0, replace=True
    ),
    "lm": lambda i, w: pipeline.learn_lm(w / "model", classes=[3], threads=1),
    "vectors in files": _in_files(
        lambda i, w: pipeline.learn_vectors(w / "model", dim=3, threads=1)
    ),
    "spectral in files": _in_files(
        lambda i, w: pipeline.learn_classes(w / "model", n_classes=5, method="spectral", threads=1)
    ),
    "anchors in files": _in_files(
        lambda i, w: pipeline.learn_tags(w / "model", n_tags=3, threads=1)
    ),
    "lm in files": _in_files(lambda i, w: pipeline.learn_lm(w / "model", classes=[3], threads=1)),
    "names": lambda i, w: pipeline.name_classes(w / "model", {"0": "other"}),
    "tag names": lambda i, w: pipeline.name_tags(w / "model", {"0": "NOUN"}),
    "index": lambda i, w: pipeline.learn_index(w / "model"),
    "map": lambda i, w: pipeline.learn_map(w / "model", words=30, threads=1),
    "learn": lambda i, w: firth.learn(
        i / "more.txt", w / "model", dim=3, classes=4, tags=3, min_count=2, threads=1, replace=True
    ),
    "new model": lambda i, w: firth.learn(
        i / "more.txt", w / "deep" / "new", dim=0, classes=4, threads=1
    ),
    "merge": lambda i, w: firth.merge(
        [i / "model", i / "other"], w / "model", threads=1, replace=True
    ),
    "import": lambda i, w: pipeline.import_vectors(i / "vectors.txt", w / "model"),
    "export vectors": lambda i, w: firth.load(w / "model").vectors.write(w / "vectors.vec"),
    "export parquet": lambda i, w: firth.load(w / "model").vectors.write(w / "v.parquet"),
    "export classes": lambda i, w: firth.load(w / "model").classes.write(w / "classes"),
    "plot": lambda i, w: plots.save_figure(
        plots.tree_figure(firth.load(w / "model").classes), w / "tree.html"
    ),
    # no corpus: a page lacks the lines of a text that cannot be read, which is no failure
    "page": lambda i, w: export_page(_snapshot(i / "imported"), w / "page.html", 5),
    "trace": _trace,
    "temporary": lambda i, w: _counted(i),
    "plan": lambda i, w: pipeline.plan(i / "text.txt", threads=1),
}


def digests(folder: Path) -> dict[str, str]:
    """The checksum of every file, but for those that tell the time or the process.

    A part whose old version could not be read is made again, in a folder with "-again" in its name.
    """
    return {
        str(path.relative_to(folder)).replace("-again", ""): hashlib.sha256(
            path.read_bytes().replace(b"-again", b"")
        ).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in ("firth.log", ".lock")
    }


class Workshop:
    """A folder in which stages are run, fail and are checked."""

    def __init__(self, folder: Path) -> None:
        self.inputs, self.work = folder / "inputs", folder / "work"
        self.spare = folder / "temporary"
        for path in (self.inputs, self.spare):
            path.mkdir()
        texts = {
            "text.txt": zipf_text(60, 1, 40), "more.txt": zipf_text(70, 2, 40), "trees.mrg": trees(8),
            "ner.txt": LABELLED * 4, "old.txt": LABELLED * 3, "old.mrg": trees(7),
            "vectors.txt": "a 1 2\nb 2 1\n",
        }  # fmt: skip
        for name, text in texts.items():
            (self.inputs / name).write_text(text, encoding="utf-8")
        self._clean: dict[str, tuple[dict[str, str], int, int]] = {}
        with self.own_temporary_folder():
            self._make_model(self.inputs / "model")
            pipeline.learn_corpus(self.inputs / "other", self.inputs / "more.txt", threads=1)
            pipeline.import_vectors(self.inputs / "vectors.txt", self.inputs / "imported")
            (
                self.inputs / "imported" / "firth.log"
            ).unlink()  # a log that cannot be read is no failure

    @classmethod
    @contextmanager
    def temporary(cls) -> Iterator[Self]:
        """In memory where that is possible, because the store waits for the disk often."""
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        with tempfile.TemporaryDirectory(dir=memory, ignore_cleanup_errors=True) as folder:
            yield cls(Path(folder))

    def _make_model(self, model: Path) -> None:
        """A model in which every stage but the index has been done before, with other parameters."""
        firth.learn(
            self.inputs / "text.txt", model, dim=4, classes=6, tags=4, min_count=1, threads=1
        )
        pipeline.learn_map(model, words=20, threads=1)
        pipeline.learn_lm(model, threads=1)
        pipeline.learn_entities(model, self.inputs / "old.txt", rounds=1, threads=1)
        pipeline.learn_grammar(model, [self.inputs / "old.mrg"], n_states=2, held_out=0)
        pipeline.name_classes(model, {"0": "one"})
        pipeline.name_tags(model, {"0": "VERB"})

    @contextmanager
    def own_temporary_folder(self) -> Iterator[None]:
        before = tempfile.tempdir
        tempfile.tempdir = str(self.spare)
        try:
            yield
        finally:
            tempfile.tempdir = before

    def fresh(self) -> None:
        """Go back to where every stage begins."""
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.copytree(self.inputs / "model", self.work / "model")
        for name in ("vectors.vec", "v.parquet", "classes", "tree.html", "page.html", "trace.tsv"):
            (self.work / name).write_text("old", encoding="utf-8")

    def clean(self, stage: str) -> tuple[dict[str, str], int, int]:
        """What a stage leaves without a failure, and its numbers of system calls and allocations."""
        if stage not in self._clean:
            calls = []
            for memory in (False, False, True):  # the first time kernels are loaded
                self.fresh()
                with self.own_temporary_folder(), Fault(memory=memory) as fault:
                    STAGES[stage](self.inputs, self.work)
                calls.append(len(fault.calls))
            self._clean[stage] = digests(self.work), calls[1], calls[2]
        return self._clean[stage]

    def fail(self, stage: str, at: int, memory: bool = False) -> None:
        """Run a stage with one failure, check that nothing is half done, and go on."""
        self.clean(stage)
        self.fresh()
        with self.own_temporary_folder():
            with Fault(at, memory) as fault:
                failed = self._run(stage)
            what = f"{stage}, call {at}" + f" ({fault.calls[at]})" if at < len(fault.calls) else ""
            self.check(stage, what, failed)

    def _run(self, stage: str) -> bool:
        """Run a stage; whether it failed, with an error that a user can understand."""
        try:
            STAGES[stage](self.inputs, self.work)
        except FirthError:
            return True
        except MemoryError:
            if stage not in OUTSIDE:
                raise
            return True
        return False

    def check(self, stage: str, what: str, failed: bool = True, killed: bool = False) -> None:
        """What is there is old or new and whole, nothing else is, and the stage can be run again."""
        before, (after, *_) = digests(self.inputs / "model"), self.clean(stage)
        for model in (self.work / "model", self.work / "deep" / "new"):
            if (model / "firth.json").exists():
                self._check_model(model, what)
        now = digests(self.work)
        if not failed:
            assert now == after, f"{what}: done, but not as usual"
        olds = {f"model/{name}": digest for name, digest in before.items()}
        for name, digest in now.items():
            # what a killed process leaves is removed by the next one, see below
            if ".unfinished-" in name or name.endswith(("firth.json", ".firth-draft")):
                continue
            old = olds.get(name, hashlib.sha256(b"old").hexdigest())
            assert digest in (old, after.get(name)), f"{what}: {name} is neither old nor new"
        deep = self.work / "deep"
        assert killed or not deep.exists() or (deep / "new" / "firth.json").exists(), (
            f"{what}: {deep} is left"
        )
        if self._left():
            gc.collect()  # what keeps them may be in a cycle, as errors and their frames are
            with TemporaryFolder():  # whoever makes one removes leftovers
                pass
        assert not self._left(), f"{what}: {self._left()} in the temporary folder"
        STAGES[stage](self.inputs, self.work)
        assert digests(self.work) == after, f"{what}: the second attempt gave something else"

    def _left(self) -> list[str]:
        return [path.name for path in self.spare.iterdir() if "scratch" in path.name]

    def _check_model(self, path: Path, what: str) -> None:
        with writing(path):  # removes leftovers
            pass
        if not (path / "firth.json").exists():
            return  # it had no parts yet
        model, old = firth.load(path), firth.load(self.inputs / "model")
        for name, part in model.parts.items():
            known = old.parts.get(name)
            if known is None or known.identity != part.identity:
                part.verify()
                getattr(model, name)
        for part_folder in path.iterdir():
            if part_folder.is_dir():
                versions = {entry.name for entry in part_folder.iterdir()}
                current = (
                    {model.parts[part_folder.name].folder.name}
                    if part_folder.name in model
                    else set()
                )
                left = {name for name in versions - current if not name.startswith(".unfinished-")}
                assert not left, f"{what}: {left} in {part_folder.name}"
