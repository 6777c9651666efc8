"""The map: words in two dimensions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from fastapi import APIRouter
from fastapi.responses import Response

from firth.explore._asking import Opened, rendered
from firth.explore._edition import Edition

__all__ = ["exported", "router"]

router = APIRouter(tags=["map"])
SCALE = 32_000


@dataclass(frozen=True)
class MapFacts:
    """A point for each word, the most frequent first."""

    scale: int
    """Positions are divided by this to lie between -1 and 1."""
    words: list[str]
    x: list[int]
    y: list[int]
    counts: list[int]
    classes: list[int]
    """The class of each word, a place among the paths; -1 where it has none."""
    paths: list[str]


@router.get("/map", response_model=MapFacts)
def map_(edition: Opened) -> Response:
    """All words of the map."""
    content = edition.once("map", lambda: rendered(_map(edition, None)))
    return Response(content, media_type="application/json")


def _map(edition: Edition, wanted: set[str] | None) -> MapFacts:
    drawn = edition.map
    words = list(drawn.vocabulary)
    kept = [i for i, word in enumerate(words) if wanted is None or word in wanted]
    positions = np.rint(np.asarray(drawn.positions)[kept] * SCALE).astype(int)
    of_word: dict[str, int] = {}
    if "classes" in edition.parts:
        of_word = dict(zip(edition.classes.words, edition.classes.class_of.tolist(), strict=True))
    chosen = [words[i] for i in kept]
    return MapFacts(
        SCALE, chosen, positions[:, 0].tolist(), positions[:, 1].tolist(),
        np.asarray(drawn.vocabulary.counts)[kept].tolist(),
        [of_word.get(word, -1) for word in chosen], edition.classes.paths if of_word else [],
    )  # fmt: skip


def exported(edition: Edition, words: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """The answers that go into a page without a server."""
    if "map" in edition.parts:
        yield "map", _map(edition, set(words))
