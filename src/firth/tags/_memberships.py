"""Which tags a word can have, by the anchor method."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from firth.compute import Engine, interruptible
from firth.errors import InputError
from firth.tags._anchors import find_anchors, mixtures, refine
from firth.tags._contexts import ContextCounts
from firth.tags._parameters import AnchorParameters
from firth.tags._rows import rows_of

__all__ = ["anchor_memberships"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def anchor_memberships(
    contexts: ContextCounts, how: AnchorParameters, group: Integers, engine: Engine,
    given: Integers | None = None,
) -> tuple[Floats, Integers]:  # fmt: skip
    """The probability of each tag for each word, and the anchor word of each tag by its number.

    Parameters
    ----------
    contexts : ContextCounts
        Counts, or exact probabilities.
    how : AnchorParameters
        Checked.
    group : array of int64
        Words with the same number share their contexts.
    given : array of int64, optional
        The anchors, by their numbers; by default they are found.
    """
    m, n_candidates = how.n_tags, min(how.candidates, contexts.n_words)
    if n_candidates < m and given is None:
        few = contexts.n_words < m
        raise InputError(
            f"{m} tags need {m} anchors, but there are only "
            f"{contexts.n_words if few else n_candidates:,} {'words' if few else 'candidates'}.",
            "Ask for fewer tags, or use more text." if few else "Allow more candidates.",
        )
    shared = interruptible(lambda: contexts.shared(group, how.sharing))
    weight = how.spelling
    if how.spelling_in == "counts":
        shared, weight = interruptible(lambda: shared.spelled(how.spelling)), 0.0
    rows = rows_of(shared, how.representation, m, how.pseudocount, weight, how.seed, engine)
    anchors = find_anchors(rows[:n_candidates], m, how.exchange) if given is None else given
    if not how.refine:
        return mixtures(rows, rows[anchors], engine), anchors
    _, nearest = refine(rows, contexts.counts, rows[anchors])
    memberships = np.zeros((contexts.n_words, m))
    memberships[np.arange(contexts.n_words), nearest] = 1.0
    return memberships, anchors
