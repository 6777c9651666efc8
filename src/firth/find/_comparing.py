"""Columns of documents compared with values, and with each other, all documents at once."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from firth.errors import InputError

__all__ = ["SIGNS", "Booleans", "Column", "compare"]

Booleans: TypeAlias = npt.NDArray[np.bool_]
SIGNS = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
    ">=": operator.ge,
}  # fmt: skip
_ARROW = {
    "==": "equal", "!=": "not_equal", "<": "less", "<=": "less_equal", ">": "greater",
    ">=": "greater_equal",
}  # fmt: skip
_EXACT = 1 << 53
"""Up to here, every integer is a number of 64 bits."""
_MAYBE_NUMBER = r"\A[\pZ\pC\p{Nd}+\-.iInN]"


@dataclass(frozen=True)
class Column:
    """Values of one kind, and which of them are known; a single value stands for all documents."""

    values: Any
    """A NumPy array of numbers, or an Arrow array of texts; 0 or null where the value is unknown."""
    known: Booleans
    is_text: bool

    @classmethod
    def of(cls, values: Any) -> Column:
        """From a value, a sequence, or an array of NumPy or Arrow."""
        import pyarrow as pa
        import pyarrow.compute as pc

        try:
            given = [values] if isinstance(values, str | float) else values
            array = given if isinstance(given, pa.Array | pa.ChunkedArray) else pa.array(given)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise InputError(
                "A column has both numbers and strings.", "Make all of them strings."
            ) from error
        if isinstance(array, pa.ChunkedArray):
            array = array.combine_chunks()
        known = array.is_valid().to_numpy(zero_copy_only=False)
        if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
            return cls(array.cast(pa.large_string()), known, True)
        if pa.types.is_null(array.type):
            return cls(np.zeros(len(array), np.int64), known, False)
        if pa.types.is_boolean(array.type):
            array = array.cast(pa.int64())
        return cls(pc.fill_null(array, 0).to_numpy(zero_copy_only=False), known, False)

    def as_numbers(self) -> tuple[npt.NDArray[Any], Booleans]:
        """Its numbers, and where there is one: a text may be the spelling of a number, as Python reads it."""
        if not self.is_text:
            return self.values, self.known
        import pyarrow.compute as pc

        numbers, are = np.zeros(len(self.values)), np.zeros(len(self.values), bool)
        maybe = pc.fill_null(pc.match_substring_regex(self.values, _MAYBE_NUMBER), False)
        places = np.flatnonzero(maybe.to_numpy(zero_copy_only=False))
        for place, text in zip(places.tolist(), self.values.take(places).to_pylist(), strict=True):
            try:
                numbers[place] = float(text)
            except ValueError:
                continue
            are[place] = True
        return numbers, are


def compare(sign: str, a: Column, b: Column) -> Booleans:
    """For which documents two columns compare.

    Where a value is unknown, or a text that is not a number is compared with a number, only ``!=`` holds,
    but not of two unknown values.
    """
    if a.is_text and b.is_text:
        comparable = a.known & b.known
        found = _of_texts(sign, a.values, b.values)
    else:
        (left, known_a), (right, known_b) = a.as_numbers(), b.as_numbers()
        comparable = known_a & known_b
        found = _of_numbers(sign, left, right)
    if sign != "!=":
        return found & comparable
    return np.where(comparable, found, a.known | b.known)


def _of_texts(sign: str, a: Any, b: Any) -> Booleans:
    import pyarrow.compute as pc

    a, b = (values[0] if len(values) == 1 else values for values in (a, b))
    found = pc.fill_null(pc.call_function(_ARROW[sign], [a, b]), False)
    array: Booleans = np.atleast_1d(np.asarray(found.as_py() if hasattr(found, "as_py") else found))
    return array


def _of_numbers(sign: str, a: npt.NDArray[Any], b: npt.NDArray[Any]) -> Booleans:
    if a.dtype != b.dtype and any(_is_large(values) for values in (a, b)):
        a, b = a.astype(object), b.astype(object)  # Python compares integers with others exactly
    found: Booleans = SIGNS[sign](a, b).astype(bool)
    return found


def _is_large(values: npt.NDArray[Any]) -> bool:
    whole = values.dtype.kind in "iu" and len(values) > 0
    return bool(whole and (values.max() > _EXACT or values.min() < -_EXACT))
