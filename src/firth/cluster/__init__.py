"""Any objects in, groups out: trees from the bottom up and from the top down, flat and soft groups, and how many.

Every estimator keeps to scikit-learn's manners: parameters in ``__init__``, ``fit``, learned values with an underscore.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.cluster._bottom_up import BottomUpClusters
    from firth.cluster._distances import check_distances, unit_rows
    from firth.cluster._distributional import DistributionalClusters
    from firth.cluster._flat import STARTS, FlatClusters
    from firth.cluster._how_many import (
        HowMany,
        agreement,
        bayesian_information,
        choose_n_clusters,
        description_length,
        together,
    )
    from firth.cluster._linkage import METHODS, METRICS, linkage
    from firth.cluster._mixture import COVARIANCES, MixtureClusters
    from firth.cluster._top_down import COHERENCES, SPLITS, TopDownClusters
    from firth.cluster._trees import check_linkage, cut_tree, inversions

__all__ = [
    "BottomUpClusters", "COHERENCES", "COVARIANCES", "DistributionalClusters", "FlatClusters", "HowMany", "METHODS",
    "METRICS", "MixtureClusters", "SPLITS", "STARTS", "TopDownClusters", "agreement", "bayesian_information",
    "check_distances", "check_linkage", "choose_n_clusters", "cut_tree", "description_length", "inversions", "linkage",
    "together", "unit_rows",
]  # fmt: skip

__getattr__ = lazily(
    __name__,
    _bottom_up="BottomUpClusters",
    _distances="check_distances unit_rows",
    _distributional="DistributionalClusters",
    _flat="STARTS FlatClusters",
    _how_many=(
        "HowMany agreement bayesian_information choose_n_clusters description_length together"
    ),
    _linkage="METHODS METRICS linkage",
    _mixture="COVARIANCES MixtureClusters",
    _top_down="COHERENCES SPLITS TopDownClusters",
    _trees="check_linkage cut_tree inversions",
)
