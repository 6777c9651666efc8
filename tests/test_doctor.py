"""firth doctor: what it finds here, and that it finds what is wrong."""

from __future__ import annotations

import json
import sys
from importlib import metadata
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest
from typer.testing import CliRunner

from firth.cli import app
from firth.compute import _device
from firth.doctor import _examination, _known_answer, examine


def test_all_is_well_here() -> None:
    found = {finding.name: finding for finding in examine()}
    assert not [finding for finding in found.values() if finding.problem]
    assert "numpy " in found["packages"].value
    assert found["firth[remote]"].value == "installed"
    assert "firth[dev]" not in found
    assert "as expected" in found["known answer"].value


def test_a_wrong_answer_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(_known_answer.KNOWN, "classes", "0123456789abcdef")
    done = CliRunner().invoke(app, ["doctor", "--json"])
    assert done.exit_code == 1
    answer = json.loads(done.stdout)[-1]
    assert answer["problem"]
    assert answer["value"] == "other than expected: classes"


def test_a_missing_package_comes_with_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    version = metadata.version

    def without(name: str) -> str:
        if name in ("numba", "fsspec"):
            raise metadata.PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(metadata, "version", without)
    found = {finding.name: finding for finding in _examination._packages()}
    assert found["missing packages"].problem
    assert found["missing packages"].value == "numba"
    assert found["firth[remote]"].value == "without fsspec"
    assert found["firth[remote]"].advice == 'To install: pip install "firth[remote]"'


def gpu_of(monkeypatch: pytest.MonkeyPatch, torch: Any) -> _examination.Finding:
    """What is found with another PyTorch; None if there is none."""
    monkeypatch.setitem(sys.modules, "torch", torch)
    _device._opened.cache_clear()
    try:
        return _examination._device()
    finally:
        _device._opened.cache_clear()


def a_torch(built: bool, names: list[str]) -> Any:
    """What Firth asks PyTorch for."""
    cuda = SimpleNamespace(
        is_available=lambda: bool(names), device_count=lambda: len(names), init=lambda: None,
        get_device_name=lambda where: names[0], synchronize=lambda where: None,
    )  # fmt: skip
    return SimpleNamespace(
        __version__="2.9.1", cuda=cuda, backends=SimpleNamespace(cuda=SimpleNamespace(is_built=lambda: built)),
        device=lambda name: SimpleNamespace(type=name.split(":")[0]), zeros=lambda *_, **__: MagicMock(),
    )  # fmt: skip


def test_a_gpu_or_what_is_missing_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    found = gpu_of(monkeypatch, None)
    assert found.value == "Computing on a GPU needs PyTorch."
    assert found.advice == "Install it: pip install 'firth[gpu]'"
    found = gpu_of(monkeypatch, a_torch(False, []))
    assert found.value == "The installed PyTorch (2.9.1) cannot use GPUs."
    assert "pytorch.org" in found.advice
    found = gpu_of(monkeypatch, a_torch(True, []))
    assert found.value == "No GPU can be used: this machine has none."
    assert not found.problem
    found = gpu_of(monkeypatch, a_torch(True, ["NVIDIA H200"]))
    assert (found.value, found.advice) == ("NVIDIA H200, PyTorch 2.9.1", "")


def test_programs_that_are_not_there_print_nothing() -> None:
    assert _examination._output("no-such-program-of-firth") == []
    assert _examination._output("python3", "-c", "raise SystemExit(3)") == []
