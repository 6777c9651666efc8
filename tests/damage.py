"""Damage to a file of a part whose checksum is right, so that only its content is wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from firth.errors import ModelError

Change = Callable[[bytes], bytes]


def cut(n: int) -> Change:
    """``n`` bytes less."""
    return lambda content: content[:-n]


def longer(n: int) -> Change:
    """``n`` bytes more."""
    return lambda content: content + bytes(n)


def instead(content: bytes | str) -> Change:
    """Something else."""
    return lambda _: content.encode() if isinstance(content, str) else content


def with_value(value: float, kind: str, place: float = 0.5) -> Change:
    """Numbers of a dtype, one of them another."""

    def change(content: bytes) -> bytes:
        numbers = np.frombuffer(content, kind).copy()
        numbers[int((len(numbers) - 1) * place)] = value
        return numbers.tobytes()

    return change


def check_refused(load: Callable[[], object], path: Path, change: Change) -> ModelError:
    """The error of loading a part, which is sound but for a file; the file is restored."""
    content = path.read_bytes()
    wrong = change(content)
    assert wrong != content
    path.write_bytes(wrong)
    try:
        with pytest.raises(ModelError) as error:
            load()
    finally:
        path.write_bytes(content)
    assert str(path.parent) in error.value.message
    return error.value
