"""The result of clustering: labels, a tree, memberships; as data, and as files."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.cluster._distances import SCIPY, dense, unit_rows
from firth.cluster._how_many import HowMany
from firth.cluster._objects import Objects
from firth.cluster._trees import inversions
from firth.errors import InputError
from firth.formats import Backend, Rows, frame_of, library_of
from firth.store import replacing

__all__ = ["LABEL_FILES", "TREE_FILES", "Clustering"]

LABEL_FILES = (".csv", ".tsv", ".json", ".parquet")
"""The kinds of files that ``Clustering.write`` writes."""
TREE_FILES = (".npy", ".csv", ".tsv")
"""The kinds of files that ``Clustering.write_tree`` writes."""
_AT_ONCE = 1 << 10
"""Number of sparse rows that are compared with a centre at once."""


@dataclass(eq=False)
class Clustering:
    """Clusters of objects, as ``cluster`` returns them.

    Attributes
    ----------
    objects : Objects
    method : str
    metric : str or None
    estimator : Clusterer
        Fitted to the objects.
    labels : array of int64
        The cluster of every object.
    k : int
        The number of clusters.
    k_by : str
        How it was decided: ``said``, ``square root`` or ``description length``.
    how_many : HowMany or None
        For ``description length``: measures for all numbers of clusters that were tried.
    notes : list of str
        What a person should know about the result.
    """

    objects: Objects
    method: str
    metric: str | None
    estimator: Any
    labels: npt.NDArray[np.int64]
    k: int
    k_by: str
    how_many: HowMany | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def title(self) -> str:
        """The objects and the method, such as "24 objects by ward, euclidean"."""
        return f"{len(self.objects):,} {self.objects.kind}s by {self.method_and_metric}"

    @property
    def method_and_metric(self) -> str:
        """Such as "ward, euclidean"."""
        return self.method + (f", {self.metric}" if self.metric else "")

    @property
    def tree(self) -> npt.NDArray[np.float64] | None:
        """The tree in SciPy's form, if there is one: of all objects, or for ``distributional`` of clusters."""
        if not getattr(self.estimator, "whole", True):
            return None  # it stopped at k clusters
        return getattr(self.estimator, "linkage_", None)

    @property
    def memberships(self) -> npt.NDArray[np.float64] | None:
        """How much every object belongs to every cluster, if clusters are soft."""
        return self.estimator.memberships_ if self.estimator.is_soft else None

    @property
    def log_likelihoods(self) -> npt.NDArray[np.float64] | None:
        """The log-likelihood after every EM iteration, for ``mixture``."""
        return getattr(self.estimator, "log_likelihoods_", None)

    def central_members(self, n: int = 8) -> list[list[int]]:
        """The objects that represent each cluster.

        They are the most frequent ones, if counts are known; otherwise those nearest to the centre.
        """
        clusters = []
        for g in range(self.k):
            members = np.flatnonzero(self.labels == g)
            order = np.argsort(self._eccentricities(members, g), kind="stable")
            clusters.append([int(i) for i in members[order[:n]]])
        return clusters

    def _eccentricities(self, members: npt.NDArray[np.int64], cluster: int) -> Any:
        """Small for members that represent their cluster."""
        objects = self.objects
        if self.estimator.takes_counts:
            soft = self.memberships
            shares = np.ones(len(members)) if soft is None else soft[members, cluster]
            return -shares * np.asarray(objects.rows[members].sum(axis=1)).ravel()
        if objects.counts is not None:
            return -objects.counts[members]
        if self.metric == "precomputed":
            return np.asarray(objects.rows[members][:, members].sum(axis=1)).ravel()
        if not len(members):
            return np.zeros(0)
        with np.errstate(over="ignore", invalid="ignore"):  # numbers may be huge
            return self._distances_from_centre(members)

    def _distances_from_centre(self, members: npt.NDArray[np.int64]) -> Any:
        from scipy.spatial.distance import cdist

        rows = self.objects.rows[members]
        if self.metric == "cosine":
            rows = unit_rows(rows, self.objects.names)
        centre = np.asarray(rows.mean(axis=0)).reshape(1, -1)
        metric = SCIPY["l1"] if self.metric == "l1" else "sqeuclidean"
        blocks = [dense(rows[i : i + _AT_ONCE]) for i in range(0, len(members), _AT_ONCE)]
        return np.concatenate([cdist(block, centre, metric).ravel() for block in blocks])

    def describe(self) -> dict[str, Any]:
        """Everything about the result, as plain data."""
        names, how = self.objects.names, self.how_many
        central = self.central_members()
        logs, tree = self.log_likelihoods, self.tree
        betas = getattr(self.estimator, "split_betas_", None)
        return {
            "objects": len(self.objects),
            "columns": self.objects.dim,
            "method": self.method,
            "metric": self.metric,
            "k": self.k,
            "k_by": self.k_by,
            "groups": Rows(
                {
                    "group": g,
                    "size": int((self.labels == g).sum()),
                    "central": [names[i] for i in central[g]],
                    "members": [names[i] for i in np.flatnonzero(self.labels == g)],
                }
                for g in range(self.k)
            ),
            "how_many": None if how is None else list(how.rows()),
            "inversions": None if tree is None else len(inversions(tree)),
            "log_likelihoods": None if logs is None else list(map(float, logs)),
            "converged": getattr(self.estimator, "converged_", None),
            "split_betas": None if betas is None else betas.tolist(),
            "left_out": self.objects.left_out,
            "notes": self.notes,
        }

    def to_frame(self, backend: Backend = "pandas") -> Any:
        """The cluster of every object, and its memberships if clusters are soft, as a frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "arrow"}
            A DataFrame of pandas or Polars, or an Arrow table.
        """
        import pyarrow as pa

        library_of(backend)
        return frame_of(pa.table(self._columns(soft=True)), backend)

    def _columns(self, soft: bool) -> dict[str, Any]:
        """Names and clusters; with ``soft`` also memberships, if there are any."""
        import pyarrow as pa

        names = pa.array(self.objects.names, pa.string())
        columns: dict[str, Any] = {"name": names, "group": self.labels}
        shares = self.memberships if soft else None
        for g in range(0 if shares is None else shares.shape[1]):
            columns[f"p{g}"] = np.ascontiguousarray(shares[:, g])  # type: ignore[index]
        return columns

    def write(self, path: str | Path) -> None:
        """Write the cluster of every object, and its memberships if clusters are soft.

        Parameters
        ----------
        path : str or Path
            The name of a file that ends with .csv, .tsv, .json or .parquet; ``-`` for CSV on
            standard output.
        """
        import pyarrow as pa

        suffix = ".csv" if path == "-" else _suffix(path, LABEL_FILES)
        columns, soft = self._columns(suffix != ".json"), self.memberships
        with replacing(path) as file:
            if suffix == ".json":
                records = pa.table(columns).to_pylist()
                for record, shares in zip(
                    records, [] if soft is None else soft.tolist(), strict=False
                ):
                    record["memberships"] = shares
                lines = ",\n".join(json.dumps(record, ensure_ascii=False) for record in records)
                file.write(f"[\n{lines}\n]\n".encode())
            elif suffix == ".parquet":
                import pyarrow.parquet

                pyarrow.parquet.write_table(pa.table(columns), file)
            else:
                _write_csv(file, suffix, columns)  # fmt: skip

    def write_tree(self, path: str | Path) -> None:
        """Write the tree.

        Parameters
        ----------
        path : str or Path
            The name of a file that ends with .npy, .csv or .tsv.
        """
        tree, suffix = self.tree, _suffix(path, TREE_FILES)
        if tree is None:
            raise InputError(f"The method {self.method} has made no tree.")
        with replacing(path) as file:
            if suffix == ".npy":
                np.save(file, np.ascontiguousarray(tree, np.float64), allow_pickle=False)
                return
            a, b, size = (tree[:, column].astype(np.int64) for column in (0, 1, 3))
            _write_csv(file, suffix, {"a": a, "b": b, "height": tree[:, 2], "size": size})


def _suffix(path: str | Path, known: tuple[str, ...]) -> str:
    suffix = Path(path).suffix.lower()
    if suffix not in known:
        raise InputError(
            f"The format of {Path(path).name!r} is unknown.",
            f"Use a name that ends with {', '.join(known[:-1])} or {known[-1]}.",
        )
    return suffix


def _write_csv(file: Any, suffix: str, columns: dict[str, Any]) -> None:
    """Write a table with commas or tabs; text is always quoted."""
    import pyarrow as pa
    import pyarrow.csv

    how = pyarrow.csv.WriteOptions(delimiter="\t" if suffix == ".tsv" else ",")
    pyarrow.csv.write_csv(pa.table(columns), file, how)
