"""Pairs of words for the tests of classes: from small corpora, from models, and large ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st
from scipy.sparse import csr_array

from firth.classes import Bigrams, BrownModel, _merging
from firth.compute import Engine
from firth.compute.meeting import Crew
from firth.corpus import Vocabulary
from firth.counts import Entries
from firth.store import Checkpoint
from tests.oracles import classes as oracle

__all__ = [
    "NO_CHECKPOINT", "Machine", "assert_bounds_are_honest", "assert_state_is_sound", "brown", "corpora", "gaps",
    "make_bigrams", "pairs_of", "sampled", "same_partition",
]  # fmt: skip

NO_CHECKPOINT = Checkpoint()


def make_bigrams(pairs: Any, counts: Any) -> Bigrams:
    """Pairs of words w0, w1, ... as a table, and how often each occurs (in decreasing order)."""
    tokens = np.asarray(counts, np.int64)
    assert np.all(tokens[1:] <= tokens[:-1])
    after, before = (_entries(csr_array(x)) for x in (np.asarray(pairs), np.asarray(pairs).T))
    words = Vocabulary(pa.array([f"w{i}" for i in range(len(tokens))], pa.large_string()), tokens)
    return Bigrams(words, tokens, np.arange(len(tokens)), after, before, False)


def _entries(matrix: Any) -> Entries:
    data = matrix.data.astype(np.int64)
    return Entries(matrix.indptr.astype(np.int64), matrix.indices, data, matrix.shape)


def pairs_of(bigrams: Bigrams) -> Any:
    """How often each word follows each, as a table."""
    indptr, indices, data, shape = bigrams.after
    return csr_array((data, indices, indptr), shape=shape).toarray()


def counted(sentences: Sequence[Sequence[int]], n: int, more: Sequence[int]) -> Bigrams:
    """The pairs of a corpus of n words; ``more`` tokens of each stand alone. All words occur."""
    pairs, counts = np.zeros((n, n), np.int64), np.ones(n, np.int64)
    counts[: len(more)] += np.array(more, np.int64)
    for sentence in sentences:
        for x, y in pairwise(sentence):
            pairs[x, y] += 1
        np.add.at(counts, np.array(sentence, int), 1)
    order = np.argsort(-counts, kind="stable")
    return make_bigrams(pairs[order][:, order], counts[order])


@st.composite
def corpora(draw: st.DrawFn) -> Bigrams:
    """Small corpora: sentences end anywhere, words repeat, tie, stand alone or beside none."""
    n = draw(st.integers(2, 12))
    words = st.integers(0, draw(st.integers(0, n - 1)))
    sentences = draw(st.lists(st.lists(words, max_size=20), max_size=6))
    more = draw(st.lists(st.sampled_from([0, 0, 1, 5]), max_size=n))
    return counted([[0, 1], *sentences], n, more)


def sampled(n_words: int, n_classes: int, seed: int, lines: int = 1000) -> Bigrams:
    """Pairs of words of lines of ten words that a Brown model made."""
    model = BrownModel.random(n_words, n_classes, seed)
    return counted(model.sample(lines, 10, seed).tolist(), n_words, [])


def brown(bigrams: Bigrams, m: int, threads: int = 1) -> tuple[Any, Any, Any]:
    """All merges as word numbers, their losses in nats times pairs, and the classes between."""
    merges, losses, names = _merging.add_words(bigrams, m, Engine(threads), NO_CHECKPOINT)
    first, class_of = np.unique(names, return_inverse=True)
    assert len(first) == m
    last, last_losses = _merging.merge_classes(bigrams, class_of, m, Engine(threads))
    return np.concatenate([merges, first[last]]), np.concatenate([losses, last_losses]), class_of


class Machine:
    """The kernels at work on some classes, to be run step by step, by a crew if there is one."""

    def __init__(self, bigrams: Bigrams, slot_of: Any, m: int, threads: Crew | None = None) -> None:
        self.bigrams, self.m = bigrams, m
        self.threads = threads or Crew(lambda work, _: [work(0)], 1)
        self.slot_of = np.array(slot_of, np.int32)
        self.sizes = np.bincount(self.slot_of[self.slot_of >= 0], minlength=m)
        self.tables = _merging._tables(bigrams.n_tokens, m)
        self.rooms = _merging._rooms(m, self.threads.size)
        self.words = _merging._words(bigrams)
        self.state = _merging._state(
            bigrams, self.slot_of, np.arange(m), self.tables, True, Engine(1)
        )
        self.merges = np.zeros((bigrams.n_words, 2), np.int64)
        self.losses = np.zeros(bigrams.n_words, np.int64)

    @classmethod
    def of_first_words(cls, bigrams: Bigrams, m: int, threads: Crew | None = None) -> Machine:
        """Where Brown's algorithm begins: every one of the first m words is a class."""
        numbers = np.arange(bigrams.n_words)
        machine = cls(bigrams, np.where(numbers < m, numbers, -1), m, threads)
        _merging._set_bounds(machine.state, machine.tables, Engine(1))
        machine.state = _merging._divided(machine.state, machine.threads.size)
        return machine

    def add(self, x: int) -> None:
        """Add a word, and merge."""
        self.threads.run(
            lambda board, part: _merging.add_words_kernel(
                x, x + 1, self.words, self.slot_of, self.state, self.tables, self.rooms[part],
                self.merges, self.losses, board, part,
            ),
            1,
        )  # fmt: skip

    def merge(self) -> None:
        """Merge the two best classes."""
        scratch = np.zeros((2, self.m), np.int64)
        self.threads.run(
            lambda board, part: _merging.merge_down_kernel(
                1, self.state, self.tables, self.merges[:1], self.losses[:1],
                np.zeros(2, np.int64), *scratch, board, part,
            ),
            1,
        )  # fmt: skip

    def move(self, x: int) -> float:
        """Move a word to the best class; returns what that gained."""
        _, gained = self.threads.run(
            lambda board, part: _merging.move_words_kernel(
                x, x + 1, self.words, self.slot_of, self.sizes, self.state, self.tables,
                self.rooms[part], board, part,
            ),
            1,
        )  # fmt: skip
        return float(gained / self.tables.scale)

    def loss(self, v: int, w: int) -> int:
        """What merging two classes loses."""
        return int(_merging.pair_loss_kernel(v, w, self.state, self.tables))


def assert_bounds_are_honest(machine: Machine) -> int:
    """No bound is above the loss it stands for; returns how many pairs were looked at."""
    state = machine.state
    active = np.flatnonzero(state.f)
    bound, paid, n = state.bound, state.paid[0], 0
    assert (state.paid == paid).all(), "all threads have the same"
    for v in active:
        losses = []
        for w in active[active < v]:
            loss = machine.loss(int(v), int(w))
            assert bound[v, w] - paid[v] - paid[w] <= loss
            losses.append(loss)
        if losses:
            rows = state.row_bound[:, v] - state.total[: len(state.row_bound), 0]
            assert rows.min() - paid[v] <= min(losses)
        n += len(losses)
    return n


def assert_state_is_sound(machine: Machine) -> None:
    """What is kept and put right step by step is what it would be if it were made anew."""
    state, m = machine.state, machine.m
    assert np.array_equal(state.follow, machine.bigrams.between(machine.slot_of, m))
    assert np.array_equal(state.precede, state.follow.T)
    assert np.array_equal(state.f, machine.bigrams.sums(machine.slot_of, m))
    assert np.array_equal(state.a, state.follow.sum(axis=0) + state.follow.sum(axis=1))
    assert np.array_equal(state.bound, state.bound.T)
    np.testing.assert_allclose(state.log_f[state.f > 0], np.log(state.f[state.f > 0]))
    cells = state.follow.astype(float)
    for a in range(1, state.near.shape[2] + 1):
        s = (a + cells) * np.log(a + cells) - cells * np.log(np.maximum(cells, 1)) - a * math.log(a)
        np.testing.assert_allclose(state.near[0, :, a - 1], s, rtol=1e-5, atol=1e-5)
        assert np.array_equal(state.near[1, :, a - 1], state.near[0, :, a - 1].T)


def gaps(bigrams: Bigrams, m: int, merges: Sequence[Any]) -> list[float]:
    """By how much each merge was better than the next best one, as the oracle sees it."""
    pairs, n = pairs_of(bigrams), bigrams.n_words
    clusters = {x: {x} for x in range(m)}
    found = []
    for step, (a, b, *_) in enumerate(merges):
        if m + step < n:
            clusters[m + step] = {m + step}
        losses = oracle.merge_losses(pairs, bigrams.counts, clusters)
        others = [loss for pair, loss in losses.items() if pair != (a, b)]
        found.append(min(others, default=np.inf) - losses[a, b])
        clusters[a] |= clusters.pop(b)
    return found


def same_partition(one: Sequence[Any], two: Sequence[Any]) -> bool:
    """Whether two lists of labels put the same things together."""
    return len(set(zip(one, two, strict=True))) == len(set(one)) == len(set(two))
