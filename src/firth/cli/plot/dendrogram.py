"""firth plot dendrogram."""

from __future__ import annotations

from typing import Annotated, Any

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.cli._vectors import VectorsPath
from firth.cli.plot._figure import FigureFile
from firth.cluster import WordTreeParameters
from firth.errors import wrong_parameter
from firth.formats import FileLimits


@command(WordTreeParameters, FileLimits)
def dendrogram(
    model: VectorsPath,
    output: FigureFile = "dendrogram.html",
    *,
    options: dict[str, Any],
    cut: Annotated[
        int | None, shared.option("--cut", "K", "Colour K clusters of the tree; chosen by default.")
    ] = None,
) -> None:
    """Draw frequent words as a tree: words with similar neighbours are merged first.

    A web page (.html) works offline. Its clusters can be expanded and collapsed, and words can be searched.

    Example: [bold]firth plot dendrogram news --top 100 -o dendrogram.html[/]
    """
    from firth.cluster import listed, names_in, word_tree
    from firth.describe import comparable_words
    from firth.plots import save_dendrogram

    how = WordTreeParameters(**options)
    how.check()
    with shared.interruptible():
        words = None if how.words is None else names_in(how.words)
        source = comparable_words(model, how.by, words)
        found = word_tree(source, words, how.top, how.method, how.marks)
        n = len(found.words)
        if cut is not None and not 1 <= cut <= n:
            raise wrong_parameter("plot", "cut", f"from 1 to {n:,} (the number of words)", cut)
        save_dendrogram(
            output, found.tree, found.words, cut, found.title, found.axis, found.distances
        )
    console, size = shared.stdout(), shared.count_of(n, "word")
    console.print(shared.line("drawn: ", (output, "bold"), (f"  {size}", "dim")))
    if found.missing:
        console.print(shared.line((f"not in the model: {listed(found.missing)}", "dim")))
