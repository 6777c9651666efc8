"""A grammar in a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from firth import progress
from firth.errors import InputError
from firth.model import Model
from firth.parts import PARTS
from firth.store import Writer, sha256
from firth.trees import Tree, read_trees

__all__ = ["learn_grammar"]

_EVERY = 100
"""After so many trees progress is told."""


def learn_grammar(
    writer: Writer, files: Sequence[Path], options: Mapping[str, Any], using: Model | None = None
) -> bool:
    """Learn a grammar from files of trees; returns False where that was done before.

    ``options`` are parameters of ``LPCFG``; ``using`` is a model whose classes tell of rare words what they are like.
    """
    from firth.grammar import LPCFG  # late: it needs compiled kernels

    grammar = LPCFG(**options)
    made_from: dict[str, Any] = {
        "trees": [{"path": str(path), "sha256": sha256(path)} for path in files]
    }
    if using is not None:
        made_from["using"] = {"classes": using.parts["classes"].content}
    how = grammar.parameters()
    if writer.is_current("grammar", PARTS["grammar"].version, how, made_from):
        return False
    with writer.part("grammar", PARTS["grammar"].version) as draft:
        trees = list(_trees(files))
        grammar.fit(trees, None if using is None else _classes(using))
        grammar.save(draft.folder)
        draft.facts, draft.parameters, draft.made_from = grammar.describe(), how, made_from
    return True


def _trees(files: Sequence[Path]) -> Iterator[Tree]:
    with progress.stage("reading trees", unit="trees", brief=1.0) as stage:
        for path in files:
            number = 0
            for number, tree in enumerate(read_trees(path), 1):
                yield tree
                if number % _EVERY == 0:
                    stage.advance(_EVERY)
            if not number:
                raise InputError(
                    f"{path} has no trees in it.",
                    "A tree is written as (S (NP (N cats)) (VP (V sleep))).",
                )


def _classes(model: Model) -> dict[str, str]:
    """The path of the class of each word."""
    classes = model.classes
    paths = classes.paths
    return {
        word: paths[c]
        for word, c in zip(classes.vocabulary, classes.class_of.tolist(), strict=True)
    }
