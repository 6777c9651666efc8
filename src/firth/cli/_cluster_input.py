"""What ``firth cluster`` groups: the words of a model, or the rows of a file."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from firth.cli import _shared as shared
from firth.errors import InputError

if TYPE_CHECKING:
    from firth.formats import ObjectTable

_TOP = 500
_NAMED = 5
_HEAD, _LOOKED_AT = 1 << 14, 10


@dataclass(frozen=True, eq=False)
class Objects:
    """Objects, a row of numbers each, and what they are called."""

    names: list[str]
    rows: Any
    kind: str = "object"
    counts: npt.NDArray[np.int64] | None = None
    columns: list[str] | None = None
    left_out: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def dim(self) -> int:
        return int(self.rows.shape[1])

    @property
    def sparse(self) -> bool:
        return not isinstance(self.rows, np.ndarray)

    def some(self, ids: Sequence[int], left_out: Sequence[str] = ()) -> Objects:
        """Only these objects, in this order."""
        return replace(
            self, names=[self.names[i] for i in ids], rows=self.rows[ids], left_out=list(left_out),
            counts=None if self.counts is None else self.counts[ids],
        )  # fmt: skip


def read_input(
    source: str, *, words: str | None, top: int | None, header: bool | None, distances: bool = False
) -> Objects:
    """Read the objects of a model or a file, and choose those that are wanted."""
    wanted = None if words is None else _words_of(words)
    if source != "-" and Path(source).is_dir():
        if header is not None:
            shared.fail("--header is for csv files.", "A model has no lines.", status=2)
        if distances:
            shared.fail(f"{source} is a model, not a table of distances.", "Give a file.", status=2)
        return _of_model(source, wanted, top)
    objects = _of_file(source, header)
    if distances:
        _check_square(source, objects)
        if wanted is not None or top is not None:
            return _distances_of(objects, wanted, top)
    if wanted is not None:
        objects = _chosen(objects, wanted, source)
    return objects if top is None else objects.some(range(min(top, len(objects))), objects.left_out)


def _of_model(source: str, wanted: Sequence[str] | None, top: int | None) -> Objects:
    from firth.model import load

    vectors = load(source).vectors
    if wanted is None:
        ids = np.arange(min(top or _TOP, len(vectors)))
        left = []
    else:
        found = {word: vectors.vocabulary.find(word) for word in wanted}
        left = [word for word, i in found.items() if i is None]
        ids = np.array(list(dict.fromkeys(i for i in found.values() if i is not None)), np.int64)
        ids = ids[:top]
    rows = np.array(vectors.matrix[ids], np.float64)
    known: Any = rows.any(axis=1)
    words = [vectors.vocabulary[int(i)] for i in ids]
    left += [word for word, some in zip(words, known, strict=True) if not some]
    if known.sum() < 2:
        raise InputError(
            f"{source} has vectors for {int(known.sum())} of these words: to group them there must be two.",
            f"Without one: {some_of(left)}" if left else "Learn from more text.",
        )
    names = [word for word, some in zip(words, known, strict=True) if some]
    counts = np.array(vectors.counts[ids], np.int64)[known]
    return Objects(names, rows[known], "word", counts if counts.any() else None, left_out=left)


def _of_file(source: str, header: bool | None) -> Objects:
    if source == "-":
        with tempfile.NamedTemporaryFile(prefix="firth-") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
            copy.flush()
            try:
                table = _read(Path(copy.name), header)
            except InputError as error:  # speak of what the user gave
                said = error.message.replace(copy.name, "standard input")
                raise InputError(said[:1].upper() + said[1:], error.hint) from None
    else:
        table = _read(Path(source), header)
    n = table.rows.shape[0]
    if n < 2:
        raise InputError(
            f"There is only one object in {'standard input' if source == '-' else source}.",
            "To group objects there must be two at least.",
        )
    counts = None if table.counts is None else np.array(table.counts, np.int64)
    names = table.names or [str(k) for k in range(1, n + 1)]
    kind = "word" if table.words else "object"
    return Objects(names, table.rows, kind, counts, table.columns)


def _read(path: Path, header: bool | None) -> ObjectTable:
    """Rows of numbers, or of counts of pairs."""
    from firth.formats import read_objects, read_pairs

    if header is None and _looks_like_pairs(path):
        return replace(read_pairs(path), words=True)
    return read_objects(path, header=header)


def _looks_like_pairs(path: Path) -> bool:
    """Whether the first lines are two words and perhaps a count, with tabs or blanks between them."""
    from firth.formats import open_stream

    with open_stream(path) as stream:
        head = stream.read(_HEAD)
    *lines, last = head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").split("\n")
    if len(head) < _HEAD:
        lines.append(last)
    some = [line.strip() for line in lines if line.strip()][:_LOOKED_AT]
    rows = [line.split("\t") if "\t" in line else line.split() for line in some]
    return bool(rows) and "\0" not in lines[0] and all(map(_is_pair, rows))


def _is_pair(columns: list[str]) -> bool:
    """Whether columns are two words and perhaps a count.

    >>> _is_pair(["tea", "drink"]), _is_pair(["tea", "drink", "3"]), _is_pair(["tea", "0.5", "3"])
    (True, True, False)
    """

    def is_number(text: str) -> bool:
        try:
            float(text)
        except ValueError:
            return False
        return True

    if len(columns) not in (2, 3) or any(map(is_number, columns[:2])):
        return False
    return len(columns) == 2 or columns[2].strip().isdecimal()


def _words_of(file: str) -> list[str]:
    from firth.formats import text_lines

    words = list(dict.fromkeys(line.strip() for _, line in text_lines(Path(file)) if line.strip()))
    if not words:
        raise InputError(f"There are no words in {file}.", "Write one word a line.")
    return words


def _chosen(objects: Objects, wanted: Sequence[str], source: str) -> Objects:
    place = {name: i for i, name in enumerate(objects.names)}
    ids = [place[name] for name in wanted if name in place]
    missing = [name for name in wanted if name not in place]
    if len(ids) < 2:
        raise InputError(
            f"{source} has {len(ids)} of the wanted objects: to group them there must be two.",
            f"Not in it: {some_of(missing)}" if missing else None,
        )
    return objects.some(ids, missing)


def _check_square(source: str, objects: Objects) -> None:
    n = len(objects)
    if objects.dim != n:
        raise InputError(
            f"A table of distances must be square; {source} is {n:,} × {objects.dim:,}.",
            "For objects with numbers of their own, leave --metric precomputed out.",
        )
    if objects.columns and objects.columns != objects.names and set(objects.columns) == set(objects.names):  # fmt: skip
        raise InputError(
            f"The columns of {source} are in another order than its rows.",
            "Put both in the same order.",
        )


def _distances_of(objects: Objects, wanted: Sequence[str] | None, top: int | None) -> Objects:
    """Rows and columns of some objects."""
    some = objects if wanted is None else _chosen(objects, wanted, "The table")
    place = {name: i for i, name in enumerate(objects.names)}
    ids = [place[name] for name in some.names][:top]
    found = objects.some(ids, some.left_out)
    return replace(found, rows=found.rows[:, ids], columns=None)


def some_of(words: Sequence[str]) -> str:
    """A few words, and how many more there are."""
    more = len(words) - _NAMED
    return " ".join(words[:_NAMED]) + (f" ... (+ {more:,})" if more > 0 else "")
