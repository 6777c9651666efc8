"""Are the senses of pseudo-words found? (section 14.2.2 of Manning and Schütze 1999)

    python -m experiments.senses

Two words of about the same frequency are taken for one, and the two senses that are learned are compared with
which word it was. Windows and smoothing are chosen on other pairs than those that the figures are of.
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

N_DEV, N_TEST, BLOCK, SEED = 40, 100, 20, 1
COUNTS = {"wikinews": (300, 3_000), "wiki": (500, 5_000)}
"""How frequent the words are, in each text."""
DEV_WINDOWS = (3, 5, 7, 10, 20, None)
DEV_SMOOTHING = (0.1, 0.3, 1.0)
DEV_SHARES = (0.01, 0.001)
LEAST_IN_BAND = 8
Pair = tuple[str, str]
Integers = npt.NDArray[np.int64]


class Text:
    """A corpus with the places of its words."""

    def __init__(self, name: str, corpus: firth.Corpus) -> None:
        self.name, self.corpus = name, corpus
        self._folder = tempfile.TemporaryDirectory(prefix="firth-")
        names = build_index(corpus, Path(self._folder.name))
        self.index = Index(Path(self._folder.name).joinpath, names, corpus)

    def pairs(self, kind: str) -> list[Pair]:
        """Words of about the same frequency in pairs, no word twice, in random order."""
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
        """Which occurrences are of the first word."""
        first = self.corpus.vocabulary.id(pair[0])
        return np.asarray(self.corpus.ids[contexts.places] == first)


@cache
def nouns() -> frozenset[str]:
    """Words that are nouns in at least nine of ten cases, and there three times."""
    tags: dict[str, Counter[str]] = defaultdict(Counter)
    for sentence in read_tagged(data("tags/en_ewt-train.conllu")):
        for word, tag in sentence:
            tags[word][tag] += 1
    return frozenset(w for w, t in tags.items() if t.total() >= 3 and t["NOUN"] >= 0.9 * t.total())


def agreement(labels: Integers, truth: npt.NDArray[np.bool_]) -> float:
    """The share of occurrences that are right, whichever sense is which word."""
    right = float(((labels == 0) == truth).mean())
    return max(right, 1 - right)


def random_starts(contexts: Contexts, smoothing: float = 0.3, starts: int = 5) -> Integers:
    """The labels of EM from random starts, without annealing; the most probable mixture of five."""
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
    """How well two senses agree with the truth, for each pair."""
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
    """Occurrences of words or pseudo-words, and the number of senses of the shortest description."""
    found = []
    for word in words:
        contexts = text.contexts([word] if isinstance(word, str) else word)
        found.append((len(contexts), WordSenses().fit(contexts).n_senses_))
    return found


def majority(text: Text, pairs: Sequence[Pair]) -> float:
    """The share of the more frequent word, on average."""
    counts = text.corpus.vocabulary.counts
    n = [[int(counts[text.corpus.vocabulary.id(word)]) for word in pair] for pair in pairs]
    return float(np.mean([max(both) / sum(both) for both in n]))


def interval(values: Sequence[float]) -> str:
    """The mean in percent, and how far the true one may be from it, nineteen times of twenty."""
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
    layout["xaxis"] |= {"title": {"text": "words on either side"}, "type": "category"}
    layout["xaxis2"] |= {
        "title": {"text": "occurrences, at least"},
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
            told = f"{name}, {'sides apart' if beside else 'plain bag'}"
            dev[told] = {
                str(w): run.remember(f"{told} {w} {n_dev}", accuracies_of(text, first, window=w, beside=beside))
                for w in DEV_WINDOWS
            }  # fmt: skip
        for smoothing in DEV_SMOOTHING:
            told = f"{name} smoothing {smoothing} {n_dev}"
            others[told] = run.remember(told, accuracies_of(text, first, smoothing=smoothing))
        for most in DEV_SHARES:
            told = f"{name} max_share {most} {n_dev}"
            others[told] = run.remember(told, accuracies_of(text, first, max_share=most))
        for kind, pairs in ordered.items():
            test = pairs[N_DEV : N_DEV + n_test]
            told = f"{name} {kind} {n_test}"
            ours = run.remember(told, accuracies_of(text, test))
            bag = run.remember(f"{told} bag", accuracies_of(text, test, beside=False))
            plain = run.remember(f"{told} random", accuracies_of(text, test, method="random"))
            rows.append([
                f"{name}, {'pairs of nouns' if kind == 'nouns' else 'any two words'}",
                f"{100 * majority(text, test):.1f}", interval(plain), interval(bag), interval(ours),
                f"{100 * np.mean(np.array(ours) > 0.75):.0f}",
            ])  # fmt: skip
        test = ordered["nouns"][N_DEV : N_DEV + n_test]
        single = [first for first, _ in test]
        for told, words in (("pseudo-words", test), ("single nouns", single)):
            row = f"{name}, {told}"
            chosen[row] = run.remember(f"{row} {n_test}", numbers_of(text, words))
    for told, found in others.items():
        print(f"{told}: {interval(found)}")
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
        f"""Two words of about the same frequency are taken for one, and two senses are learned from the contexts of
both by EM, the method that Manning and Schütze (1999) name in 14.2.2. The first table tells in how many
percent of the occurrences the sense is that of the right word, as the better of the two ways to match
them: the mean over {n_test} pairs, with an interval of 95 %. Pairs of nouns are the harder task: any two
words often differ in their part of speech, which the words right beside them tell. Random starts are
those of plain EM, the most probable of five; the others are led to their maximum by annealing. A plain
bag does not know which words stand right beside.

How wide the window is, and how strong the smoothing, was chosen on {N_DEV} other pairs of nouns; the left
half of the figure shows the windows. The second table and the right half are about the number of senses
with the shortest description: for pseudo-words, and for single nouns, which have one part of speech but
not always one sense. Few occurrences are too few to pay for a second sense; with many, nearly every noun
has several kinds of contexts. With the same number of occurrences, a single noun has two senses or more
about as often as a pseudo-word: the number says how varied the contexts are that the text can show, not
how many meanings a dictionary would list. It does not take 2 for the right number, either: each half of a
pseudo-word has kinds of
contexts of its own.""",
        table(
            ["text", "majority", "random starts", "plain bag", "Firth", "% of pairs above 75"], rows
        )
        + "\n\n"
        + table(["words", "% with 1 sense", "2", "3 or more", "occurrences, mean"], numbered),
        figure(dev, chosen),
        "data: "
        + " and ".join(TEXTS[name] for name in COUNTS)
        + "; nouns by `en_ewt-train.conllu`",
        [
            (
                "The senses of pseudo-words made of two nouns are found by EM",
                "names the method",
                f"{last[4]} % right on Wikipedia where the majority is {last[1]} %",
            )
        ],
    )


if __name__ == "__main__":
    main()
