"""Comparison of two words or two classes, and analogies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Query

from firth import progress
from firth.classes import Context
from firth.explore._requests import MOST, HowMany, NodePath, Opened, Word
from firth.explore._snapshot import Snapshot
from firth.explore.views import words as words_view
from firth.explore.views.classes import ClassName, NodeFacts, class_name, node_facts
from firth.explore.views.words import Near, WordFacts

__all__ = ["exported", "router"]

router = APIRouter(tags=["comparing"])
_LOOKED_AT = 200


@dataclass(frozen=True)
class Between:
    """A neighbour of one or both of two words, with its cosine to each."""

    word: str
    to_a: float
    to_b: float


@dataclass(frozen=True)
class Company:
    """A context word of one or both, with its pointwise mutual information with each."""

    word: str
    a: float | None
    b: float | None


@dataclass(frozen=True)
class TwoWords:
    """A comparison of two words."""

    a: WordFacts
    b: WordFacts
    similarity: float | None
    """The cosine similarity of their vectors."""
    common: ClassName | None
    """The lowest common node of the class tree."""
    near_both: list[Between]
    near_a: list[Between]
    """Words with more than twice the similarity to the first than to the second."""
    near_b: list[Between]
    company: dict[str, list[Company]]
    """Context words by side: those of both, then those of the first only and of the second only."""


@dataclass(frozen=True)
class TwoClasses:
    """A comparison of two nodes of the class tree."""

    a: NodeFacts
    b: NodeFacts
    common: ClassName
    company: dict[str, list[Company]]
    """Context words by side, as for words, from the most distinctive contexts of each."""


@router.get("/compare/words")
def compare_words(snapshot: Opened, a: Word, b: Word, n: HowMany = 12) -> TwoWords:
    """Compare two words: their similarity, neighbours of both or of only one, and context words."""
    first, second = (words_view.word(snapshot, word, n) for word in (a, b))
    similarity = None
    both: list[Between] = []
    near_a: list[Between] = []
    near_b: list[Between] = []
    if all(snapshot.id_in("vectors", word) is not None for word in (a, b)):
        similarity = round(snapshot.vectors.similarity(a, b), 4)
        both, near_a, near_b = _near(snapshot, a, b, n)
    common = None
    if first.word_class is not None and second.word_class is not None:
        shared = _common(snapshot, first.word_class.path, second.word_class.path)
        common = class_name(snapshot, shared)
    of_a, of_b = (
        words_view.sides(snapshot, w, MOST) if snapshot.id_in("counts", w) is not None else {}
        for w in (a, b)
    )
    company = _company(of_a, of_b, n)
    return TwoWords(first, second, similarity, common, both, near_a, near_b, company)


def _company(
    of_a: Mapping[str, Sequence[Context]], of_b: Mapping[str, Sequence[Context]], n: int
) -> dict[str, list[Company]]:
    """The context words of two words or classes, merged for each side."""
    found = {}
    for side in [side for side in of_a if side in of_b]:
        a, b = ({c.word: c.pmi for c in of[side]} for of in (of_a, of_b))
        both = sorted(a.keys() & b.keys(), key=lambda w: (-min(a[w], b[w]), w))[:n]
        alone = [w for w in a if w not in b][: n // 2] + [w for w in b if w not in a][: n // 2]
        found[side] = [Company(w, a.get(w), b.get(w)) for w in [*both, *alone]]
    return found


def _near(snapshot: Snapshot, a: str, b: str, n: int) -> Any:
    """Neighbours of both words (by the lower cosine), and neighbours of only one of them."""
    vectors = snapshot.vectors
    i, j = vectors.id(a), vectors.id(b)
    to_a, to_b = vectors.unit @ vectors.unit[i], vectors.unit @ vectors.unit[j]

    def best(scores: Any) -> list[Between]:
        progress.check_interrupted()
        order = (-scores).argpartition(min(n + 2, len(scores) - 1))[: n + 3]
        order = order[(-scores[order]).argsort(kind="stable")]
        return [
            Between(vectors.vocabulary[k], round(float(to_a[k]), 4), round(float(to_b[k]), 4))
            for k in order.tolist()
            if k not in (i, j) and scores[k] > 0
        ][:n]

    return (
        best(np.minimum(to_a, to_b)),
        best(np.where(to_a > 2 * to_b, to_a, 0)),
        best(np.where(to_b > 2 * to_a, to_b, 0)),
    )


def _common(snapshot: Snapshot, a: str, b: str) -> str:
    """The lowest common ancestor of two nodes."""
    node = a
    while not b.startswith(node) or node not in snapshot.classes.tree.node_of:
        node = node[:-1]
    return node


@router.get("/compare/classes")
def compare_classes(snapshot: Opened, a: NodePath, b: NodePath, n: HowMany = 20) -> TwoClasses:
    """Compare two nodes of the class tree: their words, contexts and lowest common ancestor."""
    first, second = (node_facts(snapshot, path, n) for path in (a, b))
    common = class_name(snapshot, _common(snapshot, first.path, second.path))
    return TwoClasses(first, second, common, _company(first.sides, second.sides, n))


@router.get("/analogy")
def analogy(
    snapshot: Opened,
    a: Word,
    b: Word,
    c: Word,
    n: HowMany = 10,
    method: Annotated[Literal["mul", "add"], Query(description="3CosMul or 3CosAdd.")] = "mul",
) -> list[Near]:
    """The words that complete the analogy: ``a`` is to ``b`` as ``c`` is to the word."""
    found = snapshot.vectors.analogy(a, b, c, n, method)
    return [Near(word, round(score, 4)) for word, score in found]


def exported(snapshot: Snapshot, words: Sequence[str]) -> Iterator[tuple[str, Any]]:  # noqa: ARG001
    """No answers: it is not known in advance what a user will compare."""
    yield from ()
