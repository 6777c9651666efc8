"""Classes refined by exchange: single words move to better classes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.classes._bigrams import Bigrams
from firth.classes._build import build_hierarchy, check_n_classes, numbered
from firth.classes._hierarchy import Hierarchy
from firth.classes._merging import exchange
from firth.classes._parameters import ExchangeParameters
from firth.compute import Engine
from firth.errors import ParameterError
from firth.store import Checkpoint

__all__ = ["classes_in_order", "refine", "seeds"]


def refine(
    class_of: npt.NDArray[Any],
    bigrams: Bigrams,
    parameters: ExchangeParameters,
    engine: Engine,
    checkpoint: Checkpoint | None = None,
    made: Any = None,
) -> tuple[Hierarchy, list[dict[str, float]]]:
    """Refine classes given by number for each word in the order of the bigrams.

    Returns the new classes and, for each pass, the number of words moved and the gain of mutual
    information in bits. Interrupted work continues from a checkpoint.
    """
    numbers = numbered(class_of)
    m = int(numbers.max()) + 1
    check_n_classes("ExchangeRefiner", m, bigrams.n_words)
    better, history = exchange(
        bigrams, numbers, m, parameters.passes, parameters.tolerance, engine, checkpoint or Checkpoint()
    )  # fmt: skip
    in_bits = [{**step, "gain": step["gain"] / math.log(2)} for step in history]
    return build_hierarchy(bigrams, better, engine, {**(made or {}), "refine": True}), in_bits


def seeds(n_words: int, n_classes: int) -> npt.NDArray[np.int64]:
    """A start for exchange: words are dealt out to the classes in turn, the most frequent first."""
    return np.arange(n_words) % n_classes


def classes_in_order(start: Hierarchy, bigrams: Bigrams) -> npt.NDArray[np.int64]:
    """The classes of words in the order of the bigrams.

    The rare symbol has its own class, or the largest one if the hierarchy has no rare symbol.
    """
    ids = start.vocabulary.ids(list(bigrams.vocabulary))
    lost = [i for i, found in enumerate(ids) if found is None]
    if lost:
        others = f" and {len(lost) - 1:,} other words" if len(lost) > 1 else ""
        raise ParameterError(
            f"The word {bigrams.vocabulary[lost[0]]!r}{others} cannot be refined: no class is known.",
            "Refine classes with the text, min_count and vocabulary they were learned with.",
        )
    classes = np.array([*(start.class_of[i] for i in ids if i is not None), 0], np.int64)
    classes[-1] = start.rare if start.rare is not None else int(np.argmax(start.tokens))
    return classes[bigrams.order]
