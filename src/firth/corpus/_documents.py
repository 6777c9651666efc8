"""The documents of a corpus, a part of a model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from firth.errors import InputError
from firth.formats import Backend, frame_of
from firth.notebook import rows_table
from firth.progress import count_of
from firth.store import Part, UnsoundError, array_file, column, open_file, read_table, write_array

if TYPE_CHECKING:
    from firth.corpus._corpus import Corpus

__all__ = ["DOCUMENT", "FILE", "Documents"]

DOCUMENT, FILE = "document", "file"
"""The columns that every document has: its name, and the file it comes from."""
_AT_ONCE = 100
"""Documents that a notebook looks at."""
_STARTS, _TABLE = array_file("starts", np.int64), "documents.arrow"


class Documents:
    """The documents of a corpus: a file each, or a record of a table each.

    Attributes
    ----------
    starts : array of int64, shape (n_documents,)
        The first sentence of each document; the first document begins with sentence 0.
    table : pyarrow.Table
        A row for each document: its name (``document``), its ``file``, and what is known about it.
        Columns contain text, integers, other numbers or truth values; what is unknown is null.

    Examples
    --------
    >>> import firth
    >>> corpus = firth.Corpus.from_texts(["A rose.", "An old ship."], metadata={"year": [1913, 1850]})
    >>> corpus.documents
    <Documents: 2 documents with year>
    >>> corpus.documents.columns["year"].to_pylist()
    [1913, 1850]
    """

    def __init__(
        self, starts: npt.NDArray[np.int64], table: Any, ends: npt.NDArray[np.int64]
    ) -> None:
        self.starts, self.table, self._ends = starts, table, ends

    @classmethod
    def load(cls, part: Part, corpus: Corpus) -> Documents:
        """Read the documents of a part of a model, and check that they fit the corpus."""
        starts = part.array(_STARTS, -1, 0, corpus.n_sentences - 1, "always rises")
        part.require(len(starts) and starts[0] == 0, "the first document does not begin the text")
        path = part.path(_TABLE)
        table = read_table(path)
        names = table.schema.names
        if (
            table.num_rows != len(starts)
            or names[:2] != [DOCUMENT, FILE]
            or len(set(names)) < len(names)
            or not all(field.type in _types() for field in table.schema)
            or any(table.column(i).null_count for i in range(2))
        ):
            raise UnsoundError(path, "it is not a table of documents")
        return cls(starts, table, corpus.ends)

    def save(self, folder: Path) -> None:
        """Write the files of a part."""
        import pyarrow as pa

        write_array(folder / _STARTS, self.starts)
        with (
            open_file(folder / _TABLE, "wb") as file,
            pa.ipc.new_file(file, self.table.schema) as writer,
        ):
            writer.write_table(self.table.combine_chunks())

    def describe(self) -> dict[str, Any]:
        """The number of documents and what is known about them."""
        return {"n_documents": len(self), "columns": self.metadata}

    def summary(self) -> tuple[str, list[str]]:
        """The same in words."""
        return count_of(len(self), "document"), [f"with {', '.join(self.metadata)}"] * bool(
            self.metadata
        )

    def __len__(self) -> int:
        return len(self.starts)

    def __repr__(self) -> str:
        return f"<Documents: {' '.join([self.summary()[0], *self.summary()[1]])}>"

    @property
    def n_sentences(self) -> int:
        """The number of sentences of all documents."""
        return len(self._ends)

    @property
    def metadata(self) -> list[str]:
        """The names of the columns beside name and file."""
        return list(self.table.schema.names[2:])

    @property
    def columns(self) -> Mapping[str, Any]:
        """All columns, by name."""
        return {name: column(self.table, i) for i, name in enumerate(self.table.schema.names)}

    def to_frame(self, backend: Backend = "pandas") -> Any:
        """A frame with a row for each document: its name, its file, what is known about it, and its ``tokens``.

        Parameters
        ----------
        backend : {"pandas", "polars", "arrow"}
            A DataFrame of pandas or Polars, or an Arrow table.
        """
        import pyarrow as pa

        columns = {name: self.table.column(name) for name in self.table.schema.names}
        return frame_of(pa.table({**columns, "tokens": self.sizes}), backend)

    def _repr_html_(self) -> str:
        table = self.to_frame("arrow")
        rows = (row for batch in table.to_batches(_AT_ONCE) for row in batch.to_pylist())
        return rows_table(rows, table.schema.names)

    def values(self, name: str) -> list[Any]:
        """A column as a list; an unknown name is an error that lists the columns."""
        if name not in self.table.schema.names:
            raise InputError(
                f"There is no column {name!r}.",
                f"The columns are: {', '.join(self.table.schema.names)}.",
            )
        values: list[Any] = self.table.column(name).to_pylist()
        return values

    @property
    def bounds(self) -> npt.NDArray[np.int64]:
        """The index of the first token of each document, and at the end the number of all tokens."""
        first = np.where(self.starts > 0, self._ends[self.starts - 1], 0)
        return np.append(first, self._ends[-1])

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """The number of tokens of each document."""
        return np.diff(self.bounds)

    def of_tokens(self, positions: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """The number of the document that each of some tokens belongs to."""
        return np.searchsorted(self.bounds, np.asarray(positions), side="right") - 1

    def of_sentences(self, sentences: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """The number of the document that each of some sentences belongs to."""
        return np.searchsorted(self.starts, np.asarray(sentences, np.int64), side="right") - 1

    def ranges(
        self, chosen: npt.NDArray[np.bool_]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Where the tokens of some documents begin and end; documents side by side become one range."""
        edges = np.diff(np.concatenate([[0], chosen.astype(np.int8), [0]]))
        bounds = self.bounds
        return bounds[np.flatnonzero(edges == 1)], bounds[np.flatnonzero(edges == -1)]


def _types() -> tuple[Any, ...]:
    import pyarrow as pa

    return pa.large_string(), pa.int64(), pa.float64(), pa.bool_()
