"""The maps of the words in two dimensions, by meaning and by grammar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Query
from fastapi.responses import Response

from firth.explore._requests import Opened, rendered
from firth.explore._shares import MostlyIn, columns_of, mostly_in
from firth.explore._snapshot import Snapshot
from firth.maps import MAPS, Regions, regions_of
from firth.vectors import KINDS

__all__ = ["exported", "router"]

router = APIRouter(tags=["map"])
SCALE = 32_000
Kind = Annotated[
    Literal["meaning", "grammar"],
    Query(description="Which vectors the map was made from: by meaning or by grammar."),
]


@dataclass(frozen=True)
class RegionFacts:
    """A region of a map, or a group of similar regions."""

    words: list[str]
    """Its most typical words."""
    x: int
    y: int
    """The place for its name."""
    n_words: int
    group: int


@dataclass(frozen=True)
class MapFacts:
    """A point for each word, the most frequent first."""

    kind: str
    scale: int
    """Positions divided by this lie between -1 and 1."""
    words: list[str]
    x: list[int]
    y: list[int]
    counts: list[int]
    classes: list[int]
    """The class of each word, as a position in ``paths``; -1 if it has none."""
    paths: list[str]
    tags: list[int]
    """The tag that each word mostly has; -1 if it is unknown. Empty if the model has no tags."""
    tag_names: list[str]
    tag_words: list[list[str]]
    """A few typical words of each tag."""
    regions: list[int]
    """The region of each word, as a position in ``region_facts``."""
    region_facts: list[RegionFacts]
    groups: list[RegionFacts]
    """Groups of similar regions, those with the most words first."""
    columns: dict[str, list[str | float | bool]]
    """The columns of the documents by which words can be coloured, with their values."""


@router.get("/map", response_model=MapFacts)
def map_(snapshot: Opened, kind: Kind = "meaning") -> Response:
    """All words of a map with their positions, counts, classes, tags and regions."""
    content = snapshot.once(f"map {kind}", lambda: rendered(_map(snapshot, kind, None)))
    return Response(content, media_type="application/json")


@router.get("/map/shares")
def shares(
    snapshot: Opened,
    column: Annotated[str, Query(max_length=1_000, description="A column of the documents.")],
    value: Annotated[str, Query(max_length=1_000, description="A value of it, as text.")],
    kind: Kind = "meaning",
) -> MostlyIn:
    """How much more frequent the words of a map are in the documents with some value than elsewhere."""
    drawn = getattr(snapshot, MAPS[kind])
    return mostly_in(snapshot, drawn.vocabulary, kind, column, value)


def _map(snapshot: Snapshot, kind: str, wanted: set[str] | None) -> MapFacts:
    drawn = getattr(snapshot, MAPS[kind])
    words = list(drawn.vocabulary)
    kept = [i for i, word in enumerate(words) if wanted is None or word in wanted]
    chosen = [words[i] for i in kept]
    x, y = _scaled(np.asarray(drawn.positions)[kept].reshape(-1, 2)).T.tolist()
    of_word: dict[str, int] = {}
    if "classes" in snapshot.parts:
        of_word = dict(zip(snapshot.classes.words, snapshot.classes.class_of.tolist(), strict=True))
    tags, names, typical = _tags(snapshot, chosen)
    regions = _regions(snapshot, kind)
    return MapFacts(
        kind=kind,
        scale=SCALE,
        words=chosen,
        x=x,
        y=y,
        counts=np.asarray(drawn.vocabulary.counts)[kept].tolist(),
        classes=[of_word.get(word, -1) for word in chosen],
        paths=snapshot.classes.paths if of_word else [],
        tags=tags,
        tag_names=names,
        tag_words=typical,
        regions=regions.of_word[kept].tolist(),
        region_facts=[_region(one) for one in regions.regions],
        groups=[_region(one) for one in regions.groups],
        columns=columns_of(snapshot) if wanted is None else {},
    )


def _scaled(positions: Any) -> Any:
    return np.rint(np.asarray(positions) * SCALE).astype(int)


def _region(one: Any) -> RegionFacts:
    x, y = _scaled([one.x, one.y]).tolist()
    return RegionFacts(one.words, x, y, one.n_words, one.group)


def _regions(snapshot: Snapshot, kind: str) -> Regions:
    """The regions of a map, found once."""
    drawn, vectors = getattr(snapshot, MAPS[kind]), getattr(snapshot, KINDS[kind])
    return snapshot.once(f"regions {kind}", lambda: regions_of(drawn, vectors))


def _tags(snapshot: Snapshot, words: list[str]) -> tuple[list[int], list[str], list[list[str]]]:
    """The tag of each word, the names of the tags, and typical words of each."""
    if "tags" not in snapshot.parts:
        return [], [], []
    tagger = snapshot.tags
    mostly = tagger.memberships_[: len(tagger.vocabulary_)].argmax(axis=1).tolist()
    ids = tagger.vocabulary_.find_all(words)
    typical = [
        [word.word for word in snapshot.tag_words.typical(tag, 3)] for tag in range(tagger.n_tags_)
    ]
    return [-1 if i is None else mostly[i] for i in ids], list(tagger.tags_), typical


def exported(snapshot: Snapshot, words: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """The answers for an exported page."""
    for kind, name in MAPS.items():
        if name in snapshot.parts:
            yield f"map?kind={kind}", _map(snapshot, kind, set(words))
