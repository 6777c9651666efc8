"""Trees of classes: there and back, smaller trees cut from them, and SciPy's and Newick's forms."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, is_monotonic, is_valid_linkage

from firth.classes import BrownClasses
from firth.classes._tree import Tree
from firth.errors import InputError, ParameterError
from tests.classes.samples import corpora, same_partition
from tests.oracles import classes as oracle

pytestmark = pytest.mark.slow


@st.composite
def merge_lists(draw: st.DrawFn) -> list[tuple[int, int]]:
    """Merges of 1 to 12 leaves into one tree; a node goes by its smallest leaf."""
    active = list(range(draw(st.integers(1, 12))))
    merges = []
    while len(active) > 1:
        a, b = sorted(draw(st.lists(st.sampled_from(active), min_size=2, max_size=2, unique=True)))
        active.remove(b)
        merges.append((a, b))
    return merges


@st.composite
def path_lists(draw: st.DrawFn) -> list[str]:
    """The sorted paths of a binary tree, some of them through nodes with one branch only."""
    leaves = [""]
    for at in draw(st.lists(st.integers(0, 1000), max_size=11)):
        leaf = leaves.pop(at % len(leaves)) + draw(st.sampled_from(["", "", "0", "11"]))
        leaves += [leaf + "0", leaf + "1"]
    return sorted(leaves)


def leaves_below(tree: Tree, prefix: str) -> list[int]:
    return [i for i, path in enumerate(tree.paths) if path.startswith(prefix)]


def assert_is_a_tree(tree: Tree) -> None:
    """No path is the beginning of another, and every node has just the leaves below its path."""
    assert tree.paths == sorted(tree.paths)
    for left, right in pairwise(tree.paths):
        assert not right.startswith(left)
    n = len(tree)
    assert len(tree.node_paths) == len(set(tree.node_paths)) == 2 * n - 1
    for node, path in enumerate(tree.node_paths):
        begin, end = tree.spans[node]
        assert leaves_below(tree, path) == list(range(begin, end))
        assert tree.span(path) == (begin, end)
        assert tree.node_of[path] == node
    for i, (a, b) in enumerate(tree.merges):
        assert tree.node_paths[a].startswith(tree.node_paths[n + i] + "0")
        assert tree.node_paths[b].startswith(tree.node_paths[n + i] + "1")


@given(merges=merge_lists(), data=st.data())
def test_trees_from_merges(merges: list[tuple[int, int]], data: st.DataObject) -> None:
    n = len(merges) + 1
    losses = data.draw(st.lists(st.floats(0, 10), min_size=n - 1, max_size=n - 1))
    tree, new_of = Tree.from_merges(merges, losses)
    assert_is_a_tree(tree)
    assert sorted(new_of.tolist()) == list(range(n))
    # all leaves are classes: the oracle's paths of n words in n classes
    assert [tree.paths[i] for i in new_of] == oracle.paths(n, n, merges)
    assert np.all(np.diff(tree.heights) >= 0)
    np.testing.assert_allclose(tree.heights, np.cumsum(losses), atol=1e-9)
    again = Tree(tree.paths, tree.merges, tree.heights)
    assert np.array_equal(again.merges, tree.merges)


@given(merges=merge_lists())
def test_cuts_undo_the_last_merges(merges: list[tuple[int, int]]) -> None:
    n = len(merges) + 1
    tree, new_of = Tree.from_merges(merges, np.ones(n - 1))
    for k in range(1, n + 1):
        smaller, became = tree.cut(k)
        assert_is_a_tree(smaller)
        assert len(smaller) == k
        assert same_partition(became[new_of].tolist(), oracle.classes_after(n, merges, n - k))
        for leaf, i in enumerate(became.tolist()):
            assert tree.paths[leaf].startswith(smaller.paths[i])
        assert smaller.heights.tolist() == tree.heights[n - k :].tolist()


@given(paths=path_lists())
def test_trees_from_paths(paths: list[str]) -> None:
    tree = Tree.from_paths(paths)
    assert_is_a_tree(tree)
    assert tree.paths == paths
    assert np.all(np.diff(tree.heights) >= 0)
    depths = [len(path) for path in tree.node_paths[len(tree) :]]
    assert depths == sorted(depths, reverse=True), "nodes far from the root are merged first"
    if len(tree) > 1:
        assert is_valid_linkage(tree.linkage())


@given(merges=merge_lists())
def test_merges_to_paths_and_back(merges: list[tuple[int, int]]) -> None:
    """The order of the merges is lost on the way, the shape is not."""
    tree, _ = Tree.from_merges(merges, np.ones(len(merges)))
    again = Tree.from_paths(tree.paths)
    assert set(again.node_paths) == set(tree.node_paths)


@given(paths=path_lists(), bits=st.integers(1, 8))
def test_truncated_paths_are_cut_strings(paths: list[str], bits: int) -> None:
    tree, became = Tree.from_paths(paths).truncate(bits)
    assert tree.paths == sorted({path[:bits] for path in paths})
    assert [tree.paths[i] for i in became] == [path[:bits] for path in paths]
    assert_is_a_tree(tree)


@settings(max_examples=50)
@given(bigrams=corpora(), m=st.integers(2, 6))
def test_the_paths_of_browns_classes_are_those_of_the_oracle(bigrams: Any, m: int) -> None:
    n = bigrams.n_words
    m = min(m, n)
    brown = BrownClasses(m, threads=1).fit_bigrams(bigrams)
    classes, merges = brown.hierarchy_, [(int(a), int(b)) for a, b in brown.merges_]
    assert [classes.path(f"w{x}") for x in range(n)] == oracle.paths(n, m, merges)
    assert_is_a_tree(classes.tree)
    for k in range(1, m + 1):
        found = classes.cut(k)
        assert same_partition(found.class_of.tolist(), oracle.classes_after(n, merges, n - k))
        assert found.follow is not None
        assert np.array_equal(found.follow, bigrams.between(found.class_of, k))
        assert np.array_equal(found.tokens, bigrams.sums(found.class_of, k))


@given(merges=merge_lists(), seed=st.integers(0, 1000))
def test_scipy_takes_the_tree(merges: list[tuple[int, int]], seed: int) -> None:
    n = len(merges) + 1
    if n == 1:
        assert Tree.from_merges(merges, [])[0].linkage().shape == (0, 4)
        return
    tree, _ = Tree.from_merges(merges, np.random.default_rng(seed).random(n - 1) + 0.1)
    linkage = tree.linkage()
    assert is_valid_linkage(linkage)
    assert is_monotonic(linkage)
    for k in range(1, n + 1):
        flat = fcluster(linkage, k, "maxclust")
        assert same_partition(flat.tolist(), tree.cut(k)[1].tolist())


def read_newick(text: str) -> Any:
    """Nested lists of names, and of (subtree, branch length) pairs; all of the text must be used."""
    tokens = re.findall(r"'(?:[^']|'')*'|[(),;:]|[^'(),;:]+", text)
    assert "".join(tokens) == text

    def node() -> Any:
        token = tokens.pop(0)
        if token != "(":
            assert token[0] == token[-1] == "'"
            return token[1:-1].replace("''", "'")
        branches = []
        while token != ")":
            below = node()
            assert tokens.pop(0) == ":"
            branches.append((below, float(tokens.pop(0))))
            token = tokens.pop(0)
        return branches

    tree = node()
    assert tokens == [";"]
    return tree


@given(merges=merge_lists(), data=st.data())
def test_newick_is_balanced_and_quoted(merges: list[tuple[int, int]], data: st.DataObject) -> None:
    n = len(merges) + 1
    tree, _ = Tree.from_merges(merges, np.linspace(0.5, 1.5, n - 1))
    names = data.draw(st.lists(st.text("ab' (),:;'"), min_size=n, max_size=n))
    found: list[str] = []
    depths: list[float] = []

    def follow(node: Any, depth: float, prefix: str) -> None:
        if isinstance(node, str):
            found.append(node)
            depths.append(depth)
            assert tree.paths[len(found) - 1] == prefix
            return
        assert len(node) == 2
        for bit, (below, length) in enumerate(node):
            assert length >= 0
            follow(below, depth + length, prefix + str(bit))

    follow(read_newick(tree.newick(names)), 0.0, "")
    assert found == names
    np.testing.assert_allclose(depths, tree.heights[-1] if n > 1 else 0, rtol=1e-4)


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        (["0", "01"], "The path '0' is a prefix of the path '01'"),
        (["0", "0"], "is a prefix of"),
        (["0", "12"], "consist of 0 and 1. Got '12'"),
        (["", "1"], "A path is empty"),
        (["0", " 1"], "consist of 0 and 1"),
    ],
)
def test_what_are_no_paths(paths: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Tree.from_paths(paths)


@pytest.mark.parametrize(
    ("paths", "merges", "heights", "message"),
    [
        ([], [], [], "do not match"),
        (["0", "1"], [], [], "do not match"),
        (["0", "1"], [[0, 1]], [], "do not match"),
        (["0", "1"], [[0, 2]], [1], "a node that does not exist yet"),
        (["0", "1"], [[0, -1]], [1], "a node that does not exist yet"),
        (["0", "10", "11"], [[1, 2], [1, 3]], [1, 2], "merged twice"),
        (["0", "1"], [[0, 1]], [float("nan")], "not finite"),
        (["1", "0"], [[0, 1]], [1], "not in order"),
        (["0", "00"], [[0, 1]], [1], "not in order"),
        (["0", "10", "11"], [[0, 2], [3, 1]], [1, 2], "do not match the paths"),
        (["0", "1"], [[1, 0]], [1], "do not match the paths"),
    ],
)
def test_what_is_no_tree(paths: Any, merges: Any, heights: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Tree(paths, merges, heights)
