"""Word classes as features of a recogniser of named entities (Stratos et al. 2014, table 1).

    FIRTH_DATA=... python -m experiments.ner_classes

F1 on CoNLL-2003's ``eng.testa``: without classes, with spectral classes, Brown's, and those of exchange.
"""

from __future__ import annotations

from typing import Any

from experiments.common import (
    COLOURS,
    NONE,
    TEXTS,
    graph_objects,
    number,
    plain_layout,
    start,
    table,
)
from experiments.learning import classes_of, compile_kernels

BASELINE = 90.03
METHODS: list[tuple[str, str, dict[str, Any], tuple[float | None, float | None]]] = [
    ("spectral, LR1", "spectral", {"contexts": "LR1"}, (92.0, None)),
    ("spectral, LR2", "spectral", {"contexts": "LR2"}, (None, 92.31)),
    ("Brown", "Brown", {}, (92.0, 92.68)),
    ("exchange, from spectral", "spectral, exchange", {"contexts": "LR2"}, (None, None)),
    ("exchange, from Brown", "exchange", {}, (None, None)),
]
"""The last: the paper's F1 with 50,000 and 300,000 words."""


def figure(found: dict[tuple[str, int], float], without: float) -> Any:
    """F1 of all classes, and a line for none."""
    graph = graph_objects()
    traces = []
    for n, colour in zip(dict.fromkeys(n for _, n in found), COLOURS, strict=False):
        some = {label: f1 for (label, words), f1 in found.items() if words == n}
        traces.append(
            graph.Scatter(
                x=list(some), y=list(some.values()), name=f"{n:,} words", mode="markers+text",
                text=[f"{f1:.2f}" for f1 in some.values()], textposition="middle right",
                marker={"color": colour, "size": 12},
            )
        )  # fmt: skip
    layout = plain_layout("Named entities with word classes", "", "F1, eng.testa")
    layout["xaxis"] |= {"categoryarray": [label for label, *_ in METHODS], "range": [-0.5, 4.7]}
    drawn = graph.Figure(traces, layout)
    drawn.add_hline(
        y=without, line={"dash": "dot", "color": COLOURS[-1]}, annotation_text="without classes"
    )
    return drawn


def main() -> None:
    run = start("ner_classes", __doc__)
    text, m, sizes = "wiki", 1000, (50_000, 300_000)
    if run.quick:
        text, m, sizes = "wikinews", 100, (5_000, 20_000)
    compile_kernels()
    without = run.f1("nothing")
    rows = [["without classes", NONE, number(BASELINE, 2), number(without, 2)]]
    found: dict[tuple[str, int], float] = {}
    for label, method, how, papers in METHODS:
        for n, paper in zip(sizes, papers, strict=True):
            if (label, n) != ("spectral, LR1", sizes[1]):  # takes long, and the paper has none
                learned = classes_of(run, text, method, m, n, **how)
                found[label, n] = run.f1(learned.name, classes=learned.hierarchy)
                rows.append([label, f"{n:,}", number(paper, 2), number(found[label, n], 2)])
    run.write(
        "Named entities with word classes (Stratos et al. 2014, table 1)",
        f"""F1 on CoNLL-2003's `eng.testa`, learned from `eng.train`, with {m:,} classes as additional features;
spectral classes with kappa 200. The paper's classes are from Reuters RCV1, the very newswire that the named
entities are from, and 205 million tokens of it; ours are from an encyclopedia. Our tagger without classes is
better than the paper's, so there is less to gain.

Brown's classes gain {found["Brown", sizes[0]] - without:.1f} points; exchange, which moves words between classes
as long as mutual information grows, gains more with many words, most of which are rare. Spectral classes, which
gain as much as Brown's in the paper, gain little here: on a text of this size their upper tree follows the number
of words in a class rather than their tokens. With exchange after them they are as good as the others.""",
        table(["features", "words", "paper", "ours"], rows),
        figure(found, without),
        f"data: {TEXTS[text]}, case kept; `ner/eng.train` and `ner/eng.testa`",
        [
            (
                "F1 on eng.testa without classes, with spectral ones, with Brown's",
                "90.03, 92.31, 92.68",
                f"{number(without, 2)}, {number(found['spectral, LR2', sizes[-1]], 2)}, "
                f"{number(found['Brown', sizes[-1]], 2)}",
            )
        ],
    )


if __name__ == "__main__":
    main()
