"""Values of any kind as columns of one type each."""

from __future__ import annotations

import datetime
import decimal
import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from firth import unicode

__all__ = ["as_column", "as_name", "as_value", "is_simple"]

_INTEGER = re.compile(r"[+-]?(0|[1-9][0-9]{0,17})")
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
_COMMA = re.compile(r"[+-]?([0-9]{1,3}(\.[0-9]{3})+|[0-9]+)(,[0-9]+)?")
"""A number with a decimal comma, and perhaps points between thousands."""
_CODE = re.compile(r"[+-]?0[0-9]")
_LARGEST = 1 << 63
_TRUTH = {"true": True, "false": False}


def as_name(name: str) -> str:
    """The name of a column as it can be typed in an expression: other characters become ``_``.

    >>> as_name(" Year of birth ")
    'Year_of_birth'
    """
    name = re.sub(r"\W+", "_", name.strip()).strip("_")
    return f"_{name}" if re.match("[0-9]", name) else name


def as_value(value: Any) -> Any:
    """A value as Python has it; None for NaN and for what else pandas has for nothing.

    >>> import numpy as np
    >>> as_value(np.int64(3)), as_value(float("nan"))
    (3, None)
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float | datetime.date) and value != value:  # NaT is a date
        return None
    return None if type(value).__name__ == "NAType" else value


def is_simple(value: Any) -> bool:
    """Whether a value can stand in a column: not a list, an object or bytes."""
    return value is None or isinstance(
        value, str | int | float | datetime.date | datetime.time | decimal.Decimal
    )


def as_column(values: Sequence[Any]) -> Any:
    """Values as an Arrow array: truth values, integers, numbers, or else text. None stays unknown.

    If there are texts, all become what all of them are, and an empty text is unknown. Numbers that begin
    with 0, such as postcodes, stay text, and so do those that numbers would confuse, such as the
    sections 1.1 and 1.10. Decimal commas are understood, unless all could stand between thousands. Whole
    numbers of which some are unknown are integers: pandas has them as floats.

    >>> as_column([1900, None, 1902.5]).to_pylist()
    [1900.0, None, 1902.5]
    >>> as_column([1900.0, float("nan")]).to_pylist()
    [1900, None]
    >>> as_column(["a", 3]).to_pylist()
    ['a', '3']
    >>> as_column(["12", "", -3]).to_pylist()
    [12, None, -3]
    >>> as_column(["01067", "10115"]).to_pylist()
    ['01067', '10115']
    >>> as_column(["1.1", "1.10"]).to_pylist()
    ['1.1', '1.10']
    >>> as_column(["3,5", "1.012,75"]).to_pylist()
    [3.5, 1012.75]
    """
    import pyarrow as pa

    plain = [_plain(value) for value in values]
    if any(isinstance(value, str) for value in plain):
        plain = _parsed([None if value is None else str(value) for value in plain])
    kinds = {type(value) for value in plain if value is not None}
    if kinds == {bool}:
        return pa.array(plain, pa.bool_())
    if kinds == {float} and None in plain and all(map(_is_whole, plain)):
        kinds, plain = {int}, [None if value is None else int(value) for value in plain]
    if kinds == {int}:
        return pa.array(plain, pa.int64())
    if kinds and kinds <= {int, float}:
        return pa.array([None if v is None else float(v) for v in plain], pa.float64())
    return pa.array([None if v is None else str(v) for v in plain], pa.large_string())


def _is_whole(value: Any) -> bool:
    return value is None or (value.is_integer() and abs(value) < _LARGEST)


def _plain(value: Any) -> Any:
    """A value as a bool, int, float or str; None if it is not a number."""
    if isinstance(value, decimal.Decimal):
        value = int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, bool) or (isinstance(value, int) and -_LARGEST <= value < _LARGEST):
        return value
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        value = value.date()
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return None if value is None else str(value).encode(errors="replace").decode()


def _parsed(values: Sequence[str | None]) -> list[Any]:
    """Texts as what all of them are."""
    some = [value for value in values if value]
    read: Any = str
    if all(unicode.lower(value) in _TRUTH for value in some):
        read = _truth
    elif all(map(_INTEGER.fullmatch, some)):
        read = int
    elif any(map(_CODE.match, some)):
        read = str
    elif all(map(_NUMBER.fullmatch, some)):
        read = float
    elif all(map(_COMMA.fullmatch, some)) and any(map(_has_decimals, some)):
        read = _with_comma
    if read in (float, _with_comma):
        texts = set(some)
        read = read if len(set(map(read, texts))) == len(texts) else str
    return [read(value) if value else None for value in values]


def _has_decimals(value: str) -> bool:
    """Whether a comma cannot stand between thousands, as in 1,234."""
    return len(value.partition(",")[2]) not in (0, 3)


def _with_comma(value: str) -> float:
    return float(value.replace(".", "").replace(",", "."))


def _truth(value: str) -> bool:
    return _TRUTH[unicode.lower(value)]
