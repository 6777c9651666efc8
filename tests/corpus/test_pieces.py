"""Pieces of a text, one after the other, are the whole of it."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firth.corpus import Reading, Source, _blocks, find_sources, pieces_of_sources
from firth.errors import InputError
from tests.oracles.pieces import pieces

TEXT = "one two\n\nthree\r\nfour five six\n\nséven"
READING = Reading()


def blocks(source: Source) -> list[_blocks.Block]:
    return list(source.blocks(READING))


def data_of(source: Source) -> bytes:
    return b"".join(block.data for block in blocks(source))


def places_of(source: Source) -> list[int]:
    """Where each line begins."""
    found: list[int] = []
    for block in blocks(source):
        if block.places is not None:
            found += block.places
        else:
            lines = block.data.splitlines(keepends=True)
            found += [block.place + sum(map(len, lines[:k])) for k in range(len(lines))]
    return found


def cut(source: Source, cuts: Sequence[int]) -> list[Source]:
    bounds = [0, *sorted(set(cuts)), None]
    return [replace(source, begin=a or 0, end=b) for a, b in pairwise(bounds)]


@given(
    st.lists(
        st.sampled_from([b"a", b"bc", b" ", b"\n", b"\r\n", b"\xef\xbb\xbf", "é".encode()])
    ).map(b"".join),
    st.lists(st.integers(1, 30)),
)
def test_pieces_are_the_lines_that_begin_in_them(
    tmp_path_factory: pytest.TempPathFactory, text: bytes, cuts: list[int]
) -> None:
    path = tmp_path_factory.getbasetemp() / "pieces.txt"
    path.write_bytes(text)
    whole = find_sources([path])[0]
    found = cut(whole, cuts)
    mark = b"\xef\xbb\xbf" if text.startswith(b"\xef\xbb\xbf") else b""
    expected = pieces(text, [piece.begin for piece in found])
    assert [data_of(piece) for piece in found] == [expected[0].removeprefix(mark), *expected[1:]]
    assert b"".join(map(data_of, found)) == data_of(whole)
    assert [place for piece in found for place in places_of(piece)] == places_of(whole)
    assert sum(piece.n_bytes for piece in found) == len(text)
    assert max(piece.extent for piece in found) == whole.extent == len(text)
    assert sum(piece.disk_size() for piece in found) == len(text)


@given(st.lists(st.text("ab\n\"'é", max_size=5)), st.lists(st.integers(1, 60)))
def test_pieces_of_json_lines(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], cuts: list[int]
) -> None:
    path = tmp_path_factory.getbasetemp() / "pieces.jsonl"
    path.write_text(
        "\n".join(json.dumps({"text": text}, ensure_ascii=False) for text in texts), "utf-8"
    )
    whole = find_sources([path])[0]
    found = cut(whole, cuts)
    assert b"".join(map(data_of, found)) == data_of(whole)
    assert [place for piece in found for place in places_of(piece)] == places_of(whole)
    assert max(piece.extent for piece in found) == whole.extent == path.stat().st_size


def test_large_plain_files_are_cut(text_file: Callable[..., Path]) -> None:
    import gzip

    lines = "one two three\n" * 100
    names = [
        text_file(lines, "a.txt"),
        text_file("{}\n" * 500, "b.jsonl"),
        text_file("small", "c.txt"),
        text_file(gzip.compress(lines.encode(), 0), "d.txt"),
        text_file(lines, "e.conllu"),
    ]
    sources = find_sources(names)
    assert pieces_of_sources(sources, 500) == [
        (0, 0, 500), (0, 500, 1000), (0, 1000, None),
        (1, 0, 500), (1, 500, 1000), (1, 1000, None),
        (2, 0, None), (3, 0, None), (4, 0, None),
    ]  # fmt: skip
    assert pieces_of_sources(find_sources(["-"]), 1) == [(0, 0, None)]
    assert pieces_of_sources(sources[2:3], 5) == [(0, 0, None)]


def test_a_file_of_one_line_falls_into_one_piece(text_file: Callable[..., Path]) -> None:
    source = find_sources([text_file("word " * 1000)])[0]
    found = [replace(source, begin=a, end=b) for _, a, b in pieces_of_sources([source], 700)]
    assert [len(data_of(piece)) for piece in found] == [5000] + [0] * 7


def test_nothing_at_the_start_of_a_piece_is_taken_for_that_of_a_file(
    text_file: Callable[..., Path],
) -> None:
    for head in (b"BZh9 is no archive", b"\x1f\x8b", b"%PDF", b"PK\x03\x04", b"\xef\xbb\xbfmark"):
        source = find_sources([text_file(b"one\n" + head + b"\n")])[0]
        assert data_of(replace(source, begin=2)) == head + b"\n"


def test_lines_of_a_piece_are_counted_from_its_first_byte(text_file: Callable[..., Path]) -> None:
    from firth.corpus import stream_tokens

    source = find_sources([text_file(b"one\ntwo\nthree\n\xff\n")])[0]
    with pytest.raises(InputError, match=r"text.txt from byte 5, line 2, byte 14: not valid UTF-8"):
        list(stream_tokens([replace(source, begin=5)], READING))
    records = find_sources([text_file('{"text": "a"}\n' * 3 + "oh\n", "a.jsonl")])[0]
    with pytest.raises(InputError, match=r"a.jsonl from byte 14, line 3: not valid JSON"):
        blocks(replace(records, begin=14))


def test_a_source_can_be_sent_to_another_process(text_file: Callable[..., Path]) -> None:
    source = find_sources([text_file(TEXT)])[0]
    reading = source.blocks(READING)
    next(reading)  # it is open now
    copy = pickle.loads(pickle.dumps(source))
    del reading
    assert data_of(copy) == TEXT.encode()
