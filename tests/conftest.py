"""What all tests share."""

from __future__ import annotations

import gc
import io
import os
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

# tests run side by side: threads of the linear algebra library would only be in each other's way
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
import typer.main

build_commands = cache(typer.main.get_command)
"""Typer builds all commands for every call, which takes longer than most commands that tests run."""

with suppress(ImportError):  # tests of GPUs run without it
    from hypothesis import settings

    settings.register_profile("firth", deadline=None, print_blob=True)
    settings.register_profile("fast", settings.get_profile("firth"), max_examples=20)
    settings.load_profile("firth")


# nothing that tests write must outlive a power failure, and disks take up to 20 ms to flush a file
os.fsync = os.fstat  # type: ignore[assignment]


def zipf_text(n_lines: int, seed: int = 1, n_words: int = 2000) -> str:
    """Lines of made-up words with counts as in a language: the k-th word is about 1/k as frequent."""
    chance = random.Random(seed)
    words = [
        "".join(chance.choice("abdegiklmnoprstuvz") for _ in range(chance.randint(1, 9)))
        for _ in range(n_words)
    ]
    weights = list(accumulate(1 / (k + 1) for k in range(n_words)))
    return "".join(
        " ".join(chance.choices(words, cum_weights=weights, k=chance.randint(1, 20))) + ".\n"
        for _ in range(n_lines)
    )


@pytest.hookimpl(tryfirst=True)  # before ``-m`` selects
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks browser tests, and starts the longest test first, so that no process waits for it in the end."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)
            item.add_marker(pytest.mark.browser)
    items.sort(key=lambda item: item.name != "test_all_commands_in_the_documents_run")


def pytest_collection_finish() -> None:
    """Spares the garbage collector the hundreds of thousands of objects that live until the end."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module")
def workers() -> Iterator[Any]:
    """A client of two worker processes of Dask on this machine."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0"
        ) as local,
        Client(local, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture
def text_file(tmp_path: Path) -> Callable[..., Path]:
    """Writes a text file and returns its path."""

    def write(text: str | bytes, name: str = "text.txt") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


class Result:
    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err

    def __repr__(self) -> str:
        return f"status {self.status}\n--- out\n{self.out}\n--- err\n{self.err}"


@pytest.fixture
def firth(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Result]:
    """Runs the command line in this process, as a person without a terminal would see it."""
    from firth.cli import _shared, main

    def run(*args: Any) -> Result:
        monkeypatch.setattr(sys, "argv", ["firth", *map(str, args)])
        monkeypatch.setattr(_shared, "handle_signals", lambda: None)
        monkeypatch.setattr(typer.main, "get_command", build_commands)
        _shared.set_debug(False)
        capsys.readouterr()
        try:
            main()
            status = 0
        except SystemExit as leaving:
            status = leaving.code if isinstance(leaving.code, int) else 1
        out, err = capsys.readouterr()
        return Result(status, out, err)

    return run


@pytest.fixture
def fails(firth: Callable[..., Result]) -> Callable[..., Result]:
    """Runs a command that must fail with an error line, perhaps a hint line, and nothing else."""

    def run(*args: Any, status: int = 1) -> Result:
        result = firth(*args)
        assert result.status == status, result
        assert result.out == "", result
        lines = [line for line in result.err.splitlines() if ": done in" not in line]
        assert lines, result
        assert lines[0].startswith("error: "), result
        assert all(line.startswith("hint: ") for line in lines[1:]), result
        assert len(lines) <= 2, result
        assert "Traceback" not in result.err
        return result

    return run


@pytest.fixture
def say(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Gives text to standard input."""

    def give(text: str) -> None:
        stream = io.TextIOWrapper(io.BytesIO(text.encode("utf-8", "surrogateescape")), "utf-8")
        monkeypatch.setattr(sys, "stdin", stream)

    return give
