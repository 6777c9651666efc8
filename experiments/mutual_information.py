"""Mutual information of spectral, Brown and exchange classes (Stratos et al. 2014, table 2).

    FIRTH_DATA=... python -m experiments.mutual_information

Equation 3 of the paper, with natural logarithms and relative frequencies of bigrams and words.
"""

from __future__ import annotations

import math
from typing import Any

from experiments.common import (
    COLOURS,
    NONE,
    TEXTS,
    duration,
    graph_objects,
    number,
    plain_layout,
    start,
    table,
)
from experiments.learning import classes_of, compile_kernels

PAPER = {
    ("spectral, kappa 5,000", 50_000): 1.48, ("spectral, kappa 5,000", 300_000): 1.54,
    ("Brown", 50_000): 1.52, ("Brown", 300_000): 1.6,
}  # fmt: skip
GROWING = "spectral-classes-of-growing-texts-stratos-et-al-2014-table-2-and-figure-6"
METHODS: list[tuple[str, str, dict[str, Any]]] = [
    ("spectral, kappa 200", "spectral", {"kappa": 200.0}),
    ("spectral, kappa 5,000", "spectral", {"kappa": 5000.0}),
    ("Brown", "Brown", {}),
    ("exchange, from Brown", "exchange", {}),
]


def figure(found: dict[tuple[str, int], Any]) -> Any:
    """Our figures as filled markers, the paper's as open ones."""
    graph = graph_objects()
    labels = [label for label, *_ in METHODS]
    traces = []
    for n, colour in zip(dict.fromkeys(n for _, n in found), COLOURS, strict=False):
        theirs = {label: PAPER[label, n] for label in labels if (label, n) in PAPER}
        ours = {label: found[label, n]["nats"] for label in labels if (label, n) in found}
        for who, nats, symbol in (("Firth", ours, "circle"), ("paper", theirs, "circle-open")):
            traces.append(
                graph.Scatter(
                    x=list(nats), y=list(nats.values()), name=f"{who}, {n:,} words",
                    mode="markers+text", text=[f"{value:.2f}" for value in nats.values()],
                    textposition="middle right",
                    marker={"color": colour, "size": 12, "symbol": symbol, "line": {"width": 2, "color": colour}},
                )
            )  # fmt: skip
    layout = plain_layout("Mutual information of adjacent classes", "", "nats")
    layout["legend"] |= {"entrywidth": 170}
    layout["xaxis"] |= {"categoryarray": labels, "range": [-0.4, len(labels) - 0.5]}
    return graph.Figure(traces, layout)


def main() -> None:
    run = start("mutual_information", __doc__)
    text, m, sizes = (
        ("wikinews", 100, (5_000, 20_000)) if run.quick else ("wiki", 1000, (50_000, 300_000))
    )
    compile_kernels()
    found = {
        (label, n): classes_of(run, text, method, m, n, **how).facts
        for n in sizes
        for label, method, how in METHODS
    }
    nats = {key: facts["nats"] for key, facts in found.items()}
    rows = [
        [label, f"{n:,}", number(PAPER.get((label, n)), 2), number(nats.get((label, n)), 3),
         number(nats[label, n] / math.log(2) if (label, n) in nats else None, 3),
         duration(found[label, n]["cpu"] if (label, n) in found else None)]
        for label, *_ in METHODS
        for n in sizes
    ]  # fmt: skip

    def gap(n: int) -> float:
        return 100 * float(1 - nats["spectral, kappa 200", n] / nats["Brown", n])

    run.write(
        "Mutual information of classes (Stratos et al. 2014, table 2)",
        f"""{m:,} classes of the most frequent words; all other words are replaced by one rare
symbol. Case-sensitive; spectral classes use LR2 contexts. The paper does not state the base of its
logarithm. The code of Liang's program that it prints (figure 7) calls the `log` function of C++,
which is the natural logarithm, and our figures in nats are closest to the paper's. The paper's
corpus is a different one and five times as large (Reuters RCV1, 205 million tokens). We also give
bits.

As in the paper, Brown classes have more mutual information than spectral ones, since it is their
objective, and a larger vocabulary gives more of it. But the gap is wider: {gap(sizes[0]):.0f} %
with {sizes[0]:,} words, against 3 % in the paper (4 % with {sizes[1]:,}), and the paper's large kappa
makes it wider still, for both vocabularies. [A section below](#{GROWING}) asks whether the smaller text
is the reason. Exchange, which is not in the paper, slightly improves Brown classes.""",
        table(["classes", "words", "paper, RCV1", "ours, nats", "ours, bits", "CPU"], rows),
        figure(found),
        f"data: {TEXTS[text]}",
        [
            (
                f"Mutual information in nats, spectral and Brown, {n:,} words",
                f"{PAPER.get(('spectral, kappa 5,000', n), NONE)} and {PAPER.get(('Brown', n), NONE)}",
                f"{nats['spectral, kappa 200', n]:.3f} and {nats['Brown', n]:.3f}",
            )
            for n in sizes
        ],
    )


if __name__ == "__main__":
    main()
