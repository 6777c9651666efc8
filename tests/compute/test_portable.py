"""Logarithms, exponentials and sums that are the same on every machine."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firth.compute import portable
from firth.compute.kernels import kernel
from firth.compute.portable_kernels import dot32, exp, log


def errors(found: Any, x: Any, exact: Callable[[Decimal], Decimal]) -> list[float]:
    """The errors of some results, in units of their last place."""
    with localcontext() as context:
        context.prec = 50
        return [
            float(abs(Decimal(float(y)) - exact(Decimal(float(a)))) / Decimal(math.ulp(y)))
            for a, y in zip(x, found, strict=True)
        ]


def test_errors_are_below_one_unit_in_the_last_place() -> None:
    rng = np.random.default_rng(0)
    near = 1 + rng.uniform(-0.3, 0.45, 1000)
    x = np.concatenate([near, 2.0 ** rng.uniform(-1070, 1023, 500), rng.integers(2, 10**9, 500)])
    assert max(errors(portable.logs(x), x, Decimal.ln)) < 0.9
    x = np.concatenate([rng.uniform(-1, 1, 1000), rng.uniform(-700, 709, 1000)])
    assert max(errors(portable.exps(x), x, Decimal.exp)) < 0.9


def test_special_values() -> None:
    inf, nan = math.inf, math.nan
    np.testing.assert_array_equal(
        portable.logs([0.0, -1.0, inf, nan, 1.0]), [-inf, nan, inf, nan, 0]
    )
    np.testing.assert_array_equal(
        portable.exps([-inf, inf, nan, 0.0, 710, -746]), [0, inf, nan, 1, inf, 0]
    )
    assert portable.logs([5e-324])[0] == pytest.approx(-744.4400719213812)
    assert portable.exps([-745.0])[0] == 5e-324
    assert portable.logs([[1.0, 2.0]]).shape == (1, 2)
    np.testing.assert_array_equal(portable.log2s([8.0, 1.0, 0.0, 2.0**-1074]), [3, 0, -inf, -1074])


@kernel
def in_kernels(x: Any, y: Any, of_x: Any, of_y: Any) -> None:
    for i in range(len(x)):
        of_x[i], of_y[i] = log(x[i]), exp(y[i])


def test_kernels_have_the_same_bits_as_arrays() -> None:
    rng = np.random.default_rng(1)
    x = np.concatenate([[0, -1, np.inf, np.nan, 5e-324, 1], 2.0 ** rng.uniform(-1074, 1024, 5000)])
    y = np.concatenate([[0, -746, np.inf, np.nan, 710, -np.inf], rng.uniform(-746, 710, 5000)])
    of_x, of_y = np.empty((2, len(x)))
    in_kernels(x, y, of_x, of_y)
    np.testing.assert_array_equal(of_x, portable.logs(x))
    np.testing.assert_array_equal(of_y, portable.exps(y))


@pytest.mark.parametrize("n", [0, 5, 16, 300])
def test_sums_of_products_have_sixteen_running_sums(n: int) -> None:
    x, y = np.random.default_rng(n).standard_normal((2, n)).astype(np.float32)
    whole = n - n % 16
    sums = np.zeros(16, np.float32)
    for k in range(0, whole, 16):
        sums += x[k : k + 16] * y[k : k + 16]
    while len(sums) > 1:
        sums = sums[: len(sums) // 2] + sums[len(sums) // 2 :]
    total = sums[0]
    for k in range(whole, n):
        total += x[k] * y[k]
    assert dot32(x, y) == total


@given(st.floats(0, allow_infinity=False, exclude_min=True), st.floats(-740, 709))
def test_they_are_close_to_those_of_the_c_library(x: float, y: float) -> None:
    assert portable.logs([x])[0] == pytest.approx(math.log(x), rel=3e-16, abs=0)
    assert portable.exps([y])[0] == pytest.approx(math.exp(y), rel=3e-16, abs=1e-323)


def test_they_have_the_same_bits_on_every_machine() -> None:
    whole = np.arange(1, 1 << 17, dtype=np.float64)
    digest = hashlib.sha256(portable.logs(whole).tobytes())
    digest.update(portable.exps(whole / 999 - 66).tobytes())
    digest.update(portable.log2s(whole).tobytes())
    assert digest.hexdigest() == "6dafca06e3e085172804e754a35bd68b0c9d7214116ad428f84d4f258a3c797f"
