"""Counting that was interrupted continues after the last run that was complete."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firth
from firth.counts import _count, _rows
from firth.pipeline import learn_classes, learn_corpus, learn_counts
from tests.conftest import zipf_text


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model whose text is counted in several chunks."""
    (tmp_path / "text.txt").write_text(zipf_text(400), encoding="utf-8")
    learn_corpus(tmp_path / "model", tmp_path / "text.txt")
    monkeypatch.setattr(_count, "cells_at_once", lambda *_: 1000)
    return tmp_path / "model"


def cut(monkeypatch: pytest.MonkeyPatch, n: int) -> list[int]:
    """Interrupts the n-th chunk that is counted; returns a list of the chunks that were begun."""
    real, begun = _rows.count_stretch, []

    def interrupted(layout: Any, stretch: Any, *args: Any) -> Any:
        begun.append(stretch.begin)
        if len(begun) == n:
            raise KeyboardInterrupt
        return real(layout, stretch, *args)

    monkeypatch.setattr(_count, "count_stretch", interrupted)
    return begun


def files_of(model: Path, part: str) -> dict[str, bytes]:
    folder = firth.load(model).parts[part].folder
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def interrupted(model: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        cut(patch, 4)
        learn_counts(model, contexts="LR2")
    [folder] = (model / "counts").glob(".unfinished*")
    return folder


def test_interrupted_counting_continues(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = interrupted(model, monkeypatch)
    assert len(list(folder.glob("run*"))) == 4
    begun = cut(monkeypatch, 0)
    learn_counts(model, contexts="LR2")
    assert begun[0] > 2000, "three chunks were complete"
    assert not list((model / "counts").glob(".unfinished*"))
    found = files_of(model, "counts")
    learn_corpus(tmp_path / "whole", tmp_path / "text.txt")
    learn_counts(tmp_path / "whole", contexts="LR2")
    assert found == files_of(tmp_path / "whole", "counts")


@pytest.mark.parametrize("name", ["counting", "indices.i32", "data.u32", "indptr.i64"])
@pytest.mark.parametrize("how", ["cut", "wrong"])
def test_damaged_checkpoints_are_not_used(
    model: Path, monkeypatch: pytest.MonkeyPatch, name: str, how: str
) -> None:
    folder = interrupted(model, monkeypatch)
    path = folder / name if name == "counting" else folder / "run1" / name
    data = np.fromfile(path, np.uint8)
    if how == "wrong":
        data[40:48] = 255
    (data[:-8] if how == "cut" else data).tofile(path)
    begun = cut(monkeypatch, 0)
    if (name, how) == ("data.u32", "wrong"):  # any number may be a count, but not the sums
        with pytest.raises(firth.ModelError, match="sums"):
            learn_counts(model, contexts="LR2")
        begun.clear()
    learn_counts(model, contexts="LR2")
    assert begun[0] == 0


def test_counts_of_other_parts_continue(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        cut(patch, 4)
        learn_classes(model, n_classes=5)
    begun = cut(monkeypatch, 0)
    learn_classes(model, n_classes=5)
    assert begun[0] > 2000
