"""``python -m benchmarks.scale``: time, memory and disk space of each stage as the text grows, to a billion tokens.

The text is copies of wiki.txt. In each copy the words that are rare in the original are marked, so that the number of
types grows as it does in real text. Copies have no new pairs of frequent words, however, so counts grow less than
those of as much real text: the table states the number of entries. The harder case is real text with little memory:
``--copies 1 --memory 300M --dim 50``.

Each stage is a command of its own; ``benchmarks/stages.py`` says what is measured. A run up to a billion tokens takes
tens of minutes and 20 GB on disk. With ``--rows FILE --folder FOLDER``, every stage is noted when it has ended, and
another run goes on after the last one; ``--table`` only prints what was noted.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

import firth
from benchmarks.common import Facts, data_file, print_table, processor, unpack
from benchmarks.stages import STAGES, Rows, command, measured
from firth.progress import size

_RARE = 2
"""Words with at most this many occurrences in the original are marked."""
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
QUANTITIES = {
    "seconds": "time", "cpu": "CPU time", "memory": "memory", "disk": "disk while it runs", "made": "result",
}  # fmt: skip


def copies(folder: Path, n: int, n_bytes: int | None) -> list[Path]:
    """``n`` copies of a text, of which the first is the original; those that are there already are kept."""
    original = folder / "wiki.txt"
    paths = [original, *(folder / f"copy{k}.txt" for k in range(1, n))]
    if all(path.exists() for path in paths):
        return paths
    _write(original, lambda new: unpack(data_file("text/wiki.txt.xz"), new, n_bytes))
    corpus = firth.Corpus.from_files(original)
    n_frequent = corpus.vocabulary.n_kept(_RARE + 1)
    rare = set(corpus.vocabulary.words[n_frequent:].to_pylist())
    text = original.read_text(encoding="utf-8")
    ends = [m.end() for m in re.finditer(r"\w{2,}", text) if m[0] in rare]
    pieces = [text[a:b].encode() for a, b in zip([0, *ends], [*ends, len(text)], strict=True)]
    for k, path in enumerate(paths[1:], 1):
        mark = f"q{_ALPHABET[k // 26]}{_ALPHABET[k % 26]}".encode()
        _write(path, lambda new: new.write_bytes(mark.join(pieces)))  # noqa: B023
    return paths


def _write(path: Path, write: Callable[[Path], Any]) -> None:
    """Write a file that is there as a whole or not at all."""
    new = path.with_suffix(".new")
    write(new)
    new.rename(path)


def run(n: int, key: Facts, folder: Path, rows: Rows, options: argparse.Namespace) -> None:
    """All stages on ``n`` copies, but those that were measured before."""
    missing = [stage for stage in options.stages if not rows.find(**key, stage=stage)]
    if not missing:
        return
    texts, model = copies(folder, n, options.bytes), folder / f"model{n}"
    common = ["--memory", options.memory, "--threads", str(options.threads)]
    for stage in options.stages:
        if stage in missing:
            shutil.rmtree(model / stage, ignore_errors=True)  # what an interrupted run has left
        dim = ["--dim", str(options.dim)] if stage == "vectors" else []
        found = measured(command(stage, texts, model, [*common, *dim]), model, stage)
        if stage in missing:
            facts = {k: v for k, v in firth.load(model).parts[stage].facts.items() if k[:2] == "n_"}
            rows.add({**key, "stage": stage, **found, "facts": facts})
            print(f"{n} copies, {stage}: {found}", file=sys.stderr, flush=True)
    shutil.rmtree(model)


def report(keys: list[Facts], stages: list[str], rows: Rows) -> dict[str, list[tuple[int, Facts]]]:
    """Print what was measured; returns it for each stage, with the number of tokens."""
    series: dict[str, list[tuple[int, Facts]]] = {stage: [] for stage in stages}
    for key in keys:
        found = {stage: row for stage in stages for row in rows.find(**key, stage=stage)[:1]}
        facts = {stage: row["facts"] for stage, row in found.items()}
        if "corpus" not in facts:
            continue
        n_tokens = facts["corpus"]["n_tokens"]
        entries = [
            f"{facts[stage]['n_entries']:,} entries for {stage}"
            for stage in ("counts", "vectors")
            if stage in facts
        ]
        sizes = [f"{n_tokens:,} tokens", f"{facts['corpus']['n_types']:,} types", *entries]
        print(f"{key['copies']} copies: {', '.join(sizes)}")
        for stage, row in found.items():
            series[stage].append((n_tokens, row))
    print_table(
        f"Stages with --memory {keys[0]['limit']} --dim {keys[0]['dim']}",
        f"stage; copies; million tokens; {'; '.join(QUANTITIES.values())}",
        [
            [stage, str(row["copies"]), f"{n_tokens / 1e6:,.1f}"]
            + [_shown(name, row[name]) for name in QUANTITIES]
            for stage, points in series.items()
            for n_tokens, row in points
        ],
    )
    print_table(
        "Exponents of growth with the number of tokens, by least squares",
        f"stage; {'; '.join(QUANTITIES.values())}",
        [
            [stage, *(f"{exponent(points, name):.2f}" for name in QUANTITIES)]
            for stage, points in series.items()
            if len(points) > 1
        ],
    )
    return series


def _shown(name: str, value: float) -> str:
    return f"{value:,.1f} s" if name in ("seconds", "cpu") else size(value)


def exponent(points: list[tuple[int, Facts]], name: str) -> float:
    """The slope of the line through the logarithms."""
    x, y = np.log([(n_tokens, max(row[name], 1e-9)) for n_tokens, row in points]).T
    return float(np.polyfit(x, y, 1)[0])


def draw(series: dict[str, list[tuple[int, Facts]]], path: Path) -> None:
    """Time, memory and disk space against the length of the text, on logarithmic axes."""
    from plotly.subplots import make_subplots

    from firth.plots import save_figure
    from firth.plots._figures import base_layout, log_axis, plotly

    shown = {
        "seconds": (1.0, "seconds"),
        "memory": (1e9, "GB of memory"),
        "disk": (1e9, "GB on disk"),
    }
    colours = dict(zip(STAGES, ("#2a7f9e", "#d0803a", "#7a5ea8", "#4d9a58"), strict=True))
    figure = make_subplots(1, len(shown), subplot_titles=[title for _, title in shown.values()])
    layout = base_layout("Stages of firth learn as the text grows")
    axis, _ = layout.pop("xaxis"), layout.pop("yaxis")
    figure.update_layout(layout, legend={"orientation": "h", "y": -0.2})
    for column, (name, (unit, _)) in enumerate(shown.items(), start=1):
        values = []
        for stage, points in series.items():
            x, y = [n / 1e6 for n, _ in points], [row[name] / unit for _, row in points]
            values += y
            line = {"color": colours[stage], "width": 2.5}
            trace = plotly().Scatter(
                x=x, y=y, mode="lines+markers", name=stage, line=line, showlegend=column == 1
            )
            figure.add_trace(trace, 1, column)
        tokens = [n / 1e6 for points in series.values() for n, _ in points]
        figure.update_xaxes(title="million tokens", **axis, **log_axis(tokens), row=1, col=column)
        figure.update_yaxes(**axis, **log_axis(values), row=1, col=column)
    save_figure(figure, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--copies", default="1,2,4,8,16,23", help="numbers of copies")
    parser.add_argument("--memory", default="4G", help="as for the commands")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--dim", type=int, default=300)
    parser.add_argument("--stages", default=",".join(STAGES), help="some of them, in this order")
    parser.add_argument("--folder", type=Path, help="for texts and models; a temporary one if none")
    parser.add_argument("--bytes", type=int, help="use only the beginning of the original")
    parser.add_argument("--rows", type=Path, help="a file for what is measured, to go on with")
    parser.add_argument("--table", action="store_true", help="only print what is in --rows")
    parser.add_argument(
        "--figure", type=Path, help="draw the growth to this .svg, .png or .html file"
    )
    options = parser.parse_args()
    options.stages = options.stages.split(",")
    rows = Rows(options.rows)
    how = {
        "limit": options.memory, "dim": options.dim, "threads": options.threads, "bytes": options.bytes,
    }  # fmt: skip
    keys = [{"copies": int(n), **how} for n in options.copies.split(",")]
    if options.folder:
        options.folder.mkdir(exist_ok=True)
    if not options.table:
        with (
            nullcontext(options.folder) if options.folder else tempfile.TemporaryDirectory() as name
        ):
            for key in keys:
                run(key["copies"], key, Path(name), rows, options)
    print(f"{processor()}, {options.threads} threads, {datetime.now(UTC):%Y-%m-%d}")
    series = report(keys, options.stages, rows)
    if options.figure:
        draw(series, options.figure)


if __name__ == "__main__":
    main()
