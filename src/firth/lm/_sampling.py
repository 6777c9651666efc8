"""Sentences drawn from a language model."""

from __future__ import annotations

import numpy as np

from firth.lm._buckets import history_buckets
from firth.lm._mixture import Mixture
from firth.lm._trees import Event, Text, Tree

__all__ = ["draw_sentence"]

_TRIES = 100
"""How often an outcome of a shorter history is drawn."""


def draw_sentence(mixture: Mixture, rng: np.random.Generator, longest: int) -> list[int]:
    """The words of a sentence, each drawn from the probabilities of the mixture; at most ``longest``.

    A model is drawn by the weights of the history, then a word from this model.
    """
    symbols = [mixture.begin]
    while len(symbols) <= longest:
        history = np.array([*symbols, mixture.end], np.int32)
        text = Text(history, np.arange(len(history), dtype=np.int32))
        bucket = history_buckets(text, mixture.trees[0][0], mixture.tokens)[-1]
        model = int(rng.choice(len(mixture.designs), p=_normal(mixture.weights[bucket])))
        given = 0
        events = mixture.designs[model].events()
        for event, tree in zip(events, mixture.trees[model], strict=True):
            given = _draw(tree, event, given, mixture, symbols, rng)
        if given == mixture.end:
            break
        symbols.append(given)
    return symbols[1:]


def _draw(
    tree: Tree, event: Event, given: int, mixture: Mixture, symbols: list[int], rng: np.random.Generator
) -> int:  # fmt: skip
    """An outcome after a history.

    One of those seen after the longest history is drawn, or else one of the next shorter history; if that
    was seen after a longer history too, it is drawn again.
    """
    path = [given if event.given is not None else 0]
    for row, distance in event.history:
        if distance > len(symbols):
            break
        element = mixture.maps[row, symbols[-distance]]
        first, last = int(tree.children[path[-1]]), int(tree.children[path[-1] + 1])
        place = first + int(np.searchsorted(tree.elements[first:last], element))
        if place == last or tree.elements[place] != element:
            break
        path.append(place)
    return _draw_from(tree, path, event, mixture, rng)


def _draw_from(
    tree: Tree, path: list[int], event: Event, mixture: Mixture, rng: np.random.Generator
) -> int:
    node = path[-1]
    row = slice(int(tree.starts[node]), int(tree.starts[node + 1]))
    words, sums = tree.words[row], np.cumsum(tree.p[row], dtype=np.float64)
    here = rng.random()
    if len(sums) and here < sums[-1]:
        return int(words[np.searchsorted(sums, here, side="right")])
    if len(path) > 1:
        for _ in range(_TRIES):
            found = _draw_from(tree, path[:-1], event, mixture, rng)
            place = int(np.searchsorted(words, found))
            if place == len(words) or words[place] != found:
                return found
        return int(words[-1])  # rounding left a little to nothing
    return _unseen(words, event, path[0], mixture, rng)


def _unseen(
    words: np.ndarray, event: Event, given: int, mixture: Mixture, rng: np.random.Generator
) -> int:
    """One of the outcomes that were never seen; any of all, if there are no others."""
    possible = np.unique(mixture.maps[event.outcome])
    if event.given is not None:
        possible = np.unique(mixture.maps[event.outcome][mixture.maps[event.given] == given])
    possible = possible[possible != mixture.maps[event.outcome, mixture.begin]]
    rest = np.setdiff1d(possible, words)
    return int(rng.choice(rest if len(rest) else possible))


def _normal(weights: np.ndarray) -> np.ndarray:
    return np.asarray(weights / weights.sum())
