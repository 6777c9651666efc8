"""Results of applying a language model to text."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firth.compute.portable import exps
from firth.formats import Framed

__all__ = ["ComponentScore", "NextWord", "SentenceScores", "TextScore", "WordScore", "perplexity"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def perplexity(log_prob: float, n: int) -> float:
    """``exp(-log_prob / n)``; infinite for an impossible text, NaN without tokens or if ``log_prob`` is.

    >>> perplexity(math.log(1 / 16), 2)
    4.0
    """
    if not n or math.isnan(log_prob):
        return math.nan
    return float(exps(-log_prob / n)) if -log_prob / n < 700 else math.inf


class NextWord(NamedTuple):
    """A possible next word; ``</s>`` is the end of the sentence, ``<unk>`` any unknown word."""

    word: str
    p: float


class WordScore(NamedTuple):
    """A word of a sentence and the logarithm of its probability; ``</s>`` is the end of the sentence."""

    word: str
    log_prob: float
    known: bool
    log_prob_letters: float = 0.0
    """That of the letters of an unknown word, which comes in addition; 0 if the model does not know letters."""

    @property
    def bits(self) -> float:
        """How surprising the word is, in bits; an unknown one stands for all unknown words."""
        return -self.log_prob / math.log(2)

    @property
    def bits_spelled(self) -> float:
        """How surprising the word is with its letters, if it is unknown."""
        return -(self.log_prob + self.log_prob_letters) / math.log(2)

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row of a frame."""
        yield {
            "word": self.word, "bits": self.bits, "log_prob": self.log_prob, "known": self.known,
            "bits_spelled": self.bits_spelled,
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class SentenceScores(Framed):
    """The scores of some sentences; ``to_frame`` has a row for each.

    Attributes
    ----------
    log_prob : array
        The natural logarithm of the probability of each sentence, its end included.
    log_prob_unknown : array
        The part of it that is due to unknown words.
    n_words, n_unknown : array of int64
        The number of words of each sentence, and of unknown words among them.
    log_prob_letters : array, optional
        The log probability of the letters of its unknown words, which comes in addition.
    """

    log_prob: Floats
    log_prob_unknown: Floats
    n_words: Integers
    n_unknown: Integers
    log_prob_letters: Floats | None = None
    _columns = ("log_prob", "n_words", "n_unknown", "perplexity")

    def rows(self) -> Iterator[dict[str, Any]]:
        """All rows as plain data."""
        columns = [getattr(self, name).tolist() for name in self._columns]
        return (dict(zip(self._columns, row, strict=True)) for row in zip(*columns, strict=True))

    def __len__(self) -> int:
        return len(self.log_prob)

    @property
    def n_tokens(self) -> Integers:
        """Number of predicted tokens: the words of each sentence, and its end."""
        return self.n_words + 1

    @property
    def perplexity(self) -> Floats:
        """The perplexity of each sentence."""
        return exps(-self.log_prob / self.n_tokens)


@dataclass(frozen=True)
class ComponentScore:
    """How well one model of several predicts a text.

    Attributes
    ----------
    name : str
    perplexity, perplexity_known : float
        As of ``TextScore``.
    weight : float
        The mean of its interpolation weights over the text.
    """

    name: str
    perplexity: float
    perplexity_known: float
    weight: float


@dataclass(frozen=True)
class TextScore(Framed):
    """How well a language model predicts a text; ``to_frame`` has a row for each of its models.

    Attributes
    ----------
    perplexity : float
        ``exp(-log_prob / n_tokens)``: predicting a token is as hard as choosing between this number of
        equally likely words. Unknown words count as one symbol. With the cache, if there is one.
    perplexity_static : float
        The same without the cache.
    perplexity_known : float
        The perplexity without unknown words: these are not predicted, but remain in histories.
    perplexity_spelled : float
        The perplexity of all words as they are spelled: unknown words are predicted letter by letter.
        NaN if the model has no model of letters.
    log_prob : float
        The natural logarithm of the probability of the text.
    n_sentences, n_words, n_unknown : int
        Numbers of sentences, of words, and of unknown words.
    components : tuple of ComponentScore
        Each model alone; those of the cache last.
    """

    perplexity: float
    perplexity_static: float
    perplexity_known: float
    perplexity_spelled: float
    log_prob: float
    n_sentences: int
    n_words: int
    n_unknown: int
    components: tuple[ComponentScore, ...]
    _columns = ("name", "perplexity", "perplexity_known", "weight")

    def rows(self) -> Iterator[dict[str, Any]]:
        """All models as plain data."""
        return map(asdict, self.components)

    @property
    def n_tokens(self) -> int:
        """Number of predicted tokens: all words, and the end of each sentence."""
        return self.n_words + self.n_sentences

    @property
    def bits(self) -> float:
        """The cross entropy, in bits per token."""
        return -self.log_prob / self.n_tokens / math.log(2)

    def to_dict(self) -> dict[str, Any]:
        """The figures by name, for JSON; None for what is infinite or NaN."""
        found = {**asdict(self), "n_tokens": self.n_tokens, "bits": self.bits}
        found["components"] = [_plain(component) for component in found["components"]]
        return _plain(found)


def _plain(figures: dict[str, Any]) -> dict[str, Any]:
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in figures.items()
    }
