"""Decorators for kernels, and a few machine instructions.

Kernels are free functions on arrays, without classes or strings. They are compiled for the current CPU
on first use, cached by Numba, and run without the GIL, so that Python threads run them in parallel.

The machine is assumed to be little-endian, as are the files of a model.

With ``NUMBA_BOUNDSCHECK=1`` all accesses to arrays are checked, those of ``load8`` and ``add_rows``
included, and one that is out of bounds raises IndexError.
"""

from __future__ import annotations

import ctypes
import math
import os
import platform
import secrets
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeVar

import numba
import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from firth.compute._cache import kept

__all__ = [
    "AHEAD", "LANES", "LINE", "add_rows", "bits_of", "bits_of64", "direct", "dot_lines", "float_of",
    "float_of64", "give_way", "kernel", "load8", "load_shared", "loose_kernel", "lowest_bit", "mixed", "new_secret",
    "prefetch", "spin", "stack_array", "store_shared",
]  # fmt: skip

LANES = 32
"""The width of the rows of ``add_rows``: numbers that fit into registers on all machines."""
AHEAD = 8
"""How many entries ahead ``add_rows`` prefetches. Arrays of indices must be longer by this number."""
LINE = 16
"""float32 numbers in a cache line."""

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile a function to machine code; cached on disk, without the GIL.

    Kernels do not allocate, so Numba's reference counting is off: with it, every call that passes an
    array costs two atomic operations, and the tokeniser is four times slower.
    """
    compiled: Function = kept(numba.njit(nogil=True, _nrt=False)(function))
    return compiled


def direct(*signature: Any) -> Callable[[Callable[..., Any]], Callable[[], Callable[..., Any]]]:
    """Compile a function for arguments of these types only, so that calling it takes less time; cached on disk.

    A kernel looks at the type of each argument whenever it is called, which takes a tenth of a microsecond for an
    array. Here arguments of other types are an error or worse, so only a function that makes them should call it.
    Bytes may be arguments, too. It is compiled when it is first asked for.
    """

    def decorate(function: Callable[..., Any]) -> Callable[[], Callable[..., Any]]:
        @cache
        def compiled() -> Callable[..., Any]:
            made = kept(numba.njit(nogil=True)(function))
            made.compile(signature)
            # not documented; without it, calls take longer
            found: Callable[..., Any] = getattr(made.overloads[signature], "entry_point", made)
            return found

        return compiled

    return decorate


def loose_kernel(function: Function) -> Function:
    """A kernel whose sums may be reordered and vectorised: for bounds, not for results."""
    loose = {"reassoc", "nsz", "contract"}
    compiled: Function = kept(numba.njit(nogil=True, _nrt=False, fastmath=loose)(function))
    return compiled


def new_secret() -> Any:
    """Four random numbers, as ``uint64``, for the hashes of one table; see ``mixed``."""
    return tuple(np.uint64(secrets.randbits(64)) for _ in range(4))


def _data(context: Any, builder: Any, signature: Any, args: Any, number: int) -> Any:
    """A pointer to the elements of an array argument."""
    return context.make_array(signature.args[number])(context, builder, args[number]).data


def _lengths(context: Any, builder: Any, signature: Any, args: Any, number: int) -> list[Any]:
    """The shape of an array argument."""
    array = context.make_array(signature.args[number])(context, builder, args[number])
    return list(cgutils.unpack_tuple(builder, array.shape))


def _address(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return builder.gep(_data(context, builder, signature, args, 0), [args[1]])


def _ask_for(builder: Any, address: Any, for_writing: int) -> None:
    """Prefetch the cache line of an address into all caches."""
    byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
    function = builder.module.declare_intrinsic(
        "llvm.prefetch", [byte], ir.FunctionType(ir.VoidType(), [byte, number, number, number])
    )
    address = builder.bitcast(address, byte)
    builder.call(function, [address, number(for_writing), number(3), number(1)])


@intrinsic  # type: ignore[untyped-decorator]
def load8(typing: Any, array: Any, index: Any) -> Any:  # noqa: ARG001
    """Eight bytes of a ``uint8`` array from ``index`` on, as one ``uint64``."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if context.enable_boundscheck:
            [n] = _lengths(context, builder, signature, args, 0)
            cgutils.do_boundscheck(context, builder, args[1], builder.sub(n, n.type(7)))
        address = _address(context, builder, signature, args)
        return builder.load(builder.bitcast(address, ir.IntType(64).as_pointer()), align=1)

    return types.uint64(array, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def prefetch(typing: Any, array: Any, index: Any) -> Any:  # noqa: ARG001
    """Prefetch the cache line of the element ``index`` of the flattened array; never faults."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _ask_for(builder, _address(context, builder, signature, args), for_writing=1)
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


def _same_bits(source: Any, target: Any, document: str) -> Any:
    """An intrinsic that takes the bits of one type for another."""

    def typed(typing: Any, value: Any) -> Any:  # noqa: ARG001
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
            return builder.bitcast(args[0], context.get_value_type(target))

        return target(source), generate

    typed.__doc__ = document
    return intrinsic(typed)


bits_of = _same_bits(types.float32, types.int32, "The bits of a ``float32``, as an ``int32``.")
float_of = _same_bits(types.int32, types.float32, "The ``float32`` with some bits.")
bits_of64 = _same_bits(types.float64, types.int64, "The bits of a ``float64``, as an ``int64``.")
float_of64 = _same_bits(types.int64, types.float64, "The ``float64`` with some bits.")


@intrinsic  # type: ignore[untyped-decorator]
def lowest_bit(typing: Any, word: Any) -> Any:  # noqa: ARG001
    """The index of the lowest set bit of a nonzero ``uint64``."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        return builder.cttz(args[0], ir.IntType(1)(1))

    return types.int64(types.uint64), generate


@intrinsic  # type: ignore[untyped-decorator]
def mixed(typing: Any, a: Any, b: Any) -> Any:  # noqa: ARG001
    """Two ``uint64`` as one: their product has 128 bits, whose halves are combined by exclusive or.

    With a secret in both factors, this hashes keys that come from outside: who does not know the secret
    cannot make keys that collide. (wyhash and the tables of Rust's hashbrown do the same.)
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        half, whole = ir.IntType(64), ir.IntType(128)
        product = builder.mul(*(builder.zext(factor, whole) for factor in args))
        high = builder.trunc(builder.lshr(product, whole(64)), half)
        return builder.xor(high, builder.trunc(product, half))

    return types.uint64(types.uint64, types.uint64), generate


def _array_of(context: Any, builder: Any, of: Any, data: Any, shape: Sequence[Any]) -> Any:
    """An array of numbers that are somewhere in memory, which nobody counts references to."""
    made = context.make_array(of)(context, builder)
    itemsize = context.get_constant(types.intp, context.get_abi_sizeof(data.type.pointee))
    strides = [itemsize]
    for n in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], n))
    populate_array(made, data, shape, strides, itemsize, None)
    return made._getvalue()


def stack_array(of: Any, *shape: int) -> Any:
    """An intrinsic that makes an array whose elements are not set, and which lasts as long as the kernel's call."""
    kind = types.Array(of, len(shape), "C")

    def typed(typing: Any) -> Any:  # noqa: ARG001
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
            sizes = [context.get_constant(types.intp, n) for n in shape]
            n = context.get_constant(types.intp, math.prod(shape))
            data = cgutils.alloca_once(builder, context.get_value_type(of), n)
            return _array_of(context, builder, kind, data, sizes)

        return kind(), generate

    return intrinsic(typed)


@intrinsic  # type: ignore[untyped-decorator]
def load_shared(typing: Any, array: Any, index: Any) -> Any:  # noqa: ARG001
    """The element ``index`` of a flattened ``int64`` array that another thread writes by ``store_shared``.

    What that thread wrote to any array before is seen by this one afterwards.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        address = _address(context, builder, signature, args)
        return builder.load_atomic(address, "acquire", 8)

    return types.int64(array, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def store_shared(typing: Any, array: Any, index: Any, value: Any) -> Any:  # noqa: ARG001
    """Write the element ``index`` of a flattened ``int64`` array, for threads that call ``load_shared``."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store_atomic(args[2], _address(context, builder, signature, args), "release", 8)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def spin(typing: Any) -> Any:  # noqa: ARG001
    """Tell the processor that this thread waits for another one; takes nanoseconds."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        nothing, number = ir.VoidType(), ir.IntType(32)
        machine = platform.machine().lower()
        if machine in ("x86_64", "amd64"):
            function = ir.FunctionType(nothing, [])
            pause = builder.module.declare_intrinsic("llvm.x86.sse2.pause", fnty=function)
            builder.call(pause, [])
        elif machine in ("aarch64", "arm64"):
            function = ir.FunctionType(nothing, [number])
            hint = builder.module.declare_intrinsic("llvm.aarch64.hint", fnty=function)
            builder.call(hint, [number(1)])  # yield
        return context.get_dummy_value()

    return types.void(), generate


_GIVE_WAY = "firth_give_way"
# compiled code finds the function of the system by this name, in every process
binding.add_symbol(
    _GIVE_WAY,
    ctypes.cast(
        ctypes.CDLL("kernel32").SwitchToThread
        if os.name == "nt"
        else ctypes.CDLL(None).sched_yield,
        ctypes.c_void_p,
    ).value,
)


@intrinsic  # type: ignore[untyped-decorator]
def give_way(typing: Any) -> Any:  # noqa: ARG001
    """Let another thread run on this core; takes a microsecond if there is none."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        function = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(ir.IntType(32), []), _GIVE_WAY
        )
        builder.call(function, [])
        return context.get_dummy_value()

    return types.void(), generate


@intrinsic  # type: ignore[untyped-decorator]
def add_rows(
    typing: Any, target: Any, row: Any, source: Any, indices: Any, values: Any, start: Any, end: Any  # noqa: ARG001
) -> Any:  # fmt: skip
    """Add multiples of rows of ``source`` to a row of ``target``.

    The same as this, but with the row of the target in registers and rows of the source prefetched::

        for e in range(start, end):
            target[row] += values[e] * source[indices[e]]

    ``target`` and ``source`` are C-contiguous float32 arrays of ``LANES`` columns. ``indices`` must
    have ``AHEAD`` more elements than are used, all of them valid row numbers.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        to, source, indices, values = (
            _data(context, builder, signature, args, i) for i in (0, 2, 3, 4)
        )
        row, start, end = args[1], args[5], args[6]
        i32, i64 = ir.IntType(32), ir.IntType(64)
        vector = ir.VectorType(ir.FloatType(), LINE)
        undefined, lanes = ir.Constant(vector, ir.Undefined), ir.VectorType(i32, LINE)
        n_vectors = LANES // LINE

        def places(array: Any, row: Any) -> list[Any]:
            first = builder.mul(row, i64(LANES))
            return [
                builder.gep(array, [builder.add(first, i64(LINE * k))]) for k in range(n_vectors)
            ]

        def load(place: Any) -> Any:
            return builder.load(builder.bitcast(place, vector.as_pointer()), align=4)

        def row_number(entry: Any) -> Any:
            return builder.zext(builder.load(builder.gep(indices, [entry])), i64)

        checked = context.enable_boundscheck
        n_target, n_source, n_indices, n_values = (
            _lengths(context, builder, signature, args, i)[0] if checked else None
            for i in (0, 2, 3, 4)
        )

        def check(index: Any, below: Any) -> None:
            cgutils.do_boundscheck(context, builder, index, below)

        if checked:
            check(row, n_target)
        before = builder.block
        test, body, after = (builder.append_basic_block(name) for name in ("test", "body", "after"))
        first_sums = [load(place) for place in places(to, row)]
        builder.branch(test)

        builder.position_at_end(test)
        entry = builder.phi(i64)
        sums = [builder.phi(vector) for _ in range(n_vectors)]
        entry.add_incoming(start, before)
        for running, first in zip(sums, first_sums, strict=True):
            running.add_incoming(first, before)
        builder.cbranch(builder.icmp_signed("<", entry, end), body, after)

        builder.position_at_end(body)
        if checked:
            check(builder.add(entry, i64(AHEAD)), n_indices)
            check(entry, n_values)
            check(row_number(entry), n_source)
        for place in places(source, row_number(builder.add(entry, i64(AHEAD)))):
            _ask_for(builder, place, for_writing=0)
        value = builder.load(builder.gep(values, [entry]))
        value = builder.insert_element(undefined, value, i32(0))
        value = builder.shuffle_vector(value, undefined, ir.Constant(lanes, [0] * LINE))
        fused = ["contract"]  # multiply and add may be one instruction
        for running, place in zip(sums, places(source, row_number(entry)), strict=True):
            product = builder.fmul(value, load(place), flags=fused)
            running.add_incoming(builder.fadd(running, product, flags=fused), builder.block)
        entry.add_incoming(builder.add(entry, i64(1)), builder.block)
        builder.branch(test)

        builder.position_at_end(after)
        for place, total in zip(places(to, row), sums, strict=True):
            builder.store(total, builder.bitcast(place, vector.as_pointer()), align=4)
        return context.get_dummy_value()

    integers = types.int64
    return types.void(target, integers, source, indices, values, integers, integers), generate


@intrinsic  # type: ignore[untyped-decorator]
def dot_lines(typing: Any, x: Any, y: Any, n: Any) -> Any:  # noqa: ARG001
    """The sum of products of the first ``n`` elements of two arrays.

    The arrays are C-contiguous and of type float32, and ``n`` is a multiple of ``LINE``. There are ``LINE``
    running sums, each of every ``LINE``-th product, and nothing is fused: the result is the same on every
    machine, and vectors of any width compute it.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if context.enable_boundscheck:
            for i in (0, 1):
                [length] = _lengths(context, builder, signature, args, i)
                above = builder.add(length, length.type(1))
                cgutils.do_boundscheck(context, builder, args[2], above)
        sides = [_data(context, builder, signature, args, i) for i in (0, 1)]
        i32, i64 = ir.IntType(32), ir.IntType(64)
        vector = ir.VectorType(ir.FloatType(), LINE)
        before = builder.block
        test, body, after = (builder.append_basic_block(name) for name in ("test", "body", "after"))
        builder.branch(test)

        builder.position_at_end(test)
        entry, sums = builder.phi(i64), builder.phi(vector)
        entry.add_incoming(i64(0), before)
        sums.add_incoming(ir.Constant(vector, [0.0] * LINE), before)
        builder.cbranch(builder.icmp_signed("<", entry, args[2]), body, after)

        builder.position_at_end(body)
        first, second = (
            builder.load(builder.bitcast(builder.gep(side, [entry]), vector.as_pointer()), align=4)
            for side in sides
        )
        sums.add_incoming(builder.fadd(sums, builder.fmul(first, second)), body)
        entry.add_incoming(builder.add(entry, i64(LINE)), body)
        builder.branch(test)

        builder.position_at_end(after)
        parts = [builder.extract_element(sums, i32(k)) for k in range(LINE)]
        while len(parts) > 1:  # add in pairs
            half = len(parts) // 2
            parts = [builder.fadd(parts[k], parts[half + k]) for k in range(half)]
        return parts[0]

    return types.float32(x, y, types.int64), generate
