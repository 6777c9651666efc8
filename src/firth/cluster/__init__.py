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
    {
        "BottomUpClusters": "_bottom_up",
        **dict.fromkeys(["check_distances", "unit_rows"], "_distances"),
        "DistributionalClusters": "_distributional",
        **dict.fromkeys(["STARTS", "FlatClusters"], "_flat"),
        **dict.fromkeys(
            [
                "HowMany",
                "agreement",
                "bayesian_information",
                "choose_n_clusters",
                "description_length",
                "together",
            ],
            "_how_many",
        ),
        **dict.fromkeys(["METHODS", "METRICS", "linkage"], "_linkage"),
        **dict.fromkeys(["COVARIANCES", "MixtureClusters"], "_mixture"),
        **dict.fromkeys(["COHERENCES", "SPLITS", "TopDownClusters"], "_top_down"),
        **dict.fromkeys(["check_linkage", "cut_tree", "inversions"], "_trees"),
    },
)
