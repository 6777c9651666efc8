"""From counts to word vectors: scale, decompose, normalise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from firth import progress
from firth.compute import Engine, engine_for, limit_blas
from firth.corpus import Corpus, TextData, Vocabulary
from firth.counts import Counts, count
from firth.errors import InputError, ParameterError, wrong_parameter
from firth.estimator import Estimator
from firth.parameters import MEMORY, parse_memory
from firth.store import Room
from firth.vectors._panels import ScaledCounts
from firth.vectors._parameters import DEFAULT_DIM, VectorCountsParameters, VectorsParameters
from firth.vectors._projection import Projection
from firth.vectors._svd import Svd, dense_svd, exact_svd, krylov_svd
from firth.vectors._template import Template
from firth.vectors._word_vectors import WordVectors

__all__ = ["SpectralEmbedding", "decompose"]

_DENSE = 1500
"""Matrices up to this size are decomposed by LAPACK."""
_LARGEST_DENSE = 1 << 28
"""Entries of the largest matrix that is decomposed by LAPACK: 2 GB."""
_ROWS = 1 << 14
_ZERO = 1e-10
"""Rows shorter than this, relative to the longest one, are zero up to rounding."""


class SpectralEmbedding(VectorsParameters, Estimator):
    """Word vectors from a decomposition of transformed counts (Stratos, Collins and Hsu 2015).

    The defaults are those of ``firth learn``, the preset ``similarity``. Other presets, among them
    ``paper``, are in ``firth.vectors.PRESETS``.

    Attributes
    ----------
    vectors_ : WordVectors
    svd_ : Svd
        Singular values and vectors of the whole matrix, with a last row for the rare symbol.

    Examples
    --------
    >>> import firth
    >>> lines = ["the cat sat", "the dog sat", "a cat ran", "a dog ran", "the cat ran", "a dog sat"]
    >>> corpus = firth.Corpus.from_sentences([line.split() for line in lines])
    >>> counts = firth.count(corpus, contexts="LR1", min_count=1)
    >>> vectors = firth.SpectralEmbedding(dim=2).fit(counts).vectors_
    >>> vectors.most_similar("cat", n=1)[0].word
    'dog'
    """

    def fit(
        self, counts: Counts | TextData, memory: int | str = MEMORY, folder: Path | None = None
    ) -> SpectralEmbedding:
        """Learn word vectors from counts or from text.

        Parameters
        ----------
        counts : Counts, or Corpus, list of token lists, list of str, str or Path
            The result of ``firth.count``; or text (see ``Corpus.of``), whose contexts are then counted
            as the preset ``similarity`` has it.
        memory : int or str
            About how much memory to use; more is put into files. The result does not depend on it.
        folder : Path, optional
            For these files; a temporary folder by default.
        """
        self.check()
        room = Room(parse_memory(memory), folder)
        engine = engine_for("SpectralEmbedding", self.threads)
        if not isinstance(counts, Counts):
            text = Corpus.of(counts, "SpectralEmbedding.fit", "counts")
            counts = count(
                text, **VectorCountsParameters().parameters(), memory=memory, threads=engine
            )
        self.svd_ = decompose(counts, self, engine, room)
        if self.dim and len(self.svd_.values) < self.dim:
            raise _too_many(self.dim, f"{len(self.svd_.values):,}, the rank of the matrix")
        self.vectors_ = _vectors(counts, self, self.svd_, room)
        return self


def decompose(
    counts: Counts, parameters: VectorsParameters, engine: Engine, room: Room | None = None
) -> Svd:
    """Decompose the scaled matrix of counts; has fewer dimensions than wanted if its rank is lower."""
    with limit_blas(1):  # so that the result does not depend on the number of threads
        return _decompose(counts, parameters, engine, room or Room())


def _decompose(counts: Counts, parameters: VectorsParameters, engine: Engine, room: Room) -> Svd:
    template = Template.of(parameters)
    shape = counts.entries.shape
    most = min(min(shape), counts.n_words)
    wanted = min(parameters.dim or DEFAULT_DIM, most)
    found: Svd | None = None
    if min(shape) > _DENSE and (parameters.dim or 0) <= most:
        if parameters.svd == "exact":
            found = exact_svd(_omega(counts, template), wanted)
        else:
            with progress.stage(
                "preparing the matrix", float(counts.n_entries), "entries", brief=1.0
            ) as stage:
                operator = ScaledCounts(counts, template, engine, room)
                stage.advance(counts.n_entries)
            found = krylov_svd(
                operator, wanted, parameters.tolerance, parameters.seed, engine, room
            )
    if found is None:  # a small matrix, or nearly as many dimensions as it has
        if shape[0] * shape[1] > _LARGEST_DENSE:
            raise _too_many(wanted, f"about {min(shape) // 3:,} for {counts.n_words:,} words")
        found = dense_svd(_omega(counts, template), wanted)
    if not len(found.values):
        raise InputError(
            "No word vectors can be learned: the matrix of counts is zero after scaling.",
            "Use more text or another --scale.",
        )
    return found


def _omega(counts: Counts, template: Template) -> Any:
    return template.matrix(counts.matrix, counts.scale, template.margins(counts))


def _too_many(wanted: int, most: str) -> ParameterError:
    error = wrong_parameter("SpectralEmbedding", "dim", f"at most {most}", wanted)
    error.hint = "More text or a smaller --min-count allows more dimensions."
    return error


def _vectors(counts: Counts, parameters: VectorsParameters, svd: Svd, room: Room) -> WordVectors:
    """Step 4 of figure 2: rows of UΣ^β at unit length; rows that are zero in Ω stay zero."""
    n = counts.n_words
    factors = (svd.values**parameters.beta).astype(svd.left.dtype)
    pieces = [slice(a, min(a + _ROWS, n)) for a in range(0, n, _ROWS)]
    lengths = np.empty((n, 1))
    for some in pieces:
        scaled = (svd.left[some] * factors).astype(np.float64)
        lengths[some] = np.linalg.norm(scaled, axis=1, keepdims=True)
    present = lengths > _ZERO * lengths.max()
    unit = room.empty((n, len(factors)))
    for some in pieces:
        scaled = svd.left[some] * factors / np.where(present[some], lengths[some], 1)
        unit[some] = np.where(present[some], scaled, 0)
    template = Template.of(parameters)
    words = Vocabulary(counts.vocabulary.words, np.asarray(counts.vocabulary.counts))
    projection = Projection(
        words,
        counts.contexts,
        template,
        template.margins(counts).contexts,
        np.ascontiguousarray(svd.right, np.float32),
        svd.values,
        counts.parameters.across_lines,
    )
    made = {**counts.parameters.parameters(), **parameters.parameters(), "dim": len(svd.values)}
    return WordVectors(words, unit, svd.values, made, projection)
