"""Training: epochs over documents, and a second stage that knows the labels of the first and reads backwards."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firth.compute import Engine
from firth.ner._feature_kernels import CONTEXTS, PLACES, Document, Types, Workspace, most_keys
from firth.ner._lexicon import Lexicon
from firth.ner._parameters import EntityParameters
from firth.ner._perceptron_kernels import (
    best_labels,
    learn_document,
    static_scores,
    tag_document,
)
from firth.ner._types import turned, with_contexts, with_topic
from firth.ner._weights import FinishedWeights, Weights, allowed_after, mirrored, workspace_for
from firth.progress import Stage, notice, stage

__all__ = ["Examples", "learn_stages", "read_document", "read_documents", "static_of"]

N_FOLDS = 5
"""The number of folds: documents of each fold are tagged by a perceptron trained on the others."""

_MORE_ROWS = 1 << 14
"""Rows that are added to a full table at the least."""

Labels = npt.NDArray[np.int32]


class Examples(NamedTuple):
    """Documents, and the gold label of each word."""

    documents: list[Document]
    gold: list[Labels]

    @property
    def n_words(self) -> int:
        return sum(map(len, self.gold))

    def some(self, which: Sequence[int]) -> Examples:
        return Examples([self.documents[i] for i in which], [self.gold[i] for i in which])

    def linked(self, types: Types, lexicon: Lexicon) -> Examples:
        """The same with links between words in the same context, and with topics."""
        linked = [with_contexts(d, types) for d in self.documents]
        return Examples([with_topic(d, types, lexicon) for d in linked], self.gold)

    def turned(self, labels: Sequence[Labels], n_entity_types: int) -> Examples:
        """The same with the labels of the first stage, from right to left."""
        mirror = mirrored(n_entity_types)
        documents = [
            turned(document._replace(first=first), mirror)
            for document, first in zip(self.documents, labels, strict=True)
        ]
        return Examples(documents, [mirror[gold[::-1]] for gold in self.gold])


Evaluate = Callable[[int, list[FinishedWeights]], None]
"""Is called with the number of an epoch and the weights after it."""
Done = Callable[[int, int], None]
"""Is called with the number of an epoch and the number of words just trained on."""


class _Learner:
    """One perceptron in training."""

    def __init__(self, types: Types, n_entity_types: int, parameters: EntityParameters) -> None:
        self._n_labels = 1 + 4 * n_entity_types
        self._allowed = allowed_after(n_entity_types)
        self._parameters = parameters
        self.weights = Weights(self._n_labels, types.vectors.shape[1])
        self._types = types._replace(rows=self.weights.add(types.keys))
        most_static = PLACES * int(np.diff(types.starts).max(initial=0))
        self._work = workspace_for(self._n_labels, most_static)
        self._state = np.zeros(2, np.int64)

    def epochs(self, examples: Examples, done: Done) -> Iterator[int]:
        """Train on all documents, in another order in each epoch; yields the number of each epoch."""
        order = np.random.default_rng(self._parameters.seed)
        for number in range(1, self._parameters.rounds + 1):
            for i in order.permutation(len(examples.documents)).tolist():
                self._learn(examples.documents[i], examples.gold[i])
                done(number, len(examples.gold[i]))
            yield number

    def averaged(self) -> FinishedWeights:
        return self.weights.averaged(int(self._state[1]))

    def _learn(self, document: Document, gold: Labels) -> None:
        p = self._parameters
        how = (float(p.margin), float(p.dropout), p.seed)
        labels = np.zeros(len(gold), np.int32)
        self._state[0] = 0
        weights = self.weights
        while not learn_document(
            weights.table, (weights.vectors, weights.vector_sums), self._types, document,
            self._allowed, gold, how, self._state, self._work, labels,
        ):  # fmt: skip
            weights.reserve(most_keys(self._n_labels) + _MORE_ROWS)


def learn_stages(
    types: Types, n_entity_types: int, examples: Examples, parameters: EntityParameters, engine: Engine,
    evaluate: Evaluate | None = None, lowered: tuple[Types, Examples] | None = None,
) -> tuple[list[FinishedWeights], FinishedWeights | None]:  # fmt: skip
    """Train one perceptron, or two, of which the second reads backwards and knows the labels of the first.

    The second stage must be trained on labels like those it will see later. Its documents are therefore
    tagged by perceptrons that were not trained on them (Krishnan and Manning 2006). ``evaluate`` is called
    after some epochs of the last stage. Another perceptron is trained on ``lowered``, the same text in
    lower case, if it is given.
    """
    n_folds = min(N_FOLDS, len(examples.documents))
    stages = parameters.stages if n_folds > 1 else 1
    n_passes = (1 if stages == 1 else 2 + (n_folds - 1)) + (lowered is not None)
    if stages < parameters.stages:
        notice(
            "There is only one document, and it is short, so only one stage is trained.",
            "Mark documents with -DOCSTART-, or give more text.",
        )
    _compile(types, n_entity_types, parameters)
    total = n_passes * parameters.rounds * examples.n_words
    with stage("learning named entities", total=total, unit="words") as work:
        counter = _Counter(work, parameters.rounds)
        finished: list[FinishedWeights] = []

        def last() -> FinishedWeights:
            done = counter.during("second stage, " if finished else "")
            return _learn(types, n_entity_types, examples, parameters, done, finished, evaluate)

        def first() -> FinishedWeights:
            done = counter.during("first stage, ")
            return _learn(types, n_entity_types, examples, parameters, done)

        def caseless() -> FinishedWeights | None:
            if lowered is None:
                return None
            done = counter.during("in lower case, ")
            return _learn(lowered[0], n_entity_types, lowered[1], parameters, done)

        jobs: list[Callable[[], Any]] = [caseless, last]  # the longest first
        folds = _Folds(types, n_entity_types, examples, parameters, counter)
        if stages == 2:
            jobs[1:] = [first, *(partial(folds.read, fold) for fold in range(n_folds))]
        in_lower_case, weights, *found = engine.map(lambda job: job(), jobs)
        finished.append(weights)
        if stages == 2:
            examples = examples.turned(folds.joined(found), n_entity_types)
            finished.append(last())
    return finished, in_lower_case


def _compile(types: Types, n_entity_types: int, parameters: EntityParameters) -> None:
    """Train on nothing, so that the estimate of the remaining time does not include compilation."""
    nothing = np.zeros(0, np.int32)
    alike = np.zeros((2 * len(CONTEXTS), 0), np.int32)
    topic = np.zeros(types.vectors.shape[1], np.float32)
    document = Document(nothing, np.zeros(1, np.int64), nothing, nothing, alike, nothing, topic)
    learner = _Learner(types._replace(keys=types.keys[:0]), n_entity_types, parameters)
    for _ in learner.epochs(Examples([document], [nothing]), lambda *_: None):
        break


class _Counter:
    """Reports progress from any thread."""

    def __init__(self, work: Stage, epochs: int) -> None:
        self._work, self._epochs = work, epochs
        self._lock = threading.Lock()

    def during(self, what: str) -> Done:
        def done(number: int, n_words: int) -> None:
            with self._lock:
                self._work.unit = f"words, {what}epoch {number} of {self._epochs}"
                self._work.advance(n_words)

        return done


def _learn(
    types: Types, n_entity_types: int, examples: Examples, parameters: EntityParameters,
    done: Done, before: Sequence[FinishedWeights] = (), evaluate: Evaluate | None = None,
) -> FinishedWeights:  # fmt: skip
    learner = _Learner(types, n_entity_types, parameters)
    every = max(1, parameters.rounds // 5)
    for number in learner.epochs(examples, done):
        if evaluate and (number % every == 0 or number == parameters.rounds):
            evaluate(number, [*before, learner.averaged()])
    return learner.averaged()


class _Folds:
    """The labels of every document from a perceptron trained on the other folds."""

    def __init__(
        self, types: Types, n_entity_types: int, examples: Examples, parameters: EntityParameters,
        counter: _Counter,
    ) -> None:  # fmt: skip
        n = len(examples.documents)
        self._n_folds = min(N_FOLDS, n)
        self._fold_of = np.random.default_rng(parameters.seed).permutation(n) % self._n_folds
        self._types, self._n_entity_types, self._examples = types, n_entity_types, examples
        self._parameters, self._counter = parameters, counter

    def read(self, fold: int) -> list[Labels]:
        """The labels of the documents of a fold."""
        types, n = self._types, self._n_entity_types
        others, mine = np.flatnonzero(self._fold_of != fold), np.flatnonzero(self._fold_of == fold)
        done = self._counter.during(f"fold {fold + 1} of {self._n_folds}, ")
        examples = self._examples.some(others.tolist())
        learned = _learn(types, n, examples, self._parameters, done)
        return read_documents([learned], types, n, self._examples.some(mine.tolist()).documents)

    def joined(self, found: Sequence[list[Labels]]) -> list[Labels]:
        """The labels of all documents, from those of the folds."""
        labels: list[Labels] = [np.zeros(0, np.int32)] * len(self._fold_of)
        for fold, of_fold in enumerate(found):
            for i, of_one in zip(np.flatnonzero(self._fold_of == fold), of_fold, strict=True):
                labels[i] = of_one
        return labels


def read_documents(
    stages: Sequence[FinishedWeights], types: Types, n_entity_types: int, documents: Sequence[Document]
) -> list[Labels]:  # fmt: skip
    """Tag documents with trained weights."""
    work = workspace_for(1 + 4 * n_entity_types)
    labels = allowed_after(n_entity_types), mirrored(n_entity_types)
    static = [static_of(weights, types) for weights in stages]
    return [read_document(stages, static, types, document, labels, work) for document in documents]


def read_document(
    stages: Sequence[FinishedWeights], static: Sequence[npt.NDArray[np.float32]], types: Types,
    document: Document, allowed_and_mirrored: tuple[npt.NDArray[np.bool_], Labels], work: Workspace,
    both_ways: bool = True,
) -> Labels:  # fmt: skip
    """Tag a document: the valid labels with the highest sum of the scores of all stages.

    If not ``both_ways``, the labels are those that the last stage gave on its way, from left to right.
    """
    allowed, mirror = allowed_and_mirrored
    n, labels = len(document.types), np.zeros(0, np.int32)
    total = np.zeros((n, len(mirror)), np.float32)
    for number, (weights, of_types) in enumerate(zip(stages, static, strict=True)):
        seen = document._replace(first=labels)
        backwards = both_ways and number > 0
        if backwards:
            seen = turned(seen, mirror)
        labels, scores = np.zeros(n, np.int32), np.empty_like(total)
        tag_document(
            weights.table, weights.vectors, of_types, types, seen, allowed, work, labels, scores
        )
        if both_ways:
            total += scores[::-1][:, mirror] if backwards else scores
            best_labels(total.copy(), document.starts, labels)
    return labels


def static_of(weights: FinishedWeights, types: Types) -> npt.NDArray[np.float32]:
    """The scores of each word type for each label, at each position of the window."""
    n_labels = weights.table.weights.shape[1]
    scores = np.empty((len(types.kinds), PLACES, n_labels), np.float32)
    static_scores(
        weights.table, types._replace(rows=weights.rows(types.keys)), weights.vectors, scores
    )
    return scores
