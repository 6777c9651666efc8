"""Draw the first table of docs/benchmarks.md: ``python docs/make_benchmarks_picture.py``."""

from __future__ import annotations

import math
import re
from html import escape
from pathlib import Path

DOCS = Path(__file__).parent
WIDTH, LEFT, ROW, TOP = 960, 550, 28, 44
FASTER, SLOWER, GREY = "#2a7f9e", "#c2571a", "#808890"


def rows(page: str) -> list[tuple[str, float]]:
    """Task with the other program, and the time ratio, of each row of the first table."""
    table = re.search(r"^\| task \|.*?\n\n", page, re.MULTILINE | re.DOTALL)
    assert table is not None, "the page has no table of tasks"
    found: list[tuple[str, float]] = []
    task = ""
    for line in table[0].strip().splitlines()[2:]:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        task = task if cells[0] == "the same" else cells[0]
        ratios = re.findall(r"([\d.]+) \((CPU|wall)\)", cells[2])
        ratio = {unit: float(number) for number, unit in ratios}
        found.append((f"{task} · {cells[1]}", ratio.get("CPU", ratio.get("wall", 1.0))))
    return sorted(found, key=lambda row: -row[1])


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
        "<title>Time of other programs divided by that of Firth</title>",
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


def main() -> None:
    page = (DOCS / "benchmarks.md").read_text(encoding="utf-8")
    (DOCS / "images" / "benchmarks.svg").write_text(picture(rows(page)), encoding="utf-8")


if __name__ == "__main__":
    main()
