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
from firth.errors import InputError
from firth.lm._mixture import class_rows
from firth.lm._runs import pieces, sorted_counts
from firth.lm._texts import Sentences, padded
from firth.lm._tree_kernels import BITS
from firth.lm._trees import Text
from firth.store import Room

__all__ = ["ClassEntropy", "class_entropy", "entropy_of_text"]

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
    symbols : array of int
        Words; numbers from ``len(class_of)`` on are the unknown word.
    ends : array of int64
        The number of words before the end of each sentence.
    class_of : array of int, shape (n_words,)
        The number of the class of each word, from 0.

    Examples
    --------
    >>> found = class_entropy(np.array([0, 1, 2, 1]), np.array([2, 4]), np.array([0, 1, 0]))
    >>> round(found.cross_entropy, 4), round(found.word_entropy - found.mutual_information, 4)
    (0.3333, 0.3333)
    """
    class_of = np.asarray(class_of, np.int64)
    if not class_of.size or class_of.min() < 0:
        raise InputError("Every word needs a class, numbered from 0.")
    maps = class_rows(len(class_of), [class_of])
    return entropy_of_text(padded(Sentences(np.asarray(symbols), ends), len(class_of)), maps[1])


def entropy_of_text(
    text: Text, class_of: npt.NDArray[np.int32], room: Room | None = None
) -> ClassEntropy:
    """From a text and the class of each of its symbols."""

    def make(some: slice, keys: Any) -> int:
        n = 0
        for few in pieces(some.start, some.stop):
            inside = np.flatnonzero(text.places[few] > 0) + few.start
            first, second = (class_of[text.symbols[inside - k]].astype(np.uint64) for k in (1, 0))
            keys[n : n + len(inside)] = first << np.uint64(BITS) | second
            n += len(inside)
        return n

    keys, counts = sorted_counts(len(text), make, 2 * BITS, room or Room())
    first = (keys >> np.uint64(BITS)).astype(np.int64)
    second = (keys & np.uint64((1 << BITS) - 1)).astype(np.int64)
    words = np.zeros(len(class_of), np.int64)
    for some in pieces(0, len(text)):
        predicted = text.symbols[some][text.places[some] > 0]
        words += np.bincount(predicted, minlength=len(words))
    n, n_symbols = int(counts.sum()), int(class_of.max()) + 1
    firsts, seconds = (np.bincount(side, counts, n_symbols) for side in (first, second))
    seen = words > 0
    words, of_word = words[seen], class_of[seen]
    in_class = -_sum_of_logs(words, words / seconds[of_word])
    of_classes = -_sum_of_logs(counts, counts / firsts[first])
    entropy = -_sum_of_logs(words, words / n)
    information = _sum_of_logs(counts, counts * n / (firsts[first] * seconds[second]))
    return ClassEntropy((of_classes + in_class) / n, entropy / n, information / n, n)


def _sum_of_logs(counts: Integers, p: Floats) -> float:
    return float((counts * log2s(p)).sum())
