"""The tagger: names in text, found from left to right by an averaged perceptron."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.classes import Hierarchy
from firth.compute import Engine, engine_for
from firth.corpus import Vocabulary
from firth.errors import InputError, ModelError, ParameterError, check_choice, check_count
from firth.evaluate import evaluate_entities
from firth.formats import SCHEMES, Entity, LabelledText, convert_labels, entities
from firth.ner._labelled import (
    Document,
    check_there_are_words,
    checked_documents,
    checked_words,
    is_cased,
    is_text,
    notice_unknown,
)
from firth.ner._lexicon import Lexicon
from firth.ner._parameters import EntityParameters
from firth.parts import PARTS
from firth.progress import count_of
from firth.store import Part, read_array, sha256, writing
from firth.vectors import WordVectors

__all__ = ["EntityTagger"]

WORDS = "words.arrow"
_STAGE_FILES = ("keys.u64", "weights.f32", "vector_weights.f32")

Sentences = Sequence[Sequence[str]]


class EntityTagger:
    """Finds names in text: a greedy, averaged perceptron with the features of Ratinov and Roth (2009).

    Words are read from left to right; each gets the label whose weights have the largest sum over its
    features: the words around it and their spelling, the labels before it, the company that the word
    keeps elsewhere in the document and the labels it got there, and, where they are given, the paths of
    word classes and the components of word vectors (Turian, Ratinov and Bengio 2010). Labels are BILOU
    inside; only such as can follow each other are given.

    Parameters
    ----------
    classes : Hierarchy, optional
        Classes from a large text: the first 4, 6, 10 and 20 steps of their paths become features.
    vectors : WordVectors, optional
        Vectors from a large text; each is made so long that the mean square of its components is 0.01.
    rounds, margin, dropout, stages, seed
        See ``EntityParameters``.
    threads : int, optional
        All cores by default. The result does not depend on it.

    Attributes
    ----------
    types_ : list of str
        The types of names there are.
    facts_ : dict
        How it was learned: words and names learned from, features, F1 on the development data.

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

    def __init__(
        self,
        classes: Hierarchy | None = None,
        vectors: WordVectors | None = None,
        *,
        rounds: int = 20,
        margin: float = 100.0,
        dropout: float = 0.2,
        stages: int = 2,
        seed: int = 0,
        threads: int | Engine | None = None,
    ) -> None:
        self.lexicon = Lexicon(classes, vectors, "EntityTagger")
        self.parameters = EntityParameters(rounds, margin, dropout, stages, seed)
        self.threads = threads
        self.types_: list[str] = []
        self.facts_: dict[str, Any] = {}
        self._words: Vocabulary | None = None
        self._stages: list[Any] = []
        self._reader: Any = None
        self._named: Any = None

    def __getstate__(self) -> dict[str, Any]:  # copies work out for themselves what they need
        return {**self.__dict__, "_reader": None, "_named": None}

    def __repr__(self) -> str:
        if not self._stages:
            return "<EntityTagger: has not learned yet>"
        n_features = sum(map(len, self._stages))
        return f"<EntityTagger: {', '.join(self.types_)}; {n_features:,} features>"

    def fit(
        self,
        text: LabelledText | Iterable[Document],
        dev: LabelledText | Iterable[Document] | None = None,
    ) -> EntityTagger:
        """Learn from text with labels.

        Parameters
        ----------
        text : LabelledText or iterable of documents
            What ``read_labelled`` gives, or documents: lists of sentences, each (words, labels). Labels
            can be in any notation.
        dev : the same, optional
            Text with labels that is not learned from: how well names are found in it after some of the
            rounds is noted in ``facts_``.

        Raises
        ------
        InputError
            There are no words or no names in the text, or not as many labels as words.
        """
        from firth.ner._training import learn_stages, read_documents

        engine = engine_for("EntityTagger", self.threads)
        documents, dev_documents = (
            checked_documents(text),
            [] if dev is None else checked_documents(dev),
        )
        check_there_are_words(documents)
        names = [name for document in documents for _, labels in document for name in entities(labels)]  # fmt: skip
        entity_types = sorted({name.type for name in names})
        if not entity_types:
            raise InputError(
                "There are no names in this text: all labels are O.",
                "Give text in which people have marked names.",
            )
        cased = is_cased(documents)
        types, (examples, dev_examples), words = self._encode(
            entity_types, cased, documents, dev_documents
        )
        notice_unknown(entity_types, dev_documents)
        gold = [list(labels) for document in dev_documents for _, labels in document]
        curve: list[tuple[int, float]] = []

        def tell(number: int, stages: list[Any]) -> None:
            found = read_documents(stages, types, len(entity_types), dev_examples.documents)
            read = [
                labels
                for document, ids in zip(dev_documents, found, strict=True)
                for labels in _labels(entity_types, ids, [len(words) for words, _ in document])
            ]
            curve.append((number, evaluate_entities(gold, read).overall.f1))

        self._stages = learn_stages(
            types,
            len(entity_types),
            examples,
            self.parameters,
            engine,
            tell if any(gold) else None,
        )
        self.types_, self._words = entity_types, words
        self._reader = self._named = None
        self.facts_ = {
            "types": entity_types,
            "n_documents": len(documents),
            "n_sentences": sum(map(len, documents)),
            "n_words": examples.n_words,
            "n_names": len(names),
            "n_features": sum(map(len, self._stages)),
            "stages": len(self._stages),
            "dim": self.lexicon.dim,
            "classes_of": self.lexicon.n_class_words,
            "vectors_of": self.lexicon.n_vector_words,
            "dev_f1": curve,
            "n_slips": 0,
            "cased": cased,
        }
        return self

    def _encode(
        self, entity_types: list[str], cased: bool, *texts: list[Document]
    ) -> tuple[Any, list[Any], Vocabulary]:
        """Texts as the kernels read them, what is known of their words, and the words of the first."""
        import pyarrow as pa

        from firth.ner._training import Examples
        from firth.ner._types import EDGE, describe, document_of
        from firth.ner._weights import label_names

        ids: dict[str, int] = {EDGE: 0}
        label_id = {label: i for i, label in enumerate(label_names(entity_types))}
        encoded, n_first = [], 0
        for text in texts:
            encoded.append(
                [[[ids.setdefault(w, len(ids)) for w in words] for words, _ in document] for document in text]
            )  # fmt: skip
            n_first = n_first or len(ids)
        last = np.full(len(ids), -1, np.int32)
        examples = [
            Examples(
                [document_of(sentences, last) for sentences in numbers],
                [
                    np.array(
                        [
                            label_id.get(label, 0)  # a type that only the development data has
                            for _, labels in document
                            for label in convert_labels(labels, None, "bilou")
                        ],
                        np.int32,
                    )
                    for document in text
                ],
            )
            for numbers, text in zip(encoded, texts, strict=True)
        ]
        storable = [word for word in list(ids)[1:n_first] if is_text(word)]
        known = pa.array(storable, pa.large_string())
        words = Vocabulary(known, np.zeros(len(known), np.int64))
        return describe(list(ids), self.lexicon, cased), examples, words

    def tag(self, sentences: Sentences, scheme: str = "iob2") -> list[list[str]]:
        """The labels of the words of a document.

        Parameters
        ----------
        sentences : sequence of sequences of str
            The sentences of one document. What a name is elsewhere in it counts, so sentences that belong
            together should come together; for texts without end, some thousand words at a time.
        scheme : {"iob1", "iob2", "iobes", "bilou"}
            The notation of the labels.
        """
        check_choice("EntityTagger.tag", "scheme", scheme, SCHEMES)
        labels = self._read(sentences)
        if scheme == "bilou":
            return labels
        return [convert_labels(of_one, "bilou", scheme) for of_one in labels]

    def entities(self, sentences: Sentences) -> list[list[Entity]]:
        """The names in each sentence of a document; ``sentences`` as for ``tag``."""
        return [entities(labels, "bilou") for labels in self._read(sentences)]

    def _read(self, sentences: Sentences) -> list[list[str]]:
        from firth.ner._reader import Reader

        if not self._stages:
            raise _not_learned()
        document = [checked_words(sentence) for sentence in sentences]
        reader = self._reader
        if reader is None:
            reader = self._reader = Reader(
                self._stages, len(self.types_), self.lexicon, self.facts_["cased"]
            )
        return _labels(self.types_, reader.read(document), [len(s) for s in document])

    def telling(self, label: str, n: int = 10) -> list[tuple[str, float]]:
        """The features that speak most for a label of BILOU, with their weights.

        Only what is said of single words is told: spelling and classes, in the last reading. The weights
        are those for the label less the mean over all labels.
        """
        from firth.ner._telling import named_features, telling
        from firth.ner._weights import label_names

        if self._words is None:
            raise _not_learned()
        check_count("EntityTagger.telling", "n", n)
        names = label_names(self.types_)
        if label not in names:
            raise InputError(f"{label!r} is no label here.", f"Labels: {' '.join(names)}")
        weights = self._stages[-1]
        if self._named is None:
            self._named = named_features(weights, list(self._words), self.lexicon)
        named, rows = self._named
        return telling(weights, named, rows, names.index(label), n)

    def write(self, model: str | Path) -> None:
        """Write the tagger to a model folder; ``firth.load(model).ner`` opens it again.

        Parameters
        ----------
        model : str or Path
            A new folder, or one with other parts. A tagger that is there already is replaced.
        """
        if not self._stages:
            raise _not_learned()
        with writing(model) as writer, writer.part("ner", PARTS["ner"].version) as draft:
            self.save(draft.folder)
            draft.facts = dict(self.facts_)
            draft.parameters = self.parameters.parameters()
            weights = draft.folder / _stage_files(len(self._stages))[1]
            draft.made_from = {"weights": sha256(weights)}

    def save(self, folder: Path) -> None:
        """Write the files of a part of a model."""
        if self._words is None:
            raise _not_learned()
        self._words.save(folder / WORDS)
        self.lexicon.save(folder)
        for number, weights in enumerate(self._stages, 1):
            keys, rows, vectors = (folder / name for name in _stage_files(number))
            table = weights.table
            np.ascontiguousarray(table.keys, "<u8").tofile(keys)
            np.ascontiguousarray(table.weights, "<f4").tofile(rows)
            np.ascontiguousarray(weights.vectors, "<f4").tofile(vectors)

    def describe(self) -> dict[str, Any]:
        """What was learned from what, and how well."""
        return dict(self.facts_)

    def summary(self) -> tuple[str, list[str]]:
        """The same for a person."""
        facts = self.facts_
        how = [f"trained on {count_of(facts['n_names'], 'entity').replace('entitys', 'entities')}"]
        kinds = (("classes", "classes_of"), ("vectors", "vectors_of"))
        how += [f"with {what}" for what, name in kinds if facts[name]]
        if facts["dev_f1"]:
            how.append(f"F1 {100 * facts['dev_f1'][-1][1]:.2f} on development data")
        return f"{', '.join(facts['types'])}; {facts['n_features']:,} features", how

    @classmethod
    def load(cls, part: Part) -> EntityTagger:
        """Map the files of a part into memory and check them."""
        from firth.ner._kernels import PLACES
        from firth.ner._weights import FinishedWeights

        file, names, facts, made = part.path, part.files, part.facts, part.parameters
        folder = part.folder
        try:
            tagger = cls(
                **{name: made[name] for name in EntityParameters().parameters() if name in made}
            )
        except ParameterError as error:
            raise _unsound(folder, error.message.rstrip(".")) from None
        types = _checked_facts(folder, facts)
        tagger.types_, tagger.facts_ = types, dict(facts)
        tagger._words = Vocabulary.load(file(WORDS), ordered=False)
        tagger.lexicon = Lexicon.load(file, list(names))
        n_labels = 1 + 4 * len(types)
        for number in (1, 2):
            if _stage_files(number)[0] not in names:
                break
            keys, rows, vectors = (read_array(file(name)) for name in _stage_files(number))
            n_vectors = PLACES * tagger.lexicon.dim * n_labels
            if len(rows) != len(keys) * n_labels or len(vectors) != n_vectors:
                raise _unsound(folder, "weights and features do not go together")
            if not np.isfinite(rows).all() or not np.isfinite(vectors).all():
                raise _unsound(folder, "some of its weights are no numbers")
            tagger._stages.append(
                FinishedWeights(
                    keys,
                    rows.reshape(-1, n_labels),
                    vectors.reshape(PLACES, n_labels, tagger.lexicon.dim),
                )
            )
        if not tagger._stages or len(tagger._stages) != facts.get("stages"):
            raise _unsound(folder, "not all of its weights are there")
        return tagger


def _stage_files(number: int) -> list[str]:
    return [f"stage{number}_{name}" for name in _STAGE_FILES]


def _checked_facts(folder: Path, facts: Mapping[str, Any]) -> list[str]:
    """The types of names, if all that is said of a tagger is as it should be."""
    types, curve = facts.get("types"), facts.get("dev_f1")
    numbers = ("n_names", "n_words", "n_features", "n_slips", "classes_of", "vectors_of", "stages")
    if not isinstance(types, list) or not types or len(set(map(str, types))) != len(types):
        raise _unsound(folder, "its types are not there")
    if not all(isinstance(t, str) and t and t.isprintable() for t in types):
        raise _unsound(folder, "its types are not there")
    if not all(isinstance(facts.get(name), int) for name in (*numbers, "cased")):
        raise _unsound(folder, "what is said of it is not whole")
    if not isinstance(curve, list) or not all(
        len(row) == 2 and all(isinstance(x, int | float) for x in row) for row in curve
    ):
        raise _unsound(folder, "what is said of it is not whole")
    return types


def _not_learned() -> ParameterError:
    return ParameterError(
        "This EntityTagger has not learned yet.", "Call fit first, or open a model."
    )


def _unsound(folder: Path, why: str) -> ModelError:
    return ModelError(
        f"The tagger in {folder} cannot be used: {why}.", "Learn it anew: firth ner learn"
    )


def _labels(types: list[str], ids: npt.NDArray[np.int32], lengths: list[int]) -> list[list[str]]:
    """The labels of the sentences of a document, in BILOU."""
    from firth.ner._weights import label_names

    names = label_names(types)
    labels = [names[i] for i in ids.tolist()]
    ends = np.cumsum(lengths).tolist()
    return [labels[end - n : end] for end, n in zip(ends, lengths, strict=True)]
