"""Counting against the oracle, and the same bytes whatever the threads and the memory."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import firth
from firth.compute import Engine
from firth.counts import CountsParameters, _count, _laying_out, _panels
from firth.counts._layout import Layout, Stretch
from firth.errors import InputError, ParameterError
from firth.parameters import parse_memory
from firth.store import Part
from tests.conftest import zipf_text
from tests.oracles import counting as oracle

SENTENCES = st.lists(
    st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=12), min_size=1, max_size=8
)

BOTH: dict[str, list[oracle.Kind]] = {
    "bag2+LR1/3": [((-2, -1, 1, 2), True, 1), ((-1, 1), False, 3)],
    "bag1+R2": [((-1, 1), True, 1), ((1, 2), False, 1)],
    "bag1+L1/8": [((-1, 1), True, 1), ((-1,), False, 8)],
}


@pytest.mark.slow
@settings(max_examples=200)
@given(
    sentences=SENTENCES,
    contexts=st.sampled_from(
        ["R1", "L1", "LR1", "LR2", "bag1", "bag3", "bag5", "-3,1", "2", *BOTH]
    ),
    weights=st.sampled_from(["none", "distance", "dynamic"]),
    min_count=st.integers(1, 3),
    vocabulary=st.sampled_from([None, 1, 3]),
    across=st.booleans(),
    threads=st.sampled_from([1, 2]),
    chunk=st.sampled_from([1, 2, 7, 1 << 20]),
    entries=st.sampled_from([1, 1 << 20]),
)
def test_counts_are_those_of_the_oracle(
    sentences: list[list[str]], contexts: str, weights: Any, min_count: int, vocabulary: int | None,
    across: bool, threads: int, chunk: int, entries: int, tmp_path_factory: pytest.TempPathFactory,
) -> None:  # fmt: skip
    corpus = firth.Corpus.from_sentences(sentences)
    parameters = CountsParameters(contexts, weights, min_count, vocabulary, across)
    n_kept = corpus.vocabulary.n_kept(min_count, vocabulary)
    if n_kept == 0:
        with pytest.raises(InputError, match="No word occurs"):
            Layout.of(corpus, parameters, Engine(threads))
        return
    layout = Layout.of(corpus, parameters, Engine(threads))
    ids = [corpus.vocabulary.ids(s) for s in sentences]
    if across:
        ids = [[i for s in ids for i in s]]
    one: oracle.Kind = (layout.contexts.offsets, layout.contexts.bag, 1)
    expected = oracle.count_kinds(
        ids, n_kept, layout.n_rows, BOTH.get(contexts, [one]), weights  # type: ignore[arg-type]
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("counts")
    if not any(map(any, expected)):
        with pytest.raises(InputError, match="nothing to count"):
            _count._build(corpus, layout, folder, chunk, entries)
        return
    _count._build(corpus, layout, folder, chunk, entries)
    counts = firth.Counts.load(Part.in_folder(folder, parameters.parameters()))
    assert not [p for p in folder.iterdir() if p.is_dir()], "runs are removed"
    got = counts.matrix.toarray()
    assert (
        got == np.array([[x * counts.scale for x in row] for row in expected], dtype=object)
    ).all()
    assert counts.matrix.has_sorted_indices
    assert (counts.matrix.data > 0).all()
    assert counts.columns.tolist() == got.sum(axis=0).tolist()
    assert (
        counts.rows.tolist()
        == got.reshape(layout.n_rows, counts.contexts.n_blocks, -1).sum(axis=2).tolist()
    )
    assert counts.has_rare == (n_kept < corpus.n_types)
    assert int(counts.word_counts.sum()) == corpus.n_tokens
    assert list(counts.vocabulary) == list(corpus.vocabulary)[:n_kept]


@settings(max_examples=25)
@given(
    sentences=SENTENCES,
    contexts=st.sampled_from(["R1", "LR2", "bag5"]),
    vocabulary=st.sampled_from([None, 3]),
    across=st.booleans(),
    n_pieces=st.integers(1, 6),
    data=st.data(),
)
def test_pieces_of_text_are_laid_out_as_one(
    sentences: list[list[str]], contexts: str, vocabulary: int | None, across: bool, n_pieces: int,
    data: st.DataObject,
) -> None:  # fmt: skip
    corpus = firth.Corpus.from_sentences(sentences)
    parameters = CountsParameters(contexts, "none", 1, vocabulary, across)
    layout = Layout.of(corpus, parameters, Engine(2))
    begin = data.draw(st.integers(0, corpus.n_tokens - 1))
    end = data.draw(st.integers(begin + 1, corpus.n_tokens))
    first = data.draw(st.integers(0, layout.n_rows - 1))
    last = data.draw(st.integers(first + 1, layout.n_rows))
    with patch.object(_laying_out, "_n_pieces", lambda *_: n_pieces):
        stretch = Stretch.of(corpus, layout, begin, end)
        tokens, starts, places = _laying_out.lay_out(layout, stretch)
        some = _laying_out.lay_out(layout, stretch, (first, last))
    ids = [corpus.vocabulary.ids(s) for s in sentences]
    if across:
        ids = [[i for s in ids for i in s]]
    expected = oracle.laid_out(
        ids, layout.n_kept, layout.n_rows, layout.contexts.reach, begin, end  # type: ignore[arg-type]
    )  # fmt: skip
    assert tokens.tolist() == expected[0]
    assert [places[a:b].tolist() for a, b in pairwise(starts)] == expected[1]
    wanted = [x if first <= k < last else [] for k, x in enumerate(expected[1])]
    assert some[0].tolist() == expected[0]
    assert [some[2][a:b].tolist() for a, b in pairwise(some[1])] == wanted


@settings(max_examples=25)
@given(
    sentences=SENTENCES,
    contexts=st.sampled_from(["R1", "LR2", "bag5"]),
    n_groups=st.integers(1, 5),
    entries=st.integers(1, 9),
)
def test_rows_are_counted_in_any_groups(
    sentences: list[list[str]], contexts: str, n_groups: int, entries: int
) -> None:
    """As the workers of a cluster do it; groups and ranges have all rows, one after another."""
    corpus = firth.Corpus.from_sentences(sentences)
    layout = Layout.of(corpus, CountsParameters(contexts, min_count=1), Engine(1))
    whole = Stretch.of(corpus, layout, 0, corpus.n_tokens)
    with patch.object(_panels, "_ENTRIES_PER_PANEL", entries):
        groups = _panels.row_ranges(layout, n_groups)
    ranges = [some for group in groups for some in group]
    assert [a for a, _ in ranges] == [0, *(b for _, b in ranges[:-1])]
    assert ranges[-1][1] == layout.n_rows
    assert len(groups) <= n_groups
    *all_rows, sums = _panels.count_ranges(layout, whole, [(0, layout.n_rows)])
    found = [_panels.count_ranges(layout, whole, group) for group in groups]
    parts = [part for one in found for part in one[:-1]]
    for k, expected in enumerate(all_rows[0][1:], 1):
        np.testing.assert_array_equal(np.concatenate([part[k] for part in parts]), expected)
    sizes = np.concatenate([np.diff(part[0]) for part in parts])
    np.testing.assert_array_equal(sizes, np.diff(all_rows[0][0]))
    np.testing.assert_array_equal(np.concatenate([one[-1][0] for one in found]), sums[0])
    np.testing.assert_array_equal(np.sum([one[-1][1] for one in found], axis=0), sums[1])


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("contexts", ["LR2", "bag5"])
@pytest.mark.slow
def test_same_bytes_for_any_threads_and_memory(
    contexts: str, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    corpus = firth.Corpus.from_files(text_file(zipf_text(20_000)))
    parameters = CountsParameters(contexts, min_count=2)
    results = []
    rooms = [(1, 1 << 30, 1 << 20), (2, 1 << 30, 1 << 12), (2, 1 << 15, 1 << 16), (1, 1 << 15, 999)]
    for k, (threads, room, entries) in enumerate(rooms):
        folder = tmp_path / str(k)
        folder.mkdir()
        _count._build(corpus, Layout.of(corpus, parameters, Engine(threads)), folder, room, entries)
        results.append(files(folder))
    assert results[0] == results[1] == results[2] == results[3]
    public = tmp_path / "public"
    public.mkdir()
    _count.build_counts(corpus, parameters, public, "64M", Engine(2))
    assert files(public) == results[0]
    layout = Layout.of(corpus, parameters, Engine(2))
    assert len(list(_count._chunks(layout, corpus, 1 << 15))) > 5, (
        "the corpus does not fit into one chunk"
    )


def test_golden_counts_that_a_person_can_follow() -> None:
    corpus = firth.Corpus.from_sentences(
        [s.split() for s in ("the cat sat", "the dog sat", "a bird")]
    )
    counts = firth.count(corpus, contexts="LR1", min_count=2)
    assert list(counts.vocabulary) == ["sat", "the"]
    # rows and columns: sat, the, rare; first the word before, then the word after
    assert counts.matrix.toarray().tolist() == [
        [0, 0, 2, 0, 0, 0],  # before "sat": cat, dog
        [0, 0, 0, 0, 0, 2],  # after "the": cat, dog
        [0, 2, 1, 2, 0, 1],  # before cat and dog: the; before "bird": a; after: sat, sat, bird
    ]
    assert counts.block(1).toarray().tolist() == [[0, 0, 0], [0, 0, 2], [2, 0, 1]]
    assert counts.word_counts.tolist() == [2, 2, 4]
    assert repr(counts) == "<Counts of 2 words in LR1 contexts, 6 entries>"
    with pytest.raises(ParameterError, match="no block for offset 2"):
        counts.block(2)


def test_collocates_are_ordered_by_mutual_information() -> None:
    corpus = firth.Corpus.from_sentences(
        [["strong", "tea"]] * 6 + [["the", "tea"]] * 6 + [["the", "cup"]] * 20
    )
    counts = firth.count(corpus, contexts="LR1", min_count=1)
    found = counts.collocates("tea", -1)
    assert [(c.word, c.count) for c in found] == [("strong", 6)]
    # p(strong, tea) = 6/32, p(strong) = 6/32, p(tea) = 12/32 in these places
    assert found[0].pmi == pytest.approx(np.log2((6 / 32) / (6 / 32 * 12 / 32)))
    assert counts.collocates("tea", 1) == []
    bag = firth.count(corpus, contexts="bag1", min_count=1)
    assert bag.collocates("strong")[0].word == "tea"
    both = firth.count(corpus, contexts="bag2+LR1", min_count=1)
    assert both.collocates("tea", -1) == found
    assert (both.block(-1) != counts.block(-1)).nnz == 0
    with pytest.raises(ParameterError, match="no block for offset 2"):
        both.block(2)


def test_counts_beyond_32_bits_are_held(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    corpus = firth.Corpus.from_sentences([["a", "b"] * 300])
    layout = Layout.of(corpus, CountsParameters("bag20", "distance", 1), Engine(1))
    assert layout.data_type is np.uint64, "300 times the sum of weights is more than 2**32"
    _count._prepare(layout)
    _count._build(corpus, layout, tmp_path, 100, 1 << 20)
    how = CountsParameters("bag20", "distance", 1).parameters()
    counts = firth.Counts.load(Part.in_folder(tmp_path, how))
    expected = oracle.count(
        [[i % 2 for i in range(600)]], 2, 2, layout.contexts.offsets, True, "distance"
    )
    assert counts.matrix.toarray().tolist() == [
        [int(x * counts.scale) for x in row] for row in expected
    ]
    assert counts.matrix.toarray().max() > 1 << 32


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_count": 0}, "'min_count' parameter of count must be an int of at least 1. Got 0"),
        ({"vocabulary": 0}, "'vocabulary'"),
        (
            {"memory": "much"},
            "'memory' parameter of count must be a size such as 500M or 4G. Got 'much'",
        ),
        ({"memory": "1M"}, "at least 64M"),
        ({"threads": 0}, "'threads' parameter of count must be an int of at least 1"),
        ({"contexts": "up3"}, "must be like R1"),
    ],
)
def test_wrong_parameters_are_named(options: dict[str, Any], message: str) -> None:
    corpus = firth.Corpus.from_sentences([["a", "b"]])
    with pytest.raises(ParameterError, match=message):
        firth.count(corpus, **{"min_count": 1, **options})


@pytest.mark.parametrize(
    ("text", "n"), [("64M", 64 << 20), ("1.5 GB", 3 << 29), ("2gib", 2 << 30), (1 << 27, 1 << 27)]
)
def test_sizes_are_understood(text: Any, n: int) -> None:
    assert parse_memory(text) == n


def test_chunks_hold_no_more_than_the_room_with_blanks() -> None:
    corpus = firth.Corpus.from_sentences([["a"]] * 50 + [["b"] * 40] * 3)
    layout = Layout.of(corpus, CountsParameters("bag4", min_count=1), Engine(1))
    chunks = list(_count._chunks(layout, corpus, 60))
    assert [a for a, _ in chunks[1:]] == [b for _, b in chunks[:-1]]
    assert (chunks[0][0], chunks[-1][1]) == (0, corpus.n_tokens)
    for begin, end in chunks:
        ends = np.searchsorted(corpus.ends, [begin, end], side="right")
        assert end - begin + 4 * (ends[1] - ends[0]) <= 60


def test_memory_that_cannot_be_kept_to_is_refused() -> None:
    corpus = firth.Corpus.from_sentences([[f"w{i}" for i in range(3000)]])
    with pytest.raises(ParameterError, match="needs at least .* of memory") as error:
        firth.count(corpus, contexts="LR500", min_count=1, memory="64M")
    assert "fewer --threads" in str(error.value.hint)


def test_a_corpus_of_one_word_has_nothing_to_count() -> None:
    corpus = firth.Corpus.from_sentences([["one"]])
    with pytest.raises(InputError, match="nothing to count"):
        firth.count(corpus, min_count=1)
