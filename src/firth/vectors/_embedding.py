"""From counts to word vectors: scale, decompose, normalise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from firth import progress
from firth.compute import Engine, engine_for, limit_blas
from firth.corpus import Vocabulary
from firth.counts import Counts
from firth.errors import InputError, ParameterError, check_choice, check_count, wrong_parameter
from firth.vectors._panels import ScaledCounts
from firth.vectors._projection import Projection
from firth.vectors._svd import Svd, dense_svd, exact_svd, krylov_svd
from firth.vectors._template import Template
from firth.vectors._word_vectors import WordVectors

__all__ = [
    "DEFAULT_DIM",
    "PRESETS",
    "SOLVERS",
    "SpectralEmbedding",
    "VectorsParameters",
    "decompose",
    "preset",
]

DEFAULT_DIM = 300
SOLVERS = ("fast", "exact")
_DENSE = 1500
"""Matrices up to this size are decomposed as a whole."""
_LARGEST_DENSE = 1 << 28
"""Entries of the largest matrix that is decomposed as a whole: 2 GB."""
_ZERO = 1e-10
"""A row this much shorter than the longest is zero but for rounding."""

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "similarity": {"contexts": "bag10", "weights": "distance", "alpha": 1.0, "beta": 0.25},
    "analogy": {"contexts": "bag10", "weights": "distance", "alpha": 0.75, "beta": 0.5},
    "syntax": {"contexts": "LR2", "weights": "none", "alpha": 1.0, "beta": 0.5},
}
"""Contexts and exponents by purpose; see ``docs/how/vectors.md`` for the evidence."""


def preset(name: str) -> dict[str, Any]:
    """The parameters that a preset sets."""
    check_choice("vectors", "preset", name, tuple(PRESETS))
    return dict(PRESETS[name])


@dataclass(frozen=True)
class VectorsParameters:
    """How vectors are learned, but for what is counted; the parameters of the vectors of a model.

    ``dim`` is the number of dimensions wanted, or None for 300, or fewer where the text is small.
    """

    dim: int | None = None
    transform: str = "sqrt"
    scale: str = "cca"
    alpha: float = 0.75
    beta: float = 0.0
    kappa: float = 0.0
    svd: str = "fast"
    tolerance: float = 0.005
    seed: int = 0

    def __post_init__(self) -> None:
        owner = "SpectralEmbedding"
        if self.dim is not None:
            check_count(owner, "dim", self.dim)
        for name, value in self.template().parameters().items():
            object.__setattr__(self, name, value)
        check_choice(owner, "svd", self.svd, SOLVERS)
        check_count(owner, "seed", self.seed, least=0)
        if not isinstance(self.tolerance, int | float) or not 1e-4 <= self.tolerance <= 0.1:
            raise wrong_parameter(owner, "tolerance", "a number from 0.0001 to 0.1", self.tolerance)

    def template(self) -> Template:
        return Template(self.transform, self.scale, self.alpha, self.beta, self.kappa)

    def parameters(self) -> dict[str, Any]:
        return asdict(self)


class SpectralEmbedding:
    """Word vectors from a decomposition of transformed counts (Stratos, Collins and Hsu 2015).

    The defaults are the paper's. The command line uses the preset ``similarity`` instead; presets are
    in ``firth.vectors.PRESETS``.

    Parameters
    ----------
    dim : int, optional
        The number of dimensions; by default 300, or fewer where there are fewer words.
    transform : {"sqrt", "two-thirds", "log", "none"}
        What is done to every count. The square root makes the variance of counts nearly constant.
    scale : {"cca", "ppmi", "reg", "none"}
        How counts of pairs are set against those of words and contexts: canonical correlation,
        positive pointwise mutual information, regression, not at all.
    alpha : float
        Smooths the distribution of contexts, from 0 to 1 (not at all); for ``cca`` and ``ppmi``.
    beta : float
        The exponent of the singular values in the vectors, from 0 to 1.
    kappa : float
        A pseudocount for words and for contexts.
    svd : {"fast", "exact"}
        ``exact`` is PROPACK's decomposition to machine precision: slow, for checking.
    tolerance : float
        When the fast decomposition is good enough: the size of the residuals of the singular
        triplets, relative to the singular values.
    seed : int
        Of the random start of the decomposition.
    threads : int, optional
        All cores by default. The result does not depend on it.

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

    def __init__(
        self,
        dim: int | None = None,
        transform: str = "sqrt",
        scale: str = "cca",
        alpha: float = 0.75,
        beta: float = 0.0,
        kappa: float = 0.0,
        svd: str = "fast",
        tolerance: float = 0.005,
        seed: int = 0,
        threads: int | Engine | None = None,
    ) -> None:
        self.dim = dim
        self.transform = transform
        self.scale = scale
        self.alpha = alpha
        self.beta = beta
        self.kappa = kappa
        self.svd = svd
        self.tolerance = tolerance
        self.seed = seed
        self.threads = threads

    def fit(self, counts: Counts) -> SpectralEmbedding:
        """Learn vectors for the words of a matrix of counts."""
        parameters = VectorsParameters(
            self.dim, self.transform, self.scale, self.alpha, self.beta, self.kappa,
            self.svd, self.tolerance, self.seed,
        )  # fmt: skip
        if not isinstance(counts, Counts):
            raise wrong_parameter(
                "SpectralEmbedding.fit",
                "counts",
                "the result of firth.count",
                type(counts).__name__,
            )
        engine = engine_for("SpectralEmbedding", self.threads)
        self.svd_ = decompose(counts, parameters, engine)
        if self.dim and len(self.svd_.values) < self.dim:
            raise _too_many(self.dim, f"{len(self.svd_.values):,}, the rank of the matrix")
        self.vectors_ = _vectors(counts, parameters, self.svd_)
        return self


def decompose(counts: Counts, parameters: VectorsParameters, engine: Engine) -> Svd:
    """The scaled matrix of counts, decomposed to the dimensions wanted, or fewer where its rank is lower."""
    with limit_blas(1):  # so that the result does not depend on the number of threads
        return _decompose(counts, parameters, engine)


def _decompose(counts: Counts, parameters: VectorsParameters, engine: Engine) -> Svd:
    template = parameters.template()
    shape = counts.matrix.shape
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
                operator = ScaledCounts(counts, template, engine)
                stage.advance(counts.n_entries)
            found = krylov_svd(operator, wanted, parameters.tolerance, parameters.seed, engine)
    if found is None:  # small, or nearly all of the space is wanted
        if shape[0] * shape[1] > _LARGEST_DENSE:
            raise _too_many(wanted, f"about {min(shape) // 3:,} for so many words")
        found = dense_svd(_omega(counts, template), wanted)
    if not len(found.values):
        raise InputError(
            "The matrix of counts is zero after scaling: there is nothing to learn vectors from.",
            "Use more text, or another --scale.",
        )
    return found


def _omega(counts: Counts, template: Template) -> Any:
    return template.matrix(counts.matrix, counts.scale, template.margins(counts))


def _too_many(wanted: int, most: str) -> ParameterError:
    error = wrong_parameter("SpectralEmbedding", "dim", f"at most {most}", wanted)
    error.hint = "More text, or a smaller --min-count, allows more dimensions."
    return error


def _vectors(counts: Counts, parameters: VectorsParameters, svd: Svd) -> WordVectors:
    """Step 4 of figure 2: rows of UΣ^β, of unit length; rows that are zero in Ω stay at zero."""
    scaled = svd.left[: counts.n_words] * (svd.values**parameters.beta).astype(svd.left.dtype)
    lengths = np.linalg.norm(scaled.astype(np.float64), axis=1, keepdims=True)
    present = lengths > _ZERO * lengths.max()
    unit = np.where(present, scaled / np.where(present, lengths, 1), 0)
    template = parameters.template()
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
    return WordVectors(words, unit.astype(np.float32), svd.values, made, projection)
