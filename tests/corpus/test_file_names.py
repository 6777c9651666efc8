"""Files whose names are not UTF-8: read, stored, found again, and shown."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import firth
from firth.errors import InputError
from firth.explore import Snapshot, export_page
from firth.formats import path_of, stored_name
from firth.pipeline import (
    import_classes,
    import_lm,
    import_vectors,
    learn_corpus,
    learn_entities,
    learn_grammar,
    learn_tags,
)
from firth.store import MANIFEST

Write = Callable[..., Path]
NAME, SHOWN = os.fsdecode(b"caf\xe9"), "caf\ufffd"


@pytest.fixture
def named(tmp_path: Path) -> Write:
    """Writes a file whose name is not UTF-8."""

    def write(data: str | bytes, suffix: str) -> Path:
        path = tmp_path / f"{NAME}{suffix}"
        try:
            path.write_bytes(data.encode() if isinstance(data, str) else data)
        except (OSError, UnicodeError):
            pytest.skip("this file system knows no such names")
        return path

    return write


def table(write: Callable[[Any, Any], Any]) -> bytes:
    buffer = io.BytesIO()
    write(pa.table({"text": ["the cat sat"] * 3}), buffer)
    return buffer.getvalue()


def write_arrow(content: Any, file: Any) -> None:
    with pa.ipc.new_file(file, content.schema) as writer:
        writer.write_table(content)


@pytest.mark.parametrize(
    ("suffix", "data"),
    [
        (".txt", "the cat sat\n"),
        (".jsonl", '{"text": "the cat sat"}\n'),
        (".parquet", table(pq.write_table)),
        (".arrow", table(write_arrow)),
    ],
)
def test_text(
    suffix: str, data: str | bytes, named: Write, tmp_path: Path, firth: Callable[..., Any]
) -> None:
    path, model = named(data, suffix), tmp_path / "model"
    for _ in range(2):  # the second run has nothing to do
        done = firth("corpus", "learn", path, "-o", model)
        assert done.status == 0, done
    assert done.out.startswith("Nothing to do"), done
    assert firth("show", model).status == 0
    described = json.loads(firth("corpus", "show", model, "--json").out)["sources"][0]
    assert described["path"] == f"file:{tmp_path}/caf%E9{suffix}"
    assert os.fsencode(path_of(described["path"])) == os.fsencode(path)
    assert described["name"] == f"{tmp_path}/{SHOWN}{suffix}"
    (hit,) = json.loads(firth("find", model, "cat", "-n", "1", "--json").out)["hits"]
    assert hit["original"]
    assert hit["source"] == f"{tmp_path}/{SHOWN}{suffix}"
    (model / MANIFEST).read_bytes().decode()  # it is UTF-8


NAMES = "Anna B-PER\nran O\n\n" * 4
TREES = "(S (NP (D the) (N cat)) (VP (V sat)))\n" * 20
ARPA = "\\data\\\nngram 1=4\n\n\\1-grams:\n-1 <unk>\n-1 <s>\n-1 </s>\n-1 cat\n\n\\end\\\n"


@pytest.mark.parametrize(
    ("part", "suffix", "data", "learn"),
    [
        ("ner", ".ner", NAMES, lambda model, path: learn_entities(model, path, rounds=1, stages=1)),
        ("tags", ".tsv", "a A\nb B\n\n" * 4, lambda model, path: learn_tags(model, path, tagged=True)),
        ("grammar", ".mrg", TREES, lambda model, path: learn_grammar(model, path, held_out=0)),
        ("vectors", ".vec", "a 1 2\nb 2 1\n", lambda model, path: import_vectors(path, model)),
        ("classes", ".paths", "0\ta\t1\n1\tb\t1\n", lambda model, path: import_classes(path, model)),
        ("lm", ".arpa", ARPA, lambda model, path: import_lm(path, model)),
    ],
)  # fmt: skip
def test_other_parts(
    part: str,
    suffix: str,
    data: str,
    learn: Callable[[Path, Path], Any],
    named: Write,
    tmp_path: Path,
    firth: Callable[..., Any],
) -> None:
    path, model = named(data, suffix), tmp_path / "model"
    learned = learn(model, path)
    assert learned.changed == [part]
    assert f"'file:{tmp_path}/caf%E9{suffix}'" in str(learned.parts[part].made_from)
    assert not learn(model, path).changed
    assert firth("show", model).status == 0
    assert firth("show", model, "--json").status == 0


def test_messages_can_be_printed(named: Write, fails: Callable[..., Any], tmp_path: Path) -> None:
    path = named(b"\xff\xff\n", ".txt")
    with pytest.raises(InputError) as error:
        firth.Corpus.from_files(path)
    str(error.value).encode()
    assert f"{SHOWN}.txt, line 1, byte 0: not valid UTF-8" in str(error.value)
    assert SHOWN in fails("corpus", "learn", path, "-o", tmp_path / "m").err
    assert SHOWN in fails("import", tmp_path / f"{NAME}.vec", "-o", tmp_path / "m").err


def test_names_in_unicode_are_stored_as_before(text_file: Write, tmp_path: Path) -> None:
    path = text_file("the cat sat\n", "café 猫.txt")
    learn_corpus(tmp_path / "model", path)
    assert "café 猫.txt" in (tmp_path / "model" / MANIFEST).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "name", ["a.txt", "/tmp/café %41.txt", NAME, f"/{NAME}/a%41 b", "file:a%41", "-", "a:b"]
)
def test_every_name_comes_back(name: str) -> None:
    stored = stored_name(name)
    stored.encode()
    assert str(path_of(stored)) == name
    assert (stored == name) == (NAME not in name and not name.startswith("file:"))


def test_a_model_folder_can_be_explored(named: Write, tmp_path: Path) -> None:
    model, page = tmp_path / f"{NAME}-model", tmp_path / f"{NAME}.html"
    import_vectors(named("a 1 2\nb 2 1\n", ".txt"), model)
    assert export_page(Snapshot(firth.load(model)), page, 2) == page.stat().st_size
