"""firth plot: figures."""

from firth.cli._options import group
from firth.cli.plot.dendrogram import dendrogram
from firth.cli.plot.map import map_
from firth.cli.plot.scree import scree
from firth.cli.plot.tags import tags
from firth.cli.plot.tree import tree

app = group(
    "Figures, as a web page (.html) or an image (.svg, .png or .pdf).",
    scree,
    map_,
    tree,
    tags,
    dendrogram,
)
