"""Morphology in a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from firth import progress
from firth.corpus import Reading
from firth.errors import ModelError, not_for
from firth.formats import is_url
from firth.model import Model
from firth.morphs import (
    Corrections,
    Morphology,
    MorphologyParameters,
    looks_like_words,
    read_known,
    read_words,
)
from firth.parameters import JobParameters, Replacing, documents
from firth.pipeline._correcting import corrections_of, identity_of, with_corrections
from firth.pipeline._making import (
    check_same_text,
    file_identity,
    kept_parts,
    made,
    make_part,
    opened,
    part_of,
    saved,
)
from firth.pipeline._text import Texts, learn_from_text, listed, of_text
from firth.store import Writer, writing

__all__ = ["learn_morphs"]

_PLAIN = (".txt", ".words", ".lst", ".dic", "")


@documents(MorphologyParameters, Reading, JobParameters, Replacing)
def learn_morphs(
    model: str | Path, texts: Texts = (), *, known: str | Path | None = None, **options: Any
) -> Model:
    """Learn how the words of a language are made of parts, from raw text or from a list of words.

    Parameters
    ----------
    model : str or Path
        A model folder.
    texts : str, Path or list of them
        Text to read into the model first; by default its corpus is taken as it is. A single file in
        which every line is one word, none of them twice, is a list of words: it is not tokenised, and the
        model gets no corpus.
    known : str or Path, optional
        A file of splits to respect: on each line a word, a tab, and its parts between spaces.
    """
    for_text = of_text(options)
    morphology = Morphology(**MorphologyParameters.take(options))
    morphology.check()
    splits = {} if known is None else read_known(known)
    files = [Path(text) for text in listed(texts) if not is_url(str(text))]
    if len(files) == 1 and _is_list(files[0]):
        for name in Reading.take(dict(for_text)):
            raise not_for(name, "a list of words: it is for text")
        progress.notice(f"{files[0]} has one word on each line: it is treated as a list of words.")
        return _learn_from_list(model, files[0], morphology, known, splits, for_text)

    def make(writer: Writer, *_: Any) -> bool:
        return make_morphs(writer, morphology, known, splits)

    return learn_from_text("morphs", model, texts, {**for_text, **options}, make)


def make_morphs(
    writer: Writer,
    morphology: Morphology,
    known: str | Path | None = None,
    splits: Mapping[str, Sequence[str]] | None = None,
) -> bool:
    """Learn morphs from the corpus of a model; returns False if that was done before.

    Corrections of the model are respected, like splits that are given.
    """
    _check_words(writer)
    corrections = corrections_of(writer)

    def make(folder: Path) -> Mapping[str, Any]:
        respected = with_corrections(splits or {}, corrections)
        return saved(morphology.fit(opened(writer, "corpus"), respected), folder)

    corpus = part_of(writer, "corpus").content
    made_from = {"corpus": corpus, **_given(known, corrections)}
    return make_part(writer, "morphs", morphology.parameters(), made_from, make)


def _learn_from_list(
    model: str | Path, path: Path, morphology: Morphology, known: str | Path | None,
    splits: Mapping[str, list[str]], options: dict[str, Any],
) -> Model:  # fmt: skip
    """Learn morphs from a file with a word on each line."""
    kept = kept_parts(options, "morphs")

    with writing(model) as writer:
        corrections = corrections_of(writer)

        def make(folder: Path) -> Mapping[str, Any]:
            respected = with_corrections(splits, corrections)
            return saved(morphology.fit(read_words(path), respected), folder)

        made_from = {"text": file_identity(path), **_given(known, corrections)}
        check_same_text(writer, kept, [path], [made_from["text"]["sha256"]])
        anew = make_part(writer, "morphs", morphology.parameters(), made_from, make)
    return made(model, {"morphs": anew})


def _check_words(writer: Writer) -> None:
    """Raise ModelError if the corpus of a model has no words, but morphs."""
    if part_of(writer, "corpus").parameters.get("tokens") == "morphs":
        raise ModelError(
            f"The tokens of {writer.path} are morphs already, so morphs cannot be learned from them.",
            "To use other splits, learn them from a list of words and read the text again: "
            "firth morphs learn WORDS -o MODEL, firth learn TEXT -o MODEL --tokens morphs",
        )


def _given(known: str | Path | None, corrections: Corrections) -> dict[str, Any]:
    """What a morphology is made from beside words."""
    found = {} if known is None else {"known": file_identity(Path(known))}
    return {**found, **identity_of(corrections)}


def _is_list(path: Path) -> bool:
    """Whether a file is a list of words: plain text, with a word on each line."""
    return path.is_file() and path.suffix in _PLAIN and looks_like_words(path)
