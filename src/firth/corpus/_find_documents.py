"""A corpus and its sources in, its documents out.

Where documents begin follows from the positions of the sentences, so the text is not read again: a
file is one document, and so is each record of a table. What is known about records is read from the
other columns of the table. Annotated text, such as TEI, is read a second time to know where its documents
begin.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from firth import formats, progress
from firth.corpus._documents import DOCUMENT, FILE, Documents
from firth.corpus._metadata import Metadata
from firth.corpus._metadata_values import as_column, as_name, as_value, is_simple
from firth.corpus._reading import RECORDS
from firth.corpus._sources import Source
from firth.errors import InputError

if TYPE_CHECKING:
    from firth.corpus._corpus import Corpus

__all__ = ["find_documents", "merge_documents"]

_LONGEST = 1_000
"""A column with longer texts does not describe documents, but contains them."""


def find_documents(
    corpus: Corpus, sources: Iterable[Source] = (), metadata: Metadata | None = None
) -> Documents:
    """The documents of a corpus.

    Parameters
    ----------
    corpus : Corpus
    sources : iterable of Source
        The sources that can be read again, for what is known about their records.
    metadata : Metadata, optional
        A table with what is known about files.
    """
    by_name = {source.name: source for source in sources}
    described = {
        number: dict(_read_known(source, corpus))
        for number, entry in enumerate(corpus.sources)
        if entry["kind"] in formats.ANNOTATED and (source := by_name.get(entry["name"]))
    }
    starts, owners, places = _where(corpus, described)
    known = _Columns(len(starts))
    first = np.searchsorted(owners, np.arange(len(corpus.sources) + 1)).tolist()
    names = [corpus.sources[owner]["name"] for owner in owners.tolist()]
    for number, entry in enumerate(corpus.sources):
        begin, end = first[number], first[number + 1]
        if number in described:
            records: Any = _of_annotated(described[number], places[begin:end])
        elif entry["kind"] not in RECORDS or begin == end:
            continue
        elif source := by_name.get(entry["name"]):
            records = _known(source, corpus, places[begin:end])
        else:
            records = enumerate([{}] * (end - begin))
        for document, (record, values) in enumerate(records, begin):
            if number not in described or len(described[number]) > 1:
                names[document] = f"{entry['name']}:{record + 1}"
            known.add(document, values)
    if metadata is not None:
        _add_metadata(known, metadata, [e["name"] for e in corpus.sources], owners)
    files = [corpus.sources[owner]["name"] for owner in owners.tolist()]
    return Documents(starts, known.table(names, files), corpus.ends)


def merge_documents(parts: Sequence[Documents], corpus: Corpus) -> Documents:
    """The documents of a corpus that was merged, from those of its parts, in the same order."""
    sizes = [part.n_sentences for part in parts]
    shifts = list(accumulate(sizes[:-1], initial=0))
    starts = np.concatenate(
        [part.starts + shift for part, shift in zip(parts, shifts, strict=True)]
    )
    known = _Columns(len(starts))
    names, files = [], []
    for part in parts:
        rows = part.table.to_pylist()
        for row in rows:
            names.append(row.pop(DOCUMENT))
            files.append(row.pop(FILE))
            known.add(len(names) - 1, row)
    return Documents(starts, known.table(names, files), corpus.ends)


def _where(
    corpus: Corpus, described: Mapping[int, Mapping[int, Any]]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The first sentence of each document, the number of its source, and its position there.

    ``described`` has the positions of the documents of annotated text.
    """
    extents = [source["extent"] for source in corpus.sources]
    begins = np.array(list(accumulate(extents[:-1], initial=0)), np.int64)
    owners = np.searchsorted(begins, corpus.places, side="right") - 1
    is_record = np.array([source["kind"] in RECORDS for source in corpus.sources])
    new = np.ones(len(owners), bool)
    new[1:] = (owners[1:] != owners[:-1]) | (
        is_record[owners[1:]] & (corpus.places[1:] != corpus.places[:-1])
    )
    for owner, found in described.items():
        here = slice(*np.searchsorted(owners, [owner, owner + 1]).tolist())
        of = np.searchsorted(list(found), corpus.places[here] - begins[owner], side="right")
        new[here] |= np.diff(of, prepend=-1) != 0
    starts = np.flatnonzero(new)
    return starts, owners[starts], (corpus.places[starts] - begins[owners[starts]])


def _known(
    source: Source, corpus: Corpus, places: npt.NDArray[np.int64]
) -> list[tuple[int, Mapping[str, Any]]]:
    """The number of each record with words, and what is known about it."""
    wanted = places.tolist()
    found: list[tuple[int, Mapping[str, Any]]] = []
    for number, (place, known) in enumerate(_read_known(source, corpus)):
        if len(found) < len(wanted) and place == wanted[len(found)]:
            found.append((place if source.kind == "table" else number, known))
    if len(found) < len(wanted):
        raise InputError(f"{source.name} has changed while it was read.", "Run the command again.")
    return found


def _of_annotated(
    described: Mapping[int, Mapping[str, Any]], places: npt.NDArray[np.int64]
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The number of each document with words of annotated text, and what is known about it."""
    begins = list(described)
    if len(places) and not begins:
        raise InputError("A file has changed while it was read.", "Run the command again.")
    for number in (np.searchsorted(begins, places, side="right") - 1).tolist():
        yield number, described[begins[number]]


def _read_known(source: Source, corpus: Corpus) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """What is known about the documents of a source, with their positions."""
    with progress.stage(
        f"reading what is known about {source.name}", unit="documents", brief=1.0
    ) as stage:
        for place, known in source.known(corpus.reading.errors):
            yield place, known
            stage.advance(1)


def _add_metadata(
    known: _Columns, metadata: Metadata, files: Sequence[str], owners: npt.NDArray[np.int64]
) -> None:
    rows = metadata.rows_of(files)
    for document, owner in enumerate(owners.tolist()):
        row = rows[owner]
        if row is not None:
            known.add(document, {name: values[row] for name, values in metadata.columns.items()})


class _Columns:
    """What is known about documents, column by column."""

    def __init__(self, n: int) -> None:
        self._n = n
        self._values: dict[str, list[Any]] = {}
        self._left_out: dict[str, str] = {}

    def add(self, document: int, known: Mapping[str, Any]) -> None:
        """Add what is known about a document."""
        for name, given in known.items():
            value = as_value(given)
            if value is None or name in self._left_out:
                continue
            if not is_simple(value) or (isinstance(value, str) and len(value) > _LONGEST):
                why = "long texts" if isinstance(value, str) else "lists or objects"
                self._left_out[name] = why
                self._values.pop(name, None)
                continue
            if name not in self._values:
                self._values[name] = [None] * self._n
            self._values[name][document] = value

    def table(self, names: Sequence[str], files: Sequence[str]) -> Any:
        """The table of all documents."""
        import pyarrow as pa

        for name, why in self._left_out.items():
            progress.notice(f"The column {name!r} contains {why}, so it is not used as metadata.")
        text = pa.large_string()
        columns = {DOCUMENT: pa.array(names, text), FILE: pa.array(files, text)}
        for name, values in self._values.items():
            typed = as_name(name)
            if typed in columns or not typed:
                typed = next(t for k in range(2, 1 << 30) if (t := f"{typed}_{k}") not in columns)
            columns[typed] = as_column(values)
        return pa.table(columns)
