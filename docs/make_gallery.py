"""Draw the figures of the gallery, docs/images/gallery-*: ``python docs/make_gallery.py [MODEL]``.

MODEL is a model made by ``firth demo``; without it, the script runs ``firth demo`` first. Requires
``pip install -e ".[dev,demo,images]"`` and Chromium: Debian's, or the executable in FIRTH_CHROMIUM.
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
    """Remove random ids and empty elements from an SVG file, so that it is small and reproducible."""
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
    """The same words with all linkage methods, content words by vectors, and a large tree as a page."""
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
    """A screenshot of a page in dark mode, after a search for a word."""
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


def draw_clusters(model: Path) -> None:
    """The number of clusters of the most frequent words, and their memberships in a soft clustering."""
    from firth.cluster import FlatClusters, MixtureClusters, choose_n_clusters
    from firth.model import load
    from firth.plots import how_many_figure, memberships_figure

    words, points = coordinates(load(model), 400, 8)
    found = choose_n_clusters(
        points, lambda x, k, seed: FlatClusters(k, random_state=seed).fit_predict(x), range(1, 31)
    )
    save(
        how_many_figure(
            found.ks, found.description_lengths, found.informations, found.agreements, found.chosen,
            f"Number of clusters for the {len(words)} most frequent words",
        ),
        "how-many",
    )  # fmt: skip
    soft = MixtureClusters(8, covariance="diagonal", n_init=5, random_state=0).fit(points)
    memberships = soft.memberships_
    typical = [np.flatnonzero(soft.labels_ == cluster)[:3] for cluster in range(8)]
    ambiguous = np.argsort(memberships.max(axis=1))[:16]
    rows = np.unique(np.concatenate([*typical, ambiguous]))
    names = [", ".join(words[i] for i in some) for some in typical]
    title = "Memberships of typical and ambiguous words in each cluster"
    save(
        memberships_figure(memberships[rows], [words[i] for i in rows], names, title=title), "soft"
    )


def coordinates(model: Any, n: int, dim: int) -> tuple[list[str], Any]:
    """The most frequent words, and points whose inner products approximate the overlaps of neighbours."""
    from firth.counts import neighbour_overlap

    words = [word for word in model.counts.vocabulary if any(c.isalnum() for c in word)][:n]
    values, axes = np.linalg.eigh(neighbour_overlap(model.counts, words))
    points = axes[:, -dim:] * np.sqrt(values[-dim:])
    return words, points / np.linalg.norm(points, axis=1)[:, None]


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = Path(sys.argv[1]) if len(sys.argv) > 1 else folder / "speeches"
        if len(sys.argv) == 1:
            firth("demo", "-o", str(model), "--quiet")
        draw_trees(model, folder)
        draw_clusters(model)


if __name__ == "__main__":
    main()
