"""firth vectors show."""

from __future__ import annotations

from typing import Annotated, Any

from firth import unicode
from firth.cli import _shared as shared
from firth.cli import _vectors as common
from firth.cli._options import command
from firth.formats import FileLimits

_EXAMPLES, _AMONG = 4, 2000
"""Number of words whose neighbours are shown, among this number of most frequent words."""
_BARS = 60


@command(FileLimits)
def show(
    model: common.VectorsPath,
    words: Annotated[list[str] | None, shared.argument("[WORD...]", "Words to look up.")] = None,
    kind: common.Kinds = None,
    n: shared.NumberOfWords = 10,
    json: shared.Json = False,
) -> None:
    """Show size, parameters and singular values of the word vectors, or the neighbours of words.

    Example: [bold]firth vectors show news[/]
    """
    if words:
        common.show_neighbours(model, words, n, json, kind)
        return
    if kind == "both":
        shared.fail("--kind both is for words.", "Give meaning or grammar, or a word.", status=2)
    vectors = common.open_vectors(model, kind or "meaning")
    values = vectors.singular_values
    if json:
        rounded = None if values is None else [float(f"{x:.6g}") for x in values]
        sizes = {"n_words": len(vectors), "dim": vectors.dim}
        shared.print_json({**sizes, "made": vectors.made, "singular_values": rounded})
        return
    console = shared.stdout()
    console.print(f"{len(vectors):,} words in {vectors.dim} dimensions")
    how = [f"{name} {value}" for name, value in vectors.made.items() if value is not None]
    console.print(shared.line(("  " + (", ".join(how) or "imported"), "dim")))
    if values is not None:
        console.print(f"singular values {_shortened(values)}")
        console.print(shared.line((_bars(values), "green")))
    if examples := _examples(vectors):
        console.print()
        near = dict(zip(examples, vectors.neighbours(examples, 6), strict=True))
        common.print_neighbours({word: found for word, found in near.items() if found})


def _examples(vectors: Any) -> list[str]:
    """Some fairly frequent words."""
    frequent = (vectors.vocabulary[i] for i in range(min(len(vectors), _AMONG)))
    words = [word for word in frequent if unicode.is_word(word)]
    return words[len(words) // 4 :: max(1, len(words) // 6)][:_EXAMPLES]


def _shortened(values: Any) -> str:
    """The first numbers and the last one."""
    shown = ", ".join(f"{x:.3g}" for x in values[:4])
    return f"{shown}, ... {values[-1]:.3g}" if len(values) > 4 else shown


def _bars(values: Any) -> str:
    """Numbers as a row of bars, on a logarithmic scale."""
    import numpy as np

    at = np.unique(np.geomspace(1, len(values), _BARS).astype(int)) - 1
    logs = np.log(np.maximum(values[at], values[0] * 1e-9))
    heights = (logs - logs.min()) / max(logs.max() - logs.min(), 1e-9)
    return "".join("▁▂▃▄▅▆▇█"[round(7 * float(h))] for h in heights)
