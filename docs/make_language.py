"""Generate a text in an artificial language for the tutorials: ``python docs/make_language.py unknown.txt``.

The language has a grammar to discover; the tutorial on the explorer describes it at the end. The output is
deterministic. ``python docs/make_language.py unknown.txt truth.txt`` also writes the words of the first sentences with
their gold part-of-speech tags.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path

N_SENTENCES = 40_000
CASES = {"subject": "", "object": "m", "owner": "ri", "place": "ste"}
TENSES = ("en", "il", "os")
FIELDS = ("water", "house", "market", "journey", "body", "sky")
POSTPOSITIONS = ("lun", "bek", "osh", "mur")
WHEN = ("niva", "teshi", "olam", "karu")
PRONOUNS = ("mi", "tu", "ven", "nari")


class Language:
    """A lexicon of stems by part of speech and topic, and a generator of sentences."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._taken: set[str] = {*POSTPOSITIONS, *WHEN, *PRONOUNS}
        # a noun ends in its gender; nouns of one topic occur in the same sentences
        self.nouns = {field: self._stems(36, ("a", "o")) for field in FIELDS}
        self.verbs = {field: self._stems(12, ("",)) for field in FIELDS}
        self.adjectives = {field: self._stems(8, ("",)) for field in FIELDS}
        self.names = [stem.capitalize() for stem in self._stems(40, ("i", "u"))]
        self.numbers = self._stems(9, ("esh",))
        self.adverbs = self._stems(20, ("emu",))

    def _stems(self, n: int, endings: Sequence[str]) -> list[str]:
        found: list[str] = []
        while len(found) < n:
            syllables = self._chance.choice((1, 2, 2, 2))
            stem = "".join(
                self._chance.choice("bdfghklmnprstvzšž") + self._chance.choice("aeiouä")
                for _ in range(syllables)
            ) + self._chance.choice("lnrskt")  # fmt: skip
            word = stem + endings[len(found) % len(endings)]
            if word not in self._taken:
                self._taken.add(word)
                found.append(word)
        return found

    def _pick(self, words: Sequence[str]) -> str:
        """Draw a word; the k-th has a probability proportional to 1/k."""
        weights = list(accumulate(1 / (k + 1) for k in range(len(words))))
        return self._chance.choices(words, cum_weights=weights)[0]

    def _noun_phrase(self, field: str, case: str) -> list[tuple[str, str]]:
        chance = self._chance.random()
        if case in ("subject", "owner") and chance < 0.15:
            return [(self._pick(self.names) + CASES[case], "NAME")]
        if case == "subject" and chance < 0.3:
            return [(self._pick(PRONOUNS), "PRON")]
        noun = self._pick(self.nouns[field])
        gender = noun[-1]
        words = []
        counted = self._chance.random() < 0.12
        if counted:
            words.append((self._pick(self.numbers), "NUM"))
        elif self._chance.random() < 0.55:
            words.append(("t" + gender if self._chance.random() < 0.7 else "is" + gender, "ART"))
        if self._chance.random() < 0.35:
            words.append((self._pick(self.adjectives[field]) + gender, "ADJ"))
        return [*words, (noun + ("k" if counted else "") + CASES[case], "NOUN")]

    def sentence(self) -> list[tuple[str, str]]:
        """Generate a sentence as pairs of word and part of speech.

        The order is time, subject, possessor, object, place, adverb, negation, verb.
        """
        chance = self._chance
        field = self._pick(FIELDS)
        words = [(self._pick(WHEN), "WHEN")] if chance.random() < 0.25 else []
        words += self._noun_phrase(field, "subject")
        if chance.random() < 0.7:
            if chance.random() < 0.2:
                words += self._noun_phrase(field, "owner")
            words += self._noun_phrase(field, "object")
        if chance.random() < 0.35:
            words += [*self._noun_phrase(field, "place"), (self._pick(POSTPOSITIONS), "POST")]
        if chance.random() < 0.2:
            words.append((self._pick(self.adverbs), "ADV"))
        if chance.random() < 0.12:
            words.append(("ne", "NOT"))
        words.append((self._pick(self.verbs[field]) + chance.choice(TENSES), "VERB"))
        end = "?" if chance.random() < 0.1 else "."
        if end == "?":
            words.append(("ki", "ASK"))
        return [*words, (end, "END")]


def sentences(n_sentences: int = N_SENTENCES, seed: int = 5) -> Iterator[list[tuple[str, str]]]:
    language = Language(seed)
    return (language.sentence() for _ in range(n_sentences))


def text(n_sentences: int = N_SENTENCES, seed: int = 5) -> str:
    """Return the whole text, one sentence per line."""
    words = ([word for word, _ in sentence] for sentence in sentences(n_sentences, seed))
    return "".join(" ".join(some[:-1]) + some[-1] + "\n" for some in words)


def truth(n_sentences: int = 2_000, seed: int = 5) -> str:
    """Return the words with their parts of speech, one word per line."""
    return "".join(
        "".join(f"{word}\t{kind}\n" for word, kind in sentence) + "\n"
        for sentence in sentences(n_sentences, seed)
    )


if __name__ == "__main__":
    for path, made in zip(sys.argv[1:], (text, truth), strict=False):
        Path(path).write_text(made(), encoding="utf-8")
