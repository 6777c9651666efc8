"""Figures, drawn with Plotly: an extra that is imported when a figure is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.plots._clustering import can_draw, save_clustering, save_how_many
    from firth.plots._curve import curve_figure
    from firth.plots._dendrogram import dendrogram_figure, save_dendrogram
    from firth.plots._figures import FIGURE_FILES, check_figure_name, save_figure
    from firth.plots._how_many import how_many_figure
    from firth.plots._map import map_figure
    from firth.plots._memberships import memberships_figure
    from firth.plots._parameters import MapFigureParameters
    from firth.plots._scree import scree_figure
    from firth.plots._tags import tags_figure
    from firth.plots._tree import tree_figure

__all__ = [
    "FIGURE_FILES",
    "MapFigureParameters",
    "can_draw",
    "check_figure_name",
    "curve_figure",
    "dendrogram_figure",
    "how_many_figure",
    "map_figure",
    "memberships_figure",
    "save_clustering",
    "save_dendrogram",
    "save_figure",
    "save_how_many",
    "scree_figure",
    "tags_figure",
    "tree_figure",
]

if not TYPE_CHECKING:
    __getattr__ = lazily(
        __name__,
        _clustering="can_draw save_clustering save_how_many",
        _curve="curve_figure",
        _dendrogram="dendrogram_figure save_dendrogram",
        _figures="FIGURE_FILES check_figure_name save_figure",
        _how_many="how_many_figure",
        _map="map_figure",
        _memberships="memberships_figure",
        _parameters="MapFigureParameters",
        _scree="scree_figure",
        _tags="tags_figure",
        _tree="tree_figure",
    )
