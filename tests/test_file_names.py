"""Files and folders whose names are not in UTF-8, as old archives have them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import firth
from firth import pipeline
from firth.explore import Snapshot, export_page
from firth.formats import path_of, stored_name
from tests.cli.grammar_samples import trees

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="elsewhere all file names are Unicode"
)

TEXT = "the cat sees a dog\na dog hears the cat\nthe bird sees the dog\na cat hears a bird\n" * 8
LABELLED = "Anna B-PER\nsees O\nOslo B-LOC\n. O\n\n" * 6


def latin(folder: Path, name: str, content: str = "") -> Path:
    """A file whose name is in Latin-1."""
    path = Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9-" + name.encode()))
    if content:
        path.write_text(content, encoding="utf-8")
    return path


def test_names_round_trip() -> None:
    for name in ("a.txt", "é.txt", "file:a", "file:%E9", "/x/caf\udce9 %.txt"):
        assert path_of(stored_name(name)) == Path(name)
        json.dumps(stored_name(name), ensure_ascii=False).encode()


@pytest.mark.slow
def test_every_stage_reads_them(tmp_path: Path) -> None:
    text, model = latin(tmp_path, "text.txt", TEXT), latin(tmp_path, "model")
    options = {"threads": 1, "min_count": 1}
    assert firth.learn(text, model, dim=3, classes=4, tags=3, **options).changed
    assert not firth.learn(text, model, dim=3, classes=4, tags=3, **options).changed
    assert next(iter(firth.load(model).corpus.find("cat"))).original, "found in the text"
    pipeline.learn_index(model)
    pipeline.learn_entities(model, latin(tmp_path, "ner.txt", LABELLED), rounds=1, threads=1)
    pipeline.learn_grammar(model, [latin(tmp_path, "t.mrg", trees(8))], method="pcfg", held_out=0)
    pipeline.learn_lm(model, held_out=text, threads=1)
    vectors = latin(tmp_path, "v.txt", "a 1 2\nb 2 1\n")
    pipeline.import_vectors(vectors, latin(tmp_path, "imported"))
    tagged = latin(tmp_path, "tagged.txt", "the D\ncat N\n\na D\ndog N\n")
    pipeline.learn_tags(latin(tmp_path, "tagger"), tagged, tagged=True, threads=1)
    page = latin(tmp_path, "page.html")
    assert export_page(Snapshot(firth.load(model)), page, 3) == page.stat().st_size


def test_commands_print_them(
    tmp_path: Path, firth: Callable[..., Any], fails: Callable[..., Any]
) -> None:
    text, model = latin(tmp_path, "text.txt", TEXT), latin(tmp_path, "model")
    assert firth("corpus", "learn", text, "-o", model).status == 0
    shown = firth("show", model, "--json")
    assert shown.status == 0
    json.loads(shown.out)
    assert firth("find", model, "cat").status == 0
    assert "caf" in fails("corpus", "learn", latin(tmp_path, "none"), "-o", model).err
