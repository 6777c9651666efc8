"""A map of words: word vectors in, positions in two dimensions out, by t-SNE, PCA or MDS."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.maps._affinities import affinities
    from firth.maps._layout import divergence, layout, principal_positions
    from firth.maps._map import WordMap
    from firth.maps._mds import scaled_positions
    from firth.maps._neighbours import nearest_neighbours
    from firth.maps._parameters import MAPS, MapMethod, MapParameters
    from firth.maps._regions import Region, Regions, regions_of

__all__ = [
    "MAPS",
    "MapMethod",
    "MapParameters",
    "Region",
    "Regions",
    "WordMap",
    "affinities",
    "divergence",
    "layout",
    "nearest_neighbours",
    "principal_positions",
    "regions_of",
    "scaled_positions",
]

if not TYPE_CHECKING:
    __getattr__ = lazily(
        __name__,
        _affinities="affinities",
        _layout="divergence layout principal_positions",
        _map="WordMap",
        _mds="scaled_positions",
        _neighbours="nearest_neighbours",
        _parameters="MAPS MapMethod MapParameters",
        _regions="Region Regions regions_of",
    )
