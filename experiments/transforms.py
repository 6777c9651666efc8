"""Transforms and scales of the spectral template (Stratos et al. 2015, tables 1 and 2).

    FIRTH_DATA=... python -m experiments.transforms [--dims 250 500]

All combinations, with one decomposition for each; vectors with fewer dimensions are its leading
columns. Alpha is 0.75 and beta is 0 (0.5 for ppmi), as in the paper.
"""

from __future__ import annotations

import argparse
import itertools
from typing import Any, cast, get_args

from experiments.common import (
    COLOURS,
    EXPONENTS,
    MAIN,
    PANELS,
    SHOWN,
    TEXTS,
    Run,
    graph_objects,
    number,
    start,
    table,
    two_panels,
    with_beta,
    word_figures,
)

import firth
from firth.vectors import Scale, Transform

CONTEXTS, WEIGHTS = "bag5", "none"
TRANSFORMS, SCALES = get_args(Transform), get_args(Scale)
N_WORDS = 50_000
PAPER: dict[tuple[str, str], list[tuple[float, float, float] | None]] = {
    ("none", "none"): [(51.4, 31.58, 28.39), (52.2, 29.84, 32.15)],
    ("sqrt", "none"): [(65.6, 60.77, 65.84), (64.6, 57.46, 64.97)],
    ("log", "none"): [(66.9, 59.28, 66.86), (67.2, 55.66, 68.62)],
    ("none", "reg"): [(53.0, 29.61, 36.90), (56.2, 32.78, 37.65)],
    ("sqrt", "reg"): [(62.5, 63.97, 67.30), (63.8, 65.98, 70.04)],
    ("none", "ppmi"): [(63.8, 41.62, 58.80), (66.5, 47.11, 65.34)],
    ("none", "cca"): [None, (57.2, 39.68, 57.64)],
    ("log", "cca"): [None, (67.5, 55.61, 69.26)],
    ("two-thirds", "cca"): [None, (65.0, 60.52, 74.00)],
    ("sqrt", "cca"): [(67.8, 66.40, 74.73), (69.0, 65.14, 77.70)],
}
"""Tables 1 and 2, for 500 and 1,000 dimensions: average similarity × 100, syntactic and mixed analogies."""


def measure(counts: firth.Counts, transform: Any, scale: Any, dims: tuple[int, ...]) -> Any:
    fitted = firth.SpectralEmbedding(max(dims), transform, scale, **EXPONENTS, threads=2).fit(
        counts
    )
    beta = 0.5 if scale == "ppmi" else 0.0
    return [word_figures(with_beta(fitted, beta, dim)) for dim in dims]


def figure(found: dict[tuple[str, str], Any], dim: int) -> Any:
    """Bars of average similarity and mixed analogies for every transform and scale."""
    graph = graph_objects()
    bars = [
        graph.Bar(
            x=list(SCALES), y=[found.get((transform, scale), {}).get(what) for scale in SCALES],
            name=transform, marker={"color": colour}, **panel,
        )
        for what, panel in zip(("average", "mixed_analogies"), PANELS, strict=True)
        for transform, colour in zip(TRANSFORMS, COLOURS, strict=False)
    ]  # fmt: skip
    title = f"Scales and transforms of the counts, {dim} dimensions"
    layout = two_panels(title, "scale", "word pairs, Spearman × 100", "mixed analogies, %")
    return graph.Figure(bars, {**layout, "bargroupgap": 0.05})


def rows(found: dict[tuple[str, str], Any], dims: tuple[int, ...]) -> list[list[str]]:
    """Our figures, with the paper's in parentheses if available."""
    out = []
    for (transform, scale), figures in found.items():
        row = [transform, scale]
        papers = dict(zip((500, 1000), PAPER.get((transform, scale), ()), strict=False))
        for of_dim, dim in zip(figures, dims, strict=True):
            paper: tuple[float | None, ...] = papers.get(dim) or (None, None, None)
            row += [
                f"{number(of_dim[name])} ({number(theirs)})" if theirs else number(of_dim[name])
                for name, theirs in zip(MAIN, paper, strict=True)
            ]
        out.append(row)
    return out


def write(run: Run, text: str, dims: tuple[int, ...], found: dict[tuple[str, str], Any]) -> None:
    last = {key: of_dims[-1] for key, of_dims in found.items()}
    best = {name: max(last, key=lambda key: float(last[key][name])) for name in MAIN}
    leading = "; ".join(
        f"{SHOWN[name]}: {' + '.join(key)} ({number(last[key][name])})"
        for name, key in best.items()
    )
    lost = {name: last["sqrt", "cca"][name] - last["none", "cca"][name] for name in MAIN}
    root, plain = (
        f"{number(last[key]['average'])} / {number(last[key]['mixed_analogies'])}"
        for key in (("sqrt", "cca"), ("none", "cca"))
    )
    run.write(
        "Transforms and scales (Stratos et al. 2015, tables 1 and 2)",
        f"""Every combination of a transform and a scale, with {CONTEXTS}, weights {WEIGHTS},
{N_WORDS:,} words, alpha 0.75 and beta 0 (0.5 for ppmi). Word pairs: the average of Spearman's
correlation × 100 on MEN, WordSim-353 and Rare Words. Analogies: % correct by 3CosMul. Both are
measured on the development halves. The paper's figures are in parentheses. They are from 1.4
billion words with 188,000 word types, a corpus eighty times as large as ours, so the ranking of the
rows can be compared, but not their values.

CCA needs a power of the counts, as in the paper: without one, it loses {lost["average"]:.1f} points
of similarity and {lost["mixed_analogies"]:.1f} of mixed analogies. Unlike in the paper, the square
root is not ahead of all others: on such a small corpus, a power of two thirds and PPMI of raw
counts are as good (the next section has more text). The best combinations at {dims[-1]} dimensions:
{leading}.""",
        table(
            ["transform", "scale", *(f"{SHOWN[name]}, {dim}" for dim in dims for name in MAIN)],
            rows(found, dims),
        ),
        figure(last, dims[-1]),
        f"data: {TEXTS[text]}, lower-cased, and `words/*.dev`",
        [
            (
                "CCA needs the square root: word pairs / mixed analogies with and without it",
                "69.0 / 77.7 and 57.2 / 57.6 (1,000 dimensions)",
                f"{root} and {plain} ({dims[-1]:,} dimensions)",
            )
        ],
    )


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dims", nargs="+", type=int, default=[250, 500], metavar="DIM")


def main() -> None:
    run = start("transforms", __doc__, add_options)
    text, dims = "wiki17", tuple(sorted(run.options.dims))
    if run.quick:
        text, dims = "wikinews", (50, 100)
    counts: list[firth.Counts] = []

    def work(transform: str, scale: str) -> Any:
        if not counts:
            corpus = run.corpus(text, lowercase=True)
            counts.append(firth.count(corpus, CONTEXTS, 1, N_WORDS, cast(Any, WEIGHTS), threads=2))
        return measure(counts[0], transform, scale, dims)

    found = {
        key: run.remember(f"{text} {dims} {' '.join(key)}", work, *key)
        for key in itertools.product(TRANSFORMS, SCALES)
    }
    write(run, text, dims, found)


if __name__ == "__main__":
    main()
