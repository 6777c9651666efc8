"""Render the output of ``firth demo`` as docs/images/demo.svg: ``python docs/make_picture.py``."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console

from firth.cli import _shared, app

# Rich's own template loads a font from another host; this one uses fonts installed locally
FORMAT = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: sans-serif; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>{lines}</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g>
</svg>
"""


def main() -> None:
    target = Path(__file__).with_name("images") / "demo.svg"
    target.parent.mkdir(exist_ok=True)
    console = Console(
        record=True,
        width=108,
        file=io.StringIO(),
        force_terminal=True,
        highlight=False,
        soft_wrap=True,
    )
    vars(_shared)["stdout"] = lambda: console
    for name in ("_print_model", "_print_word", "_print_hits"):
        vars(importlib.import_module(f"firth.cli.{name}"))["stdout"] = lambda: console
    demo: Any = importlib.import_module("firth.cli.demo")
    # the speeches are not ours to print
    demo.print_hits = lambda *_: console.print("[dim](here, lines of the speeches)[/]")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with contextlib.suppress(SystemExit):
            app(["demo", "--quiet"])
    target.write_text(console.export_svg(title="firth demo", code_format=FORMAT), encoding="utf-8")


if __name__ == "__main__":
    main()
