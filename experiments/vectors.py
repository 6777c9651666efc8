"""What the defaults and presets of word vectors rest on: ``python experiments/vectors.py [TABLE...]``.

Prints tables in Markdown: ``template`` (every transform and scale), ``contexts``, ``exponents`` (alpha and
beta), ``kappa``, ``tolerance`` and ``syntax`` (has the nearest neighbour the same part of speech?). Needs
FIRTH_DATA with ``text/wiki.txt.xz``, ``text/wikinews.txt.xz``, ``words/*.dev`` and ``tags/en_ewt-train.conllu``.
"""

from __future__ import annotations

import argparse
import itertools
import lzma
import os
import platform
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import firth
from firth.evaluate import WordPairs, evaluate_analogies, evaluate_similarity, read_questions
from firth.vectors import SCALES, TRANSFORMS

DIM = 300
SIMILARITY, ANALOGIES = ("men", "wordsim353", "rw"), ("syntactic_analogies", "mixed_analogies")
HEAD = "average of MEN, WordSim, RW | syntactic analogies | mixed analogies"


def data(name: str) -> Path:
    folder = os.environ.get("FIRTH_DATA")
    if not folder or not Path(folder, name).exists():
        sys.exit(f"error: {name} is not in the folder FIRTH_DATA={folder or '(not set)'}")
    return Path(folder, name)


def corpora(lowercase: bool) -> Iterator[tuple[str, firth.Corpus]]:
    """60 MB from the middle of the Wikipedia text, and all of Wikinews."""
    for name, start, size in (("wiki", 130_000_000, 60_000_000), ("wikinews", 0, -1)):
        with lzma.open(data(f"text/{name}.txt.xz")) as file, TemporaryDirectory() as folder:
            while start > 0:
                start -= len(file.read(min(start, 1 << 24)))
            if name == "wiki":
                file.readline()
            path = Path(folder, "text.txt")
            path.write_bytes(file.read(size).rpartition(b"\n")[0] + b"\n")
            yield name, firth.Corpus.from_files(path, lowercase=lowercase)


class Figures:
    """Similarity and analogy on the development halves."""

    def __init__(self) -> None:
        self.questions = [read_questions(data(f"words/{n}.dev")) for n in (*SIMILARITY, *ANALOGIES)]

    def row(self, vectors: firth.WordVectors) -> str:
        similar: list[float] = []
        right: list[float] = []
        for asked in self.questions:
            if isinstance(asked, WordPairs):
                similar.append(evaluate_similarity(vectors, asked).spearman)
            else:
                right.append(evaluate_analogies(vectors, asked).accuracy)
        return " | ".join(f"{100 * x:.1f}" for x in (sum(similar) / len(similar), *right))


def with_beta(fitted: firth.SpectralEmbedding, beta: float, dim: int = DIM) -> firth.WordVectors:
    """The vectors of a decomposition with another exponent of the singular values, or fewer dimensions."""
    n = len(fitted.vectors_)
    scaled = fitted.svd_.left[:n] * (fitted.svd_.values**beta).astype(np.float32)
    return firth.WordVectors(fitted.vectors_.vocabulary, scaled[:, :dim])


def table(title: str, columns: str, rows: Iterator[tuple[str, str]]) -> None:
    print(f"\n#### {title}\n\n| {columns} |\n|{'---|' * (columns.count('|') + 1)}", flush=True)
    for label, figures in rows:
        print(f"| {label} | {figures} |", flush=True)


def fit(counts: Any, **parameters: Any) -> firth.SpectralEmbedding:
    return firth.SpectralEmbedding(DIM, **parameters).fit(counts)


def template(name: str, corpus: firth.Corpus, figures: Figures) -> None:
    counts = firth.count(corpus, "bag10", weights="distance")

    def rows() -> Iterator[tuple[str, str]]:
        for transform, scale in itertools.product(TRANSFORMS, SCALES):
            fitted = fit(counts, transform=transform, scale=scale)
            beta = 0.5 if scale == "ppmi" else 0.0
            yield f"{transform} | {scale}", figures.row(with_beta(fitted, beta))

    title = f"{name}: every transform and scale (alpha 0.75; beta 0, for ppmi 0.5)"
    table(title, f"transform | scale | {HEAD}", rows())


def contexts(name: str, corpus: firth.Corpus, figures: Figures) -> None:
    def rows() -> Iterator[tuple[str, str]]:
        for kind, weights in (
            ("bag2", "none"), ("bag5", "none"), ("bag5", "dynamic"), ("bag5", "distance"), ("bag10", "dynamic"),
            ("bag10", "distance"), ("bag20", "distance"), ("LR2", "none"),
        ):  # fmt: skip
            counts = firth.count(corpus, kind, weights=weights)
            row = figures.row(with_beta(fit(counts), 0.25))
            yield f"{kind} | {weights} | {counts.n_entries / 1e6:.0f} M", row

    table(
        f"{name}: contexts (sqrt, cca, alpha 0.75, beta 0.25)",
        f"contexts | weights | entries | {HEAD}",
        rows(),
    )


def exponents(name: str, corpus: firth.Corpus, figures: Figures) -> None:
    counts = firth.count(corpus, "bag10", weights="distance")

    def rows() -> Iterator[tuple[str, str]]:
        for alpha in (0.5, 0.75, 1.0):
            fitted = fit(counts, alpha=alpha)
            for beta in (0.0, 0.25, 0.5):
                yield f"{alpha} | {beta}", figures.row(with_beta(fitted, beta))

    table(f"{name}: alpha and beta (bag10, distance, sqrt, cca)", f"alpha | beta | {HEAD}", rows())


def kappa(name: str, corpus: firth.Corpus, figures: Figures) -> None:
    counts = firth.count(corpus, "bag10", weights="distance")

    def rows() -> Iterator[tuple[str, str]]:
        for value in (0.0, 1.0, 10.0, 100.0):
            yield f"{value:g}", figures.row(with_beta(fit(counts, alpha=1.0, kappa=value), 0.25))

    table(
        f"{name}: the pseudocount (bag10, distance, sqrt, cca, alpha 1, beta 0.25)",
        f"kappa | {HEAD}",
        rows(),
    )


def tolerance(name: str, corpus: firth.Corpus, figures: Figures) -> None:
    counts = firth.count(corpus, "bag10", weights="distance")

    def rows() -> Iterator[tuple[str, str]]:
        for value in (0.1, 0.05, 0.02, 0.01, 0.005, 0.001):
            fitted = fit(counts, alpha=1.0, tolerance=value)
            energy = float((fitted.svd_.values**2).sum())
            yield (
                f"{value:g} | {fitted.svd_.basis} | {energy:.2f}",
                figures.row(with_beta(fitted, 0.25)),
            )

    table(
        f"{name}: when the decomposition stops (alpha 1, beta 0.25)",
        f"tolerance | basis | energy | {HEAD}",
        rows(),
    )


def tags() -> dict[str, str]:
    """The most frequent part of speech of every word that is tagged three times or more."""
    seen: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for line in data("tags/en_ewt-train.conllu").open(encoding="utf-8"):
        fields = line.split("\t")
        if len(fields) == 10 and fields[0].isdigit():
            seen[fields[1]][fields[3]] += 1
    return {word: found.most_common(1)[0][0] for word, found in seen.items() if found.total() >= 3}


def same_tag(vectors: firth.WordVectors, tag_of: dict[str, str]) -> str:
    """How often the nearest tagged word has the same part of speech."""
    some = vectors.restrict([word for word in vectors.words if word in tag_of])
    near = some.neighbours(some.words, 1)
    right = [tag_of[w] == tag_of[n[0].word] for w, n in zip(some.words, near, strict=True) if n]
    return f"{100 * np.mean(right):.1f}"


def syntax(name: str, corpus: firth.Corpus, _: Figures) -> None:
    tag_of = tags()

    def rows() -> Iterator[tuple[str, str]]:
        for kind, weights in (
            ("LR1", "none"), ("LR2", "none"), ("LR3", "distance"), ("bag2", "none"), ("bag10", "distance"),
        ):  # fmt: skip
            counts = firth.count(corpus, kind, weights=weights)
            for alpha in (0.75, 1.0):
                fitted = fit(counts, alpha=alpha)
                cells = [
                    same_tag(with_beta(fitted, beta, dim), tag_of) for dim in (100, DIM) for beta in (0.0, 0.25, 0.5)
                ]  # fmt: skip
                yield f"{kind} | {weights} | {alpha}", " | ".join(cells)

    heads = " | ".join(f"{dim} dim, beta {beta}" for dim in (100, DIM) for beta in (0, 0.25, 0.5))
    title = f"{name}, case kept: % of nearest neighbours with the same part of speech"
    table(title, f"contexts | weights | alpha | {heads}", rows())


TABLES = {
    "template": template,
    "contexts": contexts,
    "exponents": exponents,
    "kappa": kappa,
    "tolerance": tolerance,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", metavar="TABLE", default=[*TABLES, "syntax"])
    chosen = parser.parse_args().tables
    unknown = set(chosen) - {*TABLES, "syntax"}
    if unknown:
        parser.error(f"there is no table {', '.join(unknown)}")
    print(
        f"command: python experiments/vectors.py {' '.join(sys.argv[1:])}".rstrip()
        + f"; {datetime.now(UTC):%Y-%m-%d}; Python {platform.python_version()}, {os.cpu_count()} cores; "
        f"{DIM} dimensions, min-count 5"
    )
    figures = Figures()
    for name, corpus in corpora(lowercase=True):
        print(f"\n### {name}: {corpus!r}", flush=True)
        for title in TABLES:
            if title in chosen:
                TABLES[title](name, corpus, figures)
    if "syntax" in chosen:
        for name, corpus in corpora(lowercase=False):
            syntax(name, corpus, figures)


if __name__ == "__main__":
    main()
