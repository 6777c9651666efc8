"""Words in, a tree of classes out: Brown's algorithm, spectral classes, exchange, and the model behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.classes._bigrams import Bigrams, bigrams_of
    from firth.classes._brown import BrownClasses, ExchangeRefiner, Merge, default_n_classes, seeds
    from firth.classes._brown_model import BrownModel
    from firth.classes._hierarchy import Assignment, Context, Hierarchy, Member
    from firth.classes._information import mutual_information
    from firth.classes._job import METHODS, ClassesParameters, learn_hierarchy
    from firth.classes._spectral import CLUSTERINGS, SpectralClasses

__all__ = [
    "BrownClasses", "SpectralClasses", "ExchangeRefiner", "Hierarchy", "Member", "Context", "Assignment",
    "Merge", "BrownModel", "Bigrams", "bigrams_of", "ClassesParameters", "learn_hierarchy",
    "default_n_classes", "mutual_information", "seeds", "METHODS", "CLUSTERINGS",
]  # fmt: skip

__getattr__ = lazily(
    __name__,
    _bigrams="Bigrams bigrams_of",
    _brown="BrownClasses ExchangeRefiner Merge default_n_classes seeds",
    _brown_model="BrownModel",
    _hierarchy="Assignment Context Hierarchy Member",
    _information="mutual_information",
    _job="METHODS ClassesParameters learn_hierarchy",
    _spectral="CLUSTERINGS SpectralClasses",
)
