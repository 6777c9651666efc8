"""Opening a GPU, its memory, and what a person is told if there is none."""

from __future__ import annotations

import builtins
import gc
import pickle
import subprocess
import sys
import weakref
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firth.compute import Device, Engine, _device, engine_for
from firth.errors import FirthError, ParameterError
from firth.pipeline import learn_grammar, learn_tags


@pytest.fixture
def anew() -> Iterator[None]:
    """Devices are opened again, before and after."""
    _device._opened.cache_clear()
    yield
    _device._opened.cache_clear()


@pytest.mark.parametrize(
    "name", ["gpu", "CUDA", "cuda:", "cuda:-1", "cuda:1000", "cpu:0", "", 1, None]
)
def test_other_names_are_refused(name: Any) -> None:
    with pytest.raises(ParameterError, match="'device' parameter of learn must be 'cpu', 'cuda'"):
        engine_for("learn", None, name)


def test_the_processor_is_no_device() -> None:
    assert engine_for("learn", 3, "cpu") == Engine(3)
    assert Engine(3).facts == {}


def test_an_engine_keeps_its_device(on_device: Engine) -> None:
    assert engine_for("learn", on_device, "cpu").device is on_device.device
    assert on_device.device is not None
    assert on_device.facts == {"device": on_device.device.title}


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ModuleNotFoundError("No module named 'torch'", name="torch"), r"needs PyTorch.*pip install 'firth\[gpu\]'"),
        (ModuleNotFoundError("No module named 'sympy'", name="sympy"), "cannot be imported: No module .*'sympy'"),
        (OSError("libcublas.so.12: cannot open it"), r"cannot be imported: libcublas.*--force-reinstall"),
    ],
)  # fmt: skip
def test_without_pytorch(
    anew: None, monkeypatch: pytest.MonkeyPatch, error: Exception, words: str
) -> None:
    """Missing, or not complete."""
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "torch":
            raise error
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(FirthError, match=words):
        engine_for("learn", None, "cuda")


def test_a_gpu_that_fails(anew: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one that is too old for the PyTorch, when it computes the first time."""
    pretend(monkeypatch, 1)

    def broken(name: str) -> None:
        raise RuntimeError(
            f"CUDA error: no kernel image is available for {name}\nCUDA kernel errors"
        )

    monkeypatch.setattr(_device, "Device", broken)
    with pytest.raises(
        FirthError, match="GPU 0 does not work: CUDA error: no kernel image"
    ) as found:
        engine_for("learn", None, "cuda")
    assert "kernel errors" not in found.value.message
    assert str(found.value.hint).startswith("Leave out --device")


def pretend(monkeypatch: pytest.MonkeyPatch, n: int, reason: str = "", built: bool = True) -> None:
    """Has PyTorch see some GPUs."""
    import torch

    def init() -> None:
        raise RuntimeError(reason)

    monkeypatch.setattr(torch.backends.cuda, "is_built", lambda: built)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: n > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: n)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda k: f"GPU number {k}")
    monkeypatch.setattr(torch.cuda, "init", init)


@pytest.mark.parametrize(
    ("reason", "words", "hint"),
    [
        ("Found no NVIDIA driver on your system. Please check", "Found no NVIDIA driver", "driver"),
        ("The NVIDIA driver on your system is too old (found 11040). Please", "too old", "newer"),
        ("No CUDA GPUs are available", "No CUDA GPUs are available", "Leave out --device"),
    ],
)
def test_without_a_gpu(
    anew: None, monkeypatch: pytest.MonkeyPatch, reason: str, words: str, hint: str
) -> None:
    pretend(monkeypatch, 0, reason)
    with pytest.raises(FirthError) as error:
        engine_for("learn", None, "cuda")
    assert words in error.value.message
    assert "Please" not in error.value.message
    assert hint in str(error.value.hint)


def test_without_a_pytorch_for_gpus(anew: None, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, 0, built=False)
    with pytest.raises(FirthError, match=r"PyTorch \(.*\) cannot use GPUs.*pytorch\.org"):
        engine_for("learn", None, "cuda")


@pytest.mark.parametrize(
    "learn", [partial(learn_tags, method="baum-welch"), partial(learn_grammar, method="inside-outside")]
)  # fmt: skip
def test_nothing_is_read_without_a_gpu(
    anew: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, learn: Any
) -> None:
    """The text is too short to learn from, which would be another error."""
    pretend(monkeypatch, 0, built=False)
    text = tmp_path / "text"
    text.write_text("a b\n")
    with pytest.raises(FirthError, match="cannot use GPUs"):
        learn(tmp_path / "model", [text], device="cuda")
    assert not (tmp_path / "model").exists()


def test_a_number_that_no_gpu_has(anew: None, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, 2)
    with pytest.raises(FirthError, match=r"no GPU cuda:2.*cuda:0 \(GPU number 0\), cuda:1"):
        engine_for("learn", None, "cuda:2")


def test_nothing_of_pytorch_is_imported_without_being_asked_for() -> None:
    code = (
        "import sys, firth; from firth.vectors import SpectralEmbedding;"
        "SpectralEmbedding(dim=2).fit(['a b c a c b', 'b a c'] * 9); sys.exit('torch' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_arrays_there_and_back(device: Device) -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    there = device.put(array, device.torch.float64)
    assert there.device.type == device.where.type
    found = device.get(there)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, array)
    there += 1
    assert array[0, 0] == 0


def test_arrays_that_are_not_in_one_piece(on_device: Engine) -> None:
    """Read backwards, with gaps, turned, read-only, or without rows."""
    device, whole = on_device.device, np.arange(60.0).reshape(10, 6)
    assert device is not None
    whole.flags.writeable = False
    for array in (whole, whole[::-1], whole[::3, ::2], whole.T, whole[:0], whole[:, :0]):
        np.testing.assert_array_equal(device.get(device.put(array)), array)
        np.testing.assert_array_equal(device.get(device.send(array, on_device)), array)
        out = np.empty(array.shape)
        device.fetch(device.put(array), out, on_device)
        np.testing.assert_array_equal(out, array)
    assert device.get(device.put(np.array(3.0))).shape == ()


def test_large_arrays_in_pieces(on_device: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_device, "_BYTES_PER_COPY", 100)
    device, array = on_device.device, np.arange(999, dtype=np.int32).reshape(333, 3)
    assert device is not None
    there, out = device.send(array, on_device), np.zeros_like(array)
    np.testing.assert_array_equal(device.get(there), array)
    device.fetch(there, out, on_device)
    np.testing.assert_array_equal(out, array)
    np.testing.assert_array_equal(device.later(there)(), array)


def test_estimators_with_a_device_can_be_copied(on_device: Engine) -> None:
    found = pickle.loads(pickle.dumps(on_device))
    assert found.device.where == on_device.device.where  # type: ignore[union-attr]


def test_precision_is_restored(device: Device) -> None:
    matmul = device.torch.backends.cuda.matmul
    name = "fp32_precision" if hasattr(matmul, "fp32_precision") else "allow_tf32"
    before = getattr(matmul, name)
    with pytest.raises(ZeroDivisionError), device.products("fast"):
        assert getattr(matmul, name) in ("tf32", True)
        with device.products("exact"):
            assert getattr(matmul, name) in ("ieee", False)
        assert getattr(matmul, name) in ("tf32", True)
        1 / 0  # noqa: B018
    assert getattr(matmul, name) == before


# Memory ------------------------------------------------------------------------------------------


def work_on(device: Device, most: int, seen: list[int]) -> Any:
    def work(a: int, b: int) -> list[int]:
        seen.append(b - a)
        if b - a > most:
            raise device.torch.cuda.OutOfMemoryError("CUDA out of memory.")
        return list(range(a, b))

    return work


@pytest.mark.parametrize("n", [0, 1, 5, 64, 100])
@pytest.mark.parametrize("most", [1, 3, 200])
def test_blocks_become_smaller(device: Device, n: int, most: int) -> None:
    seen: list[int] = []
    found = list(device.blocks(n, 32, work_on(device, most, seen), "this", "Less."))
    assert [row for _, _, rows in found for row in rows] == list(range(n))
    assert all((a, b) == (rows[0], rows[-1] + 1) for a, b, rows in found)
    assert max(seen, default=0) == min(n, 32)
    failures = sum(size > most for size in seen)
    assert failures <= 5, "a size that is too large is not tried again"


def test_a_row_that_does_not_fit(device: Device) -> None:
    with pytest.raises(FirthError, match=r"too small: this does not fit, and .*Use less"):
        list(device.blocks(7, 4, work_on(device, 0, []), "this", "Use less."))


def test_other_errors_pass(device: Device) -> None:
    def work(a: int, b: int) -> None:
        raise RuntimeError("shapes do not match")

    with pytest.raises(RuntimeError, match="shapes"):
        list(device.blocks(7, 4, work, "this", ""))
    with pytest.raises(RuntimeError, match="shapes"), device.within_memory("this", "", 1):
        work(0, 0)


def test_an_error_about_memory_keeps_nothing_of_it(device: Device) -> None:
    """Neither as long as it is known, nor until the next collection of garbage."""
    kept = []

    def allocate() -> None:
        tensor = device.torch.zeros(3, device=device.where)
        kept.append(weakref.ref(tensor))
        raise device.torch.cuda.OutOfMemoryError("CUDA out of memory.")

    gc.disable()
    try:
        with pytest.raises(FirthError) as error, device.within_memory("this", "Use less."):
            allocate()
        assert error.value.hint == "Use less."
        assert kept[0]() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("n", [0, 1, 5, 1023, 1024, 1025, 4000, (1 << 20) + 1])
def test_running_sums(device: Device, n: int) -> None:
    numbers = np.random.default_rng(n).random(n)
    found = device.get(device.running_sums(device.put(numbers)))
    np.testing.assert_allclose(found, np.cumsum(numbers), rtol=1e-12)


@pytest.mark.parametrize(
    "words",
    [
        "CUDA out of memory.",
        "CUBLAS_STATUS_ALLOC_FAILED when calling",
        "CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`",
    ],
)
def test_work_in_full_memory(device: Device, words: str) -> None:
    with (
        pytest.raises(FirthError, match=r"memory of .* too small: this needs about 3 GB.*Use less"),
        device.within_memory("this", "Use less.", 3e9),
    ):
        raise RuntimeError(words)


def test_what_does_not_fit_is_not_begun(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Device, "memory", lambda _: (2_000_000_000, 8_000_000_000))
    with (
        pytest.raises(FirthError, match=r"this needs about 3 GB, and 2 GB of 8 GB are.*Use less"),
        device.within_memory("this", "Use less.", 3e9),
    ):
        raise AssertionError


def test_memory_is_known(device: Device) -> None:
    free, total = device.memory()
    assert 0 < free <= total


def test_a_gpu_that_is_there_is_opened(anew: None) -> None:
    import torch

    if not torch.cuda.is_available():
        pytest.skip("there is no GPU")
    engine = engine_for("learn", 2, "cuda")
    assert engine.device is not None
    assert engine.device.title == torch.cuda.get_device_name(0)
    assert engine.device is engine_for("learn", None, "cuda:0").device


def test_the_command_line_tells_it_in_two_lines(fails: Any, text_file: Any, anew: None) -> None:
    path = text_file("a b\n" * 20)
    result = fails("learn", path, "-o", path.parent / "m", "--device", "gpu", status=2)
    assert "--device must be 'cpu', 'cuda', or 'cuda:1'" in result.err
    assert not (path.parent / "m").exists()
