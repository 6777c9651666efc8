"""Measures of association, compared with tables worked out by hand, with SciPy and with NLTK."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import firth
from firth.counts import MEASURES, association

CELLS = st.tuples(*[st.integers(1, 200)] * 3, st.integers(1, 10_000))
"""Together, only the one, only the other, and neither."""


def measured(name: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    return association(
        name, np.array([float(a)]), a + b, np.array([float(a + c)]), a + b + c + d
    ).item()


def expected(name: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """From the four cells of the table."""
    n, r, column = a + b + c + d, a + b, a + c
    e = r * column / n
    if name == "fisher":
        return -math.log10(stats.fisher_exact([[a, b], [c, d]], alternative="greater").pvalue)
    if name in ("g2", "chi2"):
        how = "log-likelihood" if name == "g2" else "pearson"
        table = [[a, b], [c, d]]
        value = stats.chi2_contingency(table, correction=False, lambda_=how).statistic
        return math.copysign(value, a - e)
    return {
        "pmi": math.log2(a / e), "npmi": math.log2(a / e) / -math.log2(a / n), "mi3": math.log2(a**3 / e),
        "t": (a - e) / math.sqrt(a), "z": (a - e) / math.sqrt(e), "dice": 2 * a / (r + column),
        "logdice": 14 + math.log2(2 * a / (r + column)),
    }[name]  # fmt: skip


@pytest.mark.parametrize("name", MEASURES)
@given(CELLS)
def test_measures_follow_their_formulas(name: Any, cells: Any) -> None:
    assert measured(name, *cells) == pytest.approx(expected(name, *cells), rel=1e-6, abs=1e-6)


def test_measures_are_those_of_a_textbook() -> None:
    """ "new companies" in Manning and Schütze (1999), chapter 5: t = 1.00 and chi-squared = 1.55."""
    cells = 8, 15_820, 4_667, 14_287_173
    assert measured("t", *cells) == pytest.approx(0.999932, abs=1e-5)
    assert measured("chi2", *cells) == pytest.approx(1.55, abs=0.005)


def test_measures_agree_with_nltk() -> None:
    nltk = pytest.importorskip("nltk")
    of = nltk.collocations.BigramAssocMeasures
    a, b, c, d = 30, 170, 70, 9730
    marginals = a, (a + b, a + c), a + b + c + d
    for name, theirs in (
        ("pmi", of.pmi), ("t", of.student_t), ("chi2", of.chi_sq), ("dice", of.dice), ("g2", of.likelihood_ratio),
    ):  # fmt: skip
        assert measured(name, a, b, c, d) == pytest.approx(theirs(*marginals), rel=1e-6), name


def test_fishers_test_of_many_contexts_at_once() -> None:
    """Far from chance and near it, with probabilities that are too small for a double."""
    chance = np.random.default_rng(1)
    r, n = 40_000, 5_000_000
    c = chance.integers(1, 200_000, 300)
    o = np.minimum(
        c, np.round(c * r / n * chance.uniform(0.7, 1.6, 300)) + chance.integers(0, 5, 300)
    )
    o[:3] = np.minimum(c[:3], r)
    log_p = stats.hypergeom.logsf(o - 1, n, r, c)
    assert log_p.min() < -2_000
    found = association("fisher", o.astype(float), r, c.astype(float), n)
    np.testing.assert_allclose(found, np.maximum(-log_p / math.log(10), 0), rtol=1e-6, atol=1e-6)


def test_contexts_are_sorted_by_the_measure() -> None:
    text = (
        [["strong", "tea"]] * 12
        + [["strong", "man"]] * 30
        + [["a", "man"]] * 200
        + [["hot", "tea"]] * 9
    )
    counts = firth.count(firth.Corpus.from_sentences(text), "LR1", 1)
    order = {m: [c.word for c in counts.collocates("strong", 1, 5, m)] for m in MEASURES}
    assert order["pmi"] == ["tea"]  # man is less frequent after strong than by chance
    rows, columns = counts.rows, counts.columns
    found = counts.collocates("tea", -1, 5, "g2")
    word, block = counts.vocabulary.id("tea"), counts.contexts.offsets.index(-1)
    for collocate in found:
        column = counts.vocabulary.id(collocate.word) + block * counts.n_rows
        total = columns[block * counts.n_rows : (block + 1) * counts.n_rows].sum()
        cells = collocate.count, rows[word, block], columns[column], total
        a, r, c, n = map(int, cells)
        assert collocate.score == pytest.approx(
            expected("g2", a, r - a, c - a, n - r - c + a), rel=1e-6
        )
    scores = [collocate.score for collocate in found]
    assert scores == sorted(scores, reverse=True)
    with pytest.raises(firth.ParameterError, match="measure"):
        counts.collocates("tea", measure="loglikelihood")
