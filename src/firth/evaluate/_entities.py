"""Named entities compared with a gold standard."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import eq
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import InputError
from firth.evaluate._bootstrap import bootstrap
from firth.formats import Backend, Entity, Rows, entities

__all__ = ["EntityResult", "EntityRow", "evaluate_entities"]

Sequences = Sequence[Sequence[str]]


@dataclass(frozen=True)
class EntityRow:
    """Scores of one entity type: numbers of gold, found and correct entities.

    A score that would be a division by zero is 0.
    """

    type: str
    n_gold: int
    n_found: int
    n_right: int

    @property
    def precision(self) -> float:
        """The share of correct entities among those found."""
        return self.n_right / self.n_found if self.n_found else 0.0

    @property
    def recall(self) -> float:
        """The share of gold entities that were found."""
        return self.n_right / self.n_gold if self.n_gold else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        precision, recall = self.precision, self.recall
        return 2 * precision * recall / (precision + recall) if self.n_right else 0.0

    def rows(self) -> Iterator[dict[str, Any]]:
        """The scores as one row."""
        yield self.to_dict()

    def to_dict(self) -> dict[str, Any]:
        """The scores by name, for JSON."""
        names = ("type", "n_gold", "n_found", "n_right", "precision", "recall", "f1")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class EntityResult:
    """Scores of named-entity recognition.

    Attributes
    ----------
    rows : tuple of EntityRow
        One for each type, in alphabetical order.
    overall : EntityRow
        All types together (the micro-average).
    accuracy : float
        The share of words with the same label, including its prefix; only meaningful if both sides are
        in the same scheme.
    interval : tuple of float
        The 95 % interval of the overall F1, from bootstrap samples of the sentences; NaN for fewer than
        ten sentences.
    n_sentences, n_words : int
    """

    rows: tuple[EntityRow, ...]
    overall: EntityRow
    accuracy: float
    interval: tuple[float, float]
    n_sentences: int
    n_words: int

    def to_frame(self, backend: Backend = "pandas") -> Any:
        """A row for each type, then one for all; ``backend`` as for other results."""
        return Rows([*self.rows, self.overall], EntityRow).to_frame(backend)

    def to_dict(self) -> dict[str, Any]:
        """The scores by name, for JSON."""
        return {
            "types": [row.to_dict() for row in self.rows],
            "overall": self.overall.to_dict(),
            "accuracy": self.accuracy,
            "interval": None if np.isnan(self.interval[0]) else list(self.interval),
            "n_sentences": self.n_sentences,
            "n_words": self.n_words,
        }


def evaluate_entities(gold: Sequences, found: Sequences) -> EntityResult:
    """Compare named entities that were found with a gold standard.

    An entity is correct if its first word, its last word and its type are. Labels are read as by
    ``conlleval``, the script of the CoNLL shared tasks (Tjong Kim Sang), so for IOB1 and IOB2 the scores
    are its scores, and those of ``seqeval`` by default: an entity starts with ``B-``, after ``O``, and
    wherever the type changes. In IOBES and BILOU, an entity also starts with ``S-`` or ``U-``, and ends
    after these, ``E-`` and ``L-``. The two sides can be in different schemes.

    Parameters
    ----------
    gold : sequence of sequences of str
        The gold labels of each sentence.
    found : sequence of sequences of str
        The predicted labels of the same words.

    Raises
    ------
    InputError
        There are no words, the numbers of labels differ, or a label is invalid.

    Examples
    --------
    >>> result = evaluate_entities([["B-PER", "I-PER", "O", "B-LOC"]], [["B-PER", "O", "O", "B-LOC"]])
    >>> [(row.type, row.n_gold, row.n_found, row.n_right) for row in result.rows]
    [('LOC', 1, 1, 1), ('PER', 1, 1, 0)]
    >>> result.overall.f1, result.accuracy
    (0.5, 0.75)
    """
    n_words = _check_lengths(gold, found)
    n_same = 0
    of_types: tuple[Counter[str], ...] = Counter(), Counter(), Counter()
    of_sentences = np.zeros((3, len(gold)), np.int64)
    for k, (labels, guesses) in enumerate(zip(gold, found, strict=True)):
        n_same += sum(map(eq, labels, guesses))
        there = _entities(labels, "gold", k)
        guessed = _entities(guesses, "found", k)
        if there or guessed:
            groups = there, guessed, there & guessed
            for group, counts in zip(groups, of_types, strict=True):
                counts.update(entity.type for entity in group)
            of_sentences[:, k] = [len(group) for group in groups]
    types = sorted(of_types[0].keys() | of_types[1].keys())
    return EntityResult(
        tuple(EntityRow(name, *(counts[name] for counts in of_types)) for name in types),
        EntityRow("all", *map(int, of_sentences.sum(axis=1))),
        n_same / n_words,
        bootstrap(len(gold), lambda samples: _f1(of_sentences[:, samples].sum(axis=2))),
        len(gold),
        n_words,
    )


def _check_lengths(gold: Sequences, found: Sequences) -> int:
    """The number of words; raises InputError unless both sides have the same sentences."""
    if len(gold) != len(found):
        raise InputError(
            f"There are {len(gold):,} sentences with gold labels and {len(found):,} with found ones.",
            "Each sentence needs both.",
        )
    for k, (labels, guesses) in enumerate(zip(gold, found, strict=True), 1):
        if len(labels) != len(guesses):
            raise InputError(
                f"Sentence {k:,} has {len(labels)} gold labels and {len(guesses)} found ones.",
                "Each word needs one of each.",
            )
    n_words = sum(map(len, gold))
    if not n_words:
        raise InputError("There are no words to compare.")
    return n_words


def _entities(labels: Sequence[str], side: str, k: int) -> set[Entity]:
    try:
        return set(entities(labels))
    except InputError as error:
        where = f"Sentence {k + 1:,} of the {side} labels"
        raise InputError(f"{where}: {error.message}", error.hint) from None


def _f1(counts: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """F1 from rows of the numbers of gold, found and correct entities."""
    there, guessed, right = counts
    figures: npt.NDArray[np.float64] = 2 * right / np.maximum(there + guessed, 1)
    return figures
