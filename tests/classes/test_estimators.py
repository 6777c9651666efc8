"""The estimators as a user meets them: what they take, what they refuse, and what they say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firth
from firth.classes import BrownClasses, ExchangeRefiner, Hierarchy, SpectralClasses
from firth.errors import InputError, ParameterError
from tests.conftest import zipf_text

LINES = ["the cat sat", "the dog sat", "a cat ran", "a dog ran", "the cat ran"] * 3


def corpus_of(lines: list[str]) -> firth.Corpus:
    return firth.Corpus.from_sentences([line.split() for line in lines])


def zipf_corpus(n_lines: int = 600) -> firth.Corpus:
    return corpus_of(zipf_text(n_lines, n_words=300).splitlines())


ESTIMATORS = [BrownClasses, SpectralClasses]


@pytest.mark.parametrize("make", ESTIMATORS)
@pytest.mark.parametrize("n_classes", [1, 0, -2, 7, 2.0, "2", True])
def test_a_number_of_classes_that_cannot_be(make: Any, n_classes: Any) -> None:
    expected = r"between 2 and 6 \(the vocabulary\)" if n_classes == 7 else "of at least 2"
    message = rf"'n_classes' parameter of {make.__name__} must be an int {expected}"
    with pytest.raises(ParameterError, match=message):
        make(n_classes, min_count=1).fit(corpus_of(LINES))


@pytest.mark.parametrize("make", ESTIMATORS)
def test_one_word_cannot_be_put_into_classes(make: Any) -> None:
    with pytest.raises(InputError, match="There is only one word to put into classes"):
        make(2, min_count=1).fit(corpus_of(["no no no no"]))
    with pytest.raises(InputError, match="There is only one word to put into classes"):
        make(min_count=1).fit(corpus_of(["no no no no"]))


@pytest.mark.parametrize("make", ESTIMATORS)
def test_words_that_stand_alone_teach_nothing(make: Any) -> None:
    alone = corpus_of(["one", "two", "three", "two"])
    with pytest.raises(InputError, match="nothing to count") as error:
        make(2, min_count=1).fit(alone)
    assert error.value.hint, "it says what next"
    across = make(2, min_count=1, across_lines=True, **kappa(make)).fit(alone).hierarchy_
    assert len(across) == 3
    assert across.made["across_lines"] is True


def kappa(make: Any) -> dict[str, Any]:
    return {"kappa": 0} if make is SpectralClasses else {}


@pytest.mark.parametrize("make", ESTIMATORS)
def test_a_text_of_one_line_is_enough(make: Any) -> None:
    classes = make(3, min_count=1, **kappa(make)).fit(corpus_of(["a b c a d c a b"])).hierarchy_
    assert classes.n_classes == 3
    assert sorted(classes) == ["a", "b", "c", "d"]


def test_words_too_rare_are_no_classes() -> None:
    with pytest.raises(InputError, match="No word occurs") as error:
        BrownClasses(2).fit(corpus_of(["a b c"]))
    assert error.value.hint


@pytest.mark.parametrize("make", ESTIMATORS)
@pytest.mark.parametrize("text", [None, 5, {"the": 1}])
def test_only_text_and_counts_are_learned_from(make: Any, text: Any) -> None:
    with pytest.raises(
        ParameterError, match=rf"'text' parameter of {make.__name__}.fit must be a Corpus, a list"
    ):
        make(2).fit(text)


@pytest.mark.parametrize("make", ESTIMATORS)
def test_text_in_any_form_gives_the_same_classes(make: Any, tmp_path: Path) -> None:
    file = tmp_path / "text.txt"
    file.write_text("\n".join(LINES))
    expected = make(3, min_count=1, **kappa(make)).fit(corpus_of(LINES)).hierarchy_
    for text in ([line.split() for line in LINES], LINES, file, str(file)):
        found = make(3, min_count=1, **kappa(make)).fit(text).hierarchy_
        assert found.paths == expected.paths
        assert np.array_equal(found.class_of, expected.class_of)
        refined = ExchangeRefiner(min_count=1).fit(found, text).hierarchy_
        assert refined.n_classes == 3


def test_a_refiner_begins_with_a_hierarchy() -> None:
    with pytest.raises(ParameterError, match="'start' .* must be a Hierarchy"):
        ExchangeRefiner().fit(LINES, LINES)  # type: ignore[arg-type]


def test_a_trace_needs_a_fitted_estimator() -> None:
    with pytest.raises(ParameterError, match="not fitted yet"):
        next(BrownClasses().trace())


@pytest.mark.parametrize("make", ESTIMATORS)
@pytest.mark.parametrize(
    ("contexts", "weights"), [("bag2", "none"), ("L1", "none"), ("2", "none"), ("R2", "distance")]
)
def test_counts_without_the_next_word_are_refused(make: Any, contexts: str, weights: Any) -> None:
    counts = firth.count(corpus_of(LINES), contexts, 1, weights=weights)
    with pytest.raises(
        ParameterError, match=f"{contexts} do not keep the next word apart"
    ) as error:
        make(2).fit(counts)
    assert error.value.hint == "Count R1, LR1 or LR2 contexts, without weights."


@pytest.mark.parametrize("contexts", ["R1", "LR1", "LR2"])
def test_counts_do_as_well_as_a_corpus(contexts: str) -> None:
    corpus = zipf_corpus()
    from_corpus = BrownClasses(10, min_count=3).fit(corpus)
    from_counts = BrownClasses(10).fit(firth.count(corpus, contexts, 3))
    assert np.array_equal(from_corpus.merges_, from_counts.merges_)
    assert np.array_equal(from_corpus.losses_, from_counts.losses_)
    one = SpectralClasses(10, contexts, min_count=3).fit(corpus).hierarchy_
    two = SpectralClasses(10).fit(firth.count(corpus, contexts, 3)).hierarchy_
    assert np.array_equal(one.class_of, two.class_of)
    assert one.made["contexts"] == contexts
    start = from_corpus.hierarchy_
    three = ExchangeRefiner(min_count=3).fit(start, corpus)
    four = ExchangeRefiner().fit(start, firth.count(corpus, contexts, 3))
    assert np.array_equal(three.hierarchy_.class_of, four.hierarchy_.class_of)
    assert three.history_ == four.history_


def test_the_rare_symbol_takes_part_and_is_not_told() -> None:
    corpus = zipf_corpus()
    counts = firth.count(corpus, "R1", 10)
    assert counts.has_rare
    brown = BrownClasses(12).fit(counts)
    classes = brown.hierarchy_
    assert list(classes) == list(counts.vocabulary)
    assert len(brown.merges_) == len(counts.vocabulary), (
        "one more word than is told: n - 1 merges of n"
    )
    assert classes.rare is not None
    assert int(classes.tokens.sum()) == corpus.n_tokens
    assert int(classes.vocabulary.counts.sum()) < corpus.n_tokens
    told = [word for step in brown.trace() for word in step.left + step.right]
    assert "(rare)" in told
    assert "(rare)" not in classes
    whole = BrownClasses(12, min_count=1).fit(corpus)
    assert whole.hierarchy_.rare is None
    assert "(rare)" not in [word for step in whole.trace() for word in step.left + step.right]


def test_a_class_of_nothing_but_rare_words() -> None:
    """Where all words are kept apart from each other, so is the rare symbol."""
    lines = ["a b"] * 9 + ["a c"] * 8 + ["a x", "a y", "a z"]
    classes = BrownClasses(4, min_count=5).fit(corpus_of(lines)).hierarchy_
    assert classes.rare is not None
    path = classes.paths[classes.rare]
    assert classes.members(path) == []
    assert classes.label(path) == "(rare words)"
    assert classes.sizes().tolist().count(0) == 1
    refined = ExchangeRefiner(min_count=5).fit(classes, corpus_of(lines)).hierarchy_
    assert refined.n_classes == 4
    assert len(refined) == 3


def test_pairs_across_lines_are_counted_where_that_is_asked_for() -> None:
    lines = ["a b", "c d"] * 5
    apart = BrownClasses(2, min_count=1).fit(corpus_of(lines)).hierarchy_
    joined = BrownClasses(2, min_count=1, across_lines=True).fit(corpus_of(lines)).hierarchy_
    assert apart.follow is not None
    assert joined.follow is not None
    assert (int(apart.follow.sum()), int(joined.follow.sum())) == (10, 19)
    assert (apart.made["across_lines"], joined.made["across_lines"]) == (False, True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"kappa": -1},
            "'kappa' parameter of SpectralClasses must be a number of at least 0. Got -1",
        ),
        ({"kappa": "much"}, "'kappa'"),
        ({"kappa": float("nan")}, "'kappa'"),
        ({"kappa": float("inf")}, "'kappa'"),
        ({"kappa": True}, "'kappa'"),
        ({"transform": "cube"}, "'transform' .* one of 'none', 'log', 'two-thirds', 'sqrt'"),
        ({"clustering": "k-means"}, "'clustering' .* one of 'ward', 'two-means'"),
        ({"dim": 0}, "'dim' .* an int of at least 1"),
        ({"threads": 0}, "'threads'"),
        ({"contexts": "bag3"}, "'contexts' .* other offsets that include 1"),
    ],
)
def test_wrong_parameters_of_spectral_classes(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        SpectralClasses(2, min_count=1, **options).fit(corpus_of(LINES))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"passes": 0},
            "'passes' parameter of ExchangeRefiner must be an int of at least 1. Got 0",
        ),
        ({"passes": 1.5}, "'passes'"),
        ({"tolerance": -0.1}, "'tolerance' .* a number from 0 to 1"),
        ({"tolerance": 2}, "'tolerance'"),
        ({"tolerance": "low"}, "'tolerance'"),
        ({"threads": "all"}, "'threads'"),
    ],
)
def test_wrong_parameters_of_the_refiner(options: dict[str, Any], message: str) -> None:
    start = Hierarchy.from_classes("the a cat dog sat ran".split(), "001122")
    with pytest.raises(ParameterError, match=message):
        ExchangeRefiner(min_count=1, **options).fit(start, corpus_of(LINES))


def test_words_without_a_class_cannot_be_refined() -> None:
    start = Hierarchy.from_classes("the a cat dog".split(), "0011")
    with pytest.raises(ParameterError, match="'ran' and 1 other words cannot be refined") as error:
        ExchangeRefiner(min_count=1).fit(start, corpus_of(LINES))
    assert "min_count" in str(error.value.hint)


@pytest.mark.parametrize("clustering", ["ward", "two-means"])
def test_spectral_classes_of_a_small_text(clustering: Any) -> None:
    spectral = SpectralClasses(3, kappa=0, clustering=clustering, min_count=1).fit(corpus_of(LINES))
    classes = spectral.hierarchy_
    found = {frozenset(m.word for m in classes.members(path)) for path in classes.paths}
    assert found == {frozenset(pair) for pair in (("the", "a"), ("cat", "dog"), ("sat", "ran"))}
    assert (spectral.gamma_ is None) == (clustering == "two-means")
    assert classes.made["clustering"] == clustering
