"""Counts of adjacent words, in memory and in files."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import firth
from firth.classes import Bigrams, ClassesParameters, bigrams_of, learn_hierarchy
from firth.compute import Engine
from firth.counts import Counts
from firth.store import Room, _room
from tests.classes.samples import corpora, pairs_of
from tests.conftest import zipf_text


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("text") / "text.txt"
    path.write_text(zipf_text(300, n_words=600), encoding="utf-8")
    return path


@pytest.fixture
def in_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Room:
    """A room in which every array is a file."""
    monkeypatch.setattr(_room, "_SMALL", 0)
    return Room(0, tmp_path)


def counted(text: Path, contexts: str) -> Counts:
    return firth.count(firth.Corpus.from_files(text), contexts, min_count=2)


@pytest.mark.parametrize("contexts", ["R1", "LR2"])
def test_pairs_in_order(text: Path, contexts: str, in_files: Room, tmp_path: Path) -> None:
    counts = counted(text, contexts)
    plain, filed = bigrams_of(counts, Room()), bigrams_of(counts, in_files, Engine(2))
    order = plain.order
    assert counts.has_rare
    assert (np.diff(order) < 0).any()
    assert np.array_equal(pairs_of(plain), counts.block(1).toarray()[np.ix_(order, order)])
    for one, two in ((plain.after, filed.after), (plain.before, filed.before)):
        assert all(np.array_equal(a, b) for a, b in zip(one[:3], two[:3], strict=True))
        assert not two.indices.flags.owndata
        assert not two.data.flags.owndata
    assert not list(tmp_path.iterdir())  # the system has the files as long as they are used


@given(corpora(), st.data())
def test_pairs_of_classes(bigrams: Bigrams, data: st.DataObject) -> None:
    m = data.draw(st.integers(1, 4))
    numbers = st.integers(-1, m - 1)
    n = bigrams.n_words
    class_of = np.array(data.draw(st.lists(numbers, min_size=n, max_size=n)))
    pairs, expected = pairs_of(bigrams), np.zeros((m, m), np.int64)
    for x, y in product(range(n), repeat=2):
        if class_of[x] >= 0 and class_of[y] >= 0:
            expected[class_of[x], class_of[y]] += pairs[x, y]
    assert bigrams.between(class_of, m).tolist() == expected.tolist()


@pytest.mark.parametrize(
    "how",
    [
        {"method": "brown"},
        {"method": "spectral"},
        {"method": "spectral", "clustering": "two-means"},
    ],
)
def test_classes_do_not_depend_on_memory(
    text: Path, how: Any, in_files: Room, tmp_path: Path
) -> None:
    parameters = ClassesParameters(12, **how)
    counts = counted(text, "LR2")
    plain, facts = learn_hierarchy(counts, parameters, Engine(1))
    found, same_facts = learn_hierarchy(counts, parameters, Engine(2), room=in_files)
    assert same_facts == facts
    for name, made in (("plain", plain), ("found", found)):
        (tmp_path / name).mkdir()
        made.save(tmp_path / name)
    files = sorted((tmp_path / "plain").iterdir())
    assert len(files) > 5
    for file in files:
        assert (tmp_path / "found" / file.name).read_bytes() == file.read_bytes()
