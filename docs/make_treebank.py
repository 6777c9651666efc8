"""Generate a small artificial treebank for the tutorial: ``python docs/make_treebank.py trees.mrg dev.mrg``.

The grammar is roughly English. Attachment is lexical, as in real text: one looks *at* something and sees the *roof of*
a house. The output is deterministic.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

N_TREES, N_DEV = 3000, 300
PEOPLE = (
    "girl",
    "boy",
    "doctor",
    "baker",
    "sailor",
    "teacher",
    "farmer",
    "painter",
    "miller",
    "judge",
    "weaver",
    "clerk",
)
THINGS = (
    "house", "boat", "letter", "table", "garden", "bridge", "lamp", "basket", "kettle", "window", "ladder", "wagon",
    "barrel", "piano", "mirror", "curtain",
)  # fmt: skip
PARTS = ("roof", "door", "colour", "price", "end", "owner", "corner", "picture", "weight")
ADJECTIVES = (
    "old",
    "small",
    "green",
    "quiet",
    "heavy",
    "new",
    "broken",
    "bright",
    "wooden",
    "cheap",
)
TIMES = ("yesterday", "today", "again", "often")
NAMES = ("Anna", "Otto", "Maria", "Jonas", "Clara", "Emil", "Lena")
SUBJECTS, OBJECTS = ("he", "she", "they", "we"), ("him", "her", "them", "us")
SEEING = ("saw", "found", "liked", "bought", "carried", "painted", "mended", "sold", "lost")
GOING = ("slept", "waited", "laughed", "sang", "arrived")
PUTTING = ("put", "hid", "left", "threw")
SAYING = ("said", "thought", "knew", "hoped")
LOOKING = {"looked": "at", "waited": "for", "laughed": "at", "thought": "about"}
PLACES = ("in", "on", "under", "behind", "near")


class Treebank:
    """A generator of random bracketed trees."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def trees(self, n: int) -> Iterator[str]:
        for _ in range(n):
            yield f"(S {self._clause(0)} (. .))"

    def _pick(self, words: tuple[str, ...]) -> str:
        """Draw a word; the k-th has a probability proportional to 1/k."""
        weights = list(accumulate(1 / (k + 1) for k in range(len(words))))
        return self._chance.choices(words, cum_weights=weights)[0]

    def _clause(self, depth: int) -> str:
        when = f" (ADVP (RB {self._pick(TIMES)}))" if self._chance.random() < 0.12 else ""
        return f"{self._noun_phrase(PEOPLE, True, depth)} (VP {self._verb(depth)}{when})"

    def _verb(self, depth: int) -> str:
        kind = self._chance.random()
        if kind < 0.12:
            return f"(VBD {self._pick(GOING)})"
        if kind < 0.26:
            verb = self._pick(tuple(LOOKING))
            return f"(VBD {verb}) (PP (IN {LOOKING[verb]}) {self._noun_phrase(THINGS, False, depth + 1)})"
        if kind < 0.44:
            thing = self._noun_phrase(THINGS, False, depth + 1)
            return f"(VBD {self._pick(PUTTING)}) {thing} {self._place(depth + 1)}"
        if kind < 0.58 and depth < 2:
            return f"(VBD {self._pick(SAYING)}) (SBAR (IN that) (S {self._clause(depth + 1)}))"
        of = PEOPLE if self._chance.random() < 0.25 else THINGS
        return f"(VBD {self._pick(SEEING)}) {self._noun_phrase(of, False, depth)}"

    def _place(self, depth: int) -> str:
        return f"(PP (IN {self._pick(PLACES)}) {self._noun_phrase(THINGS, False, depth + 1)})"

    def _noun_phrase(self, nouns: tuple[str, ...], subject: bool, depth: int) -> str:
        kind = self._chance.random()
        if nouns is PEOPLE and kind < 0.45:
            if kind < 0.2:
                return f"(NP (NNP {self._pick(NAMES)}))"
            return f"(NP (PRP {self._pick(SUBJECTS if subject else OBJECTS)}))"
        if depth < 3 and kind > 0.9:
            return f"(NP {self._plain(nouns)} (CC and) {self._plain(nouns)})"
        if depth < 3 and kind > 0.75 and nouns is THINGS:
            of = f"(PP (IN of) {self._noun_phrase(THINGS, False, depth + 1)})"
            return f"(NP {self._plain(PARTS)} {of})"
        if depth < 3 and kind > 0.65 and nouns is THINGS:
            return f"(NP {self._plain(nouns)} {self._place(depth + 1)})"
        if depth < 2 and kind > 0.78:
            return (
                f"(NP {self._plain(nouns)} (SBAR (WHNP (WP who)) (S (VP {self._verb(depth + 2)}))))"
            )
        return self._plain(nouns)

    def _plain(self, nouns: tuple[str, ...]) -> str:
        told = "".join(
            f" (JJ {self._pick(ADJECTIVES)})" for _ in range(2) if self._chance.random() < 0.2
        )
        return f"(NP (DT {self._pick(('the', 'a'))}){told} (NN {self._pick(nouns)}))"


def treebank() -> tuple[str, str]:
    """Return the training and the development trees, one tree per line."""
    trees = list(Treebank(1).trees(N_TREES + N_DEV))
    return "\n".join(trees[:N_TREES]) + "\n", "\n".join(trees[N_TREES:]) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python docs/make_treebank.py TREES DEV")
    for path, text in zip(sys.argv[1:], treebank(), strict=True):
        Path(path).write_text(text, encoding="utf-8")
