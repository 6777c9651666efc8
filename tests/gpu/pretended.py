"""A pretended GPU, for machines without one: tensors that say they are elsewhere, and compute on the processor.

It finds what PyTorch's ``cpu`` device cannot: tensors of two devices in one operation, arrays that are read before
they have come, sums that a GPU adds up in any order, and memory that is full or never given back. It knows nothing of
Triton, of the limits of CUDA's own libraries, or of time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any
from weakref import finalize

import torch

from firth.compute import Device

__all__ = ["PretendedDevice"]

PLENTY = 1 << 50
_WHERE = torch.device("meta")
"""What PyTorch knows on every machine, and what is not the processor."""
_UNIT = 512
"""Memory is given out in such pieces."""
_GARBAGE = 77
"""What an array contains until it has come."""
_ANY_ORDER = {"scatter_add", "scatter_add_", "index_add", "index_add_", "put_", "histc"}
"""Operations in which a GPU adds rounded numbers in another order each time."""


def _in_any_order(name: str, args: Any) -> bool:
    """The same, if numbers are rounded; running sums have a fixed order if there are several rows."""
    if name in ("cumsum", "cumprod"):
        return bool(args[0].numel() == args[0].shape[args[1]])
    if name in ("scatter_reduce", "scatter_reduce_"):
        return args[4] not in ("amax", "amin")
    return name in _ANY_ORDER


def _mapped(function: Callable[[Any], Any], x: Any) -> Any:
    """What a function makes of all tensors in something."""
    if isinstance(x, torch.Tensor):
        return function(x)
    if isinstance(x, list | tuple):
        found = [_mapped(function, one) for one in x]
        return found if isinstance(x, list) else tuple(found)
    return {key: _mapped(function, one) for key, one in x.items()} if isinstance(x, dict) else x


def _tensors_of(x: Any) -> list[torch.Tensor]:
    found: list[torch.Tensor] = []
    _mapped(found.append, x)
    return found


class Memory:
    """What a pretended GPU keeps, and what is on the way."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.capacity, self.used, self.peak = PLENTY, 0, 0
        self.n_allocations, self.fails_at = 0, -1
        self._owners: dict[int, list[int]] = {}
        self._there: list[tuple[Any, Any]] = []
        self._back: list[tuple[int, Any, Any]] = []
        self.n_copies = 0

    def hold(self, tensor: Any, inner: Any) -> None:
        """Count the memory of a tensor until neither it nor a view of it is there any more."""
        storage = inner.untyped_storage()
        key, size = storage._cdata, -(-storage.nbytes() // _UNIT) * _UNIT
        if key not in self._owners:
            self.n_allocations += 1
            if self.used + size > self.capacity or self.n_allocations == self.fails_at:
                raise torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate")
            self._owners[key] = [0, size]
            self.used += size
            self.peak = max(self.peak, self.used)
        self._owners[key][0] += 1
        finalize(tensor, self._let_go, key).atexit = False

    def _let_go(self, key: int) -> None:
        with self.lock:
            owners = self._owners[key]
            owners[0] -= 1
            if not owners[0]:
                self.used -= owners[1]
                del self._owners[key]

    def send(self, target: Any, source: Any, later: bool) -> None:
        if later:  # the array is read when the GPU comes to it
            self._there.append((target, source))
        else:
            target.copy_(source)

    def fetch(self, target: Any, source: Any, later: bool) -> None:
        if later:
            self.n_copies += 1
            self._back.append((self.n_copies, target, source.clone()))
            target.fill_(_GARBAGE)
        else:
            self.arrive(self.n_copies)
            target.copy_(source)

    def begin(self) -> None:
        """Do what comes before the next operation."""
        there, self._there = self._there, []
        for target, source in there:
            target.copy_(source)

    def arrive(self, last: int) -> None:
        """Finish copies to arrays up to this one."""
        with self.lock:
            self.begin()
            for number, target, values in self._back:
                if number <= last:
                    target.copy_(values)
            self._back = [copy for copy in self._back if copy[0] > last]


class _There(torch.Tensor):  # type: ignore[misc]
    """A tensor on the pretended GPU."""

    memory: Memory
    inner: torch.Tensor
    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, inner: Any, memory: Memory) -> _There:
        found: _There = torch.Tensor._make_wrapper_subclass(
            cls, inner.shape, strides=inner.stride(), storage_offset=inner.storage_offset(),
            dtype=inner.dtype, device=_WHERE,
        )  # fmt: skip
        memory.hold(found, inner)
        found.inner, found.memory = inner, memory
        return found

    def tolist(self) -> Any:
        return self.cpu().tolist()

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, list):  # PyTorch would make it itself, without numbers in it
            place = _There(torch.tensor(place), self.memory)
        return super().__getitem__(place)

    def __setitem__(self, place: Any, value: Any) -> None:
        if not isinstance(value, torch.Tensor):  # the same
            value = _There(torch.tensor(value, dtype=self.dtype), self.memory)
        super().__setitem__(place, value)

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        tensors = _tensors_of((args, kwargs))
        memory = next(x for x in tensors if isinstance(x, cls)).memory
        with memory.lock:
            return cls._computed(memory, func, tensors, args, kwargs)

    @classmethod
    def _computed(cls, memory: Memory, func: Any, tensors: Any, args: Any, kwargs: Any) -> Any:
        memory.begin()
        name = func.overloadpacket.__name__
        if name == "copy_" and isinstance(args[0], cls) != isinstance(args[1], cls):
            target, source, *rest = args
            later = bool(rest and rest[0])
            if isinstance(target, cls):
                memory.send(target.inner, source, later)
            else:
                memory.fetch(target, source.inner, later)
            return target
        if name in ("_to_copy", "_local_scalar_dense"):
            memory.arrive(memory.n_copies)
        if name == "_to_copy" and (device := kwargs.get("device")) is not None:
            kwargs = {key: value for key, value in kwargs.items() if key != "device"}
            if device.type == "cpu":
                assert not kwargs.get("non_blocking"), "the array is used before it has come"
                return func(args[0].inner.clone(), **kwargs)
        for x in tensors:
            assert isinstance(x, cls) or not x.dim(), f"{name} of tensors on two devices"
        assert not (
            args
            and isinstance(args[0], cls)
            and args[0].is_floating_point()
            and _in_any_order(name, args)
        ), f"{name} adds up in any order"
        if kwargs.get("device") is not None:
            kwargs = {**kwargs, "device": torch.device("cpu")}

        def inner(x: Any) -> Any:
            return x.inner if isinstance(x, cls) else x

        found = func(*_mapped(inner, args), **_mapped(inner, kwargs))
        changed = [r.alias_info is not None and r.alias_info.is_write for r in func._schema.returns]
        if changed and all(changed):
            return kwargs.get("out", args[0])
        return _mapped(lambda x: cls(x, memory), found)


class _Sparse:
    """A sparse matrix on the pretended GPU, which can only be multiplied."""

    def __init__(self, inner: Any, memory: Memory) -> None:
        self._inner, self._memory = inner, memory

    def __matmul__(self, other: Any) -> Any:
        assert isinstance(other, _There), "a product of tensors on two devices"
        return _There(self._inner @ other.inner, self._memory)


class _Torch:
    """PyTorch, with a pretended GPU."""

    def __init__(self, memory: Memory) -> None:
        class Event:
            def record(self, stream: Any) -> None:
                assert stream == "the stream"
                self.last = memory.n_copies

            def synchronize(self) -> None:
                memory.arrive(self.last)

        self._memory = memory
        self.cuda = SimpleNamespace(
            OutOfMemoryError=torch.cuda.OutOfMemoryError, Event=Event, empty_cache=lambda: None,
            current_stream=lambda where: "the stream" if where == _WHERE else None,
            synchronize=lambda _: memory.arrive(memory.n_copies), get_device_name=lambda _: "a pretended GPU",
            memory_reserved=lambda _: memory.used, memory_allocated=lambda _: memory.used,
            mem_get_info=lambda _: (memory.capacity - memory.used, memory.capacity),
        )  # fmt: skip

    def Generator(self, where: torch.device) -> torch.Generator:  # noqa: N802
        assert where == _WHERE
        return torch.Generator()

    def sparse_csr_tensor(self, *parts: Any, **named: Any) -> _Sparse:
        inner = [part.inner if isinstance(part, _There) else part for part in parts]
        assert sum(isinstance(part, _There) for part in parts) == 3
        return _Sparse(torch.sparse_csr_tensor(*inner, **named), self._memory)

    def where(self, condition: Any, *values: Any) -> Any:
        """The function of PyTorch, which would make tensors of numbers itself."""
        kind = None if any(isinstance(x, _There) for x in values) else torch.get_default_dtype()
        made = [
            x if isinstance(x, torch.Tensor) else _There(torch.tensor(
                x, dtype=kind or (torch.float64 if isinstance(x, float) else None)
            ), self._memory)
            for x in values
        ]  # fmt: skip
        return torch.where(condition, *made)

    def __getattr__(self, name: str) -> Any:
        found = getattr(torch, name)
        if not callable(found) or isinstance(found, type):
            return found

        def call(*args: Any, **named: Any) -> Any:
            named.pop("pin_memory", None)
            if named.get("device") != _WHERE:
                return found(*args, **named)
            if any(isinstance(x, _There) for x in _tensors_of((args, named))):
                return found(*args, **named)
            with self._memory.lock:
                self._memory.begin()
                return _There(found(*args, **{**named, "device": "cpu"}), self._memory)

        return call


class PretendedDevice(Device):
    """A device whose tensors say that they are elsewhere.

    Attributes
    ----------
    memory_used : Memory
    """

    def __init__(self) -> None:
        self.memory_used = Memory()
        self.torch = _Torch(self.memory_used)
        self.where, self.is_gpu, self.title = _WHERE, True, "a pretended GPU"

    def __reduce__(self) -> Any:
        return PretendedDevice, ()

    @contextmanager
    def room(self, capacity: int = PLENTY, fails_at: int = -1) -> Iterator[None]:
        """In a ``with`` block, memory of so many bytes; and the allocation of a number fails."""
        memory = self.memory_used
        memory.capacity = capacity
        memory.fails_at = memory.n_allocations + fails_at if fails_at > 0 else -1
        memory.peak = memory.used
        try:
            yield
        finally:
            memory.capacity, memory.fails_at = PLENTY, -1
