"""Syntax trees: in brackets, in print, in pictures, and in other people's classes."""

from firth.trees._brackets import parse_trees, read_trees
from firth.trees._cleaning import clean, plain_label, rebuilt, retagged
from firth.trees._tree import Tree

__all__ = ["Tree", "clean", "parse_trees", "plain_label", "read_trees", "rebuilt", "retagged"]
