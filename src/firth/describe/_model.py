"""A model as a whole: its parts, their sizes, and how they were made."""

from __future__ import annotations

from typing import Any, NamedTuple

from firth import unicode
from firth.corpus import MIN_COUNTS, Corpus
from firth.formats import Rows
from firth.model import Model
from firth.parts import PARTS

__all__ = ["Row", "coverage", "model_facts", "summary_rows", "typical_word"]


class Row(NamedTuple):
    """A part of a model in words."""

    name: str
    what: str
    how: list[str]
    stale: bool


def model_facts(model: Model) -> dict[str, Any]:
    """All parts of a model as data: facts, sizes, parameters, and when they were made."""
    made: dict[str, Any] = {
        entry["identity"]: entry for entry in model.history() if "identity" in entry
    }
    parts: dict[str, Any] = {}
    for name, part in sorted(model.parts.items()):
        log = made.get(part.identity, {})
        parts[name] = {
            **part.facts,
            "bytes": part.n_bytes,
            "parameters": dict(part.parameters),
            "stale": model.is_stale(name),
            **{key: log[key] for key in ("date", "seconds") if key in log},
        }
    n_bytes = sum(part.n_bytes for part in model.parts.values())
    return {"model": str(model.path), "bytes": n_bytes, "parts": parts}


def summary_rows(model: Model) -> Rows[Row]:
    """The parts of a model in words, in the order in which they are made.

    A part that is out of date is not opened; its row says how to retrain it.
    """
    rows: Rows[Row] = Rows(kind=Row)
    for name, kind in PARTS.items():
        if name not in model or not kind.listed:
            continue
        if model.is_stale(name):
            why = model.why_stale(name)
            note = f"out of date, {why}; retrain: {kind.how(model.path, anew=True)}"
            rows.append(Row(name, note, [], True))
        else:
            what, how = getattr(model, name).summary()
            rows.append(Row(name, what, how, False))
    return rows


def typical_word(model: Model) -> str | None:
    """A fairly frequent word that is probably not a function word, for examples."""
    fresh = [name for name in ("vectors", "counts") if name in model and not model.is_stale(name)]
    if fresh:
        vocabulary = getattr(model, fresh[0]).vocabulary
    elif "corpus" in model:
        vocabulary = model.corpus.vocabulary
    else:
        return None
    n = len(vocabulary)
    for i in range(min(500, n // 10), min(2000, n)):
        word = str(vocabulary[i])
        if unicode.is_word(word) and len(word) > 4:
            return word
    return None


def coverage(corpus: Corpus) -> Rows[dict[str, Any]]:
    """The share of the text that the words of several min-counts cover."""
    rows: Rows[dict[str, Any]] = Rows()
    for least in MIN_COUNTS:
        kept = corpus.vocabulary.n_kept(least)
        if kept:
            rows.append({"min_count": least, "words": kept, "coverage": corpus.coverage(kept)})
    return rows
