"""The class tree, and the classes and inner nodes in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Body, Query, Request
from fastapi.responses import Response

from firth.classes import Context, Member
from firth.describe import siblings
from firth.explore._requests import (
    REFUSALS,
    NewName,
    NodePath,
    Opened,
    Problem,
    Shown,
    clean_name,
    edited,
    rendered,
)
from firth.explore._snapshot import Snapshot

__all__ = ["ClassName", "class_name", "edit_router", "exported", "node_facts", "router"]

router = APIRouter(tags=["classes"])
edit_router = APIRouter(tags=["classes"], responses=REFUSALS)
_TYPICAL = 6
_MOST_MEMBERS = 10_000
_MOST_NODES = 4_095
_CONTEXTS = 20


@dataclass(frozen=True)
class ClassName:
    """A node of the class tree, in short."""

    path: str
    label: str
    tokens: int


@dataclass(frozen=True)
class NodeFacts:
    """A class or an inner node of the class tree."""

    path: str
    label: str
    automatic_label: str
    name: str
    """The name that a user gave it, or an empty string."""
    n_classes: int
    n_words: int
    tokens: int
    rare: int
    """Number of tokens of words that are too rare to have a class of their own."""
    too_rare: bool
    """Whether it stands for these words."""
    share: float | None
    """Its share of the tokens of known words."""
    information: float | None
    """Its share of the mutual information of adjacent classes."""
    members: list[Member]
    sides: dict[str, list[Context]]
    above: list[ClassName]
    """Its ancestors, the root first."""
    below: list[ClassName]
    beside: list[ClassName]
    """Its sibling and the siblings of its ancestors, the nearest first."""


@dataclass(frozen=True)
class TreeFacts:
    """The class tree in preorder: parents before children, from left to right."""

    below: str
    n_classes: int
    paths: list[str]
    parents: list[int]
    """The position of the parent of each node in these lists; -1 for the first."""
    labels: list[str]
    named: list[bool]
    tokens: list[int]
    n_words: list[int]
    rare: list[int]
    """Numbers of tokens of words that are too rare to have a class of their own."""
    too_rare: list[bool]
    """Whether nodes stand for these words."""
    ranks: list[int]
    """A cut into k classes splits the inner nodes with a rank below k. 0 for a class."""
    typical: list[list[str]]


def class_name(snapshot: Snapshot, path: str) -> ClassName:
    """A node in short; its label is computed once."""
    classes = snapshot.classes
    begin, end = classes.tree.span(path)
    label = snapshot.once(f"label {path}", lambda: classes.label(path))
    return ClassName(path, label if path else "all words", int(classes.tokens[begin:end].sum()))


def node_facts(snapshot: Snapshot, path: str, n: int) -> NodeFacts:
    """A class or an inner node."""
    classes = snapshot.classes
    begin, end = classes.tree.span(path)
    # a prefix of paths that is not a node stands for the node below it
    node = (
        path
        if path in classes.tree.node_of
        else classes.tree.node_paths[_node_at(snapshot, begin, end)]
    )
    information = classes.information
    nodes = classes.tree.node_of
    above = [node[:i] for i in range(len(node)) if node[:i] in nodes]
    return NodeFacts(
        path=node,
        label=class_name(snapshot, node).label,
        automatic_label=classes.automatic_label(node),
        name=classes.names.get(node, ""),
        n_classes=end - begin,
        n_words=len(classes.ids_below(node)),
        tokens=int(classes.tokens[begin:end].sum()),
        rare=classes.rare_below(node),
        too_rare=classes.is_rare(node),
        share=classes.share(node),
        information=None if information is None else round(float(information[begin:end].sum()), 6),
        members=classes.members(node, n),
        sides=classes.contexts(node, _CONTEXTS) or {},
        above=[class_name(snapshot, p) for p in above],
        below=[class_name(snapshot, p) for p in _children(snapshot, node)],
        beside=[class_name(snapshot, p) for p in siblings(classes, node)[:6]],
    )  # fmt: skip


def _node_at(snapshot: Snapshot, begin: int, end: int) -> int:
    spans = snapshot.classes.tree.spans
    return int(((spans[:, 0] == begin) & (spans[:, 1] == end)).argmax())


def _children(snapshot: Snapshot, path: str) -> list[str]:
    tree = snapshot.classes.tree
    node = tree.node_of[path]
    if node < len(tree):
        return []
    return [tree.node_paths[child] for child in tree.merges[node - len(tree)].tolist()]


@router.get("/class")
def class_(
    snapshot: Opened,
    path: NodePath = "",
    n: Annotated[int, Query(ge=1, le=_MOST_MEMBERS, description="Maximum number of words.")] = 200,
) -> NodeFacts:
    """A class or an inner node: its words, its contexts, and nearby nodes in the tree."""
    return node_facts(snapshot, path, n)


@router.get("/tree", response_model=TreeFacts)
def tree(snapshot: Opened, below: NodePath = "") -> Response:
    """The subtree below a node, up to some thousand nodes; nodes that were merged last are kept."""

    def make() -> bytes:
        return rendered(_tree(snapshot, below))

    content = make() if below else snapshot.once("tree", make)  # only the whole tree is cached
    return Response(content, media_type="application/json")


def _tree(snapshot: Snapshot, below: str) -> TreeFacts:
    classes = snapshot.classes
    tree = classes.tree
    begin, end = tree.span(below)
    first = tree.node_of.get(below, _node_at(snapshot, begin, end))
    n = len(tree)
    kept: list[int] = [first]
    # split the node that was merged last
    waiting = {first} if first >= n else set()
    while waiting and len(kept) + 2 <= _MOST_NODES:
        node = max(waiting)
        waiting.remove(node)
        children = tree.merges[node - n].tolist()
        kept += children
        waiting |= {child for child in children if child >= n}
    kept.sort(key=lambda i: tree.node_paths[i])
    place = {node: i for i, node in enumerate(kept)}
    parents = [-1] * len(kept)
    for node in kept:
        for child in tree.merges[node - n].tolist() if node >= n else []:
            if child in place:
                parents[place[child]] = place[node]
    paths = [tree.node_paths[i] for i in kept]
    sizes = classes.sizes().cumsum()
    spans = [tree.spans[i].tolist() for i in kept]
    names = [class_name(snapshot, path) for path in paths]
    return TreeFacts(
        below=paths[0],
        n_classes=n,
        paths=paths,
        parents=parents,
        labels=[name.label for name in names],
        named=[path in classes.names for path in paths],
        tokens=[name.tokens for name in names],
        n_words=[int(sizes[b - 1] - (sizes[a - 1] if a else 0)) for a, b in spans],
        rare=[classes.rare_below(path) for path in paths],
        too_rare=[classes.is_rare(path) for path in paths],
        ranks=[0 if i < n else 2 * n - 1 - i for i in kept],
        typical=[[m.word for m in classes.members(path, _TYPICAL)] for path in paths],
    )


@edit_router.put("/name")
def name_class(
    request: Request,
    path: Annotated[str, Body(max_length=10_000, pattern="^[01]*$")],
    name: NewName,
    version: Shown,
) -> Problem | None:
    """Name a node of the class tree. An empty name removes the present one.

    Requires the version of the model.
    """
    snapshot = edited(request, version)
    from firth import pipeline  # slow to import: it loads compiled kernels

    snapshot.classes.tree.span(path)
    pipeline.name_classes(snapshot.model.path, {path: clean_name(name)})
    request.app.state.watcher.snapshot()
    return None


def exported(snapshot: Snapshot, words: Sequence[str]) -> Iterator[tuple[str, Any]]:  # noqa: ARG001
    """The answers for an exported page."""
    if "classes" in snapshot.parts:
        whole = _tree(snapshot, "")
        yield "tree", whole
        for path in whole.paths:
            yield f"class?path={path}", node_facts(snapshot, path, 60)
