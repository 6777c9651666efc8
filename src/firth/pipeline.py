"""From text to a model, stage by stage; a stage that is done already is not done again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from firth import corpus as corpora
from firth import counts as counting
from firth.compute import check_threads
from firth.corpus import Corpus, Reading, Source
from firth.counts import CountsParameters
from firth.errors import ModelError
from firth.model import Model
from firth.store import Writer, writing

__all__ = ["learn", "learn_corpus", "learn_counts"]


def learn(
    texts: str | Path | Sequence[str | Path],
    model: str | Path,
    *,
    tokens: str = "words",
    split: str = "lines",
    lowercase: bool = False,
    digits: str = "keep",
    errors: str = "strict",
    column: str = "text",
    contexts: str = "LR2",
    weights: str = "none",
    min_count: int = 5,
    vocabulary: int | None = 200_000,
    across_lines: bool = False,
    memory: int | str = "4G",
    threads: int | None = None,
) -> Model:
    """Learn all there is to learn from text, into a model folder.

    Stages that were done before with the same text and parameters are not done again, so an
    interrupted run goes on where it was.

    Parameters
    ----------
    texts : str, Path or a list of them
        Files, folders, patterns, ``-``.
    model : str or Path
        The folder to write to. Parts that are there already are replaced when they differ.
    tokens : {"words", "whitespace", "characters"}
        What a token is.
    split : {"lines", "sentences", "none"}
        What a sentence is.
    lowercase : bool
        Whether words are lower-cased.
    digits : {"keep", "zero"}
        Whether digits become ``0``.
    errors : {"strict", "replace"}
        What happens to bytes that are not UTF-8.
    column : str
        The column that holds the text, in JSON Lines, Parquet and Arrow files.
    contexts : str
        ``R1``, ``LR2``, ``bag5``, or offsets such as ``-2,1``; see ``firth.count``.
    weights : {"none", "distance", "dynamic"}
        How much a context word counts by its distance.
    min_count : int
        Words with fewer occurrences become the one rare symbol.
    vocabulary : int or None
        The most words to keep; None for no limit.
    across_lines : bool
        Whether contexts reach over sentence ends.
    memory : int or str
        About how much memory counting may use.
    threads : int, optional
        All cores by default.

    Returns
    -------
    Model
    """
    reading = Reading(tokens, split, lowercase, digits, errors, column)
    parameters = CountsParameters(contexts, weights, min_count, vocabulary, across_lines)
    n_threads = check_threads("learn", threads)
    counting.parse_memory(memory)  # an error now rather than after the reading
    sources = corpora.find_sources([texts] if isinstance(texts, str | Path) else texts, column)
    with writing(model) as writer:
        changed = {
            "corpus": learn_corpus(writer, sources, reading, n_threads),
            "counts": learn_counts(writer, parameters, memory, n_threads),
        }
    learned = Model(model)
    learned.changed = [name for name, anew in changed.items() if anew]
    return learned


def _made_from(sources: Sequence[Source], checksums: Sequence[str | None]) -> dict[str, Any]:
    return {
        "sources": [
            {"path": str(s.path) if s.path else None, "kind": s.kind, "sha256": checksum}
            for s, checksum in zip(sources, checksums, strict=True)
        ]
    }


def learn_corpus(writer: Writer, sources: Sequence[Source], reading: Reading, threads: int) -> bool:
    """Read text into the corpus of a model; returns False where that was done before."""
    parameters = reading.parameters()
    old = writer.parts.get("corpus")
    if old is not None and dict(old.parameters) == parameters:
        made_from = _made_from(sources, [source.checksum() for source in sources])
        if writer.is_current("corpus", corpora.VERSION, parameters, made_from):
            return False
    with writer.part("corpus", corpora.VERSION, threads=threads) as draft:
        draft.facts = corpora.build(sources, reading, draft.folder, threads)
        draft.parameters = parameters
        draft.made_from = _made_from(sources, [source.sha256 for source in sources])
        draft.content = corpora.CONTENT
    return True


def learn_counts(
    writer: Writer, parameters: CountsParameters, memory: int | str, threads: int
) -> bool:
    """Count the contexts in the corpus of a model; returns False where that was done before."""
    part = writer.parts.get("corpus")
    if part is None:
        raise ModelError(
            f"The model {writer.path} has no corpus to count.",
            f"Read one: firth corpus learn TEXT -o {writer.path}",
        )
    made_from = {"corpus": part.content}
    if writer.is_current("counts", counting.VERSION, parameters.parameters(), made_from):
        return False
    part.verify()
    corpus = Corpus(part.path, part.parameters)
    with writer.part("counts", counting.VERSION, threads=threads, memory=str(memory)) as draft:
        draft.facts = counting.build_counts(corpus, parameters, draft.folder, memory, threads)
        draft.parameters = parameters.parameters()
        draft.made_from = made_from
    return True
