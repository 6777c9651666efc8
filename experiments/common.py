"""Shared code of the experiments: data, corpora, evaluation, caching, and the writing of results.

Every script accepts ``--work FOLDER`` (unpacked texts and finished rows; an interrupted run resumes
from there), ``--quick`` (minutes instead of hours, on Wikinews; prints only) and ``--out FOLDER``
(for results).
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import platform
import re
import resource
import shutil
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import firth
from firth.evaluate import (
    WordPairs,
    evaluate_analogies,
    evaluate_entities,
    evaluate_similarity,
    read_questions,
)
from firth.formats import read_labelled
from firth.plots import save_figure
from firth.vectors import PRESETS

RESULTS = Path(__file__).parents[1] / "docs" / "results"
SIMILARITY = ("men", "wordsim353", "rw")
ANALOGIES = ("syntactic_analogies", "mixed_analogies")
SHOWN = {
    "average": "word pairs", "men": "MEN", "wordsim353": "WordSim", "rw": "RW",
    "syntactic_analogies": "syntactic", "mixed_analogies": "mixed",
}  # fmt: skip
"""The evaluation measures of word vectors, with their column names."""
MAIN = ("average", "syntactic_analogies", "mixed_analogies")
TEXTS = {
    "wiki": "`wiki.txt` (English Wikipedia 2014, 43 million tokens)",
    "wiki3": "the first 3 million words of `wiki.txt`",
    "wiki11": "the first 11 million words of `wiki.txt`",
    "wiki17": "the first 17 million words of `wiki.txt` (English Wikipedia 2014)",
    "wiki60": "60 MB from the middle of `wiki.txt` (English Wikipedia 2014)",
    "wikinews": "`wikinews.txt` (Wikinews, 5 million tokens)",
}
"""The corpora, with their descriptions."""
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#26323d")
"""The colour-blind-safe palette of Okabe and Ito."""
EXPONENTS = {name: PRESETS["paper"][name] for name in ("alpha", "beta", "spelling")}
"""The exponents of the paper, and no spelling, for experiments that do not choose their own."""
NONE = "–"


def data(name: str) -> Path:
    """A file below FIRTH_DATA; exits with an error message if it does not exist."""
    folder = os.environ.get("FIRTH_DATA")
    if not folder or not Path(folder, name).exists():
        sys.exit(f"error: {name} is not in the folder FIRTH_DATA={folder or '(not set)'}")
    return Path(folder, name)


# Measurements ----------------------------------------------------------------------------------


@dataclass
class Cost:
    """CPU seconds of all processors together, and wall-clock seconds."""

    cpu: float = 0.0
    wall: float = 0.0
    _begun: tuple[float, float] = (0.0, 0.0)

    def so_far(self) -> Cost:
        """The cost since the start of the measurement."""
        return Cost(_cpu() - self._begun[0], time.perf_counter() - self._begun[1])


@contextmanager
def measured() -> Iterator[Cost]:
    """Measure the cost of the code in a ``with`` block."""
    cost = Cost(_begun=(_cpu(), time.perf_counter()))
    yield cost
    end = cost.so_far()
    cost.cpu, cost.wall = end.cpu, end.wall


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


@cache
def _questions() -> dict[str, Any]:
    return {name: read_questions(data(f"words/{name}.dev")) for name in (*SIMILARITY, *ANALOGIES)}


def word_figures(vectors: firth.WordVectors) -> dict[str, float]:
    """Spearman's correlations and % correct by 3CosMul on the development halves, and the average of the former."""
    found: dict[str, float] = {}
    for name, asked in _questions().items():
        if isinstance(asked, WordPairs):
            found[name] = 100 * evaluate_similarity(vectors, asked).spearman
        else:
            found[name] = 100 * evaluate_analogies(vectors, asked).accuracy
    return {"average": sum(found[name] for name in SIMILARITY) / len(SIMILARITY), **found}


def with_beta(
    fitted: firth.SpectralEmbedding, beta: float, dim: int | None = None
) -> firth.WordVectors:
    """The vectors of a decomposition with another exponent of the singular values, or with fewer dimensions."""
    n = len(fitted.vectors_)
    scaled = fitted.svd_.left[:n] * (fitted.svd_.values**beta).astype(np.float32)
    return firth.WordVectors(fitted.vectors_.vocabulary, scaled[:, :dim])


def ner_f1(
    classes: firth.Hierarchy | None = None, vectors: firth.WordVectors | None = None,
    n_documents: int | None = None,
) -> float:  # fmt: skip
    """F1 in percent on ``ner/eng.testa``, trained on ``ner/eng.train`` with these additional
    features.

        There is a single pass over documents: two-stage training takes six times as long, and the
        papers do not use it. ``n_documents`` limits training to the first documents, for a quick run.
    """
    text, dev = (read_labelled(data(f"ner/eng.{name}")) for name in ("train", "testa"))
    tagger = firth.EntityTagger(classes, vectors, stages=1).fit(text.documents[:n_documents])
    found = [
        labels for document in dev.documents for labels in tagger.tag([w for w, _ in document])
    ]
    return 100 * evaluate_entities([labels for _, labels in dev.sentences], found).overall.f1


# Runs -------------------------------------------------------------------------------------------


@dataclass(eq=False)
class Run:
    """One run of one script: its working folder, its cache, and where its results go."""

    name: str
    work: Path
    out: Path | None
    quick: bool
    options: argparse.Namespace
    started: str = field(default_factory=lambda: f"{datetime.now(UTC):%Y-%m-%d}")
    _days: set[str] = field(default_factory=set)

    def text(self, name: str) -> Path:
        """The path of an unpacked text."""
        path = self.work / f"{name}.txt"
        if not path.exists():
            packed = data(f"text/{name.rstrip('0123456789')}.txt.xz")
            with _replacing(path) as new, lzma.open(packed) as lines, new.open("wb") as target:
                _copy(name, lines, target)
        return path

    def corpus(self, name: str, lowercase: bool = False) -> firth.Corpus:
        """A text as a corpus; tokenised once, then cached in the working folder."""
        folder = self.work / f"{name}{'-lower' if lowercase else ''}.firth"
        return firth.learn(
            self.text(name), folder, lowercase=lowercase, contexts="R1", dim=0, classes=0
        ).corpus

    def shelf(self, name: str) -> Path:
        """A folder of the cache; quick runs have their own."""
        folder = self.work / ("quick" if self.quick else "full") / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def remember(
        self, row: str, work: Callable[..., Any], *arguments: Any, shelf: str | None = None
    ) -> Any:
        """The cached result of ``work`` for a row, or a new one; any value that JSON can represent."""
        path = self.shelf(shelf or self.name) / f"{file_name(row)}.json"
        if not path.exists():
            found = {"date": f"{datetime.now(UTC):%Y-%m-%d}", "found": work(*arguments)}
            with _replacing(path) as new:
                new.write_text(json.dumps(found), encoding="utf-8")
            print(f"  {row}: {found['found']}", file=sys.stderr, flush=True)
        saved = json.loads(path.read_text(encoding="utf-8"))
        self._days.add(saved["date"])
        return saved["found"]

    def f1(self, row: str, **features: Any) -> float:
        """``ner_f1`` of some features, cached under a name that all scripts share."""
        n = 100 if self.quick else None
        return float(self.remember(row, lambda: ner_f1(**features, n_documents=n), shelf="f1"))

    def write(
        self, title: str, text: str, table: str, figure: Any, source: str,
        summary: Iterable[tuple[str, str, str]] = (), more: str = "",
    ) -> None:  # fmt: skip
        """Write ``NAME.md`` and ``NAME.svg``; only print the page if the run has no output folder.

        ``summary`` has rows (claim, the paper's figure, our figure) for the summary of the results
        page.
        """
        notes = "".join(f"<!-- summary: {' | '.join(row)} -->\n" for row in summary)
        picture = f"![{title}]({self.name}.svg)\n\n" if figure is not None else ""
        ran = wrapped(f"*{self.command()}; {source}; {machine()}; {self.dates()}.*") + "\n"
        more = f"{wrapped(more.strip())}\n\n" if more else ""
        page = f"## {title}\n\n{notes}{wrapped(text)}\n\n{table.strip()}\n\n{picture}{more}{ran}"
        print(page)
        if self.out is None:
            return
        self.out.mkdir(parents=True, exist_ok=True)
        (self.out / f"{self.name}.md").write_text(page, encoding="utf-8")
        if figure is not None:
            save_figure(figure, self.out / f"{self.name}.svg")

    def dates(self) -> str:
        """The date, or the range of dates, on which the rows were computed."""
        days = sorted(self._days or {self.started})
        return days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"

    def command(self) -> str:
        """The command of this run, without the folders."""
        kept, skip = [], False
        for word in sys.argv[1:]:
            if not skip and word not in ("--work", "--out") and not re.match("--(work|out)=", word):
                kept.append(word)
            skip = word in ("--work", "--out")
        return f"`{' '.join(['python -m experiments.' + self.name, *kept])}`"


def start(
    name: str, about: str | None, options: Callable[[argparse.ArgumentParser], Any] | None = None
) -> Run:
    """Parse the arguments that all scripts share, and those that ``options`` adds."""
    parser = argparse.ArgumentParser(
        prog=f"python -m experiments.{name}", description=about,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument(
        "--quick", action="store_true", help="a small text and few rows, for a quick check"
    )
    parser.add_argument(
        "--work", type=Path, metavar="FOLDER", help="cache: unpacked texts and finished rows"
    )
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER", help="results; docs/results by default"
    )
    if options:
        options(parser)
    chosen = parser.parse_args()
    work = chosen.work or Path(tempfile.gettempdir(), "firth-experiments")
    work.mkdir(parents=True, exist_ok=True)
    out = chosen.out or (None if chosen.quick else RESULTS)
    return Run(name, work, out, chosen.quick, chosen)


def file_name(row: str) -> str:
    """The name of a row as a file name."""
    return re.sub(r"[^\w.=-]+", "_", row).strip("_")


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """Write to a temporary file that is renamed when it is complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(path.name + ".new")
    yield new
    new.replace(path)


def _copy(name: str, lines: Any, target: Any) -> None:
    """Copy the part of a text that this name stands for, in whole lines."""
    if name in ("wiki3", "wiki11", "wiki17"):
        n_words = 1_000_000 * int(name.removeprefix("wiki"))
        while n_words > 0:
            line = lines.readline()
            target.write(line)
            n_words -= len(line.split())
    elif name == "wiki60":
        lines.seek(130_000_000)
        lines.readline()
        target.write(lines.read(60_000_000).rpartition(b"\n")[0] + b"\n")
    else:
        shutil.copyfileobj(lines, target)


def machine() -> str:
    """A short description of the machine."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    model = ""
    if Path("/proc/cpuinfo").exists():
        found = re.search(r"model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text())
        model = f" ({found[1].strip()})" if found else ""
    return (
        f"{os.cpu_count()}-core {platform.machine()}{model}, {memory:.0f} GiB, "
        f"Python {platform.python_version()}"
    )


# Tables and figures -----------------------------------------------------------------------------


def wrapped(text: str) -> str:
    """Wrap the paragraphs of a Markdown text at 100 columns; tables are kept as they are."""
    parts = text.split("\n\n")
    return "\n\n".join(part if part.startswith("|") else _filled(part) for part in parts)


def _filled(part: str) -> str:
    return textwrap.fill(
        " ".join(part.split()), 100, break_long_words=False, break_on_hyphens=False
    )


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def number(value: float | None, digits: int = 1) -> str:
    """A number for a table; a dash for None."""
    return NONE if value is None else f"{value:,.{digits}f}"


def duration(seconds: float | None) -> str:
    """3h37m00s, 4m37s, 12.3 s."""
    if seconds is None:
        return NONE
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}h{minutes % 60}m{rest}s" if minutes >= 60 else f"{minutes}m{rest}s"


def graph_objects() -> Any:
    """Plotly's graph objects, imported when a figure is drawn."""
    import plotly.graph_objects

    return plotly.graph_objects


def plain_layout(title: str, x: str, y: str, **more: Any) -> dict[str, Any]:
    """A plain layout: white background, thin grid, legend below the title."""
    axis = {"gridcolor": "#e3e8ec", "linecolor": "#26323d", "ticks": "outside", "zeroline": False}
    return {
        "title": {"text": title, "x": 0.02, "y": 0.96, "yanchor": "top", "font": {"size": 17}},
        "template": "none",
        "font": {"family": "Inter, Helvetica, Arial, sans-serif", "color": "#26323d", "size": 14},
        "margin": {"l": 75, "r": 30, "t": 100, "b": 75},
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "entrywidth": 145},
        "xaxis": {**axis, "title": {"text": x}},
        "yaxis": {**axis, "title": {"text": y, "standoff": 12}},
        **more,
    }


def two_panels(title: str, x: str, left: str, right: str, **of_x: Any) -> dict[str, Any]:
    """Two panels with the same x axis; traces of the right one are drawn with ``PANELS[1]``."""
    layout = plain_layout(title, x, left)
    layout["xaxis"] |= {"domain": [0, 0.44], **of_x}
    layout["xaxis2"] = layout["xaxis"] | {"domain": [0.57, 1], "anchor": "y2"}
    layout["yaxis2"] = layout["yaxis"] | {"title": {"text": right, "standoff": 12}, "anchor": "x2"}
    return layout


PANELS: tuple[dict[str, Any], ...] = (
    {},
    {"xaxis": "x2", "yaxis": "y2", "showlegend": False},
)
