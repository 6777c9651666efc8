"""Clustering of any objects: bottom-up and top-down trees, flat and soft clusters, and how many.

``cluster`` is the one function for all methods. Every method is also a scikit-learn estimator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.cluster._bottom_up import BottomUpClusters
    from firth.cluster._cluster import cluster
    from firth.cluster._clusterer import Clusterer, make_clusterer
    from firth.cluster._clustering import LABEL_FILES, TREE_FILES, Clustering
    from firth.cluster._distances import SCIPY, unit_rows
    from firth.cluster._distributional import DistributionalClusters
    from firth.cluster._flat import FlatClusters
    from firth.cluster._how_many import (
        HowMany,
        agreement,
        bayesian_information,
        choose_n_clusters,
        description_length,
        together,
    )
    from firth.cluster._linkage import linkage
    from firth.cluster._methods import CLUSTER_METHODS, ClusterParameters, method_row
    from firth.cluster._mixture import MixtureClusters
    from firth.cluster._objects import Objects, listed, names_in
    from firth.cluster._parameters import ClusterOptions, Selection, WordTreeParameters
    from firth.cluster._top_down import TopDownClusters
    from firth.cluster._trees import check_linkage, cut_tree, inversions
    from firth.cluster._word_trees import WordTree, word_tree

__all__ = [
    "cluster",
    "Clustering",
    "Objects",
    "BottomUpClusters",
    "TopDownClusters",
    "FlatClusters",
    "MixtureClusters",
    "DistributionalClusters",
    "CLUSTER_METHODS",
    "Clusterer",
    "ClusterOptions",
    "ClusterParameters",
    "Selection",
    "make_clusterer",
    "method_row",
    "linkage",
    "cut_tree",
    "inversions",
    "check_linkage",
    "unit_rows",
    "HowMany",
    "choose_n_clusters",
    "description_length",
    "bayesian_information",
    "agreement",
    "together",
    "LABEL_FILES",
    "TREE_FILES",
    "SCIPY",
    "listed",
    "names_in",
    "WordTree",
    "WordTreeParameters",
    "word_tree",
]

if not TYPE_CHECKING:
    __getattr__ = lazily(
        __name__,
        _bottom_up="BottomUpClusters",
        _cluster="cluster",
        _clusterer="Clusterer make_clusterer",
        _clustering="LABEL_FILES TREE_FILES Clustering",
        _distances="SCIPY unit_rows",
        _distributional="DistributionalClusters",
        _flat="FlatClusters",
        _how_many=(
            "HowMany agreement bayesian_information choose_n_clusters description_length together"
        ),
        _linkage="linkage",
        _methods="CLUSTER_METHODS ClusterParameters method_row",
        _mixture="MixtureClusters",
        _objects="Objects listed names_in",
        _parameters="ClusterOptions Selection WordTreeParameters",
        _top_down="TopDownClusters",
        _trees="check_linkage cut_tree inversions",
        _word_trees="WordTree word_tree",
    )
