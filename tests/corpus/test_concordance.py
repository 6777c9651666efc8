"""The concordance shows the original text where it is still there, else the words."""

from __future__ import annotations

import gzip
import json
import os
import threading
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

import firth
from firth import progress
from firth.corpus import _concordance as concordances
from firth.corpus import _original_text as original_text
from firth.corpus._concordance import positions_of
from firth.errors import ParameterError, WordError
from tests import strategies

TEXT = "“The  cat,” she said, “didn't sit.”\r\nA dog sat; the CAT slept.\n"


def shown(corpus: firth.Corpus, word: str, **options: Any) -> list[tuple[str, str, str, bool]]:
    return [(hit.left, hit.word, hit.right, hit.original) for hit in corpus.find(word, **options)]


def test_original_text_is_shown(text_file: Callable[..., Path]) -> None:
    corpus = firth.Corpus.from_files(text_file(TEXT))
    assert shown(corpus, "cat") == [("“The  ", "cat", ",” she said, “didn't sit.”", True)]
    assert shown(corpus, "n't", width=7) == [("d, “did", "n't", " sit.”", True)]
    assert shown(corpus, "n't", width=0) == [("", "n't", "", True)]
    hit = corpus.find("dog")[0]
    assert (hit.sentence, hit.place) == (1, TEXT.encode().index(b"A dog"))


def test_folded_words_are_found_in_the_original_text(text_file: Callable[..., Path]) -> None:
    corpus = firth.Corpus.from_files(
        text_file(TEXT + "In 1999 e\u0301t\u0301e\n"), lowercase=True, digits="zero"
    )
    assert [(w, o) for _, w, _, o in shown(corpus, "cat")] == [("cat", True), ("CAT", True)]
    assert [(w, o) for _, w, _, o in shown(corpus, "0000")] == [("1999", True)]


def test_words_are_shown_where_the_source_is_gone_or_has_changed(
    text_file: Callable[..., Path],
) -> None:
    path = text_file(TEXT)
    corpus = firth.Corpus.from_files(path)
    path.write_text(TEXT + "!")
    assert [original for *_, original in shown(corpus, "cat")] == [False]
    path.write_text(TEXT.replace("cat", "cow"))
    assert shown(corpus, "cat") == [("“ The ", "cat", " , ” she said , “ did n't sit . ”", False)]
    assert shown(corpus, "cat", width=0) == [("", "cat", "", False)]
    assert shown(corpus, "cat", width=5) == [(" The ", "cat", " , ” ", False)]
    path.unlink()
    assert [original for *_, original in shown(corpus, "sat")] == [False]


def test_compressed_json_and_tables_are_read_again(
    text_file: Callable[..., Path], tmp_path: Path
) -> None:
    lines = [f"line {i} has  a cat{i}, here" for i in range(3000)]
    data = "\n".join(lines).encode()
    wanted = [("line 2999 has  a ", "cat2999", ", here", True)]
    assert (
        shown(firth.Corpus.from_files(text_file(gzip.compress(data), "a.gz")), "cat2999") == wanted
    )
    records = "\n".join(json.dumps({"text": f"one\n{line}"}) for line in lines)
    corpus = firth.Corpus.from_files(text_file(records, "a.jsonl"))
    assert shown(corpus, "cat2999") == wanted
    assert shown(corpus, "cat1") == [("line 1 has  a ", "cat1", ", here", True)]
    pq.write_table(pa.table({"text": lines}), tmp_path / "a.parquet")
    assert shown(firth.Corpus.from_files(tmp_path / "a.parquet"), "cat2999") == wanted


def test_a_source_is_shown_only_if_it_is_the_very_file(text_file: Callable[..., Path]) -> None:
    """A model from elsewhere may name any file as its source, and words that would fit it."""
    corpus = firth.Corpus.from_files(text_file("root sat\n"))
    assert [original for *_, original in shown(corpus, "root")] == [True]
    secret = text_file("root:hunter2\n", "secret.txt")
    for told in ({}, {"n_bytes": secret.stat().st_size}, {"sha256": None}):
        corpus.sources[0] |= {"path": str(secret), **told}
        assert [(right, original) for *_, right, original in shown(corpus, "root")] == [
            (" sat", False)
        ]


def finished(work: Callable[[], Any], seconds: float = 10) -> Any:
    """The result of work that must not hang."""
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(work()), daemon=True)
    thread.start()
    thread.join(seconds)
    assert found, "it hangs, or it failed"
    return found[0]


@pytest.mark.parametrize("place", [1 << 62, (1 << 62) + 1, (1 << 63) - 1, 1000])
def test_positions_beyond_a_source_are_no_positions(
    text_file: Callable[..., Path], place: int
) -> None:
    corpus = firth.Corpus.from_files(text_file("the cat\nthe dog\nthe cow\n"))
    corpus.places = np.array([0, 8, place])
    for extent in (24, 1 << 62, 10**30, 0):
        corpus.sources[0]["extent"] = extent
        told = finished(lambda: shown(corpus, "the"))
        assert [right for _, _, right, _ in told] == [" cat", " dog", " cow"]
        assert [original for *_, original in told] == [extent > 0, extent > 0, False]
    corpus.sources.append({**corpus.sources[0], "extent": 10**30})
    assert len(finished(lambda: shown(corpus, "the"))) == 3


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
@pytest.mark.parametrize("swapped", [False, True])
def test_a_pipe_or_a_device_is_not_opened(
    text_file: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, swapped: bool
) -> None:
    """Nor if it takes the place of a file just before the file is opened."""
    source = text_file("the cat sat\n")
    corpus = firth.Corpus.from_files(source)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    like = source.stat()
    if swapped:
        monkeypatch.setattr(Path, "stat", lambda *_, **__: like)
    for path in [str(pipe)] if swapped else [str(pipe), "/dev/zero", "/dev/tty", "/proc/kmsg"]:
        corpus.sources[0]["path"] = path
        assert finished(lambda: shown(corpus, "cat")) == [("the ", "cat", " sat", False)]
    corpus.sources[0] |= {"path": "/proc/kmsg", "n_bytes": 0}
    assert finished(lambda: shown(corpus, "cat")) == [("the ", "cat", " sat", False)]


def test_a_link_to_a_text_is_followed(text_file: Callable[..., Path], tmp_path: Path) -> None:
    link = tmp_path / "link.txt"
    link.symlink_to(text_file(TEXT))
    assert [original for *_, original in shown(firth.Corpus.from_files(link), "cat")] == [True]


def test_a_large_source_is_compared_word_by_word(
    text_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its checksum is not computed, so a line is shown only if all that it shows was learned."""
    monkeypatch.setattr(original_text, "_CHECKED_LIMIT", 0)
    monkeypatch.setattr(original_text, "_checksum", None)
    lines = ["root  sat down\n", "the root, sat\n", "a root\n"]
    path = text_file("".join(lines))
    corpus = firth.Corpus.from_files(path)
    assert [(right, original) for *_, right, original in shown(corpus, "root")] == [
        ("  sat down", True),
        (", sat", True),
        ("", True),
    ]
    changed = ["root  hat down\n", "the root, sap\n", "a root\n"]
    path.write_text("".join(changed))
    assert [(right, original) for *_, right, original in shown(corpus, "root")] == [
        (" sat down", False),
        (" , sat", False),
        ("", True),
    ]
    assert [right for *_, right, original in shown(corpus, "root", width=4) if original] == [
        ", sa",
        "",
    ], "only what is shown is compared"


@pytest.mark.parametrize("how", [{"lowercase": True}, {"digits": "zero"}])
def test_a_large_source_whose_words_were_changed_needs_its_checksum(
    text_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, how: dict[str, Any]
) -> None:
    monkeypatch.setattr(original_text, "_CHECKED_LIMIT", 0)
    path = text_file("the PIN is 1234\n")
    corpus = firth.Corpus.from_files(path, **how)
    assert not shown(corpus, "is", quick=True)[0][3], "it is not computed in a hurry"
    assert shown(corpus, "is")[0][3]
    assert shown(corpus, "is", quick=True)[0][3], "but used if it is known"
    path.write_text("the pin is 4321\n")
    os.utime(path, ns=(1, 1))
    assert not shown(corpus, "is")[0][3]
    path.write_text("the PIN is 1234\n")
    os.utime(path, ns=(2, 2))
    original_text.check_large_sources(corpus)
    assert shown(corpus, "is", quick=True)[0][3]


def test_a_search_can_be_cancelled(text_file: Callable[..., Path]) -> None:
    corpus = firth.Corpus.from_files(text_file(TEXT * 10))
    wanted = iter([True] * 6)
    with progress.while_wanted(lambda: next(wanted, False)), pytest.raises(progress.CancelledError):
        corpus.find("cat")


def test_one_broken_record_does_not_hide_the_others(
    text_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(original_text, "_CHECKED_LIMIT", 0)  # as with very large files
    records = ['\ufeff{"text": "one cat"}', '{"text": "two cat"}', '{"text": "three cat"}']
    path = text_file("\n".join(records), "a.jsonl")
    corpus = firth.Corpus.from_files(path)
    path.write_text("\n".join([records[0], records[1].replace('"two', " two"), records[2]]))
    assert [original for *_, original in shown(corpus, "cat")] == [True, False, True]


def test_a_long_line_that_is_cut_within_a_word(
    text_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(concordances, "_QUICK_TEXT_LIMIT", 16)
    corpus = firth.Corpus.from_files(text_file("the cat sat été été été\n"))
    assert shown(corpus, "cat", quick=True) == [("the ", "cat", " sat ét", True)]


@pytest.mark.slow
def test_many_hits_in_a_large_text_are_read_little_by_little(
    text_file: Callable[..., Path],
) -> None:
    corpus = firth.Corpus.from_files(text_file("a cat sat on the mat\n" * 200_000))
    tracemalloc.start()
    hits = corpus.find("cat", n=5000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert all(hit.original for hit in hits)
    assert peak < 100e6, "not the rest of the file for every hit"


def test_lines_at_given_places_in_any_order() -> None:
    corpus = firth.Corpus.from_sentences([["a", "rose", "is", "a", "rose"], ["no", "rose"]])
    hits = corpus.lines([6, 1, 4, 1], [7, 2, 5, 4])
    assert [(hit.left, hit.word, hit.right) for hit in hits] == [
        ("no ", "rose", ""), ("a ", "rose", " is a rose"), ("a rose is a ", "rose", ""),
        ("a ", "rose is a", " rose"),
    ]  # fmt: skip
    assert corpus.lines([], []) == []


@pytest.mark.parametrize("gone", [False, True])
def test_context_in_words_characters_and_sentences(
    text_file: Callable[..., Path], gone: bool
) -> None:
    path = text_file("One two. Three  four five, six seven. Eight.\nNine ten.\n")
    corpus = firth.Corpus.from_files(path, split="sentences")
    if gone:
        path.unlink()
    assert corpus.words_between(4, 6) == ["four", "five"]

    def shown(context: int | str) -> tuple[str, str, str]:
        (hit,) = corpus.lines([4], [6], context)
        assert hit.original is not gone
        assert hit.word == "four five"
        return hit.left, hit.word, hit.right

    blank, blanks = (" ", " ") if gone else ("", "  ")
    assert shown(0) == ("", "four five", "")
    assert shown(1) == shown("1") == (f"Three{blanks}", "four five", f"{blank},")
    assert shown("2") == (f"Three{blanks}", "four five", f"{blank}, six")
    whole = (f"Three{blanks}", "four five", f"{blank}, six seven{blank}.")
    assert shown(100) == shown("sentence") == whole
    assert shown("100c") == (*whole[:2], whole[2] + " " * (not gone))
    assert shown("4c") == (whole[0][-4:], "four five", whole[2][:4])
    for wrong in ("x", "-1", "1.5", "c", True, None):
        with pytest.raises(ParameterError, match="such as 20c, or sentence"):
            corpus.lines([0], [1], wrong)  # type: ignore[arg-type]


def test_hits_are_spread_evenly(text_file: Callable[..., Path]) -> None:
    corpus = firth.Corpus.from_files(text_file("".join(f"x {i}\n" for i in range(100))))
    assert [hit.sentence for hit in corpus.find("x", n=5)] == [0, 24, 49, 74, 99]
    assert len(corpus.find("x", n=1000)) == 100
    with pytest.raises(WordError):
        corpus.find("y")
    with pytest.raises(ParameterError, match="'n' parameter of Corpus.find"):
        corpus.find("x", n=0)


@settings(max_examples=60)
@given(text=strategies.texts)
@pytest.mark.slow
def test_every_word_is_found_in_its_original_text(
    text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("find") / "text.txt"
    path.write_bytes(b"first\n" + text.encode())
    corpus = firth.Corpus.from_files(path, split="sentences")
    for word_id, word in enumerate(corpus.vocabulary):
        hits = corpus.find(word, n=1000)
        assert (
            len(hits) == corpus.vocabulary.counts[word_id] == len(positions_of(corpus.ids, word_id))
        )
        assert all(hit.original and hit.word == word for hit in hits)
