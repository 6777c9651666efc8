"""What the words of a model can be compared by."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from firth.counts import Counts, count, has_neighbours
from firth.model import load
from firth.vectors import WordVectors

__all__ = ["comparable_words"]


def comparable_words(
    path: str | Path, by: str | None = None, words: Sequence[str] | None = None
) -> Counts | WordVectors:
    """Counts of neighbours, or vectors, for ``firth.cluster.word_tree``.

    Parameters
    ----------
    path : str or Path
        A model folder, or a file of vectors.
    by : str, optional
        ``neighbours`` or ``vectors``; by default neighbours if the model has a corpus.
    words : sequence of str, optional
        The words to compare. Neighbours are counted again if the counts of the model lack one of them.
    """
    if Path(path).is_file() and by != "neighbours":
        return WordVectors.read(path)
    model = load(path)
    if by is None:
        by = "neighbours" if "corpus" in model or "vectors" not in model else "vectors"
    if by == "vectors":
        return model.vectors
    if "counts" in model and not model.is_stale("counts") and has_neighbours(model.counts):
        known = model.counts.vocabulary.ids(words or [])
        if "corpus" not in model or None not in known:
            return model.counts
    return count(model.corpus, "LR1", min_count=1, vocabulary=None)
