"""Settings for a text without anybody's tags: those under which tags change least when the text does.

Every setting is tried on the counts and on halves of them. Where tags from halves agree with each other and
with those from all counts, they say something about the language rather than about the sample.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import Engine
from firth.compute.portable import logs
from firth.errors import InputError
from firth.tags._contexts import ContextCounts
from firth.tags._memberships import anchor_memberships
from firth.tags._parameters import AnchorParameters, SpellingPlace

__all__ = ["CHOSEN", "choose", "stability"]

CHOSEN = ("spelling", "spelling_in", "sharing", "candidates")
SPELLING: tuple[tuple[float, SpellingPlace], ...] = ((0.0, "rows"), (0.1, "rows"), (0.05, "counts"))
SHARING, CANDIDATES = (0.5, 1.0, 2.0), (100, 300, 1000)
"""What is tried: all of these with each other."""
_SPLITS = 3
"""How often the counts are divided into halves, at random."""

Integers = npt.NDArray[np.int64]


def choose(
    contexts: ContextCounts, how: AnchorParameters, group: Integers, engine: Engine,
    given: Integers | None = None,
) -> AnchorParameters:  # fmt: skip
    """The most stable of some settings of spelling, sharing and candidates; the rest stays as it is.

    Where anchors are ``given``, candidates stay as they are, too.
    """
    tried = CANDIDATES if given is None else (how.candidates,)
    settings = [
        replace(
            how,
            spelling=weight,
            spelling_in=place,
            sharing=sharing,
            candidates=candidates,
            choose=False,
        )
        for (weight, place), sharing, candidates in product(SPELLING, SHARING, tried)
        if given is not None or min(candidates, contexts.n_words) >= how.n_tags
    ] or [replace(how, choose=False)]
    rng = np.random.default_rng(how.seed)
    halves = [contexts.halves(rng) for _ in range(_SPLITS)]
    found = []
    with progress.stage("choosing settings", float(len(settings)), "settings") as stage:
        for setting in settings:
            with progress.silently():
                found.append(_stability(contexts, halves, setting, group, engine, given))
            stage.advance(1)
    return settings[int(np.argmax(found))]


def _stability(
    contexts: ContextCounts, halves: list[tuple[ContextCounts, ContextCounts]], how: AnchorParameters,
    group: Integers, engine: Engine, given: Integers | None = None,
) -> float:  # fmt: skip
    """The same as ``stability``, but less than any where there are not enough anchors."""
    try:
        return stability(contexts, halves, how, group, engine, given)
    except InputError:
        return -1.0


def stability(
    contexts: ContextCounts, halves: list[tuple[ContextCounts, ContextCounts]], how: AnchorParameters,
    group: Integers, engine: Engine, given: Integers | None = None,
) -> float:  # fmt: skip
    """How well tags from halves of the counts agree with each other and with those from all: mean V-measure."""

    def tags(counts: ContextCounts) -> Integers:
        found = anchor_memberships(counts, how, group, engine, given)[0].argmax(axis=1)
        return np.asarray(found, np.int64)

    whole = tags(contexts)
    agreements = []
    for pair in halves:
        agreements += [
            _agreement(a, b, contexts.counts, how.n_tags)
            for a, b in combinations([whole, *map(tags, pair)], 2)
        ]
    return float(np.mean(agreements))


def _agreement(a: Integers, b: Integers, weights: npt.NDArray[np.float64], n: int) -> float:
    """The V-measure of two ways to tag words that count so much."""
    both = np.bincount(a * n + b, weights, n * n) / weights.sum()
    one, other = (both.reshape(n, n).sum(axis=axis) for axis in (0, 1))
    positive = (p[p > 0] for p in (one, other, both))
    of_one, of_other, of_both = (-float((p * logs(p)).sum()) for p in positive)
    if of_one + of_other == 0:
        return 1.0
    return 2 * (of_one + of_other - of_both) / (of_one + of_other)
