"""Trees for the tests of the commands around grammars."""

from __future__ import annotations

import random

__all__ = ["trees"]


def trees(n: int, seed: int = 0) -> str:
    """Trees, one on each line; phrases belong to the verb or to the noun, by the preposition."""
    rng = random.Random(seed)
    lines = []
    for _ in range(n):
        verb = rng.choice(("sees", "hears", "likes"))
        subject, noun = (rng.choice(("cat", "dog", "man", "owl")) for _ in range(2))
        place = rng.choice(("hat", "bed", "house"))
        thing = f"(NP (D the) (N {noun}))"
        if rng.random() < 0.3:
            rest = f"(V {verb}) {thing}"
        elif rng.random() < 0.5:
            rest = f"(V {verb}) {thing} (PP (I with) (NP (D a) (N {place})))"
        else:
            rest = f"(V {verb}) (NP {thing} (PP (I of) (NP (D a) (N {place}))))"
        lines.append(f"( (S (NP-SBJ (D the) (N {subject})) (VP {rest}) (. .)))\n")
    return "".join(lines)
