"""The files that firth cluster writes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from firth.cli import _shared as shared

if TYPE_CHECKING:
    from firth.cluster import Clustering

LabelsFile = Annotated[
    str | None,
    shared.option(
        "--output -o",
        "FILE",
        "Write the cluster of every object: .csv, .tsv, .json or .parquet; - for CSV on "
        "standard output.",
    ),
]
TreeFile = Annotated[
    str | None,
    shared.option("--tree", "FILE", "Write the tree as a SciPy linkage: .npy, .csv or .tsv."),
]
PlotFile = Annotated[
    str | None,
    shared.option(
        "--plot",
        "FILE",
        "Draw the dendrogram, or the memberships of soft clusters: .html, .svg, .png or .pdf.",
    ),
]
CurveFile = Annotated[
    str | None,
    shared.option("--curve", "FILE", "Draw the measures for every number of clusters (-k auto)."),
]
Files = dict[str, str]
"""Names of files by their options, without hyphens."""


def check_files(files: Files, source: str, method: Any, auto: bool) -> None:
    """Fail before any work is done if a file could not be written after it."""
    from firth.cluster import LABEL_FILES, TREE_FILES
    from firth.plots import FIGURE_FILES

    _check_options(files, method, auto)
    suffixes = {"output": LABEL_FILES, "tree": TREE_FILES}
    seen = {} if source == "-" else {Path(source).resolve(): "INPUT"}
    for name, file in files.items():
        if name == "output" and file == "-":
            continue
        _check_file(name, Path(file), suffixes.get(name, FIGURE_FILES))
        other = seen.setdefault(Path(file).resolve(), f"--{name}")
        if other != f"--{name}":
            message = f"--{name} would overwrite {other}: {file}."
            shared.fail(message, "Give it another name.", status=2)


def _check_options(files: Files, method: Any, auto: bool) -> None:
    from firth.cluster import CLUSTER_METHODS, make_clusterer
    from firth.plots import can_draw

    def methods(wanted: Callable[[Any], object]) -> str:
        names = [name for name in CLUSTER_METHODS.choices if wanted(make_clusterer(name))]
        return f"Use another method: {', '.join(names)}."

    if "tree" in files and not method.tree_of:
        hint = methods(lambda other: other.tree_of)
        shared.fail("--tree does not apply: this method makes no tree.", hint, status=2)
    if "plot" in files and not can_draw(method):
        message = "--plot does not apply: there is neither a tree of objects nor soft clusters."
        shared.fail(message, methods(can_draw), status=2)
    if "curve" in files and not auto:
        shared.fail("--curve needs -k auto.", "For example: -k auto:2-40", status=2)


def _check_file(name: str, path: Path, suffixes: tuple[str, ...]) -> None:
    if path.suffix.lower() not in suffixes:
        *others, last = suffixes[:4]
        shared.fail(
            f"The format of --{name} {path.name} is unknown.",
            f"Use a name that ends with {', '.join(others)} or {last}.",
            status=2,
        )
    if path.is_dir():
        shared.fail(f"{path} is a folder.", "Name a file.")
    if not path.parent.is_dir():
        shared.fail(f"The folder {path.parent} does not exist.", "Create it, or name another.")
    if not os.access(path.parent, os.W_OK):
        shared.fail(f"No permission to write to the folder {path.parent}.", "Name another.")


def write_files(files: Files, found: Clustering) -> None:
    """Write everything that was asked for; each file is replaced at once."""
    from firth.plots import save_clustering, save_how_many

    if "tree" in files:
        found.write_tree(files["tree"])
    if "plot" in files:
        save_clustering(found, files["plot"])
    if "curve" in files:
        save_how_many(found, files["curve"])
    if "output" in files:
        found.write(files["output"])
