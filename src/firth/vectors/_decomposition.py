"""From counts to word vectors: scale, decompose, normalise."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from firth import progress
from firth.compute import Cluster, Device, DeviceFullError, Engine, OneWorker, limit_blas
from firth.corpus import Vocabulary
from firth.counts import Counts, PanelCounts
from firth.errors import InputError, ParameterError, wrong_parameter
from firth.parameters import parse_memory
from firth.store import Checkpoint, Room
from firth.vectors._cluster_space import ClusterSpace, on_workers
from firth.vectors._cluster_work import all_rows
from firth.vectors._device_matrix import DeviceMatrix
from firth.vectors._device_space import device_svd
from firth.vectors._grammar_parameters import default_dim, tell_size
from firth.vectors._guesser import learn_guesser, mix
from firth.vectors._krylov import Space, svd_in
from firth.vectors._panels import ScaledCounts
from firth.vectors._parameters import DEFAULT_DIM, VectorsParameters
from firth.vectors._projection import Projection
from firth.vectors._space import LocalSpace
from firth.vectors._svd import Svd, dense_svd, exact_svd, unit_rows
from firth.vectors._template import Template
from firth.vectors._word_vectors import WordVectors

__all__ = ["decompose", "room_for_vectors", "vectors_from_counts"]

_DENSE = 1500
"""Matrices up to this size are decomposed by LAPACK."""
_NO_GUESSES = "Guesses from spelling are left out, because they would be chance."
_LARGEST_DENSE = 1 << 28
"""Entries of the largest matrix that is decomposed by LAPACK: 2 GB."""


def room_for_vectors(memory: int | str, folder: Path | None = None) -> Room:
    """Room for the arrays of a decomposition; files are put into a folder."""
    return Room(parse_memory(memory) * 3 // 4, folder)  # the rest is for blocks


def vectors_from_counts(
    counts: Counts | PanelCounts,
    parameters: VectorsParameters,
    engine: Engine,
    room: Room | None = None,
    checkpoint: Checkpoint | None = None,
) -> tuple[Svd, WordVectors]:
    """Decompose the scaled matrix of counts; also returns the word vectors.

    Interrupted work continues from a checkpoint.
    """
    room = room or Room()
    if parameters.dim is None:
        why_not = _NO_GUESSES if parameters.spelling is None else ""
        dim = default_dim(counts.n_words)
        tell_size("word vectors", counts.n_words, dim, DEFAULT_DIM, why_not)
    svd = decompose(counts, parameters, engine, room, checkpoint)
    if parameters.dim and len(svd.values) < parameters.dim:
        raise _too_many(parameters.dim, f"{len(svd.values):,}, the rank of the matrix")
    return svd, _vectors(counts, parameters, svd, engine, room)


def decompose(
    counts: Counts | PanelCounts,
    parameters: VectorsParameters,
    engine: Engine,
    room: Room | None = None,
    checkpoint: Checkpoint | None = None,
) -> Svd:
    """Decompose the scaled matrix of counts; has fewer dimensions than wanted if its rank is lower.

    Interrupted work continues from a checkpoint.
    """
    # one thread of BLAS, so that the result does not depend on the number of threads
    with limit_blas(1), engine.lasting() as lasting:
        return _decompose(counts, parameters, lasting, room or Room(), checkpoint)


def _decompose(
    counts: Counts | PanelCounts,
    parameters: VectorsParameters,
    engine: Engine,
    room: Room,
    checkpoint: Checkpoint | None,
) -> Svd:
    template = Template.of(parameters)
    shape = len(counts.rows), len(counts.columns)
    most = min(min(shape), counts.n_words)
    wanted = min(parameters.dim or default_dim(counts.n_words), most)
    found: Svd | None = None
    if min(shape) > _DENSE and (parameters.dim or 0) <= most:
        if parameters.svd == "exact":
            found = exact_svd(_omega(counts, template), wanted)
        else:
            found = _fast(counts, template, wanted, parameters, engine, room, checkpoint)
    if found is None:  # a small matrix, or nearly as many dimensions as it has
        if shape[0] * shape[1] > _LARGEST_DENSE:
            raise _too_many(wanted, f"about {min(shape) // 3:,} for {counts.n_words:,} words")
        found = dense_svd(_omega(counts, template), wanted)
    if not len(found.values):
        raise InputError(
            "No word vectors can be learned: the matrix of counts is zero after scaling.",
            "Use more text or another --scale.",
        )
    return found


def _fast(
    counts: Counts | PanelCounts, template: Template, wanted: int, parameters: VectorsParameters, engine: Engine,
    room: Room, checkpoint: Checkpoint | None,
) -> Svd | None:  # fmt: skip
    """By the Krylov method: here, on a GPU, or on a cluster."""
    cluster = counts.cluster if isinstance(counts, PanelCounts) else engine.cluster
    if engine.cluster:
        engine.cluster.connect()
    full: DeviceFullError | None = None
    if engine.device and isinstance(counts, Counts) and not cluster:
        try:
            return _on_device(
                counts, template, wanted, parameters, engine, engine.device, room, checkpoint
            )
        except DeviceFullError as error:
            full = error.with_traceback(None)  # it would keep what is on the GPU
            cluster = OneWorker(engine.device)
        progress.notice(f"{full.message} So the work is done in parts, which takes longer.")
    try:
        with _preparing(counts):
            space = _space(counts, template, parameters.seed, engine, cluster, room)
        return svd_in(space, wanted, parameters.tolerance, checkpoint)
    except DeviceFullError:
        if full is None:
            raise
    raise full  # which says what would fit


@contextmanager
def _preparing(counts: Counts | PanelCounts) -> Iterator[None]:
    n = float(counts.n_entries)
    with progress.stage("preparing the matrix", n, "entries", brief=1.0) as stage:
        yield
        stage.advance(n)


def _on_device(
    counts: Counts, template: Template, wanted: int, parameters: VectorsParameters, engine: Engine,
    device: Device, room: Room, checkpoint: Checkpoint | None,
) -> Svd | None:  # fmt: skip
    with _preparing(counts):
        matrix = DeviceMatrix.of_counts(counts, template, device, engine)
    return device_svd(
        matrix, wanted, parameters.tolerance, parameters.seed, engine, room, checkpoint
    )


def _space(
    counts: Counts | PanelCounts, template: Template, seed: int, engine: Engine, cluster: Cluster | None,
    room: Room,
) -> Space:  # fmt: skip
    if isinstance(counts, PanelCounts):
        cluster = counts.cluster
    elif not cluster:
        return LocalSpace(ScaledCounts(counts, template, engine, room), seed, engine, room)
    panels = on_workers(counts, cluster)
    return ClusterSpace(counts, panels, template, cluster, seed, room)


def _omega(counts: Counts | PanelCounts, template: Template) -> Any:
    from scipy.sparse import csr_array

    if isinstance(counts, Counts):
        matrix = counts.matrix
    else:
        indptr, indices, data = all_rows(list(counts.fetched()))
        matrix = csr_array((data, indices, indptr), shape=(len(counts.rows), len(counts.columns)))
    return template.matrix(matrix, counts.scale, template.margins(counts))


def _too_many(wanted: int, most: str) -> ParameterError:
    error = wrong_parameter("SpectralEmbedding", "dim", f"at most {most}", wanted)
    error.hint = "More text or a smaller --min-count allows more dimensions."
    return error


def _vectors(
    counts: Counts | PanelCounts,
    parameters: VectorsParameters,
    svd: Svd,
    engine: Engine,
    room: Room,
) -> WordVectors:
    """Step 4 of figure 2: rows of UΣ^β at unit length; rows that are zero in Ω stay zero."""
    unit = unit_rows(svd.left[: counts.n_words], svd.values**parameters.beta, engine, room)
    template, spelling = Template.of(parameters), parameters.spelling_for(counts.n_words)
    words = Vocabulary(counts.vocabulary.words, np.asarray(counts.vocabulary.counts))
    projection = Projection(
        words,
        counts.contexts,
        template,
        template.margins(counts).contexts,
        np.ascontiguousarray(svd.right, np.float32),
        svd.values,
        counts.parameters.across_lines,
        spelling,
    )
    made = {**counts.parameters.parameters(), **parameters.parameters(), "dim": len(svd.values)}
    made |= {"spelling": spelling} if "spelling" in made else {}
    guesser = learn_guesser(words, unit, engine, room)
    if spelling:
        mix(unit, words, guesser, spelling, engine)
    return WordVectors(words, unit, svd.values, made, projection, guesser)
