"""Text into a model: the corpus, its index, and co-occurrence counts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from firth import corpus as corpora
from firth import counts as counting
from firth import progress
from firth.compute import Engine, connected, engine_for
from firth.corpus import (
    Corpus,
    Reading,
    Source,
    find_sources,
    find_texts,
    read_metadata,
    takes_long,
)
from firth.counts import Counts, CountsParameters, PanelCounts
from firth.errors import FirthError, InputError, ModelError, ParameterError, not_for
from firth.measure import joining
from firth.model import Model
from firth.parameters import (
    MEMORY,
    JobParameters,
    Replacing,
    Resources,
    check_known,
    documents,
    parse_memory,
)
from firth.parts import PARTS, is_current, new_part
from firth.pipeline._documents import make_documents
from firth.pipeline._making import (
    check_same_text,
    kept_parts,
    made,
    make_part,
    opened,
    part_of,
    previous,
)
from firth.pipeline._morph_tokens import divider, morphs_of
from firth.store import Part, Writer, writing

__all__ = [
    "Texts",
    "check_engine",
    "counts_for",
    "engine_of",
    "learn_corpus",
    "learn_counts",
    "learn_from_text",
    "learn_index",
    "listed",
    "make_corpus",
    "make_counts",
    "make_index",
    "of_text",
    "panels_for",
    "read_text",
]

Texts = str | Path | Sequence[str | Path] | Any
"""Files; ``learn`` and ``learn_corpus`` also take texts in memory."""


def of_text(options: dict[str, Any]) -> dict[str, Any]:
    """Remove the options of ``learn_from_text`` from others, and return them."""
    stages = (Reading, JobParameters, Replacing)
    return {name: value for stage in stages for name, value in stage.take(options).items()}


def learn_from_text(
    name: str,
    model: str | Path,
    texts: Texts,
    options: dict[str, Any],
    make: Callable[[Writer, Engine, int | str], bool],
    device: str = "cpu",
) -> Model:
    """Read texts into a model, if there are any, and then make a part of it.

    Of ``options``, those that say how text is read, and ``memory`` and ``threads``, are used here.
    Everything is checked before anything is read.
    """
    job = _job(f"learn_{name}", options, device)
    reading, kept = Reading.take(options), kept_parts(options, "corpus", name)
    check_known(f"learn_{name}", options)
    column, read_as = (reading.get(name, getattr(Reading, name)) for name in ("column", "read_as"))
    sources = find_sources(listed(texts), column, job.skip_bad, read_as) if texts else []
    if not sources and (reading or not kept):
        other = next(iter(reading), "replace")
        raise not_for(other, "a model, which has a corpus already: it is for text")
    changed: dict[str, bool] = {}
    with writing(model) as writer, engine_of(f"learn_{name}", job, device) as engine:
        if sources:
            changed |= read_text(writer, sources, Reading(**reading), engine, job, kept)
        changed[name] = make(writer, engine, job.memory)
    return made(model, changed)


def _job(owner: str, options: dict[str, Any], device: str = "cpu") -> JobParameters:
    """Remove from options those that say how a job runs, and return them, checked."""
    job = JobParameters(**JobParameters.take(options))
    check_engine(owner, job, device)
    parse_memory(job.memory)
    return job


@contextmanager
def engine_of(owner: str, job: JobParameters, device: str = "cpu") -> Iterator[Engine]:
    """Where a job runs: on threads, and on a cluster or a GPU if it has one.

    The workers of a cluster have GPUs of their own, so this machine needs none.
    """
    engine = check_engine(owner, job, device)
    if device != "cpu" and engine.device is None:
        progress.notice("This machine has no GPU that can be used; those of the workers are used.")
    with connected(job.cluster, device) as cluster:
        yield replace(engine, cluster=cluster)


def check_engine(owner: str, job: JobParameters, device: str) -> Engine:
    """The engine of a job without its cluster, or an error: before anything is read."""
    try:
        return engine_for(owner, job.threads, device)
    except ParameterError:
        raise
    except FirthError:
        if job.cluster is None:
            raise
        return engine_for(owner, job.threads)


def listed(texts: Texts) -> Sequence[str | Path]:
    """One text or several, as a list."""
    return [texts] if isinstance(texts, str | Path) else texts


@documents(Reading, JobParameters, Replacing)
def learn_corpus(model: str | Path, texts: Texts, **options: Any) -> Model:
    """Read text into the corpus of a model.

    Parameters
    ----------
    model : str or Path
        The folder to write to.
    texts : str, Path or list of them, frame or records
        As for ``learn``.
    """
    job = _job("learn_corpus", options)
    reading = Reading(**Reading.take(options))
    kept = kept_parts(options, "corpus")
    check_known("learn_corpus", options)
    sources = find_texts(texts, reading.column, job.skip_bad, reading.read_as)
    with writing(model) as writer, engine_of("learn_corpus", job) as engine:
        changed = read_text(writer, sources, reading, engine, job, kept)
    return made(model, changed)


def read_text(
    writer: Writer,
    sources: Sequence[Source],
    reading: Reading,
    engine: Engine,
    job: JobParameters,
    kept: Sequence[str],
) -> dict[str, bool]:
    """Read text into the corpus of a model, and find its documents; returns what was made."""
    if job.metadata is not None:
        with progress.silently(notices=False):  # a wrong table is an error before hours of reading
            read_metadata(job.metadata).rows_of([source.name for source in sources])
    changed = make_corpus(writer, sources, reading, engine, job.memory, kept, job.skip_bad)
    changed["documents"] = make_documents(writer, sources, job.metadata)
    return changed


def make_corpus(
    writer: Writer,
    sources: Sequence[Source],
    reading: Reading,
    engine: Engine,
    memory: int | str,
    kept: Sequence[str],
    skip_bad: bool = False,
) -> dict[str, bool]:
    """Read text into the corpus of a model; returns which parts were made, and which were made before.

    If tokens are morphs, a morphology is learned from the words of the text before they are divided.
    Parts in ``kept`` are not replaced if they were made from other text; see ``check_same_text``.
    Whether standard input is the same text is known when it has been read. With ``skip_bad``, files
    that cannot be read are left out.
    """
    parameters = reading.parameters()
    find_phrases, joined = joining(reading)
    old = writer.parts.get("corpus")
    files = [path for source in sources if (path := source.stored_path())]
    before = _read_before(old)
    if len(files) == len(sources):
        known = _of_known_size(sources, before)
        checksums = (_checksum(source, before, skip_bad) for source in known)
        check_same_text(writer, kept, files, checksums)
    skipped = _skipped_before(old) if old and skip_bad else []
    wanted = [source for source in sources if source.stored_path() not in skipped]
    if old is not None and dict(old.parameters) == parameters and _may_be(wanted, before):
        checked = [_checksum(source, before, skip_bad) for source in sources]
        made_from = _made_from(sources, checked, skipped) | morphs_of(writer, reading) | joined
        if is_current(writer, "corpus", parameters, made_from):
            return {"corpus": False}
    pieces = corpora.in_pieces(engine, skip_bad)
    unfinished = _unfinished(writer, sources, reading, pieces)
    morphs = writer.parts.get("morphs")
    with new_part(writer, "corpus", threads=engine.threads, memory=str(memory)) as draft:
        draft.facts = corpora.build(
            sources, reading, draft.folder, engine, memory, skip_bad, unfinished,
            partial(divider, writer) if reading.tokens == "morphs" else None, find_phrases,
        )  # fmt: skip
        check_same_text(writer, kept, files, (source.sha256 for source in sources))
        draft.parameters = parameters
        # what was read, not what is in the files now
        read = [_checksum(s, [], skip_bad) if s.skipped else s.sha256 for s in sources]
        skipped = [path for s in sources if s.skipped and (path := s.stored_path())]
        draft.made_from = _made_from(sources, read, skipped) | morphs_of(writer, reading) | joined
        draft.content = corpora.CONTENT
    if reading.tokens != "morphs":
        return {"corpus": True}
    return {"morphs": writer.parts["morphs"] != morphs, "corpus": True}


def _unfinished(
    writer: Writer,
    sources: Sequence[Source],
    reading: Reading,
    pieces: bool,
) -> Path | None:
    """The folder for checkpoints of a text that takes long to read; None for others.

    A checkpoint of ``pieces`` is only for text that is read in pieces.
    """
    known = [source.state() for source in sources]
    if None in known or not takes_long(sources):
        return None
    made_from = {"files": known, "pieces": pieces}
    segmenter = corpora.version_of(reading.tokens)  # with another version, the rest would not fit
    made_from |= {"segmenter": segmenter} if segmenter else {}
    return writer.unfinished("corpus", PARTS["corpus"].version, reading.parameters(), made_from)


def _read_before(corpus: Part | None) -> list[dict[str, Any]]:
    """The sources of a corpus; none if there is no corpus, or if it is damaged."""
    if corpus is None:
        return []
    try:
        known = {"path": str | None, "n_bytes": int, "sha256": str}
        return list(corpus.json(corpora.SOURCES, [known]))
    except ModelError:
        return []


def _of_known_size(sources: Sequence[Source], before: Sequence[Mapping[str, Any]]) -> list[Source]:
    """The files that can be a file of a corpus, by their sizes; others need not be read."""
    sizes = {entry["n_bytes"] for entry in before}
    return [s for s in sources if not sizes or not s.has_size() or s.disk_size() in sizes]


def _may_be(sources: Sequence[Source], before: Sequence[Mapping[str, Any]]) -> bool:
    """Whether sources can be those of a corpus, by their paths and sizes."""
    known = [(entry["path"], entry["n_bytes"]) for entry in before]
    if known and len(known) != len(sources):
        return False
    return all(
        source.stored_path() == path and (not source.has_size() or source.disk_size() == n_bytes)
        for source, (path, n_bytes) in zip(sources, known, strict=False)
    )


def _checksum(source: Source, before: Sequence[Mapping[str, Any]], skip_bad: bool) -> str | None:
    """The checksum of a source; with ``skip_bad``, None if it cannot be read.

    A remote file is not read again if the server says that it is the same.
    """
    if source.token:
        for entry in before:
            if (entry["path"], entry.get("token")) == (source.stored_path(), source.token):
                return str(entry["sha256"])
    try:
        return source.checksum()
    except InputError:
        if not skip_bad:
            raise
        return None


def _skipped_before(corpus: Part) -> list[str]:
    """The files that were left out of a corpus."""
    sources: Any = corpus.made_from.get("sources", [])
    return [source["path"] for source in sources if source.get("skipped")]


def _made_from(
    sources: Sequence[Source], checksums: Iterable[str | None], skipped: Collection[str] = ()
) -> dict[str, Any]:
    """What the manifest tells about the files of a corpus; ``skipped`` are those that were left out."""
    entries = []
    for source, checksum in zip(sources, checksums, strict=True):
        entry = source.identity(checksum)
        entries.append({**entry, "skipped": True} if entry["path"] in skipped else entry)
    return {"sources": entries}


@documents(Resources, skip=["threads"])
def learn_index(model: str | Path, **options: Any) -> Model:
    """Index where each word of the corpus of a model occurs.

    Parameters
    ----------
    model : str or Path
        A model folder with a corpus.
    """
    memory = options.pop("memory", MEMORY)
    check_known("learn_index", options)
    parse_memory(memory)
    with writing(model) as writer:
        changed = {"index": make_index(writer, memory)}
    return made(model, changed)


def make_index(writer: Writer, memory: int | str = MEMORY) -> bool:
    """Index the corpus of a model; returns False if that was done before."""

    def make(folder: Path) -> dict[str, Any]:
        corpus: Corpus = opened(writer, "corpus")
        corpora.build_index(corpus, folder, memory, engine_for("learn_index", None))
        return {"n_tokens": corpus.n_tokens}

    made_from = {"corpus": part_of(writer, "corpus").content}
    return make_part(writer, "index", {}, made_from, make, memory=str(memory))


@documents(CountsParameters, Reading, JobParameters, Replacing)
def learn_counts(model: str | Path, texts: Texts = (), **options: Any) -> Model:
    """Count the contexts of the words of a model.

    If the model has counts already, parameters that are not given keep their values.

    Parameters
    ----------
    model : str or Path
        A model folder.
    texts : str, Path or list of them
        Text to read into the model first; by default its corpus is taken as it is.
    """
    before = previous(model, "counts")
    parameters = CountsParameters(**{**before, **CountsParameters.take(options)})
    return learn_from_text(
        "counts",
        model,
        texts,
        options,
        lambda writer, engine, memory: make_counts(writer, parameters, memory, engine),
    )


def make_counts(
    writer: Writer, parameters: CountsParameters, memory: int | str, engine: Engine
) -> bool:
    """Count the contexts in the corpus of a model; returns False if that was done before."""

    def make(folder: Path) -> Mapping[str, Any]:
        corpus = opened(writer, "corpus")
        return counting.build_counts(corpus, parameters, folder, memory, engine, unfinished)

    made_from = {"corpus": part_of(writer, "corpus").content}
    version = PARTS["counts"].version
    unfinished = writer.unfinished("counts", version, parameters.parameters(), made_from)
    log = {"threads": engine.threads, "memory": str(memory)}
    return make_part(writer, "counts", parameters.parameters(), made_from, make, **log)


@contextmanager
def panels_for(
    writer: Writer,
    name: str,
    parameters: CountsParameters,
    memory: int | str,
    engine: Engine,
    unfinished: Path | None = None,
) -> Iterator[Counts | PanelCounts]:
    """The same as ``counts_for``, but new counts stay on the workers of a cluster, if there is one."""
    made_from = {"corpus": part_of(writer, "corpus").content}
    known = is_current(writer, "counts", parameters.parameters(), made_from)
    if engine.cluster and not known:
        yield counting.count_panels(opened(writer, "corpus"), parameters, engine.cluster)
        return
    with counts_for(writer, name, parameters, memory, engine, unfinished) as counts:
        yield counts


@contextmanager
def counts_for(
    writer: Writer,
    name: str,
    parameters: CountsParameters,
    memory: int | str,
    engine: Engine,
    unfinished: Path | None = None,
) -> Iterator[Counts]:
    """The counts of the model if they have these parameters, or else new ones, while ``name`` is made.

    ``unfinished`` is the folder for checkpoints of that part.
    """
    made_from = {"corpus": part_of(writer, "corpus").content}
    if is_current(writer, "counts", parameters.parameters(), made_from):
        yield Counts.load(writer.parts["counts"])
        return
    with writer.scratch(name) as scratch:
        corpus, kept = opened(writer, "corpus"), unfinished and unfinished / "counts"
        counting.build_counts(corpus, parameters, scratch, memory, engine, kept)
        yield Counts.load(Part.in_folder(scratch, parameters.parameters()))
