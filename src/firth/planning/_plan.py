"""From samples of a text to a plan: sizes are extrapolated, stages are estimated one by one."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from firth import progress
from firth.classes import ClassesParameters, default_n_classes
from firth.corpus import MIN_COUNTS, Source, takes_long
from firth.counts import Counts, CountsParameters
from firth.errors import InputError
from firth.formats import Rows
from firth.morphs import MOST_WORDS
from firth.planning import _costs as costs
from firth.planning._costs import Matrix, Space, Text
from firth.planning._growth import Growth
from firth.planning._samples import (
    Sample,
    Wanted,
    Work,
    load_kernels,
    samples,
    time_classes,
    time_decomposition,
    time_grammar,
    time_morphs,
    time_tags,
)
from firth.store import TemporaryFolder
from firth.vectors import VectorsParameters, default_dim, default_grammar_dim

__all__ = ["Plan", "PlanRow", "StagePlan", "plan"]

_SAMPLE = 48 << 20
_ENTRIES = 1e7
"""The largest matrix that is decomposed for a trial."""
_TYPES = 40_000
"""The largest vocabulary of a sample whose words are taken apart for a trial, if there is a choice."""
_AT_ONCE = 1 << 20
_LOADING = 4.0
"""Loading libraries and kernels takes less than so many seconds, unless kernels are compiled."""


@dataclass(frozen=True)
class PlanRow:
    """The vocabulary for a value of ``min_count``."""

    min_count: int
    n_words: int
    coverage: float


@dataclass(frozen=True)
class StagePlan:
    """Estimates for a stage: time, and bytes of memory and disk space."""

    name: str
    seconds: float
    """Wall-clock time, if the machine does nothing else."""
    cpu_seconds: float
    memory: int
    disk: int
    """While the stage runs, with what stays."""
    stays: int


@dataclass(frozen=True)
class Plan:
    """Sizes of a text and estimates for learning from it; sizes are exact if the whole text was read.

    The totals are those of one ``firth learn``: the sum of all times, the largest memory, and the most
    disk space that is taken at a time.
    """

    exact: bool
    n_bytes: int
    n_tokens: int
    n_types: int
    rows: Rows[PlanRow]
    n_entries: int
    memory: int
    disk: int
    stays: int
    seconds: float
    cpu_seconds: float
    start: float
    """Seconds in which the program and its kernels are loaded; they are in the totals."""
    stages: Rows[StagePlan]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def plan(sources: Sequence[Source], wanted: Wanted, sample: int = _SAMPLE) -> Plan:
    """Learn from samples of the text, or from all of a small one, and estimate time, memory and disk space."""
    if any(source.path is None for source in sources):
        raise InputError(
            "A plan cannot be made for standard input, which can be read only once.", "Give a file."
        )
    with TemporaryFolder() as temporary, progress.stage("planning", unit=""):
        load_kernels(wanted)
        start = min(time.process_time(), _LOADING)
        found = list(samples(sources, wanted, sample, temporary.path))
        return _Planner(sources, wanted, found, start).plan()


class _Planner:
    """Estimates of all stages."""

    def __init__(
        self, sources: Sequence[Source], wanted: Wanted, found: list[Sample], start: float
    ) -> None:
        self.sources, self.wanted, self.samples = sources, wanted, found
        self.last = found[-1]
        self.factor = 1 / self.last.share
        self.start = start
        cores = os.cpu_count() or 1
        self.used = min(wanted.engine.threads, cores)
        self.text = self._text()
        self.matrices = {
            name: self._matrix(name, parameters) for name, parameters in wanted.matrices().items()
        }
        self.stages: list[StagePlan] = []

    def _growth(self, values: Sequence[float]) -> Growth:
        return Growth.of([one.corpus.n_tokens for one in self.samples], values)

    def _kept(self, min_count: int) -> float:
        """How many words occur so many times."""
        kept = [one.corpus.vocabulary.n_kept(min_count) for one in self.samples]
        return self._growth(kept).at(self.last.corpus.n_tokens * self.factor)

    def _text(self) -> Text:
        corpus, words = self.last.corpus, self.last.corpus.vocabulary
        spelled = int(words.words.nbytes) / len(words) - 8
        types = self._growth([one.corpus.n_types for one in self.samples])
        rare = 1 - corpus.coverage(words.n_kept(self.wanted.counts.min_count))
        most = max(int(words.counts[0]), rare * corpus.n_tokens) * self.factor
        n_tokens, n_sentences = corpus.n_tokens * self.factor, corpus.n_sentences * self.factor
        return Text(n_tokens, n_sentences, types, max(spelled, 1.0), most)

    def _matrix(self, name: str, parameters: CountsParameters) -> Matrix:
        kept = min(self._kept(parameters.min_count), parameters.vocabulary or np.inf) + 1
        entries = self._growth([_entries(one.matrices.get(name)) for one in self.samples])
        return Matrix(kept, parameters.parsed(), parameters.across_lines, entries)

    def plan(self) -> Plan:
        if self.wanted.reading.tokens == "morphs":
            self._morphs_first()
        self._reading()
        self._counting()
        if self.wanted.vectors is not None:
            self._vectors(self.wanted.vectors[1])
            self._grammar_vectors()
        if self.wanted.classes is not None:
            self._classes(self.wanted.classes)
        if self.wanted.morphs and self.wanted.reading.tokens != "morphs":
            self._morphs()
        if self.wanted.tags:
            self._tags()
        stays = np.cumsum([0, *(stage.stays for stage in self.stages)]).tolist()
        disk = max(a + stage.disk for a, stage in zip(stays[:-1], self.stages, strict=True))
        return Plan(
            exact=self.last.exact,
            n_bytes=sum(source.disk_size() for source in self.sources),
            n_tokens=round(self.text.n_tokens),
            n_types=round(self.text.n_types),
            rows=Rows(self._row(least) for least in MIN_COUNTS),
            n_entries=round(self.matrices["counts"].n_entries(self.text)),
            memory=max(stage.memory for stage in self.stages),
            disk=disk,
            stays=stays[-1],
            seconds=self.start + sum(stage.seconds for stage in self.stages),
            cpu_seconds=self.start + sum(stage.cpu_seconds for stage in self.stages),
            start=self.start,
            stages=Rows(self.stages),
        )

    def _row(self, least: int) -> PlanRow:
        corpus, n_words = self.last.corpus, self._kept(least)
        kept = corpus.vocabulary.n_kept(least)
        # what a rare word adds to the text is about the same in a longer one
        types = max(1, corpus.n_types - kept)
        missing = (1 - corpus.coverage(kept)) * (self.text.n_types - n_words) / types / self.factor
        return PlanRow(least, round(n_words), 1 - missing)

    def _add(self, name: str, work: Work, space: Space) -> None:
        self.stages.append(
            StagePlan(
                name,
                work.seconds(self.used),
                work.cpu,
                round(space.memory),
                round(space.disk),
                round(space.stays),
            )
        )

    def _measured(self, name: str) -> Work:
        """The work of reading or counting all of the text.

        If the largest sample took far longer than a smaller one, kernels were compiled for it.
        """
        work, n_tokens = self.last.work.get(name, Work()), self.last.corpus.n_tokens
        for one in self.samples[-2:-1]:
            longer = n_tokens / one.corpus.n_tokens
            if name in one.work and work.cpu > 3 * longer * one.work[name].cpu:
                work = one.work[name] * longer
        return work * self.factor

    def _counting_work(self, name: str) -> Work:
        """Counting, and adding up the matrices of pieces of the text."""
        matrix, work = self.matrices[name], self._measured(name)
        n = costs.counting_passes(self.text, matrix, self.wanted.limit, self.wanted.engine)
        if n == 1:
            return work
        added = n * matrix.n_entries(self.text, 1 / n) / max(matrix.n_entries(self.text), 1)
        return work * (1 + 0.5 * added)

    def _morphs_first(self) -> None:
        """A morphology that text is read with."""
        tried = max(self.last.n_words, 1)
        words = self._growth([one.n_words for one in self.samples])
        n = min(words.at(self.text.n_tokens), MOST_WORDS)
        self._add(
            "morphs", self.last.work["morphs"] * (n / tried), costs.morphs_space(self.text, n)
        )

    def _reading(self) -> None:
        space = costs.reading_space(
            self.text, self.wanted.limit, self.wanted.engine.threads, takes_long(self.sources)
        )
        self._add("corpus", self._measured("corpus"), space)

    def _counting(self) -> None:
        space = costs.counting_space(
            self.text, self.matrices["counts"], self.wanted.limit, self.wanted.engine
        )
        self._add("counts", self._counting_work("counts"), space)

    def _vectors(self, parameters: VectorsParameters) -> None:
        matrix = self.matrices["vectors"]
        dim = min(parameters.dim or default_dim(int(matrix.n_words)), matrix.n_words)
        basis, work = 3.2 * dim, self._counting_work("vectors")
        if counts := self._trial("vectors"):
            with progress.silently():
                trial = time_decomposition(counts, parameters, self.wanted)
            basis, more = costs.decomposition_work(trial, self.text, matrix, dim)
            work += more
        space = costs.vectors_space(
            self.text, matrix, dim, basis, self.wanted.limit, self.wanted.engine
        )
        # files are written and read back at about the speed with which a corpus is
        corpus = next(stage for stage in self.stages if stage.name == "corpus")
        files = space.stays / max(corpus.stays, 1)
        self._add("vectors", work + self._measured("corpus") * (0.3 * files), space)

    def _grammar_vectors(self) -> None:
        name = "grammar_vectors" if "grammar_vectors" in self.matrices else "counts"
        matrix, work = self.matrices[name], Work()
        if name != "counts":
            work += self._counting_work(name)
        if counts := self._trial(name):
            sample = next(one for one in self.samples if one.matrices.get(name) is counts)
            trial = time_grammar(sample.corpus, counts, self.wanted.engine)
            work += (trial or Work()) * (matrix.n_entries(self.text) / max(counts.n_entries, 1))
        dim = default_grammar_dim(int(matrix.n_words))
        space = costs.grammar_space(
            self.text, matrix, dim, self.wanted.limit, self.wanted.engine, name == "counts"
        )
        self._add("grammar_vectors", work, space)

    def _trial(self, name: str) -> Counts | None:
        """The largest matrix that a trial does not take long for."""
        some = [one.matrices[name] for one in self.samples if name in one.matrices]
        small = [counts for counts in some if counts.n_entries <= _ENTRIES]
        return small[-1] if small else next(iter(some), None)

    def _classes(self, parameters: ClassesParameters) -> None:
        name = "classes" if "classes" in self.matrices else "counts"
        matrix = self.matrices[name]
        n = matrix.n_words
        m = min(parameters.n_classes or default_n_classes(round(n)), n)
        pairs = self._growth([_pairs(one.matrices.get(name)) for one in self.samples])
        n_pairs = pairs.at(self.text.n_tokens)
        work = self._counting_work(name) if name == "classes" else Work()
        some = [one.matrices[name] for one in self.samples if name in one.matrices]
        counts = some[-2] if len(some) > 1 and not self.last.exact else next(iter(some[-1:]), None)
        with progress.silently():
            trial = counts and time_classes(counts, parameters, self.wanted.engine)
        if trial and counts:
            tried = costs.brown_work(counts.n_rows, trial[0], _pairs(counts))
            work += trial[1] * (costs.brown_work(n, m, n_pairs) / tried)
        space = costs.classes_space(self.text, matrix, n_pairs, m, name == "counts")
        self._add("classes", work, space)

    def _morphs(self) -> None:
        corpora = [one.corpus for one in self.samples]
        small = [corpus for corpus in corpora if corpus.n_types <= _TYPES]
        tried = small[-1] if small else corpora[0]
        with progress.silently():
            n_words, work = time_morphs(tried) or (0, Work())
        ratio = self.text.n_types / tried.n_types
        self._add("morphs", work * ratio, costs.morphs_space(self.text, n_words * ratio))

    def _tags(self) -> None:
        matrix, tried = self.matrices["tags"], self.samples[0].corpus
        with progress.silently():
            work = time_tags(tried, self.wanted.tags, self.wanted.memory, self.wanted.engine)
        ratio = costs.tags_work(matrix.n_words, self.text.n_tokens)
        ratio /= costs.tags_work(tried.n_types, tried.n_tokens)
        self._add("tags", (work or Work()) * ratio, costs.tags_space(self.text, matrix))


def _entries(counts: Counts | None) -> float:
    return 0.0 if counts is None else float(counts.n_entries)


def _pairs(counts: Counts | None) -> float:
    """How many pairs of adjacent words there are: the entries of the block for the next word."""
    if counts is None:
        return 0.0
    first, _ = counts.block_columns(1)
    columns = counts.entries.indices
    return float(
        sum(
            np.count_nonzero((some >= first) & (some < first + counts.n_rows))
            for some in (columns[a : a + _AT_ONCE] for a in range(0, len(columns), _AT_ONCE))
        )
    )
