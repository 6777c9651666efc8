"""Syntax trees: bracket notation, cleaning, drawing, and conversion to and from NLTK."""

from firth.trees._brackets import parse_trees, read_trees
from firth.trees._cleaning import ROOT_LABELS, clean, plain_label, rebuilt, retagged
from firth.trees._files import tree_files
from firth.trees._historical import Format, LeftOut, TreeFormat, notice_left_out, treebank_trees
from firth.trees._tree import ESCAPES, Tree

__all__ = [
    "ESCAPES",
    "Format",
    "LeftOut",
    "ROOT_LABELS",
    "Tree",
    "TreeFormat",
    "clean",
    "notice_left_out",
    "parse_trees",
    "plain_label",
    "read_trees",
    "rebuilt",
    "retagged",
    "tree_files",
    "treebank_trees",
]
