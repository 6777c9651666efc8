"""Analogies: does vector arithmetic answer "a is to b as c is to ..."?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from firth.compute import Engine
from firth.evaluate._bootstrap import bootstrap
from firth.evaluate._json import score_row, without_nan
from firth.evaluate._questions import Analogies
from firth.formats import Rows
from firth.vectors import AnalogyOption, WordVectors

__all__ = ["AnalogyResult", "CategoryResult", "evaluate_analogies"]


@dataclass(frozen=True)
class CategoryResult:
    """Right answers among the questions of one category."""

    name: str
    n_questions: int
    n_answered: int
    n_right: int

    @property
    def accuracy(self) -> float:
        """The share of right answers among the answered questions."""
        return self.n_right / self.n_answered if self.n_answered else float("nan")

    @property
    def accuracy_over_all(self) -> float:
        """The share of right answers among all questions."""
        return self.n_right / self.n_questions if self.n_questions else float("nan")

    def rows(self) -> Iterator[dict[str, Any]]:
        """One row of a frame."""
        sizes = {"n_questions": self.n_questions, "n_answered": self.n_answered}
        yield {"name": self.name, **sizes, "n_right": self.n_right, "accuracy": self.accuracy}


@dataclass(frozen=True)
class AnalogyResult(CategoryResult):
    """Right answers; a question is answered if all four words have vectors.

    Attributes
    ----------
    categories : list of CategoryResult
        In the order of the file; ``to_frame`` has a row for each.
    interval : tuple of float
        The middle 95 % of ``accuracy`` over bootstrap samples of the answered questions.
    method : str
    """

    categories: Rows[CategoryResult]
    interval: tuple[float, float]
    method: str

    def rows(self) -> Iterator[dict[str, Any]]:
        """One row of a frame; ``categories`` has the parts."""
        sizes = self.n_answered, self.n_questions
        yield score_row(self.name, "analogies", self.accuracy, self.interval, *sizes)

    def to_dict(self) -> dict[str, Any]:
        """The result for JSON; what is not defined is None."""
        categories = [{**asdict(part), **_shares(part)} for part in self.categories]
        found: dict[str, Any] = without_nan({**asdict(self), **_shares(self)})
        return {**found, "categories": without_nan(categories)}


def _shares(result: CategoryResult) -> dict[str, float]:
    return {"accuracy": result.accuracy, "accuracy_over_all": result.accuracy_over_all}


def evaluate_analogies(
    vectors: WordVectors,
    analogies: Analogies,
    method: str = AnalogyOption.method,
    threads: int | Engine | None = None,
) -> AnalogyResult:
    """Answer analogies with the nearest of all words except the three of the question.

    A word is looked up as it is written, then in lower case.
    """
    ids = vectors.find(word for question in analogies.questions for word in question)
    rows = np.array(
        [[-1 if (i := ids[word]) is None else i for word in q] for q in analogies.questions],
        np.int64,
    ).reshape(-1, 4)
    answered = np.all(rows >= 0, axis=1)
    right = np.zeros(len(rows), bool)
    if answered.any():
        asked = rows[answered]
        right[answered] = vectors.answers(asked[:, :3], method, threads) == asked[:, 3]
    numbers = {name: k for k, name in enumerate(dict.fromkeys(analogies.categories))}
    of = np.array([numbers[name] for name in analogies.categories], np.int64)
    tallies = [
        np.bincount(of, weights, len(numbers)) for weights in (np.ones(len(of)), answered, right)
    ]
    categories = Rows(
        CategoryResult(name, *(int(tally[k]) for tally in tallies)) for name, k in numbers.items()
    )
    hits = right[answered].astype(np.float64)
    return AnalogyResult(
        analogies.name,
        len(rows),
        int(answered.sum()),
        int(right.sum()),
        categories,
        bootstrap(len(hits), lambda samples: hits[samples].mean(axis=1)),
        method,
    )
