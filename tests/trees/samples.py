"""Random trees."""

from __future__ import annotations

import random
from itertools import pairwise
from unicodedata import category

from hypothesis import strategies as st

from firth.trees import Tree

LABELS = ("S", "NP", "VP", "PP", "ADJP", "X")
TAGS = ("N", "V", "D", "P", "J")

labels = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=6
).filter(
    lambda text: (
        not set(text) & set("()") and not text.isspace() and set(map(category, text)) != {"Cf"}
    )
)
leaves = st.builds(Tree, labels, labels.filter(lambda word: not word.startswith("-")))
trees = st.recursive(
    leaves,
    lambda below: st.builds(Tree, labels, st.lists(below, min_size=1, max_size=4)),
    max_leaves=20,
)


def random_tree(rng: random.Random, words: list[str], tags: list[str] | None = None) -> Tree:
    """A random tree over words; unary chains now and then, no label twice over one span."""
    tags = tags or [rng.choice(TAGS) for _ in words]

    def grow(start: int, end: int, above: frozenset[str]) -> Tree:
        if end - start == 1:
            leaf = Tree(tags[start], words[start])
            free = [label for label in LABELS if label not in above]
            return Tree(rng.choice(free), [leaf]) if free and rng.random() < 0.3 else leaf
        label = rng.choice([label for label in LABELS if label not in above])
        if rng.random() < 0.15 and len(above) < 3:
            return Tree(label, [grow(start, end, above | {label})])
        cuts = sorted(
            rng.sample(range(start + 1, end), min(rng.choice((1, 1, 2, 3)), end - start - 1))
        )
        bounds = [start, *cuts, end]
        return Tree(label, [grow(a, b, frozenset()) for a, b in pairwise(bounds)])

    return grow(0, len(words), frozenset())
