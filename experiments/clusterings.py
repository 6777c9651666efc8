"""Comparison of clustering methods (Manning and Schütze 1999, table 14.1 and exercise 14.4).

    FIRTH_DATA=... python -m experiments.clusterings

Clusters the frequent words of Wikinews with every method of ``firth.cluster`` and compares the
clusters with the parts of speech of these words in the English Web Treebank. Words are unit vectors
of left and right neighbours; distributional clustering uses the co-occurrence counts themselves.
Then the same mixture is fitted with ten seeds: how many pairs of words always share a cluster?
"""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from experiments.common import (
    COLOURS,
    EXPONENTS,
    Run,
    data,
    graph_objects,
    measured,
    plain_layout,
    start,
    table,
)

import firth
from firth.cluster import (
    BottomUpClusters,
    DistributionalClusters,
    FlatClusters,
    MixtureClusters,
    TopDownClusters,
    together,
)
from firth.evaluate import TWELVE_TAGS, matching
from firth.formats import read_tagged

N_WORDS, MANY_WORDS, N_CONTEXTS, DIM, N_CLUSTERS, N_RUNS = 2000, 5000, 2000, 50, 32, 10
LEAST = 5
"""The minimum count of a word in the treebank."""

Method = Callable[[], Any]


def methods(k: int) -> dict[str, tuple[str, str, Method]]:
    """By name: the growth of memory, the input, and a factory."""
    return {
        "single link": ("n · dim", "vectors", lambda: BottomUpClusters(k, "single", "cosine")),
        "complete link": ("n²", "vectors", lambda: BottomUpClusters(k, "complete", "cosine")),
        "average link": ("n²", "vectors", lambda: BottomUpClusters(k, "average", "cosine")),
        "group-average": ("n · dim", "vectors", lambda: BottomUpClusters(k, "group-average", "cosine")),
        "Ward": ("n · dim", "vectors", lambda: BottomUpClusters(k, "ward")),
        "top-down, 2-means": ("n · dim", "vectors", lambda: TopDownClusters(k, metric="cosine", whole=False)),
        "k-means, k-means++": ("n · dim", "vectors", lambda: FlatClusters(k)),
        "k-means, Buckshot": ("n · dim", "vectors", lambda: FlatClusters(k, init="buckshot")),
        "k-means, L1": ("n · dim", "vectors", lambda: FlatClusters(k, metric="l1", centres="centroids")),
        "k-medoids, L1": ("n²", "vectors", lambda: FlatClusters(k, metric="l1", n_init=1)),
        "mixture, spherical": ("n · k", "vectors", lambda: MixtureClusters(k, covariance="spherical")),
        "mixture, diagonal": ("n · k", "vectors", lambda: MixtureClusters(k, covariance="diagonal")),
        "mixture, tied": ("n · k", "vectors", lambda: MixtureClusters(k, covariance="tied")),
        "distributional": ("n · k", "counts", lambda: DistributionalClusters(k)),
        "distributional, hard": ("n · k", "counts", lambda: DistributionalClusters(k, hard=True)),
    }  # fmt: skip


@cache
def tags() -> dict[str, str]:
    """The most frequent part of speech of every word that is frequent enough in the treebank."""
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for part in ("train", "dev"):
        for sentence in read_tagged(data(f"tags/en_ewt-{part}.conllu")):
            for word, tag in sentence:
                seen[word.lower()][TWELVE_TAGS[tag]] += 1
    return {
        word: counts.most_common(1)[0][0]
        for word, counts in seen.items()
        if counts.total() >= LEAST
    }


class Words:
    """The frequent words, their vectors, their co-occurrence counts, and their parts of speech."""

    def __init__(self, run: Run) -> None:
        corpus = run.corpus("wikinews", lowercase=True)
        counts = firth.count(corpus, contexts="LR1", vocabulary=20_000)
        found = firth.SpectralEmbedding(dim=DIM, **EXPONENTS).fit(counts).vectors_
        self.words = [found.vocabulary[i] for i in range(len(found))]
        rows = found.matrix.astype(np.float64)
        lengths = np.linalg.norm(rows, axis=1)
        self._unit = rows / np.where(lengths > 0, lengths, 1)[:, None]
        matrix = counts.matrix
        frequent = np.argsort(-np.asarray(matrix.sum(axis=0)).ravel(), kind="stable")[:N_CONTEXTS]
        self._counts = matrix[:, frequent].tocsr()
        seen = np.asarray(self._counts.sum(axis=1)).ravel()[: len(rows)]
        self._usable = (lengths > 0) & (seen > 0)
        self.tagged = [i for i, word in enumerate(self.words) if self._usable[i] and word in tags()]

    def of(self, what: str, which: Any) -> Any:
        return self._unit[which] if what == "vectors" else self._counts[which]

    def frequent(self, n: int) -> Any:
        return np.flatnonzero(self._usable)[:n]


def measure(words: Words, what: str, method: Method, n_words: int, n_many: int) -> list[float]:
    """Many-to-one, one-to-one, V-measure and largest cluster in percent; CPU seconds for many words."""
    some = words.tagged[:n_words]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        labels = method().fit(words.of(what, some)).labels_
        with measured() as cost:
            method().fit(words.of(what, words.frequent(n_many)))
    gold = [tags()[words.words[i]] for i in some]
    found = matching(gold, labels.tolist())
    largest = float(np.bincount(labels).max()) / len(labels)
    return [
        *(100 * x for x in (found.many_to_one, found.one_to_one, found.v_measure, largest)),
        cost.cpu,
    ]


def runs_together(words: Words, n_runs: int) -> list[float]:
    """The fraction of pairs of the thousand most frequent words that share a cluster in 0, 1, ... and all runs."""
    rows = words.of("vectors", words.frequent(1000))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        labels = [
            MixtureClusters(N_CLUSTERS, covariance="spherical", random_state=seed).fit(rows).labels_
            for seed in range(n_runs)
        ]
    shares: list[float] = together(labels).tolist()
    return shares


def figure(rows: dict[str, list[float]]) -> Any:
    graph = graph_objects()
    names = sorted(rows, key=lambda name: rows[name][2])
    traces = [
        graph.Bar(
            y=names, x=[rows[name][at] for name in names], name=label, orientation="h",
            marker={"color": colour},
        )
        for at, label, colour in ((2, "V-measure", COLOURS[0]), (1, "one-to-one", COLOURS[5]))
    ]  # fmt: skip
    layout = plain_layout("Agreement of word clusters with parts of speech", "%", "")
    layout |= {"height": 620, "barmode": "group"}
    layout["margin"] |= {"l": 170}
    return graph.Figure(traces, layout)


def main() -> None:
    run = start("clusterings", __doc__)
    n_words, n_many, n_runs = (500, 500, 3) if run.quick else (N_WORDS, MANY_WORDS, N_RUNS)
    words = Words(run)
    rows = {
        name: run.remember(name, measure, words, what, method, n_words, n_many)
        for name, (_, what, method) in methods(N_CLUSTERS).items()
    }
    shares = run.remember("together", runs_together, words, n_runs)
    slowest = max(rows, key=lambda name: rows[name][4])
    lines = [
        [
            name,
            *(f"{x:.1f}" for x in found[:4]),
            memory,
            f"{found[4] / rows['group-average'][4]:.2g}",
        ]
        for (name, found), (memory, _, _) in zip(
            rows.items(), methods(N_CLUSTERS).values(), strict=True
        )
    ]
    best = max(rows, key=lambda name: rows[name][2])
    pairs = table(
        ["same cluster in", *(f"{k} of {n_runs}" for k in range(1, n_runs + 1))],
        [["fraction of pairs", *(f"{share:.2%}" for share in shares[1:])]],
    )
    ever = sum(shares[1:])
    run.write(
        "Comparison of clustering methods (Manning and Schütze 1999, table 14.1 and exercise 14.4)",
        f"""The {n_words:,} most frequent words of Wikinews that occur at least {LEAST} times in the
English Web Treebank, in {N_CLUSTERS} clusters, compared with their most frequent parts of speech
(twelve). The words are {DIM}-dimensional unit vectors of left and right neighbours; distributional
clustering uses the counts of the {N_CONTEXTS:,} most frequent neighbours. The size of the largest
cluster reveals chaining: single link puts nearly everything into one cluster. Time is CPU time for
{n_many:,} words, relative to group-average; {slowest} takes the longest. One run with one seed:
differences of a point or two are not meaningful.""",
        table(
            [
                "method",
                "many-to-one",
                "one-to-one",
                "V-measure",
                "largest cluster, %",
                "memory",
                "time",
            ],
            lines,
        ),
        figure(rows),
        "data: `wikinews.txt`, `en_ewt-train.conllu`, `en_ewt-dev.conllu`",
        [
            (
                "Agglomerative methods differ: chains for single link, compact clusters for the others",
                "chaining of single link (figures 14.6, 14.7)",
                f"largest cluster {rows['single link'][3]:.0f} % against {rows['complete link'][3]:.0f} % "
                f"and {rows['group-average'][3]:.0f} %; best V-measure: {best}",
            )
        ],
        f"""Exercise 14.4: EM for a mixture of {N_CLUSTERS} spherical Gaussians on the 1,000 most
frequent words, with {n_runs} seeds. Of all pairs of words, {ever:.1%} share a cluster in at least
one run; of these, {shares[-1] / ever:.0%} do so in all runs.

{pairs}

""",
    )


if __name__ == "__main__":
    main()
