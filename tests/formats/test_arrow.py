"""Parquet and Arrow files whose bytes are not what they say."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from firth.errors import InputError
from firth.formats import _arrow, _limits, limits, read_objects, read_vectors, table_records
from firth.formats._arrow_sizes import claimed_bytes

Write = Callable[..., Path]
Rows = list[tuple[int, str | None]]


def arrow(
    table: Any, stream: bool = False, compression: str | None = None, rows: int = 10
) -> bytes:
    buffer = io.BytesIO()
    make = pa.ipc.new_stream if stream else pa.ipc.new_file
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with make(buffer, table.schema, options=options) as writer:
        writer.write_table(table, rows)
    return buffer.getvalue()


def parquet(table: Any, **how: Any) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(table, buffer, **how)
    return buffer.getvalue()


def rows_of(path: Path) -> Rows:
    return list(table_records(path, "text"))


TEXTS = ["the cat", None, "é", "", "sat"] * 5
TABLE = pa.table({"n": range(25), "text": TEXTS})


@pytest.mark.parametrize(
    "data",
    [
        arrow(TABLE), arrow(TABLE, stream=True), arrow(TABLE, compression="zstd"),
        arrow(TABLE, compression="lz4"), parquet(TABLE), parquet(TABLE, row_group_size=7),
        parquet(TABLE, use_dictionary=False, compression="zstd"),
    ],
)  # fmt: skip
def test_texts_of_all_kinds_of_tables(data: bytes, text_file: Write) -> None:
    shares: list[float] = []
    found = list(table_records(text_file(data, "a.arrow"), "text", shares.append))
    assert found == list(enumerate(TEXTS))
    assert shares == sorted(shares)


OFFSETS = np.array([0, 3, 6, 9], "<i4").tobytes()
THREE = arrow(pa.table({"text": ["abc", "def", "ghi"], "x": [1.0, 2.0, 3.0]}))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (OFFSETS, np.array([0, 3, 6, 1 << 30], "<i4").tobytes()),
        (OFFSETS, np.array([0, -(1 << 30), 6, 9], "<i4").tobytes()),
        (OFFSETS, np.array([0, 9, 3, 9], "<i4").tobytes()),
        (b"abcdefghi", b"abcd\xffefhi"),
    ],
)
def test_offsets_and_texts_are_validated(old: bytes, new: bytes, text_file: Write) -> None:
    assert THREE.count(old) == 1
    path = text_file(THREE.replace(old, new), "a.arrow")
    with pytest.raises(InputError, match=r"a\.arrow is not a readable Parquet or Arrow file"):
        rows_of(path)
    with pytest.raises(InputError, match=r"a\.arrow is not a readable Parquet or Arrow file"):
        read_objects(path)


def test_indices_of_dictionaries_are_validated(text_file: Write) -> None:
    names = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2], pa.int32()), ["a", "b", "c"])
    data = arrow(pa.table({"name": names, "x": [1.0, 2.0, 3.0]}))
    indices = np.arange(3, dtype="<i4").tobytes() + bytes(4)
    assert read_objects(text_file(data, "a.arrow")).names == ["a", "b", "c"]
    assert data.count(indices) == 1  # the offsets of the dictionary go on with a 3
    wrong = data.replace(indices, np.array([0, 1, 1 << 28, 0], "<i4").tobytes())
    with pytest.raises(InputError, match="is not a readable Parquet or Arrow file"):
        read_objects(text_file(wrong, "b.arrow"))


MUTABLE: list[tuple[bytes, Callable[[Path], Any]]] = [
    (data, read)
    for table, read in (
        (TABLE, rows_of),
        (pa.table({"name": list("abc"), "x": [1.0, 2.0, 3.0]}), read_objects),
        (pa.table({"word": list("abc"), "vector": [[1.0, 2.0]] * 3, "count": [3, 2, 1]}), read_objects),
    )
    for data in (arrow(table), arrow(table, compression="zstd"), arrow(table, stream=True), parquet(table))
]  # fmt: skip
MUTABLE.append((parquet(pa.table({"word": list("abc"), "vector": [[1.0, 2.0]] * 3})), read_vectors))


def test_mutated_tables_are_read_or_refused(text_file: Write) -> None:
    chance = random.Random(1)
    n_refused = 0
    for _ in range(600):
        data, read = chance.choice(MUTABLE)
        mutated = bytearray(data)
        for _ in range(chance.choice([1, 1, 2, 5])):
            at = chance.randrange(len(mutated))
            mutated[at : at + 4] = chance.choice(
                [chance.randbytes(1), b"\xff" * 4, b"\xff\xff\xff\x7f", bytes(4), b""]
            )
        try:
            read(text_file(bytes(mutated), "a.arrow"))
        except InputError:
            n_refused += 1
    assert n_refused > 100


@pytest.fixture
def few_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Content of more than 1 MB is compared with the size of its file."""
    monkeypatch.setattr(_limits, "_UNCHECKED", 1_000_000)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("compression", ["zstd", "lz4", None])
def test_what_compressed_buffers_ask_for(stream: bool, compression: str | None) -> None:
    names = pa.array(["x" * 500, "y" * 500] * 50).dictionary_encode()
    table = pa.table({"text": ["a" * 1000] * 100, "n": range(100), "name": names})
    data = pa.py_buffer(arrow(table, stream, compression))
    asked = sum(claimed_bytes(data, stream))
    if compression is None:
        assert asked == 0
    else:
        assert table.nbytes <= asked < table.nbytes + 10_000


@pytest.mark.usefixtures("few_bytes")
def test_compressed_arrow_is_refused_before_it_is_decompressed(
    text_file: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = pa.table({"text": ["a" * 100_000] * 100})
    path = text_file(arrow(table, compression="zstd"), "a.arrow")
    with limits(max_ratio=10_000):
        assert len(rows_of(path)) == 100

    def fail(*_: Any, **__: Any) -> None:
        raise AssertionError("it was opened")

    monkeypatch.setattr(pa.ipc, "open_file", fail)
    with pytest.raises(InputError, match=r"a\.arrow is more than 1,000 times as large as the file"):
        rows_of(path)


@pytest.mark.usefixtures("few_bytes")
def test_a_text_that_parquet_repeats_does_not_fill_the_memory(text_file: Write) -> None:
    repeated = pa.DictionaryArray.from_arrays(pa.array([0] * 3000, pa.int32()), ["a" * (1 << 20)])
    data = parquet(
        pa.table({"text": repeated}), compression="zstd", store_schema=False,
        dictionary_pagesize_limit=1 << 22,
    )  # fmt: skip
    path = text_file(data, "a.parquet")
    with path.open("rb") as file:
        table = _arrow.TableFile(file, "a.parquet", kept=False)
        with limits(max_ratio=1_000_000):
            assert next(table.batches(["text"])).num_rows == 64
    with pytest.raises(InputError, match="the limit of --max-ratio"):
        rows_of(path)


@pytest.mark.usefixtures("few_bytes")
@pytest.mark.parametrize(
    "make", [parquet, lambda table: arrow(table, compression="zstd", rows=1_000_000)]
)
def test_objects_that_grow_too_much(make: Callable[[Any], bytes], text_file: Write) -> None:
    path = text_file(make(pa.table({"x": np.zeros(300_000)})), "a.parquet")
    with pytest.raises(InputError, match="is more than 100 times as large as the file, a tenth of"):
        read_objects(path)


def test_rows_that_take_no_room(text_file: Write) -> None:
    data = arrow(pa.table({"vector": pa.array([[]] * 33, pa.list_(pa.float64(), 0))}), rows=100)
    length = (33).to_bytes(8, "little")
    assert data.count(length) == 2  # of the batch, and of its column
    huge = data.replace(length, (1 << 40).to_bytes(8, "little"))
    with pytest.raises(InputError, match="is more than 100 times as large as the file"):
        read_objects(text_file(huge, "a.arrow"))


def test_a_text_in_a_table_is_a_record(text_file: Write) -> None:
    path = text_file(parquet(pa.table({"text": ["a", "b" * 2000]})), "a.parquet")
    with limits(max_line="1k"), pytest.raises(InputError) as error:
        rows_of(path)
    assert f"A text in rows 1 to 2 of {path} is longer than 1.02 kB" in error.value.message
