"""Spectral classes: canonical correlation, then clustering (Stratos et al. 2014)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from firth.classes._bigrams import Bigrams, bigrams_of, counted
from firth.classes._build import check_n_classes, hierarchy_from_merges, numbered
from firth.classes._merging import names_after
from firth.classes._parameters import SpectralParameters, default_n_classes
from firth.classes._ward import split_in_two, ward
from firth.compute import Engine, engine_for
from firth.corpus import TextData
from firth.counts import Counts
from firth.estimator import Estimator
from firth.store import Checkpoint, Room
from firth.vectors import VectorsParameters, decompose

__all__ = ["SpectralClasses"]

_ROWS = 4096


class SpectralClasses(SpectralParameters, Estimator):
    """Word classes from word vectors, with a guarantee to recover them (Stratos et al. 2014).

    Canonical correlation between words and their contexts gives each word a vector of unit length. Words
    of the same class of a Brown model have the same vector, up to noise. Ward's algorithm then merges
    words in order of frequency, with at most ``n_classes`` + 1 clusters at a time.

    Attributes
    ----------
    hierarchy_ : Hierarchy
    gamma_ : float or None
        The mean number of searches for the smallest bound before a merge, as in table 3 of the paper;
        None for two-means.

    Examples
    --------
    >>> import firth
    >>> sentences = ["the cat sat", "the dog sat", "a cat ran", "a dog ran"] * 2
    >>> classes = firth.SpectralClasses(n_classes=3, kappa=0, min_count=1).fit(sentences).hierarchy_
    >>> classes.path("cat") == classes.path("dog")
    True
    """

    def fit(self, text: TextData | Counts) -> SpectralClasses:
        """Learn classes from text.

        Parameters
        ----------
        text : Corpus, list of token lists, list of str, str, Path or Counts
            The text (see ``Corpus.of``), or counts of contexts that keep offsets apart.
        """
        self.check()
        counts = counted(self, text, self.contexts)
        return self.fit_counts(counts, bigrams_of(counts))

    def fit_counts(
        self,
        counts: Counts,
        bigrams: Bigrams,
        checkpoint: Checkpoint | None = None,
        room: Room | None = None,
    ) -> SpectralClasses:
        """Learn classes from counts; interrupted work continues from a checkpoint."""
        room = room or Room()
        engine = engine_for("SpectralClasses", self.threads, self.device)
        n = bigrams.n_words
        m = default_n_classes(n) if self.n_classes is None else self.n_classes
        check_n_classes("SpectralClasses", m, n)
        vectors = self._vectors(counts, m, engine, checkpoint or Checkpoint(), room)
        made = {
            "method": "spectral", "refine": False, "contexts": counts.contexts.name,
            "kappa": float(self.kappa), "transform": self.transform, "clustering": self.clustering,
        }  # fmt: skip
        if self.clustering == "ward":
            merges, costs, gamma = ward(vectors, m, engine, bigrams.order)
            self.gamma_: float | None = gamma
            names = names_after(merges[: n - m], n)
            class_of, first = numbered(names), np.unique(names)
            last = np.searchsorted(first, merges[n - m :])
            self.hierarchy_ = hierarchy_from_merges(
                bigrams, class_of, last, costs[n - m :], made, engine
            )
        else:
            self.gamma_ = None
            class_of, last, costs = split_in_two(vectors, m, bigrams.order, room)
            self.hierarchy_ = hierarchy_from_merges(bigrams, class_of, last, costs, made, engine)
        return self

    def _vectors(
        self, counts: Counts, n_classes: int, engine: Engine, checkpoint: Checkpoint, room: Room
    ) -> npt.NDArray[np.float32]:
        """Step 3 of figure 4: left singular vectors, rows of unit length; zero for words without contexts."""
        dim = min(self.dim or n_classes, max(1, counts.n_words))
        shape = (counts.n_rows, dim)
        # rows of unit length, up to rounding
        saved = checkpoint.load(
            lambda saved: saved.array("vectors.f32", shape, -1.001, 1.001, room=room)
        )
        if saved is not None:
            return saved
        parameters = VectorsParameters(
            dim, self.transform, "cca", 1.0, 0.0, float(self.kappa), seed=self.seed
        )
        unfinished = checkpoint.beside("decomposition")
        here = replace(engine, cluster=None)  # on a cluster, numbers are rounded in other ways
        left = decompose(counts, parameters, here, room, unfinished).left
        unit: npt.NDArray[np.float32] = room.empty(left.shape)
        empty = np.diff(counts.entries.indptr) == 0

        def normalise(begin: int) -> None:
            some = unit[begin : begin + _ROWS]
            some[:] = left[begin : begin + _ROWS]
            lengths = np.linalg.norm(some.astype(np.float64), axis=1, keepdims=True)
            some /= np.where(lengths == 0, 1, lengths)
            some[empty[begin : begin + _ROWS]] = 0

        engine.each(normalise, range(0, len(unit), _ROWS))
        checkpoint.save(vectors=unit)
        return unit
