"""Products of a tall dense matrix with a few columns, of which there are ``LANES``.

BLAS libraries are made for matrices that are large on all sides. They copy a matrix into another order
first, which takes as long as the product itself if the other one is narrow, and some do not know the
vectors of newer processors. Here nothing is copied, and vectors are as wide as the processor has them.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from llvmlite import binding, ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

from firth.compute.kernels import LANES, LINE, _data, _lengths, kernel

__all__ = ["add_product"]

_FEATURES = config.CPU_FEATURES or binding.get_host_cpu_features().flatten()
_TILE = 8 if "+avx512f" in _FEATURES else 2
"""Rows whose sums are in registers at once. The result does not depend on it."""


def _add_rows(tile: int) -> Any:
    """An intrinsic for ``tile`` rows of ``add_product``."""

    @intrinsic  # type: ignore[untyped-decorator]
    def add(
        typing: Any, target: Any, row: Any, column: Any, factors: Any, begin: Any, across: Any, along: Any,  # noqa: ARG001
        source: Any, first: Any, n: Any,  # noqa: ARG001
    ) -> Any:  # fmt: skip
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            _, row, column, _, begin, across, along, _, first, n = args
            to, factors, source = (_data(context, builder, signature, args, i) for i in (0, 3, 7))
            i32, i64 = ir.IntType(32), ir.IntType(64)
            vector = ir.VectorType(ir.FloatType(), LINE)
            undefined, lanes = ir.Constant(vector, ir.Undefined), ir.VectorType(i32, LINE)
            parts = range(LANES // LINE)
            n_target, width = _lengths(context, builder, signature, args, 0)

            if context.enable_boundscheck:
                n_rows, n_columns = _lengths(context, builder, signature, args, 3)
                n_source, _ = _lengths(context, builder, signature, args, 7)
                last = builder.sub(n, i64(1))
                corner = builder.add(builder.mul(across, i64(tile - 1)), builder.mul(along, last))
                for index, below in (
                    (row, n_target),
                    (builder.add(row, i64(tile - 1)), n_target),
                    (column, width),
                    (builder.add(column, i64(LANES - 1)), width),
                    (begin, builder.mul(n_rows, n_columns)),
                    (builder.add(begin, corner), builder.mul(n_rows, n_columns)),
                    (first, n_source),
                    (builder.add(first, last), n_source),
                ):
                    cgutils.do_boundscheck(context, builder, index, below)

            def at(start: Any, offset: int) -> Any:
                return builder.bitcast(builder.gep(start, [i64(offset)]), vector.as_pointer())

            before = builder.block
            test, body, after = (
                builder.append_basic_block(name) for name in ("test", "body", "after")
            )
            first_factor = builder.gep(factors, [begin])
            first_row = builder.gep(source, [builder.mul(first, i64(LANES))])
            builder.branch(test)

            builder.position_at_end(test)
            step, factor, here = (builder.phi(x.type) for x in (i64(0), first_factor, first_row))
            for running, start in ((step, i64(0)), (factor, first_factor), (here, first_row)):
                running.add_incoming(start, before)
            sums = [[builder.phi(vector) for _ in parts] for _ in range(tile)]
            for total in chain(*sums):
                total.add_incoming(ir.Constant(vector, [0.0] * LINE), before)
            builder.cbranch(builder.icmp_signed("<", step, n), body, after)

            builder.position_at_end(body)
            rows = [builder.load(at(here, LINE * k), align=4) for k in parts]
            for t in range(tile):
                value = builder.load(builder.gep(factor, [builder.mul(across, i64(t))]))
                value = builder.insert_element(undefined, value, i32(0))
                value = builder.shuffle_vector(value, undefined, ir.Constant(lanes, [0] * LINE))
                fused = ["contract"]  # multiply and add may be one instruction
                for k in parts:
                    product = builder.fmul(value, rows[k], flags=fused)
                    sums[t][k].add_incoming(builder.fadd(sums[t][k], product, flags=fused), body)
            step.add_incoming(builder.add(step, i64(1)), body)
            factor.add_incoming(builder.gep(factor, [along]), body)
            here.add_incoming(builder.gep(here, [i64(LANES)]), body)
            builder.branch(test)

            builder.position_at_end(after)
            for t in range(tile):
                place = builder.add(builder.mul(builder.add(row, i64(t)), width), column)
                start = builder.gep(to, [place])
                for k in parts:
                    total = builder.fadd(builder.load(at(start, LINE * k), align=4), sums[t][k])
                    builder.store(total, at(start, LINE * k), align=4)
            return context.get_dummy_value()

        for array in (target, factors, source):
            if (array.layout, array.dtype, array.ndim) != ("C", types.float32, 2):
                return None  # Numba then says that there is no such function
        i = types.int64
        return types.void(target, i, i, factors, i, i, i, source, i, i), generate

    return add


_add_tile, _add_row = _add_rows(_TILE), _add_rows(1)


@kernel
def add_product(
    target: Any, start: int, end: int, column: int, factors: Any, begin: int, across: int, along: int,
    source: Any, first: int, n: int,
) -> None:  # fmt: skip
    """Add sums of multiples of rows of ``source`` to rows of ``target``, ``LANES`` columns from one on.

    The same as this, but with the sums in registers::

        for i in range(start, end):
            numbers = factors.ravel()[begin + (i - start) * across :][:: along][:n]
            target[i, column : column + LANES] += numbers @ source[first : first + n]

    All arrays are C-contiguous, float32, and have two dimensions; ``source`` has ``LANES`` columns. Each
    sum is formed in the order of the rows of ``source``, in single precision, so ``n`` should be small.
    """
    i = start
    while i + _TILE <= end:
        _add_tile(target, i, column, factors, begin, across, along, source, first, n)
        i += _TILE
        begin += _TILE * across
    while i < end:
        _add_row(target, i, column, factors, begin, across, along, source, first, n)
        i += 1
        begin += across
