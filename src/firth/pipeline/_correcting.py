"""Corrections: splits of words that a person gives."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from firth import progress, unicode
from firth.errors import InputError
from firth.model import Model
from firth.morphs import Corrections, check_split, read_known
from firth.pipeline._making import opened, part_of, write_by_hand
from firth.progress import count_of
from firth.store import Writer, writing

__all__ = [
    "correct_morphs", "corrections_of", "identity_of", "import_corrections", "with_corrections",
]  # fmt: skip

_HOW = "Give the word and its parts between spaces: firth morphs correct MODEL 'walked=walk ed'"


def correct_morphs(model: str | Path, splits: Mapping[str, Sequence[str]]) -> Model:
    """Correct splits of words; no parts remove a correction.

    Corrections are a part of their own: they stay when the morphology is learned again, and it respects
    them then.

    Parameters
    ----------
    model : str or Path
        A model folder with a morphology.
    splits : mapping of str to sequence of str
        Words, and their parts.
    """
    for word, parts in splits.items():
        if parts:
            check_split(word, parts, hint=_HOW)
    given = _composed(splits)
    with writing(model) as writer:
        before = corrections_of(writer)
        for word, parts in given.items():
            if not parts and word not in before:
                raise InputError(
                    f"There is no correction of {word!r} to remove.",
                    "List all corrections: firth morphs export MODEL -o -",
                )
        _write(writer, {**before, **given})
    return Model(model)


def import_corrections(model: str | Path, file: str | Path, replace: bool = False) -> Model:
    """Add the splits of a file to the corrections of a model.

    Parameters
    ----------
    model : str or Path
        A model folder with a morphology.
    file : str or Path
        On each line a word, a tab, and its parts between spaces.
    replace : bool
        Replace corrections of the same words that are in the model. It is an error otherwise.
    """
    given = _composed(read_known(file))
    with writing(model) as writer:
        before = corrections_of(writer)
        other = [word for word, parts in given.items() if before.get(word, parts) != parts]
        if other and not replace:
            raise InputError(
                f"{file} splits {count_of(len(other), 'word')} in another way than the corrections of "
                f"the model, such as {other[0]!r}.",
                "Replace these corrections: --replace",
            )
        _write(writer, {**before, **given})
    return Model(model)


def corrections_of(writer: Writer) -> Corrections:
    """The corrections of a model; none if it has no such part."""
    found: Corrections = (
        opened(writer, "corrections") if "corrections" in writer.parts else Corrections()
    )
    return found


def identity_of(corrections: Corrections) -> dict[str, str]:
    """Corrections in what a part is made from; empty if there are none.

    They are not called by the name of their part: they are used at once, so that a morphology which was
    learned before them is not out of date.
    """
    if not corrections:
        return {}
    return {"corrected": hashlib.sha256(corrections.text().encode()).hexdigest()}


def with_corrections(
    known: Mapping[str, Sequence[str]], corrections: Corrections
) -> dict[str, Sequence[str]]:
    """Splits to respect in learning: those given, and the corrections, which take precedence."""
    other = [word for word, parts in known.items() if corrections.get(word, parts) != list(parts)]
    if other:
        progress.notice(
            f"{count_of(len(other), 'word')}, such as {other[0]!r}, {'is' if len(other) == 1 else 'are'} "
            "split in another way by the corrections of the model: these are used."
        )
    return {**known, **corrections}


def _composed(splits: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Splits in the normal form of a corpus."""
    return {unicode.nfc(word): [*map(unicode.nfc, parts)] for word, parts in splits.items()}


def _write(writer: Writer, splits: Mapping[str, Sequence[str]]) -> None:
    """Write the corrections, without those that have no parts."""
    part_of(writer, "morphs")  # raises an error if the model has none
    kept = Corrections({word: list(parts) for word, parts in splits.items() if parts})
    write_by_hand(writer, "corrections", kept, {"by_hand": True})
