"""The wheel: its files, its version, and its types as a type checker sees them after installation."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from importlib import import_module
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import firth

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "firth"

RIGHT = """
    from typing import assert_type

    import firth
    from firth.formats import Rows
    from firth.grammar import Grammar
    from firth.lm import InterpolatedModel
    from firth.ner import EntityRecogniser

    sentences = ["the cat sat on the mat".split(), "the dog sat on the rug".split()]
    corpus = firth.Corpus.from_sentences(sentences, lowercase=True)
    assert_type(corpus, firth.Corpus)
    counts = firth.count(corpus, contexts="LR1", min_count=1)
    assert_type(counts, firth.Counts)

    vectors = firth.SpectralEmbedding(dim=3).fit(counts).vectors_
    assert_type(vectors, firth.WordVectors)
    neighbours = vectors.most_similar("cat", n=1)
    assert_type(neighbours, Rows[firth.Neighbour])
    assert_type(neighbours[0].word, str)

    hierarchy = firth.BrownClasses(n_classes=5, min_count=1).fit(corpus).hierarchy_
    assert_type(hierarchy, firth.Hierarchy)
    assert_type(hierarchy.path("cat"), str)

    tagger = firth.AnchorTagger(n_tags=2).fit(corpus)
    assert_type(tagger, firth.AnchorTagger)

    model = firth.load("news")
    assert_type(model, firth.Model)
    assert_type(model.corpus, firth.Corpus)
    assert_type(model.counts, firth.Counts)
    assert_type(model.vectors, firth.WordVectors)
    assert_type(model.vectors.most_similar(["cat", "dog"]), Rows[firth.Neighbour])
    assert_type(model.classes, firth.Hierarchy)
    assert_type(model.map, firth.WordMap)
    assert_type(model.ner, EntityRecogniser)
    assert_type(model.tags, firth.Tagger)
    assert_type(model.tags.tag(sentences), list[list[str]])
    assert_type(model.grammar, Grammar)
    assert_type(model.lm, InterpolatedModel)
"""
WRONG = """
    import firth
    import firth.tags

    corpus = firth.Corpus.from_sentences([[1, 2]])  # list-item
    firth.SpectralEmbedding(dimensions=3)  # call-arg
    firth.SpectralEmbedding(dim=3).fit(3)  # arg-type
    firth.BrownClasses(n_classes="5")  # arg-type
    firth.AnchorTagger(decode="best")  # arg-type
    number: int = firth.load("news").vectors.most_similar("cat")  # assignment
    firth.load("news").vectors.nearest("cat")  # attr-defined
    firth.SpectralEmbeding(dim=3)  # attr-defined
    firth.tags.AnchorTager()  # attr-defined
"""
# What Firth imports but users of its types need not look into; skipping these keeps the test quick.
CONFIG = """
    [mypy]
    strict = true
    [mypy-numba.*,llvmlite.*,scipy.*,pyarrow.*,sklearn.*,threadpoolctl.*]
    follow_imports = skip
    ignore_missing_imports = true
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel of this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    _run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=ROOT)
    (path,) = folder.iterdir()
    return zipfile.ZipFile(path)


def _run(*command: Any, **options: Any) -> str:
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return str(done.stdout)


def _version_of(text: str) -> str:
    found = re.search(r"^version: (.*)$", text, re.MULTILINE | re.IGNORECASE)
    assert found is not None
    return found[1]


def test_the_wheel_contains_the_package_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    packed = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert packed == {
        path.relative_to(SOURCE.parent).as_posix()
        for path in SOURCE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert "firth/py.typed" in packed
    assert {"firth/explore/page/index.html", "firth/explore/page/style.css"} < packed
    assert {f"firth/plots/page/dendrogram.{kind}" for kind in ("html", "css", "js")} < packed


def test_the_version_is_the_same_everywhere(wheel: zipfile.ZipFile) -> None:
    (metadata,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    assert _version_of(wheel.read(metadata).decode()) == firth.__version__
    assert _version_of((ROOT / "CITATION.cff").read_text(encoding="utf-8")) == firth.__version__
    assert f"\n## {firth.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_citation_file_is_complete() -> None:
    citation = import_module("yaml").safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(
        citation
    )  # which the format requires
    assert citation["license"] == "Apache-2.0"
    for work in citation["references"]:
        assert {"type", "title", "authors", "year"} <= set(work), work


@pytest.mark.slow
def test_an_installed_wheel_is_typed(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    """``mypy --strict`` accepts a right program, and finds the mistakes of a wrong one."""
    environment = tmp_path / "environment"
    _run(sys.executable, "-m", "venv", "--without-pip", environment)
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(environment)}))
    wheel.extractall(site)
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    python = environment / Path(sys.executable).relative_to(sys.prefix)
    clean = {
        name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "MYPYPATH")
    }
    where = "import firth; print(firth.__file__, firth.__version__)"
    said = _run(python, "-c", where, env=clean, cwd=tmp_path).split()
    assert said == [str(site / "firth" / "__init__.py"), firth.__version__]

    for name, text in (("right.py", RIGHT), ("wrong.py", WRONG), ("mypy.ini", CONFIG)):
        (tmp_path / name).write_text(dedent(text))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--python-executable", python, "--cache-dir", tmp_path / "cache",
         "--no-pretty", "--no-error-summary", "right.py", "wrong.py"],
        capture_output=True, text=True, check=False, env=clean, cwd=tmp_path,
    )  # fmt: skip
    assert done.stderr == ""
    found = re.findall(r"^(\w+\.py):(\d+): error: .*\[([a-z-]+)\]$", done.stdout, re.MULTILINE)
    expected = [
        ("wrong.py", str(number), line.split("  # ")[1])
        for number, line in enumerate(dedent(WRONG).splitlines(), 1)
        if "  # " in line
    ]
    assert sorted(set(found)) == sorted(expected), done.stdout
