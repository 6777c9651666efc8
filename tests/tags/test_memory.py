"""Tags do not depend on memory: matrices in files, made a few rows at a time, are the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firth.classes import BrownClasses
from firth.compute import ONE_THREAD
from firth.corpus import Corpus
from firth.store import Room, _room
from firth.tags import BaumWelchTagger, ClusterTagger, _cluster_tagger, _fitting, _stacking
from firth.tags._contexts import ContextCounts
from firth.tags._memberships import anchor_memberships
from firth.tags._parameters import AnchorParameters
from tests.conftest import zipf_text

CORPUS, OTHER = (
    Corpus.from_sentences([line.split() for line in zipf_text(60, seed, 80).splitlines()])
    for seed in (1, 2)
)
HOW = [
    AnchorParameters(3, spelling=0.1),
    AnchorParameters(3, contexts="LR2", sharing=2.0),
    AnchorParameters(3, representation="cca", sharing=0.0),
    AnchorParameters(3, representation="conditional", refine=False),
]


def learned(how: AnchorParameters, room: Room, folder: Path | None) -> list[Any]:
    counting = how.contexts, None, "64M", ONE_THREAD, room, folder
    contexts = ContextCounts.of(CORPUS, *counting).plus(ContextCounts.of(OTHER, *counting))
    group = np.arange(contexts.n_words) % 7
    halves = contexts.halves(np.random.default_rng(0))
    matrices = [contexts.matrix, contexts.pairs, *(half.matrix for half in halves)]
    found = [part for matrix in matrices for part in (matrix.indptr, matrix.indices, matrix.data)]
    return [*found, *anchor_memberships(contexts, how, group, ONE_THREAD)]


@pytest.mark.parametrize("how", HOW)
def test_tags_do_not_depend_on_memory(
    how: AnchorParameters, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = learned(how, Room(), None)
    monkeypatch.setattr(_room, "_SMALL", 0)
    monkeypatch.setattr(_stacking, "_ENTRIES", 50)
    for one, two in zip(plain, learned(how, Room(0, tmp_path), tmp_path), strict=True):
        assert np.array_equal(one, two)


def test_pieces_of_rows() -> None:
    sizes = np.array([3, 0, _stacking._ENTRIES + 5, 2, 0])
    pieces = list(_stacking.row_pieces(sizes))
    assert pieces == [(0, 2), (2, 3), (3, 5)]
    assert list(_stacking.row_pieces(np.zeros(0))) == []


def test_other_taggers_read_the_text_in_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    classes = BrownClasses(4, min_count=2).fit(CORPUS).hierarchy_

    def made() -> list[Any]:
        taggers = (
            ClusterTagger(classes=classes).fit(CORPUS),
            BaumWelchTagger(2, rounds=2, vocabulary=20).fit(CORPUS, "64M", tmp_path),
        )
        return [
            part for t in taggers for part in (t.hmm_.initial, t.hmm_.transition, t.hmm_.emission)
        ]

    plain = made()
    monkeypatch.setattr(_room, "_SMALL", 0)
    monkeypatch.setattr(_fitting, "parse_memory", lambda _: 0)
    monkeypatch.setattr(_cluster_tagger, "_TOKENS", 7)
    for one, two in zip(plain, made(), strict=True):
        assert np.array_equal(one, two)
