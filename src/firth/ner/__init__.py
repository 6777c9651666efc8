"""Named entities in text: a recogniser, and its features for other taggers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.ner._evaluation import evaluate_columns, evaluate_recogniser
    from firth.ner._features import features
    from firth.ner._parameters import EntityParameters, LabelColumn, LabelScheme
    from firth.ner._recogniser import EntityRecogniser
    from firth.ner._tagger import EntityTagger
    from firth.ner._texts import RecognisedSentence, label_columns, recognise_texts
    from firth.ner._transformer import SentenceFeatures

__all__ = [
    "EntityTagger",
    "EntityRecogniser",
    "EntityParameters",
    "SentenceFeatures",
    "features",
    "LabelColumn",
    "LabelScheme",
    "RecognisedSentence",
    "recognise_texts",
    "label_columns",
    "evaluate_columns",
    "evaluate_recogniser",
]

if not TYPE_CHECKING:
    __getattr__ = lazily(
        __name__,
        _evaluation="evaluate_columns evaluate_recogniser",
        _features="features",
        _parameters="EntityParameters LabelColumn LabelScheme",
        _recogniser="EntityRecogniser",
        _tagger="EntityTagger",
        _texts="RecognisedSentence label_columns recognise_texts",
        _transformer="SentenceFeatures",
    )
