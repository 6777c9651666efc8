"""The boundary of foreign files: whatever goes wrong in a reader is an InputError with the place."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firth.errors import InputError, ParameterError
from firth.evaluate import read_questions
from firth.formats import read_columns, read_objects, reading
from firth.pipeline import learn_entities, learn_tags

Write = Callable[..., Path]


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (MemoryError(), "There is not enough memory to read a.txt"),
        (FileNotFoundError(2, "No such file"), "There is no file a.txt"),
        (IsADirectoryError(21, "Is a directory"), "a.txt is a folder"),
        (PermissionError(13, "Permission denied"), "No permission to read a.txt"),
        (OSError(5, "Input/output error"), "Cannot read a.txt: Input/output error."),
        (OSError("bad block"), "Line 7 of a.txt cannot be read: bad block."),
        (
            RecursionError("maximum depth"),
            "Line 7 of a.txt cannot be read: it is nested too deeply",
        ),
        (EOFError(), "Line 7 of a.txt cannot be read: it ends too early"),
        (ValueError("first.\nsecond"), "Line 7 of a.txt cannot be read: first."),
        (KeyError(), "Line 7 of a.txt cannot be read: KeyError."),
    ],
)
def test_every_exception_becomes_an_error_with_its_place(error: Exception, message: str) -> None:
    with pytest.raises(InputError) as caught, reading("a.txt") as at:
        at.line = 7
        raise error
    assert caught.value.message.startswith(message)
    assert caught.value.__cause__ is error


@pytest.mark.parametrize("error", [InputError("x"), ParameterError("x"), KeyboardInterrupt()])
def test_errors_of_firth_and_interruptions_pass(error: BaseException) -> None:
    with pytest.raises(type(error)) as caught, reading("a.txt"):
        raise error
    assert caught.value is error


def test_errors_of_a_consumer_are_its_own(text_file: Write) -> None:
    path = text_file("a O\n\nb O\n")
    with pytest.raises(ZeroDivisionError):
        for _ in read_columns(path):
            raise ZeroDivisionError

    def lines() -> Iterator[tuple[int, str]]:
        yield 1, "a O"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        list(read_columns(lines()))


def test_running_out_of_memory_is_an_error_with_the_name(
    text_file: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise MemoryError

    buffer = io.BytesIO()
    np.save(buffer, np.eye(2))
    path = text_file(buffer.getvalue(), "a.npy")
    monkeypatch.setattr(np, "load", fail)
    with pytest.raises(InputError, match=r"not enough memory to read .*a\.npy"):
        read_objects(path)


@pytest.mark.parametrize("header", [b"{'descr': (", b"{'descr': '<f8'" + b"[" * 3000, b"\\"])
def test_headers_of_numpy_that_are_no_python(header: bytes, text_file: Write) -> None:
    data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    with pytest.raises(InputError, match="cannot be read safely"):
        read_objects(text_file(data, "a.npy"))


def test_questions_whose_first_line_is_short(text_file: Write) -> None:
    with pytest.raises(InputError, match="Line 2 of .*: 'x' is not a number"):
        read_questions(text_file("a b\nc d x\ne f y\n"))


def test_files_that_are_not_there(tmp_path: Path) -> None:
    for learn in (learn_entities, lambda *paths: learn_tags(*paths, tagged=True)):
        with pytest.raises(InputError, match=r"There is no file .*none\.txt"):
            learn(tmp_path / "model", tmp_path / "none.txt")
