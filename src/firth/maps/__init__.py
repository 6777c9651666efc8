"""Word vectors in, a map out: the words of a model in two dimensions, by t-SNE."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.maps._affinities import affinities
    from firth.maps._layout import divergence, layout, principal_positions
    from firth.maps._map import MapParameters, WordMap
    from firth.maps._neighbours import nearest_neighbours

__all__ = [
    "MapParameters", "WordMap", "nearest_neighbours", "affinities", "principal_positions", "layout",
    "divergence", "VERSION",
]  # fmt: skip

__getattr__ = lazily(
    __name__,
    _affinities="affinities",
    _layout="divergence layout principal_positions",
    _map="MapParameters WordMap",
    _neighbours="nearest_neighbours",
)
