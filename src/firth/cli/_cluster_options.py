"""The options of ``firth cluster``: which method has which, and what they mean together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, NamedTuple

import typer

from firth.cli import _shared as shared
from firth.errors import InputError, check_choice, check_count, wrong_parameter

BOTTOM_UP = ("group-average", "single", "complete", "average", "ward")
METHODS = (*BOTTOM_UP, "top-down", "k-means", "k-medoids", "mixture", "distributional")
METRICS = {
    **dict.fromkeys(BOTTOM_UP[:-1], ("cosine", "euclidean", "l1", "precomputed")),
    "top-down": ("cosine", "euclidean", "l1"),
    **dict.fromkeys(("ward", "k-means"), ("cosine", "euclidean")),
    "k-medoids": ("l1",), "mixture": (), "distributional": (),
}  # fmt: skip
"""The metrics of every method."""
_BY_CHANCE = ("top-down", "k-means", "k-medoids", "mixture", "distributional")
_ONLY = {
    "coherence": ("top-down",), "split": ("top-down",), "start": ("k-means", "k-medoids"),
    "covariance": ("mixture",), "soft": ("distributional",), "seed": _BY_CHANCE,
}  # fmt: skip
"""Options that not all methods have, and those that have them."""

_MOST_BY_DEFAULT, _PER_COLUMN, _LARGEST = 2_000, 10, 20

Input = Annotated[
    str,
    typer.Argument(
        metavar="INPUT", show_default=False,
        help="A model folder; or a file: .npy .npz .csv .tsv .parquet .arrow, word2vec, GloVe, pairs of words with "
        "counts; - for standard input.",
    ),
]  # fmt: skip
Output = Annotated[
    str | None,
    typer.Option(
        "--output", "-o", metavar="FILE", show_default=False,
        help="Where to write the group of every object: .csv .tsv .json .parquet; - for csv on standard output.",
    ),
]  # fmt: skip
Method = Annotated[
    str, typer.Option("--method", metavar="NAME", help=", ".join(METHODS[:-1]) + f" or {METHODS[-1]}.")
]  # fmt: skip
Metric = Annotated[
    str | None,
    shared.optional(
        "--metric", "cosine|euclidean|l1|precomputed",
        "How far apart objects are; by default cosine for words, else euclidean, and l1 for k-medoids. "
        "precomputed: INPUT is a table of distances.",
    ),
]  # fmt: skip
K = Annotated[
    str | None,
    typer.Option(
        "--k", "-k", metavar="N|auto|auto:2-40", show_default=False,
        help="How many groups. auto: the number with the shortest description. By default auto for a table with many "
        "rows and few columns, else the square root of half the objects.",
    ),
]  # fmt: skip
Words = Annotated[
    str | None,
    shared.optional("--words", "FILE", "Only the objects with these names, one a line."),
]
Top = Annotated[
    int | None,
    typer.Option(
        "--top", metavar="N", min=2, show_default=False,
        help="Only the N first objects: of a model, the most frequent words; 500 of these by default.",
    ),
]  # fmt: skip
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header", show_default=False,
        help="Whether the first line of a csv file has headings; by default as it looks.",
    ),
]  # fmt: skip
Coherence = Annotated[
    str | None,
    shared.optional(
        "--coherence", "group-average|single|complete", "top-down: the least coherent group is split next."
    ),
]  # fmt: skip
Split = Annotated[
    str | None,
    shared.optional("--split", "NAME", "top-down: how to split: k-means, k-medoids, or a bottom-up method."),
]  # fmt: skip
Start = Annotated[
    str | None,
    shared.optional("--start", "k-means++|buckshot|random", "k-means, k-medoids: the centres to begin with."),
]  # fmt: skip
Covariance = Annotated[
    str | None,
    shared.optional(
        "--covariance", "full|diagonal|tied|spherical", "mixture: the shapes of groups."
    ),
]
Soft = Annotated[
    bool | None,
    typer.Option(
        "--soft/--hard", show_default=False,
        help="distributional: objects belong to all groups by degrees, or to one; soft by default.",
    ),
]  # fmt: skip
Seed = Annotated[
    int | None, shared.optional("--seed", "N", "Of what is drawn by chance; 0 by default.")
]
Tree = Annotated[
    str | None,
    shared.optional(
        "--tree", "FILE",
        "Write the tree in SciPy's form (a linkage): .npy .csv .tsv; that of distributional is of its groups.",
    ),
]  # fmt: skip
Plot = Annotated[
    str | None,
    shared.optional(
        "--plot", "FILE", "Draw the tree, or the memberships of soft groups: .html .svg .png .pdf"
    ),
]
Curve = Annotated[
    str | None,
    shared.optional("--curve", "FILE", "-k auto: draw the figures for every number of groups."),
]


@dataclass(frozen=True)
class Settings:
    """How to group."""

    method: str
    metric: str | None
    """None where it was not said, until it is known what is grouped."""
    coherence: str = "group-average"
    split: str = "k-means"
    start: str = "k-means++"
    covariance: str = "full"
    soft: bool = True
    seed: int = 0
    threads: int | None = None

    def of(self, words: bool) -> Settings:
        """The same, with the metric that suits words or other objects."""
        has = METRICS[self.method]
        if self.metric is not None or not has:
            return self
        usual = "cosine" if words else "euclidean"
        return replace(self, metric=usual if usual in has else has[0])

    @property
    def is_tree(self) -> bool:
        return self.method in (*BOTTOM_UP, "top-down")

    @property
    def is_soft(self) -> bool:
        return self.method == "mixture" or (self.method == "distributional" and self.soft)

    @property
    def by_chance(self) -> bool:
        """Whether another seed may give other groups."""
        if self.method == "top-down":
            return self.split in ("k-means", "k-medoids")
        return self.method in _BY_CHANCE

    def __str__(self) -> str:
        return self.method + (f", {self.metric}" if self.metric else "")


class Wanted(NamedTuple):
    """How many groups: from ``low`` to ``high``, and who says so."""

    low: int
    high: int
    by: str

    @property
    def is_auto(self) -> bool:
        return self.by == "description length"


def settings_of(method: str, metric: str | None, said: dict[str, Any]) -> Settings:
    """The settings that options stand for; fails where they do not go together."""
    check_choice("cluster", "method", method, METHODS)
    for name, value in said.items():
        if value is not None and method not in _ONLY.get(name, METHODS):
            _refuse("hard" if value is False else name, method, _ONLY[name])
    from firth.cluster import COHERENCES, COVARIANCES, METRICS as ALL, SPLITS, STARTS  # noqa: I001

    for name, choices in (
        ("coherence", COHERENCES), ("split", SPLITS), ("start", STARTS), ("covariance", tuple(COVARIANCES)),
    ):  # fmt: skip
        if said.get(name) is not None:
            check_choice("cluster", name, said[name], choices)
    if said.get("seed") is not None:
        check_count("cluster", "seed", said["seed"], least=0)
        if said["seed"] >= 1 << 32:
            raise wrong_parameter("cluster", "seed", "less than 2³²", said["seed"])
    given = {name: value for name, value in said.items() if value is not None}
    return Settings(method, _metric(method, metric, ALL), **given)


def _refuse(name: str, method: str, methods: Sequence[str]) -> None:
    *others, last = methods
    which = f"{', '.join(others)} or {last}" if others else last
    shared.fail(f"--{name} is not for --method {method}.", f"It is for --method {which}.", status=2)


def _metric(method: str, metric: str | None, choices: Sequence[str]) -> str | None:
    has = METRICS[method]
    if metric is None:
        return None
    check_choice("cluster", "metric", metric, choices)
    if not has:
        what = "compares distributions" if method == "distributional" else "has its own distances"
        shared.fail(f"--metric is not for --method {method}.", f"It {what}.", status=2)
    if metric not in has:
        others = [m for m in METHODS if metric in METRICS[m]]
        shared.fail(
            f"--metric {metric} is not for --method {method}, which has {' and '.join(has)}.",
            f"It is for --method {', '.join(others[:-1])} or {others[-1]}.",
            status=2,
        )
    return metric


def wanted_groups(text: str | None, settings: Settings, n: int, dim: int) -> Wanted:
    """How many groups to make of ``n`` objects with ``dim`` columns."""
    can_choose = settings.metric != "precomputed" and settings.method != "distributional"
    if text is None:
        few = n >= _PER_COLUMN * dim and 4 <= n <= _MOST_BY_DEFAULT
        if few and can_choose:
            return Wanted(1, min(_LARGEST, n // 2), "description length")
        half = min(n, max(2, round((n / 2) ** 0.5)))
        return Wanted(half, half, "square root")
    found = re.fullmatch(r"(?:auto(?::(\d{1,9})(?:-(\d{1,9}))?)?)|(\d{1,9})", text.strip())
    if found is None:
        shared.fail(
            f"--k must be a number, auto, or a range such as auto:2-40. Got {text!r}.",
            "For example: -k 8",
            status=2,
        )
    if found[3] is not None:
        return _within(Wanted(int(found[3]), int(found[3]), "said"), n)
    if not can_choose:
        what = "distances alone" if settings.metric == "precomputed" else "distributions"
        shared.fail(
            f"The number of groups cannot be chosen from {what}.",
            "Say how many groups: -k 8",
            status=2,
        )
    low, high = int(found[1] or 1), int(found[2] or found[1] or min(_LARGEST, max(n // 2, 1)))
    if low > high:
        shared.fail(
            f"--k auto:{low}-{high} ends before it begins.",
            f"Write it as auto:{high}-{low}",
            status=2,
        )
    return _within(Wanted(low, high, "description length"), n)


def _within(wanted: Wanted, n: int) -> Wanted:
    if wanted.low < 1:
        shared.fail("--k must be at least 1. Got 0.", None, status=2)
    if wanted.high > n:
        raise InputError(
            f"There cannot be {wanted.high:,} groups of {n:,} objects.", f"Use -k {n} at the most."
        )
    return wanted
