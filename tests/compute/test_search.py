"""Binary search."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from firth.compute.search_kernels import first_not_below


@given(numbers=st.lists(st.integers(0, 9), max_size=20), value=st.integers(-1, 10), data=st.data())
def test_the_first_element_that_is_not_below(
    numbers: list[int], value: int, data: st.DataObject
) -> None:
    numbers.sort()
    begin = data.draw(st.integers(0, len(numbers)))
    end = data.draw(st.integers(begin, len(numbers)))
    found = first_not_below(np.array(numbers, np.int64), begin, end, value)
    assert found == bisect_left(numbers, value, begin, end)
