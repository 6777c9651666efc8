"""Training of a named-entity recogniser."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from firth.compute import engine_for
from firth.corpus import Vocabulary
from firth.errors import InputError
from firth.estimator import Estimator
from firth.evaluate import evaluate_entities
from firth.formats import LabelledText, convert_labels, entities
from firth.ner._feature_kernels import Types
from firth.ner._labelled import (
    Document,
    check_there_are_words,
    checked_documents,
    is_cased,
    is_text,
    notice_unknown,
    stretches,
)
from firth.ner._lexicon import Lexicon
from firth.ner._parameters import EntityParameters
from firth.ner._recogniser import EntityRecogniser, split_labels
from firth.ner._training import Examples, learn_stages, read_documents
from firth.ner._types import EDGE, describe, document_of, in_lower_case, same_words
from firth.ner._weights import MOST_TYPES, FinishedWeights, label_names

__all__ = ["EntityTagger"]


class EntityTagger(EntityParameters, Estimator, EntityRecogniser):
    """Named-entity recognition with averaged perceptrons (Ratinov and Roth 2009).

    The score of a label of a word is the sum of the weights of its features: the words around it and their
    spelling, the previous labels, the neighbours of the word elsewhere in the document and the labels it
    got there, and, if they are given, paths of word classes and components of word vectors (Turian, Ratinov
    and Bengio 2010). The first stage reads from left to right, the second from right to left; a sentence gets
    the labels whose scores in both have the largest sum. Labels are in BILOU internally, and only valid
    sequences are produced.

    Attributes
    ----------
    types_ : list of str
        The entity types.
    facts_ : dict
        How it was trained: numbers of words, entities and features, F1 on development data.
    lexicon_ : Lexicon
        The word classes and vectors that it uses.
    stages_ : list of FinishedWeights
        The weights of each stage.
    caseless_ : FinishedWeights or None
        The weights for text that is all in lower case or all in capitals; None if names have no capitals.

    Examples
    --------
    >>> text = [[(["Anna", "lives", "in", "Rome"], ["B-PER", "O", "O", "B-LOC"]),
    ...          (["Otto", "is", "in", "Oslo"], ["B-PER", "O", "O", "B-LOC"])]]
    >>> tagger = EntityTagger().fit(text)
    >>> tagger.tag([["Maria", "is", "in", "Lima"]])
    [['B-PER', 'O', 'O', 'B-LOC']]
    >>> tagger.entities([["Maria", "is", "in", "Lima"]])
    [[Entity(start=0, end=1, type='PER'), Entity(start=3, end=4, type='LOC')]]
    """

    def fit(
        self,
        text: LabelledText | Iterable[Document],
        dev: LabelledText | Iterable[Document] | None = None,
    ) -> EntityTagger:
        """Train on labelled text.

        Parameters
        ----------
        text : LabelledText or iterable of documents
            What ``firth.formats.read_labelled`` returns, or documents: lists of sentences, each
            (words, labels). Labels can be in any scheme.
        dev : the same, optional
            Development data, which is not trained on: F1 on it after some of the epochs is recorded in
            ``facts_``.

        Raises
        ------
        InputError
            The text has no words or no entities, or not as many labels as words.
        """
        self.check()
        lexicon = Lexicon(self.classes, self.vectors, "EntityTagger")
        engine = engine_for("EntityTagger", self.threads)
        documents = checked_documents(text)
        dev_documents = [] if dev is None else checked_documents(dev)
        check_there_are_words(documents)
        found = [e for document in documents for _, labels in document for e in entities(labels)]
        types = sorted({entity.type for entity in found})
        if not types:
            raise InputError(
                "This text contains no named entities: all labels are O.",
                "Give text in which named entities are labelled.",
            )
        if len(types) > MOST_TYPES:
            raise InputError(
                f"This text has {len(types):,} entity types; the limit is {MOST_TYPES:,}.",
                "Is --label-column the column of the labels?",
            )
        cased = is_cased(documents)
        parts = [part for document in documents for part in stretches(document)]
        (examples, dev_examples), words = _encoded(types, parts, dev_documents)
        of_words = describe(words, lexicon, cased)
        examples, dev_examples = (
            some.linked(of_words, lexicon) for some in (examples, dev_examples)
        )
        notice_unknown(types, dev_documents)
        curve: list[tuple[int, float]] = []
        gold = [list(labels) for document in dev_documents for _, labels in document]

        def evaluate(epoch: int, stages: list[FinishedWeights]) -> None:
            """Record F1 on the development data."""
            tagged = read_documents(stages, of_words, len(types), dev_examples.documents)
            predicted = [
                labels
                for document, ids in zip(dev_documents, tagged, strict=True)
                for labels in split_labels(types, ids, [len(words) for words, _ in document])
            ]
            curve.append((epoch, evaluate_entities(gold, predicted).overall.f1))

        stages, caseless = learn_stages(
            of_words, len(types), examples, self, engine, evaluate if any(gold) else None,
            _lowered(types, parts, lexicon) if cased else None,
        )  # fmt: skip
        facts = {
            "types": types,
            "n_documents": len(documents),
            "n_sentences": sum(map(len, documents)),
            "n_words": examples.n_words,
            "n_names": len(found),
            "n_features": sum(map(len, stages)),
            "stages": len(stages),
            "dim": lexicon.dim,
            "classes_of": lexicon.n_class_words,
            "vectors_of": lexicon.n_vector_words,
            "dev_f1": curve,
            "n_slips": 0,
            "cased": cased,
            "any_case": True,
            "caseless": cased,
            "topic": True,
            "both_ways": True,
        }
        self._learned(types, facts, lexicon, stages, _vocabulary(documents), caseless)
        return self


def _encoded(types: list[str], *texts: Sequence[Document]) -> tuple[list[Examples], list[str]]:
    """Texts as the kernels read them, and the words that their numbers stand for."""
    ids: dict[str, int] = {EDGE: 0}
    label_id = {label: i for i, label in enumerate(label_names(types))}
    numbered = [
        [
            [[ids.setdefault(w, len(ids)) for w in words] for words, _ in document]
            for document in text
        ]
        for text in texts
    ]
    same, last = same_words(ids, {}), np.full(len(ids), -1, np.int32)
    examples = [
        Examples(
            [document_of(sentences, same, last) for sentences in numbers],
            [_label_ids(document, label_id) for document in text],
        )
        for numbers, text in zip(numbered, texts, strict=True)
    ]
    return examples, list(ids)


def _lowered(types: list[str], text: list[Document], lexicon: Lexicon) -> tuple[Types, Examples]:
    """A text in lower case, and its words."""
    small: list[Document] = [
        list(
            zip(
                in_lower_case(words for words, _ in document), [y for _, y in document], strict=True
            )
        )
        for document in text
    ]
    (examples,), words = _encoded(types, small)
    of_words = describe(words, lexicon.in_lower_case(), cased=False)
    return of_words, examples.linked(of_words, lexicon)


def _label_ids(document: Document, label_id: dict[str, int]) -> Any:
    """The numbers of the labels of a document; a type that only the development data has counts as O."""
    labels = [
        label_id.get(label, 0)
        for _, labels in document
        for label in convert_labels(labels, None, "bilou")
    ]
    return np.array(labels, np.int32)


def _vocabulary(documents: list[Document]) -> Vocabulary:
    """The words of the training text, for the names of features."""
    words = dict.fromkeys(word for document in documents for words, _ in document for word in words)
    known = pa.array([word for word in words if is_text(word)], pa.large_string())
    return Vocabulary(known, np.zeros(len(known), np.int64))
