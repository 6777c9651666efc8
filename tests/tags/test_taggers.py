"""The five taggers: what they learn, how they tag, and what they know of words they never saw."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import firth
from firth.tags import (
    AnchorTagger,
    BaumWelchTagger,
    ClusterTagger,
    MutualInformationTagger,
    SupervisedTagger,
    Tagger,
)
from tests.oracles import hmm as oracle
from tests.oracles.hmm import Model
from tests.tags.samples import NOUNS, VERBS, mixed_text, tagged_text

TEXT = mixed_text(300)
CLASSES = {"D": ["the", "a"], "N": NOUNS, "V": VERBS}


def corpus_of(text: Any = TEXT, **options: Any) -> firth.Corpus:
    return firth.Corpus.from_sentences(text, **options)


def classes() -> firth.Hierarchy:
    pairs = [(word, name) for name, words in CLASSES.items() for word in words]
    return firth.Hierarchy.from_classes([w for w, _ in pairs], [c for _, c in pairs])


def all_taggers(**options: Any) -> dict[str, Tagger]:
    corpus = corpus_of()
    return {
        "mutual-information": MutualInformationTagger(3, **options).fit(corpus),
        "anchors": AnchorTagger(3, **options).fit(corpus),
        "baum-welch": BaumWelchTagger(3, restarts=4, **options).fit(corpus),
        "classes": ClusterTagger(classes(), **options).fit(corpus),
        "tagged": SupervisedTagger(**options).fit(tagged_text(TEXT)),
    }


TAGGERS = all_taggers()
NAMES = list(TAGGERS)


def kinds(tagger: Tagger, words: list[str]) -> set[str]:
    """The tags of words, each by itself."""
    return {tags[0] for tags in tagger.tag([[word] for word in words], "type")}


# What all of them do ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_the_three_kinds_of_words_are_told_apart(name: str) -> None:
    tagger = TAGGERS[name]
    found = [kinds(tagger, words) for words in CLASSES.values()]
    assert [len(tags) for tags in found] == [1, 1, 1]
    assert len(set.union(*found)) == 3
    (d,), (n,), (v,) = found
    for decode in ("type", "posterior", "viterbi"):
        assert tagger.tag([["the", "cat", "sees", "a", "dog"], [], ["a"]], decode) == [
            [d, n, v, d, n],
            [],
            [d],
        ]


@pytest.mark.parametrize("name", NAMES)
def test_a_tagger_is_a_model_of_words_and_of_unseen_words(name: str) -> None:
    tagger = TAGGERS[name]
    hmm, n = tagger.hmm_, len(tagger.vocabulary_)
    assert (hmm.n_states, hmm.n_symbols) == (3, n + len(tagger.groups_))
    assert sorted(tagger.vocabulary_) == sorted({word for s in TEXT for word in s})
    assert tagger.prior_.sum() == pytest.approx(1)
    np.testing.assert_allclose(hmm.emission.sum(axis=0), 1)
    assert (hmm.emission[n:].sum(axis=1) > 0).all()
    assert tagger.memberships_.shape == hmm.emission.shape
    np.testing.assert_allclose(tagger.memberships_.sum(axis=1), 1)
    joint = hmm.emission * tagger.prior_
    np.testing.assert_allclose(tagger.memberships_, joint / joint.sum(axis=1, keepdims=True))
    assert repr(tagger.renamed({})) == f"<Tagger: 3 tags, {n:,} words>"
    assert (tagger.facts_["n_tags"], tagger.facts_["n_words"]) == (3, n)
    assert tagger.facts_["n_tokens"] == sum(map(len, TEXT))


@pytest.mark.parametrize("name", NAMES)
def test_decoders_are_those_of_the_model(name: str) -> None:
    tagger = TAGGERS[name]
    rng = np.random.default_rng(1)
    model = Model(tagger.hmm_.initial, tagger.hmm_.transition, tagger.hmm_.emission)
    number = {tag: k for k, tag in enumerate(tagger.tags_)}
    words = [*tagger.vocabulary_, "unheard", "Of"]
    for n in (1, 2, 5):
        sentence = [str(word) for word in rng.choice(words, n)]
        symbols = tagger.encode([sentence]).symbols.tolist()
        posterior = oracle.posteriors(model, symbols)
        found = [number[tag] for tag in tagger.tag([sentence], "posterior")[0]]
        best = posterior.max(axis=1)
        assert [posterior[t, h] for t, h in enumerate(found)] == pytest.approx(best.tolist())
        joint = oracle.joints(model, symbols, oracle.passed_over(model, symbols))
        found = [number[tag] for tag in tagger.tag([sentence], "viterbi")[0]]
        assert joint[np.ravel_multi_index(found, [3] * n)] == pytest.approx(joint.max())
        alone = [number[tag] for tag in tagger.tag([sentence], "type")[0]]
        assert alone == tagger.memberships_[symbols].argmax(axis=1).tolist()
        p = oracle.probability(model, symbols)
        expected = np.log(p) if p else -np.inf
        assert tagger.score([sentence]) == pytest.approx(expected)


@pytest.mark.parametrize("name", NAMES)
def test_the_default_decoder_is_the_one_that_was_asked_for(name: str) -> None:
    tagger = TAGGERS[name]
    assert tagger.tag(TEXT[:20]) == tagger.tag(TEXT[:20], tagger.decode)
    by_position = name in ("baum-welch", "tagged")
    assert tagger.decode == ("posterior" if by_position else "type")


@pytest.mark.parametrize("name", NAMES)
def test_words_have_their_symbols(name: str) -> None:
    tagger = TAGGERS[name]
    sentences = [["the", "cat"], [], ["xyzzy", "a", "Xyzzy"], ["a"]]
    observed = tagger.encode(sentences)
    assert observed.ends.tolist() == [2, 2, 5, 6]
    words = [word for sentence in sentences for word in sentence]
    n, places = len(tagger.vocabulary_), {w: k for k, w in enumerate(tagger.vocabulary_)}
    for word, symbol in zip(words, observed.symbols.tolist(), strict=True):
        assert symbol == places.get(word, n + tagger.groups_.find(word))
    assert len(tagger.encode([])) == 0
    assert tagger.tag([]) == []
    assert tagger.tag([[], []]) == [[], []]
    assert tagger.tag(iter([("the",)])) == tagger.tag([["the"]])
    assert tagger.score([]) == tagger.score([[]]) == 0


@pytest.mark.parametrize("name", NAMES)
def test_typical_words_have_their_tag(name: str) -> None:
    tagger = TAGGERS[name]
    counts = Counter(word for sentence in TEXT for word in sentence)
    seen = []
    for k in range(3):
        told = tagger.typical(k, 4)
        assert [len(told), len(tagger.typical(k))] in ([2, 2], [4, 8], [4, 10])
        weights = [word.share * word.count for word in told]
        assert weights == sorted(weights, reverse=True)
        for word in told:
            assert word.count == counts[word.word]
            assert 0.5 < word.share <= 1
            assert tagger.tag([[word.word]], "type") == [[tagger.tags_[k]]]
        seen += [word.word for word in tagger.typical(k, 1000)]
    assert sorted(seen) == sorted(counts), "every word is of one tag"


@pytest.mark.parametrize("name", NAMES)
def test_tags_can_be_renamed(name: str) -> None:
    tagger = TAGGERS[name]
    before = list(tagger.tags_)
    renamed = tagger.renamed({"0": "first", "2": "third"})
    assert renamed.tags_ == ["first", before[1], "third"]
    assert tagger.tags_ == before, "the tagger itself stays"
    number = {tag: k for k, tag in enumerate(before)}
    for one, other in zip(tagger.tag(TEXT[:30]), renamed.tag(TEXT[:30]), strict=True):
        assert other == [renamed.tags_[number[tag]] for tag in one]
    assert renamed.decode == tagger.decode
    assert renamed.facts_["tags"] == renamed.tags_
    assert renamed.renamed({}).tags_ == before, "names that are taken away are gone"


@pytest.mark.parametrize("name", ["anchors", "baum-welch", "classes"])
def test_tags_are_numbered_by_how_frequent_they_are(name: str) -> None:
    tagger = TAGGERS[name]
    assert tagger.tags_ == ["0", "1", "2"]
    tokens = Counter(tag for tags in tagger.tag(TEXT, "type") for tag in tags)
    assert tokens["0"] >= tokens["1"] >= tokens["2"]


def test_threads_change_nothing() -> None:
    one, four = all_taggers(threads=1), all_taggers(threads=4)
    for name in NAMES:
        for a, b in ((one[name], four[name]), (one[name], TAGGERS[name])):
            assert a.hmm_.emission.tobytes() == b.hmm_.emission.tobytes()
            assert a.hmm_.transition.tobytes() == b.hmm_.transition.tobytes()
            assert a.hmm_.initial.tobytes() == b.hmm_.initial.tobytes()
            assert a.tags_ == b.tags_


# Words that were never seen -----------------------------------------------------------------------


def suffixed_text(n: int, seed: int = 0) -> list[list[str]]:
    """Nouns end in -ness, verbs in -ates, and there are many of both."""
    rng = np.random.default_rng(seed)

    def stem() -> str:
        return "".join(rng.choice(list("bdklmprst")) + rng.choice(list("aeiou")) for _ in range(2))

    return [["the", f"{stem()}ness", f"{stem()}ates", "a", f"{stem()}ness"] for _ in range(n)]


def suffixed_tags(text: list[list[str]]) -> list[list[tuple[str, str]]]:
    return [list(zip(sentence, "DNVDN", strict=True)) for sentence in text]


def suffixed_taggers() -> dict[str, Tagger]:
    text = suffixed_text(300)
    corpus = corpus_of(text)
    words = list(corpus.vocabulary)
    names = ["N" if w.endswith("ness") else "V" if w.endswith("ates") else "D" for w in words]
    return {
        "anchors": AnchorTagger(3).fit(corpus),
        "classes": ClusterTagger(firth.Hierarchy.from_classes(words, names)).fit(corpus),
        "tagged": SupervisedTagger().fit(suffixed_tags(text)),
    }


@pytest.mark.parametrize("name", ["anchors", "classes", "tagged"])
def test_unseen_words_have_the_tag_of_words_that_are_spelled_alike(name: str) -> None:
    tagger = suffixed_taggers()[name]
    (n,), (v,) = kinds(tagger, ["qqness", "wwness"]), kinds(tagger, ["qqates", "wwates"])
    assert n != v
    seen = [word for word in tagger.vocabulary_ if word.endswith("ness")]
    assert kinds(tagger, seen) == {n}
    for decode in ("type", "posterior", "viterbi"):
        assert tagger.tag([["the", "qqness", "qqates", "a", "wwness"]], decode)[0][1:3] == [n, v]
    assert tagger.score([["the", "qqness"]]) > tagger.score([["the", "qqates"]])


def test_words_without_a_class_are_tagged_by_their_spelling() -> None:
    text = suffixed_text(300)
    corpus = corpus_of(text)
    words = list(corpus.vocabulary)
    some = sorted({*words[:2], *words[2::2], words[-1]})
    names = ["N" if w.endswith("ness") else "V" if w.endswith("ates") else "D" for w in some]
    tagger = ClusterTagger(firth.Hierarchy.from_classes(some, names)).fit(corpus)
    (n,) = kinds(tagger, [w for w in some if w.endswith("ness")])
    (v,) = kinds(tagger, [w for w in some if w.endswith("ates")])
    rest = sorted(set(words) - set(some))
    assert len(rest) > 100
    assert kinds(tagger, [w for w in rest if w.endswith("ness")]) == {n}
    assert kinds(tagger, [w for w in rest if w.endswith("ates")]) == {v}


def test_words_are_read_as_the_corpus_was() -> None:
    text = [[word.upper() + "1" for word in sentence] for sentence in TEXT]
    plain = AnchorTagger(3).fit(corpus_of(text))
    folded = AnchorTagger(3).fit(corpus_of(text, lowercase=True, digits="zero"))
    assert set(folded.vocabulary_) == {word.lower().replace("1", "0") for word in plain.vocabulary_}
    expected = folded.tag([["the0", "cat0", "sees0"]])
    for sentence in (["THE1", "Cat7", "sEES0"], ["The0", "cat0", "SEES2"]):
        assert folded.encode([sentence]).symbols.max() < len(folded.vocabulary_)
        assert folded.tag([sentence]) == expected
    assert plain.encode([["the1"]]).symbols[0] >= len(plain.vocabulary_)
    assert plain.encode([["THE1"]]).symbols[0] < len(plain.vocabulary_)
    composed = AnchorTagger(3).fit(corpus_of([[w + "\u00e9" for w in s] for s in TEXT]))
    assert composed.tag([["thee\u0301"]]) == composed.tag([["the\u00e9"]])
    assert composed.encode([["thee\u0301"]]).symbols[0] < len(composed.vocabulary_)


# Each of them -------------------------------------------------------------------------------------


def test_anchors_are_words_of_their_tag() -> None:
    tagger = TAGGERS["anchors"]
    assert len(tagger.anchors_) == 3
    assert [tagger.tag([[word]]) for word in tagger.anchors_] == [[["0"]], [["1"]], [["2"]]]
    assert tagger.facts_["anchors"] == tagger.anchors_
    assert all(TAGGERS[name].anchors_ == [] for name in NAMES if name != "anchors")


@pytest.mark.parametrize(
    "options",
    [
        {"contexts": "LR2"},
        {"contexts": "R1"},
        {"spelling": 0.1},
        {"sharing": 0.0},
        {"refine": False},
        {"representation": "cca", "refine": False},
        {"representation": "conditional", "refine": False},
        {"pseudocount": 0.0},
        {"candidates": 10},
        {"vocabulary": 15},
        {"decode": "viterbi"},
        {"seed": 3},
    ],
)
def test_anchors_with_other_parameters(options: dict[str, Any]) -> None:
    tagger = AnchorTagger(3, **options).fit(corpus_of())
    (d,) = kinds(tagger, ["the", "a"])
    assert d not in kinds(tagger, NOUNS[:3]) | kinds(tagger, VERBS[:3])
    assert len(tagger.vocabulary_) == options.get("vocabulary", 20)
    assert tagger.decode == options.get("decode", "type")
    assert np.isfinite(tagger.hmm_.emission).all()


def test_more_text_tells_more_of_the_contexts_of_words() -> None:
    small = [s for s in TEXT[:12] if len(s) == 5]
    more = AnchorTagger(3).fit(corpus_of(small), using=corpus_of(TEXT))
    words = {word for sentence in small for word in sentence}
    assert set(more.vocabulary_) == words, "no other words are learned"
    found = [kinds(more, [w for w in some if w in words]) for some in CLASSES.values()]
    assert [len(tags) for tags in found] == [1, 1, 1]
    assert len(set.union(*found)) == 3
    same = AnchorTagger(3).fit(corpus_of(small), using=corpus_of(["nothing in common".split()]))
    alone = AnchorTagger(3).fit(corpus_of(small))
    assert same.tag(small) == alone.tag(small)


def test_clusters_give_every_word_its_class() -> None:
    tree = classes()
    tagger = ClusterTagger(tree).fit(corpus_of())
    for words in CLASSES.values():
        assert len(kinds(tagger, words)) == 1
    share = tagger.memberships_[: len(tagger.vocabulary_)]
    assert np.allclose(share.max(axis=1), 1)
    number = {tag: k for k, tag in enumerate(tagger.tags_)}
    states = [[number[tag] for tag in tags] for tags in tagger.tag(TEXT, "type")]
    starts = Counter(sentence[0] for sentence in states)
    steps = Counter((a, b) for s in states for a, b in pairwise(s))
    n_tokens = sum(map(len, states))
    shares = [sum(s.count(k) for s in states) / n_tokens for k in range(3)]  # count as one step
    firsts = [(starts[k] + shares[k]) / (len(states) + 1) for k in range(3)]
    np.testing.assert_allclose(tagger.hmm_.initial, firsts)
    for a in range(3):
        total = sum(steps[a, b] for b in range(3))
        follow = [(steps[a, b] + shares[b]) / (total + 1) for b in range(3)]
        np.testing.assert_allclose(tagger.hmm_.transition[a], follow)


def test_a_tree_may_be_cut() -> None:
    corpus = corpus_of()
    tree = firth.Hierarchy.from_paths(
        ["the", "a", *NOUNS, *VERBS], ["00", "01", *["10"] * len(NOUNS), *["11"] * len(VERBS)]
    )
    assert ClusterTagger(tree).fit(corpus).n_tags_ == 4
    two = ClusterTagger(tree, 2).fit(corpus)
    assert two.n_tags_ == 2
    assert kinds(two, ["the", "a"]) != kinds(two, NOUNS)
    assert ClusterTagger(tree, 1).fit(corpus).tag([["the", "cat"]]) == [["0", "0"]]


def test_supervised_counts_by_hand() -> None:
    text = [
        [("the", "D"), ("run", "N")],
        [("the", "D"), ("run", "N"), ("runs", "V")],
        [("run", "V"), ("run", "V"), ("the", "D"), ("run", "N")],
        [("runs", "V")],
    ]
    tagger = SupervisedTagger(sharing=0, smoothing=0).fit(text)
    assert tagger.tags_ == ["D", "N", "V"]
    share = dict(zip(tagger.vocabulary_, tagger.memberships_, strict=False))
    np.testing.assert_allclose(share["run"], [0, 3 / 5, 2 / 5])
    np.testing.assert_allclose(share["runs"], [0, 0, 1])
    np.testing.assert_allclose(share["the"], [1, 0, 0])
    np.testing.assert_allclose(tagger.hmm_.initial, [2 / 4, 0, 2 / 4])
    np.testing.assert_allclose(
        tagger.hmm_.transition, [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.5, 0.0, 0.5]], atol=1e-12
    )
    # as many steps more as were asked for, as tags are frequent: D 3, N 3, V 4 of 10
    smooth = SupervisedTagger(sharing=0, smoothing=2).fit(text)
    np.testing.assert_allclose(smooth.hmm_.initial, [2.6 / 6, 0.6 / 6, 2.8 / 6])
    np.testing.assert_allclose(smooth.hmm_.transition[0], [0.6 / 5, 3.6 / 5, 0.8 / 5])
    # words that are spelled alike (here all) count as one occurrence: the mean of D, N 3/5 V 2/5, V
    shared = SupervisedTagger(sharing=1, smoothing=0).fit(text)
    mean = np.array([1, 3 / 5, 7 / 5]) / 3
    share = dict(zip(shared.vocabulary_, shared.memberships_, strict=False))
    np.testing.assert_allclose(share["run"], (np.array([0, 3, 2]) + mean) / 6)
    np.testing.assert_allclose(share["the"], (np.array([3, 0, 0]) + mean) / 4)


def test_supervised_tags_by_what_stands_beside() -> None:
    text = [
        [("I", "P"), ("run", "V")],
        [("a", "D"), ("run", "N")],
        [("I", "P"), ("walk", "V")],
        [("a", "D"), ("walk", "N")],
    ] * 5
    tagger = SupervisedTagger().fit(text)
    sentences = [["I", "run"], ["a", "run"], ["I", "walk"], ["a", "walk"]]
    expected = [["P", "V"], ["D", "N"], ["P", "V"], ["D", "N"]]
    assert tagger.tag(sentences) == expected
    assert tagger.tag(sentences, "viterbi") == expected
    alone = tagger.tag(sentences, "type")
    assert alone[0][1] == alone[1][1], "the word alone cannot tell"


def test_supervised_leaves_out_sentences_of_nothing() -> None:
    text = tagged_text(TEXT[:20])
    one = SupervisedTagger().fit(text)
    other = SupervisedTagger().fit([[], *text[:7], [], [], *text[7:], []])
    assert one.hmm_.transition.tobytes() == other.hmm_.transition.tobytes()
    assert one.hmm_.initial.tobytes() == other.hmm_.initial.tobytes()
