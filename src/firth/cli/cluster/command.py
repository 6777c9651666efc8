"""firth cluster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.cli.cluster._files import (
    CurveFile,
    LabelsFile,
    PlotFile,
    TreeFile,
    check_files,
    write_files,
)
from firth.cluster import CLUSTER_METHODS, ClusterOptions, Selection
from firth.formats import FileLimits

if TYPE_CHECKING:
    from firth.cluster import Objects


@command(Selection, ClusterOptions, CLUSTER_METHODS, FileLimits)
def cluster(
    source: Annotated[
        str,
        shared.argument(
            "INPUT",
            "A model folder, or a file: .npy, .npz, .csv, .tsv, .parquet, .arrow, word2vec, "
            "GloVe, or pairs of words with counts; - for standard input.",
        ),
    ],
    *,
    k: Annotated[
        str | None,
        typer.Option(
            "--k",
            "-k",
            metavar="N|auto|auto:2-40",
            help="Number of clusters; auto: the number with the shortest description.",
            show_default="auto for many rows of few columns, otherwise √(objects / 2)",
            rich_help_panel="Learning",
        ),
    ] = None,
    options: dict[str, Any],
    output: LabelsFile = None,
    tree: TreeFile = None,
    plot: PlotFile = None,
    curve: CurveFile = None,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Cluster any objects: the words of a model, or rows of numbers in a file.

    Bottom-up methods (group-average, single, complete, average, ward) and top-down make a tree, k-means and
    k-medoids flat clusters, mixture and distributional soft ones. Files may be compressed. A CSV file may have a
    header and a first column of names.

    Example: [bold]firth cluster news --top 60 -k 8 -o clusters.csv[/]
    """
    from firth.cli.cluster._printing import print_clustering, print_notes
    from firth.cluster import cluster as cluster_objects
    from firth.cluster import make_clusterer

    selection = Selection(**Selection.take(options))
    selection.check()
    files = {"output": output, "tree": tree, "plot": plot, "curve": curve}
    given = {name: file for name, file in files.items() if file is not None}
    if curve and k is None:
        k = "auto"
    hint = "Nothing was written. Run the same command again to start over."
    with shared.interruptible(hint), shared.reporting(quiet or json or output == "-"):
        asked = dict(options)
        method, metric = asked.pop("method", CLUSTER_METHODS.default), asked.pop("metric", None)
        asked.pop("threads", None)
        unfitted = make_clusterer(method, metric, asked)  # errors come before anything is read
        check_files(given, source, unfitted, auto=str(k).startswith("auto"))
        objects = _read(source, selection, distances=metric == "precomputed")
        whole = tree is not None or plot is not None
        found = cluster_objects(objects, k=k, tree=whole, **options)
        write_files(given, found)
        if json:
            shared.print_json({**found.describe(), "files": given})
        elif not quiet and output != "-":
            print_notes(found)
            print_clustering(found, given)


def _read(source: str, selection: Selection, distances: bool) -> Objects:
    """The objects of a model or a file, and of these the ones that were asked for."""
    from firth.cluster import Objects, names_in

    words = None if selection.words is None else names_in(selection.words)
    if source == "-" or not Path(source).is_dir():
        return Objects.read(source, selection.header).select(words, selection.top, distances)
    if selection.header is not None:
        shared.fail("--header does not apply to a model.", "It is for CSV files.", status=2)
    if distances:
        shared.fail(f"{source} is a model, not a distance matrix.", "Give a file.", status=2)
    return Objects.of_vectors(shared.open_part(source, "vectors"), words, selection.top)
