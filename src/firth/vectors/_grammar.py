"""Grammatical vectors: words are similar if they can replace each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import Engine, limit_blas
from firth.corpus import Corpus, Vocabulary
from firth.counts import Counts, Entries
from firth.errors import InputError, ParameterError, wrong_parameter
from firth.store import Checkpoint, Room
from firth.vectors._device_matrix import DeviceMatrix
from firth.vectors._device_space import device_svd
from firth.vectors._grammar_contexts import GrammarContexts, spelling_matrix
from firth.vectors._grammar_parameters import (
    GRAMMAR_CONTEXTS,
    MOST_GRAMMAR_DIM,
    GrammarParameters,
    default_grammar_dim,
    tell_size,
)
from firth.vectors._guesser import learn_guesser
from firth.vectors._krylov import krylov_svd
from firth.vectors._panels import SparseMatrix
from firth.vectors._svd import Svd, dense_svd, unit_rows
from firth.vectors._template import Template
from firth.vectors._word_vectors import WordVectors

__all__ = ["grammar_vectors"]

_DENSE = 1500
"""Matrices up to this size are decomposed by LAPACK."""
_CLASSES, _ROUNDS = 20, 15
"""Classes of neighbours in the second decomposition, and rounds of the k-means algorithm that finds them."""
_WORDS = 1 << 12
"""Words that are assigned to classes at once."""

Block = npt.NDArray[np.float32]


def grammar_vectors(
    corpus: Corpus, counts: Counts, parameters: GrammarParameters, engine: Engine, room: Room | None = None,
    checkpoint: Checkpoint | None = None,
) -> WordVectors:  # fmt: skip
    """Learn grammatical vectors from a corpus and its counts; interrupted work continues from a checkpoint."""
    _check_counts(corpus, counts)
    n = counts.n_words
    dim = parameters.dim or default_grammar_dim(n)
    if parameters.dim is None:
        tell_size("grammatical vectors", n, dim, MOST_GRAMMAR_DIM)
    room, checkpoint = room or Room(), checkpoint or Checkpoint()
    with progress.stage("preparing the matrix", brief=1.0, unit=""):
        contexts = GrammarContexts.of(counts, corpus)
        spelling = spelling_matrix(list(counts.vocabulary), parameters.shape, parameters.suffix)
    template = Template("sqrt", "cca", 1.0, parameters.beta, 0.0)
    classes, unit, values = None, np.empty((n, 0), np.float32), np.empty(0)
    for k in range(2):
        with limit_blas(1), engine.lasting() as lasting:
            matrix = contexts.matrix(parameters.far, classes, spelling, template, lasting, room)
            some = checkpoint.beside(f"decomposition{k + 1}")
            svd = _decompose(matrix, dim + 1, parameters, lasting, room, some)
            first = int(len(svd.values) > 1)  # the first dimension is much the same for all words
            values = svd.values[first:]
            unit = unit_rows(svd.left[:, first:], values**parameters.beta, lasting, room)
            classes = _classes(unit, lasting) if not k else None
    if parameters.dim and len(values) < parameters.dim:
        error = wrong_parameter(
            "GrammarEmbedding", "dim", f"at most {len(values):,} for this text", parameters.dim
        )
        error.hint = "More text or a smaller --min-count allows more dimensions."
        raise error
    words = Vocabulary(counts.vocabulary.words, np.asarray(counts.vocabulary.counts))
    made = {
        "kind": "grammar", **counts.parameters.parameters(), **parameters.parameters(), "dim": len(values)
    }  # fmt: skip
    return WordVectors(words, unit, values, made, None, learn_guesser(words, unit, engine, room))


def _check_counts(corpus: Corpus, counts: Counts) -> None:
    contexts = counts.contexts
    if contexts.name != GRAMMAR_CONTEXTS or contexts.scale != 1:
        raise ParameterError(
            f"Grammatical vectors need counts in {GRAMMAR_CONTEXTS} contexts without weights. Got {contexts.name}."
        )
    if not np.array_equal(counts.vocabulary.counts, corpus.vocabulary.counts[: counts.n_words]):
        raise ParameterError("The counts were made from another text.")


def _decompose(
    matrix: Entries, rank: int, parameters: GrammarParameters, engine: Engine, room: Room, checkpoint: Checkpoint
) -> Svd:  # fmt: skip
    from scipy.sparse import csr_array

    rank, found = min(rank, *matrix.shape), None
    if min(matrix.shape) > _DENSE:
        how = rank, parameters.tolerance, parameters.seed, engine, room, checkpoint
        if engine.device:
            there = DeviceMatrix.of_entries(matrix, engine.device, engine)
            found = device_svd(there, *how)
        else:
            found = krylov_svd(SparseMatrix(matrix, engine, room), *how)
    if found is None:
        small = csr_array((matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape)
        found = dense_svd(small, rank)
    if not len(found.values):
        raise InputError(
            "No grammatical vectors can be learned: no word has a neighbour.", "Use more text."
        )
    return found


def _classes(unit: Block, engine: Engine) -> npt.NDArray[np.int64]:
    """The classes of words, by spherical k-means that begins with the most frequent words."""
    centres = unit[:_CLASSES].astype(np.float64)
    found, new = np.zeros(len(unit), np.int64), np.empty(len(unit), np.int64)

    def assign(a: int) -> Any:
        """The classes of some words, and the sums of the vectors in each."""
        some = unit[a : a + _WORDS].astype(np.float64)
        here = new[a : a + _WORDS] = np.argmax(some @ centres.T, axis=1)
        return (here == np.arange(len(centres))[:, None]).astype(np.float64) @ some

    for k in range(_ROUNDS):
        totals = np.zeros(centres.shape)
        for some in engine.map(assign, range(0, len(unit), _WORDS)):
            totals += some
        if k and np.array_equal(new, found):
            break
        found[:] = new
        lengths = np.linalg.norm(totals, axis=1, keepdims=True)
        np.divide(totals, lengths, out=centres, where=lengths > 0)  # an empty class stays
    return found
