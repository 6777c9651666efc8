"""The inside-outside algorithm: a PCFG from sentences without trees, or with some brackets.

Lari and Young (1990); with brackets, Pereira and Schabes (1992). An iteration computes the expected count of
each rule in all trees of the sentences, and re-estimates the grammar. The likelihood never decreases.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import Device
from firth.errors import InputError, check_count
from firth.grammar._coarse import CoarseGrammar
from firth.grammar._fine import FineGrammar
from firth.grammar._lexicon import Lexicon
from firth.grammar._parser import Parser

__all__ = ["Reestimate", "random_plain_grammar", "reestimate"]

Floats = npt.NDArray[np.float64]
Brackets = Collection[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Reestimate:
    """A grammar learned from sentences.

    Attributes
    ----------
    grammar : CoarseGrammar
    log_likelihoods : list of float
        Before each iteration, of the sentences that have a tree.
    n_without : int
        Number of sentences without a tree in the last iteration; they are ignored.
    """

    grammar: CoarseGrammar
    log_likelihoods: list[float]
    n_without: int

    def parser(self) -> Parser:
        """A parser for sentences of word numbers."""
        return Parser(self.grammar, [FineGrammar.plain(self.grammar)], threshold=0.0)


def random_plain_grammar(n_phrases: int, n_tags: int, n_words: int, seed: int = 0) -> CoarseGrammar:
    """A grammar with all possible rules and random probabilities.

    Symbols below ``n_phrases`` are phrases, the others are tags; 0 is the root.
    """
    for name, value in (("n_phrases", n_phrases), ("n_tags", n_tags), ("n_words", n_words)):
        check_count("random_plain_grammar", name, value)
    rng = np.random.default_rng(seed)
    n = n_phrases + n_tags
    a, b, c = (
        part.ravel() for part in np.meshgrid(range(n_phrases), range(n), range(n), indexing="ij")
    )
    p = rng.uniform(0.5, 1.5, (n_phrases, n * n))
    of_words = rng.uniform(0.5, 1.5, (n_words, n_tags))
    words, tags = (
        part.ravel() for part in np.meshgrid(range(n_words), range(n_phrases, n), indexing="ij")
    )
    lexicon = Lexicon(
        tags.astype(np.int64), words.astype(np.int64), (of_words / of_words.sum(axis=0)).ravel(),
        np.ones(len(words), np.int64),
    )  # fmt: skip
    roots = np.zeros(n)
    roots[0] = 1.0
    rules = np.stack([a, b, c], axis=1).astype(np.int64)
    return CoarseGrammar(rules, (p / p.sum(axis=1, keepdims=True)).ravel(), lexicon, roots)


def reestimate(
    start: CoarseGrammar, sentences: Sequence[Sequence[int]], brackets: Sequence[Brackets] | None = None,
    rounds: int = 20, device: Device | None = None,
) -> Reestimate:  # fmt: skip
    """Re-estimate a grammar to maximise the likelihood of sentences.

    Parameters
    ----------
    start : CoarseGrammar
        The initial grammar. Probabilities of zero stay zero.
    sentences : sequence of sequences of int
        The numbers of their words.
    brackets : sequence of collections of (int, int), optional
        The known phrases of each sentence: first and last word. No other phrase may cross them.
    rounds : int
        Number of iterations.
    device : Device, optional
        A GPU that computes the charts of many sentences at once.
    """
    check_count("reestimate", "rounds", rounds)
    if not len(sentences):
        raise InputError("There are no sentences to learn from.")
    if brackets is not None and len(brackets) != len(sentences):
        raise InputError(
            "There must be brackets for every sentence; an empty list if none are known."
        )
    allowed = [
        allowed_spans(len(words), () if brackets is None else brackets[k]) for k, words in enumerate(sentences)
    ]  # fmt: skip
    grammar, logs, without = start, [], 0
    with progress.stage("inside-outside", total=rounds, unit="iterations") as stage:
        for _ in range(rounds):
            found = (
                _expected(grammar, sentences, allowed)
                if device is None
                else (_expected_on(device, grammar, sentences, allowed))
            )
            grammar, log, without = _counted(grammar, *found[:3]), *found[3:]
            logs.append(log)
            stage.advance(1)
    return Reestimate(grammar, logs, without)


def allowed_spans(n: int, brackets: Brackets) -> npt.NDArray[np.uint8]:
    """The spans that cross none of the brackets: 1 at their first and last word."""
    first, last = np.arange(n)[:, None], np.arange(n)[None, :]
    found = np.ones((n, n), bool)
    for i, j in brackets:
        if not 0 <= i <= j < n:
            raise InputError(
                f"The bracket from word {i} to word {j} is not in the sentence of {n} words."
            )
        crosses = ((first < i) & (i <= last) & (last < j)) | (
            (i < first) & (first <= j) & (j < last)
        )
        found &= ~crosses
    return found.astype(np.uint8)


Expected = tuple[Floats, Floats, Floats, float, int]
"""Of rules, pairs and roots; the log-likelihood; the number of sentences without a tree."""


def _expected(
    grammar: CoarseGrammar, sentences: Sequence[Sequence[int]], allowed: list[npt.NDArray[np.uint8]]
) -> Expected:
    """Expected counts, one sentence after the other."""
    parser = Parser(grammar, [])
    rules, pairs = np.zeros(len(grammar.rules)), np.zeros(len(grammar.lexicon))
    roots, log, without = np.zeros(grammar.n_symbols), 0.0, 0
    for words, spans in zip(sentences, allowed, strict=True):
        leaves = parser.leaves(words)
        chart = parser.coarse_chart(leaves, spans) if leaves else None
        if chart is None:
            without += 1
            continue
        log += chart.log_prob
        parser.add_rule_counts(chart, rules)
        for i, leaf in enumerate(leaves):
            pairs[leaf.pairs] += (chart.inside[i, i] * chart.outside[i, i])[leaf.tags]
        roots += chart.inside[0, -1] * chart.outside[0, -1]
    return rules, pairs, roots, log, without


def _expected_on(
    device: Device, grammar: CoarseGrammar, sentences: Sequence[Sequence[int]],
    allowed: list[npt.NDArray[np.uint8]],
) -> Expected:  # fmt: skip
    """Expected counts, sentences of like length at once on a GPU."""
    from firth.grammar._device_chart import DeviceCharts, Leaves, batches

    parser, charts = Parser(grammar, []), DeviceCharts(grammar, device)

    def work(some: list[int]) -> Expected:
        leaves = Leaves.of([parser.leaves(sentences[k]) for k in some], device)
        spans = device.put(_by_length([allowed[k] for k in some]))
        chart = charts.chart(leaves, spans, counting=True)
        share = chart.inside * chart.outside
        of_leaves = device.get(share[leaves.sentence, leaves.place, 0, leaves.tag])
        at = device.torch.arange(len(some), device=device.where)
        there = chart.total > 0
        logs = chart.total.log() + leaves.log_scale - leaves.lengths * chart.lift.log()
        return (
            charts.of_rules(chart.counts),
            np.asarray(np.bincount(device.get(leaves.pair), of_leaves, len(grammar.lexicon)), np.float64),
            device.get(share[at, 0, leaves.lengths - 1].sum(0)), float(logs[there].sum()), int((~there).sum()),
        )  # fmt: skip

    rules, pairs = np.zeros(len(grammar.rules)), np.zeros(len(grammar.lexicon))
    roots, log = np.zeros(grammar.n_symbols), 0.0
    full = [k for k, words in enumerate(sentences) if len(words)]
    without, sizes = len(sentences) - len(full), [len(sentences[k]) for k in full]
    waiting = list(batches(sizes, charts))[::-1]
    while waiting:
        progress.check_interrupted()
        batch = waiting.pop()
        done = device.unless_full(partial(work, [full[k] for k in batch]))
        if done is None:
            waiting += charts.halves(batch, [sizes[k] for k in batch])
            continue
        for total, more in zip((rules, pairs, roots), done[0][:3], strict=True):
            total += more
        log, without = log + done[0][3], without + done[0][4]
    return rules, pairs, roots, log, without


def _by_length(allowed: list[npt.NDArray[np.uint8]]) -> npt.NDArray[np.uint8]:
    """The spans that can be phrases, by their first word and their number of words less one."""
    n = max(map(len, allowed))
    found = np.zeros((len(allowed), n, n), np.uint8)
    for k, spans in enumerate(allowed):
        first, last = np.triu_indices(len(spans))
        found[k, first, last - first] = spans[first, last]
    return found


def _counted(grammar: CoarseGrammar, rules: Floats, pairs: Floats, roots: Floats) -> CoarseGrammar:
    lexicon, n = grammar.lexicon, grammar.n_symbols
    above = grammar.rules[:, 0]
    totals = np.bincount(above, rules, n) + np.bincount(lexicon.tags, pairs, n)
    kept = totals > 0  # the probabilities of symbols that occur in no tree stay as they are
    divided = np.where(kept, totals, 1.0)
    p = np.where(kept[above], rules / divided[above], grammar.p)
    of_words = np.where(kept[lexicon.tags], pairs / divided[lexicon.tags], lexicon.p)
    new = Lexicon(lexicon.tags, lexicon.words, of_words, lexicon.counts)
    return CoarseGrammar(
        grammar.rules, p, new, roots / roots.sum() if roots.sum() else grammar.roots
    )
