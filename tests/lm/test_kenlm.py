"""KenLM, where it is installed, gives sentences the scores that we give them."""

from __future__ import annotations

import io
import math
from pathlib import Path

import numpy as np
import pytest

import firth
from firth.lm import Event, LanguageModel, Text
from firth.lm._arpa import read_arpa
from firth.lm._mixture import class_rows
from tests.lm.test_trees import sentences

kenlm = pytest.importorskip("kenlm")


@pytest.mark.parametrize("order", [2, 3, 5])  # KenLM reads no models of single words
@pytest.mark.parametrize("n", [20, 300])
def test_kenlm_scores_sentences_as_we_do(order: int, n: int, tmp_path: Path) -> None:
    some = [[f"w{k}" for k in one] for one in sentences(n, 30, n) if one]
    corpus = firth.Corpus.from_sentences(some)
    model = LanguageModel(order, min_count=2).fit(corpus, held_out=0)
    path = tmp_path / "model.arpa"
    with path.open("w", encoding="utf-8") as file:
        model.write_arpa(file)
    quiet = kenlm.Config()
    quiet.show_progress = False
    other = kenlm.Model(str(path), quiet)
    assert other.order == order
    asked = [[f"w{k}" for k in one] for one in sentences(200, 34, 99)]
    theirs = [other.score(" ".join(one)) for one in asked]
    ours = np.asarray(model.scores(asked).log_prob) / math.log(10)
    np.testing.assert_allclose(ours, theirs, atol=1e-4)
    unknown = [
        sum(is_unknown for _, _, is_unknown in other.full_scores(" ".join(one))) for one in asked
    ]
    assert sum(unknown) > 0  # so that these are compared, too


def test_what_is_read_again_is_what_kenlm_reads(tmp_path: Path) -> None:
    some = [[f"w{k}" for k in one] for one in sentences(100, 12, 5) if one]
    file = io.StringIO()
    LanguageModel(3, min_count=1).fit(firth.Corpus.from_sentences(some), held_out=0).write_arpa(
        file
    )
    path = tmp_path / "model.arpa"
    path.write_text(file.getvalue(), encoding="utf-8")
    quiet = kenlm.Config()
    quiet.show_progress = False
    other = kenlm.Model(str(path), quiet)
    tree, words, _ = read_arpa(file.getvalue().splitlines(True))
    number = {word: k for k, word in enumerate(words)}
    event, n = Event(0, None, ((0, 1), (0, 2))), len(words)
    for one in some[:40]:
        symbols = np.array([n + 1, *(number[word] for word in one), n + 2], np.int32)
        p = np.ones(len(symbols))
        text = Text(symbols, np.arange(len(symbols), dtype=np.int32))
        tree.multiply(event, text, class_rows(n, []), p)
        told = [log10 for log10, _, _ in other.full_scores(" ".join(one))]
        np.testing.assert_allclose(np.log10(p[1:]), told, atol=1e-5)
