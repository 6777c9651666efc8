"""What ``firth cluster`` writes: groups, trees and figures."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from firth.cli import _shared as shared
from firth.cli._cluster_input import Objects
from firth.cli._cluster_methods import Found
from firth.cli._cluster_options import Settings
from firth.errors import FirthError, InputError
from firth.store import replacing

_FIGURES = (".html", ".svg", ".png", ".pdf", ".jpeg", ".webp")
_SUFFIXES = {
    "output": (".csv", ".tsv", ".json", ".parquet"), "tree": (".npy", ".csv", ".tsv"),
    "plot": _FIGURES, "curve": _FIGURES,
}  # fmt: skip
_ORDERED = 1_000
"""Leaves of a dendrogram up to which similar ones are put side by side."""
Files = dict[str, str]


def check_files(files: Files, source: str, settings: Settings, auto: bool) -> None:
    """Say before all work what could not be written after it."""
    _check_options(files, settings, auto)
    seen = {} if source == "-" else {Path(source).resolve(): "INPUT"}
    for name, file in files.items():
        if name == "output" and file == "-":
            continue
        path = Path(file)
        if path.suffix.lower() not in _SUFFIXES[name]:
            *others, last = _SUFFIXES[name][:4]
            shared.fail(
                f"--{name} cannot be written as {path.name!r}.",
                f"Use a name that ends with {', '.join(others)} or {last}.",
                status=2,
            )
        if path.is_dir():
            shared.fail(f"{file} is a folder.", "Name a file.")
        if not path.parent.is_dir():
            shared.fail(f"There is no folder {path.parent}.", "Make it first, or name another.")
        if not os.access(path.parent, os.W_OK):
            shared.fail(f"No permission to write to the folder {path.parent}.", "Name another.")
        other = seen.setdefault(path.resolve(), f"--{name}")
        if other != f"--{name}":
            shared.fail(
                f"--{name} would write over {other}: {file}.", "Give it another name.", status=2
            )
    needs_plotly = "curve" in files or (
        "plot" in files and not (settings.is_tree and files["plot"].lower().endswith(".html"))
    )
    if needs_plotly and find_spec("plotly") is None:
        raise FirthError(
            "Figures need Plotly, which is not installed.", 'pip install "firth[plots]"'
        )


def _check_options(files: Files, settings: Settings, auto: bool) -> None:
    if "tree" in files and not (settings.is_tree or settings.method == "distributional"):
        shared.fail(
            f"--method {settings.method} makes no tree.",
            "--tree is for bottom-up methods, top-down and distributional.",
            status=2,
        )
    if "plot" in files and not (settings.is_tree or settings.is_soft):
        what = "--hard" if settings.method == "distributional" else f"--method {settings.method}"
        shared.fail(
            f"--plot is not for {what}.",
            "It draws trees, and memberships of soft groups.",
            status=2,
        )
    if "curve" in files and not auto:
        shared.fail("--curve is for -k auto.", "For example: -k auto:2-40", status=2)


def write_files(files: Files, objects: Objects, found: Found, settings: Settings) -> None:
    """Write all that was asked for, each file at once."""
    if "tree" in files:
        with replacing(files["tree"]) as file:
            _write_tree(file, files["tree"], found.tree)
    if "plot" in files:
        with _figure_file(files["plot"]) as path:
            _draw(path, objects, found, settings)
    if "curve" in files:
        from firth.plots import how_many_figure, save_figure

        with _figure_file(files["curve"]) as path:
            how = found.how_many
            figure = how_many_figure(
                how.ks, how.description_lengths, how.informations, how.agreements, how.chosen
            )
            save_figure(figure, path)
    if "output" in files:
        with replacing(files["output"]) as file:
            _write_groups(file, files["output"], objects, found)


def _draw(path: str, objects: Objects, found: Found, settings: Settings) -> None:
    title = f"{len(objects):,} {objects.kind}s by {settings}"
    if not settings.is_tree:
        from firth.plots import memberships_figure, save_figure

        groups = [str(g) for g in range(found.k)]
        save_figure(memberships_figure(found.memberships, objects.names, groups, title=title), path)
        return
    from firth.plots import save_dendrogram

    axis = {"cosine": "1 − cosine", "l1": "distance (L1)"}.get(settings.metric or "", "distance")
    distances = _distances(objects, settings) if len(objects) <= _ORDERED else None
    axis = "Ward's height" if settings.method == "ward" else axis
    save_dendrogram(path, found.tree, objects.names, found.k, title, axis, distances)


def _distances(objects: Objects, settings: Settings) -> Any:
    """All distances, by which leaves that are alike come side by side."""
    rows = objects.rows if isinstance(objects.rows, np.ndarray) else objects.rows.toarray()
    if settings.metric == "precomputed":
        return (rows + rows.T) / 2
    from scipy.spatial.distance import pdist

    return np.maximum(
        pdist(rows, {"l1": "cityblock"}.get(str(settings.metric), settings.metric)), 0.0
    )


@contextmanager
def _figure_file(output: str) -> Iterator[str]:
    """A name for a figure, which takes its real name only when it is whole."""
    target = Path(output)
    try:
        descriptor, name = tempfile.mkstemp(
            prefix=f".{target.stem}.", suffix=target.suffix, dir=target.parent or "."
        )
    except OSError as error:
        raise InputError(
            f"Cannot write {output}: {error.strerror}.", "May you write to this folder?"
        ) from error
    os.close(descriptor)
    path = Path(name)
    try:
        yield name
        mask = os.umask(0)
        os.umask(mask)
        path.chmod(0o666 & ~mask)
        path.replace(target)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _write_tree(file: Any, name: str, tree: Any) -> None:
    if name.lower().endswith(".npy"):
        np.save(file, np.ascontiguousarray(tree, np.float64), allow_pickle=False)
        return
    import pyarrow as pa

    parts = {"a": tree[:, 0].astype(np.int64), "b": tree[:, 1].astype(np.int64)}
    sizes = tree[:, 3].astype(np.int64)
    _write_csv(file, name, pa.table({**parts, "height": tree[:, 2], "size": sizes}))


def _write_groups(file: Any, name: str, objects: Objects, found: Found) -> None:
    import pyarrow as pa

    if name.lower().endswith(".json"):
        records = ",\n".join(map(shared.json_text, _records(objects, found)))
        file.write(f"[\n{records}\n]\n".encode())
        return
    columns: dict[str, Any] = {"name": pa.array(objects.names, pa.string()), "group": found.labels}
    if found.memberships is not None:
        for k in range(found.memberships.shape[1]):
            columns[f"p{k}"] = np.ascontiguousarray(found.memberships[:, k])
    table = pa.table(columns)
    if name.lower().endswith(".parquet"):
        import pyarrow.parquet

        pyarrow.parquet.write_table(table, file)
    else:
        _write_csv(file, name, table)


def _write_csv(file: Any, name: str, table: Any) -> None:
    """A table between commas or tabs; text is always in quotation marks."""
    import pyarrow.csv

    delimiter = "\t" if name.lower().endswith(".tsv") else ","
    pyarrow.csv.write_csv(table, file, pyarrow.csv.WriteOptions(delimiter=delimiter))


def _records(objects: Objects, found: Found) -> list[dict[str, Any]]:
    """Name, group and perhaps memberships of every object."""
    labels = found.labels.tolist()
    if found.memberships is None:
        return [{"name": n, "group": g} for n, g in zip(objects.names, labels, strict=True)]
    soft = found.memberships.tolist()
    return [
        {"name": n, "group": g, "memberships": p}
        for n, g, p in zip(objects.names, labels, soft, strict=True)
    ]
