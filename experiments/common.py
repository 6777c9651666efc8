"""What the experiments share: data, texts, figures of merit, memory of what was done, and the writing of results.

Every script takes ``--work FOLDER`` (unpacked texts and finished rows; a run that was cut goes on from
there), ``--quick`` (minutes instead of hours, on Wikinews; only prints) and ``--out FOLDER`` (where to write).
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
"""What there is to say about word vectors, and how it is called."""
MAIN = ("average", "syntactic_analogies", "mixed_analogies")
TEXTS = {
    "wiki": "`wiki.txt` (English Wikipedia 2014, 43 million tokens)",
    "wiki17": "the first 17 million words of `wiki.txt` (English Wikipedia 2014)",
    "wiki60": "60 MB from the middle of `wiki.txt` (English Wikipedia 2014)",
    "wikinews": "`wikinews.txt` (Wikinews, 5 million tokens)",
}
"""The texts, and how they are called."""
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#26323d")
"""Okabe and Ito's, which all eyes can tell apart."""
EXPONENTS = {name: PRESETS["paper"][name] for name in ("alpha", "beta")}
"""The exponents of the paper, for experiments that do not choose their own."""
NONE = "–"


def data(name: str) -> Path:
    """A file below FIRTH_DATA; ends the program, saying what is missing, where it is not there."""
    folder = os.environ.get("FIRTH_DATA")
    if not folder or not Path(folder, name).exists():
        sys.exit(f"error: {name} is not in the folder FIRTH_DATA={folder or '(not set)'}")
    return Path(folder, name)


# What is measured -------------------------------------------------------------------------------


@dataclass
class Cost:
    """Seconds of all processors together, and by the clock."""

    cpu: float = 0.0
    wall: float = 0.0
    _begun: tuple[float, float] = (0.0, 0.0)

    def so_far(self) -> Cost:
        """What was used since the work began."""
        return Cost(_cpu() - self._begun[0], time.perf_counter() - self._begun[1])


@contextmanager
def measured() -> Iterator[Cost]:
    """What the work inside takes."""
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
    """Spearman's correlations and % right by 3CosMul on the development halves, and the average of the former."""
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
    """The vectors of a decomposition with another exponent of the singular values, or fewer dimensions."""
    n = len(fitted.vectors_)
    scaled = fitted.svd_.left[:n] * (fitted.svd_.values**beta).astype(np.float32)
    return firth.WordVectors(fitted.vectors_.vocabulary, scaled[:, :dim])


def ner_f1(
    classes: firth.Hierarchy | None = None, vectors: firth.WordVectors | None = None,
    n_documents: int | None = None,
) -> float:  # fmt: skip
    """F1 in percent on ``ner/eng.testa``, learned from ``ner/eng.train`` with these as additional features.

    Documents are read once: a second reading takes six times as long to learn, and the papers have none.
    ``n_documents`` is for a try with the first ones only.
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
    """One run of one script: where it works, what it remembers, where its results go."""

    name: str
    work: Path
    out: Path | None
    quick: bool
    options: argparse.Namespace
    started: str = field(default_factory=lambda: f"{datetime.now(UTC):%Y-%m-%d}")
    _days: set[str] = field(default_factory=set)

    def text(self, name: str) -> Path:
        """An unpacked text."""
        path = self.work / f"{name}.txt"
        if not path.exists():
            packed = data(f"text/{name.rstrip('0123456789')}.txt.xz")
            with _replacing(path) as new, lzma.open(packed) as lines, new.open("wb") as target:
                _copy(name, lines, target)
        return path

    def corpus(self, name: str, lowercase: bool = False) -> firth.Corpus:
        """A text as a corpus; read once, then kept in the working folder."""
        folder = self.work / f"{name}{'-lower' if lowercase else ''}.firth"
        return firth.learn(
            self.text(name), folder, lowercase=lowercase, contexts="R1", dim=0, classes=0
        ).corpus

    def shelf(self, name: str) -> Path:
        """A folder for what is finished; quick runs have their own."""
        folder = self.work / ("quick" if self.quick else "full") / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def remember(
        self, row: str, work: Callable[..., Any], *arguments: Any, shelf: str | None = None
    ) -> Any:
        """What ``work`` gave for a row when it was last done, or gives now; anything that JSON holds."""
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
        """``ner_f1`` of some features, by a name that all scripts share."""
        n = 100 if self.quick else None
        return float(self.remember(row, lambda: ner_f1(**features, n_documents=n), shelf="f1"))

    def write(
        self, title: str, text: str, table: str, figure: Any, source: str,
        summary: Iterable[tuple[str, str, str]] = (), more: str = "",
    ) -> None:  # fmt: skip
        """Write ``NAME.md`` and ``NAME.svg``, or print them where this run is not to write any.

        ``summary`` has rows (claim, what the paper found, what was found here) for the page of all results.
        """
        notes = "".join(f"<!-- summary: {' | '.join(row)} -->\n" for row in summary)
        picture = f"![{title}]({self.name}.svg)\n\n" if figure is not None else ""
        ran = f"*{self.command()}; {source}; {machine()}; {self.dates()}.*\n"
        prose = "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))
        page = f"## {title}\n\n{notes}{prose}\n\n{table.strip()}\n\n{picture}{more}{ran}"
        print(page)
        if self.out is None:
            return
        self.out.mkdir(parents=True, exist_ok=True)
        (self.out / f"{self.name}.md").write_text(page, encoding="utf-8")
        if figure is not None:
            save_figure(figure, self.out / f"{self.name}.svg")

    def dates(self) -> str:
        """The day, or the days, on which the rows were worked out."""
        days = sorted(self._days or {self.started})
        return days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"

    def command(self) -> str:
        """What was said to begin this run, without folders."""
        said, skip = [], False
        for word in sys.argv[1:]:
            if not skip and word not in ("--work", "--out") and not re.match("--(work|out)=", word):
                said.append(word)
            skip = word in ("--work", "--out")
        return f"`{' '.join(['python -m experiments.' + self.name, *said])}`"


def start(
    name: str, about: str | None, options: Callable[[argparse.ArgumentParser], Any] | None = None
) -> Run:
    """Read the arguments that all scripts share, and those that ``options`` adds."""
    parser = argparse.ArgumentParser(
        prog=f"python -m experiments.{name}", description=about,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument(
        "--quick", action="store_true", help="a small text and few rows, to try it out"
    )
    parser.add_argument(
        "--work", type=Path, metavar="FOLDER", help="unpacked texts and finished rows"
    )
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="for results, else docs/results")
    if options:
        options(parser)
    chosen = parser.parse_args()
    work = chosen.work or Path(tempfile.gettempdir(), "firth-experiments")
    work.mkdir(parents=True, exist_ok=True)
    out = chosen.out or (None if chosen.quick else RESULTS)
    return Run(name, work, out, chosen.quick, chosen)


def file_name(row: str) -> str:
    """The name of a row, for a file."""
    return re.sub(r"[^\w.=-]+", "_", row).strip("_")


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """A file that takes its name only when it is whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(path.name + ".new")
    yield new
    new.replace(path)


def _copy(name: str, lines: Any, target: Any) -> None:
    """The part of a text that goes by this name, in whole lines."""
    if name == "wiki17":
        n_words = 17_000_000
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
    """The machine in a few words."""
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


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def number(value: float | None, digits: int = 1) -> str:
    """A number for a table; a dash for none."""
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
    """Plotly's, loaded when a figure is drawn."""
    import plotly.graph_objects

    return plotly.graph_objects


def plain_layout(title: str, x: str, y: str, **more: Any) -> dict[str, Any]:
    """White paper, thin grid, a legend below the title."""
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
    """The same axis twice, side by side; what goes to the right is drawn with ``PANELS[1]``."""
    layout = plain_layout(title, x, left)
    layout["xaxis"] |= {"domain": [0, 0.44], **of_x}
    layout["xaxis2"] = layout["xaxis"] | {"domain": [0.57, 1], "anchor": "y2"}
    layout["yaxis2"] = layout["yaxis"] | {"title": {"text": right, "standoff": 12}, "anchor": "x2"}
    return layout


PANELS: tuple[dict[str, Any], ...] = (
    {},
    {"xaxis": "x2", "yaxis": "y2", "showlegend": False},
)
