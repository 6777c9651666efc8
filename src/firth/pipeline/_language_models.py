"""Language models, from the corpus of a model or from files in the ARPA format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from firth import progress
from firth.classes import Hierarchy
from firth.compute import Engine
from firth.corpus import Corpus, Reading
from firth.errors import InputError, not_for, wrong_parameter
from firth.formats import reading, text_lines
from firth.lm import HELD_OUT, LanguageModelParameters
from firth.model import Model
from firth.parameters import JobParameters, Replacing, documents
from firth.parts import missing_part
from firth.pipeline._importing import import_part
from firth.pipeline._making import file_identity, made, make_part, opened, part_of, saved
from firth.pipeline._text import Texts, learn_from_text, of_text
from firth.store import Writer, writing

__all__ = ["import_lm", "learn_lm"]

_SHARE = 4
"""By default a tree of another model is used whole, and cut to this fraction of its classes."""


@documents(LanguageModelParameters, Reading, JobParameters, Replacing)
def learn_lm(
    model: str | Path,
    texts: Texts = (),
    *,
    classes: Sequence[int] | None = None,
    using: Sequence[str | Path] | None = None,
    held_out: float | str | Path = HELD_OUT,
    **options: Any,
) -> Model:
    """Learn a language model from the corpus of a model.

    It learns several clusterings of words for itself, or takes those of ``using``. A text that is too
    small for classes gets a model of words only.

    Parameters
    ----------
    model : str or Path
        A model folder.
    texts : str, Path or list of them
        Text to read into the model first; by default its corpus is taken as it is.
    classes : sequence of int, optional
        The numbers of classes of the clusterings; those of ``using`` are cut to these numbers. By default
        they depend on the vocabulary. Empty for no classes.
    using : sequence of str or Path, optional
        Models, or files of classes, whose word classes are used instead.
    held_out : float, str or Path
        The share of sentences that interpolation weights are learned from, or a text file.
    """
    for_text = of_text(options)
    parameters = LanguageModelParameters(**options)
    parameters.check()
    aside = _checked_held_out(held_out)
    sizes = None if classes is None else list(classes)
    if sizes and min(sizes) < 2:
        raise wrong_parameter("learn_lm", "classes", "numbers of at least 2", sizes)
    if sizes == [] and using:
        raise not_for("using", "a model without classes")
    helpers = [_helper(source) for source in using] if using else None

    def make(writer: Writer, engine: Engine, memory: int | str) -> bool:
        return _make_lm(writer, options, aside, sizes, helpers, memory, engine)

    return learn_from_text("lm", model, texts, for_text, make)


def _checked_held_out(held_out: float | str | Path) -> float | Path:
    if isinstance(held_out, str | Path):
        path = Path(held_out)
        if not path.is_file():
            raise InputError(f"There is no file {path}.", "Give held-out text, or a share of it.")
        return path
    if isinstance(held_out, bool) or not isinstance(held_out, int | float) or not 0 <= held_out < 1:
        expected = "a share from 0 to below 1, or a text file"
        raise wrong_parameter("learn_lm", "held_out", expected, held_out)
    return held_out


def _helper(source: str | Path) -> Model | Path:
    """A model with classes, or a file of them."""
    if Path(source).is_file():
        return Path(source)
    helper = Model(source)
    if "classes" not in helper:
        raise missing_part("classes", source, has_corpus="corpus" in helper)
    helper.classes  # noqa: B018  an error now
    return helper


def _make_lm(
    writer: Writer,
    options: Mapping[str, Any],
    held_out: float | Path,
    sizes: list[int] | None,
    using: list[Model | Path] | None,
    memory: int | str,
    engine: Engine,
) -> bool:
    from firth.lm import LanguageModel  # late: it needs compiled kernels

    made_from: dict[str, Any] = {"corpus": part_of(writer, "corpus").content}
    if using:
        made_from["using"] = [_origin(source) for source in using]
    if isinstance(held_out, Path):
        made_from["held_out"] = file_identity(held_out)
    model = LanguageModel(**options)
    share = None if isinstance(held_out, Path) else held_out

    def make(folder: Path) -> Mapping[str, Any]:
        corpus: Corpus = opened(writer, "corpus")
        classes: Any = sizes
        if using:
            classes = [cut for source in using for cut in _cuts(_tree(source), sizes)]
        aside: Any = held_out
        if isinstance(held_out, Path):
            reading = corpus.reading
            units = opened(writer, "morphs") if reading.tokens == "morphs" else corpus.phrases
            aside = Corpus.read([held_out], reading, units)
        with writer.scratch("lm") as scratch:
            return saved(model.fit(corpus, classes, aside, memory, scratch, engine), folder)

    how = {**model.parameters(), "sizes": sizes, "held_out": share}
    return make_part(writer, "lm", how, made_from, make, memory=str(memory))


def _origin(source: Model | Path) -> dict[str, Any]:
    if isinstance(source, Path):
        return file_identity(source)
    return {"classes": source.parts["classes"].content}


def _tree(source: Model | Path) -> Hierarchy:
    return source.classes if isinstance(source, Model) else Hierarchy.read(source)


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
            "Use fewer, or learn more: firth classes learn MODEL --classes N",
        )
    return [tree if k == n else tree.cut(k) for k in sizes]


def import_lm(file: str | Path, model: str | Path) -> Model:
    """Import a word model in the ARPA format.

    Parameters
    ----------
    file : str or Path
        It may be compressed.
    model : str or Path
        The folder to write to. Its language model, if it has one, is replaced.
    """
    from firth.lm import InterpolatedModel  # late: it needs compiled kernels

    path = Path(file)
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        raise InputError(f"{path} {what}.", "Give a file in the ARPA format.")

    def read() -> InterpolatedModel:
        with progress.stage("reading", unit="", brief=1.0), reading(path):
            return InterpolatedModel.from_arpa((line for _, line in text_lines(path)), path)

    how = {"imported": "arpa", "min_count": 1, "vocabulary": None, "refit": True}
    with writing(model) as writer:
        anew = import_part(writer, "lm", path, read, how)
    return made(model, {"lm": anew})
