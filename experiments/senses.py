"""Word-sense induction for pseudo-words (Manning and Schütze 1999, section 14.2.2).

    python -m experiments.senses

Two words of similar frequency are treated as one, and the two induced senses are compared with the
original words. Window and smoothing are chosen on other pairs than those of the reported figures.
"""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from experiments.common import COLOURS, PANELS, TEXTS, data, graph_objects, start, table, two_panels

import firth
from firth.corpus import Index, build_index
from firth.formats import read_tagged
from firth.senses import Contexts, Mixture, Prior, WordSenses, expected, raised
from firth.store import Part

N_DEV, N_TEST, BLOCK, SEED = 40, 100, 20, 1
COUNTS = {"wikinews": (300, 3_000), "wiki": (500, 5_000)}
"""The range of word counts in each corpus."""
DEV_WINDOWS = (3, 5, 7, 10, 20, None)
DEV_SMOOTHING = (0.1, 0.3, 1.0)
DEV_SHARES = (0.01, 0.001)
LEAST_IN_BAND = 8
Pair = tuple[str, str]
Integers = npt.NDArray[np.int64]


class Text:
    """A corpus with an index of its words."""

    def __init__(self, name: str, corpus: firth.Corpus) -> None:
        self.name, self.corpus = name, corpus
        self._folder = tempfile.TemporaryDirectory(prefix="firth-")
        build_index(corpus, Path(self._folder.name))
        self.index = Index(Part.in_folder(Path(self._folder.name)), corpus)

    def pairs(self, kind: str) -> list[Pair]:
        """Pairs of words of similar frequency, without repeated words, in random order."""
        rng = np.random.default_rng(SEED)
        least, most = COUNTS[self.name]
        vocabulary = self.corpus.vocabulary
        some = [vocabulary[i] for i in range(vocabulary.n_kept(most + 1), vocabulary.n_kept(least))]
        fitting = [w for w in some if w.isalpha() and w.islower() and len(w) > 2]
        fitting = [w for w in fitting if (w in nouns() if kind == "nouns" else len(w) > 3)]
        found: list[Pair] = []
        for a in range(0, len(fitting) - BLOCK + 1, BLOCK):
            block = rng.permutation(fitting[a : a + BLOCK]).tolist()
            found += [(block[i], block[i + 1]) for i in range(0, BLOCK, 2)]
        return [found[i] for i in rng.permutation(len(found)).tolist()]

    def contexts(self, words: Sequence[str], window: int | None = 7, **how: Any) -> Contexts:
        return Contexts.of(self.corpus, words, window, index=self.index, **how)

    def truth(self, pair: Pair, contexts: Contexts) -> npt.NDArray[np.bool_]:
        """Whether each occurrence is of the first word."""
        first = self.corpus.vocabulary.id(pair[0])
        return np.asarray(self.corpus.ids[contexts.places] == first)


@cache
def nouns() -> frozenset[str]:
    """Words that occur at least three times and are nouns in at least nine of ten cases."""
    tags: dict[str, Counter[str]] = defaultdict(Counter)
    for sentence in read_tagged(data("tags/en_ewt-train.conllu")):
        for word, tag in sentence:
            tags[word][tag] += 1
    return frozenset(w for w, t in tags.items() if t.total() >= 3 and t["NOUN"] >= 0.9 * t.total())


def agreement(labels: Integers, truth: npt.NDArray[np.bool_]) -> float:
    """The fraction of correct occurrences, under the better of the two mappings of senses to words."""
    right = float(((labels == 0) == truth).mean())
    return max(right, 1 - right)


def random_starts(contexts: Contexts, smoothing: float = 0.3, starts: int = 5) -> Integers:
    """The labels of plain EM without annealing: the most probable mixture of five random restarts."""
    prior, rng = Prior.of(contexts, smoothing), np.random.default_rng(0)
    best, labels = -np.inf, np.zeros(len(contexts), np.int64)
    for _ in range(starts):
        words = rng.dirichlet(np.ones(2), len(contexts.words)) * prior.words[:, None]
        mixture = Mixture(np.full(2, 0.5), words / words.sum(axis=0))
        mixture, history = raised(contexts, mixture, prior, 200, 1e-4)
        if history[-1][1] > best:
            best, labels = history[-1][1], expected(contexts, mixture)[0].argmax(axis=1)
    return labels


def accuracies(text: Text, pairs: Sequence[Pair], method: str = "", **how: Any) -> list[float]:
    """The accuracy of two senses, for each pair."""
    smoothing = how.pop("smoothing", 0.3)
    found = []
    for pair in pairs:
        contexts = text.contexts(pair, **how)
        labels = (
            random_starts(contexts, smoothing) if method == "random"
            else WordSenses(2, smoothing=smoothing).fit(contexts).labels_
        )  # fmt: skip
        found.append(round(agreement(labels, text.truth(pair, contexts)), 4))
    return found


def numbers(text: Text, words: Sequence[str | Pair]) -> list[tuple[int, int]]:
    """The occurrences of words or pseudo-words, and the number of senses with the minimum description length."""
    found = []
    for word in words:
        contexts = text.contexts([word] if isinstance(word, str) else word)
        found.append((len(contexts), WordSenses().fit(contexts).n_senses_))
    return found


def majority(text: Text, pairs: Sequence[Pair]) -> float:
    """The relative frequency of the more frequent word, on average."""
    counts = text.corpus.vocabulary.counts
    n = [[int(counts[text.corpus.vocabulary.id(word)]) for word in pair] for pair in pairs]
    return float(np.mean([max(both) / sum(both) for both in n]))


def interval(values: Sequence[float]) -> str:
    """The mean in percent with its 95 % confidence interval."""
    spread = 196 * np.std(values, ddof=1) / len(values) ** 0.5
    return f"{100 * np.mean(values):.1f} ± {spread:.1f}"


def share(found: Sequence[Sequence[int]], least: int, most: int = 1 << 30) -> float:
    return float(np.mean([least <= n <= most for _, n in found]))


def figure(dev: dict[str, dict[str, list[float]]], chosen: dict[str, Any]) -> Any:
    graph = graph_objects()
    layout = two_panels("Pseudo-words", "", "accuracy, %", "words with two or more senses, %")
    lines = []
    for (name, row), colour in zip(dev.items(), COLOURS, strict=False):
        lines.append(
            graph.Scatter(
                x=[str(w) if w else "all" for w in DEV_WINDOWS], y=[100 * np.mean(row[str(w)]) for w in DEV_WINDOWS],
                name=name, mode="lines+markers", line={"color": colour, "width": 2.5}, marker={"size": 8},
            )
        )  # fmt: skip
    edges = [500, 1_000, 2_000, 4_000, 8_000, 16_000]
    for (name, found), colour in zip(chosen.items(), (*COLOURS[4:], "#8a949c"), strict=False):
        bands = [[k for n, k in found if a <= n < b] for a, b in pairwise(edges)]
        kept = [(edges[i], band) for i, band in enumerate(bands) if len(band) >= LEAST_IN_BAND]
        lines.append(
            graph.Scatter(
                x=[f"{a:,}" for a, _ in kept], y=[100 * np.mean([k > 1 for k in band]) for _, band in kept],
                name=name, mode="lines+markers", line={"color": colour, "width": 2.5}, marker={"size": 8},
            ).update(PANELS[1] | {"showlegend": True})
        )  # fmt: skip
    layout["xaxis"] |= {"title": {"text": "window (words on either side)"}, "type": "category"}
    layout["xaxis2"] |= {
        "title": {"text": "occurrences (lower bound of bin)"},
        "type": "category",
        "categoryorder": "array",
        "categoryarray": [f"{edge:,}" for edge in edges],
    }
    layout["yaxis2"] |= {"range": [-3, 103]}
    layout["legend"] |= {"entrywidth": 220}
    layout["margin"] |= {"t": 125}
    return graph.Figure(lines, layout)


def main() -> None:
    run = start("senses", __doc__)
    n_dev, n_test = (4, 6) if run.quick else (N_DEV, N_TEST)
    names = ["wikinews"] if run.quick else ["wikinews", "wiki"]
    rows, dev, others, chosen = [], {}, {}, {}
    for name in names:
        text = Text(name, run.corpus(name))
        ordered = {kind: text.pairs(kind) for kind in ("nouns", "any")}
        first = ordered["nouns"][:n_dev]
        for beside in (True, False):
            label = f"{name}, {'adjacent words marked' if beside else 'plain bag of words'}"
            dev[label] = {
                str(w): run.remember(f"{label} {w} {n_dev}", accuracies_of(text, first, window=w, beside=beside))
                for w in DEV_WINDOWS
            }  # fmt: skip
        for smoothing in DEV_SMOOTHING:
            label = f"{name} smoothing {smoothing} {n_dev}"
            others[label] = run.remember(label, accuracies_of(text, first, smoothing=smoothing))
        for most in DEV_SHARES:
            label = f"{name} max_share {most} {n_dev}"
            others[label] = run.remember(label, accuracies_of(text, first, max_share=most))
        for kind, pairs in ordered.items():
            test = pairs[N_DEV : N_DEV + n_test]
            label = f"{name} {kind} {n_test}"
            ours = run.remember(label, accuracies_of(text, test))
            bag = run.remember(f"{label} bag", accuracies_of(text, test, beside=False))
            plain = run.remember(f"{label} random", accuracies_of(text, test, method="random"))
            rows.append([
                f"{name}, {'pairs of nouns' if kind == 'nouns' else 'any two words'}",
                f"{100 * majority(text, test):.1f}", interval(plain), interval(bag), interval(ours),
                f"{100 * np.mean(np.array(ours) > 0.75):.0f}",
            ])  # fmt: skip
        test = ordered["nouns"][N_DEV : N_DEV + n_test]
        single = [first for first, _ in test]
        for label, words in (("pseudo-words", test), ("single nouns", single)):
            row = f"{name}, {label}"
            chosen[row] = run.remember(f"{row} {n_test}", numbers_of(text, words))
    for label, found in others.items():
        print(f"{label}: {interval(found)}")
    write(run, rows, dev, chosen, n_test)


def accuracies_of(text: Text, pairs: Sequence[Pair], **how: Any) -> Any:
    return lambda: accuracies(text, pairs, **how)


def numbers_of(text: Text, words: Sequence[str | Pair]) -> Any:
    return lambda: numbers(text, words)


def write(run: Any, rows: list[Any], dev: Any, chosen: dict[str, Any], n_test: int) -> None:
    numbered = [
        [name, f"{100 * share(found, 1, 1):.0f}", f"{100 * share(found, 2, 2):.0f}",
         f"{100 * share(found, 3):.0f}", f"{np.mean([n for n, _ in found]):,.0f}"]
        for name, found in chosen.items()
    ]  # fmt: skip
    last = rows[-2]
    run.write(
        "Senses of pseudo-words",
        f"""Two words of similar frequency are treated as one pseudo-word, and two senses are
learned from its contexts by EM, the method that Manning and Schütze (1999) suggest in section
14.2.2. The first table gives the accuracy: the percentage of occurrences whose sense corresponds to
the original word, under the better of the two mappings. It is the mean over {n_test} pairs with a
95 % confidence interval. Pairs of nouns are the harder task: two arbitrary words often have
different parts of speech, which the adjacent words reveal. *Plain EM* is the most probable of five
random restarts; the other columns use annealing. *Plain bag of words* does not distinguish adjacent
words from others.

The window and the smoothing were chosen on {N_DEV} other pairs of nouns; the left panel of the
figure shows the effect of the window. The second table and the right panel show the number of
senses with the minimum description length, for pseudo-words and for single nouns, which have one
part of speech but not always one sense. A few occurrences do not justify a second sense; with many,
nearly every noun has several kinds of contexts. With the same number of occurrences, a single noun
gets two or more senses about as often as a pseudo-word: the number reflects how varied the contexts
in the corpus are, not how many meanings a dictionary would list. Nor is 2 necessarily the correct
number for a pseudo-word: each of its words has several kinds of contexts of its own.""",
        table(
            [
                "corpus",
                "majority baseline",
                "plain EM",
                "plain bag of words",
                "Firth",
                "% of pairs above 75",
            ],
            rows,
        )
        + "\n\n"
        + table(["words", "% with 1 sense", "2 senses", "3 or more", "mean occurrences"], numbered),
        figure(dev, chosen),
        "data: "
        + " and ".join(TEXTS[name] for name in COUNTS)
        + "; nouns from `en_ewt-train.conllu`",
        [
            (
                "EM finds the senses of pseudo-words made of two nouns",
                "method described, no figures",
                f"accuracy {last[4]} % on Wikipedia, majority baseline {last[1]} %",
            )
        ],
    )


if __name__ == "__main__":
    main()
