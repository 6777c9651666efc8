"""Vectors and classes from elsewhere, into a model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from firth import classes as classing
from firth import progress
from firth import vectors as embedding
from firth.classes import Hierarchy
from firth.formats import read_vectors
from firth.model import Model
from firth.pipeline._naming import name_classes
from firth.store import sha256, writing
from firth.vectors import WordVectors

__all__ = ["import_classes", "import_vectors"]


def import_classes(file: str | Path, model: str | Path, format: str | None = None) -> Model:  # noqa: A002
    """Take word classes from a file of wcluster's or ClusterCat's into a model folder.

    Parameters
    ----------
    file : str or Path
    model : str or Path
        The folder to write to. Its classes, if it has any, are replaced.
    format : {"paths", "clustercat"}, optional
        By default as the file itself tells.
    """
    path = Path(file)
    hierarchy = Hierarchy.read(path, format)
    facts = {"n_words": len(hierarchy), "n_classes": hierarchy.n_classes, "rare": None}
    anew = _import(
        "classes", classing.VERSION, path, model, hierarchy.save, facts, dict(hierarchy.made)
    )
    learned = Model(model)
    if hierarchy.names and not learned.names:
        learned = name_classes(model, hierarchy.names)
    learned.changed = ["classes"] * anew
    return learned


def import_vectors(file: str | Path, model: str | Path) -> Model:
    """Take vectors from a file of word2vec's, GloVe's or one of Firth's exports into a model folder.

    Parameters
    ----------
    file : str or Path
    model : str or Path
        The folder to write to. Its vectors, if it has any, are replaced.
    """
    path = Path(file)
    table = read_vectors(path)
    vectors = WordVectors.from_arrays(table.words, table.matrix, table.counts)
    facts = {"n_words": len(vectors), "dim": vectors.dim}
    anew = _import(
        "vectors", embedding.VERSION, path, model, vectors.save, facts, {"imported": True}
    )
    learned = Model(model)
    learned.changed = ["vectors"] * anew
    return learned


def _import(
    name: str, version: int, path: Path, model: str | Path, save: Callable[[Path], None],
    facts: dict[str, Any], parameters: dict[str, Any],
) -> bool:  # fmt: skip
    """Put a part from elsewhere into a model; returns False where it is there already."""
    made_from = {"sources": [{"path": str(path), "sha256": sha256(path)}]}
    with writing(model) as writer:
        old = writer.parts.get(name)
        if old is not None and "imported" not in old.parameters:
            progress.notice(
                f"The {name} that were learned in {writer.path} are replaced by imported ones."
            )
        if writer.is_current(name, version, parameters, made_from):
            return False
        with writer.part(name, version) as draft:
            save(draft.folder)
            draft.facts, draft.parameters, draft.made_from = facts, parameters, made_from
    return True
