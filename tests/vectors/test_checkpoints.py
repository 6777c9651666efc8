"""A decomposition that was interrupted goes on from a checkpoint, and gives the very same bytes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firth.compute import Engine
from firth.store import Checkpoint, Room
from firth.vectors import Svd, krylov_svd
from tests.spectra import SPECTRA, with_spectrum
from tests.vectors.test_svd import Dense

MATRIX = with_spectrum(SPECTRA["like words"], 420, 400)


class Failing(Dense):
    """A matrix that can be multiplied only a few times."""

    def __init__(self, matrix: Any, left: int = 10**9) -> None:
        super().__init__(matrix)
        self.left = left

    def times(self, block: Any) -> Any:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return super().times(block)


class Always(Checkpoint):
    """Saves after every block."""

    @property
    def is_due(self) -> bool:
        return True


def decomposed(checkpoint: Checkpoint | None, matrix: Any = MATRIX, left: int = 10**9) -> Svd:
    room = Room(1 << 20)  # most of the basis is in a file
    operator = Failing(matrix, left)
    found = krylov_svd(operator, 20, 1e-4, 0, Engine(2), room, checkpoint)
    assert found is not None
    return found


def assert_same(found: Svd, expected: Svd) -> None:
    assert (found.basis, found.residual) == (expected.basis, expected.residual)
    for name in ("left", "values", "right"):
        assert getattr(found, name).tobytes() == getattr(expected, name).tobytes()


def interrupted(path: Path, left: int, matrix: Any = MATRIX) -> Failing:
    operator = Failing(matrix, left)
    with pytest.raises(KeyboardInterrupt):
        krylov_svd(operator, 20, 1e-4, 0, Engine(1), Room(), Always(path))
    return operator


@pytest.mark.parametrize("matrix", [MATRIX, MATRIX.T], ids=["tall", "wide"])
@pytest.mark.parametrize("left", [2, 4, 5])
def test_it_goes_on_where_it_was_interrupted(left: int, matrix: Any, tmp_path: Path) -> None:
    expected = decomposed(None, matrix)
    path = tmp_path / "some.state"
    interrupted(path, left, matrix)
    first = path.with_suffix(".blocks").read_bytes()
    to_begin = matrix.shape[1] > matrix.shape[0]
    interrupted(path, 1 + to_begin, matrix)  # and once more
    second = path.with_suffix(".blocks").read_bytes()
    assert second.startswith(first)
    assert len(second) > len(first) > 0
    assert_same(decomposed(Always(path), matrix), expected)


def test_it_does_not_begin_again(tmp_path: Path) -> None:
    path = tmp_path / "some.state"
    interrupted(path, 5)
    n_before = decomposed_products(None)
    assert decomposed_products(Checkpoint(path)) == n_before - 5


def decomposed_products(checkpoint: Checkpoint | None) -> int:
    operator = Failing(MATRIX, 10**6)
    krylov_svd(operator, 20, 1e-4, checkpoint=checkpoint)
    return 10**6 - operator.left


def test_random_directions_are_drawn_as_without_interruption(tmp_path: Path) -> None:
    """Where the rank of the matrix is too low, the basis goes on with random vectors."""
    matrix = with_spectrum(np.linspace(3, 1, 40), 420, 400)
    expected = decomposed(None, matrix)
    for left in (2, 1):
        interrupted(tmp_path / "some.state", left, matrix)
    assert_same(decomposed(Checkpoint(tmp_path / "some.state"), matrix), expected)


def flipped(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def replaced(path: Path, name: str, value: Any) -> None:
    """Replace an array; the checksum is right."""
    from firth.store._checkpoint import _arrays

    arrays = {key.rpartition(".")[0]: array.copy() for key, array in _arrays(path).items()}
    arrays[name] = value(arrays[name])
    Checkpoint(path).save(**arrays)


DAMAGE: dict[str, Callable[[Path, Path], object]] = {
    "no blocks": lambda state, blocks: blocks.unlink(),
    "fewer blocks": lambda state, blocks: blocks.write_bytes(blocks.read_bytes()[:-1]),
    "first block": lambda state, blocks: flipped(blocks, 0),
    "last block": lambda state, blocks: flipped(blocks, -1),
    "state": lambda state, blocks: flipped(state, -1),
    "empty": lambda state, blocks: state.write_bytes(b""),
    "not finite": lambda state, blocks: replaced(state, "inner", lambda x: x * np.nan),
    "too large": lambda state, blocks: replaced(state, "next", lambda x: x + 2),
    "too small": lambda state, blocks: replaced(state, "link", lambda x: x[:-1]),
    "early check": lambda state, blocks: replaced(state, "check_at", lambda x: x * 0),
    "no checksums": lambda state, blocks: replaced(state, "checksums", lambda x: x[:0]),
    "fewer checksums": lambda state, blocks: replaced(state, "checksums", lambda x: x[:-4]),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_checkpoint_is_ignored(name: str, tmp_path: Path) -> None:
    path = tmp_path / "some.state"
    interrupted(path, 3)
    DAMAGE[name](path, path.with_suffix(".blocks"))
    n_products = decomposed_products(None)
    assert decomposed_products(Checkpoint(path)) == n_products
    interrupted(path, 4)  # new blocks replace the damaged ones
    assert_same(decomposed(Checkpoint(path)), decomposed(None))


def test_a_checkpoint_of_another_matrix_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "some.state"
    interrupted(path, 3)
    other = with_spectrum(SPECTRA["like words"], 420, 400, seed=1)
    assert_same(decomposed(Checkpoint(path), other), decomposed(None, other))


def test_what_an_interrupted_save_has_left_is_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "some.state"
    interrupted(path, 3)
    with path.with_suffix(".blocks").open("ab") as file:
        file.write(b"half a block")
    interrupted(path, 2)
    assert_same(decomposed(Checkpoint(path)), decomposed(None))


def test_links_are_not_followed(tmp_path: Path) -> None:
    outside, path = tmp_path / "outside", tmp_path / "model" / "some.state"
    outside.write_bytes(b"mine")
    path.parent.mkdir()
    path.with_suffix(".blocks").symlink_to(outside)
    interrupted(path, 3)
    assert outside.read_bytes() == b"mine"
    assert not path.with_suffix(".blocks").is_symlink()
    assert_same(decomposed(Checkpoint(path)), decomposed(None))


def test_saving_takes_a_small_share_of_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)

    def blocks() -> Any:
        nonlocal now
        now += 10  # this is how long it takes
        yield np.zeros(3, np.float32)

    checkpoint = Checkpoint(tmp_path / "some.state")
    checkpoint.every = 60
    checkpoint.save(blocks=blocks())
    for waited, due in ((61, False), (198, False), (202, True)):
        now = 10 + waited
        assert checkpoint.is_due is due
