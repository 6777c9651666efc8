"""Figures, by Plotly: an extra, imported only where a figure is drawn."""

from firth.plots._figures import save_figure
from firth.plots._scree import scree_figure

__all__ = ["save_figure", "scree_figure"]
