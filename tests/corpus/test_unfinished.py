"""Reading that was interrupted continues, and gives the same bytes."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firth
from firth.corpus import _numbering, _pieces, _sources, _tokeniser
from firth.pipeline import learn_corpus
from tests.conftest import zipf_text


@pytest.fixture
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Files of several blocks, pieces and rests each, with sentences that go over their boundaries."""
    monkeypatch.setattr("firth.corpus._source_blocks._LARGE", 1)
    monkeypatch.setattr("firth.corpus._blocks.BLOCK", 1 << 12)
    monkeypatch.setattr(_numbering, "_BYTES_BETWEEN_RESTS", 1 << 14)
    monkeypatch.setattr(_pieces, "_SECONDS_BETWEEN_RESTS", -1.0)
    monkeypatch.setattr(_pieces, "_SMALLEST", 1 << 13)
    monkeypatch.setattr(_pieces, "_PIECE", 1 << 13)
    text = zipf_text(900).replace(".", "").encode()
    (tmp_path / "a.txt").write_bytes(text)
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(text[: len(text) // 2]))
    (tmp_path / "c.txt").write_bytes(text[len(text) // 3 :])
    return sorted(tmp_path.iterdir())


def files_of(model: Path) -> dict[str, bytes]:
    folder = firth.load(model).parts["corpus"].folder
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def unfinished(model: Path) -> list[Path]:
    return list((model / "corpus").glob(".unfinished*"))


@pytest.fixture
def cut(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Lets reading be interrupted when the tokeniser is called for the n-th time."""

    def arrange(n: int) -> None:
        real, left = _tokeniser.cut_block, [n]

        def interrupted(*args: Any) -> Any:
            left[0] -= 1
            if left[0] == 0:
                raise KeyboardInterrupt
            return real(*args)

        monkeypatch.setattr(_numbering, "cut_block", interrupted)

    return arrange


@pytest.mark.parametrize("how", [{}, {"threads": 3, "memory": "64M"}])
@pytest.mark.parametrize("split", ["lines", "none"])
def test_interrupted_reading_continues(
    texts: list[Path], tmp_path: Path, cut: Callable[[int], None], how: Any, split: str
) -> None:
    whole = learn_corpus(tmp_path / "whole", texts, split=split)
    model, counts = tmp_path / "model", []
    for _ in range(3):
        cut(9)
        with pytest.raises(KeyboardInterrupt):
            learn_corpus(model, texts, split=split, **how)
        [folder] = unfinished(model)
        counts.append((folder / "ids.u32").stat().st_size)
    cut(1000)
    learned = learn_corpus(model, texts, split=split, **how)
    assert files_of(learned.path) == files_of(whole.path)
    assert counts[0] < counts[1] < counts[2], "each run went on where the last one stopped"
    assert not unfinished(model)


@pytest.mark.parametrize("n", [20, 30])
def test_reading_in_pieces_continues(
    texts: list[Path], tmp_path: Path, cut: Callable[[int], None], n: int
) -> None:
    whole = learn_corpus(tmp_path / "whole", texts)
    cut(n)
    with pytest.raises(KeyboardInterrupt):
        learn_corpus(tmp_path / "model", texts, skip_bad=True)
    assert len(unfinished(tmp_path / "model")) == 1
    cut(1000)
    learned = learn_corpus(tmp_path / "model", texts, skip_bad=True)
    assert files_of(learned.path) == files_of(whole.path)


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Text is read in pieces, as on a cluster; the file and the first byte of each that was read."""
    monkeypatch.setattr("firth.corpus._build.in_pieces", lambda *_: True)
    monkeypatch.setattr("firth.corpus.in_pieces", lambda *_: True)
    real, read = _pieces.read_piece, []

    def watched(piece: Any, *args: Any) -> Any:
        read.append((Path(piece.path).name, int(piece.begin or 0)))
        return real(piece, *args)

    monkeypatch.setattr(_pieces, "read_piece", watched)
    return read


def broken(texts: list[Path]) -> Path:
    """The last of some files, which are large; the last but one of its pieces is not UTF-8."""
    path = texts[-1]
    text = path.read_bytes()
    path.write_bytes(text[: -(1 << 13)] + b"\xff\xfe\n" + text[-(1 << 13) :])
    return path


def test_skipping_a_bad_file_continues_after_an_error(
    texts: list[Path], tmp_path: Path, pieces: list[tuple[str, int]]
) -> None:
    """Also if some pieces of the file were kept; what comes after it must not mix with them."""
    path = broken(texts)
    after = tmp_path / "d.txt"
    after.write_text(zipf_text(300), encoding="utf-8")
    whole = learn_corpus(tmp_path / "whole", [*texts[:-1], after])
    model, all_ = tmp_path / "model", [*texts, after]
    with pytest.raises(firth.InputError, match="c.txt") as error:
        learn_corpus(model, all_, threads=1)
    assert "--skip-bad" in str(error.value.hint)
    assert len([1 for name, _ in pieces if name == path.name]) > 2, "it was read in part"
    pieces.clear()
    learned = learn_corpus(model, all_, threads=1, skip_bad=True)
    assert files_of(learned.path) == files_of(whole.path)
    assert not [1 for name, _ in pieces if name in ("a.txt", "b.txt.gz")]
    assert ("c.txt", 0) not in pieces, "it went on in the midst of the file"


@pytest.mark.parametrize("again", [True, False])
def test_a_file_that_was_skipped_is_not_kept(
    texts: list[Path], tmp_path: Path, pieces: list[tuple[str, int]], again: bool
) -> None:
    """Interrupted after a file of which a checkpoint had some pieces; without ``skip_bad`` it is an error."""
    path = broken(texts)
    after = tmp_path / "d.txt"
    after.write_text(zipf_text(300), encoding="utf-8")
    whole = learn_corpus(tmp_path / "whole", [*texts[:-1], after])
    model, all_ = tmp_path / "model", [*texts, after]
    real = _pieces.read_piece

    def interrupted(piece: Any, *args: Any) -> Any:
        if Path(piece.path) == path and piece.begin:  # no more rests but those that must be
            patched.setattr(_pieces, "_SECONDS_BETWEEN_RESTS", 1e9)
        if Path(piece.path) == after and piece.begin:
            raise KeyboardInterrupt
        return real(piece, *args)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_pieces, "read_piece", interrupted)
        with pytest.raises(KeyboardInterrupt):
            learn_corpus(model, all_, threads=1, skip_bad=True)
    pieces.clear()
    if not again:
        with pytest.raises(firth.InputError, match=path.name):
            learn_corpus(model, all_, threads=1)
        return
    learned = learn_corpus(model, all_, threads=1, skip_bad=True)
    assert files_of(learned.path) == files_of(whole.path)
    assert {name for name, _ in pieces} == {"d.txt"}


@pytest.mark.parametrize("skip_bad", [True, False])
def test_text_that_is_read_otherwise_begins_anew(
    texts: list[Path], tmp_path: Path, cut: Callable[[int], None], skip_bad: bool
) -> None:
    """A checkpoint of pieces says nothing to a reader of blocks."""
    whole = learn_corpus(tmp_path / "whole", texts)
    cut(30)
    with pytest.raises(KeyboardInterrupt):
        learn_corpus(tmp_path / "model", texts, skip_bad=skip_bad)
    assert len(unfinished(tmp_path / "model")) == 1
    cut(1000)
    learned = learn_corpus(tmp_path / "model", texts, skip_bad=not skip_bad)
    assert files_of(learned.path) == files_of(whole.path)


def test_what_was_read_is_not_tokenised_again(
    texts: list[Path], tmp_path: Path, cut: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []
    real = _tokeniser.cut_block
    monkeypatch.setattr(_numbering, "cut_block", lambda *args: calls.append(1) or real(*args))  # type: ignore[func-returns-value]
    learn_corpus(tmp_path / "whole", texts)
    n_blocks = len(calls)
    cut(n_blocks - 2)
    with pytest.raises(KeyboardInterrupt):
        learn_corpus(tmp_path / "model", texts)
    calls.clear()
    monkeypatch.setattr(_numbering, "cut_block", lambda *args: calls.append(1) or real(*args))  # type: ignore[func-returns-value]
    learn_corpus(tmp_path / "model", texts)
    assert len(calls) < n_blocks / 2


@pytest.mark.parametrize("name", ["reading", "lists/0.arrow", "ids.u32", "ends.i64"])
def test_damaged_checkpoints_are_not_used(
    texts: list[Path], tmp_path: Path, cut: Callable[[int], None], name: str
) -> None:
    whole = learn_corpus(tmp_path / "whole", texts)
    model = tmp_path / "model"
    cut(30)
    with pytest.raises(KeyboardInterrupt):
        learn_corpus(model, texts)
    [folder] = unfinished(model)
    (folder / name).write_bytes((folder / name).read_bytes()[:100])
    cut(1000)
    learned = learn_corpus(model, texts)
    assert files_of(learned.path) == files_of(whole.path)


def test_numbers_of_no_word_are_refused(
    texts: list[Path], tmp_path: Path, cut: Callable[[int], None]
) -> None:
    model = tmp_path / "model"
    cut(30)
    with pytest.raises(KeyboardInterrupt):
        learn_corpus(model, texts)
    [folder] = unfinished(model)
    ids = np.fromfile(folder / "ids.u32", np.uint32)
    ids[5] = 1 << 31
    ids.tofile(folder / "ids.u32")
    cut(1000)
    with pytest.raises(firth.InputError, match="cannot be read again"):
        learn_corpus(model, texts)


def test_other_text_begins_anew(
    texts: list[Path], tmp_path: Path, cut: Callable[[int], None]
) -> None:
    model = tmp_path / "model"
    cut(30)
    with pytest.raises(KeyboardInterrupt):
        learn_corpus(model, texts)
    texts[0].write_text("quite other text\n" * 500, encoding="utf-8")
    cut(1000)
    learned = learn_corpus(model, texts)
    assert files_of(learned.path) == files_of(learn_corpus(tmp_path / "whole", texts).path)
    assert _sources.Source("x", "text", texts[0]).state() is not None
