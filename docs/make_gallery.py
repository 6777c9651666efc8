"""Writes the pictures of the gallery, docs/images/gallery-*: ``python docs/make_gallery.py [MODEL]``.

MODEL is what ``firth demo`` makes; without one it is made anew. Needs ``pip install -e ".[dev,demo,plots]"`` and
Debian's chromium, or another one named by FIRTH_CHROMIUM.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

IMAGES = Path(__file__).with_name("images")
METHODS = ("single", "complete", "average", "group-average", "ward")
THINGS = """
January February March April May June July August September October November December
Mexico Spain France England Germany Russia China Japan
army navy troops soldiers ships vessels
gold silver bank banks money
school schools teachers students children parents
farmers farms crops workers jobs wages
""".split()


def firth(*args: str) -> None:
    subprocess.run([sys.executable, "-m", "firth", *args], check=True, stdout=subprocess.DEVNULL)


def smaller(path: Path) -> None:
    """Take random names and empty groups out of a picture, so that it is small and the same every time."""
    text = path.read_text(encoding="utf-8")
    for name in set(re.findall(r'id="defs-([0-9a-f]{6})"', text)):
        text = text.replace(name, "firth")
    before = ""
    while before != text:
        before, text = text, re.sub(r'<g class="[^"]*"(/>|></g>)', "", text)
    path.write_text(text, encoding="utf-8")


def save(figure: Any, name: str) -> None:
    from firth.plots import save_figure

    save_figure(figure, IMAGES / f"gallery-{name}.svg")
    smaller(IMAGES / f"gallery-{name}.svg")


def draw_trees(model: Path, folder: Path) -> None:
    """The same words by all methods; words of things by their vectors; many words as a page."""
    words = folder / "things.txt"
    words.write_text("\n".join(THINGS), encoding="utf-8")
    pictures = {name: ["--top", "40", "--method", name] for name in METHODS}
    pictures["22"] = ["--top", "22", "--method", "single"]
    pictures["things"] = ["--words", str(words), "--by", "vectors"]
    for name, options in pictures.items():
        target = IMAGES / f"gallery-dendrogram-{name}.svg"
        firth("plot", "dendrogram", str(model), *options, "-o", str(target))
        smaller(target)
    page = folder / "page.html"
    firth("plot", "dendrogram", str(model), "--top", "2000", "-o", str(page))
    photograph(page, IMAGES / "gallery-dendrogram-page.png")


def photograph(page: Path, target: Path) -> None:
    """A page as it is in a dark browser, after a word was looked for."""
    from playwright.sync_api import sync_playwright

    chromium = os.environ.get("FIRTH_CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        opened = browser.new_page(viewport={"width": 1000, "height": 720}, color_scheme="dark")
        opened.goto(page.as_uri())
        opened.locator("#clusters").fill("40")
        opened.locator("#find").fill("Mexico")
        opened.screenshot(path=target)
        browser.close()


def draw_groups(model: Path) -> None:
    """How many groups the most frequent words fall into, and how much some words belong to several."""
    from firth.cluster import FlatClusters, MixtureClusters, choose_n_clusters
    from firth.model import load
    from firth.plots import how_many_figure, memberships_figure

    words, places = coordinates(load(model), 400, 8)
    found = choose_n_clusters(
        places, lambda x, k, seed: FlatClusters(k, random_state=seed).fit_predict(x), range(1, 31)
    )
    save(
        how_many_figure(
            found.ks, found.description_lengths, found.informations, found.agreements, found.chosen,
            f"How many groups are there among the {len(words)} most frequent words?",
        ),
        "how-many",
    )  # fmt: skip
    soft = MixtureClusters(8, covariance="diagonal", n_init=5, random_state=0).fit(places)
    shares = soft.memberships_
    typical = [np.flatnonzero(soft.labels_ == group)[:3] for group in range(8)]
    doubtful = np.argsort(shares.max(axis=1))[:16]
    rows = np.unique(np.concatenate([*typical, doubtful]))
    names = [", ".join(words[i] for i in some) for some in typical]
    title = "Typical and doubtful words, and how much they belong to each group"
    save(memberships_figure(shares[rows], [words[i] for i in rows], names, title=title), "soft")


def coordinates(model: Any, n: int, dim: int) -> tuple[list[str], Any]:
    """The most frequent words, and points whose scalar products are nearly the overlaps of their neighbours."""
    from firth.counts import neighbour_overlap

    words = [word for word in model.counts.vocabulary if any(c.isalnum() for c in word)][:n]
    values, axes = np.linalg.eigh(neighbour_overlap(model.counts, words))
    places = axes[:, -dim:] * np.sqrt(values[-dim:])
    return words, places / np.linalg.norm(places, axis=1)[:, None]


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = Path(sys.argv[1]) if len(sys.argv) > 1 else folder / "speeches"
        if len(sys.argv) == 1:
            firth("demo", "-o", str(model), "--quiet")
        draw_trees(model, folder)
        draw_groups(model)


if __name__ == "__main__":
    main()
