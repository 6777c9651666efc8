"""Make the tables and the picture of the benchmarks: ``python docs/make_benchmarks_picture.py``.

The first tables of docs/index.md, docs/benchmarks.md and README.md, and docs/images/benchmarks.svg, show the figures
of docs/results/headline.json, which ``python -m benchmarks.headline`` writes.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
WIDTH, LEFT, ROW, TOP = 560, 225, 26, 50
FASTER, SLOWER, INK, GREY = "#2a7f9e", "#c2571a", "#1f2933", "#59636e"
_TABLE = re.compile(r"(<!-- (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
Row = dict[str, Any]


def read() -> list[Row]:
    """The rows, in the order of the file."""
    rows: list[Row] = json.loads((DOCS / "results" / "headline.json").read_text(encoding="utf-8"))
    return rows


def by_task(rows: list[Row]) -> list[tuple[str, list[Row]]]:
    """The rows of each task: one for each other program."""
    return [(task, list(of_one)) for task, of_one in groupby(rows, lambda row: str(row["task"]))]


def ratio(row: Row) -> float:
    """How many times as much CPU time the other program needs."""
    ours, theirs = row["cpu"]
    return float(f"{theirs / ours:.2g}")


def seconds(value: float) -> str:
    return f"{value:,.0f} s" if value >= 10 else f"{value:.2g} s"


def memory(value: int | None) -> str:
    return "not measured" if value is None else f"{value:,} MB"


def table(names: list[str], rows: Iterable[list[str]]) -> str:
    """A table in Markdown."""
    lines = [names, ["---"] * len(names), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def headline(rows: list[Row]) -> str:
    """What people remember: time, memory and quality of each program."""
    lines = []
    for task, of_one in by_task(rows):
        ours, ram, quality = (of_one[0][name][0] for name in ("cpu", "memory", "quality"))
        lines.append([task, "Firth", seconds(ours), "", memory(ram), quality])
        for row in of_one:
            theirs, ram, quality = (row[name][1] for name in ("cpu", "memory", "quality"))
            found = [seconds(theirs), f"{ratio(row):g} ×", memory(ram), quality]
            lines.append(["", row["other"], *found])
    return table(["task", "program", "CPU time", "ratio", "memory", "quality"], lines)


def commands(rows: list[Row]) -> str:
    """The command that measures each row."""
    return table(
        ["task", "compared with", "command", "date"],
        (
            [
                f"[{row['task']}](#{row['section']})",
                row["other"],
                f"`{row['command']}`",
                row["date"],
            ]
            for row in rows
        ),
    )


def with_tables(page: str, rows: list[Row]) -> str:
    """A page with each table between its two marks."""
    made = {"headline": headline(rows), "commands": commands(rows)}
    return _TABLE.sub(lambda found: found[1] + made[found[2]] + found[3], page)


def picture(rows: list[Row]) -> str:
    """Bars on a logarithmic scale: to the right Firth is faster, to the left the other program."""
    low = min(0.8, *map(ratio, rows))
    high = max(100.0, *map(ratio, rows))

    def x(ratio: float) -> float:
        share = (math.log(ratio) - math.log(low)) / (math.log(high) - math.log(low))
        return LEFT + share * (WIDTH - LEFT - 50)

    tasks = by_task(rows)
    height = TOP + ROW * (len(rows) + len(tasks)) + 12
    ticks = [(1, "the same"), (10, "10 times"), (100, "100 times")]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="14" fill="{INK}">',
        "<title>CPU time of other programs divided by that of Firth</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        f'<text x="10" y="{TOP - 22}" fill="{GREY}">CPU time of other programs:</text>',
    ]
    lines += [
        f'<line x1="{x(tick):.1f}" y1="{TOP - 14}" x2="{x(tick):.1f}" y2="{height - 8}" stroke="{GREY}" '
        f'stroke-opacity="{0.9 if tick == 1 else 0.3}"/>'
        f'<text x="{x(tick):.1f}" y="{TOP - 22}" text-anchor="middle" fill="{GREY}">{label}</text>'
        for tick, label in ticks
    ]
    y = TOP
    for task, of_one in tasks:
        width = 7.4 * len(task)  # on white, so that no line crosses the letters
        lines.append(
            f'<rect x="8" y="{y}" width="{width:.0f}" height="{ROW - 4}" fill="#fff"/>'
            f'<text x="10" y="{y + 16}" font-weight="600">{escape(task)}</text>'
        )
        for row in of_one:
            y += ROW
            value = ratio(row)
            start, end = sorted((x(1), x(value)))
            lines.append(
                f'<text x="22" y="{y + 15}">{escape(row["other"])}</text>'
                f'<rect x="{start:.1f}" y="{y + 2}" width="{end - start:.1f}" height="18" rx="2" '
                f'fill="{FASTER if value >= 1 else SLOWER}"/>'
                f'<text x="{end + 5:.1f}" y="{y + 16}" font-weight="600">{value:g} ×</text>'
            )
        y += ROW
    return "\n".join([*lines, "</svg>", ""])


def main() -> None:
    rows = read()
    (DOCS / "images" / "benchmarks.svg").write_text(picture(rows), encoding="utf-8")
    for path in (DOCS / "index.md", DOCS / "benchmarks.md", DOCS.parent / "README.md"):
        page = path.read_text(encoding="utf-8")
        path.write_text(with_tables(page, rows), encoding="utf-8")


if __name__ == "__main__":
    main()
