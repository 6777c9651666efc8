"""Understanding contexts."""

from __future__ import annotations

from typing import Any

import pytest

from firth.counts import parse_contexts
from firth.errors import ParameterError


@pytest.mark.parametrize(
    ("text", "offsets", "blocks"),
    [
        ("R1", (1,), 1),
        ("r2", (1, 2), 2),
        ("L2", (-2, -1), 2),
        ("LR1", (-1, 1), 2),
        ("LR2", (-2, -1, 1, 2), 4),
        ("bag2", (-2, -1, 1, 2), 1),
        ("3, -1", (-1, 3), 2),
        ("+1", (1,), 1),
        ([2, -2], (-2, 2), 2),
    ],
)
def test_contexts_are_understood(text: Any, offsets: tuple[int, ...], blocks: int) -> None:
    contexts = parse_contexts(text)
    assert (contexts.offsets, contexts.n_blocks, contexts.scale) == (offsets, blocks, 1)
    assert contexts.weights == (1,) * len(offsets)
    assert parse_contexts(contexts.name).offsets == offsets


@pytest.mark.parametrize(
    "text",
    [
        *("", "R0", "LR", "bag", "0", "1,1", "1,,2", "x", "R9999", "1001", [], [0]),
        *(
            "bag2+",
            "LR2+bag2",
            "bag2+bag3",
            "bag2+LR0",
            "bag2+LR2/0",
            "bag2+LR2/100",
            "LR2/2",
            "bag2+1",
        ),
    ],
)
def test_what_is_no_context_is_refused(text: Any) -> None:
    with pytest.raises(ParameterError, match="must be like R1, LR2, bag5"):
        parse_contexts(text)


def test_a_bag_and_positions_have_blocks_of_their_own() -> None:
    both = parse_contexts("Bag2 + lr1/4", "distance")
    assert both.name == "bag2+LR1/4"
    assert parse_contexts(both.name, "distance") == both
    assert (both.offsets, both.blocks) == ((-2, -1, 1, 2, -1, 1), (0, 0, 0, 0, 1, 2))
    assert (both.weights, both.scale) == ((2, 4, 4, 2, 1, 1), 4)
    assert [both.block_of(offset) for offset in (-2, -1, 1, 2)] == [None, 1, 2, None]
    assert both.block_weights == (12, 1, 1)
    assert not both.bag
    assert both.reach == 2
    assert parse_contexts("bag2+R1/1").name == "bag2+R1"
    with pytest.raises(ParameterError, match=r"bag20\+LR20/97 need too large numbers"):
        parse_contexts("bag20+LR20/97", "distance")


def test_weights_are_whole_numbers() -> None:
    by_distance = parse_contexts("bag4", "distance")
    assert (by_distance.weights, by_distance.scale) == ((3, 4, 6, 12, 12, 6, 4, 3), 12)
    dynamic = parse_contexts("bag4", "dynamic")
    assert (dynamic.weights, dynamic.scale) == ((1, 2, 3, 4, 4, 3, 2, 1), 4)
    with pytest.raises(ParameterError, match="contexts of 20 positions. Got 21"):
        parse_contexts("bag21", "distance")
    with pytest.raises(ParameterError, match="'weights' parameter"):
        parse_contexts("bag2", "heavy")
