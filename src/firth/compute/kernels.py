"""What every kernel file needs: the compiler switch and three machine instructions.

Kernels are free functions on arrays, without classes or strings. They are compiled for this very
CPU on first use, kept in Numba's cache, and run without the interpreter lock, so Python threads run
them side by side.

The machine is taken to be little-endian, as are the files of a model.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

__all__ = ["kernel", "load8", "lowest_bit", "prefetch"]

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile a function to machine code; cached on disk, no interpreter lock.

    Kernels allocate nothing, so Numba's reference counting is off: with it, every call that hands an
    array on costs two atomic operations, and the tokeniser is four times slower.
    """
    compiled: Function = numba.njit(cache=True, nogil=True, _nrt=False)(function)
    return compiled


def _address(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, args[0])
    return builder.gep(array.data, [args[1]])


@intrinsic  # type: ignore[untyped-decorator]
def load8(typing: Any, array: Any, index: Any) -> Any:  # noqa: ARG001
    """Eight bytes of a ``uint8`` array from ``index`` on, as one ``uint64``; no bounds check."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        address = _address(context, builder, signature, args)
        return builder.load(builder.bitcast(address, ir.IntType(64).as_pointer()), align=1)

    return types.uint64(array, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def prefetch(typing: Any, array: Any, index: Any) -> Any:  # noqa: ARG001
    """Ask for the cache line of the element ``index`` (of the flattened array), needed soon; never faults."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        function = builder.module.declare_intrinsic(
            "llvm.prefetch",
            [byte],
            ir.FunctionType(ir.VoidType(), [byte, number, number, number]),
        )
        address = builder.bitcast(_address(context, builder, signature, args), byte)
        # for writing (1), to be kept in all caches (3), data (1)
        builder.call(function, [address, number(1), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def lowest_bit(typing: Any, word: Any) -> Any:  # noqa: ARG001
    """The index of the lowest bit that is set in a ``uint64`` that is not zero."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        return builder.cttz(args[0], ir.IntType(1)(1))

    return types.int64(types.uint64), generate
