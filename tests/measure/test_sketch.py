"""Word sketches, against counting one by one."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import firth
from firth.cli import app
from firth.counts import association
from firth.measure import sketch

ROWS = [("1900", "the old cat sat"), ("1900", "the old dog sat"), ("1901", "a young cat ran"),
        ("1901", "the young cat sat"), ("1902", "a cat ran")] * 4  # fmt: skip


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sketch")
    lines = "".join(f"{year},{text}\n" for year, text in ROWS)
    (folder / "text.csv").write_text("year,text\n" + lines)
    firth.learn(folder / "text.csv", folder / "m", min_count=1, dim=0, classes=4)
    return folder / "m"


def test_words_are_ranked_within_their_groups(model: Path) -> None:
    columns = sketch(model, "cat", measure="t")
    found = {(one.side, c.word): c for one in columns for c in one.collocates}
    assert {key: c.count for key, c in found.items()} == {
        ("before", "old"): 4, ("before", "young"): 8, ("before", "a"): 4,
        ("after", "sat"): 8, ("after", "ran"): 8,
    }  # fmt: skip
    # "ran" follows "cat" alone (8 times), of 56 pairs with a word before them, 16 of which have "cat"
    wanted = association("t", np.array([8.0]), 16, np.array([8.0]), 56)[0]
    assert found["after", "ran"].score == pytest.approx(wanted)
    for one in columns:
        assert one.kind == "class"
        assert one.count >= sum(c.count for c in one.collocates)
        paths = {firth.load(model).classes.path(c.word) for c in one.collocates}
        assert all(path.startswith(one.group) for path in paths)
        scores = [c.score for c in one.collocates]
        assert scores == sorted(scores, reverse=True)


def test_documents_tags_and_limits(model: Path, tmp_path: Path) -> None:
    early = sketch(model, "cat", where="year == 1900")
    assert {c.word for one in early for c in one.collocates} == {"old", "sat"}
    assert sketch(model, "cat", min_count=99) == []
    with pytest.raises(firth.ParameterError, match="'measure'"):
        sketch(model, "cat", measure="best")
    with pytest.raises(firth.QueryError, match="no column 'yaer'"):
        sketch(model, "cat", where="yaer == 1")
    texts = tmp_path / "text.txt"
    texts.write_text("\n".join(text for _, text in ROWS))
    tagged = firth.learn(texts, tmp_path / "m", min_count=1, dim=0, classes=0, tags=3)
    assert {one.kind for one in sketch(tagged, "cat")} == {"tag"}
    plain = firth.learn(texts, tmp_path / "plain", min_count=1, dim=0, classes=0)
    with pytest.raises(firth.ModelError, match="neither tags nor classes"):
        sketch(plain, "cat")


def test_the_command(model: Path) -> None:
    run = CliRunner().invoke
    done = run(app, ["counts", "sketch", str(model), "cat", "--json"])
    columns = json.loads(done.stdout)["columns"]
    assert {c["word"] for one in columns for c in one["collocates"]} >= {"young", "sat"}
    shown = run(app, ["counts", "sketch", str(model), "cat"]).stdout
    assert "before it" in shown
    assert "young 8" in shown
    assert (
        "no word is next to it"
        in run(app, ["counts", "sketch", str(model), "cat", "--min-count", "99"]).stdout
    )
    assert run(app, ["counts", "sketch", str(model), "kat"]).exit_code == 1
