"""A trained named-entity recogniser: tagging, inspection, saving and loading."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firth import unicode
from firth.corpus import Vocabulary
from firth.errors import (
    InputError,
    check_choice,
    check_count,
    check_fitted,
)
from firth.formats import SCHEMES, Entity, Rows, convert_labels, entities
from firth.ner._feature_kernels import PLACES, VECTORS
from firth.ner._feature_names import named_features, strongest_features
from firth.ner._labelled import checked_words
from firth.ner._lexicon import Lexicon
from firth.ner._parameters import EntityParameters, LabelScheme
from firth.ner._reader import Reader
from firth.ner._weights import MOST_TYPES, FinishedWeights, label_names
from firth.notebook import Shown
from firth.parts import new_part
from firth.progress import count_of
from firth.store import Part, has_structure, sha256, write_array, writing

__all__ = ["EntityRecogniser", "TellingFeature", "split_labels"]

WORDS = "words.arrow"
_SHOWN = 12
"""How many types a notebook shows."""
_CASELESS = "caseless"
_WEIGHT_FILES = ("keys.u64", "weights.f32", "vector_weights.f32")
_FACTS = {
    "types": [str], "dev_f1": [[float]], "cased": bool, "n_names": int, "n_words": int, "n_features": int,
    "n_slips": int, "classes_of": int, "vectors_of": int, "stages": int, "any_case": bool,
    "caseless": bool, "topic": bool, "both_ways": bool,
}  # fmt: skip

Sentences = Sequence[Sequence[str]]


class TellingFeature(NamedTuple):
    """A feature of a word, and its weight for a label."""

    feature: str
    weight: float


class EntityRecogniser(Shown):
    """Finds named entities in text: a trained ``EntityTagger``, as ``firth.load(model).ner`` loads it.

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
        The weights for text that is all in lower case or all in capitals, if there are any.
    """

    types_: list[str]
    facts_: dict[str, Any]
    lexicon_: Lexicon
    stages_: list[FinishedWeights]
    caseless_: FinishedWeights | None
    _words: Vocabulary
    _made: Mapping[str, Any]
    _reader: Reader | None = None
    _named: Any = None

    def _learned(
        self, types: list[str], facts: dict[str, Any], lexicon: Lexicon,
        stages: list[FinishedWeights], words: Vocabulary, caseless: FinishedWeights | None,
    ) -> None:  # fmt: skip
        """Keep what was learned."""
        self.types_, self.facts_, self.lexicon_, self.stages_ = types, facts, lexicon, stages
        self.caseless_, self._words = caseless, words
        self._reader = self._named = None

    def __getstate__(self) -> dict[str, Any]:  # caches are not copied
        return {**self.__dict__, "_reader": None, "_named": None}

    def _notebook_rows(self) -> Iterable[tuple[str, str]]:
        """What tells of a name of one word, by types."""
        for name in self.types_[:_SHOWN]:
            yield name, ", ".join(one.feature for one in self.telling(f"U-{name}", 8))

    def __repr__(self) -> str:
        return (
            f"<EntityRecogniser: {', '.join(self.types_)}; {self.facts_['n_features']:,} features>"
        )

    def parameters(self) -> dict[str, Any]:
        """The parameters that it was trained with."""
        return dict(self._made)

    def _check_fitted(self) -> None:
        check_fitted(self, hasattr(self, "stages_"))

    def tag(self, sentences: Sentences, scheme: str = LabelScheme.scheme) -> list[list[str]]:
        """The labels of the words of a document.

        Parameters
        ----------
        sentences : sequence of sequences of str
            The sentences of one document. Other occurrences of a word in the document are taken into
            account, so sentences that belong together should be tagged together; tag a stream of text
            in blocks of some thousand words.
        scheme : {"iob1", "iob2", "iobes", "bilou"}
            The labelling scheme.
        """
        check_choice("EntityTagger.tag", "scheme", scheme, SCHEMES)
        labels = self._tag(sentences)
        if scheme == "bilou":
            return labels
        return [convert_labels(of_one, "bilou", scheme) for of_one in labels]

    def entities(self, sentences: Sentences) -> list[list[Entity]]:
        """The named entities in each sentence of a document; ``sentences`` as for ``tag``."""
        return [entities(labels, "bilou") for labels in self._tag(sentences)]

    def _tag(self, sentences: Sentences) -> list[list[str]]:
        """The labels in BILOU."""
        self._check_fitted()
        document = [checked_words(sentence) for sentence in sentences]
        reader = self._reader
        if reader is None:
            reader = self._reader = self._new_reader()
        return split_labels(self.types_, reader.read(document), [len(s) for s in document])

    def _new_reader(self) -> Reader:
        n, caseless, both_ways = len(self.types_), None, self.facts_["both_ways"]
        if self.caseless_ is not None:
            caseless = Reader(
                [self.caseless_], n, self.lexicon_.in_lower_case(), cased=False, both_ways=both_ways
            )
        cased, any_case = self.facts_["cased"], self.facts_["any_case"]
        return Reader(self.stages_, n, self.lexicon_, cased, any_case, caseless, both_ways)

    def telling(self, label: str, n: int = 10) -> Rows[TellingFeature]:
        """The features with the largest weights for a label.

        Only features of single words are listed: spelling and classes, in the first stage. The mean
        weight over all labels is subtracted from each weight.

        Parameters
        ----------
        label : str
            A label in BILOU, such as ``B-PER``.
        n : int
            The maximum number of features.
        """
        self._check_fitted()
        check_count("EntityTagger.telling", "n", n)
        names = label_names(self.types_)
        if label not in names:
            raise InputError(f"There is no label {label!r}.", f"Labels: {' '.join(names)}")
        weights = self.stages_[0]
        if self._named is None:
            self._named = named_features(weights, list(self._words), self.lexicon_)
        named, rows = self._named
        strongest = strongest_features(weights, named, rows, names.index(label), n)
        return Rows((TellingFeature(*one) for one in strongest), TellingFeature)

    def write(self, model: str | Path) -> None:
        """Write the recogniser to a model folder, where ``firth.load(model).ner`` finds it.

        Parameters
        ----------
        model : str or Path
            The folder. Its recogniser, if it has one, is replaced.
        """
        self._check_fitted()
        with writing(model) as writer, new_part(writer, "ner") as draft:
            self.save(draft.folder)
            draft.facts, draft.parameters = self.describe(), self.parameters()
            weights = draft.folder / _files_of(f"stage{len(self.stages_)}")[1]
            draft.made_from = {"weights": sha256(weights)}

    def save(self, folder: Path) -> None:
        """Write the files of a part of a model."""
        self._check_fitted()
        self._words.save(folder / WORDS)
        self.lexicon_.save(folder)
        found = {f"stage{number}": weights for number, weights in enumerate(self.stages_, 1)}
        if self.caseless_ is not None:
            found[_CASELESS] = self.caseless_
        for which, weights in found.items():
            keys, rows, vectors = (folder / name for name in _files_of(which))
            write_array(keys, weights.table.keys)
            write_array(rows, weights.table.weights)
            write_array(vectors, weights.vectors)

    def describe(self) -> dict[str, Any]:
        """How it was trained."""
        return dict(self.facts_)

    def summary(self) -> tuple[str, list[str]]:
        """Types, size and training data in words."""
        facts = self.facts_
        how = [f"trained on {count_of(facts['n_names'], 'entity', 'entities')}"]
        kinds = (("classes", "classes_of"), ("vectors", "vectors_of"))
        how += [f"with {what}" for what, name in kinds if facts[name]]
        if facts["dev_f1"]:
            how.append(f"F1 {100 * facts['dev_f1'][-1][1]:.2f} on development data")
        return f"{', '.join(facts['types'])}; {facts['n_features']:,} features", how

    @classmethod
    def load(cls, part: Part) -> EntityRecogniser:
        """Map the files of a part into memory and check them."""
        made = EntityParameters.restored(part.parameters)
        # in format 1, only words with the same spelling were the same word
        # before format 4, there were no weights for text in one case, and for topics of documents
        # and before format 5, the second stage read from left to right
        new = ("any_case", "caseless", "topic", "both_ways")
        facts = {**dict.fromkeys(new, False), **part.facts}
        types = _checked_types(part, facts)
        words = Vocabulary.load(part, WORDS, ordered=False)
        lexicon = Lexicon.load(part)
        sizes = len(types), lexicon.dim, facts["topic"]
        stages: list[FinishedWeights] = []
        while _files_of(f"stage{len(stages) + 1}")[0] in part.files:
            stages.append(_load_weights(part, f"stage{len(stages) + 1}", *sizes))
        part.require(stages and len(stages) == part.facts["stages"], "weights are missing")
        caseless = None
        if facts["caseless"]:
            part.require(_files_of(_CASELESS)[0] in part.files, "weights are missing")
            caseless = _load_weights(part, _CASELESS, *sizes)
        recogniser = EntityRecogniser()
        recogniser._made = {
            name: value for name, value in made.parameters().items() if name in part.parameters
        }
        recogniser._learned(types, facts, lexicon, stages, words, caseless)
        return recogniser


def _files_of(which: str) -> list[str]:
    return [f"{which}_{name}" for name in _WEIGHT_FILES]


def _load_weights(part: Part, which: str, n_types: int, dim: int, topic: bool) -> FinishedWeights:
    """The weights of a stage, checked."""
    n_labels = 1 + 4 * n_types
    keys, rows, vectors = _files_of(which)
    found = part.array(keys, -1, 0, (1 << 64) - 1)
    n_vectors = VECTORS if topic else PLACES
    of_vectors = part.array(vectors, (n_vectors, n_labels, dim), -math.inf, math.inf)
    none = np.zeros((VECTORS - n_vectors, n_labels, dim), np.float32)
    weights = FinishedWeights(
        found,
        part.array(rows, (len(found), n_labels), -math.inf, math.inf),
        np.concatenate([of_vectors, none]) if len(none) else of_vectors,
    )
    part.require(len(weights) == len(found), "a feature is repeated")
    return weights


def _checked_types(part: Part, facts: Mapping[str, Any]) -> list[str]:
    """The entity types, if all facts about the recogniser are valid."""
    part.require(
        has_structure(facts, _FACTS) and all(len(row) == 2 for row in facts["dev_f1"]),
        "its manifest is incomplete",
    )
    types: list[str] = facts["types"]
    part.require(
        0 < len(types) == len(set(types)) and all(t and unicode.is_printable(t) for t in types),
        "its entity types are missing, repeated or invalid",
    )
    part.require(len(types) <= MOST_TYPES, f"it has more than {MOST_TYPES:,} entity types")
    return types


def split_labels(
    types: list[str], ids: npt.NDArray[np.int32], lengths: list[int]
) -> list[list[str]]:
    """The labels of the sentences of a document in BILOU, from their numbers."""
    names = label_names(types)
    labels = [names[i] for i in ids.tolist()]
    ends = np.cumsum(lengths).tolist()
    return [labels[end - n : end] for end, n in zip(ends, lengths, strict=True)]
