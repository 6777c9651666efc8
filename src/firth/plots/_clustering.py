"""A clustering as a figure: its dendrogram, or its memberships."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from firth.cluster import SCIPY
from firth.errors import InputError
from firth.plots._dendrogram import save_dendrogram
from firth.plots._figures import save_figure
from firth.plots._how_many import how_many_figure
from firth.plots._memberships import memberships_figure

if TYPE_CHECKING:
    from firth.cluster import Clusterer, Clustering

__all__ = ["can_draw", "save_clustering", "save_how_many"]

_ORDERED = 1_000
"""Leaves of larger dendrograms are not ordered by distance."""


def can_draw(method: Clusterer) -> bool:
    """Whether a method makes a tree of objects, or soft clusters."""
    return method.tree_of == "objects" or method.is_soft


def save_clustering(clustering: Clustering, path: str | Path) -> None:
    """Draw the dendrogram of a tree of objects, or the memberships of soft clusters.

    Parameters
    ----------
    clustering : Clustering
        The result of ``firth.cluster.cluster``.
    path : str or Path
        The name of a file that ends with .html, .svg, .png or .pdf.
    """
    names = clustering.objects.names
    if clustering.estimator.tree_of == "objects" and clustering.tree is not None:
        axis = {"cosine": "1 − cosine", "l1": "distance (L1)"}.get(
            str(clustering.metric), "distance"
        )
        axis = "Ward's height" if clustering.method == "ward" else axis
        distances = _distances(clustering) if len(names) <= _ORDERED else None
        tree, k, title = clustering.tree, clustering.k, clustering.title
        save_dendrogram(path, tree, names, k, title, axis, distances)
    elif clustering.memberships is not None:
        clusters = [str(g) for g in range(clustering.k)]
        shares = clustering.memberships
        save_figure(memberships_figure(shares, names, clusters, title=clustering.title), path)
    else:
        raise InputError("There is neither a tree of objects nor soft clusters to draw.")


def _distances(clustering: Clustering) -> Any:
    """All distances, by which leaves are ordered."""
    from scipy.spatial.distance import pdist

    rows = clustering.objects.rows
    rows = rows if isinstance(rows, np.ndarray) else rows.toarray()
    if clustering.metric == "precomputed":
        return (rows + rows.T) / 2
    return np.maximum(pdist(rows, SCIPY[str(clustering.metric)]), 0.0)


def save_how_many(clustering: Clustering, path: str | Path) -> None:
    """Draw the measures for all numbers of clusters that were tried (``k="auto"``)."""
    how = clustering.how_many
    if how is None:
        raise InputError("The number of clusters was given, not chosen.", 'Use k="auto".')
    figure = how_many_figure(
        how.ks, how.description_lengths, how.informations, how.agreements, how.chosen
    )
    save_figure(figure, path)
