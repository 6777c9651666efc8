"""What the anchor method counts, and words as points."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import firth
from firth.compute import Engine
from firth.tags import ContextCounts, SpellingGroups
from firth.tags._rows import rows_of
from tests.tags.samples import mixed_text

TEXT = [["the", "cat"], ["a", "cat", "sees", "the", "dog"], ["yes"], [], ["the", "cat", "the"]]


def counted(
    text: Any = TEXT, contexts: str = "LR1", vocabulary: int | None = None
) -> ContextCounts:
    return ContextCounts.of(
        firth.Corpus.from_sentences(text), contexts, vocabulary, "1G", Engine(1)
    )


def context(sentence: list[str], place: int, words: list[str]) -> str | None:
    """The word at a place of a sentence: None past the end, one for all rare words."""
    if not 0 <= place < len(sentence):
        return None
    return sentence[place] if sentence[place] in words else "(rare)"


@pytest.mark.parametrize("contexts", ["LR1", "R1", "LR2", "-2,1"])
@pytest.mark.parametrize("vocabulary", [None, 3])
def test_counts_by_hand(contexts: str, vocabulary: int | None) -> None:
    found = counted(contexts=contexts, vocabulary=vocabulary)
    words = list(found.words)
    counts = Counter(word for sentence in TEXT for word in sentence)
    assert found.counts.tolist() == [counts[word] for word in words]
    assert len(words) == (vocabulary or 6)
    offsets = {"LR1": [-1, 1], "R1": [1], "LR2": [-2, -1, 1, 2], "-2,1": [-2, 1]}[contexts]
    places = [(s, k) for s in TEXT for k in range(len(s))]
    expected = Counter(
        (s[k], offset, context(s, k + offset, words)) for s, k in places for offset in offsets
    )
    width = found.matrix.shape[1] // found.n_blocks
    dense = found.matrix.toarray()
    assert found.n_blocks == len(offsets)
    for row, word in enumerate(words):
        assert dense[row].sum() == counts[word] * len(offsets), "each place counts, the end too"
        for block, offset in enumerate(offsets):
            here = dense[row, block * width : (block + 1) * width]
            for column, other in enumerate(words):
                assert here[column] == expected[word, offset, other]
            assert here[-1] == expected[word, offset, None]
    steps = Counter((a, b) for s in TEXT for a, b in pairwise(s))
    starts = Counter(s[0] for s in TEXT if s)
    for row, word in enumerate(words):
        assert found.starts[row] == starts[word]
        assert [found.pairs[row, c] for c in range(len(words))] == [steps[word, o] for o in words]


def test_more_counts_of_the_same_words() -> None:
    here, there = counted(), counted([["dog", "the", "cow", "sees"], ["cat", "sees", "the"]])
    both = here.plus(there)
    assert both.words == here.words
    assert both.counts.tolist() == here.counts.tolist()
    width = len(here.words) + 1
    number = {word: k for k, word in enumerate(here.words)}
    change = both.matrix.toarray() - here.matrix.toarray()
    assert change[number["sees"], number["cat"]] == 1, "cat before sees"
    assert change[number["sees"], width - 1] == 0
    assert change[number["sees"], width + width - 1] == 1, "sees at the end"
    assert change[number["dog"], width + number["the"]] == 1
    assert change.sum() == 2 + 3 + 3 + 2, "neighbours that are not known here do not count"


@pytest.mark.parametrize("most", [1.0, 2.5, 100.0])
def test_contexts_elsewhere_have_a_limit(most: float) -> None:
    here, there = counted(), counted([["dog", "the", "cow", "sees"], ["cat", "sees", "the"]])
    own = here.matrix.toarray()
    change = here.plus(there).matrix.toarray() - own
    limited = here.plus(there, most).matrix.toarray() - own
    for row, expected in zip(limited, change, strict=True):
        total = expected.sum()
        share = most / total if total > most else 1.0
        np.testing.assert_allclose(row, expected * share, atol=1e-12)


@pytest.mark.parametrize("amount", [1.0, 2.5])
def test_shared_contexts_by_hand(amount: float) -> None:
    found = counted(mixed_text(60))
    group = np.arange(found.n_words) % 2
    dense = found.matrix.toarray()
    shared = found.shared(group, amount).matrix.toarray()
    for g in (0, 1):
        rows = dense[group == g]
        sums = rows.sum(axis=1, keepdims=True)
        together = (rows / sums * np.minimum(sums, 50)).sum(axis=0)
        expected = rows + amount * together / together.sum()
        np.testing.assert_allclose(shared[group == g], expected, atol=1e-9)
    assert found.shared(group, 0.0) is found


def test_halves_are_all() -> None:
    found = counted(mixed_text(100))
    one, other = found.halves(np.random.default_rng(1))
    together = (one.matrix + other.matrix).toarray()
    assert np.array_equal(together, found.matrix.toarray())
    assert np.array_equal(one.counts + other.counts, found.counts)
    assert abs(one.matrix.sum() / found.matrix.sum() - 0.5) < 0.1


# Words as points ----------------------------------------------------------------------------------


def points(found: ContextCounts, representation: str, dim: int, pseudocount: float = 10.0) -> Any:
    rows = rows_of(found, representation, dim, pseudocount, 0.0, 0, Engine(1))
    return rows.toarray() if hasattr(rows, "toarray") else rows


@pytest.mark.parametrize("share", [0.0, 1.0])
@pytest.mark.parametrize("pseudocount", [0.0, 10.0])
def test_points_by_dense_algebra(share: float, pseudocount: float) -> None:
    """Up to turns of the space: inner products are what matters."""
    found = counted(mixed_text(200)).shared(np.zeros(20, np.int64), share)
    matrix = found.matrix.toarray()
    before = matrix.copy()
    words = matrix.sum(axis=1, keepdims=True)
    conditional = matrix / words
    assert np.allclose(points(found, "conditional", 3), conditional)
    both = (words + pseudocount) * (matrix.sum(axis=0) + pseudocount)
    roots = np.divide(matrix**0.5, both**0.25, out=np.zeros_like(matrix), where=both > 0)
    right = np.linalg.svd(roots)[2][:3].T
    weight = np.maximum(matrix.sum(axis=0) + pseudocount, 1e-300) ** -0.5
    weight[matrix.sum(axis=0) == 0] = 0  # nothing to weigh
    expected = conditional @ (weight[:, None] * right)
    found_rows = points(found, "cca", 3, pseudocount)
    np.testing.assert_allclose(found_rows @ found_rows.T, expected @ expected.T, atol=1e-6)
    left = np.linalg.svd(roots)[0][:, :3]
    left /= np.linalg.norm(left, axis=1, keepdims=True)
    found_rows = points(found, "spectral", 3, pseudocount)
    np.testing.assert_allclose(found_rows @ found_rows.T, left @ left.T, atol=1e-6)
    assert np.array_equal(found.matrix.toarray(), before), "the counts stay as they are"


def test_signs_of_spelling_draw_words_together() -> None:
    """With great weight, words that end alike are nearly the same point."""
    text = [[f"{c}ating", f"{d}ested"] for c in "bcdfg" for d in "klmn"]
    text += [[f"{d}ested", f"{c}ating"] for c in "bcdfg" for d in "klmn"]
    found = counted(text)
    ends = np.array([word[-2:] for word in found.words])
    rows = rows_of(found, "spectral", 2, 10.0, 50.0, 0, Engine(1))
    near, same = rows @ rows.T, ends[:, None] == ends
    assert near[same].min() > 0.99
    assert np.abs(near[~same]).max() < 0.1


# Words that are spelled alike ---------------------------------------------------------------------


def test_groups_of_words() -> None:
    words = [f"{a}{b}ing" for a in "bcdfg" for b in "aeiou"] + [
        "sing",
        "x-ing",
        "Bing",
        "1ing",
        "-",
    ]
    groups, group = SpellingGroups.learn(words)
    assert len(set(group[:26].tolist())) == 1
    assert groups.find("walking") == group[0]
    assert groups.find("WALKING") != group[0], "a capital is another form"
    assert groups.find("x-ing") == groups.find("3") == groups.find("...") == 0
    assert [groups.find(word) for word in words] == group.tolist()
    small, alone = SpellingGroups.learn(words, least=1)
    assert len(set(alone.tolist())) > 5
    assert len(small) > len(groups)
    assert SpellingGroups(groups.keys).find("walking") == group[0]
    nothing, none = SpellingGroups.learn([])
    assert (len(nothing), len(none), nothing.find("word")) == (1, 0, 0)
