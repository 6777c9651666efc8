"""Results as JSON."""

from __future__ import annotations

from typing import Any

__all__ = ["without_nan"]


def without_nan(data: Any) -> Any:
    """Data with None for NaN, which JSON does not have.

    >>> without_nan({"a": (1.0, float("nan"))})
    {'a': [1.0, None]}
    """
    if isinstance(data, dict):
        return {key: without_nan(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [without_nan(value) for value in data]
    return None if isinstance(data, float) and data != data else data
