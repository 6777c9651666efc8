"""Trees as SVG pictures."""

from __future__ import annotations

from html import escape

from firth import unicode
from firth.trees._tree import Tree

__all__ = ["svg"]

_CHARACTER, _GAP, _LEVEL, _SIZE = 8.0, 14.0, 44.0, 14
"""Width of a character, space between words, height of a level, font size."""


def svg(tree: Tree) -> str:
    """Draw a tree: words in a row at the bottom, every node centred above its children."""
    numbered = tree.numbered()
    places, width = _places(numbered)
    height = (tree.height + 1) * _LEVEL
    bottom = height - _LEVEL / 2
    lines: list[str] = []
    labels: list[str] = []
    for (node, parent), (x, y) in zip(numbered, places, strict=True):
        labels.append(_text(x, y, node.label, "label"))
        if node.word is not None:
            lines.append(_line(x, y + 6, x, bottom - 16, "word"))
            labels.append(_text(x, bottom, node.word, "word"))
        if parent >= 0:
            above = places[parent]
            lines.append(_line(above[0], above[1] + 6, x, y - 14, "branch"))
    style = (
        ".label{font-weight:600;fill:#2a7f9e}.word{fill:#26323d}"
        "line{stroke:#9fb0ba;stroke-width:1.2}line.word{stroke-dasharray:2 3}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img" font-size="{_SIZE}" '
        f'font-family="Inter, Helvetica, Arial, sans-serif" text-anchor="middle">'
        f"<title>{escape(_printable(' '.join(tree.words)))}</title><style>{style}</style>"
        f"{''.join(lines)}{''.join(labels)}</svg>"
    )


def _places(numbered: list[tuple[Tree, int]]) -> tuple[list[tuple[float, float]], float]:
    """The centre of each node, and the width of the picture."""
    middles = [0.0] * len(numbered)
    sides: list[list[float]] = [[] for _ in numbered]
    depths = [1] * len(numbered)
    x = _GAP
    for place, (node, parent) in enumerate(numbered):
        depths[place] = depths[parent] + 1 if parent >= 0 else 1
        if node.word is not None:
            wide = _CHARACTER * max(_width(node.word), _width(node.label), 1)
            middles[place] = x + wide / 2
            x += wide + _GAP
    for place in range(len(numbered) - 1, -1, -1):
        node, parent = numbered[place]
        if node.word is None:
            middles[place] = (min(sides[place]) + max(sides[place])) / 2
        if parent >= 0:
            sides[parent].append(middles[place])
    heights = [depth * _LEVEL - _LEVEL / 2 for depth in depths]
    return list(zip(middles, heights, strict=True)), x


def _width(text: str) -> int:
    """Approximate width of a text in characters."""
    return sum(2 if unicode.is_wide(c) else 1 for c in text)


def _text(x: float, y: float, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(_printable(text))}</text>'


def _line(x: float, y: float, to_x: float, to_y: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}"/>'


def _printable(text: str) -> str:
    """Replace characters that XML does not allow."""
    return "".join(c if unicode.is_printable(c) else "\ufffd" for c in text)
