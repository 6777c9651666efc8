"""Spectral classes: canonical correlation, then clustering (Stratos et al. 2014)."""

from __future__ import annotations

import math
from typing import cast

import numpy as np
import numpy.typing as npt

from firth.classes._bigrams import Bigrams, bigrams_of, counted
from firth.classes._brown import default_n_classes
from firth.classes._growing import check_n_classes, grow_from, numbered
from firth.classes._learning import Checkpoint, names_after
from firth.classes._ward import split_in_two, ward
from firth.compute import Engine, engine_for
from firth.corpus import Corpus
from firth.counts import Counts
from firth.errors import check_choice, check_count, wrong_parameter
from firth.vectors import VectorsParameters, decompose

__all__ = ["CLUSTERINGS", "TRANSFORMS", "SpectralClasses", "check_kappa"]

CLUSTERINGS = ("ward", "two-means")
TRANSFORMS = ("none", "sqrt", "two-thirds", "log")
_ROWS = 4096


def check_kappa(owner: str, kappa: object) -> None:
    """Raise unless a pseudocount is a number of at least 0."""
    number = isinstance(kappa, int | float) and not isinstance(kappa, bool)
    if not number or not 0 <= cast(float, kappa) < math.inf:
        raise wrong_parameter(owner, "kappa", "a number of at least 0", kappa)


class SpectralClasses:
    """Word classes from word vectors that reveal them, with a guarantee (Stratos et al. 2014).

    Canonical correlation between words and their contexts gives each word a vector of unit length; words
    of one class of a Brown model have the same one, but for noise. Ward's algorithm then merges words in
    order of frequency, with at most ``n_classes`` + 1 clusters at a time.

    Parameters
    ----------
    n_classes : int, optional
        By default twice the square root of the number of words, 1,000 at the most.
    contexts : str
        ``R1``, ``LR1`` or ``LR2``, or other offsets that are kept apart and hold 1.
    kappa : float
        A pseudocount for words and for contexts; it tames rare words.
    transform : {"none", "sqrt", "two-thirds", "log"}
        What is done to every count. The square root is the variant of Stratos et al. 2015.
    clustering : {"ward", "two-means"}
        Bottom-up, or top-down: the widest class is split in two until there are enough.
    dim : int, optional
        The number of dimensions, by default as many as classes.
    min_count, vocabulary, across_lines
        As for ``BrownClasses``.
    seed : int
        Of the decomposition's random start.
    threads : int, optional
        All cores by default. The result does not depend on it.

    Attributes
    ----------
    hierarchy_ : Hierarchy
    gamma_ : float or None
        The mean number of searches for the nearest pair (as in the paper's table 3, but that merged
        clusters find their neighbour at once, which is not counted); None for two-means.

    Examples
    --------
    >>> import firth
    >>> lines = ["the cat sat", "the dog sat", "a cat ran", "a dog ran"] * 2
    >>> corpus = firth.Corpus.from_sentences([line.split() for line in lines])
    >>> classes = firth.SpectralClasses(n_classes=3, kappa=0, min_count=1).fit(corpus).hierarchy_
    >>> classes.path("cat") == classes.path("dog")
    True
    """

    def __init__(
        self,
        n_classes: int | None = None,
        contexts: str = "LR2",
        kappa: float = 200.0,
        transform: str = "none",
        clustering: str = "ward",
        dim: int | None = None,
        min_count: int = 5,
        vocabulary: int | None = 200_000,
        across_lines: bool = False,
        seed: int = 0,
        threads: int | Engine | None = None,
    ) -> None:
        self.n_classes = n_classes
        self.contexts = contexts
        self.kappa = kappa
        self.transform = transform
        self.clustering = clustering
        self.dim = dim
        self.min_count = min_count
        self.vocabulary = vocabulary
        self.across_lines = across_lines
        self.seed = seed
        self.threads = threads

    def fit(self, text: Corpus | Counts) -> SpectralClasses:
        """Learn classes from a corpus, or from counts of contexts that keep offsets apart."""
        engine = engine_for("SpectralClasses", self.threads)
        counts = counted(
            "SpectralClasses", text, self.contexts, self.min_count, self.vocabulary,
            self.across_lines, engine,
        )  # fmt: skip
        return self.fit_counts(counts, bigrams_of(counts))

    def fit_counts(
        self, counts: Counts, bigrams: Bigrams, checkpoint: Checkpoint | None = None
    ) -> SpectralClasses:
        """Learn classes from counts, going on from a checkpoint where there is one."""
        owner, engine = "SpectralClasses", engine_for("SpectralClasses", self.threads)
        check_choice(owner, "clustering", self.clustering, CLUSTERINGS)
        check_choice(owner, "transform", self.transform, TRANSFORMS)
        check_kappa(owner, self.kappa)
        if self.dim is not None:
            check_count(owner, "dim", self.dim)
        n = bigrams.n_words
        m = default_n_classes(n) if self.n_classes is None else self.n_classes
        check_n_classes(owner, m, n)
        vectors = self._vectors(counts, m, engine, checkpoint or Checkpoint())[bigrams.order]
        made = {
            "method": "spectral", "refine": False, "contexts": counts.contexts.name,
            "kappa": float(self.kappa), "transform": self.transform, "clustering": self.clustering,
        }  # fmt: skip
        if self.clustering == "ward":
            merges, costs, gamma = ward(vectors, m, engine)
            self.gamma_: float | None = gamma
            names = names_after(merges[: n - m], n)
            class_of, first = numbered(names), np.unique(names)
            last = np.searchsorted(first, merges[n - m :])
            self.hierarchy_ = grow_from(bigrams, class_of, last, costs[n - m :], made)
        else:
            self.gamma_ = None
            class_of, last, costs = split_in_two(vectors, m)
            self.hierarchy_ = grow_from(bigrams, class_of, last, costs, made)
        return self

    def _vectors(
        self, counts: Counts, n_classes: int, engine: Engine, checkpoint: Checkpoint
    ) -> npt.NDArray[np.float32]:
        """Step 3 of figure 4: left singular vectors, rows at unit length; words without contexts at zero."""
        saved = checkpoint.load().get("vectors")
        if (
            saved is not None
            and saved.dtype == np.float32
            and saved.ndim == 2
            and len(saved) == counts.n_rows
        ):
            return np.asarray(saved)
        dim = min(self.dim or n_classes, max(1, counts.n_words))
        parameters = VectorsParameters(
            dim, self.transform, "cca", 1.0, 0.0, float(self.kappa), seed=self.seed
        )
        unit = np.array(decompose(counts, parameters, engine).left, np.float32)
        empty = np.diff(counts.matrix.indptr) == 0
        for begin in range(0, len(unit), _ROWS):
            some = unit[begin : begin + _ROWS]
            lengths = np.linalg.norm(some.astype(np.float64), axis=1, keepdims=True)
            some /= np.where(lengths == 0, 1, lengths)
            some[empty[begin : begin + _ROWS]] = 0
        checkpoint.save(vectors=unit)
        return unit
