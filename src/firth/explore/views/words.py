"""Search: a word, its company, its class, its neighbours, and the lines it stands in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query

from firth.classes import Context
from firth.describe import word_contexts
from firth.errors import WordError
from firth.explore._asking import HowMany, Opened, Word
from firth.explore._edition import WITH_WORDS, Edition
from firth.explore.views.classes import ClassName, class_name
from firth.explore.views.tags import TagShare, tags_of

__all__ = ["exported", "router", "sides"]

router = APIRouter(tags=["words"])
_WIDTH = 80
_EXPORTED_LINES = 6
_EXPORTED_ROWS = 12


@dataclass(frozen=True)
class Completed:
    """A word or a class that fits what was typed."""

    kind: str
    """``word`` or ``class``."""
    text: str
    count: int
    label: str = ""


@dataclass(frozen=True)
class Near:
    """A word and its cosine."""

    word: str
    similarity: float


@dataclass(frozen=True)
class WordFacts:
    """What is known of a word."""

    word: str
    count: int | None
    rank: int | None
    per_million: float | None
    word_class: ClassName | None
    guessed: bool
    """Whether the class was told from the spelling, because the word is too rare to have one."""
    members: list[str]
    """The most frequent words of its class."""
    tags: list[TagShare]
    """Its tags, the most frequent first."""
    tags_guessed: bool
    """Whether its tags were told from the spelling, because the word was not there to be learned."""
    sides: dict[str, list[Context]]
    """``before`` and ``after`` it, or ``near`` it where sides were not counted."""


@dataclass(frozen=True)
class Line:
    """A word in its context."""

    left: str
    word: str
    right: str
    source: str
    original: bool


@dataclass(frozen=True)
class Lines:
    """A concordance: lines evenly spread over the corpus."""

    word: str
    count: int
    lines: list[Line]


@router.get("/complete")
def complete(
    edition: Opened,
    q: Annotated[str, Query(max_length=1_000, description="What was typed.")],
    n: Annotated[int, Query(ge=1, le=100)] = 12,
) -> list[Completed]:
    """Words that begin with what was typed (case and accents do not matter), and classes by path."""
    text = q.strip()
    found: list[Completed] = []
    if "classes" in edition.parts and text and not text.strip("01"):
        tree = edition.classes.tree
        paths = [text] if text in tree.node_of else []
        paths += [path for path in (text + "0", text + "1") if path in tree.node_of]
        for path in paths:
            name = class_name(edition, path)
            found.append(Completed("class", path, name.tokens, name.label))
    counts = edition.vocabulary.counts
    words = edition.completion.search(text, n)
    found += [Completed("word", edition.vocabulary[i], int(counts[i])) for i in words]
    return found[:n]


@router.get("/word")
def word(edition: Opened, word: Word, n: HowMany = 20) -> WordFacts:
    """How often a word occurs, its class, and the words before and after it that set it apart."""
    known = _known(edition, word)
    count = rank = share = None
    if "corpus" in known:
        i = edition.corpus.vocabulary.id(word)
        count, rank = int(edition.corpus.vocabulary.counts[i]), i + 1
        share = count / edition.corpus.n_tokens * 1e6
    else:  # words from elsewhere may have no counts
        counts = edition.vocabulary_of(known[0]).counts
        count = int(counts[edition.id_in(known[0], word)]) or None
    path, guessed = _path_of(edition, word)
    members = [] if path is None else [m.word for m in edition.classes.members(path, n)]
    return WordFacts(
        word, count, rank, share, None if path is None else class_name(edition, path), guessed, members,
        *tags_of(edition, word), sides(edition, word, n) if "counts" in known else {},
    )  # fmt: skip


def _known(edition: Edition, word: str) -> list[str]:
    """The parts that know a word; an error where none does."""
    known = [part for part in WITH_WORDS if edition.id_in(part, word) is not None]
    if not known and len(word.split()) > 1:
        hint = f"Words are single here: look for {' or '.join(map(repr, word.split()[:3]))}."
        raise WordError(f"The word {word!r} is not in this model.", hint)
    if not known:
        edition.vocabulary.id(word, "is not in this model")  # says what is near it
    return known


def _path_of(edition: Edition, word: str) -> tuple[str | None, bool]:
    if "classes" not in edition.parts:
        return None, False
    i = edition.id_in("classes", word)
    if i is not None:
        return edition.classes.paths[int(edition.classes.class_of[i])], False
    path = edition.classes.assign([word])[0].path
    return path, path is not None


def sides(edition: Edition, word: str, n: int) -> dict[str, list[Context]]:
    found = word_contexts(edition.counts, word, n)
    return {
        "near" if side == "contexts" else side: [Context(**entry) for entry in entries]
        for side, entries in found.items()
    }


@router.get("/neighbours")
def neighbours(edition: Opened, word: Word, n: HowMany = 20) -> list[Near]:
    """The words whose vectors are nearest, by cosine; none for a word that has no vector."""
    if edition.id_in("vectors", word) is None:
        edition.vectors  # noqa: B018  says so where there are none at all
        _known(edition, word)
        return []
    return [Near(w, round(s, 4)) for w, s in edition.vectors.neighbours([word], n)[0]]


@router.get("/concordance")
def concordance(
    edition: Opened,
    word: Word,
    n: HowMany = 40,
    width: Annotated[int, Query(ge=0, le=400, description="Characters on either side.")] = _WIDTH,
) -> Lines:
    """A word in its contexts: lines evenly spread over the corpus, from the original text where it is at hand."""
    corpus = edition.corpus
    i = corpus.vocabulary.id(word)
    hits = corpus.find(word, n, width, edition.index_if_any, quick=True)
    lines = [
        Line(hit.left, hit.word, hit.right, Path(hit.source).name, hit.original) for hit in hits
    ]
    return Lines(word, int(corpus.vocabulary.counts[i]), lines)


def exported(edition: Edition, words: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """The answers that go into a page without a server."""
    has_vector = [w for w in words if edition.id_in("vectors", w) is not None]
    near = (
        dict(zip(has_vector, edition.vectors.neighbours(has_vector, _EXPORTED_ROWS), strict=True))
        if has_vector
        else {}
    )
    for text in words:
        asked = f"word={text}"
        try:
            yield f"word?{asked}", word(edition, text, _EXPORTED_ROWS)
        except WordError:
            continue
        if "vectors" in edition.parts:
            found = [Near(w, round(s, 4)) for w, s in near.get(text, [])]
            yield f"neighbours?{asked}", found
        if "corpus" in edition.parts:
            yield f"concordance?{asked}", concordance(edition, text, _EXPORTED_LINES, 60)
