"""What cannot be learned, read or tagged is told in plain words; what is only odd is borne."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import firth
from firth.errors import FirthError, InputError, ParameterError
from firth.tags import (
    HMM,
    AnchorTagger,
    BaumWelchTagger,
    ClusterTagger,
    FeatureTagger,
    MutualInformationTagger,
    SupervisedTagger,
    Tagger,
)
from tests.tags.samples import mixed_text
from tests.tags.test_taggers import NAMES, TAGGERS, classes, corpus_of

# Models -------------------------------------------------------------------------------------------

ONE: dict[str, Any] = {"initial": [1.0], "transition": [[1.0]], "emission": [[0.5], [0.5]]}


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("initial", []),
        ("initial", [0.5]),
        ("initial", [0.5, 0.5]),
        ("initial", [[1.0]]),
        ("initial", ["one"]),
        ("initial", None),
        ("initial", [np.nan]),
        ("transition", [1.0]),
        ("transition", [[0.9]]),
        ("transition", [[0.5, 0.5]]),
        ("transition", [[1.0], [1.0]]),
        ("transition", [[np.inf]]),
        ("transition", [[1.0], [1.0, 2.0]]),
        ("emission", []),
        ("emission", [0.5, 0.5]),
        ("emission", [[0.5], [0.6]]),
        ("emission", [[1.5], [-0.5]]),
        ("emission", [[0.5, 0.5]]),
        ("emission", [["a"], ["b"]]),
    ],
)
def test_what_is_no_model_is_refused(name: str, wrong: Any) -> None:
    with pytest.raises(ParameterError, match="HMM"):
        HMM(**{**ONE, name: wrong})


def test_a_column_of_emissions_must_add_up_and_not_a_row() -> None:
    with pytest.raises(ParameterError, match="emission"):
        HMM([0.5, 0.5], [[0.5, 0.5], [0.5, 0.5]], [[0.9, 0.1], [0.2, 0.8]])
    with pytest.raises(ParameterError, match="transition"):
        HMM([0.5, 0.5], [[0.9, 0.2], [0.1, 0.8]], [[0.5, 0.5], [0.5, 0.5]])


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2", True])
def test_wrong_threads_are_refused(threads: Any) -> None:
    with pytest.raises(ParameterError, match="threads"):
        HMM(**ONE, threads=threads).score([[0]])
    with pytest.raises(ParameterError, match="threads"):
        AnchorTagger(3, threads=threads).fit(corpus_of())
    with pytest.raises(ParameterError, match="threads"):
        BaumWelchTagger(3, threads=threads).fit(corpus_of())


@pytest.mark.parametrize(
    "wrong",
    [[2], [-1], [0, 1, 5], [0.0], [True], ["a"], "ab", [None], [[0, 1]], 3, [0, [1]], [1 << 70]],
)
def test_wrong_symbols_are_refused(wrong: Any) -> None:
    hmm = HMM(**ONE)
    for ask in (hmm.posteriors, hmm.decode, hmm.viterbi, lambda s: hmm.score([[0], s])):
        with pytest.raises(InputError):
            ask(wrong)


def test_wrong_samples_are_refused() -> None:
    hmm = HMM(**ONE)
    for n in (0, -1, 1.5):
        with pytest.raises(ParameterError, match="'n'"):
            hmm.sample(n)  # type: ignore[arg-type]
    length: Any
    for length in (-1, 2.5, "3", [1, 2, 3], [1], [1, -1], [[1, 2]], [1, [2]], None):
        with pytest.raises(ParameterError, match="length"):
            hmm.sample(2, length)
    with pytest.raises(ParameterError, match="seed"):
        hmm.sample(2, 3, seed=-1)
    assert [len(s) for s in hmm.sample(2, 0)[0]] == [0, 0]


def test_a_decoder_that_is_not_there_is_refused() -> None:
    from firth.tags import Observations

    with pytest.raises(ParameterError, match="how"):
        HMM(**ONE).decode_all(Observations.of([[0]], 2), "best")
    with pytest.raises(ParameterError, match="decode"):
        TAGGERS["anchors"].tag([["the"]], "best")


# Parameters ---------------------------------------------------------------------------------------


ANCHORS: dict[str, list[Any]] = {
    "n_tags": [0, -1, 2.0, "3", True],
    "contexts": ["x", "LR0", ""],
    "spelling": [-0.1, np.nan, np.inf, "1", True],
    "sharing": [-1, np.nan, "much"],
    "representation": ["best", "", None],
    "pseudocount": [-1, np.nan],
    "candidates": [0, 1.5],
    "refine": [1, "yes", None],
    "exchange": [1, None],
    "spelling_in": ["words", None],
    "transition_rounds": [0, 1.5],
    "anchors": [3, [1, 2]],
    "vocabulary": [0, -1, 1.5],
    "decode": ["best", None],
    "seed": [-1, 0.5],
}
BAUM_WELCH: dict[str, list[Any]] = {
    "n_tags": [0, 2.0],
    "rounds": [0, "9"],
    "tolerance": [-1e-9, 1.1, np.nan],
    "restarts": [0],
    "vocabulary": [0],
    "decode": ["best"],
    "seed": [-1],
}
FEATURES: dict[str, list[Any]] = {
    "n_tags": [0, 2.0],
    "penalty": [-1, np.nan, "1"],
    "rounds": [0],
    "tolerance": [-1e-9, np.nan],
    "vocabulary": [0],
    "decode": ["best"],
    "seed": [-1],
}
INFORMATION: dict[str, list[Any]] = {
    "n_tags": [0, 2.5],
    "reserve": ["yes"],
    "sharing": [-1, np.inf],
    "dim": [0, 301],
    "clusters": [0, 1001],
    "cluster_rounds": [0],
    "steps": [-1],
}
SUPERVISED: dict[str, list[Any]] = {"sharing": [-1], "smoothing": [np.nan], "decode": ["best"]}


@pytest.mark.parametrize(
    ("made", "wrong"),
    [
        (made, {name: value})
        for made, wrong in (
            (AnchorTagger, ANCHORS),
            (MutualInformationTagger, INFORMATION),
            (BaumWelchTagger, BAUM_WELCH),
            (FeatureTagger, FEATURES),
            (SupervisedTagger, SUPERVISED),
        )
        for name, values in wrong.items()
        for value in values
    ],
)
def test_wrong_parameters_are_refused(made: Callable[..., Any], wrong: dict[str, Any]) -> None:
    (name,) = wrong
    estimator = made(**wrong)  # nothing is checked before fit
    with pytest.raises(ParameterError, match=name):
        estimator.fit([])


def test_refinement_needs_points_in_few_dimensions() -> None:
    with pytest.raises(ParameterError, match="cannot be refined .* --no-refine"):
        AnchorTagger(3, representation="conditional").fit(corpus_of())
    AnchorTagger(3, representation="conditional", refine=False).fit(corpus_of())


def test_wrong_classes_are_refused() -> None:
    with pytest.raises(ParameterError, match="Hierarchy"):
        ClusterTagger({"the": 1}).fit(corpus_of())
    with pytest.raises(ParameterError, match="4 tags"):
        ClusterTagger(classes(), 4).fit(corpus_of())
    for n in (0, 1.5):
        with pytest.raises(ParameterError, match="n_tags"):
            ClusterTagger(classes(), n).fit(corpus_of())  # type: ignore[arg-type]
    with pytest.raises(InputError, match="has a class"):
        ClusterTagger(classes()).fit(corpus_of([["le", "chat"]]))


# Texts --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [None, {"the": 1}, [1, 2], 3, b"the cat"])
def test_what_is_not_text_is_refused(text: Any) -> None:
    for tagger in (AnchorTagger(3), BaumWelchTagger(3), FeatureTagger(3), ClusterTagger(classes())):
        with pytest.raises(ParameterError, match="Corpus"):
            tagger.fit(text)
    if text is not None:
        with pytest.raises(ParameterError, match="using"):
            AnchorTagger(3).fit(corpus_of(), using=text)


def test_more_tags_than_words_are_refused() -> None:
    corpus = corpus_of([["the", "cat", "the"], ["a", "cat"]])
    for tagger in (AnchorTagger(4), BaumWelchTagger(4), FeatureTagger(4)):
        with pytest.raises(InputError, match="4 tags") as error:
            tagger.fit(corpus)
        assert error.value.hint
    with pytest.raises(InputError, match="candidates"):
        AnchorTagger(3, candidates=2).fit(corpus)
    with pytest.raises(InputError, match="3 tags"):
        BaumWelchTagger(3, vocabulary=2).fit(corpus)
    with pytest.raises(InputError, match="3 tags"):
        AnchorTagger(3, vocabulary=2).fit(corpus)


@pytest.mark.parametrize("representation", ["spectral", "conditional", "cca"])
def test_words_that_do_not_differ_are_refused(representation: str) -> None:
    """All words have the same contexts, so there is one state at most."""
    words = "abcd"
    corpus = corpus_of([[x, y, z] for x in words for y in words for z in words])
    how: dict[str, Any] = {"representation": representation, "refine": False, "pseudocount": 0.0}
    with pytest.raises(InputError, match="differ in|ways only"):
        AnchorTagger(3, **how).fit(corpus)
    one = AnchorTagger(1, **how).fit(corpus)
    assert one.tag([["a", "b"]]) == [["0", "0"]]


def test_sentences_of_one_word() -> None:
    corpus = corpus_of([["yes"], ["no"], ["yes"], ["well"]])
    with pytest.raises(InputError, match="nothing to count"):
        AnchorTagger(2).fit(corpus)
    tree = firth.Hierarchy.from_classes(["yes", "no"], ["A", "B"])
    taggers: list[Tagger] = [
        BaumWelchTagger(2).fit(corpus),
        ClusterTagger(tree).fit(corpus),
        SupervisedTagger().fit([[("yes", "A")], [("no", "B")]]),
    ]
    for tagger in taggers:
        np.testing.assert_allclose(tagger.hmm_.transition.sum(axis=1), 1)
        for decode in ("type", "posterior", "viterbi"):
            assert [len(tags) for tags in tagger.tag([["yes"], ["no", "yes"]], decode)] == [1, 2]
    assert taggers[1].tag([["yes"], ["no"]]) == [["0"], ["1"]]
    mixed = AnchorTagger(3).fit(corpus_of([["yes"], *mixed_text(100), ["no"], ["yes"]]))
    assert np.isfinite(mixed.hmm_.emission).all()
    assert len(mixed.tag([["yes"]])[0]) == 1


def test_empty_sentences_do_not_count() -> None:
    text = mixed_text(60)
    more = [[], *text[:20], [], [], *text[20:], []]
    for make in (
        lambda: AnchorTagger(3),
        lambda: MutualInformationTagger(3),
        lambda: BaumWelchTagger(3, rounds=5),
        lambda: ClusterTagger(classes()),
    ):
        one, other = make().fit(corpus_of(text)), make().fit(corpus_of(more))
        assert one.hmm_.emission.tobytes() == other.hmm_.emission.tobytes()
        assert one.hmm_.transition.tobytes() == other.hmm_.transition.tobytes()
        assert one.hmm_.initial.tobytes() == other.hmm_.initial.tobytes()


def test_a_tag_that_is_never_used() -> None:
    """A class whose words are not in the corpus is a tag all the same."""
    words = ["the", "cat", "sees", "elsewhere"]
    tree = firth.Hierarchy.from_classes(words, ["D", "N", "V", "X"])
    tagger = ClusterTagger(tree).fit(corpus_of([["the", "cat", "sees"], ["the", "cat"]]))
    assert tagger.n_tags_ == 4
    assert tagger.prior_[3] == 0
    assert tagger.typical(3) == []
    np.testing.assert_allclose(tagger.hmm_.emission.sum(axis=0), 1)
    np.testing.assert_allclose(tagger.hmm_.transition.sum(axis=1), 1)
    for decode in ("type", "posterior", "viterbi"):
        tags = tagger.tag([["the", "cat", "sees", "never"], ["sees"]], decode)
        assert tags[0][:3] == ["0", "1", "2"]
        assert "3" not in tags[0] + tags[1]


def test_one_tag_is_allowed() -> None:
    for tagger in (
        AnchorTagger(1),
        MutualInformationTagger(1),
        BaumWelchTagger(1, rounds=3),
        FeatureTagger(1, rounds=3),
    ):
        found = tagger.fit(corpus_of())
        assert found.tag([["the", "new"]], "viterbi") == [["0", "0"]]
        assert found.score([["the"]]) < 0


# Sentences to tag ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_wrong_sentences_are_refused(name: str) -> None:
    tagger = TAGGERS[name]
    wrong: Any
    for wrong in ("the cat", ["the cat"], [[""]], [["the", 3]], [[None]], [[["the"]]], [[b"the"]]):
        for ask in (tagger.tag, tagger.score, tagger.encode):
            with pytest.raises(InputError):
                ask(wrong)


@pytest.mark.parametrize("name", NAMES)
def test_wrong_questions_are_refused(name: str) -> None:
    tagger = TAGGERS[name]
    tag: Any
    for tag in (-1, 3, "0", 1.0, None):
        with pytest.raises(ParameterError, match="tag"):
            tagger.typical(tag)
    with pytest.raises(ParameterError, match="'n'"):
        tagger.typical(0, 0)


@pytest.mark.parametrize(
    "tagger",
    [
        AnchorTagger(3),
        MutualInformationTagger(3),
        BaumWelchTagger(3),
        FeatureTagger(3),
        ClusterTagger(classes()),
        SupervisedTagger(),
    ],
)
def test_what_is_not_fitted_says_so(tagger: Tagger) -> None:
    assert repr(tagger).startswith(type(tagger).__name__ + "(")
    for ask in (
        lambda: tagger.tag([["the"]]),
        lambda: tagger.score([["the"]]),
        lambda: tagger.encode([["the"]]),
        lambda: tagger.typical(0),
        lambda: tagger.renamed({"0": "N"}),
        lambda: tagger.n_tags_,
        lambda: tagger.memberships_,
    ):
        with pytest.raises(ParameterError, match="is not fitted"):
            ask()


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        [[]],
        "ab",
        ["ab"],
        [["ab", "cd"]],
        [["abc"]],
        [[("a",)]],
        [[("a", "b", "c")]],
        [("a", "b")],
        [[("a", 1)]],
        [[("", "N")]],
        [[("a", "")]],
        [[("a", None)]],
        [5],
        [[5]],
    ],
)
def test_wrong_tagged_text_is_refused(wrong: Any) -> None:
    with pytest.raises(FirthError):
        SupervisedTagger().fit(wrong)
