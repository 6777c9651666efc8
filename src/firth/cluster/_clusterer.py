"""The base class of the estimators of this room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from firth.cluster._methods import CLUSTER_METHODS
from firth.errors import not_for, wrong_parameter
from firth.estimator import Estimator

__all__ = ["Clusterer", "make_clusterer"]


class Clusterer(Estimator):
    """A clustering method: a scikit-learn estimator, and what ``cluster`` needs to know about it.

    ``fit`` sets ``labels_``, and may set ``n_clusters_`` (if it can differ from ``n_clusters``),
    ``linkage_``, ``memberships_``, ``log_likelihoods_``, ``converged_`` and ``split_betas_``. A method
    with ``tree_of = "objects"`` has ``cut(n_clusters)``, which gives the labels for other numbers of
    clusters; if it has a parameter ``whole``, it can stop before the tree is complete.
    """

    tree_of: ClassVar[Literal["", "objects", "clusters"]] = ""
    """What the leaves of ``linkage_`` are; empty if there is no tree."""
    takes_counts: ClassVar[bool] = False
    """Whether objects are counts, that is distributions, and not vectors."""

    @property
    def is_soft(self) -> bool:
        """Whether objects belong to several clusters."""
        return False

    @property
    def is_random(self) -> bool:
        """Whether the result depends on the random seed."""
        return hasattr(self, "random_state")

    @property
    def keeps_sparse(self) -> bool:
        """Whether sparse rows stay sparse."""
        return bool(self.__sklearn_tags__().input_tags.sparse)

    def distance_bytes(self, n: int) -> int:  # noqa: ARG002
        """The memory that tables of distances between n objects take."""
        return 0

    def notes(self) -> Sequence[str]:
        """What a person should know about the result."""
        return ()

    def fit_predict(self, X: Any, y: Any = None) -> Any:  # noqa: ARG002, N803
        """Find clusters; returns the cluster of each object.

        Parameters
        ----------
        X : array of shape (n, dim)
        y : None
            Not used.
        """
        return self.fit(X).labels_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = "clusterer"
        return tags

    def _check_n_clusters(self, n: int) -> None:
        """Raise ParameterError if there are fewer objects than clusters."""
        wanted: Any = self.n_clusters
        if wanted > n:
            expected = f"an int of at most {n:,} (the number of objects)"
            raise wrong_parameter(type(self).__name__, "n_clusters", expected, wanted)


def make_clusterer(
    method: str, metric: str | None = None, options: Mapping[str, Any] | None = None
) -> Clusterer:
    """The estimator of a method, before ``fit``.

    Parameters
    ----------
    method : str
        A name in ``CLUSTER_METHODS``.
    metric : str, optional
        One of the metrics of the method.
    options : mapping, optional
        Parameters of the method.
    """
    made: Clusterer = CLUSTER_METHODS.make(method, options or {})
    row: Any = CLUSTER_METHODS.of[method]
    given = dict(row.fixed)
    if metric is not None:
        _check_metric(method, metric)
        given["metric"] = row.metrics[metric]
    made.set_params(**given)
    return made


def _check_metric(method: str, metric: str) -> None:
    rows: dict[str, Any] = dict(CLUSTER_METHODS.of)
    offered = list(rows[method].metrics)
    if not offered:
        raise not_for("metric", f"method {method!r}")
    if metric not in offered:
        expected = f"{' or '.join(map(repr, offered))} for method {method!r}"
        error = wrong_parameter("cluster", "metric", expected, metric)
        others = ", ".join(name for name, row in rows.items() if metric in row.metrics)
        error.hint = f"Methods with {metric}: {others}."
        raise error
