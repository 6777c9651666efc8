"""Objects to cluster: rows of numbers with names, from an array, a file or word vectors."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.cluster._distances import check_objects
from firth.errors import InputError
from firth.formats import ObjectTable, looks_like_pairs, read_objects, read_pairs, text_lines
from firth.store import TemporaryFolder, open_file, standard_input
from firth.vectors import WordVectors

__all__ = ["Objects", "listed", "names_in"]

_TOP = 500
"""How many words of a model are clustered by default."""
_LISTED = 5


@dataclass(frozen=True, eq=False)
class Objects:
    """Objects to cluster.

    Attributes
    ----------
    names : list of str
    rows : array or sparse matrix of float64, of shape (n, dim)
    kind : str
        ``word`` or ``object``.
    counts : array of int64, optional
        How often each object occurs, if that is known.
    columns : list of str, optional
        The names of the columns.
    left_out : list of str
        Names that were asked for, but not found.
    """

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
    def is_sparse(self) -> bool:
        return not isinstance(self.rows, np.ndarray)

    @classmethod
    def of(cls, data: Any) -> Objects:
        """Make objects of an array, a sparse matrix, an ``ObjectTable``, ``WordVectors`` or a file.

        >>> len(Objects.of([[0.0, 1.0], [2.0, 3.0]]))
        2
        """
        if isinstance(data, Objects):
            return data
        if isinstance(data, WordVectors):
            return cls.of_vectors(data)
        if isinstance(data, str | Path):
            return cls.read(data)
        table = data if isinstance(data, ObjectTable) else ObjectTable(check_objects(data))
        n = table.rows.shape[0]
        if n < 2:
            raise InputError("There is only one object: clustering needs at least two.")
        counts = None if table.counts is None else np.array(table.counts, np.int64)
        names = table.names or [str(k) for k in range(1, n + 1)]
        kind = "word" if table.words else "object"
        return cls(names, table.rows, kind, counts, table.columns)

    @classmethod
    def read(cls, source: str | Path, header: bool | None = None) -> Objects:
        """Read the objects of a file: rows of numbers, or pairs of words with counts.

        Parameters
        ----------
        source : str or Path
            See ``firth.formats.read_objects`` and ``read_pairs``; ``-`` for standard input.
        header : bool, optional
            Whether the first line of a CSV file is a header; detected by default.
        """
        if source != "-":
            return cls.of(_table(Path(source), header))
        with TemporaryFolder() as folder:
            copy = folder.path / "objects"
            with open_file(copy, "wb") as file:
                shutil.copyfileobj(standard_input(), file)
            try:
                return cls.of(_table(copy, header))
            except InputError as error:  # the user does not know the name of the copy
                message = error.message.replace(str(copy), "standard input")
                raise InputError(message[:1].upper() + message[1:], error.hint) from None

    @classmethod
    def of_vectors(
        cls, vectors: WordVectors, words: Sequence[str] | None = None, top: int | None = None
    ) -> Objects:
        """Words and their vectors; words whose vector is zero are left out.

        Parameters
        ----------
        vectors : WordVectors
        words : sequence of str, optional
            The words; by default the most frequent ones.
        top : int, optional
            How many of them; by default all ``words``, or 500.
        """
        left: list[str] = []
        if words is None:
            ids = np.arange(min(top or _TOP, len(vectors)))
        else:
            found = {word: vectors.vocabulary.find(word) for word in words}
            left = [word for word, i in found.items() if i is None]
            known_ids = dict.fromkeys(i for i in found.values() if i is not None)
            ids = np.array(list(known_ids), np.int64)[:top]
        rows = np.array(vectors.matrix[ids], np.float64)
        known: Any = rows.any(axis=1)
        all_words = [vectors.vocabulary[int(i)] for i in ids]
        left += [word for word, some in zip(all_words, known, strict=True) if not some]
        if known.sum() < 2:
            raise InputError(
                f"Only {int(known.sum())} of these words has a vector: clustering needs at least two."
                if known.any()
                else "None of these words has a vector: clustering needs at least two.",
                f"Without a vector: {listed(left)}" if left else "Learn from more text.",
            )
        names = [word for word, some in zip(all_words, known, strict=True) if some]
        counts = np.array(vectors.counts[ids], np.int64)[known]
        return cls(names, rows[known], "word", counts if counts.any() else None, left_out=left)

    def select(
        self, words: Sequence[str] | None = None, top: int | None = None, square: bool = False
    ) -> Objects:
        """Some of the objects.

        Parameters
        ----------
        words : sequence of str, optional
            The names of the objects, in the order in which they are wanted; by default all.
        top : int, optional
            How many of them; by default all.
        square : bool
            Whether rows are distances, so that columns must be selected, too.
        """
        if square:
            self.check_square()
        if words is None and top is None:
            return self
        place = {name: i for i, name in enumerate(self.names)}
        wanted = self.names if words is None else words
        ids = [place[name] for name in wanted if name in place]
        missing = [name for name in wanted if name not in place]
        if len(ids) < 2:
            raise InputError(
                f"{len(ids)} of the names given were found: clustering needs at least two.",
                f"Not found: {listed(missing)}" if missing else None,
            )
        ids = ids[:top]
        rows = self.rows[ids]
        return replace(
            self,
            names=[self.names[i] for i in ids],
            rows=rows[:, ids] if square else rows,
            counts=None if self.counts is None else self.counts[ids],
            columns=None if square else self.columns,
            left_out=missing,
        )

    def check_square(self) -> None:
        """Raise InputError unless rows are a matrix of distances in the order of their columns."""
        if self.dim != len(self):
            raise InputError(
                f"A distance matrix must be square. Got {len(self):,} × {self.dim:,}.",
                "If rows are features and not distances, do not use the metric precomputed.",
            )
        if self.columns and self.columns != self.names and set(self.columns) == set(self.names):
            raise InputError(
                "The columns of the distance matrix are in another order than its rows.",
                "Put both in the same order.",
            )

    def check_counts(self) -> None:
        """Raise InputError unless rows are counts, and every object has some."""
        least = self.rows.min(axis=1)
        least = least if isinstance(self.rows, np.ndarray) else least.toarray().ravel()
        sums = np.asarray(self.rows.sum(axis=1)).ravel()
        for wrong, what in ((least < 0, "has counts below zero"), (sums == 0, "has no counts")):
            if wrong.any():
                raise InputError(
                    f"The object {self.names[int(np.argmax(wrong))][:60]!r} {what}, so it has no "
                    "distribution.",
                    "Leave it out. Rows must be counts of what objects occur with.",
                )


def _table(path: Path, header: bool | None) -> ObjectTable:
    if header is None and looks_like_pairs(path):
        return replace(read_pairs(path), words=True)
    return read_objects(path, header=header)


def names_in(file: str | Path) -> list[str]:
    """The names in a file, one per line, each once."""
    names = list(dict.fromkeys(line.strip() for _, line in text_lines(Path(file)) if line.strip()))
    if not names:
        raise InputError(f"{file} is empty.", "Write one name per line.")
    return names


def listed(names: Sequence[str]) -> str:
    """A few names, and how many more there are.

    >>> listed(list("abcdefg"))
    'a b c d e ... (+ 2)'
    """
    more = len(names) - _LISTED
    return " ".join(names[:_LISTED]) + (f" ... (+ {more:,})" if more > 0 else "")
