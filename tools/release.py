"""Build a release and try it out: ``make release``.

Builds the wheel and the source distribution into dist/, checks them, and installs the wheel into an empty
environment for every supported Python that is found here (this one, python3.11, python3.12, ..., and those of
pyenv), with the newest dependencies, and for the oldest Python also with the lowest. In each, all help pages and
a job of every kind are run (tools/smoke.py). Nothing is uploaded.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from check_wheels import PYTHONS

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
NEEDED = ("firth/py.typed", "firth/explore/page/index.html", "firth/unicode/tables.json")
STRAY = (".pyc", ".nbi", ".nbc", ".DS_Store", ".orig", ".rej", "~")


def run(*command: str | Path, cwd: Path = ROOT) -> None:
    """Run a command, and stop if it fails."""
    print("$", " ".join(str(part) for part in command), flush=True)
    if subprocess.run([str(part) for part in command], cwd=cwd, check=False).returncode:
        sys.exit(f"failed: {' '.join(str(part) for part in command)}")


def build(tools: Path) -> tuple[Path, Path]:
    """The wheel and the source distribution; the wheel is built from the latter, as pip would do."""
    shutil.rmtree(DIST, ignore_errors=True)
    run(tools, "-m", "build", "--outdir", DIST)
    run(tools, "-m", "twine", "check", "--strict", *sorted(DIST.iterdir()))
    return next(DIST.glob("*.whl")), next(DIST.glob("*.tar.gz"))


def check_contents(wheel: Path, source: Path) -> None:
    """The wheel has all tracked files of the package; neither has anything that git does not track."""
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    tracked = set(listed.stdout.splitlines())
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    expected = {name.removeprefix("src/") for name in tracked if name.startswith("src/")}
    with tarfile.open(source) as archive:
        members = {name.partition("/")[2] for name in archive.getnames() if "/" in name}
    files = {name for name in members if not any(other.startswith(name + "/") for other in members)}
    problems = {
        "not in the wheel": expected - packed,
        "only in the wheel": packed - expected,
        "only in the source distribution": files - tracked - {"PKG-INFO"},
        "missing": {name for name in NEEDED if name not in packed},
        "stray": {name for name in packed | files if name.endswith(STRAY)},
    }
    wrong = {what: sorted(names)[:5] for what, names in problems.items() if names}
    if wrong:
        sys.exit(f"contents: {wrong}")
    print(f"{len(packed)} files in the wheel, {len(files)} in the source distribution", flush=True)


def try_out(version: str, python: str, wheel: Path, lowest: bool) -> None:
    """Install the wheel into an empty environment, and run the smoke test there."""
    print(f"\nPython {version}, {'lowest' if lowest else 'newest'} dependencies", flush=True)
    with tempfile.TemporaryDirectory(prefix="firth-release-") as folder:
        place = Path(folder)
        run(python, "-m", "venv", place / "venv")
        inside = place / "venv" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        bounds: list[str | Path] = []
        if lowest:
            found = subprocess.run(
                [sys.executable, ROOT / "tools" / "lowest.py"],
                capture_output=True,
                text=True,
                check=True,
            )
            (place / "lowest.txt").write_text(found.stdout, encoding="utf-8")
            bounds = ["-c", place / "lowest.txt"]
        run(inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
            "--only-binary=:all:", *bounds, wheel)  # fmt: skip
        run(inside, ROOT / "tools" / "smoke.py", cwd=place)


def interpreter(version: str) -> str | None:
    """A Python of this version: on the path, or of pyenv, whose commands work for chosen versions only."""
    if version == "{}.{}".format(*sys.version_info):
        return sys.executable
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    there = sorted(pyenv.glob(f"{version}.*/bin/python"), reverse=True)
    for python in (shutil.which(f"python{version}"), *map(str, there)):
        if python and not subprocess.run([python, "-c", ""], capture_output=True).returncode:
            return python
    return None


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--python", nargs="*", default=PYTHONS, metavar="VERSION")
    options = parser.parse_args()
    wheel, source = build(Path(sys.executable))
    check_contents(wheel, source)
    found = {version: interpreter(version) for version in options.python}
    for version, python in found.items():
        for lowest in (False, True)[: 1 + (version == PYTHONS[0])]:
            if python is not None:
                try_out(version, python, wheel, lowest)
    tried = [version for version, python in found.items() if python is not None]
    missing = [version for version in found if version not in tried]
    print(f"\ntried with Python {', '.join(tried) or 'none'}")
    if missing:
        print(f"not found here, and not tried: {', '.join(missing)}")
    print("\n".join(str(path.relative_to(ROOT)) for path in (wheel, source)))


if __name__ == "__main__":
    main()
