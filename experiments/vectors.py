"""The measurements behind the defaults and presets of word vectors.

    FIRTH_DATA=... python -m experiments.vectors [TABLE...]

Prints Markdown tables: ``contexts``, ``exponents`` (alpha and beta), ``kappa``, ``tolerance`` and
``syntax`` (whether the nearest neighbour has the same part of speech); ``transforms.py`` has all
transforms and scales. Needs FIRTH_DATA with ``text/wiki.txt.xz``, ``text/wikinews.txt.xz``,
``words/*.dev`` and ``tags/en_ewt-train.conllu``.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any, cast

import numpy as np
from experiments.common import EXPONENTS, Run, data, machine, start, with_beta, word_figures

import firth

DIM = 300
HEAD = "average of MEN, WordSim, RW | syntactic analogies | mixed analogies"


def corpora(run: Run, lowercase: bool) -> Iterator[tuple[str, firth.Corpus]]:
    """60 MB from the middle of the Wikipedia text, and all of Wikinews."""
    for name in ("wikinews",) if run.quick else ("wiki60", "wikinews"):
        yield name, run.corpus(name, lowercase)


def figures(vectors: firth.WordVectors) -> str:
    """Similarity and analogy on the development halves."""
    found = word_figures(vectors)
    shown = ("average", "syntactic_analogies", "mixed_analogies")
    return " | ".join(f"{found[name]:.1f}" for name in shown)


def table(title: str, columns: str, rows: Iterator[tuple[str, str]]) -> None:
    print(f"\n#### {title}\n\n| {columns} |\n|{'---|' * (columns.count('|') + 1)}", flush=True)
    for label, figures in rows:
        print(f"| {label} | {figures} |", flush=True)


def fit(counts: Any, **parameters: Any) -> firth.SpectralEmbedding:
    return firth.SpectralEmbedding(DIM, **{**EXPONENTS, **parameters}).fit(counts)


def contexts(name: str, corpus: firth.Corpus) -> None:
    def rows() -> Iterator[tuple[str, str]]:
        for kind, weights in (
            ("bag2", "none"), ("bag5", "none"), ("bag5", "dynamic"), ("bag5", "distance"), ("bag10", "dynamic"),
            ("bag10", "distance"), ("bag20", "distance"), ("LR2", "none"),
        ):  # fmt: skip
            counts = firth.count(corpus, kind, weights=cast(Any, weights))
            row = figures(with_beta(fit(counts), 0.25))
            yield f"{kind} | {weights} | {counts.n_entries / 1e6:.0f} M", row

    table(
        f"{name}: contexts (sqrt, cca, alpha 0.75, beta 0.25)",
        f"contexts | weights | entries | {HEAD}",
        rows(),
    )


def exponents(name: str, corpus: firth.Corpus) -> None:
    counts = firth.count(corpus, "bag10", weights="distance")

    def rows() -> Iterator[tuple[str, str]]:
        for alpha in (0.5, 0.75, 1.0):
            fitted = fit(counts, alpha=alpha)
            for beta in (0.0, 0.25, 0.5):
                yield f"{alpha} | {beta}", figures(with_beta(fitted, beta))

    table(f"{name}: alpha and beta (bag10, distance, sqrt, cca)", f"alpha | beta | {HEAD}", rows())


def kappa(name: str, corpus: firth.Corpus) -> None:
    counts = firth.count(corpus, "bag10", weights="distance")

    def rows() -> Iterator[tuple[str, str]]:
        for value in (0.0, 1.0, 10.0, 100.0):
            yield f"{value:g}", figures(with_beta(fit(counts, alpha=1.0, kappa=value), 0.25))

    table(
        f"{name}: the pseudocount (bag10, distance, sqrt, cca, alpha 1, beta 0.25)",
        f"kappa | {HEAD}",
        rows(),
    )


def tolerance(name: str, corpus: firth.Corpus) -> None:
    counts = firth.count(corpus, "bag10", weights="distance")

    def rows() -> Iterator[tuple[str, str]]:
        for value in (0.1, 0.05, 0.02, 0.01, 0.005, 0.001):
            fitted = fit(counts, alpha=1.0, tolerance=value)
            energy = float((fitted.svd_.values**2).sum())
            yield (
                f"{value:g} | {fitted.svd_.basis} | {energy:.2f}",
                figures(with_beta(fitted, 0.25)),
            )

    table(
        f"{name}: tolerance of the decomposition (alpha 1, beta 0.25)",
        f"tolerance | basis | energy | {HEAD}",
        rows(),
    )


def tags() -> dict[str, str]:
    """The most frequent part of speech of every word that is tagged at least three times."""
    seen: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for line in data("tags/en_ewt-train.conllu").open(encoding="utf-8"):
        fields = line.split("\t")
        if len(fields) == 10 and fields[0].isdigit():
            seen[fields[1]][fields[3]] += 1
    return {word: found.most_common(1)[0][0] for word, found in seen.items() if found.total() >= 3}


def same_tag(vectors: firth.WordVectors, tag_of: dict[str, str]) -> str:
    """The percentage of words whose nearest tagged neighbour has the same part of speech."""
    some = vectors.restrict([word for word in vectors.words if word in tag_of])
    near = some.neighbours(some.words, 1)
    right = [tag_of[w] == tag_of[n[0].word] for w, n in zip(some.words, near, strict=True) if n]
    return f"{100 * np.mean(right):.1f}"


def syntax(name: str, corpus: firth.Corpus) -> None:
    tag_of = tags()

    def rows() -> Iterator[tuple[str, str]]:
        for kind, weights in (
            ("LR1", "none"), ("LR2", "none"), ("LR3", "distance"), ("bag2", "none"), ("bag10", "distance"),
        ):  # fmt: skip
            counts = firth.count(corpus, kind, weights=cast(Any, weights))
            for alpha in (0.75, 1.0):
                fitted = fit(counts, alpha=alpha)
                cells = [
                    same_tag(with_beta(fitted, beta, dim), tag_of) for dim in (100, DIM) for beta in (0.0, 0.25, 0.5)
                ]  # fmt: skip
                yield f"{kind} | {weights} | {alpha}", " | ".join(cells)

    heads = " | ".join(f"{dim} dim, beta {beta}" for dim in (100, DIM) for beta in (0, 0.25, 0.5))
    title = f"{name}, case-sensitive: % of nearest neighbours with the same part of speech"
    table(title, f"contexts | weights | alpha | {heads}", rows())


TABLES = {
    "contexts": contexts,
    "exponents": exponents,
    "kappa": kappa,
    "tolerance": tolerance,
    "syntax": syntax,
}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "tables",
        nargs="*",
        metavar="TABLE",
        help=f"one or more of {', '.join(TABLES)}; all by default",
    )


def main() -> None:
    run = start("vectors", __doc__, add_options)
    chosen = run.options.tables or list(TABLES)
    if unknown := set(chosen) - set(TABLES):
        raise SystemExit(f"error: unknown table {', '.join(sorted(unknown))}")
    if run.quick:
        chosen = [name for name in chosen if name == "contexts"]
    print(f"command: {run.command()}; {run.started}; {machine()}; {DIM} dimensions, min-count 5")
    for lowercase in (True, False):
        wanted = [name for name in TABLES if name in chosen and (name == "syntax") != lowercase]
        for name, corpus in corpora(run, lowercase) if wanted else ():
            print(f"\n### {name}: {corpus!r}", flush=True)
            for title in wanted:
                TABLES[title](name, corpus)


if __name__ == "__main__":
    main()
