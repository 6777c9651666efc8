"""Two words or two classes side by side, and analogies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Query

from firth.explore._asking import HowMany, NodePath, Opened, Word
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
    """Words near the first but not near the second."""
    near_b: list[Between]


@dataclass(frozen=True)
class TwoClasses:
    """Two nodes of the tree side by side."""

    a: NodeFacts
    b: NodeFacts
    common: ClassName


@router.get("/compare/words")
def compare_words(edition: Opened, a: Word, b: Word, n: HowMany = 12) -> TwoWords:
    """Two words: how alike they are, what is near both or only one, and their companies."""
    first, second = (words_view.word(edition, word, n) for word in (a, b))
    similarity = None
    near: Any = ([], [], [])
    if all(edition.id_in("vectors", word) is not None for word in (a, b)):
        similarity = round(edition.vectors.similarity(a, b), 4)
        near = _near(edition, a, b, n)
    common = None
    if first.word_class is not None and second.word_class is not None:
        shared = _common(edition, first.word_class.path, second.word_class.path)
        common = class_name(edition, shared)
    return TwoWords(first, second, similarity, common, *near)


def _near(edition: Edition, a: str, b: str, n: int) -> Any:
    """Words near both of two words (by the lower cosine), and words near the one but not the other."""
    vectors = edition.vectors
    i, j = vectors.id(a), vectors.id(b)
    to_a, to_b = vectors.unit @ vectors.unit[i], vectors.unit @ vectors.unit[j]

    def best(scores: Any) -> list[Between]:
        order = (-scores).argpartition(min(n + 2, len(scores) - 1))[: n + 3]
        order = order[(-scores[order]).argsort(kind="stable")]
        return [
            Between(vectors.vocabulary[k], round(float(to_a[k]), 4), round(float(to_b[k]), 4))
            for k in order.tolist()
            if k not in (i, j)
        ][:n]

    return best(np.minimum(to_a, to_b)), best(to_a - to_b.clip(0)), best(to_b - to_a.clip(0))


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
    return TwoClasses(first, second, common)


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
