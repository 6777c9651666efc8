"""The perceptron, against one that is written down as it is told."""

from __future__ import annotations

import random
from contextlib import suppress
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st

from firth.ner._feature_kernels import most_keys
from firth.ner._key_kernels import key_pair
from firth.ner._lexicon import Lexicon
from firth.ner._perceptron_kernels import _keep, best_labels
from firth.ner._training import read_documents
from firth.ner._types import key_of
from firth.ner._weights import FinishedWeights, allowed_after, label_names, mirrored
from tests.ner.samples import (
    WORDS,
    Case,
    Machine,
    classes,
    documents,
    encoded,
    gold_labels,
    random_document,
    random_vectors,
    whole_labels,
)
from tests.oracles import perceptron as oracle

pytestmark = pytest.mark.slow

LEXICONS = {
    "nothing": lambda: Lexicon(),
    "classes": lambda: Lexicon(classes()),
    "vectors": lambda: Lexicon(None, random_vectors(3)),
    "both": lambda: Lexicon(classes(), random_vectors(5, seed=1)),
}


def key_in_kernel(feature: Any) -> Any:
    """The key of a feature of the oracle; None for a component of a vector.

    Numbers of templates are spelled out: saved models depend on them.
    """

    def pair(a: Any, b: Any) -> Any:
        return key_pair(np.uint64(a), np.uint64(b))

    def small(word: str) -> int:
        return key_of("lower", word)

    def kinds(*some: int) -> int:
        return int("".join(map(str, some)))

    match feature:
        case ("vector", *_):
            return None
        case (int(place), name, value):
            return pair(key_of(name, value), place)
        case ("affix", name, value):
            return pair(key_of(name, value), 2)
        case ("word and label", place, word, label):
            return pair(10 + place, pair(small(word), label))
        case ("label", label):
            return pair(1, label)
        case ("labels", one, two):
            return pair(2, pair(one, two))
        case ("three kinds", *some):
            return pair(20, kinds(*some))
        case ("five kinds", *some):
            return pair(21, kinds(*some))
        case ("three kinds and label", label, *some):
            return pair(22, pair(label, kinds(*some)))
        case ("first", yes):
            return pair(23, int(yes))
        case ("pair", which, one, two):
            return pair(30 + which, pair(small(one), small(two)))
        case ("company", side, word):
            return pair(40 if side < 0 else 41, small(word))
        case ("context history", c, label):
            return pair(60 + c, label)
        case ("context elsewhere", c, label):
            return pair(70 + c, label)
        case (("history" | "elsewhere" | "mostly") as name, label):
            return pair({"history": 50, "elsewhere": 51, "mostly": 52}[name], label)
    raise ValueError(feature)


def check_weights(mean: FinishedWeights, twin: oracle.Perceptron, tolerance: float) -> None:
    """All weights of the twin are those of the kernel, and there are no others."""
    table, seen = mean.table, set()
    for feature, expected in twin.by_feature().items():
        key = key_in_kernel(feature)
        if key is None:
            _, place, k = feature
            found = mean.vectors[place, :, k]
        else:
            row = int(mean.rows(np.array([key], np.uint64))[0])
            seen.add(row)
            found = table.weights[row] if row >= 0 else np.zeros(twin.n_labels, np.float32)
        np.testing.assert_allclose(found, expected, atol=tolerance, err_msg=str(feature))
    rest = [row for row in range(len(mean)) if row not in seen]
    np.testing.assert_allclose(table.weights[rest], 0, atol=tolerance)


class CloseError(Exception):
    """Two scores are so near each other that rounding may decide."""


def learn_both(
    case: Case, lexicon: Lexicon, margin: float, rounds: int, first: list[Any] | None = None
) -> tuple[Machine, oracle.Perceptron]:
    """Learn from documents in their order; every label on the way must be the same."""
    machine = Machine(case.types, case.n_types)
    twin = oracle.Perceptron(machine.n_labels, margin)
    for _ in range(rounds):
        for d, document in enumerate(case.documents):
            given_labels = None if first is None else first[d]
            gold = case.examples.gold[d]
            expected = twin.learn(
                oracle.Reading(document, lexicon, given_labels, case.cased), gold.tolist()
            )
            if twin.doubts:
                raise CloseError
            seen = case.examples.documents[d]
            if given_labels is not None:
                seen = seen._replace(first=np.array(given_labels, np.int32))
            assert machine.learn(seen, gold, margin) == expected
    assert int(machine.state[1]) == twin.steps
    return machine, twin


@settings(max_examples=60)
@given(
    st.lists(documents, min_size=1, max_size=3), st.sampled_from(sorted(LEXICONS)), st.integers(1, 3),
    st.sampled_from([0, 1, 5]), st.integers(1, 3), st.booleans(), st.booleans(), st.integers(0, 9999),
)  # fmt: skip
def test_the_kernels_learn_what_the_twin_learns(
    some: list[list[list[str]]], known: str, n_types: int, margin: float, rounds: int, second: bool,
    cased: bool, seed: int,
) -> None:  # fmt: skip
    chance = random.Random(seed)
    lexicon = LEXICONS[known]()
    case = encoded(some, [gold_labels(chance, d, n_types) for d in some], n_types, lexicon, cased)
    first = [gold_labels(chance, d, n_types) for d in some] if second else None
    try:
        machine, twin = learn_both(case, lexicon, margin, rounds, first)
    except CloseError:
        reject()
    mean = twin.averaged()
    check_weights(machine.averaged(), mean, 1e-3)
    for d, document in enumerate(case.documents):
        given_labels = None if first is None else first[d]
        expected, _ = mean.tag(oracle.Reading(document, lexicon, given_labels, case.cased))
        assume(not mean.doubts)
        seen = case.examples.documents[d]
        if given_labels is not None:
            seen = seen._replace(first=np.array(given_labels, np.int32))
        assert machine.tag(seen) == expected


@pytest.mark.parametrize("known", ["nothing", "both"])
def test_longer_documents_too_and_others_are_tagged_alike(known: str) -> None:
    compared = 0
    for seed in range(6):
        chance = random.Random(seed)
        lexicon = LEXICONS[known]()
        some = [random_document(chance) for _ in range(9)]
        case = encoded(some, [gold_labels(chance, d, 2) for d in some], 2, lexicon)
        machine, twin = learn_some(case, lexicon, 5.0, 6)
        mean = twin.averaged()
        check_weights(machine.averaged(), mean, 1e-3)
        for d in range(6, 9):
            expected, _ = mean.tag(oracle.Reading(case.documents[d], lexicon))
            if not mean.doubts:
                assert machine.tag(case.examples.documents[d]) == expected
                compared += 1
            mean.doubts = 0
    assert compared > 12


@pytest.mark.parametrize("known", ["nothing", "both"])
@pytest.mark.parametrize("cased", [False, True])
def test_two_stages_are_what_the_twin_reads_from_both_sides(known: str, cased: bool) -> None:
    compared, changed = 0, 0
    for seed in range(8):
        chance = random.Random(seed)
        lexicon = LEXICONS[known]()
        some = [random_document(chance) for _ in range(7)]
        gold, first = ([gold_labels(chance, d, 2) for d in some] for _ in range(2))
        case = encoded(some, gold, 2, lexicon, cased)
        backwards = case.examples.turned([np.array(labels, np.int32) for labels in first], 2)
        machines = Machine(case.types, 2), Machine(case.types, 2)
        twins = oracle.Perceptron(9, 5.0), oracle.Perceptron(9, 5.0)
        for d in range(4):
            turned = [sentence[::-1] for sentence in reversed(some[d])]
            readings = (
                oracle.Reading(some[d], lexicon, None, cased),
                oracle.Reading(turned, lexicon, oracle.from_right(first[d]), cased),
            )
            labels = gold[d], oracle.from_right(gold[d])
            sides = zip(machines, twins, (case.examples, backwards), readings, labels, strict=True)
            for machine, twin, examples, reading, right in sides:
                assert examples.gold[d].tolist() == right
                expected = twin.learn(reading, right)
                found = machine.learn(examples.documents[d], examples.gold[d], 5.0)
                assert twin.doubts or found == expected
        if any(twin.doubts for twin in twins):
            continue
        means = [twin.averaged() for twin in twins]
        weights = [machine.averaged() for machine in machines]
        for one, mean in zip(weights, means, strict=True):
            check_weights(one, mean, 1e-3)
        for n in (1, 2):
            read = read_documents(weights[:n], case.types, 2, case.examples.documents[4:])
            for document, labels_read in zip(some[4:], read, strict=True):
                labels_told = oracle.tag_both_ways(means[:n], document, lexicon, cased)
                if not any(mean.doubts for mean in means):
                    assert labels_read.tolist() == labels_told
                    compared += 1
                    greedy, _ = means[0].tag(oracle.Reading(document, lexicon, None, cased))
                    changed += greedy != labels_told
                for mean in means:
                    mean.doubts = 0
    assert compared > 15
    assert changed > 3, "they are other labels than a single stage gives on its way"


def learn_some(
    case: Case, lexicon: Lexicon, margin: float, n: int
) -> tuple[Machine, oracle.Perceptron]:
    """Two rounds over the first n documents, without asking for the same labels where it is close."""
    machine = Machine(case.types, case.n_types)
    twin = oracle.Perceptron(machine.n_labels, margin)
    for _ in range(2):
        for d in range(n):
            gold = case.examples.gold[d]
            expected = twin.learn(oracle.Reading(case.documents[d], lexicon), gold.tolist())
            assert machine.learn(case.examples.documents[d], gold, margin) == expected
    return machine, twin


def test_how_far_a_document_is_looked_through() -> None:
    """Other occurrences count up to 200 words away for their company, 1000 for their labels."""
    lexicon = Lexicon()
    for gap in (199, 200, 201, 999, 1000, 1001):
        # a name at each end, and sentences of ten words between
        filler = ["the"] * (gap - 1)
        between = [filler[k : k + 10] for k in range(0, len(filler), 10)]
        document = [["Rome"], *between, ["Rome", "said"]]
        n = sum(map(len, document))
        gold = [4, *[0] * (n - 3), 4, 0]
        case = encoded([document], [gold], 1, lexicon)
        for first in (None, [gold]):
            machine, twin = learn_both(case, lexicon, 1e4, 1, first)
            check_weights(machine.averaged(), twin.averaged(), 1e-3)
            names = {str(feature[0]) for feature in twin.by_feature()}
            assert ("company" in names) == (gap <= 200)
            # both stand at the start of a sentence
            assert ("history" in names) == ("context history" in names) == (gap <= 1000)
            assert ("context elsewhere" in names) == (gap <= 1000 and first is not None)
            assert ("elsewhere" in names) == (gap <= 1000 and first is not None)


@pytest.mark.parametrize("second", [False, True])
def test_of_a_word_that_comes_often_sixteen_are_looked_at(second: bool) -> None:
    chance = random.Random(3)
    words = [*WORDS, *(f"w{a}{b}" for a in "abcdefgh" for b in "ijklmnop")]
    document = [
        [chance.choice(words), chance.choice(["Rome", "G-7"]), chance.choice(words)]
        for _ in range(100)
    ]
    lexicon = Lexicon()
    gold = whole_labels(chance, [3] * 100, 2)
    case = encoded([document], [gold], 2, lexicon)
    first = [whole_labels(chance, [3] * 100, 2)] if second else None
    machine, twin = learn_both(case, lexicon, 5.0, 2, first)
    check_weights(machine.averaged(), twin.averaged(), 1e-3)
    around = oracle.Reading(document, lexicon).others(151, 200)
    assert min(map(len, around)) > 16, "there are more than are looked at"


@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize("cased", [False, True])
def test_of_a_table_sixteen_rows_to_each_side_are_looked_at(second: bool, cased: bool) -> None:
    """The names differ, and what is beside them is the same in every row, or in every third."""
    chance = random.Random(6)
    names = [f"N{a}{b}" for a in "abcdefgh" for b in "ijklmnop"]
    document = [
        [["1.", "2.", "--"][row % 3], name, str(row), "in", chance.choice(["Rome", "oslo"])]
        for row, name in enumerate(names)
    ]
    lexicon = Lexicon()
    for _ in range(9):  # until no two scores are nearly equal
        gold, labels = (whole_labels(chance, [5] * len(names), 2) for _ in range(2))
        case = encoded([document], [gold], 2, lexicon, cased)
        with suppress(CloseError):
            machine, twin = learn_both(case, lexicon, 5.0, 1, [labels] if second else None)
            break
    else:
        pytest.fail("nine tables with doubts")
    check_weights(machine.averaged(), twin.averaged(), 1e-3)
    linked = case.examples.documents[0].alike
    seen = {(c, side): int((linked[2 * c + side] >= 0).sum()) for c in range(3) for side in (0, 1)}
    assert seen[0, 0] == seen[0, 1] > 2 * 16, "more than are looked at"
    assert min(seen.values()) > 0


def test_every_feature_there_can_be_has_room() -> None:
    """Sixteen neighbours to each side, all different, and all labels seen."""
    n_types = 3
    endings = [a + b for a in "abcde" for b in "fghijklmno"]
    document = [[f"l{ending}", "Rome", f"r{ending}"] for ending in endings]
    labels = [y for i in range(50) for y in (0, 4 * (i % n_types) + 4, 0)]
    case = encoded([document], [labels], n_types, Lexicon())
    machine, _ = learn_both(case, Lexicon(), 5.0, 1, [labels])
    n_most = max(
        len(oracle.Reading(document, Lexicon(), labels).features(i, labels)) for i in range(150)
    )
    assert n_most > 64 + 14
    dynamic = [f for f, _ in oracle.Reading(document, Lexicon(), labels).features(73, labels)]
    n_dynamic = sum(not isinstance(f[0], int) and f[0] != "affix" for f in dynamic)  # type: ignore[index]
    assert n_dynamic <= most_keys(machine.n_labels)


# The table ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("known", ["nothing", "both"])
def test_a_table_that_grows_within_a_document_gives_the_same(known: str) -> None:
    chance = random.Random(5)
    document = [
        [chance.choice(WORDS) + chance.choice("abcdef") for _ in range(9)] for _ in range(40)
    ]
    lexicon = LEXICONS[known]()
    case = encoded([document], [gold_labels(chance, document, 2)], 2, lexicon)
    small, large = Machine(case.types, 2), Machine(case.types, 2, n_rows=100_000)
    gold = case.examples.gold[0]
    for _ in range(2):
        labels = [m.learn(case.examples.documents[0], gold, 5.0, 0.3, 7) for m in (small, large)]
        assert labels[0] == labels[1]
    assert small.growths > 2
    assert large.growths == 0
    assert np.array_equal(small.state, large.state)
    one, two = small.averaged(), large.averaged()
    assert len(one) == len(two) > 1000
    assert np.array_equal(one.table.keys, two.table.keys)
    assert one.table.weights.tobytes() == two.table.weights.tobytes()
    assert one.vectors.tobytes() == two.vectors.tobytes()
    assert one.rows(two.table.keys).tolist() == list(range(len(two)))


def test_keys_that_are_not_there_have_no_row() -> None:
    keys = np.arange(1, 1001, dtype=np.uint64) * np.uint64(
        1 << 20
    )  # all of them want the same slot
    weights = FinishedWeights(keys, np.ones((1000, 5), np.float32), np.zeros((6, 5, 0), np.float32))
    assert weights.rows(keys).tolist() == list(range(1000))
    others = np.concatenate([keys + np.uint64(1), np.zeros(1, np.uint64)])
    assert set(weights.rows(others).tolist()) == {-1}
    empty = FinishedWeights(keys[:0], np.ones((0, 5), np.float32), np.zeros((6, 5, 0), np.float32))
    assert set(empty.rows(keys).tolist()) == {-1}


# Labels ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_types", [1, 2, 3])
def test_what_can_follow_is_what_the_twin_says(n_types: int) -> None:
    n = 1 + 4 * n_types
    allowed = allowed_after(n_types)
    for before in range(n):
        for label in range(n):
            assert allowed[before, label] == oracle.can_follow(label, before, False)
            assert allowed[n + before, label] == oracle.can_follow(label, before, True)
    assert allowed[:n].any(axis=1).all()
    assert allowed[n:].any(axis=1).all(), "a sentence can always end"
    assert (
        label_names(["LOC", "PER"]) == "O B-LOC I-LOC L-LOC U-LOC B-PER I-PER L-PER U-PER".split()
    )


@pytest.mark.parametrize("n_types", [1, 3])
def test_whatever_the_weights_entities_are_whole(n_types: int) -> None:
    rng = np.random.default_rng(n_types)
    n_labels = 1 + 4 * n_types
    seen = set()
    for seed in range(20):
        chance = random.Random(seed)
        some = [[[chance.choice(WORDS) for _ in range(n)] for n in (1, 2, 0, 7, 1, 12)]]
        case = encoded(some, [[0] * 23], n_types, Lexicon(None, random_vectors(2)))
        keys = np.unique(case.types.keys)
        stages = [
            FinishedWeights(
                keys,
                rng.standard_normal((len(keys), n_labels)).astype(np.float32),
                rng.standard_normal((6, n_labels, 2)).astype(np.float32),
            )
            for _ in range(2)
        ]
        labels = read_documents(stages, case.types, n_types, case.examples.documents)[0].tolist()
        at = 0
        for sentence in some[0]:
            before = 0
            for k in range(len(sentence)):
                assert oracle.can_follow(labels[at], before, k + 1 == len(sentence))
                before = labels[at]
                at += 1
        seen |= set(labels)
    assert seen == set(range(n_labels))


@settings(max_examples=200)
@given(st.integers(1, 3), st.lists(st.integers(0, 5), max_size=4), st.integers(0, 9999))
def test_no_valid_labels_have_a_higher_sum(n_types: int, lengths: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_labels, starts = 1 + 4 * n_types, np.cumsum([0, *lengths])
    # whole numbers, so that sums are exact and many are equal
    scores = rng.integers(-3, 4, (starts[-1], n_labels)).astype(np.float32)
    labels = np.zeros(len(scores), np.int32)
    best_labels(scores.copy(), starts, labels)
    for start, end in pairwise(starts.tolist()):
        before = 0
        for i in range(start, end):
            assert oracle.can_follow(labels[i], before, i + 1 == end)
            before = labels[i]
        if end > start:
            _, best = oracle.best_sequence(scores[start:end].astype(float))
            sums = [
                sum(scores[start + k, y] for k, y in enumerate(some))
                for some in (labels[start:end], best)
            ]
            assert sums[0] == sums[1]


@pytest.mark.parametrize("n_types", [1, 2])
def test_from_right_to_left_whole_entities_are_whole(n_types: int) -> None:
    mirror, allowed = mirrored(n_types), allowed_after(n_types)
    n = len(mirror)
    assert mirror.tolist() == [oracle.mirror(label) for label in range(n)]
    for before in range(n):
        for label in range(n):
            assert allowed[before, label] == allowed[mirror[label], mirror[before]]


# Dropout -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dropout", [0.0, 0.2, 0.5, 0.9])
def test_the_share_of_features_that_are_dropped_is_what_was_asked_for(dropout: float) -> None:
    kept = np.array(
        [
            [_keep(seed, step, k, dropout) for step in range(40) for k in range(60)]
            for seed in (0, 1)
        ]
    )
    assert kept.mean() == pytest.approx(1 - dropout, abs=0.03)
    by_step = kept[0].reshape(40, 60)
    assert by_step.mean(axis=1).std() <= 0.11, "about the same in each step"
    assert by_step.mean(axis=0).std() <= 0.13, "and of each feature"
    if dropout == 0:
        assert kept.all()
    else:
        assert not np.array_equal(kept[0], kept[1]), "other features with another seed"
        assert len({row.tobytes() for row in by_step}) == 40, "and in each step"


def test_dropped_features_are_not_learned() -> None:
    case = encoded([[["Rome"]]], [[4]], 1, Lexicon())
    full, half = Machine(case.types, 1), Machine(case.types, 1)
    full.learn(case.examples.documents[0], case.examples.gold[0], 5.0)
    half.learn(case.examples.documents[0], case.examples.gold[0], 5.0, dropout=0.5)
    assert len(full.averaged()) == 30
    assert 8 < len(half.averaged()) < 22
    assert set(half.averaged().table.keys.tolist()) < set(full.averaged().table.keys.tolist())
