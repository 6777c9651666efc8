"""The anchor method as its authors compute it: spelling in counts, no exchange, their transitions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import firth
from firth.compute import Engine
from firth.errors import ParameterError
from firth.tags import (
    ANCHOR_PRESETS,
    AnchorTagger,
    ContextCounts,
    SpellingGroups,
    anchor_preset,
    find_anchors,
)
from firth.tags._estimation import transitions
from firth.tags._rows import rows_of
from firth.tags._spelling import spelling_values
from tests.oracles import hmm, tag_features
from tests.tags.samples import mixed_text

WORDS = ["the", "The", "a", "A-1", "well-known", "1980", "é", "Été", "x7-y", "..."]


def counted(text: Any) -> ContextCounts:
    return ContextCounts.of(firth.Corpus.from_sentences(text), "LR1", None, "1G", Engine(1))


def some_text(n: int = 60, seed: int = 0) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    return [rng.choice(WORDS, 6).tolist() for _ in range(n)]


def test_every_word_has_or_lacks_each_sign() -> None:
    rows, columns = spelling_values(WORDS)
    pairs = set(zip(rows.tolist(), columns.tolist(), strict=True))
    for one, word in enumerate(WORDS):
        mine = {column for row, column in pairs if row == one}
        assert len(mine) == len(tag_features.values_of(word))
        for other, second in enumerate(WORDS):
            both = mine & {column for row, column in pairs if row == other}
            shared = tag_features.values_of(word) & tag_features.values_of(second)
            assert len(both) == len(shared)


@pytest.mark.parametrize("weight", [0.1, 2.0])
def test_spelling_is_added_to_counts(weight: float) -> None:
    contexts = counted(some_text())
    before = contexts.matrix.toarray()
    found = contexts.spelled(weight)
    after = found.matrix.toarray()
    assert np.array_equal(after[:, : before.shape[1]], before)
    expected = tag_features.spelled(contexts.words, before, weight)
    columns = sorted(map(tuple, expected.values()))
    added = sorted(map(tuple, after[:, before.shape[1] :].T))
    np.testing.assert_allclose(added, columns, rtol=1e-12)
    lengths = np.linalg.norm(after[:, before.shape[1] :], axis=1)
    np.testing.assert_allclose(lengths, weight * np.linalg.norm(before, axis=1))
    assert contexts.spelled(0.0) is contexts


def test_spelling_in_counts_reaches_every_representation() -> None:
    contexts = counted(some_text(300))
    for name in ("spectral", "conditional", "cca", "random"):
        plain, more = (
            rows_of(some, name, 3, 1.0, 0.0, 0, Engine(1))
            for some in (contexts, contexts.spelled(1.0))
        )
        gram, other = (
            (x @ x.T).toarray() if name == "conditional" else x @ x.T for x in (plain, more)
        )
        assert not np.allclose(gram, other)


@pytest.mark.parametrize("seed", range(5))
def test_anchors_without_exchange(seed: int) -> None:
    rows = np.random.default_rng(seed).standard_normal((40, 6))
    found = find_anchors(rows, 5, exchange=False).tolist()
    assert found == hmm.anchors(rows, 5, exchange=False)
    assert found[0] == int(np.argmax((rows**2).sum(axis=1))), "the longest row is first"


def test_exchange_makes_a_difference() -> None:
    volumes = []
    for seed in range(20):
        rows = np.random.default_rng(seed).standard_normal((60, 5))
        volumes.append(
            [hmm.volume(rows, find_anchors(rows, 4, how).tolist()) for how in (False, True)]
        )
    assert all(after >= before * (1 - 1e-9) for before, after in volumes)
    assert any(after > before * 1.01 for before, after in volumes)


@pytest.mark.parametrize("rounds", [1, 2])
def test_transitions_by_the_paper(rounds: int) -> None:
    contexts = counted(mixed_text(100))
    memberships = np.random.default_rng(1).dirichlet(np.ones(3), contexts.n_words)
    starts, pairs = transitions(contexts, memberships, rounds, Engine(1))
    emission = memberships * contexts.counts[:, None]
    emission /= emission.sum(axis=0)
    shares = emission.T @ contexts.counts
    expected = tag_features.transitions(
        contexts.pairs.toarray(), shares / shares.sum(), emission, rounds
    )
    np.testing.assert_allclose(pairs / pairs.sum(axis=1, keepdims=True), expected, rtol=1e-9)
    assert pairs.sum() == pytest.approx(contexts.pairs.sum())
    first = emission.T @ contexts.starts
    np.testing.assert_allclose(starts, contexts.starts.sum() * first / first.sum())


def test_the_preset_is_the_paper() -> None:
    corpus = firth.Corpus.from_sentences(mixed_text(100))
    paper = AnchorTagger(3, **ANCHOR_PRESETS["paper"]).fit(corpus)
    assert anchor_preset("paper") == dict(ANCHOR_PRESETS["paper"])
    assert paper.decode == "posterior"
    contexts = counted(mixed_text(100))
    rows = rows_of(contexts, "spectral", 3, 10.0, 0.0, 0, Engine(1))
    anchors = [contexts.words[k] for k in hmm.anchors(rows, 3, exchange=False)]
    assert sorted(paper.anchors_) == sorted(anchors)
    assert (np.count_nonzero(paper.memberships_ > 1e-6, axis=1) > 1).any(), "words are mixtures"
    with pytest.raises(ParameterError, match="preset"):
        anchor_preset("best")


def test_present_defaults_are_as_they_were() -> None:
    """New parameters leave the default alone: rows, exchange, transitions of maximal likelihood."""
    corpus = firth.Corpus.from_sentences(some_text(300))
    plain = AnchorTagger(3, spelling=0.1).fit(corpus)
    same = AnchorTagger(
        3, spelling=0.1, spelling_in="rows", exchange=True, transition_rounds=None, anchors=None
    ).fit(corpus)
    other = AnchorTagger(3, spelling=0.1, spelling_in="counts").fit(corpus)
    assert np.array_equal(plain.hmm_.emission, same.hmm_.emission)
    assert not np.array_equal(plain.hmm_.emission, other.hmm_.emission)
    assert len(SpellingGroups.learn(WORDS)[0]) >= 1
