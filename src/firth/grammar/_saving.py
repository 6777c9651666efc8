"""The files of a grammar in a model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.corpus import MOST_TOKENS
from firth.grammar._binarisation import BETWEEN, labels_of
from firth.grammar._coarse import CoarseGrammar
from firth.grammar._fine import FineGrammar
from firth.grammar._lexicon import Lexicon
from firth.grammar._symbols import Symbols
from firth.grammar._words import GrammarWords
from firth.store import Part, array_file, write_array, write_text
from firth.tags import SpellingGroups

__all__ = ["Saved", "read_grammar", "write_grammar"]

NAMES = "names.json"
_LISTS = ("phrases", "tags", "words", "rare", "groups", "groups_of_classes")
_COARSE: Mapping[str, npt.DTypeLike] = {
    "rules": np.int64,
    "p": np.float64,
    "roots": np.float64,
    "tags": np.int64,
    "words": np.int64,
    "word_p": np.float64,
    "counts": np.int64,
}
"""The arrays of a coarse grammar."""
_FINE: Mapping[str, npt.DTypeLike] = {
    "tensors": np.float32,
    "vectors": np.float64,
    "fine_roots": np.float64,
    "totals": np.float64,
}
"""The arrays of a fine grammar; its number follows the name."""
_NAMES: Mapping[str, Any] = {**{name: [str] for name in _LISTS}, "classes": dict, "proper": [bool]}
_MOST_P = 1 + 1e-6
"""Probabilities may be larger than one by rounding."""
_LEAST_P = 1e-100
"""Smaller probabilities would underflow when they are scaled."""
_MOST = 1e30
"""The largest absolute value in a tensor that is not a probability."""


@dataclass(frozen=True, eq=False)
class Saved:
    """What is stored of a grammar."""

    coarse: CoarseGrammar
    fine: list[FineGrammar]
    symbols: Symbols
    words: GrammarWords


def write_grammar(folder: Path, saved: Saved) -> None:
    """Write the files."""
    symbols, words, coarse = saved.symbols, saved.words, saved.coarse
    names = {
        "phrases": symbols.phrases,
        "tags": symbols.tags,
        "words": words.words,
        "rare": words.rare,
        "groups": words.groups.keys,
        "groups_of_classes": words.groups_of_classes,
        "classes": words.classes,
        "proper": [fine.proper for fine in saved.fine],
    }
    write_text(folder / NAMES, json.dumps(names, ensure_ascii=False))
    lexicon = coarse.lexicon
    of_words = lexicon.tags, lexicon.words, lexicon.p, lexicon.counts
    arrays: list[Any] = [coarse.rules, coarse.p, coarse.roots, *of_words]
    for (name, dtype), array in zip(_COARSE.items(), arrays, strict=True):
        write_array(folder / array_file(name, dtype), array)
    for number, fine in enumerate(saved.fine):
        arrays = [fine.tensors, fine.vectors, fine.roots, fine.totals]
        for (name, dtype), array in zip(_FINE.items(), arrays, strict=True):
            write_array(folder / array_file(f"{name}{number}", dtype), array)


def read_grammar(part: Part) -> Saved:
    """Read and check what ``write_grammar`` has written."""
    names = part.json(NAMES, _NAMES)
    _check_names(part, names)
    symbols = Symbols(names["phrases"], names["tags"])
    groups = SpellingGroups(names["groups"])
    words = GrammarWords(
        names["words"], names["rare"], groups, names["classes"], names["groups_of_classes"]
    )
    coarse = _coarse(part, symbols, len(words))
    fine = [_fine(part, number, coarse, proper) for number, proper in enumerate(names["proper"])]
    return Saved(coarse, fine, symbols, words)


def _check_names(part: Part, names: dict[str, Any]) -> None:
    part.require(
        all(len(set(names[name])) == len(names[name]) for name in _LISTS),
        f"{NAMES}: a name is repeated",
    )
    part.require(
        all(isinstance(name, str) for name in names["classes"].values())
        and all(names[name] for name in ("proper", "tags", "groups"))
        and not any(name.startswith(BETWEEN) for name in names["tags"])
        and all(_has_labels(name) for name in [*names["phrases"], *names["tags"]]),
        f"{NAMES}: a label is invalid",
    )


def _has_labels(symbol: str) -> bool:
    """Whether a symbol consists of labels."""
    try:
        return all(labels_of(symbol))
    except (OverflowError, ValueError):
        return False


def _coarse(part: Part, symbols: Symbols, n_words: int) -> CoarseGrammar:
    """The rules and the lexicon: parents are phrases, words have tags, probabilities are such."""
    n_symbols, n_phrases = len(symbols), len(symbols.phrases)
    rules = part.array("rules.i64", (-1, 3), 0, n_symbols - 1, copy=True)
    p = part.array("p.f64", len(rules), 0, _MOST_P, copy=True)
    roots = part.array("roots.f64", n_symbols, 0, _MOST_P, copy=True)
    tags = part.array("tags.i64", -1, n_phrases, n_symbols - 1, copy=True)
    n_pairs = len(tags)
    lexicon = Lexicon(
        tags,
        part.array("words.i64", n_pairs, 0, n_words - 1, copy=True),
        part.array("word_p.f64", n_pairs, 0, _MOST_P, copy=True),
        part.array("counts.i64", n_pairs, 0, MOST_TOKENS, copy=True),
    )
    between = np.array([name.startswith(BETWEEN) for name in symbols.phrases], bool)
    part.require(
        (rules[:, 0] < n_phrases).all() and not roots[:n_phrases][between].any(),
        "its rules are not those of a grammar",
    )
    part.require(len(np.unique(rules, axis=0)) == len(rules), "a rule is repeated")
    for some in (p, roots, lexicon.p):
        part.require(some[some > 0].min(initial=1) > _LEAST_P, "a probability is too small")
    keys = lexicon.words << 32 | lexicon.tags
    part.require((np.diff(keys) > 0).all(), "its words are not sorted")
    part.require(
        np.bincount(rules[:, 0], p, n_symbols).max(initial=0) <= _MOST_P and roots.sum() <= _MOST_P,
        "its probabilities add up to more than one",
    )
    return CoarseGrammar(rules, p, lexicon, roots)


def _fine(part: Part, number: int, coarse: CoarseGrammar, proper: bool) -> FineGrammar:
    """Tensors and vectors: probabilities if states are explicit, or else any finite numbers."""
    n, n_rules, n_pairs = coarse.n_symbols, len(coarse.rules), len(coarse.lexicon)
    low, high = (0, _MOST_P) if proper else (-_MOST, _MOST)
    roots = part.array(f"fine_roots{number}.f64", (n, -1), low, high, copy=True)
    dim = roots.shape[1]
    part.require(dim, "it has no states")
    return FineGrammar(
        part.array(f"tensors{number}.f32", (n_rules, dim, dim, dim), low, high, copy=True),
        part.array(f"vectors{number}.f64", (n_pairs, dim), low, high, copy=True),
        roots,
        part.array(f"totals{number}.f64", (n, dim), -_MOST, _MOST, copy=True),
        proper,
    )
