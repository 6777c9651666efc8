"""Search, and the word view: frequency, class, tags, contexts, similar words, concordance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Query

from firth.classes import Context
from firth.counts import Measure
from firth.describe import word_contexts, word_frequency
from firth.errors import WordError
from firth.explore._requests import HowMany, Opened, Width, Word
from firth.explore._snapshot import WITH_WORDS, Snapshot
from firth.explore._subcorpora import text_where
from firth.explore.views.classes import ClassName, class_name
from firth.explore.views.find import Line, Where, line_of
from firth.explore.views.tags import TagShare, tags_of

__all__ = ["exported", "router", "sides"]

router = APIRouter(tags=["words"])
_EXPORTED_LINES = 6
_EXPORTED_ROWS = 12


@dataclass(frozen=True)
class Completed:
    """A word or a class that matches what was typed."""

    kind: str
    """``word`` or ``class``."""
    text: str
    count: int
    label: str = ""


@dataclass(frozen=True)
class Near:
    """A word and its cosine similarity, or its score in an analogy."""

    word: str
    similarity: float
    guessed: bool = False
    """Whether it is similar to a vector that was guessed from the spelling of a word without one."""


@dataclass(frozen=True)
class Beside(Context):
    """A word that occurs beside another one, with the measure of association that was asked for."""

    score: float


@dataclass(frozen=True)
class WordFacts:
    """A word with its frequency, class, tags and contexts."""

    word: str
    count: int | None
    rank: int | None
    per_million: float | None
    word_class: ClassName | None
    guessed: bool
    """Whether the class was guessed from the spelling, because the word is too rare to have one."""
    members: list[str]
    """The most frequent words of its class."""
    tags: list[TagShare]
    """Its tags, most frequent first."""
    tags_guessed: bool
    """Whether the tags were guessed from the spelling, because the word is unknown to the tagger."""
    sides: dict[str, list[Beside]]
    """Context words ``before`` and ``after`` it, or ``near`` it if the counts do not have sides."""


@dataclass(frozen=True)
class Lines:
    """A concordance: occurrences evenly spread over the corpus."""

    word: str
    count: int
    lines: list[Line]


@router.get("/complete")
def complete(
    snapshot: Opened,
    q: Annotated[str, Query(max_length=1_000, description="What was typed.")],
    n: Annotated[int, Query(ge=1, le=100, description="Maximum number of completions.")] = 12,
) -> list[Completed]:
    """Words with a prefix (case and accents are ignored), and classes by path."""
    text = q.strip()
    found: list[Completed] = []
    if "classes" in snapshot.parts and text and not text.strip("01"):
        tree = snapshot.classes.tree
        paths = [text] if text in tree.node_of else []
        paths += [path for path in (text + "0", text + "1") if path in tree.node_of]
        for path in paths:
            name = class_name(snapshot, path)
            found.append(Completed("class", path, name.tokens, name.label))
    counts = snapshot.vocabulary.counts
    words = snapshot.completion.search(text, n)
    found += [Completed("word", snapshot.vocabulary[i], int(counts[i])) for i in words]
    return found[:n]


@router.get("/word")
def word(
    snapshot: Opened,
    word: Word,
    n: HowMany = 20,
    measure: Annotated[Measure, Query(description="The order of its contexts.")] = "pmi",
    where: Where = "",
) -> WordFacts:
    """The frequency of a word, its class and tags, and its typical contexts by a measure of association.

    With a condition, frequency and contexts are those in some documents.
    """
    known = _known(snapshot, word)
    count = rank = share = None
    if "corpus" in known:
        text = text_where(snapshot, where) if where.strip() else None
        told = word_frequency(snapshot.corpus, snapshot.corpus.vocabulary.id(word), text)
        count, rank, share = told["count"], told["rank"], told["per_million"]
    else:  # imported words may have no counts
        counts = snapshot.vocabulary_of(known[0]).counts
        count = int(counts[snapshot.id_in(known[0], word)]) or None
    path, guessed = _path_of(snapshot, word)
    members = [] if path is None else [m.word for m in snapshot.classes.members(path, n)]
    return WordFacts(
        word, count, rank, share, None if path is None else class_name(snapshot, path), guessed, members,
        *tags_of(snapshot, word), sides(snapshot, word, n, measure, where) if "counts" in known else {},
    )  # fmt: skip


def _known(snapshot: Snapshot, word: str) -> list[str]:
    """The parts that have a word; WordError if none has."""
    known = [part for part in WITH_WORDS if snapshot.id_in(part, word) is not None]
    if not known and len(word.split()) > 1:
        hint = "Find several words in a row: type them into the search box."
        raise WordError(f"The word {word!r} is not in this model.", hint)
    if not known:
        snapshot.vocabulary.id(word, "is not in this model")  # raises an error with similar words
    return known


def _path_of(snapshot: Snapshot, word: str) -> tuple[str | None, bool]:
    if "classes" not in snapshot.parts:
        return None, False
    i = snapshot.id_in("classes", word)
    if i is not None:
        return snapshot.classes.paths[int(snapshot.classes.class_of[i])], False
    path = snapshot.classes.assign([word])[0].path
    return path, path is not None


def sides(
    snapshot: Snapshot, word: str, n: int, measure: Measure = "pmi", where: str = ""
) -> dict[str, list[Beside]]:
    """The typical contexts of a word, by side; with a condition, those in some documents."""
    text = text_where(snapshot, where) if where.strip() else None
    found = word_contexts(snapshot.counts, word, n, measure, text, snapshot.index_if_any)
    return {
        "near" if side == "contexts" else side: [
            Beside(row["word"], row["count"], row["pmi"], row[measure]) for row in rows
        ]
        for side, rows in found.items()
    }


@router.get("/neighbours")
def neighbours(snapshot: Opened, word: Word, n: HowMany = 20) -> list[Near]:
    """The words with the most similar vectors, by cosine.

    The vector of a word that has none is guessed from its spelling, if the model has learned how.
    """
    if snapshot.id_in("vectors", word) is None:
        return _guessed(snapshot, word, n)
    return [Near(w, round(s, 4)) for w, s in snapshot.vectors.neighbours([word], n)[0]]


def _guessed(snapshot: Snapshot, word: str, n: int) -> list[Near]:
    """Words similar to a guess; none if nothing can be guessed."""
    vectors = snapshot.vectors
    try:
        if vectors.guesser is not None:  # learning would keep the page waiting
            found = vectors.neighbours([word], n, guess=True)[0]
            return [Near(w, round(s, 4), True) for w, s in found]
    except WordError:
        pass
    _known(snapshot, word)
    return []


@router.get("/replacements")
def replacements(snapshot: Opened, word: Word, n: HowMany = 20) -> list[Near]:
    """The words that can replace a word: those with the most similar grammatical vectors; none if it has none."""
    if snapshot.id_in("grammar_vectors", word) is None:
        _known(snapshot, word)
        return []
    found = snapshot.grammar_vectors.neighbours([word], n)[0]
    return [Near(w, round(s, 4)) for w, s in found]


@router.get("/concordance")
def concordance(
    snapshot: Opened,
    word: Word,
    n: HowMany = 40,
    width: Width = 80,
) -> Lines:
    """A concordance: occurrences evenly spread over the corpus, from the original text if it is available."""
    corpus = snapshot.corpus
    i = corpus.vocabulary.id(word)
    hits = corpus.find(word, n, width, snapshot.index_if_any, quick=True, remote=snapshot.remote)
    return Lines(word, int(corpus.vocabulary.counts[i]), [line_of(hit) for hit in hits])


def exported(snapshot: Snapshot, words: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """The answers for an exported page."""
    near, replacing = (_near(snapshot, part, words) for part in ("vectors", "grammar_vectors"))
    for text in words:
        asked = f"word={text}"
        try:
            yield f"word?{asked}", word(snapshot, text, _EXPORTED_ROWS)
        except WordError:
            continue
        if "vectors" in snapshot.parts:
            found = near.get(text)
            found = _guessed(snapshot, text, _EXPORTED_ROWS) if found is None else found
            yield f"neighbours?{asked}", found
        if "grammar_vectors" in snapshot.parts:
            yield f"replacements?{asked}", replacing.get(text, [])
        if "corpus" in snapshot.parts:
            yield f"concordance?{asked}", concordance(snapshot, text, _EXPORTED_LINES, 60)


def _near(snapshot: Snapshot, part: str, words: Sequence[str]) -> dict[str, list[Near]]:
    """The most similar words of all words that have a vector, at once."""
    known = [word for word in words if snapshot.id_in(part, word) is not None]
    if not known:
        return {}
    found = getattr(snapshot, part).neighbours(known, _EXPORTED_ROWS)
    return {
        word: [Near(w, round(s, 4)) for w, s in near]
        for word, near in zip(known, found, strict=True)
    }
