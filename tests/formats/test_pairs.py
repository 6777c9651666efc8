"""Files of pairs of words with counts."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firth.errors import InputError
from firth.formats import ObjectTable, read_pairs

TextFile = Callable[..., Path]
TEXT = "apple eat 3\ntea drink 2\napple peel 1\n\napple eat 4\n"


def as_counts(table: ObjectTable) -> dict[tuple[str, str], float]:
    assert table.names is not None
    assert table.columns is not None
    matrix = table.rows.tocoo()
    return {
        (table.names[i], table.columns[j]): float(x)
        for i, j, x in zip(matrix.row, matrix.col, matrix.data, strict=True)
    }


def test_pairs(text_file: TextFile) -> None:
    table = read_pairs(text_file(TEXT))
    assert (table.names, table.columns) == (["apple", "tea"], ["eat", "drink", "peel"])
    assert (table.counts, table.words) == ([8, 2], False)
    assert table.rows.format == "csr"
    assert table.rows.toarray().tolist() == [[7, 0, 1], [0, 2, 0]]
    assert as_counts(read_pairs(str(text_file(TEXT)))) == as_counts(table)


def test_columns_between_tabs_and_blanks(text_file: TextFile) -> None:
    table = read_pairs(text_file("\ufeffice cream\teat up\t2\r\nice cream\t eat up \t1\r\n"))
    assert as_counts(table) == {("ice cream", "eat up"): 3}
    table = read_pairs(text_file("  apple   eat \napple\teat"))
    assert as_counts(table) == {("apple", "eat"): 2}
    assert read_pairs(text_file("10\u00a0000 count")).names == ["10\u00a0000"]


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_files(compress: Callable[[bytes], bytes], text_file: TextFile) -> None:
    assert read_pairs(text_file(compress(TEXT.encode()), "pairs.packed")).counts == [8, 2]


WORDS = st.text("ab cß\u00a0", min_size=1, max_size=3).filter(lambda w: w == w.strip(" ") != "")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(pairs=st.lists(st.tuples(WORDS, WORDS, st.integers(1, 2**40)), min_size=1, max_size=12))
def test_counts_are_added_up(pairs: list[tuple[str, str, int]], text_file: TextFile) -> None:
    expected: Counter[tuple[str, str]] = Counter()
    for first, second, count in pairs:
        expected[first, second] += count
    table = read_pairs(text_file("".join(f"{a}\t{b}\t{n}\n" for a, b, n in pairs)))
    assert as_counts(table) == expected
    assert table.names == list(dict.fromkeys(a for a, _, _ in pairs))
    assert table.columns == list(dict.fromkeys(b for _, b, _ in pairs))


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("apple eat\ntea\n", "Line 2 of .* has only one column", "two words and perhaps a count"),
        ("a b 1 x", "Line 1 of .* has 4 columns", "two words"),
        ("a b 1\n\nc d", "Line 3 of .* has 2 columns; the lines before have 3", "in every line, or in none"),
        ("a b\nc d 1", "Line 2 of .* has 3 columns; the lines before have 2", "in every line"),
        ("a\t\t3", "Line 1 of .*: the second word is empty", "two words"),
        ("\tb\t3", "Line 1 of .*: the first word is empty", "two words"),
        ("a b 0", "Line 1 of .*: '0' is not a count", "a whole number above zero"),
        ("a b -1", "'-1' is not a count", "above zero"),
        ("a b 1.5", "'1.5' is not a count", "above zero"),
        ("a b ٣", "'٣' is not a count", "above zero"),
        ("ice cream eat", "'eat' is not a count", "need tabs"),
        ("a b " + "9" * 50, "Line 1 of .*: '9{37}...' is not a count", "whole number"),
        ("a b 9007199254740992\na b 1", "Line 2 of .*: the count of this pair is too large", None),
        ("", "has no pairs in it", "two words"),
        (" \n\n", "has no pairs in it", "two words"),
        (b"a b\n\xff\xfe c\n", "Line 2 of .* is not in UTF-8", "iconv"),
    ],
    ids=range(16),
)  # fmt: skip
def test_wrong_lines_are_told(
    text: str | bytes, message: str, hint: str | None, text_file: TextFile
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read_pairs(text_file(text))
    assert (hint or "") in str(caught.value.hint or "")
    assert (hint is None) == (caught.value.hint is None)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no file"):
        read_pairs(tmp_path / "nothing.txt")
    with pytest.raises(InputError, match="is a folder"):
        read_pairs(tmp_path)
