"""A slow, obvious twin of the named-entity recogniser: the averaged perceptron of Ratinov and Roth (2009).

The features of a word are looked up by what they are, not by a key; the weights are summed up whole
after every step.  What is left to the tagger is spelling (kinds of writing, shapes, affixes) and what
its lexicon knows of words.  Labels are numbers: 0 for O, then B, I, L and U of each type.

Where two scores are all but equal, sums in another order, or of shorter numbers, may decide otherwise:
``doubts`` counts that.  Sums of whole numbers are the same in any order.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firth.ner._lexicon import Lexicon
from firth.ner._spelling import KINDS, affixes, kind_of, shape, zeroed

Sentences = Sequence[Sequence[str]]
Values = list[tuple[Hashable, float]]
Floats = NDArray[np.float64]

EDGE = ""
NEAR = 1e-3  # scores as near as this are in doubt, unless they are sums of whole numbers

# the documents of one or two readings


def lower(word: str) -> str:
    return zeroed(word.lower())


def in_window(word: str, lexicon: Lexicon) -> list[tuple[str, str]]:
    """What is said of a word at each place of the window, once each."""
    if word == EDGE:
        return [("word", EDGE)]
    exact = zeroed(word)
    told = [("word", exact), ("lower", exact.lower()), ("shape", shape(word))]
    told += [("kind", KINDS[kind_of(word)]), *lexicon.prefixes(word)]
    return list(dict.fromkeys(told))


def same_word(one: str, other: str) -> bool:
    """Whether two words are occurrences of one: equal, or with capitals and equal in lower case."""
    folds = kind_of(one) in (1, 2, 3, 4) and kind_of(other) in (1, 2, 3, 4)
    return one == other or (folds and one.lower() == other.lower())


def topic_of(words: Iterable[str], lexicon: Lexicon) -> list[float]:
    """What the vectors of some words have beyond those of all words, as long as a vector of a word."""
    vectors = [v for v in map(lexicon.vector, words) if v is not None] if lexicon.dim else []
    if not vectors:
        return [0.0] * lexicon.dim
    mean = [sum(map(float, column)) / len(vectors) for column in zip(*vectors, strict=True)]
    known = []
    for row in lexicon.matrix[:20_000].tolist():
        size = math.sqrt(sum(x * x for x in row) / len(row))
        if size:
            known.append([0.1 * x / size for x in row])
    centre = [sum(column) / len(known) for column in zip(*known, strict=True)]
    less = [x - y for x, y in zip(mean, centre, strict=True)]
    size = math.sqrt(sum(x * x for x in less) / len(less))
    return [0.1 * x / size if size > 1e-6 else 0.0 for x in less]


class Reading:
    """A document, and for the second reading the labels that the first one gave."""

    def __init__(
        self,
        sentences: Sentences,
        lexicon: Lexicon,
        first: Sequence[int] | None = None,
        cased: bool = True,
    ) -> None:
        self.cased = cased
        self.words = [word for sentence in sentences for word in sentence]
        self.place = [(s, k) for s, sentence in enumerate(sentences) for k in range(len(sentence))]
        self.sentences, self.lexicon, self.first = sentences, lexicon, first
        self.topic = topic_of(self.words, lexicon)

    def at(self, i: int, offset: int) -> str:
        """The word so many places away from word i in its sentence."""
        s, k = self.place[i]
        sentence = self.sentences[s]
        return sentence[k + offset] if 0 <= k + offset < len(sentence) else EDGE

    def is_last(self, i: int) -> bool:
        s, k = self.place[i]
        return k + 1 == len(self.sentences[s])

    def label(self, labels: Sequence[int], i: int, offset: int) -> int:
        """The label so many words before word i; O before the sentence."""
        return labels[i - offset] if self.place[i][1] >= offset else 0

    def others(self, i: int, reach: int) -> tuple[list[int], list[int]]:
        """The nearest occurrences of the word before and after, each from near to far."""
        same = [j for j, word in enumerate(self.words) if same_word(word, self.words[i])]
        earlier = [j for j in reversed(same) if j < i and i - j <= reach]
        return earlier, [j for j in same if j > i and j - i <= reach]

    def features(self, i: int, labels: Sequence[int]) -> Values:
        """The features of word i, whose predecessors have these labels."""
        around = [self.at(i, offset) for offset in range(-2, 3)]
        word, kinds = self.words[i], [kind_of(w) for w in around]
        before, before_that = self.label(labels, i, 1), self.label(labels, i, 2)
        found: Values = []
        for place, w in enumerate(around):
            found += [((place, *told), 1.0) for told in in_window(w, self.lexicon)]
            vector = self.lexicon.vector(w) if w != EDGE and self.lexicon.dim else None
            if vector is not None:
                found += [(("vector", place, k), x) for k, x in enumerate(vector.tolist())]
            found.append((("word and label", place, lower(w), before), 1.0))
        found += [(("vector", 5, k), x) for k, x in enumerate(self.topic)]
        found += [(("affix", *told), 1.0) for told in affixes(word)]
        small = [lower(w) for w in around]
        found += [
            (("label", before), 1.0),
            (("labels", before, before_that), 1.0),
            (("three kinds", *kinds[1:4]), 1.0),
            (("five kinds", *kinds), 1.0),
            (("three kinds and label", before, *kinds[1:4]), 1.0),
            (("first", self.place[i][1] == 0), 1.0),
            (("pair", 0, small[1], small[2]), 1.0),
            (("pair", 1, small[2], small[3]), 1.0),
            (("pair", 2, small[1], small[3]), 1.0),
        ]
        kind = kinds[2]
        if self.reaches(word):
            found += self._alike(i, labels)
        if (kind < 7 or kind == 9) if self.cased else kind != 8:
            found += self._history(i, labels)
        if self.reaches(word):
            found += self._elsewhere(i)
            found += self._company(i)
        return found

    def reaches(self, word: str) -> bool:
        """Whether the features of a word depend on all of the document."""
        kind = kind_of(word)
        return kind < 5 if self.cased else kind != 8

    def _alike(self, i: int, labels: Sequence[int]) -> Iterator[tuple[Hashable, float]]:
        """The labels of the nearest words with the same two neighbours, on both sides, before and after."""
        for c, sides in enumerate(((-1, 1), (-2, -1), (1, 2))):
            around = [lower(self.at(i, side)) for side in sides]
            same = [
                j
                for j in range(max(0, i - 1000), min(len(self.words), i + 1001))
                if self.reaches(self.words[j]) and [lower(self.at(j, s)) for s in sides] == around
            ]
            earlier, later = [j for j in same if j < i][-16:], [j for j in same if j > i][:16]
            seen = Counter(labels[j] for j in earlier)
            for label, n in sorted(seen.items()):
                yield ("context history", c, label), n / seen.total()
            if self.first is not None:
                seen = Counter(self.first[j] for j in earlier + later)
                for label, n in sorted(seen.items()):
                    yield ("context elsewhere", c, label), n / seen.total()

    def _history(self, i: int, labels: Sequence[int]) -> Iterator[tuple[Hashable, float]]:
        seen = Counter(labels[j] for j in self.others(i, 1000)[0][:16])
        for label, n in sorted(seen.items()):
            yield ("history", label), n / seen.total()

    def _elsewhere(self, i: int) -> Iterator[tuple[Hashable, float]]:
        if self.first is None:
            return
        # from one to the next while within 1000 words
        seen = Counter(self.first[j] for side in self.others(i, 1000) for j in side)
        for label in sorted(seen):
            yield ("elsewhere", label), 1.0
        if seen:
            yield ("mostly", min(seen, key=lambda label: (-seen[label], label))), 1.0

    def _company(self, i: int) -> Iterator[tuple[Hashable, float]]:
        company = {
            (side, lower(self.at(j, side)))
            for occurrences in self.others(i, 200)
            for j in occurrences[:16]
            for side in (-1, 1)
        }
        for side, word in sorted(company):
            yield ("company", side, word), 1.0


def can_follow(label: int, before: int, is_last: bool) -> bool:
    """Whether a label can stand after another, so that entities are whole."""
    # 0 is O; (label - 1) % 4 is 0 for B, 1 for I, 2 for L, 3 for U
    part, type_ = (label - 1) % 4, (label - 1) // 4
    opens = label > 0 and part in (0, 1)
    if is_last and opens:
        return False
    if before > 0 and (before - 1) % 4 in (0, 1):
        return label > 0 and part in (1, 2) and type_ == (before - 1) // 4
    return label == 0 or part in (0, 3)


# the perceptron


class Scores(NamedTuple):
    """The score of each label, and whether it is a sum of whole numbers."""

    values: Floats
    whole: NDArray[np.bool_]


class Perceptron:
    """Weights for each feature and label, and their sum over all steps."""

    def __init__(self, n_labels: int, margin: float = 1.0) -> None:
        self.n_labels, self.margin = n_labels, margin
        self.rows: dict[Hashable, int] = {}
        self.uneven: set[int] = set()  # rows that had to do with fractions
        self.weights: Floats = np.zeros((0, n_labels))
        self.total: Floats = np.zeros((0, n_labels))
        self.steps = 0
        self.doubts = 0

    def _row(self, feature: Hashable) -> int:
        row = self.rows.setdefault(feature, len(self.rows))
        if row >= len(self.weights):
            more = np.zeros((row + 100, self.n_labels))
            self.weights = np.concatenate([self.weights, more])
            self.total = np.concatenate([self.total, more])
        return row

    def scores(self, features: Values) -> Scores:
        values, whole = np.zeros(self.n_labels), np.ones(self.n_labels, bool)
        for feature, value in features:
            row = self.rows.get(feature)
            if row is not None:
                values += self.weights[row] * value
                if row in self.uneven or value != 1:
                    whole &= self.weights[row] == 0
        return Scores(values, whole)

    def best(self, scores: Scores, candidates: Iterable[int]) -> int:
        """The candidate with the best score, the first of equals."""
        tried = list(candidates)
        best = max(tried, key=lambda label: (scores.values[label], -label))
        for label in tried:
            if label != best:
                self.lead(scores, best, label)
        return best

    def lead(self, scores: Scores, one: int, other: int, margin: float = 0) -> float:
        """How much more than a margin a label is ahead of another; next to nothing is in doubt."""
        lead = float(scores.values[one] - scores.values[other]) - margin
        self.doubts += abs(lead) < NEAR and not (scores.whole[one] and scores.whole[other])
        return lead

    def choose(self, reading: Reading, i: int, scores: Scores, labels: Sequence[int]) -> int:
        before = reading.label(labels, i, 1)
        allowed = [
            label for label in range(self.n_labels) if can_follow(label, before, reading.is_last(i))
        ]
        return self.best(scores, allowed)

    def learn(self, reading: Reading, gold: Sequence[int]) -> list[int]:
        """Go through a document once; its own labels, those that it saw before it learned from them."""
        labels: list[int] = []
        for i, right in enumerate(gold):
            features = reading.features(i, labels)
            scores = self.scores(features)
            rival = self.best(scores, (y for y in range(self.n_labels) if y != right))
            if self.lead(scores, right, rival, self.margin) <= 0:
                for feature, value in features:
                    row = self._row(feature)
                    if value != 1:
                        self.uneven.add(row)
                    self.weights[row, right] += value
                    self.weights[row, rival] -= value
            self.steps += 1
            self.total += self.weights
            labels.append(self.choose(reading, i, scores, labels))
        return labels

    def averaged(self) -> Perceptron:
        """The mean of the weights that there were after each step."""
        mean = Perceptron(self.n_labels, self.margin)
        mean.rows, mean.weights = dict(self.rows), self.total / max(1, self.steps)
        mean.uneven = set(mean.rows.values())
        return mean

    def tag(self, reading: Reading) -> tuple[list[int], Floats]:
        """The labels, and the scores of all labels of each word."""
        labels: list[int] = []
        found = np.zeros((len(reading.words), self.n_labels))
        for i in range(len(reading.words)):
            scores = self.scores(reading.features(i, labels))
            labels.append(self.choose(reading, i, scores, labels))
            found[i] = scores.values
        return labels, found

    def by_feature(self) -> dict[Any, Floats]:
        return {feature: self.weights[row] for feature, row in self.rows.items()}


# from both sides


def best_sequence(scores: Floats) -> tuple[float, list[int]]:
    """The valid labels of a sentence with the highest sum of scores, and how much they are ahead of all others."""
    n_labels = scores.shape[1]
    paths: list[tuple[float, list[int]]] = [(0.0, [])]
    for i, of_word in enumerate(scores.tolist()):
        # of paths with the same last label, the second best may be the second best at the end
        ends: dict[int, list[tuple[float, list[int]]]] = {}
        for so_far, labels in paths:
            before = labels[-1] if labels else 0
            for label in range(n_labels):
                if can_follow(label, before, i + 1 == len(scores)):
                    ends.setdefault(label, []).append((so_far + of_word[label], [*labels, label]))
        paths = [path for some in ends.values() for path in sorted(some, reverse=True)[:2]]
    best, *others = sorted(paths, reverse=True)
    return best[0] - max((sum_ for sum_, _ in others), default=-math.inf), best[1]


def mirror(label: int) -> int:
    """What a label is from right to left: the first word of a name is its last."""
    part = (label - 1) % 4
    return label if label == 0 or part in (1, 3) else label + (2 if part == 0 else -2)


def from_right(labels: Sequence[int]) -> list[int]:
    return [mirror(label) for label in reversed(labels)]


def tag_both_ways(
    stages: Sequence[Perceptron], sentences: Sentences, lexicon: Lexicon, cased: bool = True
) -> list[int]:
    """The labels of a document with the highest sums of the scores of one perceptron, or of two.

    The second one reads all words from the last to the first, and knows the labels of the first one.
    """
    labels: list[int] = []
    total: Floats = np.zeros((sum(map(len, sentences)), stages[0].n_labels))
    for number, stage in enumerate(stages):
        if number:
            turned = [sentence[::-1] for sentence in reversed(sentences)]
            _, found = stage.tag(Reading(turned, lexicon, from_right(labels), cased))
            total += found[::-1][:, [mirror(label) for label in range(stage.n_labels)]]
        else:
            total += stage.tag(Reading(sentences, lexicon, None, cased))[1]
        labels, at = [], 0
        for sentence in sentences:
            if sentence:
                lead, of_sentence = best_sequence(total[at : at + len(sentence)])
                stage.doubts += lead < NEAR
                labels += of_sentence
                at += len(sentence)
    return labels
