"""Text into a model: the corpus, its index, and co-occurrence counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from firth import corpus as corpora
from firth import counts as counting
from firth.compute import Engine, engine_for
from firth.corpus import Corpus, Reading, Source, find_sources
from firth.counts import Counts, CountsParameters
from firth.errors import ModelError, not_for
from firth.formats import stored_name
from firth.model import Model
from firth.parameters import MEMORY, Replacing, Resources, check_known, documents, parse_memory
from firth.parts import is_current, new_part
from firth.pipeline._making import (
    check_same_text,
    kept_parts,
    made,
    make_part,
    opened,
    part_of,
    previous,
)
from firth.store import Part, Writer, writing

__all__ = [
    "Texts",
    "counts_for",
    "learn_corpus",
    "learn_counts",
    "learn_from_text",
    "learn_index",
    "listed",
    "make_corpus",
    "make_counts",
    "make_index",
    "of_text",
]

Texts = str | Path | Sequence[str | Path]


def of_text(options: dict[str, Any]) -> dict[str, Any]:
    """Remove the options of ``learn_from_text`` from others, and return them."""
    stages = (Reading, Resources, Replacing)
    return {name: value for stage in stages for name, value in stage.take(options).items()}


def learn_from_text(
    name: str,
    model: str | Path,
    texts: Texts,
    options: dict[str, Any],
    make: Callable[[Writer, Engine, int | str], bool],
) -> Model:
    """Read texts into a model, if there are any, and then make a part of it.

    Of ``options``, those that say how text is read, and ``memory`` and ``threads``, are used here.
    Everything is checked before anything is read.
    """
    memory = options.pop("memory", MEMORY)
    engine = engine_for(f"learn_{name}", options.pop("threads", None))
    parse_memory(memory)
    reading, kept = Reading.take(options), kept_parts(options, "corpus", name)
    check_known(f"learn_{name}", options)
    sources = find_sources(listed(texts), reading.get("column", Reading.column)) if texts else []
    if not sources and (reading or not kept):
        other = next(iter(reading), "replace")
        raise not_for(other, "a model, which has a corpus already: it is for text")
    changed = {}
    with writing(model) as writer:
        if sources:
            changed["corpus"] = make_corpus(
                writer, sources, Reading(**reading), engine, memory, kept
            )
        changed[name] = make(writer, engine, memory)
    return made(model, changed)


def listed(texts: Texts) -> Sequence[str | Path]:
    """One text or several, as a list."""
    return [texts] if isinstance(texts, str | Path) else texts


@documents(Reading, Resources, Replacing)
def learn_corpus(model: str | Path, texts: Texts, **options: Any) -> Model:
    """Read text into the corpus of a model.

    Parameters
    ----------
    model : str or Path
        The folder to write to.
    texts : str, Path or list of them
        Files, folders, patterns, or ``-`` for standard input.
    """
    engine = engine_for("learn_corpus", options.pop("threads", None))
    memory = options.pop("memory", MEMORY)
    parse_memory(memory)
    reading = Reading(**Reading.take(options))
    kept = kept_parts(options, "corpus")
    check_known("learn_corpus", options)
    sources = find_sources(listed(texts), reading.column)
    with writing(model) as writer:
        changed = {"corpus": make_corpus(writer, sources, reading, engine, memory, kept)}
    return made(model, changed)


def make_corpus(
    writer: Writer,
    sources: Sequence[Source],
    reading: Reading,
    engine: Engine,
    memory: int | str,
    kept: Sequence[str],
) -> bool:
    """Read text into the corpus of a model; returns False if that was done before.

    Parts in ``kept`` are not replaced if they were made from other text; see ``check_same_text``.
    Whether standard input is the same text is known when it has been read.
    """
    parameters = reading.parameters()
    old = writer.parts.get("corpus")
    files = [source.path for source in sources if source.path and not source.once]
    if len(files) == len(sources):
        checksums = (source.checksum() for source in _of_known_size(sources, old))
        check_same_text(writer, kept, files, checksums)
    if old is not None and dict(old.parameters) == parameters:
        made_from = _made_from(sources, [source.checksum() for source in sources])
        if is_current(writer, "corpus", parameters, made_from):
            return False
    with new_part(writer, "corpus", threads=engine.threads, memory=str(memory)) as draft:
        draft.facts = corpora.build(sources, reading, draft.folder, engine, memory)
        check_same_text(writer, kept, files, (source.sha256 for source in sources))
        draft.parameters = parameters
        # what was read, not what is in the files now
        draft.made_from = _made_from(sources, [source.sha256 for source in sources])
        draft.content = corpora.CONTENT
    return True


def _of_known_size(sources: Sequence[Source], corpus: Part | None) -> Sequence[Source]:
    """The files that can be a file of a corpus, by their sizes; others need not be read."""
    if corpus is None:
        return sources
    try:
        sizes = {s["n_bytes"] for s in corpus.json(corpora.SOURCES, [{"n_bytes": int}])}
    except ModelError:
        return sources  # the corpus is damaged
    return [source for source in sources if source.disk_size() in sizes]


def _made_from(sources: Sequence[Source], checksums: Iterable[str | None]) -> dict[str, Any]:
    return {
        "sources": [
            {"path": stored_name(s.path) if s.path else None, "kind": s.kind, "sha256": checksum}
            for s, checksum in zip(sources, checksums, strict=True)
        ]
    }


def learn_index(model: str | Path) -> Model:
    """Index where each word of the corpus of a model occurs."""
    with writing(model) as writer:
        changed = {"index": make_index(writer)}
    return made(model, changed)


def make_index(writer: Writer) -> bool:
    """Index the corpus of a model; returns False if that was done before."""

    def make(folder: Path) -> dict[str, Any]:
        corpus: Corpus = opened(writer, "corpus")
        corpora.build_index(corpus, folder)
        return {"n_tokens": corpus.n_tokens}

    return make_part(writer, "index", {}, {"corpus": part_of(writer, "corpus").content}, make)


@documents(CountsParameters, Reading, Resources, Replacing)
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
        return counting.build_counts(opened(writer, "corpus"), parameters, folder, memory, engine)

    made_from = {"corpus": part_of(writer, "corpus").content}
    log = {"threads": engine.threads, "memory": str(memory)}
    return make_part(writer, "counts", parameters.parameters(), made_from, make, **log)


@contextmanager
def counts_for(
    writer: Writer, name: str, parameters: CountsParameters, memory: int | str, engine: Engine
) -> Iterator[Counts]:
    """The counts of the model if they have these parameters, or else new ones, while ``name`` is made."""
    made_from = {"corpus": part_of(writer, "corpus").content}
    if is_current(writer, "counts", parameters.parameters(), made_from):
        yield Counts.load(writer.parts["counts"])
        return
    with writer.scratch(name) as scratch:
        counting.build_counts(opened(writer, "corpus"), parameters, scratch, memory, engine)
        yield Counts.load(Part.in_folder(scratch, parameters.parameters()))
