"""Cluster any objects with any method: the one function behind ``firth cluster``."""

from __future__ import annotations

import hashlib
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils.validation import check_random_state

from firth import progress
from firth.cluster._clusterer import Clusterer, make_clusterer
from firth.cluster._clustering import Clustering
from firth.cluster._distances import dense, unit_rows
from firth.cluster._how_many import HowMany, choose_n_clusters
from firth.cluster._memory import check_memory
from firth.cluster._methods import CLUSTER_METHODS
from firth.cluster._objects import Objects
from firth.cluster._parameters import ClusterOptions, MetricName
from firth.compute import Engine, engine_for, limit_blas
from firth.errors import FirthError, InputError, ParameterError, not_for, wrong_parameter
from firth.parameters import documents

__all__ = ["cluster"]

_SMALL = 1 << 26
"""Below this number of operations, more than one thread does not help."""
_MOST_BY_DEFAULT, _PER_COLUMN, _LARGEST = 2_000, 10, 20
"""By default k is chosen for tables of at most so many rows and at least so many per column, up to so many."""
_K = re.compile(r"(?:auto(?::(\d{1,9})(?:-(\d{1,9}))?)?)|(\d{1,9})")


class _Range(NamedTuple):
    """The numbers of clusters to try, and how they were decided."""

    low: int
    high: int
    by: str


@documents(ClusterOptions)
def cluster(
    objects: Any,
    method: str = CLUSTER_METHODS.default,
    k: int | str | None = None,
    *,
    tree: bool = True,
    metric: MetricName | None = None,
    threads: int | Engine | None = None,
    **options: Any,
) -> Clustering:
    """Cluster objects.

    Parameters
    ----------
    objects : array, sparse matrix, str, Path, ObjectTable, WordVectors or Objects
        Rows of numbers, counts, or a matrix of distances; a file of these; or word vectors.
    method : str
        A name in ``CLUSTER_METHODS``. Bottom-up methods (``group-average``, ``single``,
        ``complete``, ``average``, ``ward``) and ``top-down`` make a tree, ``k-means`` and
        ``k-medoids`` flat clusters, ``mixture`` and ``distributional`` soft ones.
    k : int or str, optional
        Number of clusters. ``"auto"`` or a range such as ``"auto:2-40"``: the number with the
        shortest description. By default ``"auto"`` for a table with many rows and few columns,
        otherwise the square root of half the number of objects.
    tree : bool
        Whether to make the complete tree if the method can stop at k clusters (``top-down``).
    **options
        Parameters of the method, such as ``random_state`` or ``covariance``.

    Returns
    -------
    Clustering

    Examples
    --------
    >>> from firth.cluster import cluster
    >>> found = cluster([[0.0], [1.0], [5.0], [6.0]], method="single", k=2)
    >>> found.labels
    array([0, 0, 1, 1])
    """
    ClusterOptions(metric, threads).check()
    if "n_clusters" in options:
        raise not_for("n_clusters", "cluster: give k")
    make_clusterer(method, metric, options)  # errors come before anything is read
    objects = Objects.of(objects)
    chosen = metric or _usual_metric(method, objects)
    estimator = make_clusterer(method, chosen, options)
    ks = _numbers(k, estimator, chosen, len(objects), objects.dim)
    if chosen == "precomputed":
        objects.check_square()
    name = method + (f", {chosen}" if chosen else "")
    check_memory(name, estimator, len(objects), objects.dim, objects.is_sparse)
    against = len(objects) if estimator.tree_of == "objects" else ks.high
    few = len(objects) * objects.dim * against < _SMALL
    engine = engine_for("cluster", 1 if threads is None and few else threads)
    with _warnings_as_notes() as notes, limit_blas(engine.threads):
        run = _Run(objects, estimator, chosen, engine)
        how_many = run.choose(ks) if ks.by == "description length" else None
        number = how_many.chosen if how_many else ks.high
        fitted, labels = run.final(number, ks.high, tree)
    found = Clustering(
        objects=objects,
        method=method,
        metric=chosen,
        estimator=fitted,
        labels=labels,
        k=int(getattr(fitted, "n_clusters_", number)),
        k_by=ks.by,
        how_many=how_many,
    )
    found.notes += [*fitted.notes(), *dict.fromkeys(notes), *_few(found, ks.low)]
    return found


def _few(found: Clustering, wanted: int) -> list[str]:
    """Notes on clusters that are missing or empty."""
    notes = []
    if found.k < wanted:
        notes.append(f"Only {found.k:,} clusters were found: many objects are identical.")
    used = len(np.unique(found.labels))
    if used < found.k and not found.estimator.is_soft:
        notes.append(
            f"Only {used:,} of {found.k:,} clusters have objects: many objects are identical."
        )
    return notes


def _usual_metric(method: str, objects: Objects) -> str | None:
    """The metric of a method that suits the objects."""
    row: Any = CLUSTER_METHODS.of[method]
    usual = "cosine" if objects.kind == "word" else "euclidean"
    return usual if usual in row.metrics else next(iter(row.metrics), None)


def _numbers(k: Any, estimator: Clusterer, metric: str | None, n: int, dim: int) -> _Range:
    """How many clusters to make of n objects with ``dim`` columns."""
    can_choose = metric != "precomputed" and not estimator.takes_counts
    if k is None:
        if n >= _PER_COLUMN * dim and 4 <= n <= _MOST_BY_DEFAULT and can_choose:
            return _Range(1, min(_LARGEST, n // 2), "description length")
        half = min(n, max(2, round((n / 2) ** 0.5)))
        return _Range(half, half, "square root")
    found = None if isinstance(k, bool) else _K.fullmatch(str(k).strip())
    if found is None:
        raise wrong_parameter("cluster", "k", "a number, auto, or a range such as auto:2-40", k)
    if found[3] is not None:
        ks = _Range(int(found[3]), int(found[3]), "said")
    elif not can_choose:
        what = "distances alone" if metric == "precomputed" else "distributions"
        raise ParameterError(
            f"The number of clusters cannot be chosen from {what}.",
            "Give the number of clusters: -k 8",
        )
    else:
        high = int(found[2] or found[1] or min(_LARGEST, max(n // 2, 1)))
        ks = _Range(int(found[1] or 1), high, "description length")
    if ks.low < 1:
        raise wrong_parameter("cluster", "k", "at least 1", ks.low)
    if ks.low > ks.high:
        raise wrong_parameter("cluster", "k", "an ascending range such as auto:2-40", k)
    if ks.high > n:
        raise InputError(f"{n:,} objects cannot form {ks.high:,} clusters.", f"Use at most -k {n}.")
    return ks


@contextmanager
def _warnings_as_notes() -> Iterator[list[str]]:
    """Turn numerical warnings into notes, and errors of libraries into ``InputError``.

    Other warnings (fewer clusters, no convergence) have notes of their own.
    """
    notes: list[str] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield notes
        notes += [
            str(warning.message).splitlines()[0]
            for warning in caught
            if issubclass(warning.category, RuntimeWarning)
        ]
    except FirthError:
        raise
    except MemoryError:
        raise InputError("There is not enough memory.", "Use fewer objects: --top 5000") from None
    except (ValueError, ArithmeticError) as error:
        why = (str(error).splitlines() or [""])[0].rstrip(".")
        raise InputError(f"Clustering failed: {why}.", "Try another --method.") from error


class _Run:
    """A method and its objects; trees are kept, so that each is made once for all numbers of clusters."""

    def __init__(
        self, objects: Objects, estimator: Clusterer, metric: str | None, engine: Engine
    ) -> None:
        self.estimator, self.engine = estimator, engine
        self.rows: Any = objects.rows
        if metric == "cosine":
            self.rows = unit_rows(self.rows, objects.names)
        elif estimator.takes_counts:
            objects.check_counts()
        seed = getattr(estimator, "random_state", 0)
        if not isinstance(seed, int):  # all runs of one call start from one seed
            seed = int(check_random_state(seed).randint(2**31 - 1))
        self.seed = seed
        self._trees: dict[bytes, Clusterer] = {}

    def choose(self, ks: _Range) -> HowMany:
        """Measures for several numbers of clusters."""

        def labels(rows: Any, k: int, seed: int) -> Any:
            with progress.silently():
                if self.estimator.tree_of == "objects":
                    tree: Any = self._tree(rows, min(ks.high, len(rows)), seed, whole=False)
                    return np.asarray(tree.cut(k))
                fitted: Any = self._fit(rows, k, seed)
                bits = getattr(fitted, "description_length_", None)
                return fitted.labels_ if bits is None else (fitted.labels_, bits)

        numbers, seeded = range(ks.low, ks.high + 1), self.estimator.is_random
        return choose_n_clusters(dense(self.rows), labels, numbers, seeded=seeded, seed=self.seed)

    def final(self, k: int, high: int, whole: bool) -> tuple[Any, npt.NDArray[np.int64]]:
        """The fitted estimator and the labels."""
        sparse = self.estimator.__sklearn_tags__().input_tags.sparse
        rows = self.rows if sparse else dense(self.rows)
        if self.estimator.tree_of == "objects":
            tree: Any = self._tree(rows, high, self.seed, whole)
            tree.set_params(n_clusters=k)
            tree.labels_ = tree.cut(k)
            return tree, tree.labels_
        fitted: Any = self._fit(rows, k, self.seed)
        return fitted, fitted.labels_

    def _tree(self, rows: Any, k: int, seed: int, whole: bool) -> Clusterer:
        if not isinstance(rows, np.ndarray):
            return self._fit(rows, k, seed, whole=whole)
        key = hashlib.sha256(np.ascontiguousarray(rows).data).digest()
        key += f"{seed} {k} {whole} {rows.shape}".encode()
        if key not in self._trees:
            self._trees[key] = self._fit(rows, k, seed, whole=whole)
        return self._trees[key]

    def _fit(self, rows: Any, k: int, seed: int, **more: Any) -> Clusterer:
        given = {"n_clusters": k, "random_state": seed, "threads": self.engine, **more}
        has = self.estimator.get_params()
        new: Any = clone(self.estimator)
        fitted: Clusterer = new.set_params(**{n: v for n, v in given.items() if n in has}).fit(rows)
        return fitted
