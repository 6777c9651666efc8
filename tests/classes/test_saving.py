"""Trees of classes in the folder of a model: there and back, and what is wrong with a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import firth
from firth.classes import Hierarchy
from firth.errors import ModelError
from firth.parts import load_part
from firth.store import Part
from tests.classes.trees import given, learned, small
from tests.damage import check_refused, instead


def folder_of(classes: Hierarchy, folder: Path) -> Callable[..., Hierarchy]:
    """Saves a tree; what is returned loads it, with facts that are given."""
    classes.save(folder)

    def load(**facts: Any) -> Hierarchy:
        found: Hierarchy = load_part(
            Part.in_folder(folder, classes.made, "classes", **{"rare": classes.rare, **facts})
        )
        return found

    return load


def test_saved_and_loaded(tmp_path: Path) -> None:
    classes = learned()
    again = folder_of(classes, tmp_path)()
    assert list(again) == list(classes)
    assert again.paths == classes.paths
    for name in ("class_of", "tokens", "follow"):
        assert np.array_equal(getattr(again, name), getattr(classes, name))
    assert np.array_equal(again.tree.merges, classes.tree.merges)
    assert np.array_equal(again.tree.heights, classes.tree.heights)
    assert (again.rare, again.made) == (classes.rare, classes.made)
    assert [again.contexts(p) for p in again.paths] == [classes.contexts(p) for p in classes.paths]
    assert again.assign(["zzz", "kaan"]) == classes.assign(["zzz", "kaan"])


def test_imported_classes_are_saved_and_loaded(tmp_path: Path) -> None:
    for number, classes in enumerate((given(), Hierarchy.from_classes("ab", "xx"), small().cut(2))):
        folder = tmp_path / str(number)
        folder.mkdir()
        again = folder_of(classes, folder)()
        assert {w: again.path(w) for w in again} == {w: classes.path(w) for w in classes}
        assert again.members() == classes.members()
        assert again.contexts("0") is None


DAMAGE: dict[str, tuple[str, bytes]] = {
    "a class that is not there": ("class_of.i32", np.array([0, 1, 2, 0, 1, 9], "<i4").tobytes()),
    "a negative class": ("class_of.i32", np.array([0, 1, 2, 0, 1, -1], "<i4").tobytes()),
    "too few classes": ("class_of.i32", np.array([0, 1, 2], "<i4").tobytes()),
    "no classes": ("class_of.i32", b""),
    "half a number": ("class_of.i32", b"\0\0\0"),
    "a merge too few": ("merges.i32", np.array([0, 1], "<i4").tobytes()),
    "half a merge": ("merges.i32", np.array([0, 1, 2], "<i4").tobytes()),
    "a node merged twice": ("merges.i32", np.array([0, 1, 1, 3], "<i4").tobytes()),
    "a merge of nothing": ("merges.i32", np.array([0, 1, 2, 7], "<i4").tobytes()),
    "no height": ("heights.f64", np.array([1.0, np.nan], "<f8").tobytes()),
    "a height too few": ("heights.f64", np.array([1.0], "<f8").tobytes()),
    "a small table": ("follow.i64", np.zeros(4, "<i8").tobytes()),
    "negative counts": ("follow.i64", np.full(9, -1, "<i8").tobytes()),
    "contexts cut off": ("context_words.i32", np.zeros(5, "<i4").tobytes()),
    "contexts that are no words": ("context_words.i32", np.full(120, 99, "<i4").tobytes()),
    "no words": ("words.arrow", b""),
    "no leaves": ("leaves.arrow", b"ARROW1 or not"),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_files_are_refused(name: str, tmp_path: Path) -> None:
    load = folder_of(small(), tmp_path)
    assert len(load()) == 6
    file, content = DAMAGE[name]
    check_refused(load, tmp_path / file, instead(content))


@pytest.mark.parametrize("rare", [3, -1, "0", 1.5])
def test_a_class_of_rare_words_that_is_not_there(rare: Any, tmp_path: Path) -> None:
    load = folder_of(small(), tmp_path)
    assert load(rare=2).rare == 2
    with pytest.raises(ModelError, match="cannot be used: the class of rare words does not exist"):
        load(rare=rare)


def test_paths_out_of_order_are_refused(tmp_path: Path) -> None:
    load = folder_of(small(), tmp_path)
    words = firth.Vocabulary(pa.array(["1", "0", "x"], pa.large_string()), np.array([3, 2, 1]))
    words.save(tmp_path / "leaves.arrow")
    with pytest.raises(ModelError, match="paths are not in order") as error:
        load()
    assert error.value.hint == "Retrain them: firth classes learn MODEL"
