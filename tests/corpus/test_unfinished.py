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
    monkeypatch.setattr("firth.corpus._sources._LARGE", 1)
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
        real, left = _tokeniser.cut, [n]

        def interrupted(*args: Any) -> Any:
            left[0] -= 1
            if left[0] == 0:
                raise KeyboardInterrupt
            return real(*args)

        monkeypatch.setattr(_numbering, "cut", interrupted)

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
def test_files_that_may_be_skipped_are_kept_as_a_whole(
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
    real = _tokeniser.cut
    monkeypatch.setattr(_numbering, "cut", lambda *args: calls.append(1) or real(*args))  # type: ignore[func-returns-value]
    learn_corpus(tmp_path / "whole", texts)
    n_blocks = len(calls)
    cut(n_blocks - 2)
    with pytest.raises(KeyboardInterrupt):
        learn_corpus(tmp_path / "model", texts)
    calls.clear()
    monkeypatch.setattr(_numbering, "cut", lambda *args: calls.append(1) or real(*args))  # type: ignore[func-returns-value]
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
