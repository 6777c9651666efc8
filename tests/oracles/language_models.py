"""Language models straight from their formulas, from dictionaries."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

__all__ = ["SlowTree", "slow_cache", "slow_values"]


class SlowTree:
    """P(outcome | given, history) with modified Kneser-Ney smoothing.

    ``sentences`` are lists of symbols between a symbol for the beginning and one for the end. ``history``
    has (row, distance) pairs, ``maps`` the rows. Histories longer than ``keep`` words are kept if they
    were seen ``least`` times.
    """

    def __init__(
        self, sentences: Sequence[Sequence[int]], maps: Any, outcome: int, given: int | None,
        history: Sequence[tuple[int, int]], n_outcomes: Any, least: int = 1, discounts: Any = None,
    ) -> None:  # fmt: skip
        self.maps, self.outcome, self.given, self.history = maps, outcome, given, history
        self.n_outcomes = n_outcomes
        self.longest: Counter[Any] = Counter()
        seen: Counter[Any] = Counter()
        for sentence in sentences:
            for i in range(1, len(sentence)):
                for one in self.histories(sentence, i):
                    seen[one] += 1
        self.kept = {
            one for one, n in seen.items()
            if all(seen[one[: k + 2]] >= least for k in range(len(one) - 1) if history[k][1] > 2)
        }  # fmt: skip
        for sentence in sentences:
            for i in range(1, len(sentence)):
                here = self.histories(sentence, i)
                deepest = [one for one in here if one in self.kept][-1]
                self.longest[deepest, self.value(outcome, sentence[i])] += 1
        self.counts = self._counts()
        self.discounts = discounts if discounts is not None else self._discounts()

    def value(self, row: int, symbol: int) -> int:
        return int(self.maps[row][symbol])

    def histories(self, sentence: Sequence[int], i: int) -> list[tuple[Any, ...]]:
        """All histories of a symbol, the shortest first; each begins with what is given."""
        given = None if self.given is None else self.value(self.given, sentence[i])
        found: list[tuple[Any, ...]] = [(given,)]
        for row, distance in self.history:
            if distance > i:
                break
            found.append((*found[-1], self.value(row, sentence[i - distance])))
        return found

    def _counts(self) -> Counter[Any]:
        counts = Counter(self.longest)
        for size in range(len(self.history) + 1, 1, -1):
            for before, outcome in [key for key in counts if len(key[0]) == size]:
                counts[before[:-1], outcome] += 1
        return counts

    def _discounts(self) -> list[tuple[float, ...]]:
        found: list[tuple[float, ...]] = []
        for size in range(1, len(self.history) + 2):
            n = Counter(m for (before, _), m in self.counts.items() if len(before) == size)
            usual = (0.5, 1.0, 1.5)
            if not all(n[k] for k in (1, 2, 3, 4)):
                found.append(usual)
                continue
            y = n[1] / (n[1] + 2 * n[2])
            some = tuple(k - (k + 1) * y * n[k + 1] / n[k] for k in (1, 2, 3))
            found.append(some if all(0 < d <= k for k, d in enumerate(some, 1)) else usual)
        return found

    def p(self, sentence: Sequence[int], i: int) -> float:
        outcome = self.value(self.outcome, sentence[i])
        first = 0 if self.given is None else self.value(self.given, sentence[i])
        p = 1 / float(self.n_outcomes[first])
        for level, before in enumerate(self.histories(sentence, i)):
            after = {o: n for (b, o), n in self.counts.items() if b == before}
            total = sum(after.values())
            if not total:
                continue
            d = (0.0, *self.discounts[level])
            left = sum(d[min(n, 3)] for n in after.values()) / total
            n = after.get(outcome, 0)
            p = float((n - d[min(n, 3)]) / total + left * p)
        return p


def slow_cache(
    symbols: Sequence[int], begin: int, n_symbols: int, class_of: Sequence[int] | None, p_class: Any, p_in_class: Any
) -> list[list[float]]:  # fmt: skip
    """The probabilities of the three models of the cache, for each symbol, word by word."""
    rows = []
    for i, word in enumerate(symbols):
        if word == begin:
            rows.append([1.0, 1.0, 1.0])
            continue
        recent = [symbols[k] for k in range(i - 1, -1, -1) if symbols[k] != begin]
        weights = [(1 - 1 / 150) ** (k + 1) for k in range(len(recent))]
        same = sum(w for w, other in zip(weights, recent, strict=True) if other == word)
        words = (same + 1 / (n_symbols - 1)) / (sum(weights) + 1)
        one = all_one = two = all_two = 0.0
        for k in range(i - 1):
            if symbols[k] != symbols[i - 1] or i - k > 3000:
                continue
            weight = (1 - 1 / 1500) ** (i - 1 - k)
            follows = symbols[k + 1] == word
            all_one += weight
            one += weight * follows
            if symbols[i - 1] == begin or (k and symbols[k - 1] == symbols[i - 2]):
                all_two += weight
                two += weight * follows
        histories = (two + (one + 2 * words) / (all_one + 2)) / (all_two + 1)
        row = [words, histories]
        if class_of is not None:
            keep = [(1 - 1 / 400) ** (k + 1) for k in range(len(recent))]
            here = sum(w for w, o in zip(keep, recent, strict=True) if o == word)
            alike = [class_of[o] == class_of[word] for o in recent]
            of_class = sum(w for w, same_class in zip(keep, alike, strict=True) if same_class)
            row.append(p_class[i] * (here + 2 * p_in_class[i]) / (of_class + 2))
        rows.append(row)
    return rows


def slow_values(tree: Any, symbols: Sequence[int], n_symbols: int, order: int) -> list[float]:
    """The probability of each symbol of a sentence and of its end, from the arrays of a tree of words.

    That of the longest history with which the symbol was seen, times the backoff weights of all longer
    histories that were seen, the shortest first.
    """
    nodes: dict[tuple[int, ...], int] = {(): 0}
    for node in range(len(tree.elements)):
        path = next(p for p, k in nodes.items() if k == node)
        for child in range(tree.children[node], tree.children[node + 1]):
            nodes[*path, int(tree.elements[child])] = child
    after = {
        path: {
            int(tree.words[k]): float(tree.p[k]) for k in range(tree.starts[v], tree.starts[v + 1])
        }
        for path, v in nodes.items()
    }
    text, found = [n_symbols - 2, *symbols, n_symbols - 1], []
    for i in range(1, len(text)):
        value = after[()].get(text[i], float(tree.backoff[0]) * float(tree.base[0]))
        for k in range(1, min(order, i + 1)):
            path = tuple(reversed(text[i - k : i]))
            if path not in nodes:
                break
            value = after[path].get(text[i], value * float(tree.backoff[nodes[path]]))
        found.append(value)
    return found


def log_likelihood(tree: SlowTree, sentences: Sequence[Sequence[int]]) -> float:
    """The log probability of sentences."""
    return sum(math.log(tree.p(s, i)) for s in sentences for i in range(1, len(s)))
