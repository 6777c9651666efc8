"""Make the tables and the picture of the benchmarks: ``python docs/make_benchmarks_picture.py``.

The first tables of docs/benchmarks.md, that of README.md, and docs/images/benchmarks.svg show the figures of
docs/results/headline.json, which ``python -m benchmarks.headline`` writes.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
WIDTH, LEFT, ROW, TOP = 960, 550, 28, 44
FASTER, SLOWER, GREY = "#2a7f9e", "#c2571a", "#808890"
_TABLE = re.compile(r"(<!-- (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
Row = dict[str, Any]


def read() -> list[Row]:
    """The rows, in the order of the file."""
    rows: list[Row] = json.loads((DOCS / "results" / "headline.json").read_text(encoding="utf-8"))
    return rows


def ratio(row: Row) -> float:
    """How many times as much CPU time the other program needs."""
    ours, theirs = row["cpu"]
    return float(f"{theirs / ours:.2g}")


def seconds(value: float) -> str:
    return f"{value:,.0f} s" if value >= 10 else f"{value:.2g} s"


def memory(row: Row) -> str:
    ours, theirs = row["memory"]
    return "not measured" if ours is None else f"{ours:,} / {theirs:,} MB"


def table(names: list[str], rows: Iterable[list[str]]) -> str:
    """A table in Markdown."""
    lines = [names, ["---"] * len(names), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def headline(rows: list[Row]) -> str:
    """What people remember: time and quality."""
    names = ["task", "compared with", "CPU time, Firth / other", "ratio", "quality, Firth", "other"]
    return table(
        names,
        (
            [row["task"], row["other"], " / ".join(map(seconds, row["cpu"])), f"{ratio(row):g} ×",
             *row["quality"]] for row in rows
        ),
    )  # fmt: skip


def commands(rows: list[Row]) -> str:
    """The memory of each row, and the command that measures it."""
    return table(
        ["task", "compared with", "peak memory, Firth / other", "command, date"],
        (
            [f"[{row['task']}](#{row['section']})", row["other"], memory(row),
             f"`{row['command']}`, {row['date']}"] for row in rows
        ),
    )  # fmt: skip


def with_tables(page: str, rows: list[Row]) -> str:
    """A page with each table between its two marks."""
    made = {"headline": headline(rows), "commands": commands(rows)}
    return _TABLE.sub(lambda found: found[1] + made[found[2]] + found[3], page)


def picture(found: list[tuple[str, float]]) -> str:
    """Bars on a logarithmic scale: to the right Firth is faster, to the left the other program."""
    low = min(0.4, *(ratio for _, ratio in found))
    high = max(100.0, *(ratio for _, ratio in found))

    def x(ratio: float) -> float:
        share = (math.log(ratio) - math.log(low)) / (math.log(high) - math.log(low))
        return LEFT + share * (WIDTH - LEFT - 60)

    height = TOP + ROW * len(found) + 16
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="13" fill="{GREY}">',
        "<title>CPU time of other programs divided by that of Firth</title>",
    ]
    lines += [
        f'<line x1="{x(tick):.1f}" y1="{TOP - 12}" x2="{x(tick):.1f}" y2="{height - 10}" stroke="{GREY}" '
        f'stroke-opacity="{0.9 if tick == 1 else 0.3}"/>'
        f'<text x="{x(tick):.1f}" y="{TOP - 20}" text-anchor="middle">{label}</text>'
        for tick, label in ((1, "as fast as Firth"), (10, "10 times the time"), (100, "100 times"))
    ]
    for i, (name, ratio) in enumerate(found):
        y = TOP + ROW * i
        start, end = sorted((x(1), x(ratio)))
        colour = FASTER if ratio >= 1 else SLOWER
        lines.append(
            f'<text x="8" y="{y + 15}">{escape(name)}</text>'
            f'<rect x="{start:.1f}" y="{y + 2}" width="{end - start:.1f}" height="18" rx="2" fill="{colour}"/>'
            f'<text x="{end + 6 if ratio >= 1 else start - 6:.1f}" y="{y + 16}" font-weight="600" '
            f'text-anchor="{"start" if ratio >= 1 else "end"}">{ratio:g}</text>'
        )
    return "\n".join([*lines, "</svg>", ""])


def bars(rows: list[Row]) -> list[tuple[str, float]]:
    """What the picture shows: names and ratios, the largest first."""
    return sorted(
        ((f"{r['task']} · {r['other']}", ratio(r)) for r in rows), key=lambda bar: -bar[1]
    )


def main() -> None:
    rows = read()
    (DOCS / "images" / "benchmarks.svg").write_text(picture(bars(rows)), encoding="utf-8")
    for path in (DOCS / "benchmarks.md", DOCS.parent / "README.md"):
        page = path.read_text(encoding="utf-8")
        path.write_text(with_tables(page, rows), encoding="utf-8")


if __name__ == "__main__":
    main()
