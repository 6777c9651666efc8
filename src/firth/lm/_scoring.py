"""Sums of log probabilities over sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from firth.compute.portable import logs
from firth.lm._cache import CACHE_NAMES
from firth.lm._mixing import mixed
from firth.lm._mixture import Mixture
from firth.lm._results import ComponentScore, SentenceScores, TextScore, perplexity
from firth.lm._texts import Sentences

__all__ = ["Sums", "sentence_scores"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def sentence_scores(mixture: Mixture, text: Sentences) -> SentenceScores:
    """The scores of sentences by a mixture, each by itself."""
    n_words = np.diff(text.ends, prepend=0)
    if not len(text.ends):
        return SentenceScores(np.zeros(0), np.zeros(0), n_words, n_words)
    whole = mixture.padded(text)
    log_p = mixture.log_probs(whole)
    unknown = whole.symbols == mixture.n_words
    starts = np.concatenate([[0], text.ends[:-1]]) + 2 * np.arange(len(text.ends))
    return SentenceScores(
        np.add.reduceat(log_p, starts), np.add.reduceat(np.where(unknown, log_p, 0.0), starts), n_words,
        np.add.reduceat(unknown.astype(np.int64), starts),
    )  # fmt: skip


class Sums:
    """Sums over a text that is read in pieces.

    There is a row for each model, one for the mixture without the cache, and one for the whole mixture.

    Parameters
    ----------
    names : sequence of str
        The models, without those of the cache.
    weights : array
    cache_weights : array, optional
    """

    def __init__(self, names: Sequence[str], weights: Floats, cache_weights: Floats | None) -> None:
        n = len(names) if cache_weights is None else cache_weights.shape[1]
        self._names = [*names, *CACHE_NAMES][:n]
        self._static, self._all = weights, weights if cache_weights is None else cache_weights
        self._log_p = np.zeros((n + 2, 2))
        """Columns: known symbols, which include the ends of sentences; and unknown words, which may be impossible."""
        self._weights = np.zeros(n)
        self._sentences = self._words = self._unknown = 0
        self.log_prob_letters = math.nan

    def add(
        self, p: Floats, buckets: Integers, unknown: npt.NDArray[np.bool_], n_sentences: int
    ) -> None:
        """Add the probabilities of some words and ends of sentences, with a column for each model."""
        n_static = self._static.shape[1]
        rows = [logs(p[:, k]) for k in range(p.shape[1])]
        rows.append(mixed(p[:, :n_static], buckets, self._static))
        rows.append(mixed(p, buckets, self._all))
        self._log_p += [[row[~unknown].sum(), row[unknown].sum()] for row in rows]
        self._weights += self._all[buckets].sum(axis=0)
        self._sentences += n_sentences
        self._words += len(buckets) - n_sentences
        self._unknown += int(np.count_nonzero(unknown))

    def result(self) -> TextScore:
        """The figures."""
        n = self._words + self._sentences
        n_known = n - self._unknown
        log_probs = self._log_p.sum(axis=1).tolist()
        figures = [
            (perplexity(whole, n), perplexity(part, n_known))
            for whole, part in zip(log_probs, self._log_p[:, 0].tolist(), strict=True)
        ]
        weights = (self._weights / n).tolist()
        components = tuple(
            ComponentScore(name, *figures[k], weights[k]) for k, name in enumerate(self._names)
        )
        log_prob = log_probs[-1]
        spelled = perplexity(log_prob + self.log_prob_letters, n)
        return TextScore(
            figures[-1][0], figures[-2][0], figures[-1][1], spelled, log_prob, self._sentences, self._words,
            self._unknown, components,
        )  # fmt: skip
