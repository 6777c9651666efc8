"""The number of clusters: description length, BIC, and agreement between runs.

Manning and Schütze 1999, 14.2 and exercise 14.4.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import adjusted_rand_score

from firth import progress
from firth.errors import InputError, check_count
from firth.formats import Framed

__all__ = [
    "HowMany",
    "agreement",
    "bayesian_information",
    "choose_n_clusters",
    "description_length",
    "finest_step",
    "together",
]

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

_FINEST = 2.0**-20
"""Values are encoded to this share of their spread; finer differences cost nothing."""
_PAIRS_OF = 2000
"""Maximum number of objects whose pairs are compared."""


def description_length(rows: Floats, labels: npt.ArrayLike) -> float:
    """The description length in bits: of the clusters, plus that of the objects given the clusters.

    Clusters: their number, their sizes, and their centres, each coordinate as precisely as the objects
    determine it. Objects: the cluster of each, and its difference from the centre, under one Gaussian
    for all coordinates. Coordinates are encoded to a millionth of their spread; that adds the same to
    every number of clusters.

    Parameters
    ----------
    rows : array of shape (n, dim)
    labels : array of int
        Numbers from 0.

    Examples
    --------
    >>> import numpy as np
    >>> from firth.cluster import description_length
    >>> rows = np.array([[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]])
    >>> two, one = description_length(rows, [0, 0, 0, 1, 1, 1]), description_length(rows, [0] * 6)
    >>> bool(two < one)
    True
    """
    clusters = _Clusters(rows, labels)
    n, dim, k = len(rows), rows.shape[1], clusters.k
    which = float(-(clusters.sizes * np.log2(clusters.sizes / n)).sum())
    differences = (
        n
        * dim
        * (0.5 * math.log2(2 * math.pi * math.e) + math.log2(clusters.sigma / clusters.finest))
    )
    precision = clusters.sigma / np.sqrt(clusters.sizes)
    span = np.maximum(np.ptp(rows, axis=0), clusters.finest)
    centres = np.maximum(np.log2(span[None, :] / precision[:, None]), 0.0).sum()
    number = 2 * math.log2(k) + 1
    sizes = (k - 1) * math.log2(n)
    return float(number + sizes + centres + which + differences)


def bayesian_information(rows: Floats, labels: npt.ArrayLike) -> float:
    """The Bayesian information criterion in bits.

    It is the negative log-likelihood plus half of log n for every parameter. The model is a mixture of
    Gaussians around the centres, weighted by cluster size, with one variance for all.

    Parameters
    ----------
    rows : array of shape (n, dim)
    labels : array of int
        Numbers from 0.
    """
    from scipy.special import logsumexp

    clusters = _Clusters(rows, labels)
    n, dim = rows.shape
    # differences from the mean, since squares of large numbers are not exact
    near, centres = rows - clusters.mean, clusters.centres - clusters.mean
    squares = (near**2).sum(axis=1)[:, None] + (centres**2).sum(axis=1) - 2 * near @ centres.T
    logs = np.log(clusters.sizes / n) - np.maximum(squares, 0.0) / (2 * clusters.sigma**2)
    likelihood = logsumexp(logs, axis=1).sum()
    likelihood -= (
        n * dim * (0.5 * math.log(2 * math.pi) + math.log(clusters.sigma / clusters.finest))
    )
    parameters = clusters.k * dim + 1 + (clusters.k - 1)
    return float((-likelihood + parameters / 2 * math.log(n)) / math.log(2))


def finest_step(rows: Floats) -> float:
    """The precision to which values are encoded."""
    spread = float(np.sqrt(((rows - rows.mean(axis=0)) ** 2).mean()))
    return spread * _FINEST or 1.0


class _Clusters:
    """Sizes, centres and the common standard deviation of clusters."""

    def __init__(self, rows: Floats, labels: npt.ArrayLike) -> None:
        _, which = np.unique(np.asarray(labels), return_inverse=True)
        if which.shape != (len(rows),):
            raise InputError(f"There are {len(rows):,} objects and {which.size:,} labels.")
        self.k = int(which.max()) + 1
        self.sizes = np.bincount(which).astype(np.float64)
        sums = np.zeros((self.k, rows.shape[1]))
        np.add.at(sums, which, rows)
        self.centres = sums / self.sizes[:, None]
        self.mean = rows.mean(axis=0)
        self.finest = finest_step(rows)
        squares = ((rows - self.centres[which]) ** 2).mean()
        self.sigma = max(math.sqrt(float(squares)), self.finest)


def agreement(runs: Sequence[npt.ArrayLike]) -> float:
    """The agreement of several runs: the adjusted Rand index, averaged over pairs of runs.

    It is 1 if all runs are the same, and 0 if they agree no more than by chance.

    Parameters
    ----------
    runs : sequence of array of int
        The labels of the same objects, at least two runs.
    """
    found = [
        adjusted_rand_score(np.asarray(runs[i]), np.asarray(runs[j]))
        for i in range(len(runs))
        for j in range(i)
    ]
    if not found:
        raise InputError("Agreement needs at least two runs.")
    return float(np.mean(found))


def together(runs: Sequence[npt.ArrayLike]) -> Floats:
    """The shares of pairs of objects that share a cluster in 0, 1, 2, ..., all runs (exercise 14.4).

    Of more than 2,000 objects, 2,000 evenly spaced ones are compared.

    Parameters
    ----------
    runs : sequence of array of int
        The labels of the same objects.

    Examples
    --------
    >>> from firth.cluster import together
    >>> together([[0, 0, 1], [0, 0, 0]]).tolist()
    [0.0, 0.6666666666666666, 0.3333333333333333]
    """
    if not len(runs) or len({np.shape(run) for run in runs}) > 1 or np.ndim(runs[0]) != 1:
        raise InputError("All runs must have labels for the same objects.")
    labels = np.asarray(runs)
    n = labels.shape[1]
    if n > _PAIRS_OF:
        labels = labels[:, np.linspace(0, n - 1, _PAIRS_OF).astype(np.int64)]
    same = sum((run[:, None] == run[None, :]).astype(np.int64) for run in labels)
    pairs = np.asarray(same)[np.triu_indices(labels.shape[1], 1)]
    return np.bincount(pairs, minlength=len(labels) + 1) / max(len(pairs), 1)


@dataclass(frozen=True, eq=False)
class HowMany(Framed):
    """Measures for several numbers of clusters; ``to_frame`` has a row for each.

    Attributes
    ----------
    ks : list of int
    description_lengths, informations : list of float
        In bits.
    agreements : list of float
        Of several runs: with other seeds, or on samples of four fifths of the objects if the method is
        not random.
    chosen : int
        The number with the shortest description.
    labels : array of int64
        The labels for that number.
    """

    ks: list[int]
    description_lengths: list[float]
    informations: list[float]
    agreements: list[float]
    chosen: int
    labels: Labels

    def rows(self) -> Iterator[dict[str, Any]]:
        """The measures of every number of clusters as plain data."""
        columns = self.ks, self.description_lengths, self.informations, self.agreements
        for k, bits, bic, agreement in zip(*columns, strict=True):
            yield {"k": k, "bits": bits, "bic": bic, "agreement": agreement}


def choose_n_clusters(
    rows: Any,
    cluster: Callable[[Any, int, int], Any],
    ks: Sequence[int],
    *,
    runs: int = 5,
    seeded: bool = True,
    seed: int = 0,
) -> HowMany:
    """Try several numbers of clusters, and choose the one with the shortest description.

    Parameters
    ----------
    rows : array of shape (n, dim)
    cluster : function
        Takes objects, a number of clusters and a seed, and returns labels; or labels and a description
        length in bits, if the method has its own.
    ks : sequence of int
    runs : int
        Number of runs to compare for each number of clusters; at least two.
    seeded : bool
        Whether the method depends on its seed. If not, each run takes a sample of the objects.
    seed : int
        The first seed.

    Examples
    --------
    >>> import numpy as np
    >>> from firth.cluster import FlatClusters, choose_n_clusters
    >>> rows = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 20, axis=0)
    >>> how = choose_n_clusters(rows, lambda x, k, s: FlatClusters(k, random_state=s).fit_predict(x), range(1, 7))
    >>> how.chosen
    3
    """
    objects = np.asarray(rows, np.float64)
    check_count("choose_n_clusters", "runs", runs, least=2)
    wanted = sorted({int(k) for k in ks})
    if not wanted or wanted[0] < 1 or wanted[-1] > len(objects):
        raise InputError(
            f"Numbers of clusters must be between 1 and {len(objects):,} (the number of objects)."
        )
    lengths, informations, agreements, labels = [], [], [], []
    with progress.stage(
        "trying", total=len(wanted), unit="numbers of clusters", brief=1.0
    ) as stage:
        for k in wanted:
            found = cluster(objects, k, seed)
            bits = found[1] if isinstance(found, tuple) else None
            labels.append(_labels(found))
            lengths.append(description_length(objects, labels[-1]) if bits is None else bits)
            informations.append(bayesian_information(objects, labels[-1]))
            agreements.append(_stability(objects, labels[-1], cluster, k, runs, seeded, seed))
            stage.advance(1)
    best = int(np.argmin(lengths))
    return HowMany(wanted, lengths, informations, agreements, wanted[best], labels[best])


def _labels(found: Any) -> Labels:
    """The labels, without their description length."""
    return np.asarray(found[0] if isinstance(found, tuple) else found, np.int64)


def _stability(
    rows: Floats,
    labels: Labels,
    cluster: Callable[[Any, int, int], Any],
    k: int,
    runs: int,
    seeded: bool,
    seed: int,
) -> float:
    """The agreement of the labels with those of other runs."""
    if k == 1:
        return 1.0
    if seeded:
        others = [_labels(cluster(rows, k, seed + run)) for run in range(1, runs)]
        return agreement([labels, *others])
    random, found = np.random.default_rng(seed), []
    wanted = max(k, 2, round(0.8 * len(rows)))
    for _ in range(1, runs):
        some = np.sort(random.permutation(len(rows))[:wanted])
        found.append(agreement([labels[some], _labels(cluster(rows[some], k, seed))]))
    return float(np.mean(found))
