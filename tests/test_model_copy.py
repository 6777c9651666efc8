"""Copies of models: some parts, or all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

import firth
from firth.errors import ModelError


def test_parts_are_copied_with_their_names(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("the cat sat\nthe dog sat\na cat ran\na dog ran\n" * 9)
    model = firth.learn(tmp_path / "t.txt", tmp_path / "m", dim=2, classes=3, min_count=1)
    whole = model.copy_to(tmp_path / "whole")
    assert whole.parts.keys() == model.parts.keys()
    for name, part in whole.parts.items():
        before = model.parts[name]
        assert (part.content, part.identity, part.files) == (
            before.content,
            before.identity,
            before.files,
        )
        assert not whole.is_stale(name)
    assert whole.corpus.n_tokens == model.corpus.n_tokens
    some = model.copy_to(tmp_path / "some", ["classes"])
    assert list(some.parts) == ["classes"]
    assert some.classes.path("cat") == model.classes.path("cat")
    assert model.copy_to(tmp_path / "some", ["vectors"]).parts.keys() == {"classes", "vectors"}
    with pytest.raises(ModelError, match="firth grammar learn"):
        model.copy_to(tmp_path / "other", ["grammar"])
    assert not (tmp_path / "other").exists()
