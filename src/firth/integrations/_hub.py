"""Models on the Hugging Face Hub: a model card, and uploading."""

from __future__ import annotations

import html
import json
import re
import warnings
from pathlib import Path
from typing import Any

from firth import __version__, progress
from firth.describe import summary_rows
from firth.errors import ParameterError
from firth.hub import ADDRESS, explained, hub, split_address
from firth.model import Model
from firth.parts import PARTS
from firth.store import MANIFEST, TemporaryFolder, replacing

__all__ = ["TEXT_PARTS", "model_card", "push"]

TEXT_PARTS = ("corpus", "documents", "index")
"""The parts from which the text can be restored."""
_CARD = "README.md"
_LICENCE = re.compile(r"[a-z0-9][a-z0-9.+-]{1,49}")
_MARKS = re.compile(r"([\\`*_{}\[\]()#+!|~<>])")


def push(
    model: str | Path | Model,
    name: str,
    licence: str,
    with_corpus: bool = False,
    private: bool = False,
) -> str:
    """Upload a model to the Hugging Face Hub, with a model card; returns its address for ``firth.load``.

    Parameters
    ----------
    model : str, Path or Model
    name : str
        ``USER/NAME``. The repository is made if it does not exist; what it had of another version of the
        model is removed.
    licence : str
        The identifier of a licence as the Hub knows it, such as ``apache-2.0`` or ``cc-by-4.0``.
    with_corpus : bool
        Whether the text goes along: the parts ``corpus``, ``documents`` and ``index``.
    private : bool
        Whether a new repository is private.
    """
    repository, revision = split_address(ADDRESS + name.removeprefix(ADDRESS))
    if revision is not None:
        raise ParameterError(f"{name} names a revision.", "A model is pushed to USER/NAME.")
    if not isinstance(licence, str) or not _LICENCE.fullmatch(licence):
        raise ParameterError(
            f"{licence!r} is not the identifier of a licence.",
            "For example: apache-2.0, cc-by-4.0, mit, or other.",
        )
    library = hub("firth push")
    opened = model if isinstance(model, Model) else Model(model)
    parts = [part for part in opened.parts if with_corpus or part not in TEXT_PARTS]
    stale = [part for part in parts if opened.is_stale(part)]
    wanted = [part for part in parts if part not in stale]
    if not any(PARTS[part].listed for part in wanted):
        raise ParameterError(
            f"{opened.path} has nothing to push but its text.",
            "Add --with-corpus to push the text.",
        )
    for part in stale:
        progress.notice(f"The {PARTS[part].title} of {opened.path} are out of date and are not uploaded.")
    with TemporaryFolder() as folder:
        copy = opened.copy_to(folder.path / "model", wanted)
        with replacing(copy.path / _CARD) as file:
            file.write(model_card(copy, repository, licence, opened).encode())
        files = [
            f"{p.name}/{p.folder.name}/{file}" for p in copy.parts.values() for file in p.files
        ]
        api = library.HfApi()
        with (
            warnings.catch_warnings(),
            explained(repository),
            progress.stage(f"uploading {repository}", len(files) + 2, "files") as stage,
        ):
            warnings.simplefilter("ignore")  # that the vocabularies look like data
            api.create_repo(repository, private=private, exist_ok=True)
            api.upload_folder(
                repo_id=repository,
                folder_path=copy.path,
                allow_patterns=[MANIFEST, _CARD, *files],
                delete_patterns=["*/*/*"],
                commit_message=f"Firth {__version__}: {', '.join(sorted(wanted))}",
            )
            stage.advance(len(files) + 2)
    return ADDRESS + repository


def model_card(model: Model, name: str, licence: str, source: Model | None = None) -> str:
    """What a model is, what it was learned from and how, and how to use it, in Markdown.

    Parameters
    ----------
    model : Model
    name : str
        ``USER/NAME``.
    licence : str
    source : Model, optional
        The model that it was copied from, which may know more about the text.
    """
    rows = [row for row in summary_rows(model) if not row.stale]
    head = ["---", f"license: {licence}", "library_name: firth", "tags:"]
    head += [f"- {tag}" for tag in ("firth", "linguistics", *(f"firth-{row.name}" for row in rows))]
    lines = [
        *head, "---", "", f"# {_plain(name)}", "",
        f"A model of Firth {__version__} (`pip install firth`), learned from text.", "",
        "| part | what it is | how it was made |", "|---|---|---|",
    ]  # fmt: skip
    lines += [
        f"| {PARTS[row.name].title} | {_plain(row.what)} | {_plain('; '.join(row.how))} |"
        for row in rows
    ]
    lines += [
        "",
        "## Use",
        "",
        "```python",
        "import firth",
        "",
        f'model = firth.load("{ADDRESS}{name}")',
    ]
    lines += [f"model.{row.name}" for row in rows]
    lines += ["```", "", "## What it was learned from", "", _text_of(model, source or model), ""]
    lines += ["## Parameters", ""]
    for row in rows:
        parameters = json.dumps(
            dict(model.parts[row.name].parameters), ensure_ascii=False, sort_keys=True
        )
        lines += [f"- {PARTS[row.name].title}: `{parameters.replace('`', ' ')}`"]
    lines += [
        "", "Every file has a checksum in `firth.json`, which is checked when the model is opened. "
        "Nothing in the model is executed.", "",
    ]  # fmt: skip
    return "\n".join(lines)


def _text_of(model: Model, source: Model) -> str:
    """What is known about the text, in words."""
    size = ""
    if "corpus" in source:
        facts: Any = source.parts["corpus"].facts
        size = f"{facts['n_tokens']:,} tokens in {facts['n_sentences']:,} sentences. "
    if "corpus" in model:
        return f"{size}The model contains the text, as numbered tokens."
    return f"{size}The text is not part of the model. Counts of its words, alone and side by side, are."


def _plain(text: str) -> str:
    """Text that is neither Markdown nor HTML."""
    return _MARKS.sub(r"\\\1", html.escape(" ".join(text.split()), quote=False))
