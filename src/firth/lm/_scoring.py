"""Sums of log probabilities over sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from firth.lm._mixing import mixed
from firth.lm._mixture import LookedUp, Mixture, Sentences
from firth.lm._results import ComponentScore, SentenceScores, TextScore, perplexity
from firth.store import Room

__all__ = ["Sums", "sentence_scores"]

Floats = npt.NDArray[np.float64]


def sentence_scores(mixture: Mixture, text: Sentences) -> SentenceScores:
    """The scores of sentences by a mixture."""
    n_words = np.diff(text.ends, prepend=0)
    if not len(text.ends):
        return SentenceScores(np.zeros(0), np.zeros(0), n_words, n_words)
    whole = mixture.padded(text)
    log_p = mixture.log_probs(whole)
    log_p[whole == mixture.begin] = 0.0
    unknown = whole == mixture.words.n_words
    starts = np.concatenate([[0], text.ends[:-1]]) + 2 * np.arange(len(text.ends))
    return SentenceScores(
        np.add.reduceat(log_p, starts), np.add.reduceat(np.where(unknown, log_p, 0.0), starts), n_words,
        np.add.reduceat(unknown.astype(np.int64), starts),
    )  # fmt: skip


class Sums:
    """Sums over a text that is read in pieces.

    There is a row for each model, one for the interpolated class models, and one for the whole mixture.
    """

    def __init__(self, n_models: int) -> None:
        self._n_models = n_models
        self._log_p = np.zeros((n_models + 2, 2))
        """Columns: all symbols, unknown words."""
        self._weights = np.zeros(n_models)
        self._sentences = self._words = self._unknown = 0

    def add(self, mixture: Mixture, found: LookedUp, room: Room | None = None) -> None:
        """Add some sentences."""
        room = room or Room()
        rows = [*found.log_p, *_interpolated(found.log_p, found.buckets, mixture.weights, room)]
        self._log_p += [[row.sum(), row[found.unknown].sum()] for row in rows]
        weights = room.empty((len(found.buckets), self._n_models), np.float64)
        np.take(mixture.weights, found.buckets, axis=0, out=weights, mode="clip")
        self._weights += weights.sum(axis=0)
        self._sentences += found.n_sentences
        self._words += len(found.buckets) - found.n_sentences
        self._unknown += int(np.count_nonzero(found.unknown))

    def result(self, names: Sequence[str]) -> TextScore:
        """The figures; ``names`` are the names of the models."""
        n = self._words + self._sentences
        n_known = n - self._unknown
        known = self._log_p[:, 0] - np.where(self._unknown > 0, self._log_p[:, 1], 0.0)
        figures = [
            (perplexity(whole, n), perplexity(part, n_known))
            for whole, part in zip(self._log_p[:, 0].tolist(), known.tolist(), strict=True)
        ]
        weights = (self._weights / n).tolist()
        rows = [(name, k, weights[k]) for k, name in enumerate(names)]
        if self._n_models > 2:
            rows.append(("classes together", self._n_models, 1 - weights[0]))
        components = tuple(ComponentScore(name, *figures[k], weight) for name, k, weight in rows)
        return TextScore(
            *figures[-1], float(self._log_p[-1, 0]), self._sentences, self._words, self._unknown,
            components,
        )  # fmt: skip


def _interpolated(
    log_p: Floats, buckets: npt.NDArray[np.int64], weights: Floats, room: Room
) -> tuple[Floats, Floats]:
    """The log probabilities of the interpolated class models, and of the whole mixture."""
    if len(log_p) == 1:
        return log_p[0], log_p[0]
    of_classes = weights[:, 1:] / weights[:, 1:].sum(axis=1, keepdims=True)
    return mixed(log_p[1:], buckets, of_classes, room), mixed(log_p, buckets, weights, room)
