"""Compact files of language models."""

from __future__ import annotations

import io
import math
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import firth
from firth.errors import InputError, ParameterError
from firth.lm import CompactModel, LanguageModel
from firth.lm import _table_kernels as kernels
from firth.lm._table_making import _book
from tests.lm.test_table import texts
from tests.lm.test_trees import sentences
from tests.oracles.language_models import slow_book


def written(model: LanguageModel) -> bytes:
    file = io.BytesIO()
    model.write_compact(file)
    return file.getvalue()


def opened(data: bytes, folder: Path, verify: bool = True) -> CompactModel:
    path = folder / "model.firthlm"
    path.write_bytes(data)
    return LanguageModel.open(path, verify)


@pytest.fixture(scope="module")
def model() -> LanguageModel:
    some = [
        [f"word-number-{k}" if k % 3 else f"w{k}" for k in one] for one in sentences(900, 60, 3)
    ]
    return LanguageModel(4, min_count=1).fit(firth.Corpus.from_sentences(some), held_out=0)


@settings(max_examples=40, deadline=None)
@given(texts, texts, st.integers(1, 6), st.integers(1, 2))
def test_few_values_are_exact(
    tmp_path_factory: pytest.TempPathFactory, text: list[list[str]], asked: list[list[str]], order: int, least: int
) -> None:  # fmt: skip
    corpus = firth.Corpus.from_sentences([*text, ["a", "b"], ["a", "b"]])
    model = LanguageModel(order, min_count=least).fit(corpus, held_out=0, threads=1)
    small = opened(written(model), tmp_path_factory.getbasetemp())
    assert small.order == order
    assert [small.log_prob(one) for one in asked] == [model.log_prob(one) for one in asked]
    ours, theirs = small.scores(asked), model.scores(asked)
    assert ours.log_prob.tolist() == theirs.log_prob.tolist()
    assert ours.n_unknown.tolist() == theirs.n_unknown.tolist()
    for one in asked[:3]:
        rows, wanted = small.word_scores(one), model.word_scores(one)
        assert [(row.word, row.known) for row in rows] == [(row.word, row.known) for row in wanted]
        np.testing.assert_allclose([row.log_prob for row in rows], [row.log_prob for row in wanted])


@given(
    st.lists(st.floats(0, 1, width=32) | st.sampled_from([0.5, 0.25, -1.0]), max_size=900),
    st.sampled_from([-1.0, 1.0]),
    st.integers(1, 3),
)
def test_books_have_geometric_means(values: list[float], none: float, times: int) -> None:
    given_ = np.array([x for x in values * times if x >= 0 or x == none], np.float32)
    book, codes = _book(given_, none)
    wanted = slow_book(given_.tolist(), none)
    np.testing.assert_allclose(book[codes], wanted, rtol=1e-6)


def test_many_values_are_near(model: LanguageModel, tmp_path: Path) -> None:
    small = opened(written(model), tmp_path)
    asked = [
        [f"word-number-{k}" if k % 3 else f"w{k}" for k in one] for one in sentences(200, 64, 7)
    ]
    ours, theirs = small.scores(asked), model.scores(asked)
    assert ours.log_prob.tolist() != theirs.log_prob.tolist()
    np.testing.assert_allclose(ours.log_prob, theirs.log_prob, rtol=0.01)
    assert ours.n_unknown.sum() > 0
    corpus = firth.Corpus.from_sentences([one for one in asked if one])
    found, wanted = small.evaluate(corpus), model.evaluate(corpus)
    assert found.perplexity == pytest.approx(wanted.perplexity, rel=0.01)
    assert found.perplexity_known == pytest.approx(wanted.perplexity_known, rel=0.01)
    assert (found.n_words, found.n_unknown) == (wanted.n_words, wanted.n_unknown)
    assert small.perplexity(corpus) == found.perplexity
    assert math.isnan(found.perplexity_spelled)


def test_the_same_bytes(model: LanguageModel) -> None:
    assert written(model) == written(model)


def test_words_are_folded(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("A rose is a rose 12\nÉté x\n", encoding="utf-8")
    corpus = firth.Corpus.from_files(path, tokens="whitespace", lowercase=True, digits="zero")
    small = opened(written(LanguageModel(2, min_count=1).fit(corpus, held_out=0)), tmp_path)
    assert small.log_prob(["ROSE", "34", "E\u0301TÉ"]) == small.log_prob("rose 00 été")
    assert small.scores([["ROSE", "unheard", "\ud800"]]).n_unknown.tolist() == [2]
    with pytest.raises(ParameterError, match="must be a string"):
        small.log_prob(["a", 3])  # type: ignore[list-item]


def test_damaged_files(model: LanguageModel, tmp_path: Path) -> None:
    data = written(model)
    for cut in (0, 5, 8, 100, 256, len(data) - 8, len(data) - 3):
        with pytest.raises(InputError):
            opened(data[:cut], tmp_path, verify=False)
    with pytest.raises(InputError, match="not a compact language model"):
        opened(b"\\data\\\nngram 1=2\n", tmp_path)
    (tmp_path / "news.arpa").write_text("\\data\\\nngram 1=2\n")
    with pytest.raises(InputError) as caught:
        LanguageModel.open(tmp_path / "news.arpa")
    assert caught.value.hint == f"Import it: firth lm import {tmp_path / 'news.arpa'} -o MODEL"
    changed = bytearray(data)
    changed[-5000] ^= 1
    with pytest.raises(InputError, match="checksum is wrong"):
        opened(bytes(changed), tmp_path)
    opened(bytes(changed), tmp_path, verify=False)
    newer = bytearray(data)
    newer[8 * kernels.VERSION] = 9
    with pytest.raises(InputError, match="format, 9, is not known"):
        opened(bytes(newer), tmp_path)
    with pytest.raises(InputError, match="There is no file"):
        LanguageModel.open(tmp_path / "missing.firthlm")


def test_what_is_in_a_file_does_no_harm(model: LanguageModel, tmp_path: Path) -> None:
    """Any numbers in place of the right ones: an error, or some score."""
    data, chance, n_opened = written(model), random.Random(3), 0
    asked = [
        ["w3", "word-number-4", "new", "word-number-5"],
        [],
        ["a-word-that-is-not-known", "w6"],
    ]
    for case in range(300):
        table = np.frombuffer(data, np.uint64).copy()
        for _ in range(chance.randrange(1, 4)):
            where = chance.randrange(kernels.HEADER) if case % 2 else chance.randrange(len(table))
            table[where] = chance.choice(
                [
                    0,
                    1,
                    (1 << 64) - 1,
                    chance.getrandbits(64),
                    int(table[where]) ^ 1 << chance.randrange(64),
                ]
            )
        try:
            small = opened(table.tobytes(), tmp_path, verify=False)
        except InputError:
            continue
        n_opened += 1
        small.scores(asked)
        small.word_scores(asked[0])
    assert 50 < n_opened < 280
