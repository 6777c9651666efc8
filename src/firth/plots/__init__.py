"""Figures, by Plotly: an extra, imported only where a figure is drawn."""

from firth.plots._curve import curve_figure
from firth.plots._dendrogram import dendrogram_figure, save_dendrogram
from firth.plots._figures import check_figure_name, save_figure
from firth.plots._how_many import how_many_figure
from firth.plots._map import map_figure
from firth.plots._memberships import memberships_figure
from firth.plots._scree import scree_figure
from firth.plots._tags import tags_figure
from firth.plots._tree import tree_figure

__all__ = [
    "check_figure_name",
    "curve_figure",
    "dendrogram_figure",
    "how_many_figure",
    "map_figure",
    "memberships_figure",
    "save_dendrogram",
    "save_figure",
    "scree_figure",
    "tags_figure",
    "tree_figure",
]
