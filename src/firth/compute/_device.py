"""A GPU, used through PyTorch, which is imported only if one is asked for."""

from __future__ import annotations

import re
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from firth import progress
from firth.errors import FirthError, wrong_parameter

if TYPE_CHECKING:
    import numpy.typing as npt

    from firth.compute._engine import Engine

__all__ = ["Device", "DeviceFullError", "open_device"]

CPU = "cpu"
"""The name of the processor: no device at all."""
INSTALL = "Install it: pip install 'firth[gpu]'"
REPAIR = "Install it again: pip install --force-reinstall torch"
OTHERWISE = "Leave out --device: the results are the same, up to rounding."
_PIECE = 64
"""Rows that are summed one after the other."""
_ROW = 1024
"""Numbers of which running sums are made at once."""
_NAME = re.compile(r"cuda(?::([0-9]{1,3}))?")
_NO_ROOM = (
    "out of memory", "ALLOC_FAILED", "INSUFFICIENT_RESOURCES", "cublasCreate", "cusolverDnCreate",
)  # fmt: skip
"""How libraries for GPUs say that memory is full, where it is not an exception of its own: some only do not begin."""

_COPIES = 8
"""Threads that copy at most."""
_BYTES_PER_COPY = 1 << 25

Result = TypeVar("Result")
Tensor = Any


class DeviceFullError(FirthError):
    """The memory of a GPU is too small for something."""


class Device:
    """A GPU that computes instead of the processor; a field of ``Engine``.

    Code for it is written with PyTorch and runs on any of its devices: tests that have no GPU open
    PyTorch's ``cpu``.

    Parameters
    ----------
    name : str
        What PyTorch calls it, such as ``cuda:1``.

    Attributes
    ----------
    torch : module
    where : torch.device
    title : str
        The name of the product.
    """

    def __init__(self, name: str) -> None:
        import torch

        self.torch: Any = torch
        self.where: Any = torch.device(name)
        self.is_gpu = self.where.type != CPU
        self.title = str(torch.cuda.get_device_name(self.where)) if self.is_gpu else "PyTorch, CPU"

    def __repr__(self) -> str:
        return f"Device({str(self.where)!r})"

    def __reduce__(self) -> Any:
        return Device, (str(self.where),)  # estimators that have one can be copied

    def put(self, array: npt.NDArray[Any], dtype: Any = None) -> Tensor:
        """An array on the device, perhaps with another type."""
        # PyTorch knows no arrays that are read backwards
        return self.torch.tensor(np.asarray(array, order="C"), device=self.where, dtype=dtype)

    def get(self, tensor: Tensor) -> npt.NDArray[Any]:
        """A tensor as an array of this process."""
        found: npt.NDArray[Any] = tensor.detach().cpu().numpy()
        return found

    def send(self, array: npt.NDArray[Any], engine: Engine) -> Tensor:
        """A large array on the device; threads copy it to memory from which the GPU can read."""
        there = self.torch.empty(array.shape, dtype=self._type(array), device=self.where)

        def copy(rows: slice) -> None:
            staged = self._staged(array[rows].shape, there.dtype)
            staged.numpy()[...] = array[rows]
            there[rows].copy_(staged, non_blocking=self.is_gpu)

        engine.at_most(_COPIES).each(copy, _pieces(array))
        return there

    def fetch(self, tensor: Tensor, out: npt.NDArray[Any], engine: Engine) -> None:
        """Write a large tensor to an array of this process."""

        def copy(rows: slice) -> None:
            staged = self._staged(tensor[rows].shape, tensor.dtype)
            staged.copy_(tensor[rows], non_blocking=self.is_gpu)
            if self.is_gpu:
                done = self.torch.cuda.Event()
                done.record(self.torch.cuda.current_stream(self.where))
                done.synchronize()
            out[rows] = staged.numpy()

        self.wait()
        engine.at_most(_COPIES).each(copy, _pieces(out))

    def later(self, tensor: Tensor) -> Callable[[], npt.NDArray[Any]]:
        """Begin to copy a small tensor to this process; the function returned waits for it alone."""
        if not self.is_gpu:
            return lambda: self.get(tensor)
        staged = self._staged(tensor.shape, tensor.dtype)
        staged.copy_(tensor, non_blocking=True)
        done = self.torch.cuda.Event()
        done.record(self.torch.cuda.current_stream(self.where))

        def get() -> npt.NDArray[Any]:
            done.synchronize()
            found: npt.NDArray[Any] = staged.numpy()
            return found

        return get

    def _staged(self, shape: Any, dtype: Any) -> Tensor:
        """Memory of this process that the GPU can use; PyTorch keeps it for the next time."""
        return self.torch.empty(shape, dtype=dtype, pin_memory=self.is_gpu)

    def _type(self, array: npt.NDArray[Any]) -> Any:
        return getattr(self.torch, array.dtype.name)

    def segment_sums(self, rows: Tensor, counts: Tensor) -> Tensor:
        """The sum of the first ``counts[0]`` rows, of the next ``counts[1]`` rows, ...; none of them is empty.

        Long runs are summed in pieces, and then the sums of the pieces, always in the same order.
        """
        torch = self.torch
        while int(counts.max()) > _PIECE:
            pieces = (counts + _PIECE - 1) // _PIECE
            sizes = torch.full((int(pieces.sum()),), _PIECE, device=self.where)
            sizes[pieces.cumsum(0) - 1] = counts - (pieces - 1) * _PIECE
            rows, counts = torch.segment_reduce(rows, "sum", lengths=sizes, unsafe=True), pieces
        return torch.segment_reduce(rows, "sum", lengths=counts, unsafe=True)

    def running_sums(self, numbers: Tensor) -> Tensor:
        """The sum of the first number, of the first two, ..., always added in the same order.

        For one row of rounded numbers, a GPU's ``cumsum`` has another order each time; for several rows, it has not.
        """
        torch, n = self.torch, len(numbers)
        rows = numbers.new_zeros((max(2, -(-n // _ROW)), _ROW))
        rows.view(-1)[:n] = numbers
        sums = rows.cumsum(1)
        if n > _ROW:
            before = self.running_sums(sums[:, -1])[:-1]
            sums += torch.cat([before.new_zeros(1), before])[:, None]
        found: Tensor = sums.view(-1)[:n]
        return found

    def wait(self) -> None:
        """Wait until all work is done."""
        if self.is_gpu:
            self.torch.cuda.synchronize(self.where)

    @contextmanager
    def products(self, kind: Literal["exact", "fast"]) -> Iterator[None]:
        """In a ``with`` block, matrix products of single precision are exact, or rounded as TF32 before.

        The setting belongs to the process, so it is restored.
        """
        matmul = self.torch.backends.cuda.matmul
        name, values = "allow_tf32", {"exact": False, "fast": True}
        if hasattr(matmul, "fp32_precision"):  # PyTorch 2.9 and later
            name, values = "fp32_precision", {"exact": "ieee", "fast": "tf32"}  # type: ignore[dict-item]
        before = getattr(matmul, name)
        setattr(matmul, name, values[kind])
        try:
            yield
        finally:
            setattr(matmul, name, before)

    # Memory -----------------------------------------------------------------------------------------

    def memory(self) -> tuple[int, int]:
        """How many bytes are free, and how many there are."""
        if not self.is_gpu:
            return 1 << 62, 1 << 62
        kept = self.torch.cuda.memory_reserved(self.where) - self.torch.cuda.memory_allocated(
            self.where
        )
        free, total = self.torch.cuda.mem_get_info(self.where)
        return int(free + kept), int(total)

    def is_full(self, error: BaseException) -> bool:
        """Whether an error says that there is no memory left."""
        full = isinstance(error, self.torch.cuda.OutOfMemoryError)
        return full or any(words in str(error) for words in _NO_ROOM)

    def fitting(self, each: float) -> str:
        """How many things of ``each`` bytes the free memory has room for, for hints."""
        return progress.number(int(self.memory()[0] / max(each, 1.0)))

    @contextmanager
    def within_memory(self, what: str, hint: str, needed: float = 0) -> Iterator[None]:
        """Raise an error if memory is too small for a ``with`` block, before it or inside; ``hint`` is what to do.

        ``needed`` is the number of bytes that it takes, if that is known.
        """
        if needed > self.memory()[0]:
            raise self.too_small(what, hint, needed)
        try:
            yield
        except RuntimeError as error:
            if not self.is_full(error):
                raise
            full = True
            # or else this error, which the frame of this block knows, keeps what was allocated until the next
            # collection of garbage
            traceback.clear_frames(error.__traceback__)
            error.__traceback__ = None
        else:
            full = False
        if full:  # here, where nothing holds on to what was allocated
            self.release()
            raise self.too_small(what, hint, needed)

    def too_small(self, what: str, hint: str, needed: float = 0) -> DeviceFullError:
        """The error if memory is too small for something."""
        free, total = self.memory()
        needs = f"needs about {progress.size(needed)}" if needed else "does not fit"
        return DeviceFullError(
            f"The memory of {self.title} is too small: {what} {needs}, and {progress.size(free)} of "
            f"{progress.size(total)} are free.",
            hint,
        )

    def release(self) -> None:
        """Give back memory that PyTorch keeps for later."""
        if self.is_gpu:
            self.torch.cuda.empty_cache()

    def blocks(
        self, n: int, size: int, work: Callable[[int, int], Result], what: str, hint: str
    ) -> Iterator[tuple[int, int, Result]]:
        """``work(a, b)`` for all of ``n`` rows, ``size`` of them at a time; yields it after a and b.

        If memory is full, blocks become half as large. ``what`` and ``hint`` are for the error if even
        one row is too much.
        """
        a = 0
        while a < n:
            progress.check_interrupted()
            b = min(a + size, n)
            done = self.unless_full(partial(work, a, b))
            if done is None:
                if size == 1:
                    raise self.too_small(what, hint)
                size = max(1, min(size, n - a) // 2)
                continue
            yield a, b, *done
            a = b

    def unless_full(self, work: Callable[[], Result]) -> tuple[Result] | None:
        """The result of a function; None if memory is full."""
        try:
            return (work(),)
        except RuntimeError as error:
            if not self.is_full(error):
                raise
        self.release()  # here, where nothing holds on to what was allocated
        return None


def _pieces(array: npt.NDArray[Any]) -> list[slice]:
    """The rows of an array, in pieces of about the same size."""
    rows = max(1, _BYTES_PER_COPY * max(1, len(array)) // max(1, array.nbytes))
    return [slice(a, a + rows) for a in range(0, len(array), rows)]


def open_device(owner: str, name: str, worker: int = 0) -> Device | None:
    """The device for a ``device`` parameter; None for the processor.

    Several workers on a machine have numbers, so that each gets a GPU of its own if none is named.
    """
    if name == CPU:
        return None
    found = _NAME.fullmatch(name) if isinstance(name, str) else None
    if not found:
        expected = "'cpu', 'cuda', or 'cuda:1' for the second GPU"
        raise wrong_parameter(owner, "device", expected, name)
    if found[1]:
        return _opened(int(found[1]))
    first = _opened(0)
    return _opened(worker % first.torch.cuda.device_count()) if worker else first


@cache
def _opened(number: int) -> Device:
    try:
        import torch
    except (ImportError, OSError) as error:
        if isinstance(error, ModuleNotFoundError) and error.name == "torch":
            raise FirthError("Computing on a GPU needs PyTorch.", INSTALL) from None
        raise FirthError(f"PyTorch cannot be imported: {_first_line(error)}", REPAIR) from None
    if not torch.backends.cuda.is_built():
        raise FirthError(
            f"The installed PyTorch ({torch.__version__}) cannot use GPUs.",
            "Install one for your GPU: https://pytorch.org/get-started/locally",
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the same as the error that follows
        n = torch.cuda.device_count() if torch.cuda.is_available() else 0
        if not n:
            raise FirthError(f"No GPU can be used: {_reason(torch)}.", _next_step(_reason(torch)))
        if number >= n:
            names = ", ".join(f"cuda:{k} ({torch.cuda.get_device_name(k)})" for k in range(n))
            raise FirthError(f"There is no GPU cuda:{number}.", f"Those of this machine: {names}")
        try:
            device = Device(f"cuda:{number}")
            device.wait()
            torch.zeros(1, device=device.where).add_(1).item()
        except RuntimeError as error:
            raise FirthError(
                f"GPU {number} does not work: {_first_line(error)}", OTHERWISE
            ) from None
    return device


def _reason(torch: Any) -> str:
    """Why there is no GPU, as PyTorch says it."""
    try:
        torch.cuda.init()
    except (RuntimeError, AssertionError) as error:
        return _first_line(error).rstrip(".")
    return "this machine has none"


def _next_step(reason: str) -> str:
    if "too old" in reason:
        return "Install a newer driver, or a PyTorch for this one: https://pytorch.org"
    if "driver" in reason:
        return f"Install the driver of the GPU. Or l{OTHERWISE[1:]}"
    return OTHERWISE


def _first_line(error: BaseException) -> str:
    return str(error).strip().split("\n")[0].split(". ")[0]
