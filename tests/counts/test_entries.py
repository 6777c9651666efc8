"""Transposed matrices, in memory and in files."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from firth.compute import Engine
from firth.counts import Entries, _entries
from firth.store import Room
from tests.oracles import counting as oracle


@st.composite
def tables(draw: st.DrawFn) -> Any:
    """Small tables of counts, most of them zero."""
    shape = draw(st.tuples(st.integers(1, 8), st.integers(1, 12)))
    cells = st.sampled_from([0, 0, 0, 1, 2, 1 << 33])
    n = shape[0] * shape[1]
    return np.array(draw(st.lists(cells, min_size=n, max_size=n)), np.uint64).reshape(shape)


def entries_of(table: Any) -> Entries:
    """The entries of a table that are not zero."""
    rows, columns = np.nonzero(table)
    indptr = np.searchsorted(rows, np.arange(len(table) + 1)).astype(np.int64)
    return Entries(indptr, columns.astype(np.int32), table[rows, columns], table.shape)


def table_of(entries: Entries) -> Any:
    """The table of some entries; the columns of each row must rise."""
    table = np.zeros(entries.shape, entries.data.dtype)
    for row in range(len(table)):
        some = slice(entries.indptr[row], entries.indptr[row + 1])
        assert (np.diff(entries.indices[some]) > 0).all()
        table[row, entries.indices[some]] = entries.data[some]
    return table


@given(tables(), st.integers(1, 3), st.integers(1, 4))
def test_transposes(table: Any, threads: int, at_once: int) -> None:
    with patch.object(_entries, "_AT_ONCE", at_once):
        found = entries_of(table).transposed(Room(), Engine(threads))
    assert found.data.dtype == np.uint64
    assert table_of(found).tolist() == oracle.transposed(table.tolist())


@given(st.data(), st.integers(1, 6), st.integers(1, 3), st.integers(1, 3))
def test_blocks_are_transposed_in_another_order(
    data: st.DataObject, n: int, n_blocks: int, threads: int
) -> None:
    cells = st.lists(st.integers(0, 2), min_size=n * n * n_blocks, max_size=n * n * n_blocks)
    table = np.array(data.draw(cells)).reshape(n, n * n_blocks)
    order = np.array(data.draw(st.permutations(range(n))))
    first = n * data.draw(st.integers(0, n_blocks - 1))
    found = entries_of(table).transposed(Room(), Engine(threads), (first, first + n), order, float)
    assert found.data.dtype == np.float64
    block = table[:, first : first + n][np.ix_(order, order)]
    assert table_of(found).tolist() == oracle.transposed(block.tolist())
