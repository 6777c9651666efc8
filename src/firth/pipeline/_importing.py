"""Import word vectors and word classes of other programs into a model."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from firth import progress
from firth.classes import Hierarchy
from firth.formats import read_vectors
from firth.model import Model
from firth.parts import PARTS
from firth.pipeline._carrying import names_kept
from firth.pipeline._making import file_identity, made, make_part, saved
from firth.pipeline._naming import name_classes
from firth.store import Writer, writing
from firth.vectors import WordVectors

__all__ = ["import_classes", "import_part", "import_vectors"]


def import_classes(file: str | Path, model: str | Path, format: str | None = None) -> Model:  # noqa: A002
    """Import word classes from a file of wcluster or ClusterCat.

    Parameters
    ----------
    file : str or Path
    model : str or Path
        The folder to write to. Its classes, if it has any, are replaced.
    format : {"paths", "clustercat"}, optional
        Detected by default.
    """
    hierarchy = Hierarchy.read(Path(file), format)
    with writing(model) as writer:
        anew = import_part(writer, "classes", Path(file), lambda: hierarchy, dict(hierarchy.made))
    if hierarchy.names and not Model(model).names:
        name_classes(model, hierarchy.names)
    return made(model, {"classes": anew})


def import_vectors(file: str | Path, model: str | Path) -> Model:
    """Import vectors from a file of word2vec, GloVe or Firth.

    Parameters
    ----------
    file : str or Path
    model : str or Path
        The folder to write to. Its vectors, if it has any, are replaced.
    """
    table = read_vectors(Path(file))
    with writing(model) as writer:
        vectors = WordVectors.from_arrays(table.words, table.matrix, table.counts)
        anew = import_part(writer, "vectors", Path(file), lambda: vectors, {"imported": True})
    return made(model, {"vectors": anew})


def import_part(
    writer: Writer, name: str, path: Path, read: Callable[[], Any], parameters: dict[str, Any]
) -> bool:
    """Add what ``read`` returns to a model as a part; returns False if that was done before."""
    old, kind = writer.parts.get(name), PARTS[name]
    if old is not None and "imported" not in old.parameters:
        progress.notice(f"The trained {kind.title} of {writer.path} will be replaced.")
    made_from = {"sources": [file_identity(path)]}
    with names_kept(writer, name) if kind.names else nullcontext():
        return make_part(writer, name, parameters, made_from, lambda folder: saved(read(), folder))
