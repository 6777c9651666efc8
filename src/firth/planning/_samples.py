"""Nested samples of a text, from which each stage is learned for a trial and timed.

A sample is the beginning of every file. Stages run as they do in ``learn``: parts are written, read back
and verified. Time is the time of processors, which does not depend on what else the machine does, that
of the main thread apart from that of others: more threads make only the latter shorter. Kernels are
loaded, and if necessary compiled, before anything is timed.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from firth import progress
from firth.classes import ClassesParameters, default_n_classes, learn_hierarchy
from firth.compute import Engine, limit_blas
from firth.corpus import Corpus, Reading, Source, Vocabulary, WordSplitter, build, sampled
from firth.counts import Counts, CountsParameters, build_counts, count
from firth.errors import InputError, ParameterError
from firth.measure import joining
from firth.morphs import MOST_WORDS
from firth.parameters import parse_memory
from firth.parts import load_part, new_part
from firth.store import Part, Room, Writer, make_folder, writing
from firth.tags import TAG_METHODS
from firth.vectors import (
    GRAMMAR_CONTEXTS,
    LEARNED_FROM,
    GrammarParameters,
    Guesser,
    ScaledCounts,
    Template,
    VectorsParameters,
    decompose,
    default_dim,
    grammar_vectors,
    krylov_svd,
    learn_guesser,
    mix,
)

__all__ = [
    "PAIRS", "Decomposed", "Sample", "Wanted", "Work", "load_kernels", "samples", "time_classes",
    "time_decomposition", "time_grammar", "time_morphs", "time_tags",
]  # fmt: skip

PAIRS = ("R1", "LR1", "LR2")
"""Contexts that have the pairs of adjacent words, so that nothing is counted for word classes."""
_SHARES = (64, 16, 4, 1)
"""Each sample is so many times smaller than the largest."""
_ROOM = 64 << 20
"""A trial decomposition takes no more memory than this for its large arrays."""
_LONGEST = 5 * 10**9
"""No more dimensions are tried than those whose square, times the rows of the matrix, is this."""
_GUESSED = 32
"""Dimensions that are guessed from spelling, for a trial."""
_CHECKS = 3
"""How often a decomposition usually looks whether it has converged."""

Result = TypeVar("Result")


@dataclass(frozen=True)
class Wanted:
    """What ``learn`` is to make of a text, and with what."""

    reading: Reading
    counts: CountsParameters
    memory: int | str
    engine: Engine
    vectors: tuple[CountsParameters, VectorsParameters] | None = None
    classes: ClassesParameters | None = None
    morphs: bool = False
    tags: int = 0

    @property
    def limit(self) -> int:
        """The memory in bytes."""
        return parse_memory(self.memory)

    @property
    def pairs(self) -> CountsParameters:
        """The counts that word classes are learned from."""
        if self.counts.contexts in PAIRS and self.counts.weights == "none":
            return self.counts
        return replace(self.counts, contexts="R1", weights="none")

    @property
    def near(self) -> CountsParameters:
        """The counts that grammatical vectors are learned from."""
        if (self.counts.contexts, self.counts.weights) == (GRAMMAR_CONTEXTS, "none"):
            return self.counts
        return replace(self.counts, contexts=GRAMMAR_CONTEXTS, weights="none")

    def matrices(self) -> dict[str, CountsParameters]:
        """What is counted for each stage; the same counts are in it once, under their first name."""
        chosen = {"counts": self.counts}
        if self.vectors is not None:
            chosen["vectors"] = self.vectors[0]
            if self.near is not self.counts:
                chosen["grammar_vectors"] = self.near
        if self.classes is not None and self.pairs is not self.counts:
            chosen["classes"] = self.pairs
        if self.tags:
            chosen["tags"] = CountsParameters("LR1", min_count=1)
        return chosen


@dataclass(frozen=True)
class Work:
    """CPU seconds of the main thread, and of all others together."""

    alone: float = 0.0
    shared: float = 0.0

    def __add__(self, other: Work) -> Work:
        return Work(self.alone + other.alone, self.shared + other.shared)

    def __sub__(self, other: Work) -> Work:
        return Work(max(0.0, self.alone - other.alone), max(0.0, self.shared - other.shared))

    def __mul__(self, factor: float) -> Work:
        return Work(self.alone * factor, self.shared * factor)

    @property
    def cpu(self) -> float:
        return self.alone + self.shared

    def seconds(self, threads: int) -> float:
        """Wall-clock time on a machine that does nothing else."""
        return self.alone + self.shared / threads


def timed(call: Callable[..., Result], *arguments: Any) -> tuple[Result, Work]:
    """Call a function; also returns the work that it took."""
    alone, whole = time.thread_time(), time.process_time()
    result = call(*arguments)
    alone, whole = time.thread_time() - alone, time.process_time() - whole
    return result, Work(alone, max(0.0, whole - alone))


@dataclass(frozen=True)
class Sample:
    """A sample, read and counted."""

    corpus: Corpus
    matrices: Mapping[str, Counts]
    """By stage; without those for which the sample is too small."""
    work: Mapping[str, Work]
    share: float
    """How much of the text it is, by the bytes that were read."""
    exact: bool
    """Whether it is all of the text."""
    n_words: int = 0
    """The words that a morphology was learned from."""


def samples(
    sources: Sequence[Source], wanted: Wanted, n_bytes: int, folder: Path
) -> Iterator[Sample]:
    """Nested samples of at most about ``n_bytes``, the largest last; those without words are left out."""
    largest = min(n_bytes, sum(source.disk_size() for source in sources))
    for share in _SHARES:
        size = largest // share if share > 1 else n_bytes
        some = sampled([replace(source) for source in sources], max(1, size))
        try:
            yield _sample(some, sources, wanted, folder / f"sample{share}")
        except InputError:
            if share == _SHARES[-1]:
                raise


def _sample(
    some: Sequence[Source], sources: Sequence[Source], wanted: Wanted, folder: Path
) -> Sample:
    work: dict[str, Work] = {}
    with progress.silently(), writing(folder) as writer:
        (part, n_words, work["morphs"]), read = timed(_read, writer, some, wanted)
        work["corpus"] = read - work["morphs"]
        matrices, corpus = {}, load_part(part)
        for name, parameters in wanted.matrices().items():
            try:
                matrices[name], work[name] = timed(_counted, writer, name, parameters, wanted)
            except InputError:  # too small a sample has nothing to count
                continue
    exact = len(some) == len(sources) and all(source.sha256 for source in some)
    # what was read ahead does not count, where that is known
    n_bytes = sum(source.extent if source.is_plain() else source.consumed() for source in some)
    total = sum(source.disk_size() for source in sources)
    share = 1.0 if exact else min(1.0, n_bytes / total)
    return Sample(corpus, matrices, work, share, exact, n_words)


def _read(writer: Writer, some: Sequence[Source], wanted: Wanted) -> tuple[Part, int, Work]:
    """The corpus of a model; and if its tokens are morphs, how many words they were learned from, and the work."""
    n_words, work = 0, Work()

    def divider(words: Vocabulary) -> WordSplitter:
        from firth.morphs import Morphology  # late: scikit-learn takes a second to import

        nonlocal n_words, work
        learned, work = timed(Morphology().fit, words.first(MOST_WORDS))
        n_words = len(learned.words_)
        return learned

    def make(folder: Path) -> Mapping[str, Any]:
        morphs = divider if wanted.reading.tokens == "morphs" else None
        return build(
            some, wanted.reading, folder, wanted.engine, wanted.memory,
            morphs=morphs, phrases=joining(wanted.reading)[0],
        )  # fmt: skip

    return _made(writer, "corpus", wanted.reading.parameters(), make), n_words, work


def _made(
    writer: Writer, name: str, parameters: Any, make: Callable[[Path], Mapping[str, Any]]
) -> Part:
    """A part of a model, as a stage makes it."""
    with new_part(writer, name) as draft:
        draft.facts = dict(make(draft.folder))
        draft.parameters = parameters
    return writer.parts[name]


def _counted(writer: Writer, name: str, parameters: CountsParameters, wanted: Wanted) -> Counts:
    """Counts of the corpus of a model: as a part, or for a stage that needs them only for itself."""
    part = writer.parts["corpus"]
    part.verify()
    corpus = load_part(part)

    def make(folder: Path) -> Mapping[str, Any]:
        return build_counts(corpus, parameters, folder, wanted.memory, wanted.engine)

    if name == "counts":
        return Counts.load(_made(writer, name, parameters.parameters(), make))
    folder = writer.path.with_name(f"{writer.path.name}-{name}")
    make_folder(folder)
    make(folder)
    return Counts.load(Part.in_folder(folder, parameters.parameters()))


@dataclass(frozen=True)
class Decomposed:
    """A decomposition for a trial, and the work of its parts."""

    n_entries: int
    n_rows: int
    width: int
    rank: int
    basis: int
    preparing: Work
    sparse: Work
    dense: Work
    small: Work
    """Of the eigenvectors of matrices that have the size of the basis."""
    guessing: Work
    """Of learning to guess vectors from spelling, for each dimension."""
    mixing: Work
    """Of mixing guesses into vectors."""


class _Timed:
    """An operator that notes the work of its products."""

    def __init__(self, operator: ScaledCounts) -> None:
        self._operator, self.shape, self.work = operator, operator.shape, Work()

    def times(self, block: Any) -> Any:
        result, work = timed(self._operator.times, block)
        self.work += work
        return result

    def transposed_times(self, block: Any) -> Any:
        result, work = timed(self._operator.transposed_times, block)
        self.work += work
        return result

    def square(self, block: Any, turned: bool) -> Any:
        result, work = timed(self._operator.square, block, turned)
        self.work += work
        return result


def time_decomposition(counts: Counts, parameters: VectorsParameters, wanted: Wanted) -> Decomposed:
    """Decompose the matrix of a sample."""
    engine, room = wanted.engine, Room(min(wanted.limit, _ROOM))
    rank = min(
        parameters.dim or default_dim(counts.n_words),
        counts.n_words,
        math.isqrt(_LONGEST // counts.n_rows),
    )
    template = Template.of(parameters)
    operator, preparing = timed(ScaledCounts, counts, template, engine, room)
    noting = _Timed(operator)
    found, whole = timed(
        krylov_svd, noting, rank, parameters.tolerance, parameters.seed, engine, room
    )
    basis = found.basis if found else 0
    if found is None:  # so small that it is decomposed at once
        _, small = timed(decompose, counts, replace(parameters, dim=None), engine)
        whole = noting.work + small
    else:
        small = _time_small(basis, rank) if basis else Work()
    rest = whole.cpu - noting.work.cpu - small.cpu
    alone = max(0.0, whole.alone - noting.work.alone - small.alone)
    dense = Work(min(alone, max(rest, 0.0)), max(0.0, rest - alone))
    return Decomposed(
        operator.n_entries, *operator.shape, rank, basis, preparing, noting.work, dense, small,
        _time_guessing(counts, engine),
        _time_mixing(counts, rank, engine) if parameters.spelling_for(counts.n_words) else Work(),
    )  # fmt: skip


def time_grammar(corpus: Corpus, counts: Counts, engine: Engine) -> Work | None:
    """Learn grammatical vectors from a sample; None if it has too few words."""
    how = GrammarParameters(), engine, Room(_ROOM)
    try:
        with progress.silently(notices=False):
            _, work = timed(grammar_vectors, corpus, counts, *how)
    except InputError:
        return None
    return work


def _time_guessing(counts: Counts, engine: Engine) -> Work:
    """Learn to guess the vectors of the words of a sample; chance takes as long as vectors do."""
    chance = np.random.default_rng(0).standard_normal((counts.n_words, _GUESSED))
    _, work = timed(learn_guesser, counts.vocabulary, chance.astype(np.float32), engine)
    return work * (1 / _GUESSED)


def _time_mixing(counts: Counts, rank: int, engine: Engine) -> Work:
    """Mix guesses into the vectors of the words of a sample, by chance as above."""
    words = counts.vocabulary
    chance = np.random.default_rng(0).standard_normal((len(words), rank), np.float32)
    guesser = Guesser(words, chance[:LEARNED_FROM], chance[0])
    _, work = timed(mix, chance.copy(), words, guesser, 1.0, engine)
    return work


def _time_small(n: int, rank: int) -> Work:
    """The largest eigenvectors of a matrix of size ``n``, for as many times as they are usually looked for."""
    from scipy.linalg import eigh

    chance = np.random.default_rng(0).standard_normal((n, n))
    largest = partial(eigh, subset_by_index=(n - rank, n - 1))
    with limit_blas(1):
        _, work = timed(largest, chance + chance.T)
    return work * _CHECKS


def time_classes(
    counts: Counts, parameters: ClassesParameters, engine: Engine
) -> tuple[int, Work] | None:
    """Learn classes from the counts of a sample: how many, and the work; None if there are too few words."""
    n_classes = parameters.n_classes or default_n_classes(counts.n_rows)
    n_classes = min(n_classes, default_n_classes(counts.n_rows))
    try:
        _, work = timed(learn_hierarchy, counts, replace(parameters, n_classes=n_classes), engine)
    except (InputError, ParameterError):
        return None
    return n_classes, work


def time_morphs(corpus: Corpus) -> tuple[int, Work] | None:
    """Learn morphs from a sample: of how many words, and the work; None if it has no words of letters."""
    from firth.morphs import Morphology  # here, because it imports scikit-learn

    try:
        found, work = timed(Morphology().fit, corpus)
    except InputError:
        return None
    return len(found.words_), work


def time_tags(corpus: Corpus, n_tags: int, memory: int | str, engine: Engine) -> Work | None:
    """Learn tags from a sample; None if it has too few words."""
    tagger = TAG_METHODS.make(TAG_METHODS.default, {"n_tags": n_tags, "threads": engine})
    try:
        _, work = timed(tagger.fit, corpus, None, memory)
    except (InputError, ParameterError):
        return None
    return work


def load_kernels(wanted: Wanted) -> None:
    """Do what comes after counting once on a few words, so that kernels are there when work is timed."""
    words = [a.split() for a in ("the a", "cat dog cow", "sees hears", "bird fish horse")]
    with progress.silently():
        corpus = Corpus.from_sentences(list(product(*words)))
        if wanted.reading.tokens == "morphs":
            from firth.morphs import Morphology

            Morphology().fit(corpus).split("birds")
        if wanted.vectors is not None:
            counted, parameters = wanted.vectors
            counts = _few(corpus, counted, wanted.engine)
            time_decomposition(counts, replace(parameters, dim=None), wanted)
            time_grammar(corpus, _few(corpus, wanted.near, wanted.engine), wanted.engine)
        if wanted.classes is not None:
            counts = _few(corpus, wanted.pairs, wanted.engine)
            time_classes(counts, replace(wanted.classes, n_classes=None), wanted.engine)
        if wanted.morphs:
            time_morphs(corpus)
        if wanted.tags:
            time_tags(corpus, 2, wanted.memory, wanted.engine)


def _few(corpus: Corpus, parameters: CountsParameters, engine: Engine) -> Counts:
    chosen = {**parameters.parameters(), "min_count": 1}
    return count(corpus, **chosen, threads=engine)
