"""A grammar in the files of a model."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import InputError, ModelError
from firth.grammar._coarse import CoarseGrammar
from firth.grammar._fine import FineGrammar
from firth.grammar._lexicon import Lexicon
from firth.grammar._numbering import Symbols
from firth.grammar._preparing import BETWEEN, labels_of
from firth.grammar._words import GrammarWords
from firth.store import read_array
from firth.tags import SpellingGroups

__all__ = ["Saved", "read_grammar", "unsound", "write_grammar"]

NAMES = "names.json"
_LISTS = ("phrases", "tags", "words", "rare", "groups", "groups_of_classes")


@dataclass(frozen=True, eq=False)
class Saved:
    """What is kept of a grammar."""

    coarse: CoarseGrammar
    fine: list[FineGrammar]
    symbols: Symbols
    words: GrammarWords


def write_grammar(folder: Path, saved: Saved) -> None:
    """Write the files."""
    symbols, words, coarse = saved.symbols, saved.words, saved.coarse
    names = {
        "phrases": symbols.phrases, "tags": symbols.tags, "words": words.words, "rare": words.rare,
        "groups": words.groups.keys, "groups_of_classes": words.groups_of_classes, "classes": words.classes,
        "proper": [fine.proper for fine in saved.fine],
    }  # fmt: skip
    (folder / NAMES).write_text(json.dumps(names, ensure_ascii=False), encoding="utf-8")
    lexicon = coarse.lexicon
    arrays: dict[str, npt.NDArray[Any]] = {
        "rules.i64": coarse.rules, "p.f64": coarse.p, "roots.f64": coarse.roots, "tags.i64": lexicon.tags,
        "words.i64": lexicon.words, "word_p.f64": lexicon.p, "counts.i64": lexicon.counts,
    }  # fmt: skip
    for number, fine in enumerate(saved.fine):
        arrays |= {
            f"tensors{number}.f32": fine.tensors, f"vectors{number}.f64": fine.vectors,
            f"fine_roots{number}.f64": fine.roots, f"totals{number}.f64": fine.totals,
        }  # fmt: skip
    for name, array in arrays.items():
        np.ascontiguousarray(array, "<" + name[-3] + str(int(name[-2:]) // 8)).tofile(folder / name)


def read_grammar(file: Callable[[str], Path]) -> Saved:
    """Read what ``write_grammar`` wrote, checking what is in it."""
    folder = file(NAMES).parent
    try:
        names = json.loads(file(NAMES).read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise unsound(folder, "its names cannot be read") from None
    _check_names(folder, names)
    symbols = Symbols(names["phrases"], names["tags"])
    groups = SpellingGroups(names["groups"])
    words = GrammarWords(
        names["words"], names["rare"], groups, names["classes"], names["groups_of_classes"]
    )

    def read(name: str) -> npt.NDArray[Any]:
        # a copy: kernels are compiled for arrays that can be written
        return np.array(read_array(file(name)))

    try:
        lexicon = Lexicon(
            read("tags.i64"), read("words.i64"), read("word_p.f64"), read("counts.i64")
        )
        coarse = CoarseGrammar(
            read("rules.i64").reshape(-1, 3), read("p.f64"), lexicon, read("roots.f64")
        )
        fine = [
            _fine(read, number, len(symbols), len(coarse.rules), len(lexicon), proper)
            for number, proper in enumerate(names["proper"])
        ]
    except (ValueError, ZeroDivisionError, InputError):
        raise unsound(folder, "its numbers do not go together") from None
    _check_numbers(folder, coarse, fine, symbols, len(words))
    return Saved(coarse, fine, symbols, words)


def _fine(
    read: Callable[[str], npt.NDArray[Any]], number: int, n_symbols: int, n_rules: int, n_pairs: int, proper: bool
) -> FineGrammar:  # fmt: skip
    roots = read(f"fine_roots{number}.f64")
    dim = len(roots) // n_symbols
    return FineGrammar(
        read(f"tensors{number}.f32").reshape(n_rules, dim, dim, dim),
        read(f"vectors{number}.f64").reshape(n_pairs, dim), roots.reshape(n_symbols, dim),
        read(f"totals{number}.f64").reshape(n_symbols, dim), proper,
    )  # fmt: skip


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
        raise unsound(folder, "its names cannot be read")


def _has_labels(symbol: str) -> bool:
    """Whether a symbol can be read."""
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
        raise unsound(folder, "its numbers do not go together")
    for array, below in (
        (coarse.rules, n_symbols),
        (lexicon.tags, n_symbols),
        (lexicon.words, n_words),
    ):
        if array.size and not 0 <= array.min() <= array.max() < below:
            raise unsound(folder, "it has a symbol or a word that there is not")
    phrases = np.array([not name.startswith(BETWEEN) for name in symbols.phrases], bool)
    if (
        (coarse.rules[:, :1] >= len(phrases)).any()
        or (lexicon.tags < len(phrases)).any()
        or (lexicon.counts < 0).any()
        or coarse.roots[: len(phrases)][~phrases].any()
        or any(grammar.dim < 1 for grammar in fine)
    ):
        raise unsound(folder, "its rules and words are not those of a grammar")
    keys = lexicon.words << 32 | lexicon.tags
    if np.any(np.diff(keys) <= 0):
        raise unsound(folder, "its words are not in order")
    for p in (coarse.p, coarse.roots, lexicon.p):
        if not np.isfinite(p).all() or (p.size and p.min() < 0):
            raise unsound(folder, "some of its probabilities are none")
    for grammar in fine:
        for some in (grammar.tensors, grammar.vectors, grammar.roots, grammar.totals):
            if not np.isfinite(some).all():
                raise unsound(folder, "some of its numbers are none")


def unsound(folder: Path, why: str) -> ModelError:
    return ModelError(f"The grammar in {folder} cannot be used: {why}.", "Learn it anew.")
