"""firth ner show."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from firth.model import load
from tests.cli.ner.samples import TEXT

Run = Callable[..., Any]


def test_show_lists_the_strongest_features(firth: Run, model: Path) -> None:
    result = firth("ner", "show", model, "-n", 3)
    assert result.status == 0
    lines = result.out.splitlines()
    assert lines[0] == "trained on   48 entities in 278 words  LOC, PER; iob2"
    assert lines.index("LOC") < lines.index("PER")
    place = lines[lines.index("LOC") + 1]
    assert place.split()[:2] == ["one", "word"]
    assert "before: lower=in" in place
    facts = json.loads(firth("ner", "show", model, "--json").out)
    assert facts["n_names"] == 48
    strongest = facts["telling"]["LOC"]["U"]
    assert len(strongest) == 8
    assert [list(pair) for pair in load(model).ner.telling("U-LOC", 8)] == strongest
    assert set(facts["telling"]["PER"]) == {"U", "B"}
    assert firth("ner", "show", model, "-n", 0).status == 2


def test_a_label_without_features_says_so(firth: Run, model: Path) -> None:
    """No place in the text has two words."""
    lines = firth("ner", "show", model).out.splitlines()
    assert lines[lines.index("LOC") + 2].split() == ["first", "of", "several", "none"]


def test_a_damaged_recogniser_is_refused(
    fails: Run, model: Path, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    file, damaged = text_file(TEXT), shutil.copytree(model, tmp_path / "damaged")
    weights = load(damaged).parts["ner"].path("stage1_weights.f32")
    weights.write_bytes(weights.read_bytes()[:-4])
    for args in (("apply", damaged, file), ("show", damaged), ("evaluate", damaged, file)):
        assert "error: " in fails("ner", *args).err
