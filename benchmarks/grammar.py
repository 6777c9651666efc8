"""``python -m benchmarks.grammar``: training a parser and parsing, on one core, compared with EM and NLTK.

Nine tenths of the trees in the Penn Treebank sample are for training; the sentences of the others, up to 40 words, are
parsed. Spectral training is compared with Firth's own EM, run to the iteration with the best F1 (evaluated every five
iterations; only the iterations are timed). NLTK's Viterbi parser gets the same binary grammar without states, and from
its lexicon only the words of the sentence; the benchmark checks that its best trees have the probability that Firth's
grammar gives them. (NLTK's chart parsers try every edge: one sentence of eight words took minutes.) Everything runs on
one thread; kernels are compiled before. ``--plot FILE`` draws the time by length and number of states. Needs NLTK
(tested with 3.10) and FIRTH_DATA with ``trees/ptb-sample-*.mrg``.
"""

from __future__ import annotations

import argparse
import math
import platform
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

import firth
from benchmarks.common import data_file, processor
from firth.compute import limit_blas
from firth.evaluate import evaluate_parses
from firth.grammar import LPCFG, Moments, Node, Parser, Treebank, random_grammar, rounds_of_em
from firth.plots import save_figure
from firth.trees import Tree, clean, read_trees

LONGEST, MOST_ROUNDS, EVERY = 40, 60, 5
LENGTHS = (10, 20, 30, 40)
SHORT, N_SHORT = 12, 12
"""The longest sentence that NLTK parses, and the number of such sentences."""
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")


@contextmanager
def timed() -> Iterator[list[float]]:
    """The CPU seconds that the work takes."""
    found: list[float] = []
    began = time.process_time()
    yield found
    found.append(time.process_time() - began)


def trees() -> tuple[list[Tree], list[Tree]]:
    read = [
        t
        for name in ("train", "dev")
        for t in read_trees(data_file(f"trees/ptb-sample-{name}.mrg"))
    ]
    plain = [tree for tree in map(clean, read) if tree is not None]
    return (
        [tree for k, tree in enumerate(plain) if k % 10],
        [tree for tree in plain[::10] if len(tree) <= LONGEST],
    )


def f1(parser: LPCFG, dev: list[Tree]) -> float:
    found = [parse.tree for parse in parser.parses(tree.words for tree in dev)]
    return 100 * evaluate_parses(dev, found).overall.f1


def learning(train: list[Tree], dev: list[Tree]) -> None:
    """Spectral training compared with EM."""
    print("| training, 16 states | estimation | total | F1 |\n|---|---|---|---|")
    rows = {}
    for method in ("spectral", "clustering", "product"):
        with timed() as whole:
            parser, seconds = fitted(train, method)
        rows[method] = seconds
        print(
            f"| {method} | {seconds:.2f} s | {whole[0]:.2f} s | {f1(parser, dev):.1f} |", flush=True
        )
    rounds, seconds, best = em_to_its_best(train, dev)
    print(f"| EM, {rounds} iterations | {seconds:.2f} s | | {best:.1f} |")
    print(
        f"\nspectral estimation is {seconds / rows['spectral']:.1f} times as fast as EM to its best iteration\n"
    )


def fitted(train: list[Tree], method: Any) -> tuple[LPCFG, float]:
    """A parser, and the CPU seconds of its estimator without reading the trees."""
    module = import_module("firth.grammar._state_learning")
    learn, seconds = module.StateLearner.learn, [0.0]

    def timing(self: Any, *arguments: Any) -> Any:
        with timed() as took:
            found = learn(self, *arguments)
        seconds[0] = took[0]
        return found

    module.StateLearner.learn = timing
    try:
        return LPCFG(16, method=method).fit(train), seconds[0]
    finally:
        module.StateLearner.learn = learn


def em_to_its_best(train: list[Tree], dev: list[Tree]) -> tuple[int, float, float]:
    """The iteration of EM with the best F1, the CPU seconds until then, and the F1."""
    plain = LPCFG(method="pcfg").fit(train)
    module = import_module("firth.grammar._grammar")
    binary = [plain.preparation.binary(tree) for tree in train]
    nodes = module.nodes_of(binary, plain.symbols_, plain.words_)
    bank = Treebank.of(nodes, len(plain.symbols_))
    coarse = plain._parser.coarse
    start = random_grammar(coarse, 16, 0)
    steps = rounds_of_em(bank, coarse.lexicon, start)
    seconds, best = 0.0, (0, 0.0, -1.0)
    for done in range(EVERY, MOST_ROUNDS + 1, EVERY):
        with timed() as took:
            counts, _ = list(islice(steps, EVERY))[-1]
        seconds += took[0]
        fine = Moments.of_counts(bank, coarse.lexicon, counts).smoothed(
            bank, coarse.lexicon, 10.0, 0.6
        )
        plain._made = Parser(coarse, [fine.compact()], decode="rules")
        value = f1(plain, dev)
        if value > best[2]:
            best = done, seconds, value
    return best


def parsing(train: list[Tree], dev: list[Tree], plot: Path | None) -> None:
    """Sentences a second, and milliseconds by length."""
    head = " | ".join(f"{a + 1} to {b}" for a, b in zip((0, *LENGTHS), LENGTHS, strict=False))
    print(
        f"| parsing | sentences a second | words a second | ms: {head} words |\n|---|---|---|{'---|' * len(LENGTHS)}"
    )
    lines = {}
    for name, way in (
        ("no states", {"method": "pcfg"}), ("8 states", {"n_states": 8}), ("16 states", {}),
        ("32 states", {"n_states": 32}), ("product, 16 states", {"method": "product"}),
    ):  # fmt: skip
        parser = LPCFG(**way).fit(train)
        parser.parse(dev[0].words)
        took = []
        for tree in dev:
            with timed() as seconds:
                parser.parse(tree.words)
            took.append(seconds[0])
        lengths, times = np.array([len(tree) for tree in dev]), np.array(took)
        means = [
            1000 * float(times[(lengths > a) & (lengths <= b)].mean())
            for a, b in zip((0, *LENGTHS), LENGTHS, strict=False)
        ]
        lines[name] = means
        total = times.sum()
        print(
            f"| {name} | {len(dev) / total:,.0f} | {lengths.sum() / total:,.0f} | "
            + " | ".join(f"{mean:.1f}" for mean in means) + " |", flush=True,
        )  # fmt: skip
    print()
    if plot is not None:
        save_figure(drawn(lines), plot)


def drawn(lines: dict[str, list[float]]) -> Any:
    """Time by length, a line for each number of states."""
    graph = import_module("plotly.graph_objects")
    figure = graph.Figure()
    middles = [(a + b) / 2 for a, b in zip((0, *LENGTHS), LENGTHS, strict=False)]
    for k, (name, means) in enumerate(lines.items()):
        figure.add_scatter(
            x=middles, y=means, mode="lines+markers", name=name,
            line={"color": (*COLOURS, "#26323d")[k]}, marker={"size": 8},
        )  # fmt: skip
    axis = {"gridcolor": "#e3e8ec", "linecolor": "#26323d", "ticks": "outside", "zeroline": False}
    figure.update_layout(
        template="none", width=760, height=460, title="Time to parse a sentence, one core",
        xaxis={**axis, "title": "words"}, yaxis={**axis, "title": "milliseconds", "type": "log"},
        font={"family": "Inter, Helvetica, Arial, sans-serif", "color": "#26323d", "size": 14},
    )  # fmt: skip
    return figure


def nltk_grammar(parser: LPCFG, words: list[str]) -> tuple[Any, list[str]]:
    """The coarse grammar for NLTK, with the words of one sentence, and these words as the grammar spells them."""
    nltk = import_module("nltk")
    coarse = parser._parser.coarse
    numbers = parser.words_.numbers(words)
    symbols = [nltk.Nonterminal(f"s{k}") for k in range(coarse.n_symbols)]
    start = nltk.Nonterminal("start")
    make = nltk.ProbabilisticProduction
    rules = [
        make(symbols[a], (symbols[b], symbols[c]), prob=p)
        for (a, b, c), p in zip(coarse.rules.tolist(), coarse.p.tolist(), strict=True)
    ]
    rules += [
        make(start, (symbols[k],), prob=p) for k, p in enumerate(coarse.roots.tolist()) if p > 0
    ]
    for number in sorted(set(numbers)):
        own = coarse.lexicon.of_word(number)
        pairs = zip(coarse.lexicon.tags[own].tolist(), coarse.lexicon.p[own].tolist(), strict=True)
        rules += [make(symbols[tag], (str(number),), prob=p) for tag, p in pairs]
    grammar = object.__new__(nltk.PCFG)  # without the other words, probabilities do not sum to one
    nltk.CFG.__init__(grammar, start, rules)
    return grammar, [str(number) for number in numbers]


def node_of(tree: Any) -> Node:
    """An NLTK tree of numbers."""
    if len(tree) == 1 and isinstance(tree[0], str):
        return Node(int(str(tree.label())[1:]), word=int(tree[0]))
    return Node(int(str(tree.label())[1:]), node_of(tree[0]), node_of(tree[1]))


def peers(train: list[Tree], dev: list[Tree]) -> None:
    """NLTK's parser and Firth's, with the grammar without states."""
    nltk = import_module("nltk")
    short = [tree.words for tree in dev if 3 <= len(tree) <= SHORT][:N_SHORT]
    plain = LPCFG(method="pcfg", threshold=0.0).fit(train)
    hidden = LPCFG(16).fit(train)
    for parser in (plain, hidden):
        parser.parse(short[0])

    def ours(parser: LPCFG) -> Callable[[list[str]], float]:
        return lambda words: parser.n_best(words, 1)[0].log_prob

    def theirs(kind: Any) -> Callable[[list[str]], float]:
        def parse(words: list[str]) -> float:
            grammar, written = nltk_grammar(plain, words)
            began = time.process_time()
            best = next(iter(kind(grammar, max_time=None).parse(written)))
            spent.append(time.process_time() - began)
            if (
                abs(best.logprob() * math.log(2) - float(plain._log_probs([node_of(best[0])])[0]))
                > 1e-6
            ):
                sys.exit("error: Firth and NLTK give a tree different probabilities")
            return float(best.logprob())

        spent: list[float] = []
        parse.spent = spent  # type: ignore[attr-defined]
        return parse

    print(
        f"| {len(short)} sentences of 3 to {SHORT} words | time per sentence "
        "| relative to Firth without states |\n|---|---|---|"
    )
    found = {}
    jobs: dict[str, Callable[[list[str]], float]] = {
        "Firth, no states": ours(plain), "Firth, 16 states": ours(hidden),
        "NLTK, ViterbiParser, no states": theirs(nltk.ViterbiParser),
    }  # fmt: skip
    for name, job in jobs.items():
        with timed() as seconds:
            for words in short:
                job(words)
        inner = getattr(job, "spent", None)
        each = (sum(inner) if inner else seconds[0]) / len(short)
        found[name] = each
        ratio = f"{each / found['Firth, no states']:,.0f}" if inner else ""
        print(f"| {name} | {1000 * each:,.1f} ms | {ratio} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.grammar", description=__doc__)
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="draw the time to parse to this file"
    )
    options = parser.parse_args()
    print(f"{datetime.now(UTC):%Y-%m-%d}; {processor()}; Python {platform.python_version()}")
    print(f"command: python -m benchmarks.grammar; {firth.__name__} {firth.__version__}\n")
    train, dev = trees()
    print(f"{len(train):,} trees for training, {len(dev):,} sentences to parse\n")
    for method in ("spectral", "product", "em"):
        LPCFG(2, method=method).fit(train[:100]).parse(dev[0].words)  # compiled
    with limit_blas(1):
        learning(train, dev)
        parsing(train, dev, options.plot)
        peers(train, dev)


if __name__ == "__main__":
    main()
