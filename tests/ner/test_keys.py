"""The hash table of features: a secret that no text and no model can know, and on which nothing depends."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firth.compute import kernels as compute
from firth.ner import EntityTagger
from firth.ner._weights import FinishedWeights, Weights

TEXT = [
    [
        (["Anna", "Berg", "lives", "in", town], ["B-PER", "I-PER", "O", "O", "B-LOC"]),
        (["She", verb, "there"], ["O", "O", "O"]),
    ]
    for town in ("Oslo", "Rome", "Lima")
    for verb in ("is", "was")
]


def longest_run(slots: Any) -> int:
    used = "".join(map(str, (slots != 0).astype(int).tolist()))
    return max(map(len, used.split("0")))


@pytest.mark.parametrize("shift", [0, 20, 40])
def test_keys_that_agree_in_some_bits_are_spread(shift: int) -> None:
    keys = np.arange(1, 5001, dtype=np.uint64) << np.uint64(shift)
    finished = FinishedWeights(
        keys, np.zeros((5000, 3), np.float32), np.zeros((5, 3, 0), np.float32)
    )
    assert finished.rows(keys).tolist() == list(range(5000))
    assert finished.rows(keys + np.uint64(1) + keys[-1]).tolist() == [-1] * 5000
    assert longest_run(finished.table.slots) < 60
    growing = Weights(3, 0)
    assert growing.add(keys).tolist() == list(range(5000))
    assert longest_run(growing.table.slots) < 100


def test_the_same_bytes_for_every_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for k, numbers in enumerate([(0, 0), (1, 2), (2**64 - 1, 3), (0x9E3779B97F4A7C15, 2**63 + 5)]):
        endless = itertools.cycle(numbers)
        monkeypatch.setattr(compute.secrets, "randbits", lambda _, them=endless: next(them))  # type: ignore[attr-defined]
        folder = tmp_path / str(k)
        folder.mkdir()
        EntityTagger(rounds=3).fit(TEXT).save(folder)
        found.append({file.name: file.read_bytes() for file in folder.iterdir()})
    assert found[0]
    assert all(files == found[0] for files in found)
