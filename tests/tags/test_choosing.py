"""Settings that are chosen for a text."""

from __future__ import annotations

import io
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import firth
from firth.compute import Engine
from firth.errors import InputError
from firth.evaluate import matching
from firth.progress import show_progress
from firth.tags import AnchorTagger, ContextCounts
from firth.tags import _choosing as choosing
from firth.tags._parameters import AnchorParameters
from firth.tags._spelling import SpellingGroups
from tests.tags.samples import mixed_text

HOW = AnchorParameters(n_tags=4, choose=True)


@pytest.fixture(scope="module")
def corpus() -> firth.Corpus:
    return firth.Corpus.from_sentences(mixed_text(60, seed=3))


@pytest.fixture(scope="module")
def contexts(corpus: firth.Corpus) -> ContextCounts:
    return ContextCounts.of(corpus, "LR1", None, "1G", Engine(1))


def few(monkeypatch: pytest.MonkeyPatch, candidates: tuple[int, ...] = (12, 20)) -> None:
    """Fewer settings, so that it is quick."""
    monkeypatch.setattr(choosing, "SHARING", (0.0, 1.0))
    monkeypatch.setattr(choosing, "CANDIDATES", candidates)


@pytest.mark.slow
def test_the_most_stable_setting_is_chosen(
    contexts: ContextCounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    few(monkeypatch)
    group = SpellingGroups.learn(contexts.words)[1]
    chosen = choosing.choose(contexts, HOW, group, Engine(1))
    rng = np.random.default_rng(HOW.seed)
    halves = [contexts.halves(rng) for _ in range(3)]
    stable = {
        setting: choosing.stability(
            contexts, halves,
            replace(
                HOW, spelling=setting[0][0], spelling_in=setting[0][1], sharing=setting[1],
                candidates=setting[2],
            ), group, Engine(1),
        )
        for setting in product(choosing.SPELLING, (0.0, 1.0), (12, 20))
    }  # fmt: skip
    assert len(set(stable.values())) > 1, "or there is nothing to choose"
    spelling = chosen.spelling, chosen.spelling_in
    assert stable[spelling, chosen.sharing, chosen.candidates] == max(stable.values())
    assert all(0 <= value <= 1 for value in stable.values())
    same = replace(
        chosen, spelling=0.0, spelling_in="rows", sharing=1.0, candidates=300, choose=True
    )
    assert same.parameters() == HOW.parameters()
    again = choosing.choose(contexts, HOW, group, Engine(2))
    assert again.parameters() == chosen.parameters(), "the same each time"


@pytest.mark.parametrize("seed", range(5))
def test_agreement_is_the_v_measure_of_tokens(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, m = 12, int(rng.integers(1, 5))
    a, b, counts = rng.integers(0, m, n), rng.integers(0, m, n), rng.integers(1, 9, n)
    found = choosing._agreement(a, b, counts.astype(float), m)
    tokens = [list(map(str, np.repeat(tags, counts))) for tags in (a, b)]
    assert found == pytest.approx(matching(*tokens).v_measure, abs=1e-12)
    assert choosing._agreement(a, a, counts.astype(float), m) == pytest.approx(1)


def test_what_was_chosen_is_told(corpus: firth.Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    few(monkeypatch)
    tagger = AnchorTagger(4, choose=True, threads=1).fit(corpus)
    chosen = tagger.facts_["chosen"]
    assert set(chosen) == {"spelling", "spelling_in", "sharing", "candidates"}
    said = AnchorTagger(4, **chosen, threads=1).fit(corpus)
    assert "chosen" not in said.facts_
    assert np.array_equal(said.hmm_.emission, tagger.hmm_.emission)


def test_settings_with_too_few_candidates_are_passed_over(
    corpus: firth.Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    few(monkeypatch, (2, 3, 20))
    assert AnchorTagger(4, choose=True).fit(corpus).facts_["chosen"]["candidates"] == 20
    few(monkeypatch, (2, 3))
    chosen = AnchorTagger(4, choose=True).fit(corpus).facts_["chosen"]
    first = {"spelling": 0.0, "spelling_in": "rows", "sharing": 1.0, "candidates": 300}
    assert chosen == first, "nothing to choose from"
    with pytest.raises(InputError, match="100 tags need 100 anchors, but there are only 20 words"):
        AnchorTagger(100, choose=True).fit(corpus)


def test_settings_without_enough_anchors_are_passed_over(
    corpus: firth.Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    few(monkeypatch, (4, 20))
    with pytest.raises(InputError, match="anchors"):
        AnchorTagger(4, candidates=4, sharing=0.0).fit(corpus)
    chosen = AnchorTagger(4, choose=True).fit(corpus).facts_["chosen"]
    AnchorTagger(4, **chosen).fit(corpus)
    few(monkeypatch, (4,))
    monkeypatch.setattr(choosing, "SHARING", (0.0,))
    monkeypatch.setattr(choosing, "SPELLING", ((0.0, "rows"),))
    with pytest.raises(InputError, match="anchors"):
        AnchorTagger(4, choose=True).fit(corpus)


def test_choosing_is_one_stage(corpus: firth.Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    few(monkeypatch)
    stream = io.StringIO()
    with show_progress(stream):
        AnchorTagger(4, choose=True).fit(corpus)
    lines = stream.getvalue().splitlines()
    assert sum(line.startswith("choosing settings: done in") for line in lines) == 1
    assert sum(line.startswith("singular values") for line in lines) <= 1
