"""Tags: their words, their transition probabilities, and tagged text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Body, Query, Request
from fastapi.responses import Response

from firth.errors import InputError, ParameterError
from firth.explore._requests import (
    REFUSALS,
    HowMany,
    NewName,
    Opened,
    Problem,
    Shown,
    clean_name,
    edited,
    rendered,
)
from firth.explore._snapshot import Snapshot
from firth.explore._tagging import TaggedWord, example, guesses, tagged, word_shares
from firth.tags import DECODES, DecodeName, TagWord, tag_column

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
    """Its number; 0 is the most frequent tag."""
    label: str
    """The name that a user gave it, or the one it was learned with."""
    share: float
    """Its share of the tokens."""
    anchor: str | None
    """Its anchor word; None if the tagger was learned without anchors."""


@dataclass(frozen=True)
class TagShare:
    """A tag of a word, or a tag before or after another one, with its probability."""

    tag: int
    label: str
    share: float
    words: list[str]
    """A few typical words of the tag."""


@dataclass(frozen=True)
class TagSummary(TagName):
    """A tag, as in the list of all tags."""

    first: float
    """Its probability at the beginning of a sentence."""
    n_words: int
    """Number of words that mostly have the tag."""
    typical: list[TagWord]


@dataclass(frozen=True)
class DecodeChoice:
    """A decoding method: how the tags of a text are chosen."""

    name: str
    title: str
    about: str


@dataclass(frozen=True)
class TagsFacts:
    """All tags, most frequent first, and their transition probabilities."""

    n_words: int
    decode: str
    """The default decoding method."""
    decodes: list[DecodeChoice]
    """All decoding methods."""
    column: str
    """The column of CoNLL-U for these tags: upos if all are universal, otherwise xpos."""
    tags: list[TagSummary]
    follow: list[list[float]]
    """Transition probabilities: the probability of the tag of the column after that of the row."""


@dataclass(frozen=True)
class TagFacts(TagSummary):
    """A tag with its neighbours."""

    automatic_label: str
    name: str
    """The name that a user gave it, or an empty string."""
    before: list[TagShare]
    """The tags that precede it, most probable first; sentence beginnings are not counted."""
    after: list[TagShare]
    """The tags that follow it, most probable first."""


@dataclass(frozen=True)
class TaggedText:
    """A text with its tags."""

    text: str
    decode: str
    sentences: list[list[TaggedWord]]


def check_tag(snapshot: Snapshot, tag: int) -> None:
    """Raise InputError if there is no such tag."""
    n = snapshot.tags.n_tags_
    if tag >= n:
        raise InputError(
            f"There is no tag {tag}; they are numbered from 0 to {n - 1}.",
            "Choose one from the list of tags.",
        )


def tags_of(snapshot: Snapshot, word: str) -> tuple[list[TagShare], bool]:
    """The tags of a word, and whether they are guessed from its spelling."""
    if "tags" not in snapshot.parts:
        return [], False
    tagger = snapshot.tags
    symbols = tagger.encode([[word]]).symbols
    found = guesses(word_shares(tagger, symbols)[0])
    return (
        [_shared(snapshot, guess.tag, guess.share) for guess in found],
        int(symbols[0]) >= len(tagger.vocabulary_),
    )


def _shared(snapshot: Snapshot, tag: int, share: float) -> TagShare:
    words = [row.word for row in snapshot.tag_words.typical(tag, _REMINDERS)]
    return TagShare(tag, snapshot.tags.tags_[tag], share, words)


def _summary(snapshot: Snapshot, tag: int, n: int) -> TagSummary:
    tagger, words = snapshot.tags, snapshot.tag_words
    return TagSummary(
        tag, tagger.tags_[tag], round(float(tagger.prior_[tag]), 6), tagger.anchors_[tag] if tagger.anchors_ else None,
        round(float(tagger.hmm_.initial[tag]), 6), words.n_words(tag), words.typical(tag, n),
    )  # fmt: skip


def _tags(snapshot: Snapshot) -> TagsFacts:
    tagger = snapshot.tags
    return TagsFacts(
        len(tagger.vocabulary_), tagger.decode,
        [DecodeChoice(name, *texts) for name, texts in DECODES.items()],
        tag_column(tagger),
        [_summary(snapshot, tag, _TYPICAL) for tag in range(tagger.n_tags_)],
        tagger.hmm_.transition.round(5).tolist(),
    )  # fmt: skip


@router.get("/tags", response_model=TagsFacts)
def tags(snapshot: Opened) -> Response:
    """All tags with typical words, and their transition probabilities."""
    content = snapshot.once("tags", lambda: rendered(_tags(snapshot)))
    return Response(content, media_type="application/json")


@router.get("/tag")
def tag(
    snapshot: Opened,
    tag: Annotated[int, Query(ge=0, le=MOST_TAGS, description="The number of a tag.")],
    n: HowMany = 200,
) -> TagFacts:
    """A tag: its words, and the tags before and after it."""
    check_tag(snapshot, tag)
    tagger = snapshot.tags
    first_name = str(snapshot.model.parts["tags"].facts["tags"][tag])
    label = tagger.tags_[tag]
    before = tagger.prior_ * tagger.hmm_.transition[:, tag]
    total = float(before.sum())
    return TagFacts(
        **vars(_summary(snapshot, tag, n)), automatic_label=first_name, name="" if label == first_name else label,
        before=_steps(snapshot, before / total if total else before),
        after=_steps(snapshot, tagger.hmm_.transition[tag]),
    )  # fmt: skip


def _steps(snapshot: Snapshot, shares: Any) -> list[TagShare]:
    order = (-shares).argsort(kind="stable").tolist()
    return [_shared(snapshot, k, round(float(shares[k]), 5)) for k in order]


@router.get("/tagged")
def tagged_(
    snapshot: Opened,
    text: Annotated[
        str, Query(max_length=_LONGEST_TEXT, description="Text to tag; by default a sentence of the corpus.")
    ] = "",
    decode: Annotated[
        DecodeName | None,
        Query(description="Decoding: by word (type), by position (posterior) or by sentence (viterbi)."),
    ] = None,
) -> TaggedText:  # fmt: skip
    """Tag a text, tokenised like the corpus, sentence by sentence: the tag of each word, and its probabilities."""
    tagger = snapshot.tags
    how = decode or tagger.decode
    chosen = text or snapshot.once("example", lambda: _example(snapshot))
    sentences = snapshot.tokenise_typed(chosen)
    return TaggedText(chosen, how, tagged(tagger, sentences, how, snapshot.parts_of))


def _example(snapshot: Snapshot) -> str:
    if "corpus" not in snapshot.parts:
        return ""
    return snapshot.as_text(example(snapshot.corpus, snapshot.tags))[:_LONGEST_TEXT]


@edit_router.put("/tag/name")
def name_tag(
    request: Request,
    tag: Annotated[int, Body(ge=0, le=MOST_TAGS)],
    name: NewName,
    version: Shown,
) -> Problem | None:
    """Name a tag. Names are unique and contain no blanks. An empty name removes the present one.

    Requires the version of the model.
    """
    snapshot = edited(request, version)
    from firth import pipeline  # slow to import: it loads compiled kernels

    check_tag(snapshot, tag)
    try:
        pipeline.name_tags(snapshot.model.path, {str(tag): clean_name(name)})
    except InputError as error:  # the name is invalid
        raise ParameterError(error.message, error.hint) from None
    request.app.state.watcher.snapshot()
    return None


def exported(snapshot: Snapshot, words: Sequence[str]) -> Iterator[tuple[str, Any]]:  # noqa: ARG001
    """The answers for an exported page."""
    if "tags" in snapshot.parts:
        yield "tags", _tags(snapshot)
        for number in range(snapshot.tags.n_tags_):
            yield f"tag?tag={number}", tag(snapshot, number, _EXPORTED_WORDS)
        for decode in DECODES:
            yield f"tagged?decode={decode}", tagged_(snapshot, "", decode)
