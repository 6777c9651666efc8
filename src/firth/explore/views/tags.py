"""Tags: the words of each, what follows what, and text with its tags."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Body, Query, Request
from fastapi.responses import Response

from firth.corpus import Reading, tokenise
from firth.errors import InputError, ParameterError
from firth.explore._asking import (
    REFUSALS,
    HowMany,
    NewName,
    Opened,
    Problem,
    Shown,
    Token,
    clean_name,
    edited,
    rendered,
)
from firth.explore._edition import Edition
from firth.explore._tagging import TaggedWord, example, guesses, tagged, word_shares
from firth.tags import DECODES, DecodeName, TagWord

__all__ = ["TagName", "TagShare", "edit_router", "exported", "router", "tags_of"]

router = APIRouter(tags=["tags"])
edit_router = APIRouter(tags=["tags"], responses=REFUSALS)
MOST_TAGS = 100_000
_TYPICAL = 12
_REMINDERS = 2
_EXPORTED_WORDS = 60
_LONGEST_TEXT = 2_000


@dataclass(frozen=True)
class TagName:
    """A tag, in short."""

    tag: int
    """Its number; the most frequent is 0."""
    label: str
    """What it is called: by a person, or else by its number."""
    share: float
    """Of the text."""
    anchor: str | None
    """The word that stands for it, where it was found by one."""


@dataclass(frozen=True)
class TagShare:
    """A tag that a word has, or that stands beside another, and how often."""

    tag: int
    label: str
    share: float
    words: list[str]
    """A few typical ones."""


@dataclass(frozen=True)
class TagSummary(TagName):
    """A tag, as in the list of all."""

    first: float
    """How probable it is at the beginning of a sentence."""
    n_words: int
    """How many words with this tag."""
    typical: list[TagWord]


@dataclass(frozen=True)
class DecodeChoice:
    """A way to choose the tags of a text."""

    name: str
    title: str
    about: str


@dataclass(frozen=True)
class TagsFacts:
    """All tags, the most frequent first, and what follows what."""

    n_words: int
    decode: str
    """How the tags of a text are chosen by default."""
    decodes: list[DecodeChoice]
    """All ways to choose them."""
    tags: list[TagSummary]
    follow: list[list[float]]
    """The probability of the tag of the column after that of the row."""


@dataclass(frozen=True)
class TagFacts(TagSummary):
    """What is known of a tag."""

    automatic_label: str
    name: str
    """The name a person gave it; empty where there is none."""
    before: list[TagShare]
    """What it follows, the most probable first; without it the sentence begins."""
    after: list[TagShare]


@dataclass(frozen=True)
class TaggedText:
    """A text with its tags."""

    text: str
    decode: str
    sentences: list[list[TaggedWord]]


def check_tag(edition: Edition, tag: int) -> None:
    """An error where there is no such tag."""
    n = edition.tags.n_tags_
    if tag >= n:
        raise InputError(
            f"There is no tag {tag}; they are numbered from 0 to {n - 1}.",
            "Choose one of the list.",
        )


def tags_of(edition: Edition, word: str) -> tuple[list[TagShare], bool]:
    """The tags of a word, and whether only its spelling tells them."""
    if "tags" not in edition.parts:
        return [], False
    tagger = edition.tags
    symbols = tagger.encode([[word]]).symbols
    told = guesses(word_shares(tagger, symbols)[0])
    return (
        [_shared(edition, guess.tag, guess.share) for guess in told],
        int(symbols[0]) >= len(tagger.vocabulary_),
    )


def _shared(edition: Edition, tag: int, share: float) -> TagShare:
    words = [row.word for row in edition.tag_words.typical(tag, _REMINDERS)]
    return TagShare(tag, edition.tags.tags_[tag], share, words)


def _summary(edition: Edition, tag: int, n: int) -> TagSummary:
    tagger, words = edition.tags, edition.tag_words
    return TagSummary(
        tag, tagger.tags_[tag], round(float(tagger.prior_[tag]), 6), tagger.anchors_[tag] if tagger.anchors_ else None,
        round(float(tagger.hmm_.initial[tag]), 6), words.n_words(tag), words.typical(tag, n),
    )  # fmt: skip


def _tags(edition: Edition) -> TagsFacts:
    tagger = edition.tags
    return TagsFacts(
        len(tagger.vocabulary_), tagger.decode,
        [DecodeChoice(name, *texts) for name, texts in DECODES.items()],
        [_summary(edition, tag, _TYPICAL) for tag in range(tagger.n_tags_)],
        tagger.hmm_.transition.round(5).tolist(),
    )  # fmt: skip


@router.get("/tags", response_model=TagsFacts)
def tags(edition: Opened) -> Response:
    """All tags with typical words, and how probable each is after each."""
    content = edition.once("tags", lambda: rendered(_tags(edition)))
    return Response(content, media_type="application/json")


@router.get("/tag")
def tag(
    edition: Opened,
    tag: Annotated[int, Query(ge=0, le=MOST_TAGS, description="The number of a tag.")],
    n: HowMany = 200,
) -> TagFacts:
    """A tag: its words, and what stands before and after it."""
    check_tag(edition, tag)
    tagger = edition.tags
    first_name = str(edition.model.parts["tags"].facts["tags"][tag])
    label = tagger.tags_[tag]
    before = tagger.prior_ * tagger.hmm_.transition[:, tag]
    total = float(before.sum())
    return TagFacts(
        **vars(_summary(edition, tag, n)), automatic_label=first_name, name="" if label == first_name else label,
        before=_steps(edition, before / total if total else before), after=_steps(edition, tagger.hmm_.transition[tag]),
    )  # fmt: skip


def _steps(edition: Edition, shares: Any) -> list[TagShare]:
    order = (-shares).argsort(kind="stable").tolist()
    return [_shared(edition, k, round(float(shares[k]), 5)) for k in order]


@router.get("/tagged")
def tagged_(
    edition: Opened,
    text: Annotated[
        str, Query(max_length=_LONGEST_TEXT, description="What to tag; by default a sentence of the corpus.")
    ] = "",
    decode: Annotated[
        DecodeName | None,
        Query(description="By the word alone, by the place, or by the sentence; as learned by default."),
    ] = None,
) -> TaggedText:  # fmt: skip
    """A text, cut into words as the corpus was, with the tag of each word and how probable that is."""
    tagger = edition.tags
    how = decode or tagger.decode
    reading = edition.corpus.reading if "corpus" in edition.parts else Reading()
    chosen = text or edition.once("example", lambda: _example(edition, reading))
    return TaggedText(
        chosen, how, tagged(tagger, tokenise(chosen, reading.tokens, reading.split), how)
    )


def _example(edition: Edition, reading: Reading) -> str:
    if "corpus" not in edition.parts:
        return ""
    words = example(edition.corpus, edition.tags)
    return ("" if reading.tokens == "characters" else " ").join(words)[:_LONGEST_TEXT]


@edit_router.put("/tag/name")
def name_tag(
    request: Request,
    tag: Annotated[int, Body(ge=0, le=MOST_TAGS)],
    name: NewName,
    version: Shown,
    x_firth_token: Token = "",
) -> Problem | None:
    """Name a tag; names are unique and have no blanks. An empty name removes the present one.

    Needs the token of the page, and the version of the model that the page shows.
    """
    edition = edited(request, version, x_firth_token)
    from firth import pipeline  # brings compilers along, which reading does without

    check_tag(edition, tag)
    try:
        pipeline.name_tags(edition.model.path, {str(tag): clean_name(name)})
    except InputError as error:  # it is the name that is wrong
        raise ParameterError(error.message, error.hint) from None
    request.app.state.book.edition()
    return None


def exported(edition: Edition, words: Sequence[str]) -> Iterator[tuple[str, Any]]:  # noqa: ARG001
    """The answers that go into a page without a server."""
    if "tags" in edition.parts:
        yield "tags", _tags(edition)
        for number in range(edition.tags.n_tags_):
            yield f"tag?tag={number}", tag(edition, number, _EXPORTED_WORDS)
        for decode in DECODES:
            yield f"tagged?decode={decode}", tagged_(edition, "", decode)
