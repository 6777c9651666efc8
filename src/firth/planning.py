"""Estimates of time, memory and disk space, from a sample of the text."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from firth.classes import default_n_classes
from firth.compute import Engine
from firth.corpus import MIN_COUNTS, Corpus, Reading, Source, build, sampled
from firth.counts import CountsParameters, build_counts, estimate_memory
from firth.errors import InputError
from firth.store import Part, TemporaryFolder, make_folder
from firth.vectors import DEFAULT_DIM, VectorsParameters

__all__ = ["Plan", "PlanRow", "plan"]

_SAMPLE = 48 << 20
_ENTRIES_GROWTH = 0.75
"""Exponent of the growth of matrix entries with the length of the text (measured on Wikipedia)."""

_CLASS_RATE = 3e-7
"""Approximate seconds for each word and class, for Brown's algorithm and exchange."""
_BASIS = 3.2
"""Approximate number of vectors of the Krylov basis for each dimension."""
_SPARSE_RATE, _DENSE_RATE = 12e9, 30e9
"""Operations per second and thread in sparse and dense products, on a modest machine."""


@dataclass(frozen=True)
class PlanRow:
    """The vocabulary for a value of ``min_count``."""

    min_count: int
    n_words: int
    coverage: float


@dataclass(frozen=True)
class Plan:
    """Sizes of a text and estimates for learning from it; sizes are exact if the whole text was read."""

    exact: bool
    n_bytes: int
    n_tokens: int
    n_types: int
    rows: list[PlanRow]
    n_entries: int
    memory: int
    disk: int
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def plan(
    sources: Sequence[Source], reading: Reading, parameters: CountsParameters, memory: int | str, engine: Engine,
    vectors: tuple[CountsParameters, VectorsParameters] | None = None, sample: int = _SAMPLE,
    classes: int | None = 0,
) -> Plan:  # fmt: skip
    """Read a sample of the text, or all of a small text, and estimate time, memory and disk space."""
    if any(source.path is None for source in sources):
        raise InputError(
            "A plan cannot be made for standard input, which can be read only once.", "Give a file."
        )
    n_bytes = sum(source.disk_size() for source in sources)
    kept = sampled(sources, sample)
    with TemporaryFolder() as temporary:
        folder = temporary.path
        started = time.perf_counter()
        build(kept, reading, folder, engine, memory)
        corpus = Corpus(Part.in_folder(folder, reading.parameters()))
        read = time.perf_counter() - started
        make_folder(folder / "counts")
        started = time.perf_counter()
        try:
            facts = build_counts(corpus, parameters, folder / "counts", memory, engine)
        except InputError:  # a small sample may have nothing to count
            facts = {"n_words": 0, "n_blocks": 1, "n_entries": 0}
        counted = time.perf_counter() - started
        of_vectors = None
        if vectors:
            make_folder(folder / "vectors")
            of_vectors = _vectors_facts(corpus, *vectors, folder / "vectors", memory, engine)
            counted += of_vectors["seconds"]
        exact = all(source.sha256 for source in sources)
        # what was read ahead does not count, where that is known
        parts = [s.extent if s.is_plain() else s.consumed() for s in kept]
        factor = 1.0 if exact else n_bytes / max(1, sum(parts))
        return _extrapolate(
            corpus, parameters, facts, of_vectors, exact, n_bytes, factor, read + counted, engine,
            classes,
        )  # fmt: skip


def _vectors_facts(
    corpus: Corpus, counted: CountsParameters, parameters: VectorsParameters, folder: Path,
    memory: int | str, engine: Engine,
) -> dict[str, Any]:  # fmt: skip
    """The size of the matrix for word vectors in the sample, and the time to count it."""
    started = time.perf_counter()
    try:
        facts = build_counts(corpus, counted, folder, memory, engine)
    except InputError:
        facts = {"n_words": 0, "n_blocks": 1, "n_entries": 0}
    dim = parameters.dim or DEFAULT_DIM
    return {**facts, "dim": dim, "seconds": time.perf_counter() - started}


def _vectors_cost(
    n_entries: float, n_words: int, dim: int, n_blocks: int, engine: Engine
) -> tuple[float, float, float]:
    """Time, memory and disk space of decomposing a matrix, from the number of operations."""
    dim = min(dim, n_words)
    basis = _BASIS * dim
    width = n_words * n_blocks
    operations = 4 * basis * n_entries / _SPARSE_RATE + 2 * (basis**2) * width / _DENSE_RATE
    memory = n_entries * 14 + width * basis * 4 + (width + n_words) * dim * 12
    return operations / engine.threads, memory, (width + n_words) * dim * 4


def _extrapolate(
    corpus: Corpus, parameters: CountsParameters, facts: dict[str, Any], of_vectors: dict[str, Any] | None,
    exact: bool, n_bytes: int, factor: float, seconds: float, engine: Engine, classes: int | None,
) -> Plan:  # fmt: skip
    """Extrapolate from the sample to the whole text, which is ``factor`` times as long.

    The number of types grows with a power of the length (Heaps' law), estimated from the two halves of
    the sample; the share of types with a given count is about constant.
    """
    half = len(np.unique(corpus.ids[: corpus.n_tokens // 2]))
    power = math.log2(corpus.n_types / half) if half else 1.0
    growth = factor**power
    n_tokens = round(corpus.n_tokens * factor)
    rows = []
    for least in MIN_COUNTS:
        kept = corpus.vocabulary.n_kept(least)
        missing = (1 - corpus.coverage(kept)) * growth / factor
        rows.append(PlanRow(least, round(kept * growth), 1 - missing))
    n_entries = round(facts["n_entries"] * factor**_ENTRIES_GROWTH)
    n_words = min(round(facts["n_words"] * growth), parameters.vocabulary or n_tokens)
    word_bytes = sum(map(len, map(str.encode, corpus.vocabulary))) / corpus.n_types
    disk = (
        n_tokens * 4
        + corpus.n_sentences * factor * 16
        + corpus.n_types * growth * (word_bytes + 16)
        + n_entries * 8
    )
    disk += n_words * (word_bytes + 32 + 16 * facts["n_blocks"])
    lexicon = corpus.n_types * growth * (word_bytes * 3 + 96) * engine.threads
    memory = (
        n_tokens * 4
        + max(lexicon, estimate_memory(n_tokens, n_words, parameters.parsed(), engine))
        + (250 << 20)
    )
    seconds *= factor
    if of_vectors:
        more = of_vectors["n_entries"] * factor**_ENTRIES_GROWTH
        time_, room, files = _vectors_cost(
            more, n_words, of_vectors["dim"], of_vectors["n_blocks"], engine
        )
        seconds, memory, disk = seconds + time_, max(memory, room + (250 << 20)), disk + files
    if classes != 0:
        m = classes or default_n_classes(n_words)
        seconds += _CLASS_RATE * (n_words + 20 * m) * m
        memory = max(memory, n_entries * 12 + 96 * m * m + (250 << 20))
        disk += n_words * (word_bytes + 20) + 8 * m * m
    return Plan(
        exact,
        n_bytes,
        n_tokens,
        round(corpus.n_types * growth),
        rows,
        n_entries,
        round(memory),
        round(disk),
        seconds,
    )
