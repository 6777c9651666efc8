"""Slow twins of the morphology kernels: every split and every sequence of states, one after the other."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

STEM_STOP, AFFIX_STOP, SHORT, ITSELF = 0.1, 0.4, 1e-3, 0.03


def splits(word: str) -> Iterator[tuple[str, ...]]:
    """All ways to cut a word."""
    for cuts in itertools.product((False, True), repeat=len(word) - 1):
        parts, begin = [], 0
        for place, cut in enumerate(cuts, 1):
            if cut:
                parts.append(word[begin:place])
                begin = place
        yield (*parts, word[begin:])


@dataclass
class Model:
    """The parameters of the hidden Markov model, with strings for keys."""

    shares: Mapping[str, Sequence[float]]
    stems: frozenset[str]
    letters: Mapping[int, Sequence[float]]
    """The probabilities of the letter at each position of the word."""
    fresh: Sequence[float]
    moves: Sequence[Sequence[float]]
    unattested: float

    def emission(self, part: str, begin: int, state: int) -> float:
        affix, stem = (
            AFFIX_STOP * (1 - AFFIX_STOP) ** (len(part) - 1),
            STEM_STOP * (1 - STEM_STOP) ** (len(part) - 1),
        )
        for k in range(len(part)):
            affix *= self.letters[begin + k][0]
            stem *= self.letters[begin + k][min(k, 2)]
        stem *= SHORT if len(part) < 3 else 1.0
        found = self.fresh[state] * (stem if state == 1 else affix)
        whole = state == 1 and len(part) == len(self.letters)
        found += self.shares.get(part, (0.0, 0.0, 0.0))[state] * (ITSELF if whole else 1.0)
        if state == 1 and begin > 0 and part not in self.stems:
            found *= self.unattested
        return found

    def joint(self, parts: Sequence[str], states: Sequence[int]) -> float:
        """The probability of a split with its states."""
        p, before, begin = 1.0, 3, 0
        for part, state in zip(parts, states, strict=True):
            p *= self.moves[before][state] * self.emission(part, begin, state)
            before, begin = state, begin + len(part)
        return p * self.moves[before][3]


@dataclass
class Expected:
    """Sums over all splits and states of a word, weighted by their probabilities."""

    probability: float = 0.0
    counts: defaultdict[tuple[str, int], float] = field(default_factory=lambda: defaultdict(float))
    moved: defaultdict[tuple[int, int], float] = field(default_factory=lambda: defaultdict(float))
    cuts: defaultdict[int, float] = field(default_factory=lambda: defaultdict(float))
    inside: defaultdict[int, float] = field(default_factory=lambda: defaultdict(float))
    of_splits: defaultdict[tuple[str, ...], float] = field(
        default_factory=lambda: defaultdict(float)
    )


def expected(word: str, model: Model) -> Expected:
    """The E step for one word, without any lattice."""
    paths = [
        (parts, states, model.joint(parts, states))
        for parts in splits(word)
        for states in itertools.product(range(3), repeat=len(parts))
    ]
    found = Expected(math.fsum(p for _, _, p in paths))
    for parts, states, p in paths:
        share = p / found.probability
        found.of_splits[parts] += share
        for before, after in itertools.pairwise((3, *states, 3)):
            found.moved[before, after] += share
        begin = 0
        for part, state in zip(parts, states, strict=True):
            found.counts[part, state] += share
            found.cuts[begin] += share
            if state == 1:
                for place in range(begin, begin + len(part)):
                    found.inside[place] += share
            begin += len(part)
    return found


def tallies(words: Sequence[str], stems: frozenset[str]) -> dict[str, list[int]]:
    """How often strings begin and end words, and how often what remains is one of the stems."""
    found: dict[str, list[int]] = {}
    for word in words:
        for k in range(1, len(word)):
            head, tail = word[:k], word[k:]
            first, last = found.setdefault(head, [0] * 4), found.setdefault(tail, [0] * 4)
            first[0] += 1
            first[1] += tail in stems and len(tail) >= 2
            last[2] += 1
            last[3] += head in stems and len(head) >= 2
    return found


def divisions(
    words: Sequence[str],
    stems: frozenset[str],
    counts: Mapping[str, float],
    suffix: bool,
    prior: float,
) -> set[str]:
    """The suffixes, or prefixes, of ``counts`` that are two: by frequency, and by words without the outer one."""

    def with_affix(affix: str) -> list[str]:
        return [w for w in words if w != affix and (w.endswith if suffix else w.startswith)(affix)]

    def attested(affix: str, removed: str) -> int:
        rest = [w[: -len(removed)] if suffix else w[len(removed) :] for w in with_affix(affix)]
        return sum(r in stems and len(r) >= 2 for r in rest)

    found = set()
    for affix, n in counts.items():
        for k in range(1, len(affix)):
            one, other = affix[:k], affix[k:]
            if n < 1.5 or one not in counts or other not in counts:
                continue
            halves = sorted((counts[one], counts[other]))
            outer = other if suffix else one
            usual = len(with_affix(affix)) * attested(outer, outer) / max(len(with_affix(outer)), 1)
            enough = attested(affix, outer) + prior >= 0.3 * (usual + prior)
            if halves[0] >= n and halves[1] >= 2 * n and enough:
                found.add(affix)
    return found


def expanded(word: str, splits: Mapping[str, Sequence[tuple[str, str]]]) -> list[tuple[str, str]]:
    """The parts of a word, with stems that are words split again and again."""
    found = []
    for part, kind in splits[word]:
        again = kind == "stem" and part != word and part in splits
        found += expanded(part, splits) if again else [(part, kind)]
    return found


def trigram_probabilities(
    words: Sequence[str], weights: Sequence[Sequence[float]], word: str, alphabet: Sequence[str]
) -> list[list[float]]:
    """The letters of a word under trigrams, bigrams and unigrams with absolute discounting."""
    grams: list[defaultdict[tuple[str, ...], float]] = [defaultdict(float) for _ in range(3)]
    for other, of_letters in zip(words, weights, strict=True):
        padded = "##" + other
        for k, weight in enumerate(of_letters):
            for order in range(3):
                grams[order][tuple(padded[k + 2 - order : k + 3])] += weight
    total = sum(grams[0].values()) + len(alphabet)

    def p(gram: tuple[str, ...]) -> float:
        if len(gram) == 1:
            return (grams[0][gram] + 1) / total
        same = [g for g in grams[len(gram) - 1] if g[:-1] == gram[:-1]]
        if not same:
            return p(gram[1:])
        of_order = grams[len(gram) - 1]
        n = sum(of_order[g] for g in same) + 1e-9
        rest = sum(0.75 * min(of_order[g], 1.0) for g in same) + 1e-9
        seen = of_order[gram] - 0.75 * min(of_order[gram], 1.0) if gram in of_order else 0.0
        return seen / n + rest / n * p(gram[1:])

    padded = "##" + word
    return [
        [p(tuple(padded[k + 2 - order : k + 3])) for order in range(3)] for k in range(len(word))
    ]
