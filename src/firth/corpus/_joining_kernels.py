"""The kernel that joins words to phrases."""

from __future__ import annotations

from typing import Any

from firth.compute.kernels import kernel
from firth.compute.search_kernels import first_not_below

__all__ = ["join"]


@kernel
def _child(keys: Any, key: int, first: int) -> int:
    """The node that a key leads to, if the first key leads to ``first``; 0 if there is none."""
    at = first_not_below(keys, 0, keys.shape[0], key)
    return first + at if at < keys.shape[0] and keys[at] == key else 0


@kernel
def join(
    ids: Any, ends: Any, begins: Any, keys: Any, tokens: Any, at: int, sentence: int, out: Any, new_ends: Any
) -> tuple[int, int, int, int]:  # fmt: skip
    """Join words from token ``at`` of a sentence on, until ``out`` or ``new_ends`` is full.

    Phrases are the paths of a tree. ``begins`` has for each word the node that it leads to from the root, or 0;
    ``keys`` the other steps, ascending: a node times the number of words, plus the next word. They lead to the
    last nodes, in this order. ``tokens`` has for each node, from 0 on, the token that ends there, or -1. At each
    word the longest path to a token counts.

    Returns the next word and its sentence, and how many tokens and ends of sentences were written; ends are
    counted from the first token that is written.
    """
    n = m = 0
    n_words, first = begins.shape[0], tokens.shape[0] - keys.shape[0]
    while sentence < ends.shape[0] and m < new_ends.shape[0]:
        end = ends[sentence]
        while at < end and n < out.shape[0]:
            best, stop = ids[at], at + 1
            node, j = begins[ids[at]], at + 1
            while node > 0 and j < end:
                node = _child(keys, node * n_words + ids[j], first)
                j += 1
                if node > 0 and tokens[node] >= 0:
                    best, stop = tokens[node], j
            out[n] = best
            n += 1
            at = stop
        if at < end:
            break
        new_ends[m] = n
        m += 1
        sentence += 1
    return at, sentence, n, m
