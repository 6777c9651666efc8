"""Answers to many analogies on a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute import Device

__all__ = ["answers_on"]

_WORDS_AT_ONCE, _QUESTIONS_AT_ONCE = 1 << 16, 1 << 11

Ids = npt.NDArray[np.int64]
Tensor = Any


def answers_on(
    device: Device, unit: npt.NDArray[np.float32], questions: Ids, method: str, epsilon: float
) -> Ids:
    """The best answer to each question; see ``best_answers``."""
    hint = "Use fewer words: restrict(50_000) keeps the most frequent ones."
    with device.within_memory(f"{len(unit):,} vectors", hint, unit.nbytes):
        return _answers_on(device, unit, questions, method, epsilon, hint)


def _answers_on(
    device: Device, unit: npt.NDArray[np.float32], questions: Ids, method: str, epsilon: float, hint: str
) -> Ids:  # fmt: skip
    asked, places = np.unique(questions, return_inverse=True)
    places = places.reshape(questions.shape)
    there, vectors = device.put(unit), device.put(unit[asked])
    rows, words = device.put(places), device.put(questions)
    top = device.torch.full((len(questions),), -np.inf, device=device.where)
    found = device.torch.full((len(questions),), -1, device=device.where, dtype=device.torch.int64)

    def answer(a: int, b: int) -> None:
        toward = vectors @ there[a:b].T
        away = -toward
        if method == "mul":
            toward = (1 + toward) / 2
            away = 1 / (toward + epsilon)
        ids = device.torch.arange(a, b, device=device.where)
        for q in range(0, len(questions), _QUESTIONS_AT_ONCE):
            here = slice(q, q + _QUESTIONS_AT_ONCE)
            of_a, of_b, of_c = rows[here].T
            if method == "mul":
                total = (toward[of_b] * toward[of_c]).mul_(away[of_a])
            else:
                total = (toward[of_b] + toward[of_c]).add_(away[of_a])
            for one in words[here].T:  # the words of a question cannot be its answer
                total.masked_fill_(one[:, None] == ids, -np.inf)
            best = total.amax(dim=1)
            first = device.torch.where(total == best[:, None], ids, len(unit)).amin(dim=1)
            answers = device.torch.where(best > top[here], first, found[here])
            best = best.maximum(top[here])
            top[here], found[here] = best, answers  # both, also if memory is full

    with device.products("exact"):
        for _ in device.blocks(len(unit), _WORDS_AT_ONCE, answer, "a column of cosines", hint):
            pass
    return device.get(found)
