"""Documents for the tests of named entities: random ones, and text that follows a rule."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

import firth
from firth.ner._feature_kernels import most_keys
from firth.ner._lexicon import Lexicon
from firth.ner._perceptron_kernels import learn_document, tag_document
from firth.ner._training import Examples, static_of
from firth.ner._types import EDGE, describe, document_of, same_words
from firth.ner._weights import FinishedWeights, Weights, allowed_after, label_names, workspace_for
from firth.pipeline import import_classes, import_vectors
from tests.oracles.perceptron import can_follow

__all__ = [
    "WORDS", "Case", "Document", "Labelled", "Machine", "Text", "classes", "columns", "documents", "encoded",
    "gold_labels", "part_of", "random_document", "random_vectors", "rule_text", "whole_labels",
]  # fmt: skip

Labelled = tuple[list[str], list[str]]
Document = list[Labelled]
Text = list[Document]

WORDS = (
    "Anna ANNA anna Rome U.S. A McX 1996 1997 G-7 3rd said in the . -- iMac Al-An Al-A ²x".split()
)


def classes() -> firth.Hierarchy:
    """Classes of some of the words, with short and long paths."""
    paths = {
        "anna": "00", "Rome": "0100", "rome": "01011", "said": "0110" * 5 + "01", "in": "0110" * 5 + "00",
        "the": "1" * 8, "0000": "10",
    }  # fmt: skip
    return firth.Hierarchy.from_paths(list(paths), list(paths.values()))


def random_vectors(dim: int, seed: int = 0) -> firth.WordVectors:
    """Vectors of some of the words; one of them is all zeros."""
    words = ["anna", "Rome", "said", "in", "the", "g-0", "."]
    matrix = np.random.default_rng(seed).standard_normal((len(words), dim)).astype(np.float32)
    matrix[4] = 0
    return firth.WordVectors.from_arrays(words, matrix)


class Case(NamedTuple):
    """Documents as words and as arrays, with the gold label of each word."""

    documents: list[list[list[str]]]
    types: Any
    examples: Examples
    n_types: int
    cased: bool


def encoded(documents: Any, gold: Any, n_types: int, lexicon: Lexicon, cased: bool = True) -> Case:
    ids = {EDGE: 0}
    numbers = [
        [[ids.setdefault(word, len(ids)) for word in sentence] for sentence in document]
        for document in documents
    ]
    same, last = same_words(ids, {}), np.full(len(ids), -1, np.int32)
    examples = Examples(
        [document_of(sentences, same, last) for sentences in numbers],
        [np.array(labels, np.int32) for labels in gold],
    )
    types = describe(list(ids), lexicon, cased)
    return Case(documents, types, examples.linked(types, lexicon), n_types, cased)


def whole_labels(chance: random.Random, lengths: Sequence[int], n_types: int) -> list[int]:
    """Random valid labels of sentences."""
    labels: list[int] = []
    for n in lengths:
        before = 0
        for k in range(n):
            can = [y for y in range(1 + 4 * n_types) if can_follow(y, before, k + 1 == n)]
            before = chance.choice(can)
            labels.append(before)
    return labels


def random_document(chance: random.Random, words: Sequence[str] = WORDS) -> list[list[str]]:
    return [
        [chance.choice(words) for _ in range(chance.randint(0, 8))]
        for _ in range(chance.randint(0, 5))
    ]


def gold_labels(chance: random.Random, document: list[list[str]], n_types: int) -> list[int]:
    return whole_labels(chance, [len(sentence) for sentence in document], n_types)


documents: st.SearchStrategy[list[list[str]]] = st.lists(
    st.lists(st.sampled_from(WORDS), max_size=8), max_size=4
)


class Machine:
    """The kernels with their own weights, step by step."""

    def __init__(self, types: Any, n_types: int, n_rows: int | None = None) -> None:
        self.n_labels = 1 + 4 * n_types
        self.weights = Weights(self.n_labels, types.vectors.shape[1])
        self.types = types._replace(rows=self.weights.add(types.keys))
        if n_rows is not None:
            self.weights.reserve(n_rows)
        self.allowed = allowed_after(n_types)
        self.work = workspace_for(self.n_labels, 5 * int(np.diff(types.starts).max(initial=0)))
        self.state = np.zeros(2, np.int64)
        self.growths = 0

    def learn(
        self, document: Any, gold: Any, margin: float, dropout: float = 0.0, seed: int = 0
    ) -> list[int]:
        """Train on a document once; returns the predicted labels."""
        labels = np.zeros(len(gold), np.int32)
        self.state[0] = 0
        weights = self.weights
        while not learn_document(
            weights.table, (weights.vectors, weights.vector_sums), self.types, document, self.allowed, gold,
            (float(margin), float(dropout), seed), self.state, self.work, labels,
        ):  # fmt: skip
            self.growths += 1
            used = len(weights)
            weights.reserve(most_keys(self.n_labels))  # for one more word, no more
            assert len(weights.table.keys) >= used + most_keys(self.n_labels)
        return [int(y) for y in labels]

    def averaged(self) -> FinishedWeights:
        return self.weights.averaged(int(self.state[1]))

    def tag(self, document: Any) -> list[int]:
        finished = self.averaged()
        labels = np.zeros(len(document.types), np.int32)
        static = static_of(finished, self.types)
        scores = np.empty((len(labels), self.n_labels), np.float32)
        tag_document(
            finished.table,
            finished.vectors,
            static,
            self.types,
            document,
            self.allowed,
            self.work,
            labels,
            scores,
        )
        return [int(y) for y in labels]


# Text that follows a rule ------------------------------------------------------------------------

FIRST = "Anna Otto Maria Karl Elsa Hugo Nora Emil Ida Paul Rosa Max".split()
LAST = "Berg Lund Falk Holm Dahl Strand Vik Moen Haug Bakke Lie Ness".split()
PLACES = "Oslo Rome Lima Cairo Delhi Quito Paris Kyoto Turin Bonn Riga Basel".split()


def rule_text(n_documents: int, seed: int = 0, first: int = 0) -> Text:
    """People follow "Mr" (one word or two), places follow "in"; nothing else is an entity."""
    chance = random.Random(seed)
    names = slice(first, first + 6)
    text: Text = []
    for _ in range(n_documents):
        document: Document = []
        for _ in range(6):
            person, family = chance.choice(FIRST[names]), chance.choice(LAST[names])
            place = chance.choice(PLACES[names])
            words, labels = ["Mr", person], ["O", "B-PER"]
            if chance.random() < 0.5:
                words, labels = [*words, family], [*labels, "I-PER"]
            verb = chance.choice(["lives", "was", "stays"])
            words += [verb, "in", place, "."]
            labels += ["O", "O", "B-LOC", "O"]
            document.append((words, labels))
            document.append((["The", "Weather", "was", "fine", "."], ["O"] * 5))
        text.append(document)
    assert label_names(["LOC", "PER"])[1] == "B-LOC"
    return text


# Files -------------------------------------------------------------------------------------------


def columns(text: Text) -> str:
    lines = []
    for document in text:
        lines += ["-DOCSTART- O", ""]
        for words, labels in document:
            lines += [f"{word} {label}" for word, label in zip(words, labels, strict=True)] + [""]
    return "\n".join(lines) + "\n"


def part_of(model: Path, part: Any) -> None:
    """Put classes or vectors into a model."""
    file = model.parent / "part"
    if isinstance(part, firth.Hierarchy):
        file.write_text("".join(f"{part.path(word)}\t{word}\t1\n" for word in part))
        import_classes(file, model)
    else:
        rows = zip(part.words, part.matrix.tolist(), strict=True)
        file.write_text("".join(f"{word} {' '.join(map(str, row))}\n" for word, row in rows))
        import_vectors(file, model)
