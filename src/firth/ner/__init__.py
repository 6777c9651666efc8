"""Names of people, places and organisations in text: a tagger, and its features for other taggers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.ner._features import features
    from firth.ner._parameters import EntityParameters
    from firth.ner._tagger import EntityTagger
    from firth.ner._transformer import SentenceFeatures

__all__ = ["EntityParameters", "EntityTagger", "features", "SentenceFeatures"]

__getattr__ = lazily(
    __name__,
    _features="features",
    _parameters="EntityParameters",
    _tagger="EntityTagger",
    _transformer="SentenceFeatures",
)
