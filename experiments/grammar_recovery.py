"""Recovery of a known grammar (Cohen et al. 2012, theorem 3).

    python -m experiments.grammar_recovery

Samples 1,000 to 64,000 trees from random latent-variable grammars, and reports the error of the
estimated tree probabilities: estimated from all nodes of the trees, and from one node per tree.
Then the quantities of the theorem, and the sample size that it asks for. Needs no data.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from experiments.common import COLOURS, Run, graph_objects, plain_layout, start, table
from scipy.sparse import csr_array

from firth.grammar import LatentGrammar, Treebank, project, sample_conditions, spectral_grammar

SIZES = tuple(1000 * 2**k for k in range(7))
N_MODELS, N_ASKED = 8, 100
ALL, ONE = "all nodes", "one node per tree"
EPSILON, DELTA, N_RULES = 0.1, 0.05, 5
"""For trees of three words, with five rules, the theorem is asked for 10 % in 95 % of samples."""


def features(bank: Treebank) -> tuple[Any, Any]:
    """One-hot features: the rule or word below each node; the rule above with the side, or that it is the root."""
    n, n_rules = len(bank), len(bank.table)
    below = np.where(bank.rules >= 0, bank.rules, n_rules + bank.words)
    above = np.where(bank.parents >= 0, 2 * bank.rules[bank.parents], 2 * n_rules)
    above += (bank.parents >= 0) & (bank.lefts[bank.parents] != np.arange(n))
    ones, places = np.ones(n), np.arange(n)
    return (
        csr_array((ones, (places, below)), shape=(n, n_rules + int(bank.words.max()) + 1)),
        csr_array((ones, (places, above)), shape=(n, 2 * n_rules + 1)),
    )


def errors(seed: int) -> dict[str, list[float]]:
    """The median relative error of the probabilities of sampled trees, for each size."""
    grammar = LatentGrammar.random(2, 2, 4, 2, 2, 100 + seed, concentration=0.4)
    trees = grammar.sample(SIZES[-1], seed)
    asked = list({repr(tree): tree for tree in grammar.sample(N_ASKED, 10_000 + seed)}.values())
    truth = grammar.tensors()
    right = np.array([truth.tree_probability(tree) for tree in asked])
    rng = np.random.default_rng(seed)
    found: dict[str, list[float]] = {ALL: [], ONE: []}
    for size in SIZES:
        bank = Treebank.of(trees[:size], grammar.n_symbols)
        lengths = np.diff(np.append(bank.starts, len(bank)))
        one = np.zeros(len(bank))
        one[bank.starts + (rng.random(size) * lengths).astype(np.int64)] = 1.0
        for name, weights in ((ALL, None), (ONE, one)):
            form = spectral_grammar(bank, project(bank, *features(bank), 2, 1e-9, weights), weights)
            p = np.array([form.tree_probability(tree) for tree in asked])
            found[name].append(float(np.median(np.abs(p / right - 1))))
    return found


def conditions(seed: int) -> dict[str, float]:
    """The quantities of the theorem, from the estimates of the largest sample."""
    grammar = LatentGrammar.random(2, 2, 4, 2, 2, 100 + seed, concentration=0.4)
    bank = Treebank.of(grammar.sample(SIZES[-1], seed), grammar.n_symbols)
    found = sample_conditions(bank, project(bank, *features(bank), 2, 1e-9))
    return {
        "sigma": found.sigma, "smallest": found.smallest, "largest": found.largest,
        "examples": float(found.examples.min()), "needed": found.examples_needed(N_RULES, EPSILON, DELTA),
    }  # fmt: skip


def of_theorem(run: Run, found: list[dict[str, list[float]]]) -> str:
    """The quantities of the theorem beside the error, one row for each grammar."""
    rows = []
    for seed, errors_found in enumerate(found):
        of = run.remember(f"conditions {seed}", conditions, seed)
        quantities = [f"{of[name]:.2g}" for name in ("sigma", "smallest", "largest")]
        samples = [f"{of['examples']:,.0f}", f"{of['needed']:.0e}"]
        rows.append([str(seed), *quantities, *samples, f"{errors_found[ALL][-1]:.3f}"])
    head = ["grammar", "σ", "Λ", "largest element", "smallest M_a", "M_a of the theorem", "error"]
    return f"""The quantities of the theorem, from all nodes of {SIZES[-1]:,} trees
        (`firth.grammar.sample_conditions`). σ is the smallest singular value, Λ the smallest absolute
        value of an element of the estimates, and M_a the number of nodes of a symbol. The last M_a is
        the number for which the theorem promises an error of at most {EPSILON:.0%} for a tree of
        {N_RULES} rules with probability {1 - DELTA:.0%}: far more than it takes, as the last column
        shows. Λ as the paper defines it is even 0, and the bound infinite, because it includes the
        elements of Σ⁻¹ off the
        diagonal, which are 0 if projections are singular vectors; they are left out here. In the
        printed bound, (2N + 1) is read as the index of the root of 1 + ε. Where σ is 0,
        the features of a symbol do not distinguish its states, and the theorem says nothing. All
        elements are in [-1, 1], as it assumes.\n\n""" + table(head, rows)


def slope(values: Any) -> float:
    """The exponent with which the error decreases in the number of trees."""
    return float(np.polyfit(np.log(SIZES), np.log(values), 1)[0])


def drawn(medians: dict[str, Any]) -> Any:
    graph = graph_objects()
    figure = graph.Figure(
        layout=plain_layout(
            "Error of tree probabilities", "trees", "relative error", height=460, width=760
        )
    )
    figure.update_xaxes(type="log", tickvals=SIZES, ticktext=[f"{size // 1000}k" for size in SIZES])
    figure.update_yaxes(type="log")
    for name, colour in ((ALL, COLOURS[0]), (ONE, COLOURS[1])):
        figure.add_scatter(
            x=SIZES, y=medians[name], mode="lines+markers", name=name, line={"color": colour}, marker={"size": 8}
        )  # fmt: skip
    falling = medians[ALL][0] * np.sqrt(SIZES[0] / np.array(SIZES))
    figure.add_scatter(
        x=SIZES, y=falling, mode="lines", name="1/√M", line={"color": COLOURS[-1], "dash": "dot"}
    )
    return figure


def main() -> None:
    run = start("grammar_recovery", __doc__)
    models = range(2 if run.quick else N_MODELS)
    found = [run.remember(f"model {seed}", errors, seed) for seed in models]
    medians = {name: np.median([one[name] for one in found], axis=0) for name in (ALL, ONE)}
    rows = [
        [f"{size:,}", *(f"{medians[name][k]:.3f}" for name in (ALL, ONE))] for k, size in enumerate(SIZES)
    ]  # fmt: skip
    run.write(
        "Recovery of a known grammar (Cohen et al. 2012, theorem 3)",
        f"""<a id="a-known-grammar-found-again"></a>

        The median relative error of tree probabilities, over {N_ASKED} sampled trees and
        {len(found)} random grammars with 2 states (2 phrase symbols, 2 tags, 4 words). Estimated
        from all nodes, it decreases with the exponent {slope(medians[ALL]):.2f} in the number of
        trees; the theorem says -0.5. With one node per tree, sampled uniformly, the sample is
        smaller, but this is not the only difference: trees are weighted by the inverse of their
        size, so that inside and outside trees are no longer independent given the state. The
        estimates do not converge to the grammar, regardless of the number of trees.""",
        table(["trees", ALL, ONE], rows),
        drawn(medians),
        "data: none, sampled trees",
        [("Theorem 3: the error decreases as 1/√M", "-0.5", f"{slope(medians[ALL]):.2f} (from all nodes)")],
        more=of_theorem(run, found) + "\n\n",
    )  # fmt: skip


if __name__ == "__main__":
    main()
