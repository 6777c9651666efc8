"""Whether Firth and its extras can be installed from wheels alone: ``python tools/check_wheels.py``.

For every version of Python and every platform, pip chooses versions of all dependencies from its index,
but installs nothing. A line names each dependency that has no wheel, itself or by one of its own. pip
evaluates conditions such as ``sys_platform == "win32"`` for the machine it runs on, so what is needed
on another platform only is not seen.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
_LINUX = (
    "manylinux_2_28",
    "manylinux_2_27",
    "manylinux_2_26",
    "manylinux_2_24",
    "manylinux_2_17",
    "manylinux2014",
)
PLATFORMS = {
    "linux-x86_64": tuple(f"{name}_x86_64" for name in _LINUX),
    "linux-aarch64": tuple(f"{name}_aarch64" for name in _LINUX),
    "macos-arm64": ("macosx_14_0_arm64",),
    "windows": ("win_amd64",),
}  # fmt: skip
EXTRAS = ("images", "demo", "remote", "dask", "icu", "hub", "spacy")


def requirements() -> list[str]:
    """The requirements of Firth and of the extras that users install; ``gpu`` brings gigabytes, and is left out."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = (project["optional-dependencies"][extra] for extra in EXTRAS)
    everything = [*project["dependencies"], *(item for extra in extras for item in extra)]
    return sorted({item for item in everything if not item.startswith("firth")})


def resolves(python: str, platform: str, wanted: list[str]) -> bool:
    """Whether pip finds wheels for some requirements and for all that they need."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet",
             "--disable-pip-version-check", "--only-binary=:all:", "--target", folder,
             "--implementation", "cp", "--python-version", python,
             *(f"--platform={tag}" for tag in PLATFORMS[platform]), *wanted],
            capture_output=True, check=False,
        )  # fmt: skip
    return done.returncode == 0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--python", nargs="+", default=PYTHONS, metavar="VERSION")
    parser.add_argument("--platform", nargs="+", default=tuple(PLATFORMS), choices=tuple(PLATFORMS))
    options = parser.parse_args()
    wanted, missing = requirements(), 0
    for python in options.python:
        for platform in options.platform:
            lacking = []
            if not resolves(python, platform, wanted):
                lacking = [item for item in wanted if not resolves(python, platform, [item])]
                lacking = lacking or ["all of them together"]
            missing += bool(lacking)
            said = f"no wheels: {', '.join(lacking)}" if lacking else "ok"
            print(f"Python {python}, {platform}: {said}", flush=True)
    sys.exit(1 if missing else 0)


if __name__ == "__main__":
    main()
