"""Are the classes of a known model found? (Stratos et al. 2014, theorem 5.2; 2015, theorem 4.1)

    python -m experiments.recovery

Draws texts of growing length from random Brown models (40 words, 5 classes), and tells the share of words in the
right class and of models whose classes are found without a fault: spectral classes with and without powers of the
counts, and Brown's algorithm, which has no such guarantee. Needs no data.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from experiments.common import COLOURS, graph_objects, plain_layout, start, table

import firth
from firth.evaluate import matching

N_WORDS, N_CLASSES, N_MODELS = 40, 5, 20
SIZES = (300, 1000, 3000, 10_000, 30_000, 100_000)
TRANSFORMS = {"none": "no transform", "sqrt": "square root", "two-thirds": "two thirds"}


def text_of(model: firth.BrownModel, n_tokens: int, seed: int) -> firth.Corpus:
    lines = model.sample(n_tokens // 10, 10, seed)
    return firth.Corpus.from_sentences([f"w{word}" for word in line] for line in lines)


def share_found(model: firth.BrownModel, classes: firth.Hierarchy) -> float:
    """The share of words in the right class, classes matched one to one."""
    truth = [int(model.class_of[int(word[1:])]) for word in classes]
    return matching(truth, classes.class_of.tolist()).one_to_one


def learners() -> dict[str, Any]:
    options: dict[str, Any] = {"min_count": 1, "threads": 1}
    found: dict[str, Any] = {
        f"spectral, {name}": firth.SpectralClasses(
            N_CLASSES, "R1", kappa=0, transform=transform, **options
        )
        for transform, name in TRANSFORMS.items()
    }
    return {**found, "Brown": firth.BrownClasses(N_CLASSES, **options)}


def shares(learner: Any, size: int, models: list[firth.BrownModel]) -> list[float]:
    """For every model: the share of words in the right class."""
    return [
        share_found(model, learner.fit(text_of(model, size, seed)).hierarchy_)
        for seed, model in enumerate(models)
    ]


def figure(found: dict[str, list[list[float]]], sizes: tuple[int, ...]) -> Any:
    graph = graph_objects()
    traces = [
        graph.Scatter(
            x=sizes, y=[100 * np.mean(cell) for cell in cells], name=name, mode="lines+markers",
            line={"color": colour, "width": 2.5, "dash": "dot" if name == "Brown" else "solid"},
            marker={"size": 8},
        )
        for (name, cells), colour in zip(found.items(), COLOURS, strict=False)
    ]  # fmt: skip
    layout = plain_layout("Words found in the right class", "tokens", "%")
    layout["xaxis"] |= {"type": "log", "tickvals": sizes, "ticktext": [f"{s:,}" for s in sizes]}
    return graph.Figure(traces, layout)


def main() -> None:
    run = start("recovery", __doc__)
    sizes, n_models = (SIZES[:4], 5) if run.quick else (SIZES, N_MODELS)
    models = [firth.BrownModel.random(N_WORDS, N_CLASSES, seed) for seed in range(n_models)]
    found: dict[str, list[list[float]]] = {
        name: [run.remember(f"{name} {size}", shares, learner, size, models) for size in sizes]
        for name, learner in learners().items()
    }
    rows = [
        [name, *(f"{np.mean(cell):.1%} ({np.mean(np.array(cell) == 1):.0%})" for cell in cells)]
        for name, cells in found.items()
    ]
    last = {name: f"{np.mean(cells[-1]):.1%}" for name, cells in found.items()}
    run.write(
        "Known classes are found (Stratos et al. 2014, theorem 5.2; 2015, theorem 4.1)",
        f"""{n_models} random Brown models of {N_WORDS} words and {N_CLASSES} classes; texts of growing length drawn
from each. The share of words in the right class, and in brackets the share of models found without a fault. The
papers prove that the spectral algorithm finds all classes when the text is long enough, with plain counts and
with their powers; they have no table of it. Brown's algorithm has no such guarantee.""",
        table(["classes", *(f"{size:,} tokens" for size in sizes)], rows),
        figure(found, sizes),
        "data: none, drawn at random from seeds 0 to " + str(n_models - 1),
        [
            (
                f"The classes of a known model are found: words right at {sizes[-1]:,} tokens, plain and square root",
                "all, for long texts (theorems)",
                f"{last['spectral, no transform']} and {last['spectral, square root']}; "
                f"Brown's algorithm {last['Brown']}",
            )
        ],
    )


if __name__ == "__main__":
    main()
