"""Devices for the tests of GPU code: PyTorch's CPU, and the GPU if there is one, or else a pretended one.

These tests need neither Hypothesis nor other packages for tests alone, so they also run where only PyTorch is
installed: ``python -m pytest -c /dev/null --rootdir . tests/gpu``.
"""

from __future__ import annotations

from typing import Any

import pytest

from firth.compute import Device, Engine, engine_for

collect_ignore_glob: list[str] = []
try:
    import torch
except ImportError:
    collect_ignore_glob = ["test_*.py", "pretended.py"]
    torch = None
NAMES = ["torch-cpu", "cuda" if torch.cuda.is_available() else "pretended"] if torch else []


@pytest.fixture(scope="session", params=NAMES)
def device(request: pytest.FixtureRequest) -> Device:
    """PyTorch's CPU, and the GPU if there is one, or else a pretended one."""
    if request.param == "torch-cpu":
        return Device("cpu")
    if request.param == "pretended":
        from tests.gpu.pretended import PretendedDevice

        return PretendedDevice()
    found = engine_for("tests", None, request.param).device
    assert found is not None
    return found


def full_above(
    monkeypatch: pytest.MonkeyPatch, device: Device, owner: Any, name: str, most: int, size: Any
) -> list[int]:
    """Has a function run out of memory if the size of its work is above ``most``; a list of all sizes."""
    real, sizes = getattr(owner, name), list[int]()

    def limited(*arguments: Any, **named: Any) -> Any:
        sizes.append(size(*arguments))
        if sizes[-1] > most:
            raise device.torch.cuda.OutOfMemoryError("CUDA out of memory.")
        return real(*arguments, **named)

    if owner is device:  # setattr would leave the method with the device, which outlives the test
        monkeypatch.setitem(vars(owner), name, limited)
    else:
        monkeypatch.setattr(owner, name, limited)
    return sizes


@pytest.fixture
def on_device(device: Device) -> Engine:
    """An engine with a device."""
    return Engine(2, device=device)
