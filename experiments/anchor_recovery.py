"""Recovery of a known hidden Markov model (Arora, Ge and Moitra 2012; Hsu, Kakade and Zhang 2009).

    python -m experiments.anchor_recovery

Samples texts of increasing length from random models with anchor words, and reports the distance of
the estimates from the true parameters: emissions and transitions for the anchor method, sequence
probabilities for the observable representation. Needs no data.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from experiments.common import COLOURS, graph_objects, plain_layout, start, table
from scipy.optimize import linear_sum_assignment

import firth
from firth.compute import Engine
from firth.tags import AnchorParameters, ContextCounts, anchor_memberships, steps

N_WORDS, N_STATES, N_MODELS, LENGTH = 40, 4, 10, 10
SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000)
WAYS = {
    "conditional": "anchors, distributions",
    "cca": "anchors, CCA",
    "spectral": "anchors, square roots",
}
OBSERVABLE = "observable representation"

Floats = npt.NDArray[np.float64]


def random_model(seed: int) -> tuple[firth.HMM, Floats]:
    """A model that starts in its stationary distribution; the first word of each state is its anchor."""
    rng = np.random.default_rng(seed)
    transition = rng.dirichlet(np.ones(N_STATES), N_STATES)
    values, vectors = np.linalg.eig(transition.T)
    stationary = np.abs(np.real(vectors[:, np.argmax(np.real(values))]))
    stationary /= stationary.sum()
    emission = rng.dirichlet(np.ones(N_WORDS), N_STATES).T
    emission[:N_STATES] = np.diag(rng.uniform(0.05, 0.15, N_STATES))
    emission[N_STATES:] *= (1 - emission[:N_STATES].sum(axis=0)) / emission[N_STATES:].sum(axis=0)
    return firth.HMM(stationary, transition, emission, threads=1), stationary


def counted(model: firth.HMM, n_tokens: int, seed: int) -> tuple[ContextCounts, list[Any]]:
    """Counts of a text sampled from a model, with words in the order of their ids."""
    from scipy.sparse import csr_array, hstack

    sequences, _ = model.sample(n_tokens // LENGTH, LENGTH, seed)
    text = np.stack(sequences)
    pairs = np.zeros((N_WORDS, N_WORDS))
    np.add.at(pairs, (text[:, :-1].ravel(), text[:, 1:].ravel()), 1)
    # only words with a word on either side, so that sentence boundaries play no role
    middle = text[:, 1:-1].ravel()
    sides = []
    for other in (text[:, :-2], text[:, 2:]):
        side = np.zeros((N_WORDS, N_WORDS))
        np.add.at(side, (middle, other.ravel()), 1)
        sides.append(csr_array(side))
    counts = np.bincount(text.ravel(), minlength=N_WORDS).astype(np.float64)
    matrix = hstack(sides, format="csr")
    words = [f"w{k}" for k in range(N_WORDS)]
    return ContextCounts(words, counts, matrix, csr_array(pairs), counts), sequences


def distances(
    truth: firth.HMM, contexts: ContextCounts, representation: Any
) -> tuple[float, float]:
    """The mean total variation distance of emissions and transitions from the true ones, over the states."""
    how = AnchorParameters(
        N_STATES,
        representation=representation,
        sharing=0.0,
        refine=False,
        pseudocount=0.0,
        candidates=N_WORDS,
    )
    memberships, _ = anchor_memberships(contexts, how, np.zeros(N_WORDS, np.int64), Engine(1))
    joint = memberships * contexts.counts[:, None]
    emission = joint / joint.sum(axis=0)
    together = steps(
        contexts.pairs, emission, np.ones((N_STATES, N_STATES)), Engine(1), rounds=2000
    )
    transition = together / together.sum(axis=1, keepdims=True)
    cost = 0.5 * np.abs(truth.emission[:, :, None] - emission[:, None, :]).sum(axis=0)
    order = linear_sum_assignment(cost)[1]
    moved = transition[np.ix_(order, order)]
    return (
        float(cost[np.arange(N_STATES), order].mean()),
        float(0.5 * np.abs(truth.transition - moved).sum(axis=1).mean()),
    )


def observable_distance(truth: firth.HMM, sequences: list[Any], asked: list[Any]) -> float:
    """The mean total variation distance of the next-symbol distribution from the true one, after some sequences."""
    learned = firth.SpectralHMM(N_STATES).fit(sequences)
    found = []
    for sequence in asked:
        last = truth.posteriors(sequence)[-1]
        right = truth.emission @ (last @ truth.transition)
        found.append(0.5 * float(np.abs(right - learned.next_symbol(sequence)).sum()))
    return float(np.mean(found))


def all_distances(size: int, n_models: int) -> dict[str, list[float]]:
    """Means over the models: of emissions and transitions, or of next-symbol probabilities."""
    found: dict[str, list[tuple[float, ...]]] = {name: [] for name in (*WAYS, OBSERVABLE)}
    for seed in range(n_models):
        truth, _ = random_model(seed)
        contexts, sequences = counted(truth, size, seed)
        for representation in WAYS:
            found[representation].append(distances(truth, contexts, representation))
        asked, _ = truth.sample(100, 4, seed + 1000)
        found[OBSERVABLE].append((observable_distance(truth, sequences, asked),))
    return {name: np.mean(cells, axis=0).tolist() for name, cells in found.items()}


def figure(found: dict[int, dict[str, list[float]]]) -> Any:
    graph = graph_objects()
    sizes = list(found)
    lines = [
        graph.Scatter(
            x=sizes, y=[found[size][name][0] for size in sizes], name=label, mode="lines+markers",
            line={"color": colour, "width": 2.5}, marker={"size": 8},
        )
        for (name, label), colour in zip({**WAYS, OBSERVABLE: OBSERVABLE}.items(), COLOURS, strict=False)
    ]  # fmt: skip
    reference = found[sizes[0]]["conditional"][0]
    lines.append(
        graph.Scatter(
            x=sizes, y=[reference * (sizes[0] / size) ** 0.5 for size in sizes], name="1/√tokens",
            mode="lines", line={"color": "#8a949c", "dash": "dot"},
        )
    )  # fmt: skip
    layout = plain_layout("Distance from the true model", "tokens", "total variation")
    layout["xaxis"] |= {"type": "log", "tickvals": sizes, "ticktext": [f"{s:,}" for s in sizes]}
    ticks = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5]
    layout["yaxis"] |= {"type": "log", "tickvals": ticks, "ticktext": [f"{x:g}" for x in ticks]}
    layout["legend"] |= {"entrywidth": 200}
    layout["margin"] |= {"t": 125}
    return graph.Figure(lines, layout)


def main() -> None:
    run = start("anchor_recovery", __doc__)
    sizes, n_models = (SIZES[:3], 3) if run.quick else (SIZES, N_MODELS)
    found = {
        size: run.remember(f"{size} {n_models}", all_distances, size, n_models) for size in sizes
    }
    rows = []
    for name, label in WAYS.items():
        for k, what in enumerate(("emissions", "transitions")):
            rows.append([f"{label}: {what}", *(f"{found[size][name][k]:.4f}" for size in sizes)])
    rows.append(
        [f"{OBSERVABLE}: next symbol", *(f"{found[size][OBSERVABLE][0]:.4f}" for size in sizes)]
    )
    last = found[sizes[-1]]
    run.write(
        "Recovery of a known hidden Markov model (Arora, Ge and Moitra 2012; Hsu, Kakade and Zhang 2009)",
        f"""Texts of increasing length were sampled from {n_models} random hidden Markov models with
{N_WORDS} words and {N_STATES} states. Each state has an anchor word that no other state emits. The
table gives the total variation distance between true and estimated parameters, averaged over states
and models: 0 if they are identical, 1 if they are disjoint. If words are represented by their
context distributions, projected or not, the anchor method recovers the model, and the distance
decreases as one over the square root of the length of the text. With square roots of unit length,
which give better tags, it does not: mixtures of states are not mixtures of such rows, unless every
word belongs to one state. The observable representation does not estimate states but sequence
probabilities; here, of the next symbol after four.""",
        table(["", *(f"{size:,}" for size in sizes)], rows),
        figure(found),
        f"data: none, sampled with seeds 0 to {n_models - 1}",
        [
            (
                f"Recovery of a known hidden Markov model with anchor words: distance at {sizes[-1]:,} tokens",
                "goes to 0 (theorems)",
                f"{last['conditional'][0]:.3f} with distributions, {last['cca'][0]:.3f} with CCA, "
                f"{last['spectral'][0]:.3f} with square roots (no theorem)",
            )
        ],
    )


if __name__ == "__main__":
    main()
