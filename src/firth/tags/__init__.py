"""Sentences in, tags out: hidden Markov models, anchors, Baum-Welch, decoding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.tags._anchor_tagger import AnchorTagger
    from firth.tags._anchors import find_anchors, mixtures
    from firth.tags._baum_welch import BaumWelchTagger, baum_welch, random_hmm
    from firth.tags._cluster_tagger import ClusterTagger
    from firth.tags._conllu import fill_conllu, tag_column
    from firth.tags._contexts import ContextCounts
    from firth.tags._estimation import beginnings, steps
    from firth.tags._evaluation import evaluate_tags
    from firth.tags._feature_hmm import FeatureHMM
    from firth.tags._feature_tagger import FeatureTagger, word_features
    from firth.tags._hmm import HMM
    from firth.tags._information_tagger import MutualInformationTagger
    from firth.tags._latent import LatentStates
    from firth.tags._memberships import anchor_memberships
    from firth.tags._observations import Observations
    from firth.tags._parameters import (
        DECODES,
        TAG_METHODS,
        AnchorParameters,
        DecodeName,
        DecodeOption,
        LatentParameters,
        MutualInformationParameters,
        TaggedText,
    )
    from firth.tags._presets import ANCHOR_PRESETS, AnchorPreset, anchor_preset
    from firth.tags._rows import REPRESENTATIONS, rows_of
    from firth.tags._spectral_hmm import SpectralHMM
    from firth.tags._spelling import SpellingGroups
    from firth.tags._supervised import SupervisedTagger
    from firth.tags._tagger import Tagger, TagWord

__all__ = [
    "AnchorTagger",
    "BaumWelchTagger",
    "ClusterTagger",
    "FeatureTagger",
    "MutualInformationTagger",
    "SupervisedTagger",
    "Tagger",
    "TagWord",
    "HMM",
    "FeatureHMM",
    "SpectralHMM",
    "AnchorParameters",
    "AnchorPreset",
    "MutualInformationParameters",
    "ContextCounts",
    "Observations",
    "SpellingGroups",
    "anchor_memberships",
    "anchor_preset",
    "baum_welch",
    "beginnings",
    "find_anchors",
    "mixtures",
    "random_hmm",
    "rows_of",
    "steps",
    "word_features",
    "ANCHOR_PRESETS",
    "DECODES",
    "REPRESENTATIONS",
    "TAG_METHODS",
    "DecodeName",
    "DecodeOption",
    "LatentParameters",
    "LatentStates",
    "TaggedText",
    "evaluate_tags",
    "fill_conllu",
    "tag_column",
]

if not TYPE_CHECKING:
    __getattr__ = lazily(
        __name__,
        _anchor_tagger="AnchorTagger",
        _anchors="find_anchors mixtures",
        _baum_welch="BaumWelchTagger baum_welch random_hmm",
        _cluster_tagger="ClusterTagger",
        _conllu="fill_conllu tag_column",
        _contexts="ContextCounts",
        _estimation="beginnings steps",
        _evaluation="evaluate_tags",
        _feature_hmm="FeatureHMM",
        _feature_tagger="FeatureTagger word_features",
        _hmm="HMM",
        _information_tagger="MutualInformationTagger",
        _latent="LatentStates",
        _memberships="anchor_memberships",
        _observations="Observations",
        _parameters="DECODES TAG_METHODS AnchorParameters DecodeName DecodeOption LatentParameters "
        "MutualInformationParameters TaggedText",
        _presets="ANCHOR_PRESETS AnchorPreset anchor_preset",
        _rows="REPRESENTATIONS rows_of",
        _spectral_hmm="SpectralHMM",
        _spelling="SpellingGroups",
        _supervised="SupervisedTagger",
        _tagger="TagWord Tagger",
    )
