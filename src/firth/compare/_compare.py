"""Two texts, wherever they come from: models, files, or documents of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from firth import progress
from firth.compare._keyness import Comparison, compare_texts
from firth.compare._parameters import CompareParameters
from firth.compare._text import Text
from firth.corpus import Corpus, Reading, Units, find_documents
from firth.errors import InputError, ParameterError
from firth.find import select
from firth.model import Model
from firth.parameters import check_known, documents
from firth.store import MANIFEST

__all__ = ["compare", "opened", "text_of"]

Source: TypeAlias = Model | Corpus | str | Path
_HOW = ("tokens", "lowercase", "digits", "language")
"""The parameters of reading that decide what words are."""


@documents(CompareParameters)
def compare(
    a: Source,
    b: Source | None = None,
    where: str | Sequence[str] = (),
    **options: Any,
) -> Comparison:
    """Compare the words of two texts: which are more frequent in one of them than chance explains.

    Parameters
    ----------
    a, b : Model, Corpus, str or Path
        Models or corpora; or the names of model folders or text files. Without ``b``, documents of ``a``
        are compared. A file is read as the other text was (``tokens``, ``lowercase``, ``phrases`` and so on).
    where : str or list of str
        Which documents to compare, such as ``year < 1900``. With two texts, a condition for each, or one
        for both; with one text, two conditions, or one, and then the others are the second text.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import firth
    >>> texts = ["the sea and the ship", "a ship at sea", "the law of the land", "law and land"] * 3
    >>> corpus = firth.Corpus.from_texts(texts, metadata={"kind": ["story", "story", "law", "law"] * 3})
    >>> found = compare(corpus, where='kind == "story"', min_count=1)
    >>> [keyword.word for keyword in found.top(2)]
    ['sea', 'ship']
    """
    parameters = CompareParameters(**CompareParameters.take(options))
    check_known("compare", options)
    conditions = [where] if isinstance(where, str) else list(where)
    if len(conditions) > 2:
        raise ParameterError("There can be two conditions, one for each text.")
    if b is not None:
        first, last = (conditions or [""])[0], (conditions or [""])[-1]
        a, b = _known(a), _known(b)
        texts = text_of(a, first, like=b), text_of(b, last, like=a)
        if all(isinstance(one, Model | Corpus) for one in (a, b)):
            _tell_how_read(*(text.corpus.reading for text in texts))
        return compare_texts(*texts, parameters)
    return compare_texts(*_divided(a, conditions), parameters)


def _divided(a: Any, conditions: Sequence[str]) -> tuple[Text, Text]:
    """Two groups of documents of one text."""
    if not conditions:
        raise ParameterError(
            "There is nothing to compare it with.", "Give a second text, or --where."
        )
    name, corpus, found = opened(a)
    if found is None:
        raise _no_documents(name)
    chosen = select(found, conditions[0])
    other = ~chosen if len(conditions) == 1 else select(found, conditions[1])
    if np.any(chosen & other):
        raise InputError(
            f"{int((chosen & other).sum()):,} documents are in both texts.",
            "Give conditions that exclude each other.",
        )
    named = conditions[1] if len(conditions) == 2 else f"not ({conditions[0]})"
    return (
        Text.of(conditions[0], corpus, found, chosen, conditions[0]),
        Text.of(named, corpus, found, other, named),
    )


def text_of(source: Source, where: str = "", like: Source | None = None) -> Text:
    """The text of a model, a corpus or a file: all of it, or the documents for which a condition holds.

    A file is read as the text of ``like`` was, if that is a model or a corpus.
    """
    name, corpus, found = opened(source, like)
    if not where:
        return Text.of(name, corpus, found)
    if found is None:
        raise _no_documents(name)
    return Text.of(f"{name}, {where}", corpus, found, select(found, where), where)


def _no_documents(name: str) -> InputError:
    return InputError(
        f"Nothing is known about the documents of {name}.",
        "Read it again with a table of metadata: firth corpus learn TEXT --metadata FILE -o MODEL",
    )


def opened(source: Source, like: Source | None = None) -> tuple[str, Corpus, Any]:
    """The name, the corpus and the documents of what was given; None if it has no documents."""
    source = _known(source)
    if isinstance(source, Corpus):
        return "the corpus", source, source.documents
    if not isinstance(source, Model):
        corpus = _read(source, like)
        return str(source), corpus, find_documents(corpus)
    has = "documents" in source and not source.is_stale("documents")
    return str(source.path), source.part("corpus"), source.documents if has else None


def _known(source: Source) -> Source:
    """The model, if this is the name of one."""
    if isinstance(source, Model | Corpus) or not (Path(source) / MANIFEST).is_file():
        return source
    return Model(source)


def _read(path: str | Path, like: Source | None) -> Corpus:
    """A file, read as another text was."""
    if not isinstance(like, Model | Corpus):
        return Corpus.from_files(path)
    other: Corpus = like.part("corpus") if isinstance(like, Model) else like
    units: Units | None = other.phrases
    if isinstance(like, Model) and other.reading.tokens == "morphs":
        units = like.part("morphs")
    return Corpus.read([path], replace(other.reading, read_as=None), units)


def _tell_how_read(a: Reading, b: Reading) -> None:
    """Say so if words of two texts can differ because the texts were not read in the same way."""
    differ = [name for name in _HOW if getattr(a, name) != getattr(b, name)]
    if a.phrases != b.phrases or isinstance(a.phrases, int):  # a number: each text has its own
        differ.append("phrases")
    if differ:
        progress.notice(
            f"The two texts were not read in the same way ({', '.join(differ)}), so words can be typical of one "
            "for this reason alone.",
            "Learn both with the same options.",
        )
