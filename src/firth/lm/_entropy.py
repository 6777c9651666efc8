"""The cross entropy of a class bigram model on its training text, computed in two ways.

Without smoothing, it is the entropy of the words minus the mutual information of adjacent classes:
H(w) - I(c1; c2) (Manning and Schütze 1999, equation 14.14).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute.portable import log2s
from firth.lm._classes import ClassModel
from firth.lm._counting import NgramCounts

__all__ = ["ClassEntropy", "class_entropy", "entropy_of_counts"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ClassEntropy:
    """Figures of the class bigram model without smoothing, in bits per word or end of sentence.

    Attributes
    ----------
    cross_entropy : float
        The mean of ``-log P(c2 | c1) P(w2 | c2)``, measured (equation 14.10).
    word_entropy : float
        H(w), of words and ends of sentences.
    mutual_information : float
        I(c1; c2), of the classes of adjacent symbols.
    n_pairs : int
        Number of pairs of adjacent symbols.
    """

    cross_entropy: float
    word_entropy: float
    mutual_information: float
    n_pairs: int

    def to_dict(self) -> dict[str, Any]:
        """The figures by name, for JSON."""
        return asdict(self)


def class_entropy(
    symbols: npt.NDArray[Any], ends: Integers, class_of: npt.NDArray[Any]
) -> ClassEntropy:
    """The cross entropy of the class bigram model on its training text, H(w), and I(c1; c2).

    The beginning and the end of a sentence, and the unknown word, are classes of their own. All three
    figures are over the same pairs of adjacent symbols: words and second classes are counted in second
    place, first classes in first place. So both sides of equation 14.14 are equal up to rounding. The
    figures of ``firth classes learn`` are over words only, and differ at the edges of sentences.

    Parameters
    ----------
    symbols, ends, class_of : array
        As for ``ClassModel.learn``.

    Examples
    --------
    >>> found = class_entropy(np.array([0, 1, 2, 1]), np.array([2, 4]), np.array([0, 1, 0]))
    >>> round(found.cross_entropy, 4), round(found.word_entropy - found.mutual_information, 4)
    (0.3333, 0.3333)
    """
    whole = ClassModel.classes_of(class_of)
    n_words, n_classes = len(whole) - 3, int(whole[-1]) - 2
    numbers = np.minimum(np.asarray(symbols), n_words)
    bigrams = NgramCounts.count(whole[numbers], ends, n_classes, 2)
    return entropy_of_counts(bigrams, np.bincount(numbers, minlength=n_words + 1), len(ends), whole)


def entropy_of_counts(
    bigrams: NgramCounts, words: Integers, n_sentences: int, class_of: Integers
) -> ClassEntropy:
    """From class bigrams, the counts of the words and of the unknown word, and the class of each symbol."""
    (first, second), counts = bigrams.rows[1].T, bigrams.counts[1]
    n, n_symbols = int(counts.sum()), bigrams.n_words + 3
    firsts, seconds = (np.bincount(side, counts, n_symbols) for side in (first, second))
    words = np.append(words, n_sentences)
    of_word = np.append(class_of[:-2], class_of[-1])
    seen = words > 0
    words, of_word = words[seen], of_word[seen]
    in_class = -_sum_of_logs(words, words / seconds[of_word])
    of_classes = -_sum_of_logs(counts, counts / firsts[first])
    entropy = -_sum_of_logs(words, words / n)
    information = _sum_of_logs(counts, counts * n / (firsts[first] * seconds[second]))
    return ClassEntropy((of_classes + in_class) / n, entropy / n, information / n, n)


def _sum_of_logs(counts: Integers, p: Floats) -> float:
    return float((counts * log2s(p)).sum())
