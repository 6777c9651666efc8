"""Commands on a model of Japanese, whose words ICU finds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firth.corpus import _segmenters
from tests.conftest import Result

pytest.importorskip("icu4py")
LINES = ["私は図書館で本を読みました。", "私は大学で本を読みました。", "日本の大学で本を読む。"]
NEW = "日本の図書館で本を読む。"
SPLIT = "日本 の 図書館 で 本 を 読む 。"


@pytest.fixture
def model(tmp_path: Path, firth: Callable[..., Result]) -> Path:
    (tmp_path / "ja.txt").write_text("\n".join(LINES * 20) + "\n", "utf-8")
    (tmp_path / "new.txt").write_text(NEW + "\n", "utf-8")
    made = firth("learn", tmp_path / "ja.txt", "-o", tmp_path / "m", "--tokens", "icu", "-q")
    assert made.status == 0, made
    return tmp_path / "m"


def test_commands_segment_new_text_as_the_model(
    model: Path, firth: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new: Any = tmp_path / "new.txt"
    assert firth("corpus", "apply", new, "--using", model).out.strip() == SPLIT
    assert firth("tags", "learn", model, "--tags", 3, "-q").status == 0
    tagged = firth("tags", "apply", model, new).out.split()
    assert [pair.rpartition("/")[0] for pair in tagged] == SPLIT.split()
    assert firth("lm", "learn", model, "-q").status == 0
    scored = firth("lm", "apply", model, new)
    assert scored.out.strip().endswith(SPLIT)
    assert scored.err == ""
    assert firth("morphs", "learn", model, "-q").status == 0
    assert firth("morphs", "apply", model, new).out.strip().replace(" @@", "") == SPLIT
    found = firth("find", model, "大学で", "--json").out
    assert "私は" in found  # two tokens in a row, in the original text
    now = _segmenters.version_of("icu")
    monkeypatch.setattr("firth.corpus.version_of", lambda tokens: "ICU 1.0")
    told = firth("lm", "apply", model, new)
    assert told.out == scored.out
    assert f"was segmented by {now}; this text is by ICU 1.0" in told.err


def test_wrong_names_list_what_there_is(fails: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("a\n")
    result = fails("learn", tmp_path / "t.txt", "-o", tmp_path / "m", "--tokens", "jp", status=2)
    assert "'morphs', 'icu'" in result.err
    assert not (tmp_path / "m").exists()
