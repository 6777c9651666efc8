"""Morphs: affixes, paradigms, the parts of words, and corrections of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Any

from fastapi import APIRouter, Body, Query, Request
from fastapi.responses import Response

from firth.errors import InputError, ParameterError
from firth.explore._requests import (
    REFUSALS,
    HowMany,
    Opened,
    Problem,
    Shown,
    Word,
    edited,
    rendered,
)
from firth.explore._snapshot import Snapshot
from firth.morphs import KINDS, Morph, Paradigm, Splitter, stem_and_ending

__all__ = ["edit_router", "exported", "router"]

router = APIRouter(tags=["morphs"])
edit_router = APIRouter(tags=["morphs"], responses=REFUSALS)
_LONGEST = 1_000
_EXAMPLES = 4
_AFFIXES = 100
_PARADIGMS = 40
_STEMS = 6
_SPLITS = 4
_LOOKED_AT = 20_000
"""Neighbours of a part are counted in so many of its words, the most frequent ones."""
_EXPORTED = 60
_NEAR = 8
"""Words with the same stem or ending in an exported page."""


@dataclass(frozen=True)
class Part:
    """A part of a word: a prefix, a stem or a suffix."""

    text: str
    kind: str


@dataclass(frozen=True)
class PartCount(Part):
    """A part, and the number of words that have it."""

    n_words: int


@dataclass(frozen=True)
class AffixRow(PartCount):
    """An affix with typical words."""

    examples: list[str]


@dataclass(frozen=True)
class SplitWord:
    """A word and its parts."""

    word: str
    parts: list[Part]
    corrected: bool
    """Whether a user has given the parts."""


@dataclass(frozen=True)
class StemRow:
    """A stem with its forms: a word for each ending of its paradigm."""

    stem: str
    forms: list[str]


@dataclass(frozen=True)
class ParadigmFacts:
    """Endings that go together, and stems that occur with just these."""

    paradigm: int
    """Its number; 0 is the paradigm that describes the most words."""
    endings: list[list[str]]
    """The suffixes of each ending; none for the stem alone."""
    n_stems: int
    stems: list[StemRow]


@dataclass(frozen=True)
class MorphsFacts:
    """The affixes of the language, its paradigms, and what a user has corrected."""

    n_words: int
    n_split: int
    """Number of words with several parts."""
    n_prefixes: int
    n_suffixes: int
    n_paradigms: int
    prefixes: list[AffixRow]
    suffixes: list[AffixRow]
    paradigms: list[ParadigmFacts]
    n_corrections: int
    corrections: list[SplitWord]


@dataclass(frozen=True)
class PartFacts(PartCount):
    """A part with its words, and the parts before and after it."""

    words: list[SplitWord]
    before: list[PartCount]
    after: list[PartCount]


@dataclass(frozen=True)
class OtherSplit:
    """A split of a word with its probability."""

    parts: list[str]
    probability: float


@dataclass(frozen=True)
class PartsFacts(SplitWord):
    """The parts of a word, and words with the same stem or the same ending."""

    known: bool
    """Whether the word is one of those that the morphology was learned from."""
    splits: list[OtherSplit]
    """The most probable splits."""
    stem: str
    """Its longest stem."""
    ending: list[str]
    """The suffixes after its last stem."""
    n_same_stem: int
    same_stem: list[SplitWord]
    n_same_ending: int
    same_ending: list[SplitWord]


def _split(splitter: Splitter, words: Iterable[str]) -> list[SplitWord]:
    some = list(words)
    return [
        SplitWord(word, [Part(*morph) for morph in morphs], splitter.is_corrected(word))
        for word, morphs in zip(some, splitter.analyse_all(some), strict=True)
    ]


def _affixes(splitter: Splitter, kind: str, n: int) -> list[AffixRow]:
    rows = (affix for affix in splitter.affixes_ if affix.kind == kind)
    examples = splitter.index.examples
    return [AffixRow(*affix, examples(affix[:2], _EXAMPLES)) for affix in islice(rows, n)]


def _paradigm(splitter: Splitter, number: int, one: Paradigm, n: int) -> ParadigmFacts:
    stems = splitter.index.frequent_stems(one, n)
    rows = [StemRow(stem, [stem + "".join(ending) for ending in one.endings]) for stem in stems]
    return ParadigmFacts(number, [list(ending) for ending in one.endings], len(one.stems), rows)


def _morphs(snapshot: Snapshot) -> MorphsFacts:
    splitter = snapshot.morphs
    kinds = Counter(affix.kind for affix in splitter.affixes_)
    paradigms = enumerate(splitter.paradigms_[:_PARADIGMS])
    corrected = sorted(splitter.corrections_)
    return MorphsFacts(
        len(splitter.words_), splitter.facts_["n_split"], kinds["prefix"], kinds["suffix"],
        len(splitter.paradigms_), _affixes(splitter, "prefix", _AFFIXES),
        _affixes(splitter, "suffix", _AFFIXES),
        [_paradigm(splitter, k, one, _STEMS) for k, one in paradigms],
        len(corrected), _split(splitter, corrected[:_LONGEST]),
    )  # fmt: skip


@router.get("/morphs", response_model=MorphsFacts)
def morphs(snapshot: Opened) -> Response:
    """The most frequent affixes, the largest paradigms, and corrected splits."""
    content = snapshot.once("morphs", lambda: rendered(_morphs(snapshot)))
    return Response(content, media_type="application/json")


@router.get("/paradigm")
def paradigm(
    snapshot: Opened,
    paradigm: Annotated[int, Query(ge=0, le=1 << 31, description="The number of a paradigm.")],
    n: HowMany = 200,
) -> ParadigmFacts:
    """A paradigm: its endings, and its stems with their forms."""
    found = snapshot.morphs.paradigms_
    if paradigm >= len(found):
        there = f"they are numbered from 0 to {len(found) - 1}" if found else "the text has none"
        raise InputError(
            f"There is no paradigm {paradigm}; {there}.", "Choose one from the list of paradigms."
        )
    return _paradigm(snapshot.morphs, paradigm, found[paradigm], n)


@router.get("/morph")
def morph(
    snapshot: Opened,
    part: Annotated[
        str,
        Query(
            max_length=_LONGEST,
            pattern="^(prefix|stem|suffix):(?s:.)+$",
            description="A part: what it is, a colon, and its text, as in suffix:ed.",
        ),
    ],
    n: HowMany = 200,
) -> PartFacts:
    """A part of words: its words, the most frequent first, and the parts before and after it."""
    kind, _, text = part.partition(":")
    splitter, wanted = snapshot.morphs, Morph(text, kind)
    index = splitter.index
    rows = index.with_part(wanted)
    if not len(rows):
        raise InputError(
            f"No word of the training data has the {kind} {text!r}.",
            "Choose an affix from the list, or a part of a word.",
        )
    before: Counter[Morph] = Counter()
    after: Counter[Morph] = Counter()
    for parts in splitter.analyse_all(list(islice(index.frequent(rows), _LOOKED_AT))):
        places = [k for k, one in enumerate(parts) if one == wanted]
        before.update({parts[k - 1] for k in places if k})
        after.update({parts[k + 1] for k in places if k + 1 < len(parts)})
    words = _split(splitter, islice(index.frequent(rows), n))
    return PartFacts(text, kind, len(rows), words, _counted(before), _counted(after))


def _counted(found: Counter[Morph]) -> list[PartCount]:
    ordered = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
    return [PartCount(*one, n) for one, n in ordered[:_EXPORTED]]


@router.get("/parts")
def parts(snapshot: Opened, word: Word, n: HowMany = 20) -> PartsFacts:
    """The parts of a word, known or not; words with the same stem, and with the same ending."""
    splitter = snapshot.morphs
    (split,) = _split(splitter, [word])
    _, ending = stem_and_ending(split.parts)
    stem = max((one.text for one in split.parts if one.kind == KINDS[1]), key=len)
    index = splitter.index
    alike = index.with_part(Morph(stem, KINDS[1]))
    ended = index.with_ending(ending) if ending else ()
    return PartsFacts(
        **vars(split), known=word in splitter.words_,
        splits=[OtherSplit(list(one), round(p, 4)) for one, p in splitter.n_best(word, _SPLITS)],
        stem=stem, ending=list(ending),
        n_same_stem=len(alike), same_stem=_split(splitter, islice(index.frequent(alike), n)),
        n_same_ending=len(ended), same_ending=_split(splitter, islice(index.typical(ended), n)),
    )  # fmt: skip


@edit_router.put("/parts/correction")
def correct(
    request: Request,
    word: Annotated[str, Body(min_length=1, max_length=_LONGEST, description="A word.")],
    parts: Annotated[
        str,
        Body(
            max_length=2 * _LONGEST,
            description="Its parts between blanks; empty to remove a correction.",
        ),
    ],
    version: Shown,
) -> Problem | None:
    """Correct the parts of a word. No parts remove its correction. Requires the version of the model."""
    snapshot = edited(request, version)
    snapshot.morphs  # noqa: B018  raises an error if the model has no morphology
    from firth import pipeline  # slow to import: it loads compiled kernels

    try:
        pipeline.correct_morphs(snapshot.model.path, {word: parts.split()})
    except InputError as error:  # the parts are not possible
        raise ParameterError(error.message, "Give the parts of the word between blanks.") from None
    request.app.state.watcher.snapshot()
    return None


def exported(snapshot: Snapshot, words: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """The answers for an exported page: affixes, but not each stem."""
    if "morphs" not in snapshot.parts:
        return
    facts = _morphs(snapshot)
    yield "morphs", facts
    for one in facts.paradigms:
        yield f"paradigm?paradigm={one.paradigm}", paradigm(snapshot, one.paradigm, _EXPORTED)
    shown = {(row.kind, row.text) for row in (*facts.prefixes, *facts.suffixes)}
    for word in words:
        found = parts(snapshot, word, _NEAR)
        shown |= {(one.kind, one.text) for one in found.parts if one.kind != KINDS[1]}
        yield f"parts?word={word}", found
    for kind, text in sorted(shown):
        if len(snapshot.morphs.index.with_part(Morph(text, kind))):
            yield f"morph?part={kind}:{text}", morph(snapshot, f"{kind}:{text}", _EXPORTED)
