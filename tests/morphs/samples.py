"""A made-up agglutinative language, whose splits are known."""

from __future__ import annotations

import numpy as np

CONSONANTS, VOWELS = "bdghklmnprstvz", "aeiou"
CASES, NUMBERS, OWNERS = ["", "den", "ro", "chik", "lu"], ["", "taz"], ["", "mi", "shen"]


def stems(n: int, seed: int = 1) -> list[str]:
    """Stems of two or three syllables and a consonant."""
    rng = np.random.default_rng(seed)

    def syllable() -> str:
        return str(rng.choice(list(CONSONANTS))) + str(rng.choice(list(VOWELS)))

    found: dict[str, None] = {}
    while len(found) < n:
        word = "".join(syllable() for _ in range(int(rng.integers(2, 4)))) + str(
            rng.choice(list("kptf"))
        )
        found[word] = None
    return list(found)


def language(n: int = 400, forms: int = 8, seed: int = 1) -> dict[str, list[str]]:
    """Words of a stem and perhaps plural, owner and case, with their parts.

    As in natural languages, a form with fewer suffixes is more frequent. ``forms`` are drawn for each
    stem; some of them are the same.
    """
    rng = np.random.default_rng(seed)

    def some(suffixes: list[str], share: float) -> list[str]:
        return [str(rng.choice(suffixes[1:]))] if rng.random() < share else []

    found: dict[str, list[str]] = {}
    for stem in stems(n):
        for _ in range(forms):
            parts = [stem, *some(NUMBERS, 0.3), *some(OWNERS, 0.3), *some(CASES, 0.6)]
            found["".join(parts)] = parts
    return found
