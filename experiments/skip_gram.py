"""How should gensim's skip-gram be set? Windows, subsampling, negative samples, epochs, minimum counts.

    FIRTH_DATA=... python -m experiments.skip_gram

So that ``embeddings.py`` compares with a skip-gram that was given its chance: settings are tried on Wikinews,
which is small, and the best ones are taken to the larger text there.
"""

from __future__ import annotations

from typing import Any

from experiments.common import (
    COLOURS,
    MAIN,
    TEXTS,
    Run,
    graph_objects,
    number,
    plain_layout,
    start,
    table,
    word_figures,
)
from experiments.peers import gensim_vectors

DIM, MIN_COUNT = 100, 5
WINDOWS = (2, 5, 10)
USUAL = {"window": 5, "sample": 1e-3, "alpha": 0.025, "epochs": 5}


def settings() -> list[dict[str, Any]]:
    """Windows and subsampling first, then the other settings one at a time."""
    return [
        *({"window": window, "sample": 1e-3} for window in (5, 10, 2)),
        *({"window": window, "sample": 1e-4} for window in (10, 5)),
        {"window": 10, "sample": 1e-3, "alpha": 0.05},
        {"window": 10, "sample": 1e-3, "epochs": 15},
    ]


def measure(run: Run, setting: dict[str, Any]) -> dict[str, Any]:
    vectors, both, cpu = gensim_vectors(
        run, "wikinews", "skip-gram", DIM, min_count=MIN_COUNT, **setting
    )
    assert both is not None
    return {"cpu": cpu, "words": word_figures(vectors), "both": word_figures(both)}


def figure(found: list[tuple[dict[str, Any], dict[str, Any]]]) -> Any:
    """Average similarity and mixed analogies, a point each."""
    graph = graph_objects()
    traces = []
    for window, colour in zip(WINDOWS, COLOURS, strict=False):
        some = [(how, facts) for how, facts in found if how["window"] == window]
        traces.append(
            graph.Scatter(
                x=[facts["words"]["average"] for _, facts in some], mode="markers",
                y=[facts["words"]["mixed_analogies"] for _, facts in some], name=f"window {window}",
                marker={"color": colour, "size": [6 + how.get("epochs", 5) for how, _ in some]},
            )
        )  # fmt: skip
    title = "Settings of skip-gram (larger: more epochs)"
    return graph.Figure(
        traces,
        plain_layout(title, "Spearman × 100, average of three", "mixed analogies, %"),
    )


def main() -> None:
    run = start("skip_gram", __doc__)
    chosen = settings()[:2] if run.quick else settings()
    found = [(how, run.remember(str(how), measure, run, how)) for how in chosen]
    rows = [
        [
            *(f"{how.get(name, usual):g}" for name, usual in USUAL.items()),
            *(number(facts["words"][name]) for name in MAIN),
            *(number(facts["both"][name]) for name in MAIN),
            number(facts["cpu"], 0),
        ]
        for how, facts in found
    ]
    best = max(found, key=lambda row: row[1]["words"]["average"])[0]
    said = ", ".join(f"{name} {value:g}" for name, value in {**USUAL, **best}.items())
    run.write(
        "How skip-gram was set",
        f"""gensim's skip-gram on a small text, {DIM} dimensions, words that occur {MIN_COUNT} times or more: every
window with every subsampling, then other settings with the best of these. Word pairs: the average of Spearman's
correlation × 100 on MEN, WordSim-353 and Rare Words; analogies: % right by 3CosMul; development halves. "With
contexts" has the context vectors added to the words'. Best for word pairs: {said}. The best settings go to the
larger text in the table of word vectors. Rows of other windows are not tried with more epochs, for the time they
take.""",
        table(
            [
                *USUAL,
                *("word pairs", "syntactic", "mixed"),
                *("word pairs, with contexts", "syntactic", "mixed"),
                "CPU s",
            ],
            rows,
        ),
        figure(found),
        f"data: {TEXTS['wikinews']}, lower-cased, and `words/*.dev`",
    )


if __name__ == "__main__":
    main()
