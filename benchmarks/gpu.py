"""``python -m benchmarks.gpu``: a GPU, all cores of the processor, and the floor, in one run.

Needs a GPU, ``firth[gpu]``, and ``--text FILE`` (also .xz) or FIRTH_DATA with ``text/wiki.txt.xz``.
``--only`` chooses rows, ``--no-cpu`` leaves out the processor. A row that fails does not stop the others.
``--record`` prints what the tests on a GPU ran with: ``python -m pytest -c /dev/null --rootdir . tests/gpu``.

The floor is the larger of two times: the bytes that must be moved over the bandwidth, and the operations over the
rate, both measured here.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import os
import platform
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import data_file, print_table, processor, unpack
from benchmarks.gpu_models import MODEL_ROWS
from firth.compute import Device, Engine, engine_for, limit_blas

Facts = dict[str, Any]
ROWS: dict[str, Callable[[Lab], Facts]] = {}
"""What is measured, by name. A row returns ``what``, seconds (``gpu``, ``cpu`` or None, ``floor``), and ``quality``."""
PACKAGES = ("firth", "torch", "triton", "numpy", "scipy", "numba", "scikit-learn")
TEMPLATE = {"transform": "sqrt", "scale": "cca", "alpha": 0.75, "beta": 0.0}


def row(function: Callable[[Lab], Facts]) -> Callable[[Lab], Facts]:
    """Add a row to the benchmark."""
    ROWS[function.__name__.strip("_").replace("_", "-")] = function
    return function


class Lab:
    """What rows share: a device, data, rates of this machine."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.options, self.folder = options, folder
        self.cpu = engine_for("benchmark", None)
        if options.device == "torch-cpu":
            self.gpu = dataclasses.replace(self.cpu, device=Device("cpu"))
        else:
            self.gpu = engine_for("benchmark", None, options.device)
        assert self.gpu.device is not None
        self.device: Device = self.gpu.device
        self.torch = self.device.torch
        self.large = 1 << 16 if self.device.is_gpu else 1 << 10

    def seconds(self, work: Callable[[], Any], times: int = 3) -> tuple[float, Any]:
        """The median time of some runs on the device, after all work before them; and the last result."""
        found, taken = None, []
        for _ in range(times):
            found = None
            self.device.wait()
            began = time.perf_counter()
            found = work()
            self.device.wait()
            taken.append(time.perf_counter() - began)
        return float(np.median(taken)), found

    def on_cpu(self, work: Callable[[], Any]) -> tuple[float | None, Any]:
        """The time with all cores, unless the processor is left out."""
        if self.options.no_cpu:
            return None, None
        began = time.perf_counter()
        found = work()
        return time.perf_counter() - began, found

    @cached_property
    def bandwidth(self) -> float:
        """Bytes a second, read and written, of a copy on the device."""
        source = self.torch.randn(self.large << 12, device=self.device.where)
        target = self.torch.empty_like(source)
        target.copy_(source)
        taken, _ = self.seconds(lambda: target.copy_(source), 5)
        return float(2 * 4 * source.numel() / taken)

    @cached_property
    def bus(self) -> float:
        """Bytes a second from the device to memory that both can use."""
        source = self.torch.randn(self.large << 10, device=self.device.where)
        target = self.torch.empty(source.shape, pin_memory=self.device.is_gpu)
        target.copy_(source)
        taken, _ = self.seconds(lambda: target.copy_(source), 5)
        return float(4 * source.numel() / taken)

    def rate(self, kind: str) -> float:
        """Operations a second of a product of large matrices: ``float64``, ``float32``, ``tf32`` or ``bfloat16``."""
        n = 8192 if self.device.is_gpu else 512
        dtype = self.torch.float32 if kind == "tf32" else getattr(self.torch, kind)
        a, b = (self.torch.randn((n, n), device=self.device.where).to(dtype) for _ in range(2))
        with self.device.products("fast" if kind == "tf32" else "exact"):
            a @ b
            taken, _ = self.seconds(lambda: a @ b, 5)
        return float(2 * n**3 / taken)

    @cached_property
    def text(self) -> Path:
        path = self.options.text or data_file("text/wiki.txt.xz")
        if path.suffix != ".xz":
            return Path(path)
        out = self.folder / "text.txt"
        if not out.exists():
            unpack(path, out, None)
        return out

    @cached_property
    def counts(self) -> Any:
        """Counts in LR2 contexts, mapped from a model."""
        import firth
        from firth import pipeline

        model = self.folder / "model"
        if not model.exists():
            pipeline.learn(
                self.text, model, contexts="LR2", min_count=2, vocabulary=self.options.words,
                dim=0, classes=0, memory="32G",
            )  # fmt: skip
        return firth.load(model).counts

    def decomposed(self, engine: Engine, rank: int) -> Any:
        from firth.store import Room
        from firth.vectors import VectorsParameters, decompose

        rank = min(rank, self.counts.n_words // 4)
        return decompose(self.counts, VectorsParameters(rank, **TEMPLATE), engine, Room())  # type: ignore[arg-type]

    @cached_property
    def unit(self) -> Any:
        """Vectors of 300 dimensions and unit length, of the words of the text."""
        left = self.decomposed(self.gpu, 300).left[: self.counts.n_words]
        lengths = np.linalg.norm(left, axis=1, keepdims=True)
        return np.ascontiguousarray(left / np.where(lengths > 0, lengths, 1), np.float32)


# Rows --------------------------------------------------------------------------------------------


@row
def decomposition(lab: Lab) -> Facts:
    """Mapped counts to singular vectors in memory, rank 1,000; quality is the energy, relative to the CPU's."""
    from firth.vectors._device_space import LANES

    counts, rank = lab.counts, lab.options.rank
    lab.decomposed(lab.gpu, rank)  # kernels are compiled, and memory of both sides is set apart
    taken, found = lab.seconds(lambda: lab.decomposed(lab.gpu, rank))
    energy, basis, residual = float((found.values**2).sum()), found.basis, found.residual
    n, m = sorted(counts.shape)
    entries, rank = counts.n_entries, len(found.values)
    del found
    blocks, last = basis / LANES, rank / LANES
    products = blocks * (16 * entries + LANES * (8 * n + 12 * m))
    products += 2 * last * (8 * entries + LANES * 4 * (n + m))
    moved = products + 2 * 2 * 4 * n * basis**2 / (2 * LANES) + 4 * n * basis
    floor = moved / lab.bandwidth + 4 * rank * (n + m) / lab.bus
    cpu, theirs = lab.on_cpu(lambda: lab.decomposed(lab.cpu, rank))
    quality = {"residual": residual, "basis": basis}
    if theirs is not None:
        quality |= {
            "energy": energy / float((theirs.values**2).sum()), "cpu residual": theirs.residual,
            "cpu basis": theirs.basis,
        }  # fmt: skip
    what = f"decomposition: {n:,} by {m:,}, {entries:,} entries, rank {rank:,}"
    return {"what": what, "gpu": taken, "cpu": cpu, "floor": floor, "quality": quality}


@row
def workers(lab: Lab) -> Facts:
    """The work of a cluster's workers, one after another and without a network: with a GPU, and on one thread.

    Rank 300, or less if ``--rank`` is less.
    """
    from firth.compute import OneWorker
    from firth.store import Room
    from firth.vectors import Template
    from firth.vectors._cluster_space import ClusterSpace, on_workers
    from firth.vectors._krylov import svd_in

    counts, rank = lab.counts, min(lab.options.rank, 300)
    template = Template(**TEMPLATE, kappa=0.0)  # type: ignore[arg-type]

    def work(device: Device | None) -> Any:
        cluster = OneWorker(device)
        with limit_blas(1):
            panels = on_workers(counts, cluster)
            space = ClusterSpace(counts, panels, template, cluster, 0, Room())
            return svd_in(space, rank, 0.005), len(panels)

    work(lab.device)
    taken, (found, n_panels) = lab.seconds(lambda: work(lab.device), 1)
    cpu, theirs = lab.on_cpu(lambda: work(None)[0])
    quality = {"residual": found.residual, "basis": found.basis}
    if theirs is not None:
        quality["energy"] = float((found.values**2).sum() / (theirs.values**2).sum())
    what = (
        f"the same on workers without a network, {n_panels} panels, rank {rank:,}; CPU: one thread"
    )
    return {"what": what, "gpu": taken, "cpu": cpu, "floor": None, "quality": quality}


@row
def decomposition_parts(lab: Lab) -> Facts:
    """Steps of the decomposition, each by itself; for whoever makes it faster."""
    from firth.store import Room
    from firth.vectors import Template
    from firth.vectors._device_matrix import DeviceMatrix
    from firth.vectors._device_space import LANES, DeviceSpace

    template, torch = Template(**TEMPLATE, kappa=0.0), lab.torch  # type: ignore[arg-type]
    parts: dict[str, float] = {}

    def measure(name: str, work: Callable[..., Any], *args: Any) -> Any:
        work(*args)
        parts[name], found = lab.seconds(lambda: work(*args))
        return found

    def project(size: int, kind: Any) -> None:
        with lab.device.products(kind):
            measure(f"project on {size}, {kind}", lambda: space.project(block, 0)[1]())

    def eigenvectors(n: int) -> None:
        inner = np.random.default_rng(0).standard_normal((n, n))
        inner += inner.T
        measure(f"eigenvectors of {n}", space.largest, inner, n // 2)
        there = torch.tensor(inner, dtype=torch.float32, device=lab.device.where)
        measure(f"the same on the device, single precision, {n}", torch.linalg.eigh, there)

    with lab.device.products("exact"):
        matrix = measure(
            "matrix", DeviceMatrix.of_counts, lab.counts, template, lab.device, lab.gpu
        )
        space = DeviceSpace(matrix, 0, lab.gpu, Room(), 0.005)
        block = space.start()
        for half in (True, False):
            wide = measure(f"there, half={half}", space._product, block, False, half)
            measure(f"back, half={half}", space._product, wide, True, half)
        for size in (lab.large // 64, lab.large // 32):
            while space.size < size:
                space.append(torch.randn_like(block) / np.sqrt(len(block)))
            project(size, "exact")
            project(size, "fast")
        measure("spectrum of a block", space.spectrum, block)
        for n in (lab.large // 32, lab.large // 26, lab.large // 22):
            eigenvectors(n)
        measure("combined", space.combined, np.ones((space.size, space.size // 2)) / 1000)
        tall = torch.randn((lab.counts.shape[0], lab.large // 64), device=lab.device.where)
        out = np.empty(tuple(tall.shape), np.float32)
        measure(f"fetch of {tall.shape[1]} columns", lab.device.fetch, tall, out, lab.gpu)
    parts = {name: round(1000 * seconds, 2) for name, seconds in parts.items()}
    return {"what": f"parts, blocks of {LANES} columns", "gpu": None, "cpu": None, "floor": None,
            "quality": {f"{name}, ms": ms for name, ms in parts.items()}}  # fmt: skip


@row
def neighbours(lab: Lab) -> Facts:
    """The 100 nearest neighbours of all words; quality is the share of the CPU's neighbours."""
    from firth.maps import nearest_neighbours

    unit, k = lab.unit, 100
    nearest_neighbours(unit[:20_000], k, lab.gpu)
    taken, (ids, cosines) = lab.seconds(lambda: nearest_neighbours(unit, k, lab.gpu), 2)
    n, dim = unit.shape
    floor = max(2.0 * n * n * dim / lab.rate("tf32"), 2 * 4.0 * n * n / lab.bandwidth)
    if not lab.options.no_cpu:
        nearest_neighbours(unit[:2000], k, lab.cpu)  # compiled
    cpu, theirs = lab.on_cpu(lambda: nearest_neighbours(unit, k, lab.cpu))
    quality: Facts = {}
    if theirs is not None:
        same = np.mean([np.isin(a, b).mean() for a, b in zip(ids, theirs[0], strict=True)])
        quality = {
            "same": float(same), "same order": float((ids == theirs[0]).mean()),
            "largest difference": float(np.abs(cosines - theirs[1]).max()),
        }  # fmt: skip
    what = f"{k} nearest neighbours of {n:,} words, {dim} dimensions"
    return {"what": what, "gpu": taken, "cpu": cpu, "floor": floor, "quality": quality}


@row
def map_(lab: Lab) -> Facts:
    """Vectors to positions of all words; quality is the share of near words that are near on the map."""
    from firth.maps import MapParameters, WordMap
    from firth.vectors import WordVectors

    how, vectors = MapParameters(words=len(lab.unit)), WordVectors(lab.counts.vocabulary, lab.unit)
    few = dataclasses.replace(how, words=4000, n_early=2, n_late=2)
    WordMap.learn(vectors, few, lab.gpu)
    steps = steps_of_map(lab, how.perplexity)
    taken, found = lab.seconds(lambda: WordMap.learn(vectors, how, lab.gpu), 1)
    if not lab.options.no_cpu:
        WordMap.learn(vectors, few, lab.cpu)  # compiled
    cpu, theirs = lab.on_cpu(lambda: WordMap.learn(vectors, how, lab.cpu))
    unit = lab.unit[lab.unit.any(axis=1)]
    n, k = len(found), math.ceil(3 * how.perplexity)
    n_steps = how.n_early + how.n_late
    floor = 2.0 * n * n * unit.shape[1] / lab.rate("tf32")
    floor += n_steps * n * k * 12.0 / lab.bandwidth  # each pair: who, and how much
    quality: Facts = {"kept": kept_neighbours(unit, found.positions), **steps}
    if theirs is not None:
        quality["cpu kept"] = kept_neighbours(unit, theirs.positions)
    what = f"map of {n:,} words, {n_steps} iterations"
    return {"what": what, "gpu": taken, "cpu": cpu, "floor": floor, "quality": quality}


def steps_of_map(lab: Lab, perplexity: float) -> Facts:
    """Seconds of each step on the device."""
    from firth.maps import affinities, layout, nearest_neighbours, principal_positions

    unit, k = lab.unit[lab.unit.any(axis=1)], math.ceil(3 * perplexity)
    near, (ids, cosines) = lab.seconds(lambda: nearest_neighbours(unit, k, lab.gpu), 1)
    both, pairs = lab.seconds(lambda: affinities(ids, cosines, perplexity, lab.gpu), 1)
    begin, start = lab.seconds(lambda: principal_positions(unit, lab.gpu), 1)
    laid, _ = lab.seconds(lambda: layout(pairs, start, threads=lab.gpu), 1)
    return {"neighbours, s": near, "affinities, s": both, "start, s": begin, "layout, s": laid}


def kept_neighbours(unit: Any, positions: Any, k: int = 30) -> float:
    """The share of the nearest words of 2,000 words that are among the nearest on the map."""
    from scipy.spatial import KDTree

    some = np.random.default_rng(0).choice(len(unit), min(2000, len(unit)), replace=False)
    _, near = KDTree(positions).query(positions[some], k + 1)
    cosines = unit[some] @ unit.T
    cosines[np.arange(len(some)), some] = -np.inf
    nearest = np.argpartition(-cosines, k, axis=1)[:, :k]
    return float(np.mean([np.isin(a, b).mean() for a, b in zip(nearest, near, strict=True)]))


@row
def analogies(lab: Lab) -> Facts:
    """Answers to 20,000 analogies of random frequent words; quality is the share of the CPU's answers."""
    from firth.vectors import WordVectors

    unit = lab.unit
    vectors = WordVectors(lab.counts.vocabulary, unit)
    asked = np.random.default_rng(0).integers(0, min(5000, len(unit)), (20_000, 3))
    vectors.answers(asked[:100], threads=lab.gpu)
    taken, ours = lab.seconds(lambda: vectors.answers(asked, threads=lab.gpu), 2)
    cpu, theirs = lab.on_cpu(lambda: vectors.answers(asked, threads=lab.cpu))
    quality = {} if theirs is None else {"same": float((ours == theirs).mean())}
    n = len(unit)
    floor = 2.0 * len(np.unique(asked)) * n * unit.shape[1] / lab.rate("float32")
    floor = max(floor, 3 * 4.0 * len(asked) * n / lab.bandwidth)
    what = f"{len(asked):,} analogies among {n:,} words"
    return {"what": what, "gpu": taken, "cpu": cpu, "floor": floor, "quality": quality}


for function in MODEL_ROWS:
    row(function)


# All of them -------------------------------------------------------------------------------------


def record(device: Device) -> Facts:
    """When, where and with what versions this runs."""
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            versions[package] = metadata.version(package)
    import firth

    versions["firth"] = firth.__version__
    cuda = device.torch.version.cuda
    driver = ""
    if device.is_gpu and shutil.which("nvidia-smi"):
        query = "nvidia-smi --query-gpu=driver_version --format=csv,noheader"
        with os.popen(query) as output:
            driver = output.readline().strip()
    return {"date": f"{datetime.now(UTC):%Y-%m-%d}", "device": device.title, "cuda": cuda,
            "driver": driver, "processor": processor(), "versions": versions}  # fmt: skip


def shown(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:.3g} s"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=__doc__)
    parser.add_argument("--only", metavar="ROW,...", help="some rows: " + ", ".join(ROWS))
    parser.add_argument("--text", type=Path, metavar="FILE")
    parser.add_argument("--words", type=int, default=300_000)
    parser.add_argument("--rank", type=int, default=1000)
    parser.add_argument(
        "--device", default="cuda", help="cuda, cuda:1; torch-cpu to try this without a GPU"
    )
    parser.add_argument("--trees", metavar="FILE,...", help="treebanks, for parsing")
    parser.add_argument("--scale", type=float, default=1.0, help="sizes of models, relative")
    parser.add_argument(
        "--profile", action="store_true", help="print where the time of models goes"
    )
    parser.add_argument("--no-cpu", action="store_true", help="leave out the processor")
    parser.add_argument("--folder", type=Path, help="keep counts in this folder")
    parser.add_argument("--output", type=Path, metavar="JSON")
    parser.add_argument(
        "--record", action="store_true", help="print date, device and versions alone"
    )
    options = parser.parse_args()
    names = options.only.split(",") if options.only else list(ROWS)
    unknown = sorted(set(names) - set(ROWS))
    if unknown:
        sys.exit(f"error: There is no row {unknown[0]}.\nhint: Rows are {', '.join(ROWS)}")
    with tempfile.TemporaryDirectory() as temporary:
        lab = Lab(options, options.folder or Path(temporary))
        lab.folder.mkdir(parents=True, exist_ok=True)
        about = record(lab.device)
        print(json.dumps(about))
        if not options.record:
            sys.exit(run(lab, names, about))


def run(lab: Lab, names: list[str], about: Facts) -> int:
    """Measure rows, print them; returns 1 if one has failed."""
    results: dict[str, Facts] = {}
    for name in names:
        began = time.perf_counter()
        try:
            results[name] = ROWS[name](lab)
        except Exception:  # noqa: BLE001  the other rows are still measured
            traceback.print_exc()
            results[name] = {"failed": traceback.format_exc()}
        results[name]["seconds of this row"] = time.perf_counter() - began
        print(f"{name}: {json.dumps(results[name], default=str)}", flush=True)
        lab.device.release()
        if lab.options.output:
            found = {**about, "bandwidth": lab.bandwidth, "bus": lab.bus, "rows": results}
            lab.options.output.write_text(json.dumps(found, indent=1, default=str))
    rows = []
    for name, found in results.items():
        if "failed" in found:
            rows.append([name, "failed", "", "", "", ""])
            continue
        gpu, cpu = found["gpu"], found["cpu"]
        quality = "; ".join(f"{key} {value:.6g}" for key, value in found["quality"].items())
        ratio = f"{cpu / gpu:.0f}×" if gpu and cpu else ""
        rows.append([found["what"], shown(gpu), shown(found["floor"]), shown(cpu), ratio, quality])
    print_table(
        f"{about['date']}, {about['device']}, {about['processor']}",
        "work; GPU; floor; CPU, all cores; ratio; quality",
        rows,
        f"{lab.bandwidth / 1e9:,.0f} GB a second on the device, {lab.bus / 1e9:,.0f} GB to memory.",
    )
    return int(any("failed" in found for found in results.values()))


if __name__ == "__main__":
    main()
