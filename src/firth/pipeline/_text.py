"""Text into a model: the corpus, its index, and counts of contexts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from firth import corpus as corpora
from firth import counts as counting
from firth.compute import Engine
from firth.corpus import Corpus, Reading, Source
from firth.counts import Counts, CountsParameters
from firth.errors import ModelError
from firth.store import Part, Writer

__all__ = ["corpus_part", "counts_for", "learn_corpus", "learn_counts", "learn_index"]


def learn_corpus(
    writer: Writer, sources: Sequence[Source], reading: Reading, engine: Engine
) -> bool:
    """Read text into the corpus of a model; returns False where that was done before."""
    parameters = reading.parameters()
    old = writer.parts.get("corpus")
    if old is not None and dict(old.parameters) == parameters:
        made_from = _made_from(sources, [source.checksum() for source in sources])
        if writer.is_current("corpus", corpora.VERSION, parameters, made_from):
            return False
    with writer.part("corpus", corpora.VERSION, threads=engine.threads) as draft:
        draft.facts = corpora.build(sources, reading, draft.folder, engine)
        draft.parameters = parameters
        draft.made_from = _made_from(sources, [source.sha256 for source in sources])
        draft.content = corpora.CONTENT
    return True


def _made_from(sources: Sequence[Source], checksums: Sequence[str | None]) -> dict[str, Any]:
    return {
        "sources": [
            {"path": str(s.path) if s.path else None, "kind": s.kind, "sha256": checksum}
            for s, checksum in zip(sources, checksums, strict=True)
        ]
    }


def corpus_part(writer: Writer) -> Part:
    part = writer.parts.get("corpus")
    if part is None:
        raise ModelError(
            f"The model {writer.path} has no corpus to count.",
            f"Read one: firth corpus learn TEXT -o {writer.path}",
        )
    return part


def learn_index(writer: Writer) -> bool:
    """Note where each word of the corpus of a model stands; returns False where that was done before."""
    part = corpus_part(writer)
    made_from = {"corpus": part.content}
    if writer.is_current("index", corpora.INDEX_VERSION, {}, made_from):
        return False
    part.verify()
    corpus = Corpus(part.path, part.parameters)
    with writer.part("index", corpora.INDEX_VERSION) as draft:
        corpora.build_index(corpus, draft.folder)
        draft.facts = {"n_tokens": corpus.n_tokens}
        draft.made_from = made_from
    return True


def learn_counts(
    writer: Writer, parameters: CountsParameters, memory: int | str, engine: Engine
) -> bool:
    """Count the contexts in the corpus of a model; returns False where that was done before."""
    part = corpus_part(writer)
    made_from = {"corpus": part.content}
    if writer.is_current("counts", counting.VERSION, parameters.parameters(), made_from):
        return False
    part.verify()
    corpus = Corpus(part.path, part.parameters)
    with writer.part(
        "counts", counting.VERSION, threads=engine.threads, memory=str(memory)
    ) as draft:
        draft.facts = counting.build_counts(corpus, parameters, draft.folder, memory, engine)
        draft.parameters = parameters.parameters()
        draft.made_from = made_from
    return True


def counts_for(
    writer: Writer, part: Part, parameters: CountsParameters, scratch: Path, memory: int | str, engine: Engine,
) -> Counts:  # fmt: skip
    """The counts of the model where they are just those wanted, or else new ones in a scratch folder."""
    made_from = {"corpus": part.content}
    if writer.is_current("counts", counting.VERSION, parameters.parameters(), made_from):
        counted = writer.parts["counts"]
        return Counts(counted.path, list(counted.files), counted.parameters)
    part.verify()
    corpus = Corpus(part.path, part.parameters)
    scratch.mkdir()
    counting.build_counts(corpus, parameters, scratch, memory, engine)
    names = [path.name for path in scratch.iterdir()]
    return Counts(scratch.joinpath, names, parameters.parameters())
