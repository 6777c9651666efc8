"""Threads that run one kernel together, and wait for each other inside it.

Every thread, a *part* of the work, has a row of the *board*. What it has found goes there, then all
parts meet: after that each of them reads what all have found. A meeting takes less than a microsecond,
where handing work to a pool of threads takes fifty.

A part that raises an error never comes. Its caller, a ``Crew``, writes to the last row of the board;
``meet`` then returns False to the others, and the kernel must return.
"""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from firth.compute.kernels import give_way, kernel, load_shared, spin, store_shared

__all__ = ["WIDTH", "leave", "left_by", "meet", "share"]

Array = npt.NDArray[Any]

WIDTH = 16
"""Numbers in a row: two cache lines, because processors fetch them in pairs."""
_SPINS = 100
"""How often to look before giving way: a microsecond or two, because the others may need this core."""


@kernel
def share(part: int, n: int, board: Array) -> Any:
    """Begin and end of what belongs to a part when n things are divided."""
    n_parts = len(board) - 1
    return n * part // n_parts, n * (part + 1) // n_parts


@kernel
def leave(first: int, second: int, third: int, part: int, board: Array) -> Any:
    """Leave three numbers for the next meeting.

    Two places take turns: a part that is ahead may already write while others still read.
    """
    at = 1 + 3 * (board[part, 0] & 1)
    board[part, at], board[part, at + 1], board[part, at + 2] = first, second, third


@kernel
def left_by(other: int, part: int, board: Array) -> Any:
    """The three numbers that another part left for the last meeting, for a part that was there."""
    at = 1 + 3 * (1 - (board[part, 0] & 1))
    return board[other, at], board[other, at + 1], board[other, at + 2]


@kernel
def meet(part: int, board: Array) -> Any:
    """Wait until all parts have called this as often; False if they were told to stop."""
    n_parts = len(board) - 1
    number = board[part, 0] + 1
    store_shared(board, part * WIDTH, number)
    for other in range(n_parts):
        spins = 0
        while load_shared(board, other * WIDTH) < number:
            if load_shared(board, n_parts * WIDTH) != 0:
                return False
            spins += 1
            if spins < _SPINS:
                spin()
            else:
                give_way()
    return True
