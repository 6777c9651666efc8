"""A clustering, for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from firth import progress
from firth.cli import _shared as shared

if TYPE_CHECKING:
    from firth.cluster import Clustering

_CLUSTERS, _MEASURES, _UNSURE, _BETAS = 30, 20, 8, 8
"""How many clusters, numbers of clusters, uncertain objects and splits are listed."""
_LEAST = 0.01
"""Memberships that are smaller are not shown."""


def print_clustering(found: Clustering, files: dict[str, str]) -> None:
    """Print measures, clusters and memberships, and the files written."""
    console, data = shared.stdout(), found.describe()
    if found.how_many is not None:
        _print_measures(data["how_many"], found.k)
    console.print(
        shared.line(f"{shared.count_of(found.k, 'cluster')} of {found.title}", (_why(found), "dim"))
    )
    _print_clusters(data["groups"])
    if found.memberships is not None and found.k > 1:
        _print_memberships(found)
    if found.log_likelihoods is not None:
        values = [f"{value:,.1f}" for value in found.log_likelihoods]
        shown = values if len(values) <= 6 else [*values[:3], "…", *values[-2:]]
        iterations = (f"  ({shared.count_of(len(values) - 1, 'EM iteration')})", "dim")
        console.print(shared.line(f"log-likelihood  {'  '.join(shown)}", iterations))
    if data["split_betas"]:
        betas = [f"{beta:.3g}" for beta in data["split_betas"]]
        more = " …" if len(betas) > _BETAS else ""
        console.print(f"split at beta  {'  '.join(betas[:_BETAS])}{more}")
    if data["inversions"] and found.tree is not None:
        merges = shared.count_of(len(found.tree), "merge")
        console.print(
            f"not monotonic: {data['inversions']:,} of {merges} lower than one of their parts, so "
            "heights do not order this tree"
        )
    for name, file in files.items():
        if file != "-":
            console.print(shared.line(f"{name:<9}", (file, "bold")))


def _why(found: Clustering) -> str:
    """How the number of clusters was decided."""
    if found.k_by == "square root":
        return f"  (k is the square root of {len(found.objects):,}/2; choose with -k)"
    return "  (shortest description)" if found.how_many is not None else ""


def _table(*columns: str) -> Any:
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for title in columns:
        table.add_column(title, justify="right", no_wrap=True)
    return table


def _print_measures(rows: list[dict[str, Any]], chosen: int) -> None:
    """The measures for every number of clusters, or for some if there are many."""
    table = _table("k", "bits", "BIC", "agreement")
    table.add_column("")
    shown = rows
    if len(rows) > _MEASURES:
        places = set(np.linspace(0, len(rows) - 1, _MEASURES - 1).astype(int).tolist())
        shown = [row for i, row in enumerate(rows) if i in places or row["k"] == chosen]
    for row in shown:
        is_chosen = row["k"] == chosen
        cells = [f"{row['k']:,}", f"{row['bits']:,.0f}", f"{row['bic']:,.0f}"]
        cells += [f"{row['agreement']:.2f}", "← shortest" if is_chosen else ""]
        table.add_row(*cells, style="bold" if is_chosen else None)
    shared.print_table(table)
    console = shared.stdout()
    if len(shown) < len(rows):
        left_out = f"{len(shown)} of {len(rows):,} numbers of clusters; --json has all"
        console.print(shared.line((left_out, "dim")))
    console.print()


def _print_clusters(clusters: list[dict[str, Any]]) -> None:
    """The number, size and typical members of every cluster, or of the largest if there are many."""
    from rich.text import Text

    table = _table("cluster", "size")
    table.add_column("typical", overflow="ellipsis", no_wrap=True)
    largest = sorted(clusters, key=lambda row: (-row["size"], row["group"]))[:_CLUSTERS]
    for row in sorted(largest, key=lambda row: int(row["group"])):
        names = "  ".join(shared.printable(_short(name)) for name in row["central"])
        more = " …" if row["size"] > len(row["central"]) else ""
        table.add_row(str(row["group"]), f"{row['size']:,}", Text(names + more))
    shared.print_table(table)
    rest = len(clusters) - len(largest)
    if rest:
        text = f"and {shared.count_of(rest, 'more cluster')}"
        shared.stdout().print(shared.line((text, "dim")))


def _print_memberships(found: Clustering) -> None:
    """The memberships of the least certain objects."""
    from rich.text import Text

    shares: Any = found.memberships
    largest = shares.max(axis=1)
    order = np.argsort(largest, kind="stable")[:_UNSURE].tolist()
    unsure = [i for i in order if largest[i] < 1 - _LEAST]
    console = shared.stdout()
    if not unsure:
        console.print("every object belongs to one cluster with 99% or more")
        return
    console.print()
    table = _table()
    table.add_column("between clusters", no_wrap=True, overflow="ellipsis")
    sums = shares[unsure].sum(axis=0)
    strongest = np.argsort(-sums, kind="stable")[:_UNSURE].tolist()
    columns = sorted(g for g in strongest if shares[unsure, g].max() >= _LEAST)
    for g in columns:
        table.add_column(str(g), justify="right", no_wrap=True)
    for i in unsure:
        cells = [f"{shares[i, g]:.2f}" if shares[i, g] >= _LEAST else "·" for g in columns]
        table.add_row(Text(shared.printable(_short(found.objects.names[i]))), *cells)
    shared.print_table(table)


def _short(name: str) -> str:
    return name if len(name) <= 40 else name[:39] + "…"


def print_notes(found: Clustering) -> None:
    """Print notes on standard error."""
    from firth.cluster import listed

    objects = found.objects
    if objects.left_out:
        missing = shared.count_of(len(objects.left_out), "word")
        progress.notice(f"{missing} not found: {shared.printable(listed(objects.left_out))}")
    for note in found.notes:
        progress.notice(shared.printable(note))
    if found.how_many is not None and found.k == 1:
        progress.notice(
            f"A single cluster has the shortest description: {objects.dim:,} columns of "
            f"{len(objects):,} objects are not enough to tell clusters apart.",
            "Choose a number of clusters: -k 8",
        )
