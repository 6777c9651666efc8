"""Work that was cut off goes on from a checkpoint, and comes to the very same result."""

from __future__ import annotations

import io
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firth.classes import _checkpoint, _merging
from firth.classes._checkpoint import Checkpoint
from firth.classes._exchange import seeds
from firth.compute import Engine
from tests.classes.samples import NO_CHECKPOINT, sampled


class Interrupted(Checkpoint):
    """Saves after every batch, and is interrupted after some of them."""

    def __init__(self, path: Path, after: int) -> None:
        super().__init__(path)
        self.left = after

    @property
    def is_due(self) -> bool:
        return True

    def save(self, **arrays: Any) -> None:
        super().save(**arrays)
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of two to five words, whatever the clock says."""

    def batches(begin: int, end: int, work: Any) -> Any:
        while begin < end:
            upto = min(begin + 2 + begin % 4, end)
            work(begin, upto)
            begin = upto
            yield begin

    monkeypatch.setattr(_merging, "_batches", batches)


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("after", [1, 2, 9, 22])
def test_adding_words_goes_on_where_it_was_interrupted(after: int, tmp_path: Path) -> None:
    bigrams = sampled(100, 6, seed=4)
    expected: Any = _merging.add_words(bigrams, 12, Engine(1), NO_CHECKPOINT)
    path = tmp_path / "brown.npz"
    with pytest.raises(KeyboardInterrupt):
        _merging.add_words(bigrams, 12, Engine(1), Interrupted(path, after))
    with np.load(path) as saved:
        done = len(saved["merges"])
    assert 2 * after <= done <= min(5 * after, 88)
    with pytest.raises(KeyboardInterrupt):  # and once more
        _merging.add_words(bigrams, 12, Engine(1), Interrupted(path, 1))
    with np.load(path) as saved:
        assert done < len(saved["merges"]) <= done + 5
    found: Any = _merging.add_words(bigrams, 12, Engine(2), Checkpoint(path))
    for again, whole in zip(found, expected, strict=True):
        assert again.dtype == whole.dtype
        assert again.tobytes() == whole.tobytes()


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("after", [1, 2, 9, 29, 30, 40, 75])
def test_moving_words_goes_on_where_it_was_interrupted(after: int, tmp_path: Path) -> None:
    bigrams, start = sampled(100, 6, seed=4), seeds(100, 12)

    def move(checkpoint: Checkpoint) -> Any:
        return _merging.exchange(bigrams, start, 12, 20, 0.02, checkpoint)

    expected, history = move(NO_CHECKPOINT)
    assert 3 <= len(history) < 20, "the last pass is told by the tolerance"
    path = tmp_path / "exchange.npz"
    with pytest.raises(KeyboardInterrupt):
        move(Interrupted(path, after))
    with np.load(path) as saved:
        assert saved["at"][:2].sum() > 0
    with pytest.raises(KeyboardInterrupt):
        move(Interrupted(path, 1))
    found, same_history = move(Checkpoint(path))
    assert found.dtype == expected.dtype
    assert found.tobytes() == expected.tobytes()
    assert same_history == history


def archive(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


NUMBERS = np.arange(88)
FOREIGN = {
    "empty": b"",
    "text": b"This is no checkpoint.",
    "other names": archive(vectors=np.eye(3)),
    "scalars": archive(merges=np.int64(1), losses=np.int64(2)),
    "other types": archive(merges=np.zeros((0, 2)), losses=np.zeros(0)),
    "too many": archive(merges=np.ones((99, 2), np.int64), losses=np.ones(99, np.int64)),
    "words not there yet": archive(merges=np.array([[0, 50]]), losses=np.array([0])),
    "merged twice": archive(merges=np.array([[0, 1], [0, 1]]), losses=np.array([0, 0])),
    "the wrong way round": archive(merges=np.array([[1, 0]]), losses=np.array([0])),
    "negative": archive(merges=np.array([[-1, 0]]), losses=np.array([0])),
    "objects": archive(merges=np.array([None, {}]), losses=np.array([0, 0])),
    "other words": archive(
        slot_of=np.zeros(7, np.int32), at=np.zeros(4, np.int64), history=np.zeros((0, 2))
    ),
    "an empty class": archive(
        slot_of=np.zeros(100, np.int32), at=np.zeros(4, np.int64), history=np.zeros((0, 2))
    ),
    "no place": archive(
        slot_of=np.arange(100, dtype=np.int32) % 12, at=np.zeros(3, np.int64), history=np.zeros((0, 2))
    ),
    "too little history": archive(
        slot_of=np.arange(100, dtype=np.int32) % 12, at=np.full(4, 2), history=np.zeros((0, 2))
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FOREIGN)
def test_what_is_no_checkpoint_is_ignored(name: str, tmp_path: Path) -> None:
    bigrams, start = sampled(100, 6, seed=4), seeds(100, 12)
    path = tmp_path / "checkpoint.npz"
    path.write_bytes(FOREIGN[name])
    merges, losses, _ = _merging.add_words(bigrams, 12, Engine(1), Checkpoint(path))
    expected = _merging.add_words(bigrams, 12, Engine(1), NO_CHECKPOINT)
    assert np.array_equal(merges, expected[0])
    assert np.array_equal(losses, expected[1])
    found = _merging.exchange(bigrams, start, 12, 2, 0.0, Checkpoint(path))
    whole = _merging.exchange(bigrams, start, 12, 2, 0.0, NO_CHECKPOINT)
    assert np.array_equal(found[0], whole[0])
    assert found[1] == whole[1]


def test_a_damaged_checkpoint_is_read_rightly_or_not_at_all(tmp_path: Path) -> None:
    chance, path = random.Random(0), tmp_path / "checkpoint.npz"
    arrays = {"merges": np.arange(20).reshape(10, 2), "losses": np.arange(10) + 100}
    Checkpoint(path).save(**arrays)
    assert not list(tmp_path.glob("*.new"))
    good = path.read_bytes()
    n_ignored = 0
    for _ in range(300):
        bad = bytearray(good)
        if chance.random() < 0.3:
            bad = bad[: chance.randrange(len(bad))]
        else:
            bad[chance.randrange(len(bad))] = chance.randrange(256)
        path.write_bytes(bad)
        found = Checkpoint(path).load()
        n_ignored += not found
        for name in found.keys() & arrays.keys():
            assert np.array_equal(found[name], arrays[name])
    assert n_ignored > 200


def test_a_checkpoint_without_a_file_is_never_due() -> None:
    checkpoint = Checkpoint()
    checkpoint.save(x=1)
    assert checkpoint.load() == {}
    assert not checkpoint.is_due


def test_a_checkpoint_is_due_after_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint = Checkpoint(tmp_path / "some.npz")
    assert not checkpoint.is_due
    monkeypatch.setattr(_checkpoint, "_SECONDS_PER_CHECKPOINT", -1.0)
    assert checkpoint.is_due


def test_batches_cover_the_work_once() -> None:
    done: list[tuple[int, int]] = []
    steps = list(_merging._batches(5, 1000, lambda begin, end: done.append((begin, end))))
    assert [end for _, end in done] == steps
    assert [begin for begin, _ in done] == [5, *steps[:-1]]
    assert steps[-1] == 1000
    assert list(_merging._batches(7, 7, lambda begin, end: None)) == []
