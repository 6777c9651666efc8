"""Run the kernels that merge and move words, in small batches, with progress and checkpoints."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.classes import _brown_kernels as adding
from firth.classes import _exchange_kernels as moving
from firth.classes import _loss_kernels as losing
from firth.classes import _merge_kernels as merging
from firth.classes._bigrams import Bigrams
from firth.classes._information import mutual_information
from firth.classes._tree import Integers
from firth.compute import Engine
from firth.compute.meeting import crew, new_board
from firth.compute.portable import logs
from firth.store import Checkpoint, Saved

__all__ = ["add_words", "exchange", "merge_classes", "names_after"]

_TABLE = 1 << 17
_FINEST = 40
"""Maximum number of bits after the binary point."""
_LEVELS = 4
"""Counts up to this number are looked up in ``near``."""
_NEAR_BYTES = 1 << 28
_SECONDS_PER_BATCH = 0.05
_LEAST_COLUMNS = 32
"""No thread has fewer classes to compare a word with: they would take less time than a meeting."""
_PER_WORD = 50
"""The work that every word is, as so many neighbours."""
_PIECE = 1 << 27
_MOST = 1 << 62
"""The largest absolute value of losses in a checkpoint."""

# kernels as mypy should see them: any arguments
add_words_kernel: Any = adding.add_words
move_words_kernel: Any = moving.move_words
merge_down_kernel: Any = merging.merge_down
first_bounds_kernel: Any = merging.first_bounds
pair_loss_kernel: Any = losing.pair_loss
renew_kernel: Any = losing.renew
fold_rows_kernel: Any = merging.fold_rows


def _tables(n_tokens: int, n_classes: int) -> Any:
    """g(k) = k ln k as integers, as precise as 62 bits allow."""
    largest = 8.0 * n_tokens * float(logs(n_tokens + 2)) + 16
    scale = 2.0 ** min(_FINEST, 61 - math.frexp(largest)[1])
    k = np.arange(1, _TABLE, dtype=np.float64)
    g = np.zeros(_TABLE, np.int64)
    g[1:] = k * logs(k) * scale
    return losing.Tables(g, scale, 16 * n_classes + (1 << 16))


def _words(bigrams: Bigrams) -> Any:
    return adding.Words(bigrams.counts, *bigrams.after[:3], *bigrams.before[:3])


def _state_of(
    follow: npt.NDArray[Any],
    tokens: Integers,
    first: Integers,
    tables: Any,
    levels: int,
    n_tokens: int,
    engine: Engine,
) -> Any:
    """The state of the kernels for some classes, without bounds; ``n_tokens`` is the final number."""
    m = len(first)
    cell = np.int32 if n_tokens < 1 << 31 else np.int64
    cells = np.array(follow, cell)
    sums = cells.sum(axis=0, dtype=np.int64) + cells.sum(axis=1, dtype=np.int64)
    state = losing.Classes(
        cells, cells.T.copy(), np.array(tokens, np.int64), np.log(np.maximum(tokens, 1)), sums,
        np.array(first, np.int64),
        np.zeros((2, m, levels, m), np.float32), np.full((m, m), merging.NONE // 2), np.zeros((1, m), np.int64),
        np.full((1, m), merging.NONE // 2), np.zeros_like(new_board(1)),
    )  # fmt: skip
    if levels:
        edges = np.linspace(0, m, 4 * engine.threads + 1).astype(int).tolist()
        list(engine.map(lambda rows: renew_kernel(*rows, state, tables), pairwise(edges)))
    return state


def _state(
    bigrams: Bigrams,
    class_of: npt.NDArray[Any],
    first: Integers,
    tables: Any,
    near: bool,
    engine: Engine,
) -> Any:
    """The state for the classes of words; words of class -1 are not active yet."""
    m = len(first)
    levels = min(_LEVELS, _NEAR_BYTES // (8 * m * m)) if near else 0
    cells, tokens = bigrams.between(class_of, m), bigrams.sums(class_of, m)
    return _state_of(cells, tokens, first, tables, levels, bigrams.n_tokens, engine)


def _efforts(words: Any, m: int) -> Integers:
    """About how much work the words before each one are: their neighbours, and a share for each word."""
    sides = (np.diff(start).clip(max=m) for start in (words.after_start, words.before_start))
    return np.concatenate([[0], np.cumsum(sum(sides) + _PER_WORD)])


def _most_parts(m: int, engine: Engine) -> int:
    """How many threads can work together on m classes."""
    return max(1, min(engine.threads, m // _LEAST_COLUMNS))


def _rooms(m: int, n_parts: int) -> list[Any]:
    """Scratch memory for the kernels, for each part."""
    all_losses = np.zeros(m, np.int64)

    def room() -> Any:
        # padded: threads that write to one cache line hold each other up
        memory = np.zeros((8, m + 32), np.int64)
        out, into, both, out_slots, into_slots, losses, shares = memory[:7, :m]
        n_slots, pair, sums = memory[7, :2], memory[7, 2:4], memory[7, 16:].view(np.float32)[:m]
        return adding.Room(
            out, into, both, out_slots, into_slots, n_slots, losses, all_losses, sums, pair, shares
        )

    return [room() for _ in range(n_parts)]


def _divided(state: Any, n_parts: int) -> Any:
    """The state for so many parts; the bounds of rows are those of the pairs."""
    if len(state.row_bound) == n_parts:
        return state
    rows = np.full((n_parts, len(state.f)), merging.NONE // 2)
    paid = np.tile(state.paid[:1], (n_parts, 1))
    state = state._replace(paid=paid, row_bound=rows, total=np.zeros_like(new_board(n_parts)))
    fold_rows_kernel(0, state)
    return state


def _set_bounds(state: Any, tables: Any, engine: Engine) -> None:
    """Initial bounds of all pairs: exact where the loss is small, rough where it is large."""
    m = len(state.f)
    some = [pair_loss_kernel(v, v + 1, state, tables) for v in range(m - 1)]
    enough = 4.0 * min(some, default=0)
    # the time grows with the cube of m, and no piece may take long
    n_pieces = max(32 * engine.threads, m**3 // _PIECE)
    # rows of a triangle: the square root makes pieces of about equal size
    edges = np.unique((m * np.sqrt(np.linspace(0, 1, n_pieces + 1))).astype(int))
    pieces = zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    for _ in engine.map(lambda piece: first_bounds_kernel(state, tables, *piece, enough), pieces):
        progress.check_interrupted()


def _batches(begin: int, end: int, work: Callable[[int, int], None]) -> Iterator[int]:
    """Do the work from ``begin`` to ``end`` in batches of a fraction of a second each."""
    size = 16
    while begin < end:
        started = time.perf_counter()
        piece = min(size, end - begin)
        work(begin, begin + piece)
        begin += piece
        seconds = max(time.perf_counter() - started, 1e-4)
        size = max(1, min(4 * size, round(piece * _SECONDS_PER_BATCH / seconds)))
        yield begin


def add_words(
    bigrams: Bigrams, n_classes: int, engine: Engine, checkpoint: Checkpoint
) -> tuple[Integers, npt.NDArray[np.float64], npt.NDArray[np.int32]]:
    """Brown's windowed algorithm, until all words are in classes (Stratos et al. 2014, figure 1).

    A class is identified by its most frequent word. Returns the merges (pairs of such words; the first
    identifies the merged class), their losses in nats times pairs, and the class of each word.
    """
    n, m = bigrams.n_words, n_classes
    tables = _tables(bigrams.n_tokens, m)
    merges, losses = np.zeros((n, 2), np.int64), np.zeros(n, np.int64)
    done = m
    if saved := checkpoint.load(lambda saved: _merges(saved, n, m)):
        done = m + len(saved[0])
        merges[m:done], losses[m:done] = saved
    first, slots = np.unique(names_after(merges[m:done], n)[:done], return_inverse=True)
    slot_of = np.full(n, -1, np.int32)
    slot_of[:done] = slots
    most = _most_parts(m, engine)
    words, rooms = _words(bigrams), _rooms(m, most)
    efforts = _efforts(words, m)
    with progress.stage("preparing kernels (slow on the first run only)", brief=1.0, unit=""):
        state = _state(bigrams, slot_of, first.astype(np.int64), tables, True, engine)
        board = new_board(1)
        add_words_kernel(m, m, words, slot_of, state, tables, rooms[0], merges, losses, board, 0)
        first_bounds_kernel(state, tables, 0, 0, 0.0)
    with (
        progress.stage("merging words into classes", n - m, "words", brief=0.5) as stage,
        crew(engine, most) as threads,
    ):
        _set_bounds(state, tables, engine)
        stage.advance(done - m)

        def work(begin: int, end: int) -> None:
            nonlocal state
            state = _divided(state, threads.size)
            threads.run(
                lambda board, part: add_words_kernel(
                    begin, end, words, slot_of, state, tables, rooms[part], merges, losses, board, part
                ),
                int(efforts[end] - efforts[begin]),
            )  # fmt: skip
            stage.advance(end - begin)

        for upto in _batches(done, n, work):
            if checkpoint.is_due:
                checkpoint.save(merges=merges[m:upto], losses=losses[m:upto])
    return merges[m:], losses[m:] / tables.scale, state.first[slot_of].astype(np.int32)


def _merges(saved: Saved, n: int, m: int) -> tuple[Integers, Integers]:
    """The merges and losses of a checkpoint; every word is merged once, into one that came before it."""
    losses = saved.array("losses.i64", -1, -_MOST, _MOST)
    merges = saved.array("merges.i64", (len(losses), 2), 0, n - 1)
    saved.require(
        len(merges) <= n - m
        and (merges[:, 0] < merges[:, 1]).all()
        and (merges[:, 1] <= m + np.arange(len(merges))).all()
        and len(np.unique(merges[:, 1])) == len(merges),
        "these are not merges of words",
    )
    return merges, losses


def names_after(merges: Integers, n: int) -> Integers:
    """The word that identifies the class of each word after some merges."""
    names = np.arange(n)
    names[merges[:, 1]] = merges[:, 0]
    while True:  # follow the chains of merges, halving them each time
        again = names[names]
        if np.array_equal(again, names):
            return names
        names = again


def merge_classes(
    bigrams: Bigrams, class_of: npt.NDArray[Any], n_classes: int, engine: Engine
) -> tuple[Integers, npt.NDArray[np.float64]]:
    """Merge classes down to one, always the pair with the smallest loss; ties by class number.

    Returns pairs of class numbers, the first of which is the number of the merged class, and the losses.
    """
    tables = _tables(bigrams.n_tokens, n_classes)
    merges, losses = np.zeros((n_classes, 2), np.int64), np.zeros(n_classes, np.int64)
    state = _state(bigrams, class_of, np.arange(n_classes), tables, False, engine)
    most = _most_parts(n_classes, engine)
    pairs = np.zeros((most, 2), np.int64)
    scratch = np.zeros((2, n_classes), np.int64)
    merge_down_kernel(0, state, tables, merges, losses, pairs[0], *scratch, new_board(1), 0)
    with (
        progress.stage("merging classes into a tree", n_classes - 1, "classes", brief=0.5) as stage,
        crew(engine, most) as threads,
    ):
        _set_bounds(state, tables, engine)

        def work(begin: int, end: int) -> None:
            nonlocal state
            state = _divided(state, threads.size)
            names, lost = merges[begin:end], losses[begin:end]
            threads.run(
                lambda board, part: merge_down_kernel(
                    end - begin, state, tables, names, lost, pairs[part], *scratch, board, part
                ),
                end - begin,
            )
            stage.advance(end - begin)

        for _ in _batches(0, n_classes - 1, work):
            pass
    return merges[: n_classes - 1], losses[: n_classes - 1] / tables.scale


def exchange(
    bigrams: Bigrams, class_of: npt.NDArray[Any], n_classes: int, passes: int, tolerance: float,
    engine: Engine, checkpoint: Checkpoint,
) -> tuple[npt.NDArray[np.int32], list[dict[str, float]]]:  # fmt: skip
    """Move words to better classes, pass after pass, until a pass gains little.

    Returns the new classes and, for each pass, the number of words moved and the gain in nats.
    """
    n, m = bigrams.n_words, n_classes
    tables = _tables(bigrams.n_tokens, m)
    slot_of = np.array(class_of, np.int32)
    start, begin, moved, gained = 0, 0, 0, 0
    history: list[dict[str, float]] = []
    total = (
        mutual_information(bigrams.between(slot_of, m), bigrams.sums(slot_of, m)) * bigrams.n_pairs
    )
    if saved := checkpoint.load(lambda saved: _moves(saved, n, m, passes)):
        slot_of, (start, begin, moved, gained), table = saved
        history = [{"moved": a, "gain": b} for a, b in table]
    state = _state(bigrams, slot_of, np.arange(m), tables, True, engine)
    most = engine.threads
    words, rooms = _words(bigrams), _rooms(m, most)
    efforts, sizes = _efforts(words, m), np.bincount(slot_of, minlength=m)
    move_words_kernel(0, 0, words, slot_of, sizes, state, tables, rooms[0], new_board(1), 0)
    with crew(engine, most) as threads:
        for number in range(start, passes):
            name = f"moving words between classes, pass {number + 1}"
            with progress.stage(name, n, "words", brief=0.5) as stage:
                stage.advance(begin)

                def work(begin: int, end: int) -> None:
                    nonlocal moved, gained
                    found = threads.run(
                        lambda board, part: move_words_kernel(
                            begin, end, words, slot_of, sizes, state, tables, rooms[part], board, part
                        ),
                        int(efforts[end] - efforts[begin]),
                    )  # fmt: skip
                    moved, gained = moved + int(found[0]), gained + int(found[1])
                    stage.advance(end - begin)

                for upto in _batches(begin, n, work):
                    if checkpoint.is_due:
                        table = [[step["moved"], step["gain"]] for step in history]
                        checkpoint.save(
                            slot_of=slot_of, at=np.array([number, upto, moved, gained]),
                            history=np.array(table).reshape(-1, 2),
                        )  # fmt: skip
            gain = gained / tables.scale
            history.append({"moved": float(moved), "gain": gain / max(bigrams.n_pairs, 1)})
            begin, moved, gained = 0, 0, 0
            if gain <= tolerance * abs(total):
                break
    return slot_of, history


def _moves(
    saved: Saved, n: int, m: int, passes: int
) -> tuple[npt.NDArray[np.int32], list[int], list[list[float]]]:
    """The classes of a checkpoint, where the pass is, and the passes before it."""
    slot_of = saved.array("slot_of.i32", n, 0, m - 1)
    saved.require(len(np.unique(slot_of)) == m, "a class is empty")
    at: list[int] = saved.array("at.i64", 4, -_MOST, _MOST).tolist()
    number, begin, moved, _ = at
    saved.require(0 <= number < passes and 0 <= begin <= n and 0 <= moved <= n, "it is elsewhere")
    history = saved.array("history.f64", (number, 2), -math.inf, math.inf)
    return slot_of, at, history.tolist()
