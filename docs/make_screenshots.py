"""Take the screenshots of the explorer: ``python docs/make_screenshots.py [speeches|unknown|parser]``.

The images are written to docs/images/explore-*.png, and the tags of the artificial language to docs/images/tags.svg.
Requires ``pip install -e ".[dev,demo,images]"`` and Debian's chromium, or another Chromium given by the environment
variable FIRTH_CHROMIUM.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

IMAGES = Path(__file__).with_name("images")
AMBIGUOUS = "she put the picture of the bridge under the old lamp ."
# screenshots of the speeches show words only: the lines of the text are not ours to publish
SHOTS: dict[str, dict[str, tuple[str, int, int, Any]]] = {
    "speeches": {
        "explore-speeches-map": ("#/map", 1280, 800, "light"),
    },
    "unknown": {
        "explore-word": ("#/word/lun", 1280, 1000, "light"),
        "explore-tree": ("#/tree?cut=10", 1280, 900, "light"),
        "explore-map": ("#/map", 1280, 900, "light"),
        "explore-morphs": ("#/morphs", 1280, 900, "light"),
        "explore-tags": ("#/tags", 1280, 900, "light"),
        "explore-senses": ("#/senses/lun", 1280, 900, "light"),
    },
    "parser": {
        "explore-parse": (f"#/parse?text={AMBIGUOUS}", 1280, 900, "light"),
    },
}


# the speeches of the demo, the artificial language of the tutorials, and their treebank
DOCS, FIRTH = str(Path(__file__).parent), ["-m", "firth"]
LEARNING = {
    "speeches": [[*FIRTH, "demo", "-o", "speeches", "--quiet"]],
    "unknown": [
        [f"{DOCS}/make_language.py", "unknown.txt"],
        [*FIRTH, "learn", "unknown.txt", "-o", "unknown", "--classes", "40", "--tags", "14", "--morphs", "--quiet"],
        [*FIRTH, "plot", "tags", "unknown", "-o", str(IMAGES / "tags.svg")],
    ],
    "parser": [
        [f"{DOCS}/make_treebank.py", "trees.mrg", "dev.mrg"],
        [*FIRTH, "grammar", "learn", "trees.mrg", "-o", "parser", "--states", "8", "--quiet"],
    ],
}  # fmt: skip


def learn(folder: Path, model: str) -> None:
    for command in LEARNING[model]:
        subprocess.run(
            [sys.executable, *command], cwd=folder, check=True, stdout=subprocess.DEVNULL
        )


@contextmanager
def serving(folder: Path, model: str) -> Iterator[str]:
    """Serve a model and yield the address of the server."""
    command = [sys.executable, "-m", "firth", "explore", model, "--no-browser"]
    server = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield server.stdout.readline().split()[-1]
    finally:
        server.terminate()
        server.wait()


def main() -> None:
    from playwright.sync_api import sync_playwright

    chromium = os.environ.get("FIRTH_CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for model, shots in SHOTS.items():
            if model not in (sys.argv[1:] or SHOTS):
                continue
            learn(Path(name), model)
            with serving(Path(name), model) as base:
                for picture, (address, width, height, scheme) in shots.items():
                    page = browser.new_page(
                        viewport={"width": width, "height": height}, color_scheme=scheme
                    )
                    page.goto(base + address)
                    page.wait_for_selector(".view:not([aria-busy])")
                    page.wait_for_selector("[aria-busy]", state="detached")
                    page.wait_for_timeout(1000)
                    page.screenshot(path=IMAGES / f"{picture}.png")
                    page.close()
        browser.close()


if __name__ == "__main__":
    main()
