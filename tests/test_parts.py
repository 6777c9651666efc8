"""The table of parts: every part is loaded, saved, described and checked in the same way."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firth
from firth.describe import model_facts, summary_rows
from firth.errors import ModelError
from firth.parts import PARTS, Kind, new_part, write_part
from firth.pipeline import (
    correct_morphs,
    learn_entities,
    learn_grammar,
    learn_index,
    learn_lm,
    learn_map,
    learn_morphs,
    learn_report,
    name_classes,
    name_tags,
)
from firth.store import Part, read_array, sha256, writing
from tests.store.test_store import everything

TEXT = "the cat sees a dog\na dog hears the cat\nthe bird sees the dog\na cat hears a bird\n" * 8
LABELLED = "Anna B-PER\nsees O\nOslo B-LOC\n. O\n\nOslo B-LOC\nhears O\nAnna B-PER\n. O\n\n" * 6
TREES = (
    "(S (NP (D the) (N cat)) (VP (V sees) (NP (D a) (N dog))))\n(S (NP (N cats)) (VP (V sleep)))\n"
    * 12
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with all parts there are."""
    folder = tmp_path_factory.mktemp("parts")
    for name, text in (
        ("t.txt", TEXT),
        ("ner.txt", LABELLED),
        ("t.mrg", TREES),
        ("known.csv", "file,year\nt,1900\n"),
    ):
        (folder / name).write_text(text, encoding="utf-8")
    model = folder / "m"
    how = {"dim": 3, "classes": 4, "tags": 3, "min_count": 1, "threads": 1}
    firth.learn(folder / "t.txt", model, metadata=folder / "known.csv", **how)
    learn_index(model)
    learn_report(model, threads=1)
    learn_map(model, threads=1)
    learn_map(model, kind="grammar", threads=1)
    learn_lm(model, threads=1)
    learn_morphs(model)
    correct_morphs(model, {"sees": ["see", "s"]})
    learn_entities(model, folder / "ner.txt", rounds=2, threads=1)
    learn_grammar(model, [folder / "t.mrg"], n_states=2, held_out=0)
    name_classes(model, {"0": "zero"})
    name_tags(model, {"0": "NOUN"})
    assert set(firth.load(model).parts) == set(PARTS), "a part is missing here"
    return model


@pytest.fixture
def copied(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "m"))


def change(model: Path, part: str, **values: Any) -> None:
    """Change what the manifest says about a part."""
    path = model / "firth.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest["parts"][part].update(values)
    path.write_text(json.dumps(manifest), encoding="utf-8")


def opened(model: Path, name: str) -> Any:
    return getattr(firth.load(model), name)


@pytest.mark.parametrize("name", PARTS)
def test_a_part_describes_itself_as_the_manifest_does(whole: Path, name: str) -> None:
    model = firth.load(whole)
    part, facts = model.parts[name], getattr(model, name).describe()
    told = json.loads(json.dumps(facts))
    names = {"tags"} if name == "tags" else set()  # a person has renamed them
    assert {key: value for key, value in told.items() if key not in names} == {
        key: part.facts[key] for key in told if key not in names
    }
    what, how = getattr(model, name).summary()
    assert what
    assert "\n" not in what
    assert all(isinstance(one, str) for one in how)
    assert part.version == PARTS[name].version
    for other in part.made_from.keys() & PARTS.keys():
        assert other in PARTS[name].learned_from


@pytest.mark.parametrize("name", PARTS)
def test_a_part_can_be_saved_and_loaded_again(whole: Path, name: str, tmp_path: Path) -> None:
    model = firth.load(whole)
    thing, part = getattr(model, name), model.parts[name]
    thing.save(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == set(part.files)
    exact = {name for name in part.files if not name.endswith((".f32", ".f64"))}
    for file in exact:  # numbers may be rounded once
        assert sha256(tmp_path / file) == part.files[file]["sha256"], file
    needs = {other: getattr(model, other) for other in PARTS[name].needs}
    again = PARTS[name].type.load(Part.in_folder(tmp_path, part.parameters, **part.facts), **needs)
    assert again.describe().keys() == thing.describe().keys()


@pytest.mark.parametrize("name", PARTS)
def test_files_are_json_arrow_or_nothing_but_numbers(whole: Path, name: str) -> None:
    part = firth.load(whole).parts[name]
    for path in map(part.path, part.files):
        content = path.read_bytes()
        if path.suffix == ".json":
            assert isinstance(json.loads(content), dict | list)
        elif path.suffix == ".arrow":
            assert content.startswith(b"ARROW1")
        else:
            assert content == read_array(path).tobytes()


@pytest.mark.parametrize("name", PARTS)
def test_what_cannot_be_read_back_replaces_nothing(copied: Path, name: str) -> None:
    before, part = everything(copied), firth.load(copied).parts[name]
    with (
        pytest.raises(
            ModelError, match=f"The new {PARTS[name].title} cannot be read back"
        ) as error,
        writing(copied) as writer,
        new_part(writer, name) as draft,
    ):
        part.copy_to(draft.folder)
        for path in draft.folder.iterdir():
            path.write_bytes(path.read_bytes()[:-1])
        draft.parameters, draft.facts = dict(part.parameters), dict(part.facts)
    assert "bug in Firth" in str(error.value.hint)
    assert everything(copied) == before
    with writing(copied) as writer, new_part(writer, name) as draft:
        part.copy_to(draft.folder)
        draft.parameters, draft.facts = dict(part.parameters), dict(part.facts)
    assert firth.load(copied).parts[name].identity != part.identity


def test_all_stages_read_back_what_they_write() -> None:
    source = Path(firth.__file__).parent
    writers = {
        str(path.relative_to(source))
        for path in source.rglob("*.py")
        if "writer.part(" in path.read_text(encoding="utf-8")
    }
    assert writers == {"parts.py"}


def emptied(content: bytes, _: str) -> bytes:
    return b""


def shortened(content: bytes, name: str) -> bytes:
    """A file with its last element missing, or its last bytes."""
    size = {"32": 4, "64": 8}.get(name[-2:], 7)
    return content[:-size]


def halved(content: bytes, _: str) -> bytes:
    return content[: len(content) // 2]


def scrambled(content: bytes, _: str) -> bytes:
    """Noise of the same length: not JSON, not Arrow, and numbers without sense."""
    return np.random.default_rng(3).integers(128, 256, len(content), np.uint8).tobytes()


def without_numbers(content: bytes, name: str) -> bytes:
    """Floats that are not numbers, ids that are out of range; text that is not JSON."""
    kind = {"f32": "<f4", "f64": "<f8"}.get(name[-3:])
    if kind:
        return np.full(len(content) // int(kind[2]), np.nan, kind).tobytes()
    return b"\xff" * len(content)


def damaged_files(model: Path, name: str, damage: Callable[[bytes, str], bytes]) -> Iterator[str]:
    """Damages one file after the other; the manifest agrees, so that only the content is wrong."""
    part = firth.load(model).parts[name]
    files = {file: dict(entry) for file, entry in part.files.items()}
    for file in files:
        path = part.path(file)
        content = path.read_bytes()
        wrong = damage(content, file)
        if wrong != content:
            path.write_bytes(wrong)
            entry = {"size": len(wrong), "sha256": sha256(path)}
            change(model, name, files={**files, file: entry})
            yield file
            path.write_bytes(content)
    change(model, name, files=files)


@pytest.mark.parametrize("damage", [emptied, shortened, halved])
@pytest.mark.parametrize("name", PARTS)
@pytest.mark.slow
def test_files_of_the_wrong_size_are_refused(
    copied: Path, name: str, damage: Callable[[bytes, str], bytes]
) -> None:
    for file in damaged_files(copied, name, damage):
        with pytest.raises(ModelError):
            opened(copied, name)
            pytest.fail(f"{file} was accepted")
    opened(copied, name)


@pytest.mark.parametrize("damage", [scrambled, without_numbers])
@pytest.mark.parametrize("name", PARTS)
@pytest.mark.slow
def test_nonsense_in_files_raises_no_other_error(
    copied: Path, name: str, damage: Callable[[bytes, str], bytes]
) -> None:
    for _ in damaged_files(copied, name, damage):
        with suppress(ModelError):
            opened(copied, name)


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.slow
def test_a_file_that_changed_or_is_gone_is_refused(copied: Path, name: str) -> None:
    part = firth.load(copied).parts[name]
    for file in part.files:
        path = part.path(file)
        content = path.read_bytes()
        if content:
            path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
            with pytest.raises(ModelError, match="checksum"):
                opened(copied, name)
        path.unlink()
        with pytest.raises(ModelError, match=file):
            opened(copied, name)
        path.write_bytes(content)


@pytest.mark.parametrize("name", PARTS)
def test_newer_versions_are_refused_by_name(copied: Path, name: str) -> None:
    change(copied, name, version=PARTS[name].version + 1)
    with pytest.raises(ModelError, match=f"The {PARTS[name].title} in .* format") as error:
        firth.load(copied)._open(name)
    assert "Upgrade" in str(error.value.hint)
    change(copied, name, version=0)
    with pytest.raises(ModelError, match="format 0"):
        firth.load(copied)._open(name)


@pytest.mark.parametrize("name", [kind.name for kind in PARTS.values() if kind.learned_from])
def test_parts_that_are_out_of_date_are_refused(copied: Path, name: str) -> None:
    kind = PARTS[name]
    sources = firth.load(copied).parts[name].made_from.keys() & PARTS.keys()
    change(copied, sorted(sources)[0], content="other")
    model = firth.load(copied)
    assert model.is_stale(name)
    if name.endswith("names"):
        assert getattr(model, name) == {}
        return
    with pytest.raises(ModelError, match=f"The {kind.title} of .* out of date") as error:
        getattr(model, name)
    assert str(copied) in str(error.value.hint)
    if kind.listed:
        row = next(row for row in summary_rows(model) if row.name == name)
        assert row.stale
        assert "retrain" in row.what


def test_a_part_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text(TEXT, encoding="utf-8")
    model = firth.learn(tmp_path / "t.txt", tmp_path / "m", dim=0, classes=0, min_count=1)
    for name in PARTS.keys() - model.parts.keys() - {"names", "tag_names", "corrections"}:
        kind = PARTS[name]
        expected = f"has no {kind.title}. (Learn {'them' if kind.plural else 'it'}: {kind.how(model.path, anew=True)})"
        with pytest.raises(ModelError, match=re.escape(expected)):
            getattr(model, name)
    with pytest.raises(AttributeError, match="nonsense"):
        model.nonsense  # noqa: B018


# Adding a part -----------------------------------------------------------------------------------


class Lengths:
    """A part for this test: how long words are."""

    def __init__(self, lengths: dict[str, int]) -> None:
        self.lengths = lengths

    @classmethod
    def load(cls, part: Part) -> Lengths:
        return cls(json.loads(part.path("lengths.json").read_text(encoding="utf-8")))

    def save(self, folder: Path) -> None:
        (folder / "lengths.json").write_text(json.dumps(self.lengths), encoding="utf-8")

    def describe(self) -> dict[str, Any]:
        return {"n_words": len(self.lengths)}

    def summary(self) -> tuple[str, list[str]]:
        return f"{len(self.lengths)} words", ["measured"]


def test_a_new_part_is_one_class_and_one_row(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = Kind(
        "lengths", "word lengths", 1, f"{__name__}:Lengths", "firth lengths MODEL", plural=True
    )
    monkeypatch.setitem(PARTS, "lengths", row)
    with writing(copied) as writer:
        write_part(writer, "lengths", Lengths({"cat": 3, "bird": 4}), {"unit": "letters"})
    model = firth.load(copied)
    assert model.lengths.lengths == {"cat": 3, "bird": 4}
    assert model_facts(model)["parts"]["lengths"]["n_words"] == 2
    assert summary_rows(model)[-1] == ("lengths", "2 words", ["measured"], False)
    assert "lengths" in dir(model)
    change(copied, "lengths", version=2)
    with pytest.raises(ModelError, match="The word lengths in .* have format 2"):
        firth.load(copied).lengths  # noqa: B018
