"""Any objects in, groups out: trees from the bottom up and from the top down, flat and soft groups, and how many.

Every estimator keeps to scikit-learn's manners: parameters in ``__init__``, ``fit``, learned values with an underscore.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.cluster._linkage import METHODS, METRICS, linkage
    from firth.cluster._trees import check_linkage, cut_tree, inversions

__all__ = ["METHODS", "METRICS", "check_linkage", "cut_tree", "inversions", "linkage"]

__getattr__ = lazily(
    __name__,
    {
        **dict.fromkeys(["METHODS", "METRICS", "linkage"], "_linkage"),
        **dict.fromkeys(["check_linkage", "cut_tree", "inversions"], "_trees"),
    },
)
