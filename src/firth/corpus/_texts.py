"""Texts in memory, in any form that Python users have them: lists, frames, columns, records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import Any

from firth.corpus._find_sources import find_sources
from firth.corpus._memory_sources import RecordSource
from firth.corpus._metadata_values import as_value
from firth.corpus._reading import Format
from firth.corpus._sources import Source
from firth.errors import InputError, ParameterError

__all__ = ["find_texts", "records_of"]

Record = tuple[Any, Mapping[str, Any]]
_OWNER = "Corpus.from_texts"
_AT_ONCE = 4096
_MISSING: Any = object()


def find_texts(
    texts: Any, column: str = "text", skip_bad: bool = False, read_as: Format | None = None
) -> list[Source]:
    """The sources of files, as ``find_sources`` finds them, or of texts in memory.

    Frames, mappings of columns, columns and records are texts in memory, as for ``records_of``. Strings and lists
    of them are names of files.
    """
    if isinstance(texts, str | Path):
        return find_sources([texts], column, skip_bad, read_as)
    if isinstance(texts, Mapping):
        return [RecordSource(records_of(texts, column))]
    frame = _frame(texts)
    if frame is None:
        if not isinstance(texts, Iterable):
            raise ParameterError(
                f"The 'texts' must be files, a frame or records. Got {type(texts).__name__}."
            )
        rest = iter(texts)
        first = list(islice(rest, 1))  # decides what all of them are
        texts = chain(first, rest)
        if not first or isinstance(first[0], str | Path):
            return find_sources(list(texts), column, skip_bad, read_as)
    return [RecordSource(records_of(texts if frame is None else frame, column))]


def records_of(data: Any, column: str, metadata: Any = None) -> Iterator[Record]:
    """Each text, and what is known about it.

    ``data`` are strings, records (mappings), a mapping of columns, a frame or a column of pandas, Polars or
    Arrow, or what else Narwhals knows. Frames that are not computed yet, such as those of ``scan_parquet``,
    are computed.
    """
    records = _records(data, column)
    if metadata is None:
        return records
    return _joined(records, _rows(metadata, "metadata"))


def _records(data: Any, column: str) -> Iterator[Record]:
    if isinstance(data, str | bytes):
        raise ParameterError(
            f"The 'data' parameter of {_OWNER} must be a list of texts or a frame. "
            f"Got {type(data).__name__}.",
            "Give a file to Corpus.from_files, and one text as [text].",
        )
    if isinstance(data, Mapping):
        _require_column(data, column, "data")
        return _of_rows(_rows(data, "data"), column)
    frame = _frame(data)
    if frame is None:
        return _of_items(data, column)
    if not hasattr(frame, "columns"):
        return ((as_value(text), {}) for text in frame)
    _require_column(frame.columns, column, "frame")
    return _of_rows(_rows_of_frame(frame), column)


def _require_column(columns: Iterable[Any], column: str, what: str) -> None:
    if column not in columns:
        raise InputError(
            f"The {what} has no column {column!r}.",
            f"Choose with column=. It has: {', '.join(map(str, islice(columns, 20)))}.",
        )


def _of_items(data: Iterable[Any], column: str) -> Iterator[Record]:
    try:
        items = iter(data)
    except TypeError:
        raise ParameterError(
            f"The 'data' parameter of {_OWNER} must be a list of texts or a frame. "
            f"Got {type(data).__name__}."
        ) from None
    for item in items:
        if isinstance(item, Mapping):
            yield from _of_rows([item], column)
        else:
            yield as_value(item), {}


def _of_rows(rows: Iterable[Mapping[str, Any]], column: str) -> Iterator[Record]:
    for number, row in enumerate(rows, 1):
        if column not in row:
            raise InputError(
                f"Record {number:,} has no {column!r}.",
                f"Choose with column=. It has: {', '.join(map(str, list(row)[:20]))}.",
            )
        known = {str(name): value for name, value in row.items() if name != column}
        yield as_value(row[column]), known


def _rows(data: Any, parameter: str) -> Iterator[Mapping[str, Any]]:
    """The rows of a mapping of columns, a frame or a list of mappings."""
    if isinstance(data, Mapping):
        for name, values in data.items():
            if isinstance(values, str | bytes) or not isinstance(values, Iterable):
                raise ParameterError(
                    f"The columns of the {parameter!r} of {_OWNER} must be lists. "
                    f"{str(name)!r} is {type(values).__name__}.",
                    "Give one record as [record].",
                )
        columns = {str(name): list(values) for name, values in data.items()}
        lengths = {len(values) for values in columns.values()}
        if len(lengths) > 1:
            raise ParameterError(
                f"The columns of the {parameter!r} of {_OWNER} have different lengths."
            )
        return (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    frame = _frame(data)
    return iter(data) if frame is None else _rows_of_frame(frame)


def _joined(records: Iterator[Record], rows: Iterator[Mapping[str, Any]]) -> Iterator[Record]:
    for pair in zip_longest(records, rows, fillvalue=_MISSING):
        if _MISSING in pair:
            more = (
                "rows of metadata than texts"
                if pair[0] is _MISSING
                else "texts than rows of metadata"
            )
            raise ParameterError(f"There are more {more}.", "Each text needs one row.")
        (text, known), row = pair
        yield text, {**known, **row}


def _frame(data: Any) -> Any:
    """A frame or a column of any library that Narwhals knows; None for other data."""
    import narwhals.stable.v1 as nw
    import pyarrow as pa
    from narwhals.exceptions import DuplicateError

    if isinstance(data, pa.Array):
        data = pa.chunked_array([data])
    elif isinstance(data, pa.RecordBatch):
        data = pa.Table.from_batches([data])
    elif isinstance(data, pa.RecordBatchReader):
        data = data.read_all()
    try:
        found = nw.from_native(data, allow_series=True, pass_through=True)
    except DuplicateError as error:
        what = " ".join(str(error).split())
        raise InputError(f"The frame cannot be read. {what}", "Rename one of them.") from None
    if isinstance(found, nw.LazyFrame):
        found = found.collect()
    return found if isinstance(found, nw.DataFrame | nw.Series) else None


def _rows_of_frame(frame: Any) -> Iterator[Mapping[str, Any]]:
    for start in range(0, len(frame), _AT_ONCE):
        yield from frame[start : start + _AT_ONCE].iter_rows(named=True)
