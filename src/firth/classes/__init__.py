"""Words in, a tree of classes out: Brown's algorithm, spectral classes, exchange."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.classes._bigrams import Bigrams, bigrams_of
    from firth.classes._brown import BrownClasses
    from firth.classes._brown_model import BrownModel
    from firth.classes._exchange import ExchangeRefiner
    from firth.classes._hierarchy import Assignment, Context, Hierarchy, Member
    from firth.classes._information import mutual_information
    from firth.classes._learn import learn_hierarchy
    from firth.classes._parameters import ClassesParameters, KeptWords, default_n_classes
    from firth.classes._recovery import RecoveryCondition, tells_classes
    from firth.classes._spectral import SpectralClasses
    from firth.classes._trace import Merge, write_trace

__all__ = [
    "BrownClasses",
    "SpectralClasses",
    "ExchangeRefiner",
    "Hierarchy",
    "Member",
    "Context",
    "Assignment",
    "BrownModel",
    "RecoveryCondition",
    "tells_classes",
    "Bigrams",
    "bigrams_of",
    "ClassesParameters",
    "KeptWords",
    "default_n_classes",
    "learn_hierarchy",
    "mutual_information",
    "Merge",
    "write_trace",
]

if not TYPE_CHECKING:
    __getattr__ = lazily(
        __name__,
        _bigrams="Bigrams bigrams_of",
        _brown="BrownClasses",
        _brown_model="BrownModel",
        _exchange="ExchangeRefiner",
        _hierarchy="Assignment Context Hierarchy Member",
        _information="mutual_information",
        _learn="learn_hierarchy",
        _parameters="ClassesParameters KeptWords default_n_classes",
        _recovery="RecoveryCondition tells_classes",
        _spectral="SpectralClasses",
        _trace="Merge write_trace",
    )
