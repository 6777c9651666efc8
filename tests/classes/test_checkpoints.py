"""Work that was cut off goes on from a checkpoint, and comes to the very same result."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firth.classes import _merging
from firth.classes._refining import seeds
from firth.compute import Engine
from firth.store import Checkpoint, Saved
from tests.classes.samples import NO_CHECKPOINT, sampled


class Interrupted(Checkpoint):
    """Saves after every batch, and is interrupted after some of them."""

    def __init__(self, path: Path, after: int) -> None:
        super().__init__(path)
        self.left = after

    @property
    def is_due(self) -> bool:
        return True

    def save(self, blocks: Any = (), **arrays: Any) -> None:
        super().save(blocks, **arrays)
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


def n_merges(path: Path) -> int:
    found = Checkpoint(path).load(lambda saved: saved.array("losses.i64", -1, -(1 << 62), 1 << 62))
    assert found is not None
    return len(found)


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
    path = tmp_path / "brown.state"
    with pytest.raises(KeyboardInterrupt):
        _merging.add_words(bigrams, 12, Engine(1), Interrupted(path, after))
    done = n_merges(path)
    assert 2 * after <= done <= min(5 * after, 88)
    with pytest.raises(KeyboardInterrupt):  # and once more
        _merging.add_words(bigrams, 12, Engine(1), Interrupted(path, 1))
    assert done < n_merges(path) <= done + 5
    found: Any = _merging.add_words(bigrams, 12, Engine(2), Checkpoint(path))
    for again, whole in zip(found, expected, strict=True):
        assert again.dtype == whole.dtype
        assert again.tobytes() == whole.tobytes()


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("after", [1, 2, 9, 29, 30, 40, 75])
def test_moving_words_goes_on_where_it_was_interrupted(after: int, tmp_path: Path) -> None:
    bigrams, start = sampled(100, 6, seed=4), seeds(100, 12)

    def move(checkpoint: Checkpoint) -> Any:
        return _merging.exchange(bigrams, start, 12, 20, 0.02, Engine(2), checkpoint)

    expected, history = move(NO_CHECKPOINT)
    assert 3 <= len(history) < 20, "the last pass is told by the tolerance"
    path = tmp_path / "exchange.state"
    with pytest.raises(KeyboardInterrupt):
        move(Interrupted(path, after))
    at = Checkpoint(path).load(lambda saved: saved.array("at.i64", 4, -(1 << 62), 1 << 62))
    assert at is not None
    assert at[:2].sum() > 0
    with pytest.raises(KeyboardInterrupt):
        move(Interrupted(path, 1))
    found, same_history = move(Checkpoint(path))
    assert found.dtype == expected.dtype
    assert found.tobytes() == expected.tobytes()
    assert same_history == history


def archive(**arrays: Any) -> dict[str, Any]:
    return {name: np.asarray(array) for name, array in arrays.items()}


CLASSES = np.arange(100, dtype=np.int32) % 12
FOREIGN: dict[str, bytes | dict[str, Any]] = {
    "empty": b"",
    "text": b"This is no checkpoint.",
    "a header alone": b'{"sha256": "", "arrays": {}}\n',
    "no checksum": b'{"arrays": {}}\n',
    "a list": b"[]\n",
    "deep": b"[" * 100_000 + b"\n",
    "other names": archive(vectors=np.eye(3)),
    "other types": archive(merges=np.zeros((0, 2)), losses=np.zeros(0)),
    "too many": archive(merges=np.ones((99, 2), np.int64), losses=np.ones(99, np.int64)),
    "words not there yet": archive(merges=np.array([[0, 50]]), losses=np.array([0])),
    "merged twice": archive(merges=np.array([[0, 1], [0, 1]]), losses=np.array([0, 0])),
    "the wrong way round": archive(merges=np.array([[1, 0]]), losses=np.array([0])),
    "negative": archive(merges=np.array([[-1, 0]]), losses=np.array([0])),
    "other words": archive(
        slot_of=np.zeros(7, np.int32), at=np.zeros(4, np.int64), history=np.zeros((0, 2))
    ),
    "an empty class": archive(
        slot_of=np.zeros(100, np.int32), at=np.zeros(4, np.int64), history=np.zeros((0, 2))
    ),
    "no place": archive(
        slot_of=CLASSES, at=np.zeros(3, np.int64), history=np.zeros((0, 2))
    ),
    "too little history": archive(
        slot_of=CLASSES, at=np.full(4, 2), history=np.zeros((0, 2))
    ),
    "before the first word": archive(
        slot_of=CLASSES, at=np.array([0, -(1 << 40), 0, 0]), history=np.zeros((0, 2))
    ),
    "after the last word": archive(
        slot_of=CLASSES, at=np.array([0, 101, 0, 0]), history=np.zeros((0, 2))
    ),
    "a pass that is not there": archive(
        slot_of=CLASSES, at=np.array([-1, 0, 0, 0]), history=np.zeros((0, 2))
    ),
    "a class that is not there": archive(
        slot_of=CLASSES + np.int32(1), at=np.zeros(4, np.int64), history=np.zeros((0, 2))
    ),
    "a gain that is no number": archive(
        slot_of=CLASSES, at=np.array([1, 0, 0, 0]), history=np.array([[1.0, np.nan]])
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FOREIGN)
def test_what_is_no_checkpoint_is_ignored(name: str, tmp_path: Path) -> None:
    bigrams, start = sampled(100, 6, seed=4), seeds(100, 12)
    path = tmp_path / "some.state"
    foreign = FOREIGN[name]
    if isinstance(foreign, bytes):
        path.write_bytes(foreign)
    else:  # with a checksum that is right
        Checkpoint(path).save(**foreign)
    merges, losses, _ = _merging.add_words(bigrams, 12, Engine(1), Checkpoint(path))
    expected = _merging.add_words(bigrams, 12, Engine(1), NO_CHECKPOINT)
    assert np.array_equal(merges, expected[0])
    assert np.array_equal(losses, expected[1])
    found = _merging.exchange(bigrams, start, 12, 2, 0.0, Engine(1), Checkpoint(path))
    whole = _merging.exchange(bigrams, start, 12, 2, 0.0, Engine(1), NO_CHECKPOINT)
    assert np.array_equal(found[0], whole[0])
    assert found[1] == whole[1]


def test_a_damaged_checkpoint_is_read_rightly_or_not_at_all(tmp_path: Path) -> None:
    chance, path = random.Random(0), tmp_path / "some.state"
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
        found = Checkpoint(path).load(read)
        n_ignored += found is None
        if found is not None:
            assert np.array_equal(found, arrays["losses"])
    assert n_ignored > 290


def read(saved: Saved) -> Any:
    return saved.array("losses.i64", 10, 0, 1000)


def test_a_checkpoint_without_a_file_is_never_due() -> None:
    checkpoint = Checkpoint()
    checkpoint.save(losses=np.arange(10))
    assert checkpoint.load(read) is None
    assert not checkpoint.is_due


def test_a_checkpoint_writes_only_inside_its_folder(tmp_path: Path) -> None:
    """Links are neither followed nor overwritten, and a pipe does not block."""
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    outside.write_text("precious", encoding="utf-8")
    folder.mkdir()
    (folder / "some.new").symlink_to(outside)
    (folder / "some.state").symlink_to(outside)
    checkpoint = Checkpoint(folder / "some.state")
    assert checkpoint.load(read) is None
    checkpoint.save(losses=np.arange(10))
    assert outside.read_text(encoding="utf-8") == "precious"
    assert not (folder / "some.state").is_symlink()
    assert checkpoint.load(read) is not None
    (folder / "some.state").unlink()
    os.mkfifo(folder / "some.state")
    os.mkfifo(folder / "some.new")
    assert checkpoint.load(read) is None
    checkpoint.save(losses=np.arange(10))
    assert checkpoint.load(read) is not None


def test_a_checkpoint_is_due_after_a_while(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "some.state")
    assert not checkpoint.is_due
    checkpoint.every = -1.0
    assert checkpoint.is_due


def test_batches_cover_the_work_once() -> None:
    done: list[tuple[int, int]] = []
    steps = list(_merging._batches(5, 1000, lambda begin, end: done.append((begin, end))))
    assert [end for _, end in done] == steps
    assert [begin for begin, _ in done] == [5, *steps[:-1]]
    assert steps[-1] == 1000
    assert list(_merging._batches(7, 7, lambda begin, end: None)) == []
