"""Word similarity: correlation of cosines with human scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from firth.evaluate._bootstrap import bootstrap
from firth.evaluate._json import score_row, without_nan
from firth.evaluate._questions import WordPairs
from firth.vectors import WordVectors

__all__ = ["SimilarityResult", "evaluate_similarity"]


@dataclass(frozen=True)
class SimilarityResult:
    """Correlation of cosines with human scores; pairs with a word that has no vector are left out.

    Attributes
    ----------
    name : str
    n_pairs, n_scored : int
        All pairs, and the pairs whose words both have vectors.
    spearman, pearson : float
        Rank correlation (ties at their mean rank) and linear correlation; NaN for fewer than two
        pairs or if all scores are equal.
    interval : tuple of float
        The middle 95 % of ``spearman`` over bootstrap samples of the pairs.
    missing : tuple of str
        The words without a vector.
    """

    name: str
    n_pairs: int
    n_scored: int
    spearman: float
    pearson: float
    interval: tuple[float, float]
    missing: tuple[str, ...]

    def rows(self) -> Iterator[dict[str, Any]]:
        """One row of a frame."""
        sizes = self.n_scored, self.n_pairs
        yield score_row(self.name, "pairs", self.spearman, self.interval, *sizes)

    def to_dict(self) -> dict[str, Any]:
        """The result for JSON; what is not defined is None."""
        found: dict[str, Any] = without_nan(asdict(self))
        return found


def evaluate_similarity(vectors: WordVectors, pairs: WordPairs) -> SimilarityResult:
    """Compare cosines with human scores.

    A word is looked up as it is written, then in lower case.

    Examples
    --------
    >>> import numpy as np
    >>> vectors = WordVectors.from_arrays(["a", "b", "c"], np.array([[1, 0], [0.9, 0.1], [0, 1]]))
    >>> pairs = WordPairs("mine", [("a", "b"), ("B", "c"), ("a", "c")], [9.0, 2.0, 1.0])
    >>> evaluate_similarity(vectors, pairs).spearman
    1.0
    """
    ids = vectors.find(word for pair in pairs.pairs for word in pair)
    rows = np.array(
        [[-1 if (i := ids[word]) is None else i for word in pair] for pair in pairs.pairs], np.int64
    ).reshape(-1, 2)
    known = np.all(rows >= 0, axis=1)
    left, right = rows[known].T
    cosines = (vectors.unit[left] * vectors.unit[right]).sum(axis=1, dtype=np.float64)
    human = np.array(pairs.scores, np.float64)[known]
    return SimilarityResult(
        pairs.name,
        len(pairs),
        len(human),
        float(_correlation(_ranks(cosines), _ranks(human))),
        float(_correlation(cosines, human)),
        bootstrap(
            len(human),
            lambda samples: _correlation(_ranks(cosines[samples]), _ranks(human[samples])),
        ),
        tuple(word for word, i in ids.items() if i is None),
    )


def _ranks(x: Any) -> Any:
    from scipy.stats import rankdata

    return rankdata(x, axis=-1)


def _correlation(x: Any, y: Any) -> Any:
    """Pearson correlation along the last axis; NaN if it is not defined."""
    if x.shape[-1] < 2:
        return np.full(x.shape[:-1], np.nan)
    varied = (np.ptp(x, axis=-1) > 0) & (np.ptp(y, axis=-1) > 0)
    x, y = x - x.mean(axis=-1, keepdims=True), y - y.mean(axis=-1, keepdims=True)
    sizes = np.sqrt((x**2).sum(axis=-1) * (y**2).sum(axis=-1))
    products = (x * y).sum(axis=-1)
    return np.divide(
        products, sizes, out=np.full_like(products, np.nan), where=varied & (sizes > 0)
    )
