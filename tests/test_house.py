"""The house: what is public, who imports from whom, and what must stay light."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import firth

SOURCE = Path(firth.__file__).parent
# a room imports only from rooms listed above it
ROOMS = [
    "_lazy",
    "errors",
    "progress",
    "compute",
    "unicode",
    "store",
    "parameters",
    "parts",
    "names",
    "estimator",
    "notebook",
    "formats",
    "trees",
    "corpus",
    "counts",
    "vectors",
    "cluster",
    "classes",
    "maps",
    "evaluate",
    "ner",
    "morphs",
    "tags",
    "grammar",
    "lm",
    "senses",
    "find",
    "plots",
    "hub",
    "data",
    "exploring",
    "model",
    "compare",
    "measure",
    "planning",
    "pipeline",
    "doctor",
    "describe",
    "integrations",
    "explore",
    "cli",
]


def test_the_public_names_are_these() -> None:
    assert set(firth.__all__) == {
        "Corpus", "Hit", "Vocabulary", "Counts", "count", "SpectralEmbedding", "WordVectors", "Neighbour",
        "BrownClasses", "SpectralClasses", "ExchangeRefiner", "Hierarchy", "BrownModel", "WordMap", "WordSenses",
        "EntityTagger", "features", "SentenceFeatures", "AnchorTagger", "BaumWelchTagger", "ClusterTagger",
        "FeatureTagger", "MutualInformationTagger", "SupervisedTagger", "LatentTagger", "Tagger", "HMM", "SpectralHMM",
        "LPCFG", "Tree", "parse_trees", "read_trees", "LanguageModel", "Morphology", "Model", "learn", "load", "merge",
        "compare", "show_progress", "GrammarEmbedding", "ClassVectorizer", "EmbeddingVectorizer",
        "FirthError", "InputError", "ParameterError", "QueryError", "WordError", "ModelError", "BusyError",
    }  # fmt: skip
    for name in firth.__all__:
        assert getattr(firth, name).__doc__, name
    assert set(firth.__all__) < set(dir(firth))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        firth.nonsense  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.slow
def test_rooms_import_only_from_rooms_above() -> None:
    seen = set()
    for path in SOURCE.rglob("*.py"):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        room = parts[0]
        if room in ("__init__", "__main__"):
            continue
        seen.add(room)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names: list[str] = []
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("firth"):
                names = (
                    [node.module]
                    if node.module != "firth"
                    else [f"firth.{a.name}" for a in node.names]
                )
            elif isinstance(node, ast.Import):
                names = [a.name for a in node.names if a.name.startswith("firth.")]
            for name in names:
                other = name.split(".")[1]
                if other != "__version__":
                    assert ROOMS.index(other) <= ROOMS.index(room), f"{path}: {name}"
                    private = other != room and any(p.startswith("_") for p in name.split(".")[2:])
                    assert not private, f"{path} reaches into {name}"
    assert seen == set(ROOMS)


_FILE_CALLS = {
    "open", "built-in open", "write_text", "write_bytes", "tofile", "memmap", "mmap", "OSFile", "memory_map", "fsync",
    "rename", "unlink", "mkdir", "makedirs", "rmdir", "rmtree", "copyfile", "mkstemp", "mkdtemp", "touch",
    "NamedTemporaryFile", "TemporaryDirectory", "read_text", "read_bytes", "fromfile",
}  # fmt: skip
_OTHER_FILES = {
    "store/_system.py": "here they are",
    "compute/_cache.py": "the folder of compiled kernels",
    "cli/_shared.py": "the null device for standard streams",
    "cli/_demo_text.py": "the modules of Python",
    "cluster/_memory.py": "what the system tells about memory",
    "explore/_page.py": "files of the package",
    "plots/_dendrogram_page.py": "files of the package",
    "unicode/_tables.py": "files of the package",
    "explore/_server.py": "the browser is opened",
    "formats/_remote.py": "files of other machines",
    "data/_download.py": "addresses",
}


def test_files_are_opened_and_changed_in_one_module() -> None:
    """So that a test can make any call fail, and so that no file is written through a memory map."""
    found = set()
    for path in SOURCE.rglob("*.py"):
        name = path.relative_to(SOURCE).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                called = (
                    getattr(node.func, "attr", "") or f"built-in {getattr(node.func, 'id', '')}"
                )
                if called in _FILE_CALLS:
                    found.add(name)
                    assert name in _OTHER_FILES, f"{name}, line {node.lineno}: {called}"
    assert found == set(_OTHER_FILES)


@pytest.mark.parametrize(
    "code", ["import firth", "import firth.cli", "import firth; firth.Corpus; firth.load"]
)
def test_heavy_packages_are_imported_late(code: str) -> None:
    heavy = "{'numba', 'scipy', 'pyarrow', 'pandas', 'sklearn', 'plotly', 'fastapi', 'uvicorn', 'fsspec'}"
    script = f"import sys; {code}; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_the_main_job_does_not_import_scikit_learn(tmp_path: Path) -> None:
    """It takes a second to import, as long as learning from a small text."""
    (tmp_path / "text.txt").write_text("the cat sat\nthe dog sat\na cat ran\na dog ran\n" * 9)
    learn = "import sys, firth; firth.learn('text.txt', 'model', dim=2, classes=3, min_count=1)"
    script = f"{learn}; sys.exit('sklearn' in sys.modules)"
    subprocess.run([sys.executable, "-c", script], check=True, cwd=tmp_path)


def test_errors_are_one_tree() -> None:
    import firth.errors

    for name in firth.errors.__all__:
        kind = getattr(firth.errors, name)
        assert issubclass(kind, firth.FirthError)
        assert name in str(firth.errors.__doc__)
    assert issubclass(firth.ParameterError, ValueError)
    assert issubclass(firth.WordError, KeyError)
    assert str(firth.InputError("What.", "Next.")) == "What. (Next.)"


def test_text_is_classified_by_the_table_that_comes_with_firth() -> None:
    """Not by the interpreter: its version of Unicode would decide about tokens, features and names."""
    methods = r"\.(is(alnum|alpha|digit|lower|numeric|printable|title|upper)|swapcase|title)\("
    for path in SOURCE.rglob("*.py"):
        room, text = path.relative_to(SOURCE).parts[0], path.read_text(encoding="utf-8")
        assert "unicodedata" not in text, path
        if room in (
            "corpus",
            "classes",
            "morphs",
            "tags",
            "ner",
            "grammar",
            "lm",
            "senses",
            "vectors",
        ):
            assert not re.findall(methods, text), path
            lowered = re.findall(r"(?<!unicode)\.lower\(\)", text)
            assert not lowered or path.name in ("_find_sources.py", "_vocabulary.py"), path
