"""Two words or two classes side by side, and analogies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Query

from firth.classes import Context
from firth.explore._asking import MOST, HowMany, NodePath, Opened, Word
from firth.explore._edition import Edition
from firth.explore.views import words as words_view
from firth.explore.views.classes import ClassName, NodeFacts, class_name, node_facts
from firth.explore.views.words import Near, WordFacts

__all__ = ["exported", "router"]

router = APIRouter(tags=["comparing"])
_LOOKED_AT = 200


@dataclass(frozen=True)
class Between:
    """A word near one or both of two others, with its cosine to each."""

    word: str
    to_a: float
    to_b: float


@dataclass(frozen=True)
class Company:
    """A word beside one or both of two others, with its pointwise mutual information with each."""

    word: str
    a: float | None
    b: float | None


@dataclass(frozen=True)
class TwoWords:
    """Two words side by side."""

    a: WordFacts
    b: WordFacts
    similarity: float | None
    """The cosine of their vectors."""
    common: ClassName | None
    """The lowest node of the tree that holds both."""
    near_both: list[Between]
    near_a: list[Between]
    """Words more than twice as near to the first as to the second."""
    near_b: list[Between]
    company: dict[str, list[Company]]
    """By side, the contexts of both first, then those of the first alone and of the second alone."""


@dataclass(frozen=True)
class TwoClasses:
    """Two nodes of the tree side by side."""

    a: NodeFacts
    b: NodeFacts
    common: ClassName
    company: dict[str, list[Company]]
    """As of words, from the dozen contexts that tell most about each."""


@router.get("/compare/words")
def compare_words(edition: Opened, a: Word, b: Word, n: HowMany = 12) -> TwoWords:
    """Two words: how alike they are, what is near both or only one, and their companies."""
    first, second = (words_view.word(edition, word, n) for word in (a, b))
    similarity = None
    both: list[Between] = []
    near_a: list[Between] = []
    near_b: list[Between] = []
    if all(edition.id_in("vectors", word) is not None for word in (a, b)):
        similarity = round(edition.vectors.similarity(a, b), 4)
        both, near_a, near_b = _near(edition, a, b, n)
    common = None
    if first.word_class is not None and second.word_class is not None:
        shared = _common(edition, first.word_class.path, second.word_class.path)
        common = class_name(edition, shared)
    of_a, of_b = (
        words_view.sides(edition, w, MOST) if edition.id_in("counts", w) is not None else {}
        for w in (a, b)
    )
    company = _company(of_a, of_b, n)
    return TwoWords(first, second, similarity, common, both, near_a, near_b, company)


def _company(
    of_a: Mapping[str, list[Context]], of_b: Mapping[str, list[Context]], n: int
) -> dict[str, list[Company]]:
    """The contexts of two words or classes in one list for each side."""
    found = {}
    for side in [side for side in of_a if side in of_b]:
        a, b = ({c.word: c.pmi for c in of[side]} for of in (of_a, of_b))
        both = sorted(a.keys() & b.keys(), key=lambda w: (-min(a[w], b[w]), w))[:n]
        alone = [w for w in a if w not in b][: n // 2] + [w for w in b if w not in a][: n // 2]
        found[side] = [Company(w, a.get(w), b.get(w)) for w in [*both, *alone]]
    return found


def _near(edition: Edition, a: str, b: str, n: int) -> Any:
    """Words near both of two words (by the lower cosine), and words more than twice as near to one."""
    vectors = edition.vectors
    i, j = vectors.id(a), vectors.id(b)
    to_a, to_b = vectors.unit @ vectors.unit[i], vectors.unit @ vectors.unit[j]

    def best(scores: Any) -> list[Between]:
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


def _common(edition: Edition, a: str, b: str) -> str:
    """The lowest node above two nodes."""
    node = a
    while not b.startswith(node) or node not in edition.classes.tree.node_of:
        node = node[:-1]
    return node


@router.get("/compare/classes")
def compare_classes(edition: Opened, a: NodePath, b: NodePath, n: HowMany = 20) -> TwoClasses:
    """Two nodes of the tree: their words, their contexts, and where their ways part."""
    first, second = (node_facts(edition, path, n) for path in (a, b))
    common = class_name(edition, _common(edition, first.path, second.path))
    return TwoClasses(first, second, common, _company(first.sides, second.sides, n))


@router.get("/analogy")
def analogy(
    edition: Opened,
    a: Word,
    b: Word,
    c: Word,
    n: HowMany = 10,
    method: Annotated[Literal["mul", "add"], Query(description="3CosMul or 3CosAdd.")] = "mul",
) -> list[Near]:
    """Words that are to ``c`` as ``b`` is to ``a``."""
    found = edition.vectors.analogy(a, b, c, n, method)
    return [Near(word, round(score, 4)) for word, score in found]


def exported(edition: Edition, words: Sequence[str]) -> Iterator[tuple[str, Any]]:  # noqa: ARG001
    """Nothing: what is compared is not known beforehand."""
    yield from ()
