"""CSV and TSV files: rows of texts."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from firth.errors import InputError
from firth.formats._compression import Stream, open_stream
from firth.formats._limits import current_limits
from firth.formats._remote import RemoteFile
from firth.formats._sniff import describe_binary, for_file, guess_encoding, without_compression

__all__ = ["SEPARATORS", "SeparatedFile"]

SEPARATORS = {".csv": ",", ".tsv": "\t"}
"""The separator of columns, by the suffix of the file."""
_BLOCK = 1 << 20
_MOST_COLUMNS = 10_000


class SeparatedFile:
    """An open CSV or TSV file. Its first line has the names of the columns; all values are text.

    A CSV file may use semicolons instead of commas, and quote values with line ends or commas. In a
    TSV file, quotation marks are ordinary characters, unless its beginning shows that values are quoted as
    in a CSV file: spreadsheets write them so.

    Parameters
    ----------
    path : Path or RemoteFile
        Compressed files, too.

    Attributes
    ----------
    schema : pyarrow.Schema
    share : float
        How much of the file has been read, from 0 to 1.
    """

    def __init__(self, path: Path | RemoteFile) -> None:
        import pyarrow as pa

        self._path, self.share = path, 0.0
        with open_stream(path, kept=False) as stream:
            head = stream.read(_BLOCK)
        if binary := describe_binary(head):
            raise InputError(f"{path} is {binary[0]}, not a table.", self._for_me(binary[1]))
        first = head.removeprefix(b"\xef\xbb\xbf").partition(b"\n")[0]
        self._separator = _separator_of(str(path), first)
        self._quoted = self._separator != "\t" or _is_quoted(head, whole=len(head) < _BLOCK)
        names = self._names(first.decode(errors="replace").rstrip("\r"))
        if not any(names):
            raise InputError(
                f"{path} has no names of columns.",
                "The first line must have the names of the columns.",
            )
        if len(names) > _MOST_COLUMNS:
            raise InputError(f"{path} has more than {_MOST_COLUMNS:,} columns.")
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError(f"{path} has two columns called {twice!r}.", "Rename one of them.")
        self.schema = pa.schema([(name, pa.large_string()) for name in names])

    @property
    def _kind(self) -> str:
        return "TSV" if self._separator == "\t" else "CSV"

    def _names(self, line: str) -> list[str]:
        if not self._quoted:
            return line.split(self._separator)
        return next(csv.reader([line], delimiter=self._separator), [])

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """The rows in batches, with some columns or all."""
        size = self._path.stat().st_size if isinstance(self._path, Path) else self._path.size
        with open_stream(self._path, kept=False) as stream:
            for number, block in enumerate(self._blocks(stream)):
                if not block.strip():
                    continue
                table = self._parsed(block, list(columns or self.schema.names), skipped=number == 0)
                table.validate(full=True)
                self.share = min(1.0, stream.consumed / max(1, size or 0))
                yield from table.to_batches()

    def _blocks(self, stream: Stream) -> Iterator[bytes]:
        """Whole rows, some at a time; the header is in the first block.

        Arrow's own streaming reader works ahead in a thread, which may still ask for more when the program
        ends.
        """
        rest = b""
        # a long row is looked at again and again from its beginning, so read ever more of it
        while more := stream.read(max(_BLOCK, len(rest))):
            rest += more
            end = self._end_of_rows(rest)
            if end:
                yield rest[:end]
                rest = rest[end:]
            else:
                current_limits().check_line(len(rest), f"A row of {self._path}")
        yield rest

    def _end_of_rows(self, data: bytes) -> int:
        """Where the last row ends; a line end between quotes is not the end of a row."""
        end = len(data)
        inside = self._quoted and data.count(b'"') % 2 == 1
        while (place := data.rfind(b"\n", 0, end)) >= 0:
            if self._quoted and data.count(b'"', place, end) % 2 == 1:
                inside = not inside
            if not inside:
                return place + 1
            end = place
        return 0

    def _parsed(self, block: bytes, columns: list[str], skipped: bool) -> Any:
        import pyarrow as pa

        try:
            return self._table(block, columns, skipped)
        except pa.ArrowInvalid as error:
            if "columns, got" in str(error):
                raise InputError(
                    f"{self._path} is not a readable {self._kind} file: "
                    f"{str(error).partition(': ')[2]}",
                    f"Write a value with {'a tab' if self._kind == 'TSV' else self._separator} or a line end in it "
                    "between quotation marks."
                    if self._quoted
                    else "In a TSV file, no value contains a tab or a line end, and quotation marks are ordinary "
                    "characters. Save it as CSV if values do.",
                ) from None
            if "invalid UTF8" in str(error):
                raise self._not_utf8(block) from None
            raise

    def _not_utf8(self, block: bytes) -> InputError:
        """The error for a file of which a block is in another encoding."""
        valid = block.decode(errors="ignore").encode()
        first = next((i for i, (a, b) in enumerate(zip(block, valid, strict=False)) if a != b), 0)
        guess = guess_encoding(block[first:]) or "Save it again, as CSV in UTF-8."
        return InputError(f"{self._path} is not in UTF-8.", self._for_me(guess))

    def _for_me(self, advice: str) -> str:
        return for_file(advice, self._path if isinstance(self._path, Path) else None)

    def _table(self, block: bytes, columns: list[str], skipped: bool) -> Any:
        import pyarrow as pa
        import pyarrow.csv

        return pa.csv.read_csv(
            pa.BufferReader(block),
            pa.csv.ReadOptions(
                use_threads=False,
                column_names=self.schema.names,
                skip_rows=int(skipped),
                block_size=min(len(block) + 1, (1 << 31) - 1),
            ),
            pa.csv.ParseOptions(
                delimiter=self._separator,
                quote_char='"' if self._quoted else False,
                newlines_in_values=self._quoted,
            ),
            pa.csv.ConvertOptions(
                column_types={name: pa.large_string() for name in columns},
                include_columns=columns,
                strings_can_be_null=False,
            ),
        )


def _is_quoted(head: bytes, whole: bool) -> bool:
    """Whether values of a TSV file are quoted as in a CSV file, by its beginning.

    Then its rows have the same number of values if they are read so, and there is a value with doubled
    quotation marks in quotation marks, or rows have different numbers of values if they are read otherwise.
    """
    if b'"' not in head:
        return False
    lines = head.decode("utf-8-sig", errors="replace").removesuffix("\n").split("\n")
    columns = lines[0].count("\t") + 1
    values = [line.removesuffix("\r").split("\t") for line in lines[: None if whole else -1]]
    differ = any(row != [""] and len(row) != columns for row in values)
    if not differ and not any(_has_doubled(value) for row in values for value in row):
        return False
    rows = csv.reader((f"{line}\n" for line in lines), delimiter="\t", strict=True)
    last = columns
    try:
        for row in rows:
            if last != columns:
                return False
            last = len(row) or columns
    except csv.Error:  # at the end, a value may have been cut
        return not whole and rows.line_num == len(lines) and last == columns
    return last == columns or not whole


def _has_doubled(value: str) -> bool:
    """Whether a value is in quotation marks, and those in it are doubled."""
    inside = value[1:-1]
    return (
        len(value) > 3
        and value[0] == value[-1] == '"'
        and '"' in inside
        and '"' not in inside.replace('""', "")
    )


def _separator_of(name: str, first: bytes) -> str:
    """What separates columns, by the name of the file and its first line."""
    if without_compression(name).endswith(".csv") and first.count(b";") > first.count(b","):
        return ";"
    return next(s for suffix, s in SEPARATORS.items() if without_compression(name).endswith(suffix))
