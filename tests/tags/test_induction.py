"""Induction by clustering and mutual information: each step beside a slow one, and a model that is found again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

import firth
from firth.compute import ONE_THREAD
from firth.errors import FirthError, InputError, ParameterError
from firth.evaluate import matching
from firth.store import Room, _room
from firth.tags import ContextCounts, MutualInformationTagger, _induction, _stacking
from firth.tags._information import information, information_of_tags, most_informative, softmax
from firth.tags._neighbours import beside_clusters, clusters_only, merged
from firth.tags._parameters import MutualInformationParameters
from firth.tags._word_clusters import k_means, two_levels, ward
from firth.tags._word_forms import feature_matrix, lower_case_twins, reserved_kinds
from firth.tags._word_rows import predicted, ridge, singular_rows
from tests.conftest import zipf_text
from tests.oracles import induction as oracle
from tests.tags.samples import mixed_text

SENTENCES = [line.split() for line in zipf_text(60, 1, 80).splitlines()]
CORPUS = firth.Corpus.from_sentences(SENTENCES)
OTHER = firth.Corpus.from_sentences(line.split() for line in zipf_text(60, 2, 80).splitlines())


def counted(corpus: firth.Corpus = CORPUS, vocabulary: int | None = None) -> ContextCounts:
    return ContextCounts.of(corpus, "LR1", vocabulary, "64M", ONE_THREAD)


# Forms of words -----------------------------------------------------------------------------------


def test_words_with_initial_capitals_are_taken_for_their_lower_case_form() -> None:
    words = ["the", "The", "Cat", "Rose", "rose", "USA", "usa", "A", "École", "école"]
    counts = [90, 20, 9, 8, 3, 7, 7, 6, 4, 4]
    starts = [0, 19, 0, 2, 0, 0, 0, 6, 4, 0]
    # Cat has no twin; Rose is more frequent inside sentences than rose is; USA is another spelling than usa
    assert lower_case_twins(words, counts, starts).tolist() == [0, 0, 2, 3, 4, 5, 6, 7, 9, 9]


def test_punctuation_and_numbers() -> None:
    words = [",", "...", "€", "12", "3,5", "1990s", "cat", "第", "½"]
    assert reserved_kinds(words).tolist() == [0, 0, 0, 1, 1, -1, -1, -1, 0]


def test_features_that_enough_words_have_are_columns() -> None:
    words = ["walking", "talking", "Berlin", "Boston", "x-ray"]
    found = feature_matrix(words, 2).toarray()
    assert (found[:, -1] == 1).all()
    assert set(np.unique(found)) == {0.0, 1.0}
    assert (
        found[0].tolist() == found[1].tolist()
    )  # walking and talking share all that two words have
    names = [set(_names(word)) for word in words]
    assert {"-ing", "-king", "w-", "length 7", "shape a"} <= names[0]
    assert {"initial capital", "shape Aa"} <= names[2] & names[3]
    assert {"hyphen", "shape a.a"} <= names[4]
    kept = {name for some in names for name in some if sum(name in other for other in names) >= 2}
    assert found.shape == (5, len(kept) + 1)
    assert found.sum() == sum(len(some & kept) + 1 for some in names)


def _names(word: str) -> list[str]:
    from firth.tags._word_forms import _letters, _signs

    return _signs(word) + _letters(word)


# Counts -------------------------------------------------------------------------------------------


def test_counts_beside_clusters_are_those_of_the_text() -> None:
    contexts = counted()
    words = list(contexts.words)
    cluster = np.arange(len(words)) % 5
    slow = oracle.beside(SENTENCES, dict(zip(words, cluster.tolist(), strict=True)), words, 5)
    found = beside_clusters(contexts, cluster, 5)
    np.testing.assert_allclose(found.toarray(), slow)
    inside = clusters_only(found, 5, 2).toarray()
    np.testing.assert_allclose(inside, slow[:, [0, 1, 2, 3, 4, 6, 7, 8, 9, 10]])


def test_words_taken_for_one_are_counted_as_one() -> None:
    contexts = counted()
    words = list(contexts.words)
    twins = np.arange(len(words)) // 3 * 3 + 1  # the second of three
    twins[twins == len(words)] -= 1
    found, number = merged(contexts, twins)
    same = {word: words[k] for word, k in zip(words, twins.tolist(), strict=True)}
    renamed = [[same[word] for word in sentence] for sentence in SENTENCES]
    kept = [words[k] for k in sorted(set(twins.tolist()))]
    alone = {word: k for k, word in enumerate(kept)}
    slow = oracle.beside(renamed, alone, kept, len(alone))
    assert list(found.words) == kept
    assert [kept[k] for k in number] == [same[word] for word in words]
    np.testing.assert_array_equal(found.matrix.toarray(), slow)
    np.testing.assert_array_equal(found.counts, slow.sum(axis=1) / 2)


def test_contexts_from_other_text_make_no_word_more_frequent() -> None:
    contexts, more = counted(), counted().plus(counted(OTHER))
    cluster = np.arange(contexts.n_words) % 3
    plain, both = (beside_clusters(some, cluster, 3) for some in (contexts, more))
    np.testing.assert_allclose(both.sum(axis=1), plain.sum(axis=1))
    assert abs(both - plain).max() > 0.1


# Rows and clusters --------------------------------------------------------------------------------


def test_rows_are_those_of_a_decomposition_of_the_whole_matrix() -> None:
    contexts = counted()
    counts = beside_clusters(contexts, np.arange(contexts.n_words) % 9, 9)
    found, slow = singular_rows(counts, 4), oracle.singular_rows(counts.toarray(), 4)
    np.testing.assert_allclose(found @ found.T, slow @ slow.T, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_ridge_regression_solves_the_normal_equations(seed: int) -> None:
    rng = np.random.default_rng(seed)
    features = (rng.random((30, 8)) < 0.4).astype(float)
    features[:, -1] = 1
    targets, weights = rng.standard_normal((30, 3)), rng.uniform(0.5, 9, 30)
    found = ridge(csr_array(features), targets, weights, 3.0)
    np.testing.assert_allclose(found, oracle.ridge(features, targets, weights, 3.0), atol=1e-4)


def test_spelling_weighs_as_much_as_some_occurrences() -> None:
    rng = np.random.default_rng(0)
    features = csr_array(np.column_stack([rng.integers(0, 2, 20), np.ones(20)]).astype(float))
    rows, seen = rng.standard_normal((20, 2)), rng.integers(1, 9, 20).astype(float)
    guess = features @ oracle.ridge(features.toarray(), rows, seen, 30.0)
    expected = (seen[:, None] * rows + 4 * guess) / (seen[:, None] + 4)
    np.testing.assert_allclose(predicted(rows, features, seen, 4.0), expected, atol=1e-4)
    assert predicted(rows, features, seen, 0.0) is rows


@pytest.mark.parametrize("seed", range(5))
def test_ward_merges_what_costs_least(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, sizes = rng.standard_normal((9, 2)), rng.uniform(1, 5, 9)
    slow = oracle.ward(rows, sizes, 3)
    centres = [sizes[c] @ rows[c] / sizes[c].sum() for c in slow]
    found = ward(rows, sizes, 3)
    assert sorted(map(tuple, found.round(9))) == sorted(map(tuple, np.round(centres, 9)))


def test_two_levels_find_groups_that_lie_apart() -> None:
    rng = np.random.default_rng(0)
    group = np.arange(60) % 3
    rows = 10 * np.eye(3)[group] + 0.1 * rng.standard_normal((60, 3))
    small, large = two_levels(rows, rng.uniform(1, 5, 60), 9, 3, rng)
    assert len(set(zip(group.tolist(), large.tolist(), strict=True))) == 3
    assert all(len(set(group[small == k])) <= 1 for k in range(9))


def test_k_means_with_equal_rows() -> None:
    rng = np.random.default_rng(0)
    _, nearest = k_means(np.ones((5, 2)), np.ones(5), 3, rng)
    assert len(set(nearest.tolist())) == 1


# Mutual information -------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_mutual_information_and_its_derivatives(seed: int) -> None:
    rng = np.random.default_rng(seed)
    joint = rng.dirichlet(np.ones(20)).reshape(5, 4)
    scores = rng.standard_normal((5, 3)), rng.standard_normal((4, 3))
    p, q = map(softmax, scores)
    found, of_p, of_q = information(csr_array(joint), csr_array(joint.T), p, q)
    assert found == pytest.approx(oracle.information(joint, p, q))
    for k, (some, derivatives) in enumerate(((p, of_p), (q, of_q))):
        row = rng.integers(len(some))
        moved = rng.standard_normal(3)
        moved -= moved.mean()  # probabilities still add up to one
        tiny = 1e-6
        ends = []
        for sign in (1, -1):
            both = [p.copy(), q.copy()]
            both[k][row] += sign * tiny * moved
            ends.append(oracle.information(joint, *both))
        assert derivatives[row] @ moved == pytest.approx((ends[0] - ends[1]) / (2 * tiny), abs=1e-6)


def test_mutual_information_of_tags() -> None:
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 3, (30, 8)).astype(float)
    tags = rng.integers(0, 4, 30)
    slow = oracle.information_of_words(counts / counts.sum(), np.eye(4)[tags])
    assert information_of_tags(csr_array(counts), tags, 4) == pytest.approx(slow)


def test_steps_increase_mutual_information() -> None:
    rng = np.random.default_rng(0)
    counts = csr_array(rng.integers(0, 20, (30, 8)).astype(float))
    features = csr_array(np.column_stack([rng.standard_normal((30, 6)), np.ones(30)]))
    tags, possible = rng.integers(0, 3, 30), np.ones((30, 4), bool)
    possible[:, 3] = False
    possible[7] = [False, False, False, True]
    tags[7] = 3
    joint = counts.toarray() / counts.sum()
    before, after = (
        most_informative(features, counts, tags, possible, steps) for steps in (0, 200)
    )
    assert oracle.information_of_words(joint, after) > 1.2 * oracle.information_of_words(
        joint, before
    )
    for found in (before, after):
        np.testing.assert_allclose(found.sum(axis=1), 1)
        assert (found[~possible] == 0).all()


# The whole ----------------------------------------------------------------------------------------


def class_text(n: int, seed: int) -> tuple[list[list[str]], dict[str, int]]:
    """Text of a hidden Markov model with one class for each word, which its ending also tells."""
    rng = np.random.default_rng(seed)
    m, ending = 5, ["a", "en", "ig", "to", "us"]
    words = [[f"{chr(97 + k % 26)}{chr(97 + k // 26)}{end}" for k in range(60)] for end in ending]
    transition = rng.dirichlet(np.full(m, 0.3), m) * 0.9 + 0.1 / m
    share = 1 / np.arange(1, 61)
    sentences = []
    for _ in range(n):
        state, sentence = int(rng.integers(m)), []
        for _ in range(10):
            sentence.append(str(rng.choice(words[state], p=share / share.sum())))
            state = int(rng.choice(m, p=transition[state]))
        sentences.append(sentence)
    return sentences, {word: k for k, some in enumerate(words) for word in some}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_classes_are_found_again(seed: int) -> None:
    sentences, classes = class_text(2400, seed)
    tagger = MutualInformationTagger(5, seed=seed).fit(sentences)
    words = sorted({word for sentence in sentences for word in sentence})
    found = [tags[0] for tags in tagger.tag([[word] for word in words])]
    assert matching([classes[word] for word in words], found).one_to_one == 1


def test_reserved_tags() -> None:
    text = [[*sentence, mark] for sentence, mark in zip(mixed_text(100), "..!?7" * 20, strict=True)]
    tagger = MutualInformationTagger(5, reserve=True).fit(text)
    point, mark, number, cat, the, sees = (
        tags[0] for tags in tagger.tag([["."], ["!"], ["7"], ["cat"], ["the"], ["sees"]])
    )
    assert point == mark
    assert len({point, number, cat, the, sees}) == 5
    without = MutualInformationTagger(3, reserve=True).fit(mixed_text(100))  # there are none in it
    assert without.n_tags_ == 3


def test_contexts_elsewhere_decide_the_tags_of_rare_words() -> None:
    here = [*mixed_text(100), ["zob"], ["zod"]]
    noun, verb = (
        [[new if word == old else word for word in sentence] for sentence in mixed_text(60)]
        for old, new in (("cat", "zob"), ("sees", "zod"))
    )
    for using, same in ((None, True), (noun + verb, False)):
        tagger = MutualInformationTagger(3).fit(here, using=using)
        tags = tagger.tag([["zob"], ["zod"], ["cat"], ["sees"]])
        assert (tags[0] == tags[1]) == same
    assert tags[:2] == tags[2:]


def fitted(how: MutualInformationParameters, room: Room, folder: Path | None) -> Any:
    counting = "LR1", None, "64M", ONE_THREAD, room, folder
    contexts, elsewhere = (ContextCounts.of(text, *counting) for text in (CORPUS, OTHER))
    return _induction.induced_memberships(contexts, how, elsewhere)


def test_tags_do_not_depend_on_memory_threads_or_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    how = MutualInformationParameters(3, steps=5, cluster_rounds=2)
    plain = fitted(how, Room(), None)
    assert np.array_equal(plain, fitted(how, Room(), None))
    taggers = [
        MutualInformationTagger(3, steps=5, threads=threads).fit(CORPUS) for threads in (1, 3)
    ]
    assert np.array_equal(taggers[0].hmm_.emission, taggers[1].hmm_.emission)
    assert np.array_equal(taggers[0].hmm_.transition, taggers[1].hmm_.transition)
    monkeypatch.setattr(_room, "_SMALL", 0)
    monkeypatch.setattr(_stacking, "_ENTRIES", 50)
    assert np.array_equal(plain, fitted(how, Room(0, tmp_path), tmp_path))


def test_few_words() -> None:
    with pytest.raises(InputError, match="9 tags need 9 words, but there are only 2"):
        MutualInformationTagger(9).fit([["a", "b"]])
    with pytest.raises(InputError, match="1 tags need 1 words, but there are only 0"):
        MutualInformationTagger(2, reserve=True).fit([[".", "."]])
    with pytest.raises(ParameterError, match="2 tags are reserved .* so 2 tags are not enough"):
        MutualInformationTagger(2, reserve=True).fit([["a", "1", "."]])
    for text in ([["a", "b"]], [["a", "b", "."], ["1"]]):
        tagger = MutualInformationTagger(1).fit(text)
        assert tagger.tag(text) == [["0"] * len(sentence) for sentence in text]
    two = MutualInformationTagger(2, dim=300).fit([["a", "b"], ["b"]])
    assert two.n_tags_ == 2
    with pytest.raises(FirthError, match="no words|no text|empty"):
        MutualInformationTagger(2).fit([[]])
