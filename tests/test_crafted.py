"""Models made to do harm: their checksums are right, but what they contain is not."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import firth
from firth.errors import ModelError
from firth.store import sha256

from .test_parts import whole  # noqa: F401  a fixture

Edit = Callable[[Path, dict[str, Any]], None]


def craft(model: Path, name: str, edit: Edit) -> None:
    """Change the files of a part and its entry in the manifest; sizes and checksums follow."""
    manifest = json.loads((model / "firth.json").read_text(encoding="utf-8"))
    entry = manifest["parts"][name]
    folder = model / name / entry["folder"]
    edit(folder, entry)
    for file in entry["files"]:
        path = folder / file
        if path.exists():
            entry["files"][file] = {"size": path.stat().st_size, "sha256": sha256(path)}
    (model / "firth.json").write_text(json.dumps(manifest), encoding="utf-8")


TYPES = {"u32": "<u4", "u64": "<u8", "i32": "<i4", "i64": "<i8", "f32": "<f4", "f64": "<f8"}


def numbers(file: str, change: Callable[[Any], Any]) -> Edit:
    """An edit of an array; ``change`` gets it, and changes it or returns another."""

    def edit(folder: Path, _: dict[str, Any]) -> None:
        array = np.fromfile(folder / file, TYPES[file[-3:]])
        changed = change(array)
        (array if changed is None else changed).tofile(folder / file)

    return edit


def put(at: Any, value: Any) -> Callable[[Any], None]:
    def change(array: Any) -> None:
        array[at] = value

    return change


def twice(n: int) -> Callable[[Any], None]:
    """The first elements are repeated."""

    def change(array: Any) -> None:
        array[n : 2 * n] = array[:n]

    return change


def both(*edits: Edit) -> Edit:
    def edit(folder: Path, entry: dict[str, Any]) -> None:
        for one in edits:
            one(folder, entry)

    return edit


def facts(**values: Any) -> Edit:
    return lambda _, entry: entry["facts"].update(values)


def parameters(**values: Any) -> Edit:
    return lambda _, entry: entry["parameters"].update(values)


def text(file: str, change: Callable[[Any], None]) -> Edit:
    """An edit of a JSON file."""

    def edit(folder: Path, _: dict[str, Any]) -> None:
        content = json.loads((folder / file).read_text(encoding="utf-8"))
        change(content)
        (folder / file).write_text(json.dumps(content), encoding="utf-8")

    return edit


def table(file: str, change: Callable[[Any], Any], **options: Any) -> Edit:
    """An edit of an Arrow file."""

    def edit(folder: Path, _: dict[str, Any]) -> None:
        with pa.OSFile(str(folder / file)) as source:
            changed = change(pa.ipc.open_file(source).read_all())
        how = pa.ipc.IpcWriteOptions(**options)
        with (
            pa.OSFile(str(folder / file), "wb") as sink,
            pa.ipc.new_file(sink, changed.schema, options=how) as writer,
        ):
            writer.write_table(changed)

    return edit


def move_entry(folder: Path, _: dict[str, Any]) -> None:
    """Explicit zeros: an entry gives its count to the next in its row; all sums stay right."""
    data = np.fromfile(folder / "data.u32", "<u4")
    indptr = np.fromfile(folder / "indptr.i64", "<i8")
    indices = np.fromfile(folder / "indices.i32", "<i4")
    columns = np.fromfile(folder / "columns.i64", "<i8")
    n_rows = len(indptr) - 1
    blocks = len(columns) // n_rows
    rows = np.fromfile(folder / "rows.i64", "<i8").reshape(n_rows, blocks)
    row = int(np.argmax(np.diff(indptr)))
    a = int(indptr[row])
    columns[indices[a + 1]] += data[a]
    columns[indices[a]] -= data[a]
    rows[row, indices[a + 1] // n_rows] += data[a]
    rows[row, indices[a] // n_rows] -= data[a]
    data[a + 1] += data[a]
    data[a] = 0
    for name, array in (("data.u32", data), ("columns.i64", columns), ("rows.i64", rows)):
        array.tofile(folder / name)


def exchange_entries(folder: Path, _: dict[str, Any]) -> None:
    """Two entries of a row in the wrong order; all sums stay right."""
    indptr = np.fromfile(folder / "indptr.i64", "<i8")
    at = int(indptr[np.argmax(np.diff(indptr))])
    for name, kind in (("data.u32", "<u4"), ("indices.i32", "<i4")):
        array = np.fromfile(folder / name, kind)
        array[[at, at + 1]] = array[[at + 1, at]]
        array.tofile(folder / name)


def lose(file: str) -> Edit:
    def edit(folder: Path, entry: dict[str, Any]) -> None:
        (folder / file).unlink()
        del entry["files"][file]

    return edit


HUGE = 10**400
CRAFTED: dict[str, tuple[str, Edit, str]] = {
    # corpus
    "ids of other words": ("corpus", numbers("ids.u32", lambda a: a.max() - a), "ids and counts"),
    "ids that are exchanged": ("corpus", numbers("ids.u32", put([0, 1], 0)), "ids and counts"),
    "an id that is no word": ("corpus", numbers("ids.u32", put(5, 1 << 31)), "out of range"),
    "places at the end of the world": (
        "corpus", numbers("places.i64", lambda a: a + (1 << 62)), "out of range"),
    "places behind the text": (
        "corpus", numbers("places.i64", put(-1, 1 << 40)), "out of range"),
    "sentences that go back": ("corpus", numbers("ends.i64", put([2, 3], [12, 11])), "order"),
    "sources without a path": ("corpus", text("sources.json", lambda s: s[0].pop("path")), "sources.json"),
    "a list as a checksum": (
        "corpus", text("sources.json", lambda s: s[0].update(sha256=["a"])), "sources.json"),
    "a source of 10**400 bytes": (
        "corpus", text("sources.json", lambda s: s[0].update(extent=HUGE)), "sources.json"),
    "a way of reading that is none": ("corpus", parameters(tokens="a b"), "tokens"),
    "compressed words": ("corpus", table("words.arrow", lambda t: t, compression="zstd"), "compressed"),
    "words of another type": (
        "corpus", table("words.arrow", lambda t: t.set_column(0, "word", t["word"].cast(pa.large_binary()))),
        "list of words"),
    "words without a count": ("corpus", table("words.arrow", lambda t: t.drop_columns("count")), "list of words"),
    "a word that is missing": (
        "corpus",
        table("words.arrow", lambda t: t.set_column(
            0, "word", pa.array([None, *t["word"].to_pylist()[1:]], pa.large_string()))),
        "missing"),
    # counts
    "explicit zeros": ("counts", move_entry, "data.u32 contains values out of range"),
    "entries out of order": ("counts", exchange_entries, "sums"),
    "entries that do not add up": ("counts", numbers("data.u32", put([0, 1], [9, 1])), "sums"),
    "words that hardly occur": ("counts", numbers("word_counts.i64", put(0, 1)), "words and counts"),
    "contexts of words that hardly occur": (
        "counts",
        both(numbers("word_counts.i64", put(0, 1)),
             table("words.arrow", lambda t: t.set_column(1, "count", pa.array([1] * len(t), pa.int64())))),
        "words and counts|more often"),
    "sums that wrap around": (
        "counts", both(numbers("data.u32", put(0, 1 << 31)), numbers("rows.i64", put(0, 1 << 31))), "more often"),
    "rows that begin behind the matrix": ("counts", numbers("indptr.i64", put(1, 1 << 40)), "out of range"),
    "a file that is gone": ("counts", lose("data.u32"), "data.u32"),
    "contexts without end": ("counts", parameters(contexts="bag999999"), "contexts"),
    # the others
    "positions that go back": ("index", numbers("positions.u32", lambda a: a[::-1]), "not in order"),
    "a position twice": ("index", numbers("positions.u32", twice(1)), "not in order"),
    "a vector that is none": ("vectors", numbers("vectors.f32", put(3, np.inf)), "out of range"),
    "contexts that are none": ("vectors", numbers("contexts.f32", put(3, np.nan)), "out of range"),
    "a parameter that is no number": ("vectors", parameters(alpha="a lot"), "alpha"),
    "a class that follows too often": ("classes", numbers("follow.i64", put(0, 1 << 40)), "more often"),
    "a context that is no word": ("classes", numbers("context_words.i32", put(0, 1 << 30)), "out of range"),
    "mutual information that is none": ("classes", numbers("context_pmi.f32", put(0, np.nan)), "out of range"),
    "a height that is none": ("classes", numbers("heights.f64", put(-1, np.inf)), "out of range"),
    "12,000 entity types": ("ner", facts(types=[f"T{i}" for i in range(12_000)]), "more than 1,000 entity types"),
    "a curve of one number": ("ner", facts(dev_f1=[1]), "manifest"),
    "features that are repeated": ("ner", numbers("stage1_keys.u64", twice(1)), "repeated"),
    "a probability above one": ("grammar", numbers("p.f64", put(0, 1e300)), "out of range"),
    "a tensor without bounds": ("grammar", numbers("tensors0.f32", put(0, 1e38)), "out of range"),
    "a rule twice": ("grammar", numbers("rules.i64", twice(3)), "repeated|more than one"),
    "singular values that are none": ("grammar", facts(states=[{"symbol": 3}]), "manifest"),
    "10**400 words": ("lm", text("model.json", lambda c: c["facts"].update(n_words=HUGE)), "model.json"),
    "an order of 10**400": ("lm", text("model.json", lambda c: c.update(order=HUGE)), "model.json"),
    "n-grams that go back": ("lm", numbers("letters_starts.i32", put(1, -(1 << 31))), "out of range"),
    "weights of a mixture below zero": ("lm", numbers("weights.f64", put(0, -1.0)), "out of range"),
    "tags without a name": ("tags", facts(tags=["", "b", "c"]), "tag names"),
    "probabilities that do not add up": ("tags", numbers("prior.f64", put(0, 0.9)), "sum to one"),
    "names that are numbers": ("names", text("names.json", lambda n: n.update({"0": 7})), "names"),
    "names without end": ("tag_names", text("names.json", lambda n: n.update({"0": "x" * 99_999})), "names"),
    "a place off the map": ("map", numbers("positions.f32", put(0, 2.0)), "out of range"),
}  # fmt: skip


@pytest.mark.parametrize("name", CRAFTED)
@pytest.mark.slow
def test_a_crafted_part_is_refused(whole: Path, tmp_path: Path, name: str) -> None:  # noqa: F811
    part, edit, why = CRAFTED[name]
    model = Path(shutil.copytree(whole, tmp_path / "m"))
    getattr(firth.load(model), part)
    craft(model, part, edit)
    with pytest.raises(ModelError, match=why):
        getattr(firth.load(model), part)


@pytest.mark.parametrize(
    "value", ["\ud800", HUGE, [[[[]]] * 3] * 3], ids=["surrogate", "huge", "plain"]
)
def test_a_manifest_with_values_that_cannot_be_used(
    whole: Path, tmp_path: Path, value: Any  # noqa: F811
) -> None:  # fmt: skip
    model = Path(shutil.copytree(whole, tmp_path / "m"))
    craft(model, "counts", facts(some=value))
    if isinstance(value, list):
        assert firth.load(model).parts["counts"].facts["some"] == value
        return
    with pytest.raises(ModelError, match="values that cannot be used"):
        firth.load(model)


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_only_regular_files_are_opened(whole: Path, tmp_path: Path, kind: str) -> None:  # noqa: F811
    model = Path(shutil.copytree(whole, tmp_path / "m"))
    path = firth.load(model).parts["vectors"].path("vectors.f32")
    moved = path.rename(tmp_path / "elsewhere")
    if kind == "link":
        path.symlink_to(moved)
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    with pytest.raises(ModelError, match=r"not a plain file|Is a directory"):
        firth.load(model).vectors  # noqa: B018
