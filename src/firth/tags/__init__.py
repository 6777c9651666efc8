"""Sentences in, tags out: hidden Markov models, anchors, Baum-Welch, decoding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.tags._anchor_tagger import AnchorTagger
    from firth.tags._anchors import find_anchors, mixtures
    from firth.tags._baum_welch import BaumWelchTagger, baum_welch, random_hmm
    from firth.tags._cluster_tagger import ClusterTagger
    from firth.tags._contexts import ContextCounts
    from firth.tags._estimation import beginnings, steps
    from firth.tags._hmm import HMM
    from firth.tags._memberships import anchor_memberships
    from firth.tags._observations import Observations
    from firth.tags._parameters import AnchorParameters, BaumWelchParameters
    from firth.tags._rows import REPRESENTATIONS, rows_of
    from firth.tags._spectral_hmm import SpectralHMM
    from firth.tags._spelling import SpellingGroups
    from firth.tags._supervised import SupervisedTagger
    from firth.tags._tagger import DECODES, VERSION, Tagger, TagWord

__all__ = [
    "AnchorTagger",
    "BaumWelchTagger",
    "ClusterTagger",
    "SupervisedTagger",
    "Tagger",
    "TagWord",
    "HMM",
    "SpectralHMM",
    "AnchorParameters",
    "BaumWelchParameters",
    "ContextCounts",
    "Observations",
    "SpellingGroups",
    "anchor_memberships",
    "baum_welch",
    "beginnings",
    "find_anchors",
    "mixtures",
    "random_hmm",
    "rows_of",
    "steps",
    "DECODES",
    "REPRESENTATIONS",
    "VERSION",
]

__getattr__ = lazily(
    __name__,
    {
        "AnchorTagger": "_anchor_tagger", "anchor_memberships": "_memberships",
        "find_anchors": "_anchors", "mixtures": "_anchors",
        "BaumWelchTagger": "_baum_welch", "baum_welch": "_baum_welch", "random_hmm": "_baum_welch",
        "ClusterTagger": "_cluster_tagger", "ContextCounts": "_contexts",
        "beginnings": "_estimation", "steps": "_estimation", "HMM": "_hmm",
        "Observations": "_observations", "AnchorParameters": "_parameters", "BaumWelchParameters": "_parameters",
        "REPRESENTATIONS": "_rows", "rows_of": "_rows",
        "SpectralHMM": "_spectral_hmm", "SpellingGroups": "_spelling", "SupervisedTagger": "_supervised",
        **dict.fromkeys(["DECODES", "VERSION", "Tagger", "TagWord"], "_tagger"),
    },
)  # fmt: skip
