"""Draw how a word is split, docs/images/morphs.svg: ``python docs/make_morphs_picture.py``.

A morphology is learned from a few dozen words. Above are its states with the probabilities of moves between them,
below all splits of a word that is not among the words. Probabilities below 1 % are left out, those of splits below 2 %.
"""

from __future__ import annotations

from collections import defaultdict
from html import escape
from pathlib import Path

import firth
from firth.morphs import KINDS

STEMS = (
    "walk talk jump climb start paint lock load fold print plant seal pack cover wrap bolt".split()
)
ENDINGS = ("", "s", "ed", "ing", "er")
WORD = "repainted"
COLOURS = {"prefix": "#b35900", "stem": "#0072b2", "suffix": "#00805d"}
LEAST = 0.01
WIDTH, STEP, LEFT, BASE = 760, 72, 56, 430


def words() -> list[str]:
    found = [stem + ending for stem in STEMS for ending in ENDINGS]
    return found + [f"un{stem}ed" for stem in STEMS[-4:]]


def arcs(morphology: firth.Morphology) -> dict[tuple[int, int], float]:
    """The probability of each part of the word, by where it begins and ends: summed over all splits."""
    found: defaultdict[tuple[int, int], float] = defaultdict(float)
    for split in morphology.n_best(WORD, 2 ** len(WORD)):
        at = 0
        for part in split.morphs:
            found[at, at + len(part)] += split.probability
            at += len(part)
    return dict(found)


def text(x: float, y: float, content: str, size: int = 15, **style: str) -> str:
    more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in style.items())
    return f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" text-anchor="middle"{more}>{escape(content)}</text>'


def states(morphology: firth.Morphology) -> list[str]:
    """The states in a row, with arrows above for moves to the right and below for moves back."""
    names = ["", *KINDS, ""]
    order = [
        3,
        0,
        1,
        2,
        3,
    ]  # rows and columns of the table of moves: prefix, stem, suffix, begin and end
    x = [70 + 155 * k for k in range(5)]
    y, drawn = 150.0, []
    at: tuple[float, float]
    for i in range(4):
        for j in range(1, 5):
            p = float(morphology._moves[order[i], order[j]])
            if p < LEAST or (i == 0 and j == 4):
                continue
            if i == j:
                path = f"M{x[i] - 14} {y - 26} C{x[i] - 40} {y - 78} {x[i] + 40} {y - 78} {x[i] + 14} {y - 26}"
                at = (x[i], y - 72.0)
            else:
                side = 1 if j < i else -1
                reach = 44 * abs(i - j) - 30
                a, b = x[i] + (34 if j > i else -34), x[j] - (38 if j > i else -38)
                if abs(i - j) == 1 and j > i:
                    path, at = f"M{a} {y} L{b} {y}", ((a + b) / 2, y - 7.0)
                else:
                    a, b = x[i], x[j] - (6 if j > i else -6)
                    path = f"M{a} {y + 27 * side} Q{(a + b) / 2} {y + side * (40 + 2 * reach)} {b} {y + 30 * side}"
                    at = ((a + b) / 2, y + side * (34 + reach) + (14 if side > 0 else -2))
            drawn.append(
                f'<path d="{path}" stroke-width="{0.8 + 4 * p:.1f}" marker-end="url(#tip)"/>'
            )
            drawn.append(text(at[0], at[1], f"{p:.2f}", 13, fill="#444"))
    for k, name in enumerate(names):
        if name:
            drawn.append(f'<ellipse cx="{x[k]}" cy="{y}" rx="36" ry="26" fill="{COLOURS[name]}"/>')
            drawn.append(text(x[k], y + 5, name, fill="#fff", font_weight="600"))
        else:
            drawn.append(f'<circle cx="{x[k]}" cy="{y}" r="7" fill="#444"/>')
            drawn.append(text(x[k], y + 28, "begin" if k == 0 else "end", 13, fill="#444"))
    return drawn


def lattice(morphology: firth.Morphology) -> list[str]:
    """The letters of the word in a row, and an arc for each part that may be one."""
    kinds = {}
    at = 0
    for morph in morphology.analyse(WORD):
        kinds[at, at + len(morph.text)] = morph.kind
        at += len(morph.text)
    drawn = []
    for (i, j), p in sorted(arcs(morphology).items(), key=lambda pair: pair[1]):
        if p < 2 * LEAST:
            continue
        a, b = LEFT + STEP * i, LEFT + STEP * j
        high = 26 + 17 * (j - i)
        kind = kinds.get((i, j), "")
        colour, weight = COLOURS.get(kind, "#767676"), "600" if kind else "400"
        drawn.append(
            f'<path d="M{a} {BASE - 8} C{a + 10} {BASE - high} {b - 10} {BASE - high} {b} {BASE - 8}" '
            f'stroke="{colour}" stroke-width="{1 + 4 * p:.1f}" stroke-dasharray="{"none" if kind else "4 4"}"/>'
        )
        shown = f"{WORD[i:j]} {p:.2f}"
        above = BASE - 0.75 * high + (-11 if kind else 12)
        drawn.append(
            text((a + b) / 2, above, shown, 14 if kind else 12, fill=colour, font_weight=weight)
        )
    drawn += [
        f'<circle cx="{LEFT + STEP * k}" cy="{BASE}" r="4" fill="#444" stroke="none"/>'
        for k in range(len(WORD) + 1)
    ]
    for k, letter in enumerate(WORD):
        drawn.append(text(LEFT + STEP * (k + 0.5), BASE + 8, letter, 22, fill="#111"))
    return drawn


def main() -> None:
    morphology = firth.Morphology().fit(words())
    assert WORD not in morphology.words_
    label = f"Above, the states prefix, stem and suffix; below, {WORD} with its possible parts"
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} 460" role="img" aria-label="{label}"',
        ' font-family="system-ui, sans-serif">',
        f'<rect width="{WIDTH}" height="460" fill="#fff"/>',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9" '
        'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="#666"/></marker></defs>',
        '<g fill="none" stroke="#666">',
    ]
    everything = [*states(morphology), *lattice(morphology)]
    drawn += [one for one in everything if one.startswith("<path")]
    drawn += ["</g>", *(one for one in everything if not one.startswith("<path")), "</svg>"]
    target = Path(__file__).with_name("images") / "morphs.svg"
    target.write_text("\n".join(drawn) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
