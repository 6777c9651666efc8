"""Words that were never seen: one symbol for all that are spelled alike."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from firth.tags._hmm import normalised

__all__ = ["tendencies", "with_unseen"]

Floats = npt.NDArray[np.float64]


def tendencies(
    memberships: Floats, counts: Floats, group: npt.NDArray[np.int64], n_groups: int
) -> Floats:
    """The share of each state in each group of words that are spelled alike; rare words have the most say.

    ``group`` has the group of each word.
    """
    told = memberships / np.maximum(counts, 1)[:, None]
    sums = np.zeros((n_groups, memberships.shape[1]))
    np.add.at(sums, group, told)
    return normalised(sums + normalised(told.sum(axis=0), 0), 1)


def with_unseen(
    memberships: Floats, counts: Floats, group: npt.NDArray[np.int64], n_groups: int
) -> tuple[Floats, Floats]:
    """Emissions of words, and of words that were never seen: a symbol for each group that is spelled alike.

    Words that occur once tell how probable unseen ones are (Good and Turing), and of which states they
    come: all rare words of a group have a say. ``group`` has the group of each word.

    Returns
    -------
    emission : array of shape (n_words + n_groups, n_states)
    prior : array of shape (n_states,)
        The share of each state in text, with words that were never seen: emissions and this give back
        the memberships, by Bayes.
    """
    once = counts <= 1
    unseen = np.bincount(group[once], minlength=n_groups) + 0.5 / n_groups
    new = tendencies(memberships, counts, group, n_groups) * unseen[:, None]
    emitted = np.concatenate([memberships * counts[:, None], new])
    return normalised(emitted, 0), normalised(emitted.sum(axis=0), 0)
