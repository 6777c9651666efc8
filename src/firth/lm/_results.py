"""What a language model says of a text."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["ComponentScore", "NextWord", "SentenceScores", "TextScore", "perplexity"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def perplexity(log_prob: float, n: int) -> float:
    """``exp(-log_prob / n)``; infinite where the text is impossible or too improbable to tell, not a number for none.

    >>> perplexity(math.log(1 / 16), 2)
    4.0
    """
    if not n:
        return math.nan
    return math.exp(-log_prob / n) if -log_prob / n < 700 else math.inf


class NextWord(NamedTuple):
    """A word that may come next; ``</s>`` is the end of the sentence, ``<unk>`` all words that are not known."""

    word: str
    p: float


@dataclass(frozen=True, eq=False)
class SentenceScores:
    """What a model says of some sentences.

    Attributes
    ----------
    log_prob : array
        The natural logarithm of the probability of each sentence, its end included.
    log_prob_unknown : array
        The part of it that is for words that are not known.
    n_words, n_unknown : array of int64
        The words of each sentence, and those among them that are not known.
    """

    log_prob: Floats
    log_prob_unknown: Floats
    n_words: Integers
    n_unknown: Integers

    def __len__(self) -> int:
        return len(self.log_prob)

    @property
    def n_tokens(self) -> Integers:
        """What was predicted: the words of each sentence, and its end."""
        return self.n_words + 1

    @property
    def perplexity(self) -> Floats:
        """Of each sentence."""
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(-self.log_prob / self.n_tokens))


@dataclass(frozen=True)
class ComponentScore:
    """What one of several models says of a text.

    Attributes
    ----------
    name : str
    perplexity, perplexity_known : float
        As of the whole.
    weight : float
        The mean of its weights over the text.
    """

    name: str
    perplexity: float
    perplexity_known: float
    weight: float


@dataclass(frozen=True)
class TextScore:
    """How well a language model predicts a text.

    Attributes
    ----------
    perplexity : float
        ``exp(-log_prob / n_tokens)``: as hard as choosing between so many words, all equally likely. A word that is not
        known counts with the probability of the unknown symbol, which stands for all such words.
    perplexity_known : float
        The same without words that are not known: they are not predicted, but stand before others.
    log_prob : float
        The natural logarithm of the probability of the text.
    n_sentences, n_words, n_unknown : int
        Sentences, words, and words that are not known.
    components : tuple of ComponentScore
        Each model alone; where there are several of classes, these together, too.
    """

    perplexity: float
    perplexity_known: float
    log_prob: float
    n_sentences: int
    n_words: int
    n_unknown: int
    components: tuple[ComponentScore, ...]

    @property
    def n_tokens(self) -> int:
        """What was predicted: all words, and the end of each sentence."""
        return self.n_words + self.n_sentences

    @property
    def bits(self) -> float:
        """The cross entropy: bits a token."""
        return -self.log_prob / self.n_tokens / math.log(2)

    def to_dict(self) -> dict[str, Any]:
        """The figures by name, for JSON; what is infinite, or not a number, is None."""
        found = {**asdict(self), "n_tokens": self.n_tokens, "bits": self.bits}
        found["components"] = [_plain(component) for component in found["components"]]
        return _plain(found)


def _plain(figures: dict[str, Any]) -> dict[str, Any]:
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in figures.items()
    }
