"""Kernels for lower case and normal form C of code points (Unicode Standard Annex 15)."""

from __future__ import annotations

from typing import Any

import numpy as np

from firth.compute.kernels import kernel
from firth.unicode._tables import IGNORABLE, LOWER, TITLE, UPPER, Forms

Array = Any  # a NumPy array, inside kernels

_CASED = UPPER | LOWER | TITLE
_SIGMA, _SMALL_SIGMA, _FINAL_SIGMA, _DOTTED_I = 0x3A3, 0x3C3, 0x3C2, 0x130
_S, _L, _V, _T = 0xAC00, 0x1100, 0x1161, 0x11A7  # the first Hangul syllable, and before each part
_N_L, _N_V, _N_T = 19, 21, 28


@kernel
def _flags(point: int, forms: Forms) -> int:
    return np.int64(forms.flags[point]) if point < len(forms.flags) else 0


@kernel
def _is_final(points: Array, i: int, forms: Forms) -> bool:
    """Whether a sigma ends a word: there is a letter with case before it, and none after it."""
    j = i - 1
    while j >= 0 and _flags(points[j], forms) & IGNORABLE:
        j -= 1
    if j < 0 or _flags(points[j], forms) & _CASED == 0:
        return False
    j = i + 1
    while j < len(points) and _flags(points[j], forms) & IGNORABLE:
        j += 1
    return j == len(points) or _flags(points[j], forms) & _CASED == 0


@kernel
def lower_case(points: Array, out: Array, forms: Forms) -> int:
    """Write the lower case; returns the number of points."""
    n = 0
    for i in range(len(points)):
        point = np.int64(points[i])
        if point == _SIGMA:
            out[n] = _FINAL_SIGMA if _is_final(points, i, forms) else _SMALL_SIGMA
        elif point == _DOTTED_I:
            out[n], out[n + 1] = 0x69, 0x307
            n += 1
        else:
            out[n] = forms.lower[point] if point < len(forms.lower) else point
        n += 1
    return n


@kernel
def _is_unsure(point: int, forms: Forms) -> bool:
    return point < len(forms.unsure) and forms.unsure[point]


@kernel
def _class(point: int, forms: Forms) -> int:
    return np.int64(forms.combining[point]) if point < len(forms.combining) else 0


@kernel
def _decompose(point: int, out: Array, n: int, forms: Forms) -> int:
    """Append the full decomposition of a point; returns the new number of points."""
    if _S <= point < _S + _N_L * _N_V * _N_T:
        place = point - _S
        out[n] = _L + place // (_N_V * _N_T)
        out[n + 1] = _V + place // _N_T % _N_V
        if place % _N_T == 0:
            return n + 2
        out[n + 2] = _T + place % _N_T
        return n + 3
    if point < len(forms.starts) - 1 and forms.starts[point] < forms.starts[point + 1]:
        for k in range(forms.starts[point], forms.starts[point + 1]):
            out[n] = forms.parts[k]
            n += 1
        return n
    out[n] = point
    return n + 1


@kernel
def _composed(first: int, second: int, forms: Forms) -> int:
    """What two points combine to, or -1."""
    if _L <= first < _L + _N_L and _V <= second < _V + _N_V:
        return _S + ((first - _L) * _N_V + second - _V) * _N_T
    if (
        _S <= first < _S + _N_L * _N_V * _N_T
        and (first - _S) % _N_T == 0
        and _T < second < _T + _N_T
    ):
        return first + second - _T
    if not _is_unsure(second, forms):
        return -1
    pair, low, high = first << 21 | second, 0, len(forms.pairs)
    while low < high:
        middle = (low + high) >> 1
        if forms.pairs[middle] < pair:
            low = middle + 1
        else:
            high = middle
    if low < len(forms.pairs) and forms.pairs[low] == pair:
        return np.int64(forms.composites[low])
    return -1


@kernel
def _sort_marks(out: Array, begin: int, end: int, room: Array, forms: Forms) -> None:
    """Sort points by combining class, equal ones in their order; linear, however many there are."""
    room[:256] = 0
    for k in range(begin, end):
        room[_class(out[k], forms)] += 1
    total = 256
    for k in range(256):
        count = room[k]
        room[k] = total
        total += count
    for k in range(begin, end):
        number = _class(out[k], forms)
        room[room[number]] = out[k]
        room[number] += 1
    for k in range(end - begin):  # a slice would be copied, which needs memory
        out[begin + k] = room[256 + k]


@kernel
def _order_marks(out: Array, begin: int, end: int, room: Array, forms: Forms) -> None:
    """Bring each run of marks into the order of their combining classes."""
    start, before, sorted_ = begin, 0, True
    for k in range(begin, end):
        now = _class(out[k], forms)
        if now == 0:
            if not sorted_:
                _sort_marks(out, start, k, room, forms)
            start, sorted_ = k + 1, True
        elif now < before:
            sorted_ = False
        before = now
    if not sorted_:
        _sort_marks(out, start, end, room, forms)


@kernel
def _compose(out: Array, begin: int, end: int, forms: Forms) -> int:
    """Combine points in place; returns the new end."""
    starter, before, n = -1, 0, begin
    for k in range(begin, end):
        point = np.int64(out[k])
        now = _class(point, forms)
        if starter >= 0 and (before < now or starter == n - 1):  # nothing stands between them
            whole = _composed(np.int64(out[starter]), point, forms)
            if whole >= 0:
                out[starter] = whole
                continue
        if now == 0:
            starter = n
        before = now
        out[n] = point
        n += 1
    return n


@kernel
def normalise(points: Array, out: Array, room: Array, forms: Forms) -> int:
    """Write normal form C; returns the number of points.

    ``out`` has room for four points for each one, and ``room`` for 256 more.
    """
    n = i = 0
    while i < len(points):
        end = i + 1
        while end < len(points) and _is_unsure(points[end], forms):
            end += 1
        if end == i + 1 and not _is_unsure(points[i], forms):
            out[n] = points[i]
            n += 1
        else:
            begin = n
            for k in range(i, end):
                n = _decompose(np.int64(points[k]), out, n, forms)
            _order_marks(out, begin, n, room, forms)
            n = _compose(out, begin, n, forms)
        i = end
    return n
