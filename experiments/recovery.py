"""Recovery of the classes of a known model (Stratos et al. 2014, theorem 5.2; 2015, theorem 4.1).

    python -m experiments.recovery

Samples texts of increasing length from random Brown models (40 words, 5 classes). Reports the
fraction of words in the correct class and the fraction of models recovered without error, for
spectral classes with and without powers of the counts, and for Brown clustering, which has no such
guarantee. Needs no data.
"""

from __future__ import annotations

from typing import Any, cast

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
    """The fraction of words in the correct class, with classes matched one to one."""
    truth = [int(model.class_of[int(word[1:])]) for word in classes]
    return matching(truth, classes.class_of.tolist()).one_to_one


def learners() -> dict[str, Any]:
    options: dict[str, Any] = {"min_count": 1, "threads": 1}
    found: dict[str, Any] = {
        f"spectral, {name}": firth.SpectralClasses(
            N_CLASSES, "R1", kappa=0, transform=cast(Any, transform), **options
        )
        for transform, name in TRANSFORMS.items()
    }
    return {**found, "Brown": firth.BrownClasses(N_CLASSES, **options)}


def shares(learner: Any, size: int, models: list[firth.BrownModel]) -> list[float]:
    """The fraction of words in the correct class, for every model."""
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
    layout = plain_layout("Words in the correct class", "tokens", "%")
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
        "Recovery of known classes (Stratos et al. 2014, theorem 5.2; 2015, theorem 4.1)",
        f"""Texts of increasing length were sampled from {n_models} random Brown models with
{N_WORDS} words and {N_CLASSES} classes. The table gives the percentage of words in the correct
class and, in parentheses, the percentage of models recovered without error. The papers prove that
the spectral algorithm recovers all classes if the text is long enough, with raw counts and with
their powers, but report no experiment. Brown clustering has no such guarantee.""",
        table(["classes", *(f"{size:,} tokens" for size in sizes)], rows),
        figure(found, sizes),
        "data: none, sampled with seeds 0 to " + str(n_models - 1),
        [
            (
                f"Recovery of the classes of a known model: correct words at {sizes[-1]:,} tokens, raw counts and "
                "square root",
                "all, for long texts (theorems)",
                f"{last['spectral, no transform']} and {last['spectral, square root']}; Brown {last['Brown']}",
            )
        ],
    )


if __name__ == "__main__":
    main()
