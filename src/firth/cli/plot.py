"""firth plot: figures."""

from __future__ import annotations

from typing import Annotated

import typer

from firth.cli import _dendrogram as words_tree
from firth.cli import _shared as shared
from firth.cli._classes import ClassesPath, open_classes
from firth.cli._vectors import VectorsPath
from firth.errors import InputError

app = typer.Typer(
    no_args_is_help=True, help="Figures, as a page (.html) or a picture (.svg .png .pdf)."
)


def _drawable(output: str) -> str:
    """The name of a figure; says what is wrong with it before anything is done."""
    from firth.plots import check_figure_name

    try:
        check_figure_name(output)
    except InputError as error:
        shared.fail(error.message, error.hint)
    return output


FigureFile = Annotated[
    str,
    typer.Option(
        "--output", "-o", metavar="FILE", help="The figure to write: .html .svg .png .pdf", callback=_drawable
    ),
]  # fmt: skip


@app.command("scree")
@shared.guarded
def scree(
    model: shared.ModelPath,
    output: FigureFile = "scree.html",
) -> None:
    """Draw the singular values of the word vectors: how much each dimension tells.

    Example: [bold]firth plot scree news -o scree.html[/]
    """
    from firth.model import load
    from firth.plots import save_figure, scree_figure

    save_figure(scree_figure(load(model).vectors), output)
    shared.stdout().print(shared.line("drawn: ", (output, "bold")))


@app.command("map")
@shared.guarded
def map_(
    model: shared.ModelPath,
    output: FigureFile = "map.html",
    words: Annotated[
        int, typer.Option("--words", metavar="N", min=1, help="How many words to draw.")
    ] = 5_000,
    quiet: shared.Quiet = False,
) -> None:
    """Draw the words in two dimensions, coloured by the tree of classes, cut into eight.

    The map is made the first time and kept in the model, so it is the same every time.

    Example: [bold]firth plot map news -o map.html[/]
    """
    from firth.compute import engine_for
    from firth.maps import MapParameters
    from firth.model import load
    from firth.pipeline import learn_map
    from firth.plots import map_figure, save_figure
    from firth.store import writing

    opened = load(model)
    if "map" not in opened or opened.is_stale("map"):
        with shared.reporting(quiet), writing(model) as writer:
            learn_map(writer, MapParameters(), engine_for("learn_map", None))
        opened = load(model)
    classes = opened.classes if "classes" in opened and not opened.is_stale("classes") else None
    save_figure(map_figure(opened.map, classes, words), output)
    shared.stdout().print(shared.line("drawn: ", (output, "bold")))


@app.command("tree")
@shared.guarded
def tree(
    model: ClassesPath,
    output: FigureFile = "tree.html",
    depth: Annotated[
        int, typer.Option("--depth", metavar="N", min=1, help="How far down to draw.")
    ] = 6,
) -> None:
    """Draw the tree of classes: a box for every node, as wide as its share of the text.

    A page (.html) can be zoomed into, and shows typical words under the mouse.

    Example: [bold]firth plot tree news -o tree.html[/]
    """
    from firth.plots import save_figure, tree_figure

    save_figure(tree_figure(open_classes(model), depth), output)
    shared.stdout().print(shared.line("drawn: ", (output, "bold")))


@app.command("tags")
@shared.guarded
def tags(
    model: shared.ModelPath,
    output: FigureFile = "tags.html",
) -> None:
    """Draw which tags follow which: a heat map of the steps from tag to tag.

    Example: [bold]firth plot tags news -o tags.html[/]
    """
    from firth.cli._tags import open_tags
    from firth.plots import save_figure, tags_figure

    save_figure(tags_figure(open_tags(model)), output)
    shared.stdout().print(shared.line("drawn: ", (output, "bold")))


@app.command("dendrogram")
@shared.guarded
def dendrogram(
    model: VectorsPath,
    output: FigureFile = "dendrogram.html",
    top: words_tree.Top = None,
    words: words_tree.Words = None,
    method: words_tree.Method = "ward",
    by: words_tree.By = None,
    cut: words_tree.Cut = None,
    marks: words_tree.Marks = False,
) -> None:
    """Draw frequent words as a tree: words with the same neighbours meet first.

    A page (.html) needs no network; groups open and close, and words can be found on it.

    Example: [bold]firth plot dendrogram news --top 100 -o dendrogram.html[/]
    """
    with shared.interruptible():
        words_tree.draw(
            model, output, top=top, file=words, method=method, by=by, cut=cut, marks=marks
        )
