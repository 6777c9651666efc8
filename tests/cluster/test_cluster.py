"""The one function for all methods: its results, its memory, and how a method is added."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from scipy.spatial.distance import cdist

from firth.cluster import CLUSTER_METHODS, Objects, cluster, make_clusterer
from firth.cluster import _memory as memory
from firth.errors import InputError, ParameterError
from firth.formats import ObjectTable
from firth.vectors import WordVectors

ROWS = np.random.default_rng(7).normal(size=(24, 2)) + np.repeat(
    [[9, 1], [1, 9], [-9, -9]], 8, axis=0
)
TRUTH = [0] * 8 + [1] * 8 + [2] * 8
COUNTS = np.array([[9, 5, 1], [7, 8, 0], [0, 1, 9], [1, 0, 8]])


@pytest.mark.parametrize("method", CLUSTER_METHODS.choices[:-1])
@pytest.mark.slow
def test_every_method(method: str) -> None:
    found = cluster(ROWS, method, 3)
    assert found.labels.tolist() == found.estimator.labels_.tolist() == TRUTH
    assert (found.method, found.k, found.k_by, found.notes) == (method, 3, "said", [])
    assert (found.tree is not None) == (found.estimator.tree_of == "objects")
    assert (found.memberships is not None) == (method == "mixture")
    sparse = cluster(scipy.sparse.csr_array(ROWS), method, 3)
    assert sparse.labels.tolist() == TRUTH
    chosen = cluster(ROWS, method, "auto:2-5")
    assert chosen.labels.tolist() == chosen.estimator.labels_.tolist() == TRUTH
    assert chosen.how_many is not None
    assert chosen.estimator.n_clusters == chosen.how_many.chosen == 3


METRICS: list[tuple[str, Any]] = [
    (name, metric)
    for name, row in CLUSTER_METHODS.of.items()
    for metric in getattr(row, "metrics", ())
]


@pytest.mark.parametrize(("method", "metric"), METRICS)
def test_every_metric(method: str, metric: Any) -> None:
    rows = ROWS if metric != "precomputed" else cdist(ROWS, ROWS)
    found = cluster(rows, method, 3, metric=metric)
    assert (found.labels.tolist(), found.metric) == (TRUTH, metric)


@pytest.mark.parametrize("metric", ["euclidean", "l1"])
def test_central_members_are_near_the_centre(metric: Any) -> None:
    central = cluster(ROWS, k=3, metric=metric).central_members()
    for g, members in enumerate(central):
        some = ROWS[8 * g : 8 * g + 8]
        far = np.linalg.norm(some - some.mean(axis=0), ord=1 if metric == "l1" else 2, axis=1)
        assert members == (8 * g + np.argsort(far)).tolist()


@pytest.mark.parametrize("method", ["group-average", "top-down"])
@pytest.mark.parametrize("k", [2, 5])
def test_trees_for_several_numbers_are_the_trees_for_one(method: str, k: int) -> None:
    assert (
        cluster(ROWS, method, f"auto:{k}").labels.tolist()
        == cluster(ROWS, method, k).labels.tolist()
    )


@pytest.mark.parametrize("method", CLUSTER_METHODS.choices)
def test_identical_and_huge_objects(method: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same = cluster(np.tile([1.0, 2.0], (6, 1)), method, 2)
        assert len(same.labels) == 6
        if len(set(same.labels.tolist())) < 2:
            assert same.estimator.is_soft or "many objects are identical" in same.notes[0]
        huge = [[1e308, 1.0], [-1e308, 2.0], [1e308, 3.0], [1.0, 4.0]]
        try:
            assert len(cluster(huge, method, 2).labels) == 4
        except InputError as error:
            assert error.hint  # noqa: PT017


def test_counts() -> None:
    found = cluster(COUNTS, "distributional", 2)
    assert found.memberships is not None
    assert found.tree is not None
    assert found.tree.shape == (1, 4)
    hard = cluster(COUNTS, "distributional", 2, hard=True)
    assert hard.labels.tolist() == found.labels.tolist() == [0, 0, 1, 1]
    assert hard.memberships is None


def test_all_kinds_of_objects(tmp_path: Path) -> None:
    file = tmp_path / "points.csv"
    file.write_text("\n".join(f"p{i},{x},{y}" for i, (x, y) in enumerate(ROWS.tolist())))
    names = [f"p{i}" for i in range(24)]
    assert cluster(file, k=3).objects.names == names
    table = ObjectTable(ROWS, names, list(range(24)), words=True)
    found = cluster(table, k=3)
    assert (found.metric, found.objects.kind) == ("cosine", "word")
    assert found.central_members(1) == [[7], [15], [23]], "the most frequent word"
    vectors = WordVectors.from_arrays(names, ROWS.astype(np.float32))
    assert cluster(vectors, k=3).metric == "cosine"
    assert cluster(ROWS.tolist(), k=3).objects.names == [str(i) for i in range(1, 25)]


def test_a_tree_that_stops_early_is_not_returned() -> None:
    assert cluster(ROWS, "top-down", 3, tree=False).tree is None
    assert cluster(ROWS, "ward", 3, tree=False).tree is not None


def test_seeds() -> None:
    noise = np.random.default_rng(0).normal(size=(60, 5))
    one, other = (cluster(noise, "k-means", 9, random_state=seed).labels for seed in (0, 1))
    assert one.tolist() != other.tolist()
    generator = np.random.RandomState(3)
    assert cluster(noise, "k-means", "auto:2-3", random_state=generator).k in (2, 3)


def test_files(tmp_path: Path) -> None:
    found = cluster(ROWS, "mixture", 3)
    found.write(tmp_path / "a.json")
    records = json.loads((tmp_path / "a.json").read_text())
    assert [record["group"] for record in records] == TRUTH
    assert found.describe()["groups"][0]["members"] == [record["name"] for record in records[:8]]
    with pytest.raises(InputError, match=r"format of 'a\.txt' is unknown"):
        found.write(tmp_path / "a.txt")
    with pytest.raises(InputError, match="mixture has made no tree"):
        found.write_tree(tmp_path / "a.npy")
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"method": "x"}, "'method' parameter of cluster must be one of 'group-average'"),
    ({"metric": "x"}, "'metric' parameter of cluster must be one of"),
    ({"method": "ward", "metric": "l1"}, "must be 'cosine' or 'euclidean' for method 'ward'"),
    ({"method": "mixture", "metric": "l1"}, "does not apply to method 'mixture'"),
    ({"covariance": "full"}, "does not apply to method 'group-average': it is for mixture"),
    ({"nonsense": 1}, "'nonsense' parameter does not apply"),
    ({"n_clusters": 3}, "does not apply to cluster: give k"),
    ({"method": "mixture", "covariance": "x"}, "'covariance' parameter"),
    ({"k": 0}, "'k' parameter of cluster must be at least 1"),
    ({"k": True}, "'k' parameter of cluster must be a number, auto"),
    ({"k": 2.5}, "'k' parameter of cluster must be a number, auto"),
    ({"threads": 0}, "'threads' parameter of cluster"),
]


@pytest.mark.parametrize(("options", "message"), WRONG, ids=lambda part: str(part)[:30])
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        cluster(ROWS, **options)


def test_wrong_objects() -> None:
    for rows, message in (
        ([[1.0, 2.0]], "only one object"),
        (np.full((3, 2), np.nan), "not a number"),
        ([["a"], ["b"]], "rows of numbers"),
    ):
        with pytest.raises(InputError, match=message):
            cluster(rows)
    with pytest.raises(InputError, match="must be square"):
        cluster(ROWS, metric="precomputed")
    with pytest.raises(InputError, match="3 clusters"):
        cluster(ROWS[:2], k=3)


def test_objects_can_be_selected() -> None:
    objects = Objects.of(ObjectTable(np.abs(ROWS[:3, :1] - ROWS[:3, :1].T), list("abc")))
    some = objects.select(["c", "a", "z"], square=True)
    assert (some.names, some.left_out) == (["c", "a"], ["z"])
    assert some.rows.tolist() == objects.rows[[2, 0]][:, [2, 0]].tolist()
    assert objects.select(top=2).names == ["a", "b"]


def test_memory() -> None:
    n, dim = 1000, 50
    cases: list[tuple[str, dict[str, Any], int]] = [
        ("single", {}, 0),
        ("average", {}, 4),
        ("group-average", {}, 20),
        ("top-down", {"coherence": "single"}, 0),
        ("top-down", {"coherence": "single", "split": "k-medoids"}, 8),
        ("top-down", {}, 4),
    ]
    for method, options, expected in cases:
        made = make_clusterer(method, "euclidean", options)
        assert memory.needed_bytes(made, n, dim, sparse=False) == expected * n * n, method
    medoids, soft = make_clusterer("k-medoids", "l1"), make_clusterer("mixture")
    assert memory.needed_bytes(medoids, n, dim, sparse=True) == 8 * n * n
    assert memory.needed_bytes(soft, n, dim, sparse=True) == 8 * n * dim
    cosine = make_clusterer("top-down", "cosine", {"split": "group-average"})
    assert memory.needed_bytes(cosine, n, dim, sparse=False) == 0
    assert memory.needed_bytes(cosine, n, dim, sparse=True) == 8 * n * dim
    assert memory.needed_bytes(make_clusterer("k-means", "cosine"), n, dim, sparse=True) == 0
    found = memory.available_bytes()
    assert found is None or found > 1 << 20


def test_dense_copies_need_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: 100)
    with pytest.raises(InputError, match="mixture needs dense rows: 384 bytes of memory"):
        cluster(scipy.sparse.csr_array(ROWS), "mixture", 3)


METHOD = '''
"""Clusters by size: the length of rows."""
import numpy as np

from firth.cluster import Clusterer
from rows import SizeParameters


class SizeClusters(SizeParameters, Clusterer):
    """Objects in the order of their lengths, cut into equal parts."""

    def fit(self, X, y=None):
        self.check()
        order = np.argsort(np.linalg.norm(X, axis=1), kind="stable")
        if self.largest_first:
            order = order[::-1]
        self.labels_ = np.empty(len(X), np.int64)
        for label, part in enumerate(np.array_split(order, self.n_clusters)):
            self.labels_[part] = label
        return self

    def distance_bytes(self, n):
        return n << 60 if n > 5 else 0
'''
ROW = """
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from firth.cluster import CLUSTER_METHODS, ClusterParameters, method_row
from firth.parameters import Param


@dataclass(eq=False, repr=False)
class SizeParameters(ClusterParameters):
    estimator: ClassVar[str] = "sizes:SizeClusters"
    n_clusters: Annotated[int, Param("Number of clusters.", command=False)] = 2
    metric: Annotated[str, Param("Metric.", command=False)] = "euclidean"
    largest_first: Annotated[bool, Param("The largest objects first.")] = False


CLUSTER_METHODS.of["size"] = method_row(SizeParameters, ("euclidean",))
if __name__ == "__main__":
    import sys

    from firth.cli import main

    for command in sys.argv[1:]:
        sys.argv = ["firth", *command.split()]
        try:
            main()
        except SystemExit:
            pass
        print("-" * 9, flush=True)
"""


@pytest.mark.slow
def test_a_method_is_a_module_and_a_row(text_file: Callable[..., Path], tmp_path: Path) -> None:
    """Nothing else is needed for its name, its options, its metrics and its memory to be known."""
    text_file(METHOD, "sizes.py")
    text_file("a,5\nb,1\nc,4\nd,2\n", "small.csv")
    text_file("".join(f"{i}\n" for i in range(9)), "large.csv")
    commands = [
        "cluster --help",
        "cluster small.csv --method size -k 2 --json",
        "cluster small.csv --method size -k 2 --json --largest-first",
        "cluster small.csv --method size --split ward",
        "cluster small.csv --largest-first",
        "cluster large.csv --method size",
        "cluster small.csv --method size --tree t.npy",
    ]
    done = subprocess.run(
        [sys.executable, text_file(ROW, "rows.py"), *commands],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
        cwd=tmp_path,
        env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1"},
    )
    shown, first, second, *wrong = done.stdout.split("---------\n")[:-1]
    assert "distributional or size." in shown
    assert "--largest-first" in shown
    found = json.loads(first)
    assert [group["members"] for group in found["groups"]] == [["b", "d"], ["a", "c"]]
    assert found["metric"] == "euclidean"
    groups = json.loads(second)["groups"]
    assert [group["members"] for group in groups] == [["a", "c"], ["b", "d"]]
    assert "--split does not apply to --method size" in wrong[0]
    assert "--largest-first does not apply to --method group-average: it is for size" in wrong[1]
    assert "needs a table of all distances" in wrong[2]
    assert "makes no tree" in wrong[3]
