"""The map of the words in two dimensions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from fastapi import APIRouter
from fastapi.responses import Response

from firth.explore._requests import Opened, rendered
from firth.explore._snapshot import Snapshot

__all__ = ["exported", "router"]

router = APIRouter(tags=["map"])
SCALE = 32_000


@dataclass(frozen=True)
class MapFacts:
    """A point for each word, the most frequent first."""

    scale: int
    """Positions divided by this lie between -1 and 1."""
    words: list[str]
    x: list[int]
    y: list[int]
    counts: list[int]
    classes: list[int]
    """The class of each word, as a position in ``paths``; -1 if it has none."""
    paths: list[str]


@router.get("/map", response_model=MapFacts)
def map_(snapshot: Opened) -> Response:
    """All words of the map with their positions, counts and classes."""
    content = snapshot.once("map", lambda: rendered(_map(snapshot, None)))
    return Response(content, media_type="application/json")


def _map(snapshot: Snapshot, wanted: set[str] | None) -> MapFacts:
    drawn = snapshot.map
    words = list(drawn.vocabulary)
    kept = [i for i, word in enumerate(words) if wanted is None or word in wanted]
    positions = np.rint(np.asarray(drawn.positions)[kept] * SCALE).astype(int)
    of_word: dict[str, int] = {}
    if "classes" in snapshot.parts:
        of_word = dict(zip(snapshot.classes.words, snapshot.classes.class_of.tolist(), strict=True))
    chosen = [words[i] for i in kept]
    return MapFacts(
        SCALE, chosen, positions[:, 0].tolist(), positions[:, 1].tolist(),
        np.asarray(drawn.vocabulary.counts)[kept].tolist(),
        [of_word.get(word, -1) for word in chosen], snapshot.classes.paths if of_word else [],
    )  # fmt: skip


def exported(snapshot: Snapshot, words: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """The answers for an exported page."""
    if "map" in snapshot.parts:
        yield "map", _map(snapshot, set(words))
