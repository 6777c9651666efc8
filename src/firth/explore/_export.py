"""Export to a single HTML file that contains the page, its scripts and the answers it needs."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import asdict, is_dataclass, replace
from pathlib import Path
from typing import Any

from firth import progress
from firth.errors import InputError
from firth.explore._app import model_facts
from firth.explore._page import page_files
from firth.explore._parameters import ExplorerParameters
from firth.explore._snapshot import Snapshot
from firth.explore.views import VIEWS
from firth.store import replacing

__all__ = ["bundle", "check_page_name", "export_page"]

FIRST = "app.js"
_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w-]+\.js)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (async function|function|const|class) (\w+)", re.MULTILINE)
_LEFT_OVER = re.compile(
    r"^\s*(import|export)\b|\bimport\(|</script|<!--", re.MULTILINE | re.IGNORECASE
)


def export_page(
    snapshot: Snapshot, file: str | Path, n_words: int = ExplorerParameters.words
) -> int:
    """Write the explorer to a single file that needs no server; returns its size in bytes.

    Parameters
    ----------
    snapshot : Snapshot
    file : str or Path
        A name that ends with ``.html``.
    n_words : int
        Number of words, the most frequent first.
    """
    path = check_page_name(file)
    page = _assemble(dict(_answers(snapshot, n_words))).encode()
    with replacing(path) as written:
        written.write(page)
    return len(page)


def check_page_name(file: str | Path) -> Path:
    """The path of a page to be written; raises InputError if the name cannot be used."""
    path = Path(file)
    if path.suffix.lower() not in (".html", ".htm"):
        raise InputError(
            f"The explorer is exported as HTML, not as {str(file)!r}.",
            "Use a name that ends with .html",
        )
    if not path.absolute().parent.is_dir():
        raise InputError(
            f"There is no folder {path.parent} to write to.", "Create it, or use another one."
        )
    return path


def _answers(snapshot: Snapshot, n_words: int) -> Iterator[tuple[str, Any]]:
    words, counts = _frequent(snapshot, n_words)
    facts = model_facts(snapshot, edit=False)
    known = set(words)
    yield (
        "model",
        asdict(replace(facts, examples=[w for w in facts.examples if w in known] or words[:12])),
    )
    yield "words", {"words": words, "counts": counts}
    with progress.stage("exporting", len(words), "words") as stage:
        for view in VIEWS:
            for address, answer in view.exported(snapshot, words):
                stage.advance(address.startswith("word?"))
                yield address, _plain(answer)


def _frequent(snapshot: Snapshot, n_words: int) -> tuple[list[str], list[int]]:
    """The most frequent words and their counts; none if the model has no words."""
    if not snapshot.has_words:
        return [], []
    vocabulary = snapshot.vocabulary
    n = min(n_words, len(vocabulary))
    return vocabulary.words.slice(0, n).to_pylist(), vocabulary.counts[:n].tolist()


def _plain(answer: Any) -> Any:
    if isinstance(answer, list):
        return [_plain(item) for item in answer]
    return asdict(answer) if is_dataclass(answer) and not isinstance(answer, type) else answer


def _assemble(answers: dict[str, Any]) -> str:
    """One HTML document with style, script and data, and a policy that forbids other scripts."""
    files = {name: content.decode() for name, (content, _) in page_files().items()}
    script = bundle({name: text for name, text in files.items() if name.endswith(".js")})
    style = files["style.css"]
    data = json.dumps(answers, ensure_ascii=False, separators=(",", ":")).encode()
    packed = base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    inside = (
        f'<script type="application/gzip" id="answers">{packed}</script>\n<script>{script}</script>'
    )
    page = files["index.html"]
    for old, new in (
        ("<!-- policy -->", f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        ('<link rel="stylesheet" href="style.css">', f"<style>{style}</style>"),
        (f'<script type="module" src="{FIRST}"></script>', ""),
        ("</body>", f"{inside}\n</body>"),
    ):
        if page.count(old) != 1:
            raise AssertionError(f"index.html must contain {old!r} once")
        page = page.replace(old, new)
    return page


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def bundle(modules: dict[str, str]) -> str:
    """JavaScript modules as one plain script, because browsers do not load modules from ``file:``.

    Every module becomes a function that is called once, in the order of imports. Modules may only use
    ``import { a, b } from "./other.js";`` and ``export function|const|class name``, each on one line.
    """
    order: list[str] = []

    def visit(name: str, above: tuple[str, ...]) -> None:
        if name in above:
            raise AssertionError(f"modules import each other: {' '.join([*above, name])}")
        if name not in order:
            for _, other in _IMPORT.findall(modules[name]):
                visit(other, (*above, name))
            order.append(name)

    visit(FIRST, ())
    pieces = ['"use strict";\nconst modules = {};']
    for name in order:
        exports = [found for _, found in _EXPORT.findall(modules[name])]
        body = _EXPORT.sub(r"\1 \2", _IMPORT.sub(_taken, modules[name]))
        if _LEFT_OVER.search(body):
            raise AssertionError(
                f"{name} has an import or an export of a form that cannot be bundled"
            )
        given = ", ".join(exports)
        pieces.append(f'modules["{name}"] = (() => {{\n{body}\nreturn {{ {given} }};\n}})();')
    return "\n".join(pieces)


def _taken(found: re.Match[str]) -> str:
    names = re.sub(r"(\w+) as (\w+)", r"\1: \2", found[1])
    return f'const {{{names}}} = modules["{found[2]}"];'
