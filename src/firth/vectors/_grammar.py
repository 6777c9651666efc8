"""Grammatical vectors: words are similar if they can replace each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute import Engine, limit_blas
from firth.corpus import Corpus, Vocabulary
from firth.counts import Counts, Entries
from firth.errors import InputError, ParameterError, wrong_parameter
from firth.store import Room
from firth.vectors._device_matrix import DeviceMatrix
from firth.vectors._device_space import device_svd
from firth.vectors._grammar_contexts import GrammarContexts, scaled, spelling_matrix
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
from firth.vectors._svd import Svd, dense_svd
from firth.vectors._template import Template
from firth.vectors._word_vectors import WordVectors

__all__ = ["grammar_vectors"]

_DENSE = 1500
"""Matrices up to this size are decomposed by LAPACK."""
_CLASSES, _ROUNDS = 20, 15
"""Classes of neighbours in the second decomposition, and rounds of the k-means algorithm that finds them."""

Floats = npt.NDArray[np.float64]


def grammar_vectors(
    corpus: Corpus, counts: Counts, parameters: GrammarParameters, engine: Engine, room: Room | None = None
) -> WordVectors:  # fmt: skip
    """Learn grammatical vectors from a corpus and its counts."""
    from scipy.sparse import csr_array, hstack

    _check_counts(corpus, counts)
    n = counts.n_words
    dim = parameters.dim or default_grammar_dim(n)
    if parameters.dim is None:
        tell_size("grammatical vectors", n, dim, MOST_GRAMMAR_DIM)
    contexts = GrammarContexts.of(counts, corpus)
    spelling = spelling_matrix(list(counts.vocabulary), parameters.shape, parameters.suffix)
    template = Template("sqrt", "cca", 1.0, parameters.beta, 0.0)
    room = room or Room()
    classes, unit, values = None, np.zeros((n, 0)), np.zeros(0)
    for _ in range(2):
        whole = csr_array(hstack([contexts.matrix(parameters.far, classes, engine), spelling]))
        svd = _decompose(scaled(whole, template), dim + 1, parameters, engine, room)
        unit, values = _unit_rows(svd, parameters.beta)
        classes = _classes(unit)
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
    matrix = np.ascontiguousarray(unit, np.float32)
    return WordVectors(
        words, matrix, values, made, None, learn_guesser(words, matrix, engine, room)
    )


def _check_counts(corpus: Corpus, counts: Counts) -> None:
    contexts = counts.contexts
    if contexts.name != GRAMMAR_CONTEXTS or contexts.scale != 1:
        raise ParameterError(
            f"Grammatical vectors need counts in {GRAMMAR_CONTEXTS} contexts without weights. Got {contexts.name}."
        )
    if not np.array_equal(counts.vocabulary.counts, corpus.vocabulary.counts[: counts.n_words]):
        raise ParameterError("The counts are of another text.")


def _decompose(
    matrix: Any, rank: int, parameters: GrammarParameters, engine: Engine, room: Room
) -> Svd:
    rank, found = min(rank, *matrix.shape), None
    with limit_blas(1), engine.lasting() as lasting:
        if min(matrix.shape) > _DENSE:
            matrix.sort_indices()
            entries = Entries(
                matrix.indptr, matrix.indices, matrix.data.astype(np.float32), matrix.shape
            )
            how = rank, parameters.tolerance, parameters.seed, lasting, room
            if lasting.device:
                there = DeviceMatrix.of_entries(entries, lasting.device, lasting)
                found = device_svd(there, *how)
            else:
                found = krylov_svd(SparseMatrix(entries, lasting, room), *how)
        if found is None:
            found = dense_svd(matrix, rank)
    if not len(found.values):
        raise InputError(
            "No grammatical vectors can be learned: no word has a neighbour.", "Use more text."
        )
    return found


def _unit_rows(svd: Svd, beta: float) -> tuple[Floats, Floats]:
    """Rows of UΣ^β at unit length and the singular values, without the first, unless it is the only one."""
    first = int(len(svd.values) > 1)
    values = svd.values[first:]
    rows = np.asarray(svd.left[:, first:], np.float64) * values**beta
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 1e-10 * lengths.max(), lengths, np.inf), values


def _classes(unit: Floats) -> npt.NDArray[np.int64]:
    """The classes of words, by spherical k-means that begins with the most frequent words."""
    centres = unit[:_CLASSES].copy()
    found = np.zeros(len(unit), np.int64)
    with limit_blas(1):
        for k in range(_ROUNDS):
            new = np.argmax(unit @ centres.T, axis=1)
            if k and np.array_equal(new, found):
                break
            found = new
            for c in range(len(centres)):
                total = unit[found == c].sum(axis=0)
                length = np.linalg.norm(total)
                if length > 0:  # a class without words keeps its centre
                    centres[c] = total / length
    return found
