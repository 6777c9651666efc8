"""What there is to know about an installation, one finding after the other."""

from __future__ import annotations

import locale
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import firth
from firth.doctor._known_answer import differences
from firth.errors import FirthError
from firth.progress import size

__all__ = ["Finding", "examine"]

LANGUAGES = {"Arabic": "ar", "Chinese": "zh", "Hindi": "hi", "Japanese": "ja", "Korean": "ko"}
"""Some scripts that fonts often lack, and the codes by which fontconfig knows them."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
LITTLE_MEMORY, LITTLE_DISK = 2**30, 2**31
_PACKAGE = re.compile(r"[\w.-]+")
_EXTRA = re.compile(r"""extra == ['"](\w+)['"]""")


@dataclass(frozen=True)
class Finding:
    """One finding about an installation.

    Attributes
    ----------
    name, value : str
        What was looked at, and what was found.
    problem : bool
        Whether Firth, or a part of it, will not work.
    advice : str
        What to do; empty if there is nothing to do.
    """

    name: str
    value: str
    problem: bool = False
    advice: str = ""


def examine() -> Iterator[Finding]:
    """Look at versions, the machine, folders, fonts and extras, and learn a small model with a known answer.

    Examples
    --------
    >>> next(iter(examine())).name
    'Firth'
    """
    yield Finding("Firth", f"{firth.__version__} in {Path(firth.__file__).parent}")
    yield Finding("Python", f"{platform.python_version()} on {platform.platform(terse=True)}")
    yield from _packages()
    yield from _machine()
    yield from _folders()
    yield from _display()
    yield _answer()


def _packages() -> Iterator[Finding]:
    """The dependencies with their versions, and the extras with what they lack."""
    needed, extras = _requirements()
    lacking = [name for name in needed if _version(name) is None]
    found = ", ".join(f"{name} {_version(name)}" for name in needed if name not in lacking)
    yield Finding("packages", found)
    if lacking:
        advice = "Install them: pip install --upgrade firth"
        yield Finding("missing packages", ", ".join(lacking), True, advice)
    for extra, names in extras.items():
        missing = [name for name in names if _version(name) is None]
        advice = f'To install: pip install "firth[{extra}]"' if missing else ""
        value = f"without {', '.join(missing)}" if missing else "installed"
        yield Finding(f"firth[{extra}]", value, False, advice)


def _requirements() -> tuple[list[str], dict[str, list[str]]]:
    """Names of the packages that Firth needs, and those of each extra for users."""
    needed: list[str] = []
    extras: dict[str, list[str]] = {}
    try:
        lines = metadata.requires("firth") or []
    except metadata.PackageNotFoundError:  # run from a folder, not installed
        lines = []
    for line in lines:
        name = _PACKAGE.match(line)
        extra = _EXTRA.search(line)
        if name and extra is None:
            needed.append(name[0])
        elif name and extra and extra[1] not in ("bench", "dev", "docs", "integrations"):
            extras.setdefault(extra[1], []).append(name[0])
    return needed, extras


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _machine() -> Iterator[Finding]:
    import llvmlite.binding as llvm
    import psutil
    from threadpoolctl import threadpool_info

    from firth.compute import engine_for

    threads = engine_for("firth doctor", None).threads
    cores = os.cpu_count() or 1
    yield Finding("threads", f"{threads} of {cores} cores" if threads < cores else f"{threads}")
    wide = [name for name in ("sse4.2", "avx2", "avx512f", "neon", "sve") if _has(llvm, name)]
    yield Finding("processor", f"{llvm.get_host_cpu_name()} with {', '.join(wide) or 'no vectors'}")
    blas = {f"{i['internal_api']} {i['version']} ({i.get('architecture', 'unknown')})" for i in threadpool_info()
            if i["user_api"] == "blas"}  # fmt: skip
    yield Finding("linear algebra", ", ".join(sorted(blas)) or "unknown")
    memory = psutil.virtual_memory()
    few = memory.available < LITTLE_MEMORY
    advice = "Close other programs, or use a small --memory, such as 500M." if few else ""
    yield Finding("memory", f"{size(memory.available)} free of {size(memory.total)}", False, advice)
    cards = _output("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader")
    yield Finding("GPU", "; ".join(cards) if cards else "none, and none is needed")
    if cards or _version("torch"):
        yield _device()


def _device() -> Finding:
    """Whether ``--device cuda`` works; if not, why, and what to do."""
    from firth.compute import engine_for

    name = "--device cuda"
    try:
        device = engine_for("firth doctor", None, "cuda").device
    except FirthError as error:
        return Finding(name, error.message, False, error.hint or "")
    found = f"{device.title}, PyTorch {device.torch.__version__}" if device else "none"
    return Finding(name, found)


def _has(llvm: object, feature: str) -> bool:
    features: dict[str, bool] = llvm.get_host_cpu_features()  # type: ignore[attr-defined]
    return bool(features.get(feature))


def _folders() -> Iterator[Finding]:
    from firth.compute import portable_kernels, search_kernels

    kernels = [*vars(search_kernels).values(), *vars(portable_kernels).values()]
    caches = [getattr(kernel, "_cache", None) for kernel in kernels]
    kept = next((str(c.cache_path) for c in caches if c and hasattr(c, "cache_path")), None)
    advice = "" if kept else "Set NUMBA_CACHE_DIR to a folder that you may write to."
    yield Finding("compiled code", f"kept in {kept}" if kept else "not kept", False, advice)
    place = tempfile.gettempdir()
    free = shutil.disk_usage(place).free
    advice = "Large text needs more: set TMPDIR to a larger disk." if free < LITTLE_DISK else ""
    yield Finding("temporary files", f"in {place}, {size(free)} free", False, advice)


def _display() -> Iterator[Finding]:
    encoding = (getattr(sys.stdout, "encoding", None) or locale.getpreferredencoding()).lower()
    right = encoding.replace("-", "") == "utf8"
    advice = "" if right else "Words may be shown as \\u0000: set PYTHONUTF8=1."
    yield Finding("terminal", encoding, False, advice)
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    advice = "" if browser else "Figures as .svg, .png and .pdf need one; .html does not."
    yield Finding("Chrome or Chromium", browser or "not found", False, advice)
    if shutil.which("fc-list") is None:
        yield Finding("fonts", "unknown, because fc-list is not installed")
        return
    lacking = [name for name, code in LANGUAGES.items() if not _output("fc-list", f":lang={code}")]
    advice = "Install fonts to see such text, for example those of Noto." if lacking else ""
    value = f"none for {', '.join(lacking)}" if lacking else f"also for {', '.join(LANGUAGES)}"
    yield Finding("fonts", value, False, advice)


def _output(*command: str) -> list[str]:
    """The lines that a program prints; none if it cannot be run."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=20)  # noqa: S603
    except (OSError, subprocess.SubprocessError, UnicodeError):
        return []
    return [line.strip() for line in done.stdout.splitlines() if line.strip()]


def _answer() -> Finding:
    """Learn a small model from end to end, and compare it with what it must be."""
    name = "known answer"
    try:
        wrong = differences()
    except (FirthError, OSError, ImportError) as error:
        return Finding(
            name, f"{error}", True, "Install Firth again: pip install --force-reinstall firth"
        )
    if wrong:
        advice = "Please report this, with the output of firth doctor --json."
        return Finding(name, f"other than expected: {', '.join(wrong)}", True, advice)
    return Finding(name, "text to classes, vectors, tags and a concordance: as expected")
