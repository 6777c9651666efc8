"""Add the documentation of this version to a site with all versions: ``make versions``.

The pages go to sites/VERSION/, beside those of other versions, which are left as they are. sites/versions.json lists
them for the menu of versions on each page, and sites/index.html leads to the newest. If the site will not be at the
root of its server, say where: ``make versions BASE=/firth/``.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")
_REDIRECT = """<!doctype html>
<meta charset="utf-8">
<title>Firth</title>
<meta http-equiv="refresh" content="0; url=./{newest}/">
<p><a href="./{newest}/">The documentation of Firth {newest}</a></p>
"""


def versions(folder: Path, base: str) -> list[dict[str, Any]]:
    """What the menu offers: all versions in a folder, the newest first."""
    names = [path.parent.name for path in folder.glob("*/index.html")]
    known = [name for name in names if _VERSION.fullmatch(name)]
    known.sort(key=lambda name: tuple(map(int, name.split("."))), reverse=True)
    found: list[dict[str, Any]] = [
        {"name": name, "version": name, "url": f"{base}{name}/"} for name in known
    ]
    if found:
        found[0] |= {"name": f"{known[0]} (newest)", "preferred": True}
    return found


def write_list(folder: Path, base: str) -> None:
    """Write the list of versions, and the page that leads to the newest."""
    found = versions(folder, base)
    text = json.dumps(found, indent=1) + "\n"
    (folder / "versions.json").write_text(text, encoding="utf-8")
    page = _REDIRECT.format(newest=found[0]["version"])
    (folder / "index.html").write_text(page, encoding="utf-8")


def main() -> None:
    import firth

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--base", default="/", help="where the site will be on its server")
    parser.add_argument("--folder", type=Path, default=ROOT / "sites")
    options = parser.parse_args()
    if not re.fullmatch(r"(https?://[^/]+)?/([\w.~-]+/)*", options.base):
        parser.error("--base must be a path or an address that ends in a slash, such as /firth/")
    target = options.folder / firth.__version__
    command = ["-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going", "-t", "versions"]
    subprocess.run([sys.executable, *command, ROOT / "docs", target], check=True)
    write_list(options.folder, options.base)
    print(f"{target}\n{options.folder / 'versions.json'}")


if __name__ == "__main__":
    main()
