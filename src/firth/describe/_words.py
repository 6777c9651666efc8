"""A word: its frequency, contexts, similar words and class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from firth.compare import Text, text_of
from firth.corpus import Corpus, Index
from firth.counts import Counts
from firth.describe._classes import word_class
from firth.errors import WordError
from firth.formats import Rows
from firth.measure import collocates_in
from firth.model import Model
from firth.vectors import Neighbour

__all__ = ["word_contexts", "word_facts", "word_frequency"]


def word_facts(
    model: Model,
    word: str,
    n: int,
    measure: str = "pmi",
    kinds: Sequence[str] = ("meaning",),
    where: str | None = None,
) -> dict[str, Any]:
    """A word as data: frequency, class, ``n`` contexts on each side and ``n`` similar words.

    For a word without a vector, ``similar_guessed`` says whether the similar words were guessed from its
    spelling. If ``kinds`` has ``grammar``, ``can_replace`` has the words that can replace it, as far as
    the model has grammatical vectors; without ``meaning`` there is no ``similar``.

    With ``where``, a condition such as ``year >= 1900``, frequency and contexts are those in the documents
    for which it holds. Class and similar words are learned from the whole text, and stay what they are.
    """
    facts: dict[str, Any] = {"word": word}
    text = None if where is None else text_of(model, where)
    if "meaning" in kinds and "vectors" in model and not model.is_stale("vectors"):
        vectors = model.vectors
        if "corpus" not in model:
            vectors.id(word)  # raises an error if the word is unknown
        if word in vectors:
            near: list[Neighbour] = vectors.neighbours([word], n)[0]
        else:
            near = _guessed(model, "meaning", word, n)
            facts["similar_guessed"] = bool(near)
        facts["similar"] = _similar(near)
    if "grammar" in kinds and "grammar_vectors" in model and not model.is_stale("grammar_vectors"):
        near = _guessed(model, "grammar", word, n)
        facts["can_replace"] = _similar(near)
    if "classes" in model and not model.is_stale("classes"):
        if not {"corpus", "vectors"} & model.parts.keys():
            model.classes.id(word)  # raises an error if the word is unknown
        facts["class"] = word_class(model.classes, word, n)
    if "corpus" not in model and {"vectors", "classes"} & model.parts.keys():
        return facts
    corpus = model.corpus
    word_id = corpus.vocabulary.id(word)
    facts |= word_frequency(corpus, word_id, text)
    if "counts" in model and not model.is_stale("counts") and word_id < model.counts.n_words:
        facts |= word_contexts(model.counts, word, n, measure, text)
    return facts


def _similar(near: list[Neighbour]) -> Rows[dict[str, Any]]:
    rows = ({"word": word, "similarity": round(s, 4)} for word, s in near)
    return Rows(rows, ("word", "similarity"))


def word_frequency(corpus: Corpus, word_id: int, text: Text | None = None) -> dict[str, Any]:
    """How often a word occurs, in all of a corpus or in a text of some of its documents, as data.

    ``rank`` is None if it does not occur there. With a text, ``where`` has its size and what selects it.
    """
    if text is None:
        n = int(corpus.vocabulary.counts[word_id])
        return {"count": n, "rank": word_id + 1, "per_million": n / corpus.n_tokens * 1e6}
    counts, n = text.counts, int(text.counts[word_id])
    before = int((counts > n).sum() + (counts[:word_id] == n).sum())
    size = {"documents": text.n_documents, "tokens": text.n_tokens}
    return {
        "count": n, "rank": before + 1 if n else None, "per_million": n / text.n_tokens * 1e6,
        "where": {"condition": text.condition, **size},
    }  # fmt: skip


def _guessed(model: Model, kind: str, word: str, n: int) -> list[Neighbour]:
    """Words similar to a word, or to the vector that its spelling suggests if it is in the corpus."""
    vectors = model.vectors_of(kind)
    try:
        if word not in vectors:
            model.corpus.vocabulary.id(word)
        return vectors.neighbours([word], n, guess=True)[0]
    except WordError:
        return []


def word_contexts(
    counts: Counts,
    word: str,
    n: int,
    measure: str = "pmi",
    text: Text | None = None,
    index: Index | None = None,
) -> dict[str, Rows[dict[str, Any]]]:
    """The ``n`` strongest contexts of a word as data, by a measure of association.

    They are ``before`` and ``after`` it, as far as these offsets were counted, or ``contexts`` on either
    side if offsets were counted together.

    With a text, some documents of the corpus, the contexts are counted in these alone; the word index makes
    that quicker.
    """
    sides = {"contexts": None} if counts.contexts.bag else {"before": -1, "after": 1}
    counted = (
        {offset: counts.collocates(word, offset, n, measure) for offset in _offsets(counts, sides)}
        if text is None
        else collocates_in(text, counts, word, n, measure, _offsets(counts, sides), index)
    )
    return {
        side: Rows(
            (
                {
                    "word": c.word,
                    "count": c.count,
                    "pmi": round(c.pmi, 3),
                    measure: round(c.score, 3),
                }
                for c in counted[offset]
            ),
            tuple(dict.fromkeys(("word", "count", "pmi", measure))),
        )
        for side, offset in sides.items()
        if offset in counted
    }


def _offsets(counts: Counts, sides: Mapping[str, int | None]) -> list[int | None]:
    """The offsets of the sides that were counted."""
    return [
        offset
        for offset in sides.values()
        if offset is None or counts.contexts.block_of(offset) is not None
    ]
