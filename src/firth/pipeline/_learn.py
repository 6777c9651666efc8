"""The main job: from text to a model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from firth import corpus as corpora
from firth import counts as counting
from firth import progress
from firth import vectors as embedding
from firth.classes import ClassesParameters
from firth.compute import Engine, engine_for
from firth.corpus import Reading
from firth.counts import CountsParameters
from firth.errors import InputError, ParameterError, check_count
from firth.model import Model
from firth.pipeline._taggers import make_tags
from firth.pipeline._text import make_corpus, make_counts
from firth.pipeline._words import make_classes, make_vectors, vectors_parameters
from firth.store import Writer, writing
from firth.tags import TAG_METHODS

__all__ = ["learn"]


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
    dim: int | None = None,
    preset: str = "similarity",
    classes: int | None = None,
    tags: int = 0,
    memory: int | str = "4G",
    threads: int | Engine | None = None,
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
    dim : int, optional
        The number of dimensions of the word vectors; by default 300, or fewer where the text is small.
        0 for no vectors.
    preset : {"similarity", "analogy", "syntax"}
        What the vectors are for: this decides the contexts that are counted for them.
    classes : int, optional
        The number of word classes; by default one that suits the vocabulary, 1,000 at the most. 0 for
        no classes.
    tags : int
        The number of parts of speech; by default none are learned.
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
    check_count("learn", "dim", dim or 0, least=0)
    check_count("learn", "classes", classes or 0, least=0)
    check_count("learn", "tags", tags, least=0)
    of_classes = ClassesParameters(classes or None)
    of_vectors, chosen = vectors_parameters(embedding.preset(preset), parameters, dim or None)
    engine = engine_for("learn", threads)
    counting.parse_memory(memory)  # an error now rather than after the reading
    sources = corpora.find_sources([texts] if isinstance(texts, str | Path) else texts, column)
    with writing(model) as writer:
        changed = {
            "corpus": make_corpus(writer, sources, reading, engine),
            "counts": make_counts(writer, parameters, memory, engine),
        }
        if dim != 0:
            changed["vectors"] = make_vectors(writer, of_vectors, chosen, memory, engine)
        if classes != 0:
            changed["classes"] = _learn_classes_if_any(
                writer, parameters, of_classes, memory, engine
            )
        if tags:
            tagger = TAG_METHODS.make("anchors", {"n_tags": tags, "threads": threads})
            changed["tags"] = make_tags(writer, "anchors", tagger, None, memory, engine)
    learned = Model(model)
    learned.changed = [name for name, anew in changed.items() if anew]
    return learned


def _learn_classes_if_any(
    writer: Writer, counted: CountsParameters, parameters: ClassesParameters, memory: int | str, engine: Engine
) -> bool:  # fmt: skip
    """Learn classes along the way: a text too small for them is no error unless a number was asked for."""
    try:
        return make_classes(writer, counted, parameters, memory, engine)
    except (InputError, ParameterError) as error:
        if parameters.n_classes is not None:
            raise
        progress.notice(f"No word classes were learned. {error.message}")
        return False
