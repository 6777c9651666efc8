"""A language model in a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from firth import progress
from firth.classes import ClassesParameters, Hierarchy
from firth.compute import Engine
from firth.corpus import Corpus
from firth.counts import CountsParameters
from firth.errors import InputError, ModelError, ParameterError
from firth.formats import text_lines
from firth.model import Model
from firth.parts import PARTS
from firth.pipeline._classes import make_classes
from firth.pipeline._making import opened, part_of
from firth.store import Writer, sha256, writing

__all__ = ["import_lm", "learn_lm", "learn_lm_classes"]

_SHARE = 4
"""Where nothing is said, a tree is used whole, and once more cut to so small a share of its classes."""


def learn_lm(
    writer: Writer, options: Mapping[str, Any], held_out: float | Path = 0.05, sizes: Sequence[int] | None = None,
    using: Sequence[Model | Path] | None = None,
) -> bool:  # fmt: skip
    """Learn a language model from the corpus of a model; returns False where that was done before.

    Parameters
    ----------
    writer : Writer
    options : mapping
        Parameters of ``LanguageModel``.
    held_out : float or Path
        The share of sentences that weights are learned from, or a file of text.
    sizes : sequence of int, optional
        The numbers of classes that each tree is cut to; by default all classes, and a quarter of them.
    using : sequence of Model or Path, optional
        Models, or files, whose classes are used; by default those of the model itself, if it has any. None where empty.
    """
    from firth.lm import LanguageModel  # late: it needs compiled kernels

    part = part_of(writer, "corpus")
    made_from: dict[str, Any] = {"corpus": part.content}
    if using is None:
        if "classes" in writer.parts:
            made_from["classes"] = writer.parts["classes"].content
    elif using:
        made_from["using"] = [_origin(source) for source in using]
    if isinstance(held_out, Path):
        made_from["held_out"] = {"path": str(held_out), "sha256": sha256(held_out)}
    model = LanguageModel(**options)
    how = {
        **model.parameters(), "sizes": None if sizes is None else list(sizes),
        "held_out": None if isinstance(held_out, Path) else held_out,
    }  # fmt: skip
    if writer.is_current("lm", PARTS["lm"].version, how, made_from):
        return False
    corpus = opened(writer, "corpus")
    trees = _trees(writer, using)
    classes = [cut for tree in trees for cut in _cuts(tree, sizes)]
    aside: Any = held_out
    if isinstance(held_out, Path):
        aside = Corpus.from_files(held_out, **corpus.reading.parameters())
    with writer.part("lm", PARTS["lm"].version) as draft:
        model.fit(corpus, classes, aside)
        model.save(draft.folder)
        draft.facts, draft.parameters, draft.made_from = model.facts_, how, made_from
    return True


def _origin(source: Model | Path) -> dict[str, Any]:
    if isinstance(source, Path):
        return {"path": str(source), "sha256": sha256(source)}
    return {"classes": source.parts["classes"].content}


def _trees(writer: Writer, using: Sequence[Model | Path] | None) -> list[Hierarchy]:
    if using is None:
        return [Model(writer.path).classes] if "classes" in writer.parts else []
    return [
        source.classes if isinstance(source, Model) else Hierarchy.read(source) for source in using
    ]


def _cuts(tree: Hierarchy, sizes: Sequence[int] | None) -> list[Hierarchy]:
    """A tree, cut to different numbers of classes."""
    n = tree.n_classes
    if sizes is None:
        few = n // _SHARE
        flat = tree.made.get("imported") == "clustercat"
        return [tree] if few < 2 or flat else [tree, tree.cut(few)]
    if max(sizes) > n:
        raise InputError(
            f"There are only {n:,} classes, not {max(sizes):,}.",
            "Ask for fewer, or learn more: firth classes learn MODEL --classes N",
        )
    return [tree if k == n else tree.cut(k) for k in sizes]


def learn_lm_classes(
    writer: Writer, sizes: Sequence[int] | None, memory: int | str, engine: Engine
) -> bool:
    """Learn classes for a language model where a model has none, or has older ones; returns whether any were learned.

    A text too small for classes is no error unless a number of them is asked for.
    """
    old = writer.parts.get("classes")
    if old is not None and "imported" in old.parameters:
        return False
    counted, parameters = CountsParameters(), ClassesParameters(max(sizes) if sizes else None)
    if old is not None:
        if old.made_from.get("corpus") == part_of(writer, "corpus").content:
            return False
        counted, parameters = _as_before(old.parameters)
    try:
        return make_classes(writer, counted, parameters, memory, engine)
    except (InputError, ParameterError) as error:
        if sizes or old is not None:
            raise
        progress.notice(
            f"No word classes were learned, so the model is one of words. {error.message}"
        )
        return False


def _as_before(how: Mapping[str, Any]) -> tuple[CountsParameters, ClassesParameters]:
    """How classes were learned."""
    known = CountsParameters.__dataclass_fields__.keys() - {"contexts"}
    of_counts = {name: value for name, value in how.items() if name in known}
    others = {name: value for name, value in how.items() if name not in known}
    try:
        return CountsParameters(**of_counts), ClassesParameters(**others)
    except (TypeError, ParameterError):
        raise ModelError(
            "How the classes were learned is not known.", "Learn them anew: firth classes learn"
        ) from None


def import_lm(file: str | Path, model: str | Path) -> bool:
    """Take a model of words in ARPA's format into a model folder; returns False where it is there already.

    Parameters
    ----------
    file : str or Path
        It may be compressed.
    model : str or Path
        The folder to write to. Its language model, if it has one, is replaced.
    """
    from firth.lm import LanguageModel  # late: it needs compiled kernels

    path = Path(file)
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "is not there"
        raise InputError(f"{path} {what}.", "Give a file in ARPA's format.")
    with writing(model) as writer:
        made_from = {"sources": [{"path": str(path), "sha256": sha256(path)}]}
        how = {"imported": "arpa", "min_count": 1, "vocabulary": None, "refit": True}
        if writer.is_current("lm", PARTS["lm"].version, how, made_from):
            return False
        old = writer.parts.get("lm")
        if old is not None and "imported" not in old.parameters:
            progress.notice(
                f"The language model that was learned in {writer.path} is replaced by an imported one."
            )
        with writer.part("lm", PARTS["lm"].version) as draft:
            with progress.stage("reading", unit="", brief=1.0):
                read = LanguageModel.from_arpa((line for _, line in text_lines(path)), path)
            read.save(draft.folder)
            draft.facts, draft.parameters, draft.made_from = read.facts_, how, made_from
    return True
