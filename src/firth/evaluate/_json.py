"""Results as JSON, and as rows of a frame."""

from __future__ import annotations

from typing import Any

__all__ = ["score_row", "without_nan"]


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


def score_row(
    name: str, kind: str, score: float, interval: tuple[float, float], n_used: int, n: int
) -> dict[str, Any]:
    """A score of word vectors as a row: word pairs and analogies have the same columns."""
    low, high = interval
    sizes = {"n_used": n_used, "n_questions": n}
    return {"name": name, "kind": kind, "score": score, "low": low, "high": high, **sizes}
