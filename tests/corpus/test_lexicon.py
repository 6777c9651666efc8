"""The hash table of words: a secret that no text can know, and on which nothing depends."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import firth
from firth.compute import Engine
from firth.compute import kernels as compute
from firth.corpus import Reading, find_sources
from firth.corpus._build import build
from firth.corpus._lexicon import Lexicon
from tests.conftest import zipf_text

SECRETS = [(0, 0, 0, 0), (1, 2, 3, 4), (2**64 - 1,) * 4, (0x9E3779B97F4A7C15, 5, 2**63, 77)]


@pytest.fixture
def with_secret(monkeypatch: pytest.MonkeyPatch) -> Callable[[Iterable[int]], None]:
    """Makes all tables use the same secret."""

    def fix(numbers: Iterable[int]) -> None:
        endless = itertools.cycle(numbers)
        monkeypatch.setattr(compute.secrets, "randbits", lambda _: next(endless))  # type: ignore[attr-defined]

    return fix


def longest_run(table: Any) -> int:
    """How many used rows there are side by side, at most: the steps of the longest search."""
    used = "".join(map(str, (table != 0).astype(int).tolist()))
    return max(map(len, used.split("0")))


def crowding(words: Iterable[bytes]) -> int:
    lexicon = Lexicon()
    found = list(words)
    binary = pa.array(found, pa.large_binary())
    numbers = lexicon.number_words(binary)
    assert numbers.tolist() == list(range(len(found)))  # all different
    assert lexicon.number_words(binary[::-1]).tolist() == numbers.tolist()[::-1]
    return longest_run(lexicon._table[:, 1])


def test_the_same_bytes_for_every_secret(
    text_file: Callable[..., Path], tmp_path: Path, with_secret: Callable[[Iterable[int]], None]
) -> None:
    long = "".join(f"{'x' * (k % 40)}{k % 97} " for k in range(3000))
    path = text_file(zipf_text(300) + long)
    found = []
    for k, numbers in enumerate(SECRETS):
        with_secret(numbers)
        folder = tmp_path / str(k)
        folder.mkdir()
        build(find_sources([path]), Reading(lowercase=bool(k % 2)), folder, Engine(1 + k % 2))
        build(find_sources([path]), Reading(), folder, Engine(1 + k % 2))
        found.append({file.name: file.read_bytes() for file in folder.iterdir()})
    assert all(files == found[0] for files in found)


def test_words_made_for_one_secret_are_harmless_with_another(
    with_secret: Callable[[Iterable[int]], None],
) -> None:
    known = int.from_bytes(b"collides", "little")  # a word that begins so is multiplied by zero
    words = [b"collides" + str(k).encode() for k in range(3000)]
    with_secret((known, 2, 3, 4))
    assert crowding(words) >= 3000
    with_secret(SECRETS[3])
    assert crowding(words) < 100


def test_long_words_cannot_be_made_to_collide() -> None:
    """A multiplication carries the highest bit nowhere, so that two changes of it could cancel out."""
    top, both = bytes(7) + b"\x80", bytes(3) + b"\x80" + bytes(3) + b"\x80"
    plain = (bytes(8), bytes(8))
    words = [
        b"aaaaaaaa" + b"".join(b"".join(pair) for pair in choice) + b"zzzzzzzz"
        for choice in itertools.product((plain, (top, both)), repeat=10)
    ]
    assert crowding(words) < 100


@pytest.mark.parametrize("n", range(1, 40))
def test_words_of_all_lengths(n: int) -> None:
    words = [bytes([a]) * n for a in range(97, 123)] + [b"a" * (n - 1) + b"b"] * (n > 1)
    assert crowding(words) < 27


def test_keys_do_not_crowd_whatever_the_words() -> None:
    assert crowding(str(k).encode() for k in range(10_000)) < 200
    assert crowding(str(k).rjust(30, "0").encode() for k in range(10_000)) < 200
    assert crowding(str(k).ljust(30, "0").encode() for k in range(1, 10_000) if k % 10) < 200


def test_corpora_of_the_default_secret_are_equal(text_file: Callable[..., Path]) -> None:
    path = text_file(zipf_text(100))
    one, other = (firth.Corpus.from_files(path) for _ in range(2))
    np.testing.assert_array_equal(one.ids, other.ids)
    assert list(one.vocabulary) == list(other.vocabulary)
