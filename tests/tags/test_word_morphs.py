"""Morphs as spelling features: their names by hand, and tags that are learned with them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import firth
from firth.tags._word_forms import _signs, feature_matrix
from firth.tags._word_morphs import morph_features
from tests.morphs.samples import language


def test_morphs_are_spelling_features() -> None:
    words = ["The", "The", *language(n=40), "B2B", ",", "Nozaktazro"]
    words = list(dict.fromkeys(words))
    lower = sorted({word.lower() for word in words if word.isalpha()})
    morphology = firth.Morphology().fit(lower)
    slow: list[set[str]] = []
    for word in words:
        found = morphology.analyse(word.lower())
        kinds = [morph.kind for morph in found]
        last = max(k for k, kind in enumerate(kinds) if kind == "stem")
        names = {f"stem {morph.text}" for morph in found if morph.kind == "stem"}
        names |= {
            f"ending {''.join(m.text for m in found[k:])}" for k in range(last + 1, len(found))
        }
        names |= {"ending "} if last == len(found) - 1 else set()
        first = kinds.index("stem")
        names |= {f"beginning {''.join(m.text for m in found[: k + 1])}" for k in range(first)}
        slow.append(names)
    assert [set(names) for names in morph_features(words)] == slow
    assert any(len(names) > 2 for names in slow)
    signs, letters, both = (
        feature_matrix(words, 1, affixes=affixes) for affixes in ("morphs", "letters", "both")
    )
    n_names = len(set().union(*slow))
    assert both.shape[1] - letters.shape[1] == n_names
    assert (both.sum(axis=1) - letters.sum(axis=1)).tolist() == [len(names) for names in slow]
    of_signs = {name for word in words for name in _signs(word)}
    assert signs.shape[1] == n_names + len(of_signs) + 1


def test_words_without_letters_have_no_morphs() -> None:
    assert morph_features(["1", ".", "2"]) == [[], [], []]


@pytest.mark.parametrize("affixes", ["morphs", "both"])
def test_tags_with_morphs_are_the_same_for_any_number_of_threads(affixes: str) -> None:
    rng = np.random.default_rng(0)
    nouns = [word for word, parts in language(n=30).items() if len(parts) == 1]
    lines = []
    for _ in range(400):
        a, b = rng.choice(nouns, 2).tolist()
        lines.append(
            [a + "den", b + "lu", "."] if rng.random() < 0.5 else [b + "lu", a + "den", "."]
        )
    how: dict[str, Any] = {"n_tags": 3, "affixes": affixes, "threads": 1}
    tagger = firth.MutualInformationTagger(**how).fit(firth.Corpus.from_sentences(lines))
    assert tagger.parameters()["affixes"] == affixes
    assert (
        "affixes" not in firth.MutualInformationTagger().parameters()
    )  # older models stay current
    again = firth.MutualInformationTagger(**{**how, "threads": 2}).fit(
        firth.Corpus.from_sentences(lines)
    )
    assert (again.hmm_.emission == tagger.hmm_.emission).all()
