"""The pretended GPU notices what would go wrong on a real one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from firth.compute import Engine
from tests.gpu.pretended import PretendedDevice


@pytest.fixture
def device() -> PretendedDevice:
    return PretendedDevice()


def test_tensors_on_two_devices(device: PretendedDevice) -> None:
    there, here = device.put(np.arange(6.0).reshape(2, 3)), torch.ones((2, 3))
    assert device.get(there + 1 + torch.tensor(1.0)).tolist() == [[2, 3, 4], [5, 6, 7]]
    mixed: list[Callable[[], Any]] = [
        lambda: there + here,
        lambda: here @ there.T,
        lambda: there[torch.tensor([0])],
        lambda: there.index_add_(0, torch.tensor([0]), there[:1]),
    ]
    for work in mixed:
        with pytest.raises(AssertionError, match="two devices"):
            work()
    with pytest.raises((RuntimeError, TypeError), match="numpy"):
        there.numpy()


def test_an_array_comes_late(device: PretendedDevice) -> None:
    """After the event that follows the copy; and what was changed meanwhile is not in it."""
    there = device.put(np.arange(4))
    here = device.torch.empty(4, dtype=torch.int64, pin_memory=True)
    early, done = device.torch.cuda.Event(), device.torch.cuda.Event()
    early.record(device.torch.cuda.current_stream(device.where))
    here.copy_(there, non_blocking=True)
    done.record(device.torch.cuda.current_stream(device.where))
    there += 1
    early.synchronize()
    assert here.tolist() != [0, 1, 2, 3]
    done.synchronize()
    assert here.tolist() == [0, 1, 2, 3]


def test_an_array_is_read_late(device: PretendedDevice) -> None:
    """An array that is sent must not change before the GPU has read it."""
    there = device.torch.zeros(3, device=device.where)
    here = torch.ones(3)
    there.copy_(here, non_blocking=True)
    here += 1
    assert there.tolist() == [2, 2, 2]


def test_sums_in_any_order(device: PretendedDevice) -> None:
    ones, places = device.put(np.ones(4)), device.put(np.zeros(4, np.int64))
    added: list[Callable[[], Any]] = [
        lambda: ones.cumsum(0),
        lambda: ones.index_add_(0, places, ones),
        lambda: ones.scatter_reduce_(0, places, ones, "sum"),
    ]
    for work in added:
        with pytest.raises(AssertionError, match="any order"):
            work()
    assert ones.view(2, 2).cumsum(1).tolist() == [[1, 2], [1, 2]]
    assert ones.long().cumsum(0).tolist() == [1, 2, 3, 4]
    assert ones.scatter_reduce(0, places, ones, "amax").tolist() == [1] * 4


def test_memory_is_counted(device: PretendedDevice) -> None:
    """A view keeps all of it."""
    memory = device.memory_used
    with device.room(capacity=4096):
        there = device.torch.zeros(300, device=device.where)
        assert memory.used == 1536
        some = there[:3]
        del there
        assert memory.used == 1536
        with pytest.raises(torch.cuda.OutOfMemoryError):
            device.torch.zeros(1000, device=device.where)
        assert device.memory() == (4096 - 1536, 4096)
    del some
    assert not memory.used


def test_parts_of_arrays_are_sent_by_threads(
    device: PretendedDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firth.compute._device._BYTES_PER_COPY", 100)
    engine, rows = Engine(3, device=device), np.arange(900.0).reshape(300, 3)
    out = np.empty_like(rows)
    there = device.send(rows, engine)
    device.fetch(there, out, engine)
    np.testing.assert_array_equal(out, rows)
