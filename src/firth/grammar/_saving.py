"""The files of a grammar in a model."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import InputError, ModelError
from firth.grammar._binarisation import BETWEEN, labels_of
from firth.grammar._coarse import CoarseGrammar
from firth.grammar._fine import FineGrammar
from firth.grammar._lexicon import Lexicon
from firth.grammar._symbols import Symbols
from firth.grammar._words import GrammarWords
from firth.store import Part, array_file, read_array
from firth.tags import SpellingGroups

__all__ = ["Saved", "read_grammar", "unsound", "write_grammar"]

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
Read = Callable[[str, npt.DTypeLike], npt.NDArray[Any]]


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
    (folder / NAMES).write_text(json.dumps(names, ensure_ascii=False), encoding="utf-8")
    lexicon = coarse.lexicon
    of_words = lexicon.tags, lexicon.words, lexicon.p, lexicon.counts
    arrays: list[Any] = [coarse.rules, coarse.p, coarse.roots, *of_words]
    for (name, dtype), array in zip(_COARSE.items(), arrays, strict=True):
        _write(folder, name, dtype, array)
    for number, fine in enumerate(saved.fine):
        arrays = [fine.tensors, fine.vectors, fine.roots, fine.totals]
        for (name, dtype), array in zip(_FINE.items(), arrays, strict=True):
            _write(folder, f"{name}{number}", dtype, array)


def _write(folder: Path, name: str, dtype: npt.DTypeLike, array: npt.NDArray[Any]) -> None:
    little_endian = np.dtype(dtype).newbyteorder("<")
    np.ascontiguousarray(array, little_endian).tofile(folder / array_file(name, dtype))


def read_grammar(part: Part) -> Saved:
    """Read and check what ``write_grammar`` has written."""
    folder = part.folder
    try:
        names = json.loads(part.path(NAMES).read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise unsound(folder, f"{NAMES} is invalid") from None
    _check_names(folder, names)
    symbols = Symbols(names["phrases"], names["tags"])
    groups = SpellingGroups(names["groups"])
    words = GrammarWords(
        names["words"], names["rare"], groups, names["classes"], names["groups_of_classes"]
    )

    def read(name: str, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        # a copy: kernels are compiled for writable arrays
        return np.array(read_array(part.path(array_file(name, dtype))))

    try:
        arrays = {name: read(name, dtype) for name, dtype in _COARSE.items()}
        lexicon = Lexicon(arrays["tags"], arrays["words"], arrays["word_p"], arrays["counts"])
        coarse = CoarseGrammar(
            arrays["rules"].reshape(-1, 3), arrays["p"], lexicon, arrays["roots"]
        )
        fine = [
            _fine(read, number, len(symbols), len(coarse.rules), len(lexicon), proper)
            for number, proper in enumerate(names["proper"])
        ]
    except (ValueError, ZeroDivisionError, InputError):
        raise unsound(folder, "the sizes of its arrays do not match") from None
    _check_numbers(folder, coarse, fine, symbols, len(words))
    return Saved(coarse, fine, symbols, words)


def _fine(
    read: Read, number: int, n_symbols: int, n_rules: int, n_pairs: int, proper: bool
) -> FineGrammar:
    arrays = {name: read(f"{name}{number}", dtype) for name, dtype in _FINE.items()}
    dim = len(arrays["fine_roots"]) // n_symbols
    return FineGrammar(
        arrays["tensors"].reshape(n_rules, dim, dim, dim),
        arrays["vectors"].reshape(n_pairs, dim),
        arrays["fine_roots"].reshape(n_symbols, dim),
        arrays["totals"].reshape(n_symbols, dim),
        proper,
    )


def _check_names(folder: Path, names: Any) -> None:
    sound = (
        isinstance(names, dict)
        and all(_are_texts(names.get(name)) for name in _LISTS)
        and isinstance(names.get("classes"), dict)
        and all(isinstance(name, str) for name in names["classes"].values())
        and isinstance(names.get("proper"), list)
        and names["proper"]
        and all(isinstance(proper, bool) for proper in names["proper"])
        and names["tags"]
        and names["groups"]
        and not any(name.startswith(BETWEEN) for name in names["tags"])
        and all(_has_labels(name) for name in [*names["phrases"], *names["tags"]])
    )
    if not sound:
        raise unsound(folder, f"{NAMES} is invalid")


def _has_labels(symbol: str) -> bool:
    """Whether a symbol consists of labels."""
    try:
        return all(labels_of(symbol))
    except (OverflowError, ValueError):
        return False


def _are_texts(found: Any) -> bool:
    return (
        isinstance(found, list)
        and all(isinstance(text, str) for text in found)
        and len(set(found)) == len(found)
    )


def _check_numbers(
    folder: Path, coarse: CoarseGrammar, fine: list[FineGrammar], symbols: Symbols, n_words: int
) -> None:
    n_symbols = len(symbols)
    lexicon = coarse.lexicon
    lengths = {len(array) for array in (lexicon.tags, lexicon.words, lexicon.p, lexicon.counts)}
    if len(coarse.p) != len(coarse.rules) or len(coarse.roots) != n_symbols or len(lengths) != 1:
        raise unsound(folder, "the sizes of its arrays do not match")
    for array, below in (
        (coarse.rules, n_symbols),
        (lexicon.tags, n_symbols),
        (lexicon.words, n_words),
    ):
        if array.size and not 0 <= array.min() <= array.max() < below:
            raise unsound(folder, "it contains unknown symbols or words")
    phrases = np.array([not name.startswith(BETWEEN) for name in symbols.phrases], bool)
    if (
        (coarse.rules[:, :1] >= len(phrases)).any()
        or (lexicon.tags < len(phrases)).any()
        or (lexicon.counts < 0).any()
        or coarse.roots[: len(phrases)][~phrases].any()
        or any(grammar.dim < 1 for grammar in fine)
    ):
        raise unsound(folder, "its rules and words are not a grammar")
    keys = lexicon.words << 32 | lexicon.tags
    if np.any(np.diff(keys) <= 0):
        raise unsound(folder, "its words are not sorted")
    for p in (coarse.p, coarse.roots, lexicon.p):
        if not np.isfinite(p).all() or (p.size and p.min() < 0):
            raise unsound(folder, "it contains invalid probabilities")
    for grammar in fine:
        for some in (grammar.tensors, grammar.vectors, grammar.roots, grammar.totals):
            if not np.isfinite(some).all():
                raise unsound(folder, "it contains invalid numbers")


def unsound(folder: Path, why: str) -> ModelError:
    """The error of a grammar that cannot be used."""
    return ModelError(
        f"The grammar in {folder} cannot be used: {why}.",
        "Retrain it: firth grammar learn TREES -o MODEL",
    )
