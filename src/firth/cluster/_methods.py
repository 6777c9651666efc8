"""The clustering methods: the parameters of each, and one table.

To add a method, write its estimator in a module of its own (a ``Clusterer``), and add its
parameters and a row here. ``firth.cluster.cluster`` and ``firth cluster`` find it in the table. This
module imports nothing heavy, because commands make their options from it.
"""

from __future__ import annotations

import numbers
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from firth.cluster._parameters import (
    METRICS,
    CoherenceName,
    CovarianceName,
    LinkName,
    MetricName,
    SplitName,
    StartName,
)
from firth.errors import check_choice, wrong_parameter
from firth.parameters import DeviceName, Methods, Param, Parameters, Threads

__all__ = [
    "CLUSTER_METHODS",
    "BottomUpParameters",
    "ClusterParameters",
    "DistributionalParameters",
    "FlatParameters",
    "MixtureParameters",
    "TopDownParameters",
    "method_row",
]

_STARTS: tuple[str, ...] = typing.get_args(StartName)
_SEEDS = 1 << 32
"""Seeds must be smaller: NumPy's RandomState takes 32 bits."""

NumberOfClusters = Annotated[
    int, Param("Number of clusters.", option="--k", least=1, command=False)
]
RandomState = Annotated[
    int | Any,
    Param(
        "Random seed.",
        "An int, a ``RandomState``, or None for another result each time.",
        option="--seed",
        panel="Expert",
        checked=False,
    ),
]


class ClusterParameters(Parameters):
    """Base class of the parameters of clustering methods."""

    metrics: ClassVar[Mapping[str, str]] = {}
    """The metrics that ``cluster`` offers, and what the estimator gets as its ``metric``."""
    fixed: ClassVar[Mapping[str, Any]] = {}
    """Parameters of the estimator that the method decides."""

    def check(self) -> None:
        super().check()
        seed = getattr(self, "random_state", 0)
        if isinstance(seed, int) and not 0 <= seed < _SEEDS:
            owner = self.owner or type(self).__name__
            raise wrong_parameter(owner, "random_state", f"an int from 0 to {_SEEDS - 1}", seed)


@dataclass(eq=False, repr=False)
class BottomUpParameters(ClusterParameters):
    """The parameters of ``BottomUpClusters``."""

    estimator: ClassVar[str] = "firth.cluster._bottom_up:BottomUpClusters"

    n_clusters: NumberOfClusters = 2
    method: Annotated[
        LinkName, Param("Distance between clusters.", "See ``linkage``.", command=False)
    ] = "ward"
    metric: Annotated[
        MetricName,
        Param(
            "Distance between objects.",
            "``precomputed``: the data are a matrix of distances.",
            command=False,
        ),
    ] = "euclidean"
    threads: Threads = None
    device: DeviceName = "cpu"

    def check(self) -> None:
        super().check()
        if self.device != "cpu" and (self.method, self.metric) != ("group-average", "cosine"):
            owner = self.owner or type(self).__name__
            raise wrong_parameter(
                owner,
                "device",
                "'cpu', except for group-average with the metric cosine",
                self.device,
            )


@dataclass(eq=False, repr=False)
class TopDownParameters(ClusterParameters):
    """The parameters of ``TopDownClusters``."""

    estimator: ClassVar[str] = "firth.cluster._top_down:TopDownClusters"

    n_clusters: NumberOfClusters = 2
    coherence: Annotated[
        CoherenceName,
        Param(
            "Measure of coherence; the least coherent cluster is split next.",
            "The least coherent cluster has the largest average distance between its members "
            "(``group-average``), the longest edge of a minimum spanning tree (``single``) or the "
            "largest distance (``complete``).",
        ),
    ] = "group-average"
    split: Annotated[
        SplitName,
        Param(
            "How to split a cluster in two.",
            "By two-means, two medoids, or the last merge of a bottom-up method.",
        ),
    ] = "k-means"
    metric: Annotated[
        Literal["cosine", "euclidean", "l1"], Param("Distance between objects.", command=False)
    ] = "euclidean"
    whole: Annotated[
        bool,
        Param(
            "Split down to single objects, so that ``linkage_`` is a tree of all objects.",
            "Otherwise splitting stops at ``n_clusters`` clusters, and ``linkage_`` is a tree of these.",
            command=False,
        ),
    ] = True
    random_state: RandomState = 0


@dataclass(eq=False, repr=False)
class FlatParameters(ClusterParameters):
    """The parameters of ``FlatClusters``."""

    estimator: ClassVar[str] = "firth.cluster._flat:FlatClusters"

    n_clusters: NumberOfClusters = 8
    metric: Annotated[
        Literal["euclidean", "l1"],
        Param(
            "``euclidean``: centres are means. ``l1``: they are medians or medoids.", command=False
        ),
    ] = "euclidean"
    centres: Annotated[
        Literal["centroids", "medoids"] | None,
        Param(
            "Means (medians for ``l1``), or objects that represent their clusters.",
            "By default means for ``euclidean`` and medoids for ``l1``. Medoids are found by swaps, "
            "which need a table of all distances.",
            command=False,
        ),
    ] = None
    init: Annotated[
        StartName | Any,
        Param(
            "Initial centres.",
            "``buckshot``: the means of the group-average clusters of a sample. Or an array of "
            "shape (n_clusters, dim).",
            option="--start",
            checked=False,
        ),
    ] = "k-means++"
    n_init: Annotated[
        int, Param("Number of random restarts; the best result is kept.", least=1, command=False)
    ] = 3
    max_iter: Annotated[int, Param("Maximum number of iterations.", least=1, command=False)] = 300
    tol: Annotated[
        float,
        Param(
            "K-means stops when centres move by less than this share of the variance.",
            least=0,
            command=False,
        ),
    ] = 1e-4
    random_state: RandomState = 0
    device: DeviceName = "cpu"

    def check(self) -> None:
        super().check()
        if isinstance(self.init, str):
            check_choice(self.owner or type(self).__name__, "init", self.init, _STARTS)
        if self.centres == "medoids" and self.metric == "euclidean":
            owner = self.owner or type(self).__name__
            raise wrong_parameter(owner, "metric", "'l1' for medoids", self.metric)
        if self.device != "cpu" and self.metric == "l1":
            owner = self.owner or type(self).__name__
            raise wrong_parameter(owner, "device", "'cpu' for the metric l1", self.device)


@dataclass(eq=False, repr=False)
class MixtureParameters(ClusterParameters):
    """The parameters of ``MixtureClusters``."""

    estimator: ClassVar[str] = "firth.cluster._mixture:MixtureClusters"

    n_clusters: NumberOfClusters = 2
    covariance: Annotated[
        CovarianceName,
        Param(
            "Covariances of the clusters; auto: those with the shortest description.",
            "``tied``: one matrix for all clusters.",
        ),
    ] = "full"
    means: Annotated[
        Any,
        Param(
            "Initial means, an array of shape (n_clusters, dim); by default those of K-means.",
            "Clusters keep their order.",
            command=False,
            checked=False,
        ),
    ] = None
    covariances: Annotated[
        Any,
        Param(
            "Initial covariances, for given means: a variance, or an array like ``covariances_``.",
            "By default 1 for all directions.",
            command=False,
            checked=False,
        ),
    ] = None
    weights: Annotated[
        Any,
        Param(
            "Initial weights (priors) of the clusters, for given means; equal by default.",
            command=False,
            checked=False,
        ),
    ] = None
    n_init: Annotated[
        int,
        Param("Number of random restarts; the most likely model is kept.", least=1, command=False),
    ] = 1
    max_iter: Annotated[
        int,
        Param(
            "Maximum number of EM iterations.",
            "0: given means, covariances and weights stay as they are.",
            least=0,
            command=False,
        ),
    ] = 200
    tol: Annotated[
        float,
        Param(
            "EM stops when an iteration raises the mean log-likelihood by less.",
            least=0,
            command=False,
        ),
    ] = 1e-4
    regularisation: Annotated[
        float,
        Param("Added to all variances, so that no cluster shrinks to a point.", least=0, command=False),
    ] = 1e-6  # fmt: skip
    random_state: RandomState = 0


@dataclass(eq=False, repr=False)
class DistributionalParameters(ClusterParameters):
    """The parameters of ``DistributionalClusters``."""

    estimator: ClassVar[str] = "firth.cluster._distributional:DistributionalClusters"

    n_clusters: Annotated[
        int,
        Param(
            "Number of clusters.",
            "There are fewer if fewer objects differ; a warning says so.",
            option="--k",
            least=1,
            command=False,
        ),
    ] = 8
    hard: Annotated[
        bool,
        Param(
            "Hard or soft clusters.",
            "Hard: cool down to a temperature of zero, so that every object belongs to one cluster "
            "(K-means with the Kullback-Leibler divergence).",
            negative="--soft",
            shown_default="soft",
        ),
    ] = False
    weights: Annotated[
        Literal["counts", "uniform"],
        Param("Weight of an object: its total count, or the same for all.", command=False),
    ] = "counts"
    empty: Annotated[
        Literal["error", "alike"],
        Param(
            "How to treat rows of zeros, which have no distribution.",
            "``alike``: they belong to all clusters equally and move none. ``firth cluster`` refuses them.",
            command=False,
        ),
    ] = "alike"
    growth: Annotated[
        float, Param("Factor by which ``beta`` grows.", command=False, checked=False)
    ] = 1.5
    max_beta: Annotated[
        float | None,
        Param(
            "Largest ``beta``, whatever the number of clusters.",
            "By default ``beta`` grows until one of the clusters would split once more.",
            command=False,
            checked=False,
        ),
    ] = None
    tol: Annotated[
        float,
        Param(
            "Iterations at one temperature stop when they change the free energy, times ``beta``, "
            "by less.",
            command=False,
            checked=False,
        ),
    ] = 1e-4
    max_iter: Annotated[
        int, Param("Maximum number of iterations at one temperature.", least=1, command=False)
    ] = 50
    random_state: RandomState = 0
    threads: Threads = None

    def check(self) -> None:
        super().check()
        for name, least in (("growth", 1.0), ("tol", 0.0), ("max_beta", 0.0)):
            value: Any = getattr(self, name)
            if name == "max_beta" and value is None:
                continue
            number = isinstance(value, numbers.Real) and not isinstance(value, bool)
            if not number or not value > least or (name == "growth" and value == float("inf")):
                owner = self.owner or type(self).__name__
                raise wrong_parameter(owner, name, f"a number above {least:g}", value)


def method_row(
    parameters: type[ClusterParameters], metrics: Mapping[str, str] | Iterable[str] = (), **fixed: Any
) -> type[ClusterParameters]:  # fmt: skip
    """A row of the table.

    Parameters
    ----------
    parameters : type of ClusterParameters
    metrics : mapping of str to str, or iterable of str
        See ``ClusterParameters.metrics``; the first one is the default unless it offers the usual
        one. The estimator gets the same names if they are not a mapping.
    fixed : any
        See ``ClusterParameters.fixed``.
    """
    offered = metrics if isinstance(metrics, Mapping) else {name: name for name in metrics}
    row = type(parameters.__name__, (parameters,), {"metrics": offered, "fixed": fixed})
    return typing.cast("type[ClusterParameters]", row)


# vectors of unit length have squared Euclidean distances of twice 1 - cosine
_BY_LENGTH = {"cosine": "euclidean", "euclidean": "euclidean"}

CLUSTER_METHODS = Methods(
    "Clustering method.",
    {
        "group-average": method_row(BottomUpParameters, METRICS, method="group-average"),
        "single": method_row(BottomUpParameters, METRICS, method="single"),
        "complete": method_row(BottomUpParameters, METRICS, method="complete"),
        "average": method_row(BottomUpParameters, METRICS, method="average"),
        "ward": method_row(BottomUpParameters, _BY_LENGTH, method="ward"),
        "top-down": method_row(TopDownParameters, ("cosine", "euclidean", "l1")),
        "k-means": method_row(FlatParameters, {**_BY_LENGTH, "l1": "l1"}, centres="centroids"),
        "k-medoids": method_row(FlatParameters, ("l1",), metric="l1", centres="medoids"),
        "mixture": MixtureParameters,
        "distributional": method_row(DistributionalParameters, empty="error"),
    },
    owner="cluster",
)
