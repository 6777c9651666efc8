"""Results as frames of pandas and Polars, and as Arrow tables."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, Generic, Literal, SupportsIndex, TypeAlias, TypeVar, overload

from firth.errors import FirthError, check_choice
from firth.notebook import rows_table

__all__ = ["Backend", "Framed", "Rows", "frame_of", "library_of", "table_of"]

Backend: TypeAlias = Literal["pandas", "polars", "arrow"]
_BACKENDS = ("pandas", "polars", "arrow")
T = TypeVar("T")


def frame_of(table: Any, backend: str = "pandas") -> Any:
    """An Arrow table as a frame of another library.

    Parameters
    ----------
    table : pyarrow.Table
    backend : {"pandas", "polars", "arrow"}
        A DataFrame of pandas or Polars, or the table itself.
    """
    library = library_of(backend)
    if backend == "pandas":
        return table.to_pandas()
    return library.from_arrow(table) if backend == "polars" else table


def library_of(backend: str) -> Any:
    """The module of a library of frames; an error says how to install it."""
    check_choice("to_frame", "backend", backend, _BACKENDS)
    try:
        return importlib.import_module("pyarrow" if backend == "arrow" else backend)
    except ImportError:
        name = {"pandas": "pandas", "polars": "Polars"}.get(backend, backend)
        raise FirthError(
            f"to_frame() needs {name}, which is not installed.",
            f"Install it: pip install {backend}",
        ) from None


def table_of(rows: Iterable[Mapping[str, Any]], columns: Sequence[str] = ()) -> Any:
    """Rows as an Arrow table; its columns are those of the first row, or ``columns`` if there is none."""
    import pyarrow as pa

    listed = list(rows)
    names = list(listed[0]) if listed else list(columns)
    return pa.table({name: _array([row[name] for row in listed]) for name in names})


def _array(values: list[Any]) -> Any:
    """Values of one kind as an Arrow array; values of several kinds become text."""
    import pyarrow as pa

    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, UnicodeEncodeError):
        texts = (None if value is None else str(value) for value in values)
        # half of a surrogate pair cannot be written, as in files of rows
        return pa.array([t if t is None else t.encode(errors="replace").decode() for t in texts])


class Framed:
    """What has rows can be had as a frame, and is a table in notebooks."""

    _columns: Sequence[str] = ()
    """The names of the columns, for a result without rows."""

    def rows(self) -> Iterable[Mapping[str, Any]]:
        """All rows as plain data."""
        raise NotImplementedError

    def to_frame(self, backend: Backend = "pandas") -> Any:
        """All rows as a frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "arrow"}
            A DataFrame of pandas or Polars, or an Arrow table.
        """
        library_of(backend)  # before the work
        return frame_of(table_of(self.rows(), self._columns), backend)

    def _repr_html_(self) -> str:
        return rows_table(self.rows(), self._columns)


class Rows(list[T], Framed, Generic[T]):
    """A list of results of one kind, which can be had as a frame; a part of it, ``found[:10]``, can, too.

    Parameters
    ----------
    items : iterable
        Dataclasses, named tuples or mappings. One with a method ``rows`` says itself what its rows are.
    kind : type or tuple of str, optional
        Their class, or the names of the columns, for a list that is empty.

    Examples
    --------
    >>> import firth
    >>> corpus = firth.Corpus.from_sentences([["a", "rose", "is", "a", "rose"]])
    >>> corpus.find("rose").to_frame("arrow").column("left").to_pylist()
    ['a ', 'a rose is a ']
    """

    def __init__(
        self, items: Iterable[T] = (), kind: type[T] | tuple[str, ...] | None = None
    ) -> None:
        super().__init__(items)
        self._kind = kind

    @property
    def _columns(self) -> Sequence[str]:  # type: ignore[override]
        if self._kind is None or isinstance(self._kind, tuple):
            return self._kind or ()
        return getattr(self._kind, "columns", None) or _names(self._kind)

    @overload
    def __getitem__(self, place: SupportsIndex) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> Rows[T]: ...
    def __getitem__(self, place: Any) -> Any:
        found = super().__getitem__(place)
        return Rows(found, self._kind) if isinstance(place, slice) else found

    def rows(self) -> Iterator[dict[str, Any]]:
        """All rows as plain data; words of a list are joined by blanks."""
        for item in self:
            if hasattr(item, "rows"):
                yield from item.rows()
            elif isinstance(item, Mapping):
                yield {name: _plain(value) for name, value in item.items()}
            else:
                yield {name: _plain(getattr(item, name)) for name in _names(item)}


def _names(kind: Any) -> Sequence[str]:
    """The names of the fields of a dataclass or a named tuple."""
    found: Sequence[str] = getattr(kind, "_fields", None) or [f.name for f in fields(kind)]
    return found


def _plain(value: Any) -> Any:
    if not isinstance(value, list | tuple):
        return value
    return " ".join(str(one["word"] if isinstance(one, Mapping) else one) for one in value)
