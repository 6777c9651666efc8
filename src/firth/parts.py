"""The parts of a model: one table.

Every part is an object of one class. The class has

- ``load(part, **needs)``, a class method that makes the object from a ``firth.store.Part``. It reads
  files with ``part.array`` and ``part.json``, which check ranges and structure, and states whatever
  else its kernels assume with ``part.require``, so that nothing in a file can do harm;
- ``save(folder)``, which writes its files;
- ``describe()``, the facts about it as plain data, which the manifest keeps;
- ``summary()``, the same in words for a person: what it is, and how it was made.

To add a part, write such a class and add a row here. ``firth.load``, ``firth show``, the explorer
and the commands find it through this table.
"""

from __future__ import annotations

import importlib
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firth.errors import FirthError, ModelError
from firth.store import Draft, Part, UnsoundError, Writer, sha256

__all__ = [
    "PARTS",
    "Kind",
    "damaged",
    "is_current",
    "kind_of",
    "load_part",
    "missing_part",
    "new_part",
    "write_part",
]


@dataclass(frozen=True)
class Kind:
    """A kind of part: a row of the table.

    Attributes
    ----------
    name : str
        The name of the part, of its folder, and of the attribute of ``Model``.
    title : str
        What people call it.
    version : int
        The version of its files. Older versions can be read, newer ones cannot.
    home : str
        Module and class, imported when the part is first used.
    command : str
        The command that makes it; ``MODEL`` stands for the folder.
    learned_from : tuple of str
        The parts that it is made from.
    plural : bool
        Whether the title is a plural.
    needs : tuple of str
        The parts that ``load`` is given, too.
    names : str
        The part with the names that a person gave to its members, or with other corrections.
    naming : str
        The method that makes the object with these.
    listed : bool
        Whether ``firth show`` lists it.
    explored : bool
        Whether the explorer shows it.
    vocabulary : str
        The attribute with the words that the explorer can look up in it.
    """

    name: str
    title: str
    version: int
    home: str
    command: str
    learned_from: tuple[str, ...] = ()
    plural: bool = False
    needs: tuple[str, ...] = ()
    names: str = ""
    naming: str = "renamed"
    listed: bool = True
    explored: bool = False
    vocabulary: str = ""

    @property
    def type(self) -> Any:
        """The class of the part."""
        module, name = self.home.split(":")
        return getattr(importlib.import_module(module), name)

    def how(self, model: str | Path, anew: bool = False) -> str:
        """The command that makes the part of a model; ``anew`` where the model has what it needs."""
        command = self.command
        # what is known about documents is read with the text
        if anew and self.learned_from and self.name != "documents":
            command = command.replace(" -o MODEL", "").replace("TEXT", "MODEL")
        return command.replace("MODEL", shlex.quote(str(model)))


_ROWS = (
    Kind("corpus", "corpus", 1, "firth.corpus:Corpus", "firth corpus learn TEXT -o MODEL",
         explored=True, vocabulary="vocabulary"),
    Kind("documents", "documents", 1, "firth.corpus:Documents",
         "firth corpus learn TEXT --metadata FILE -o MODEL", ("corpus",), plural=True, needs=("corpus",),
         explored=True),
    Kind("counts", "counts", 1, "firth.counts:Counts", "firth counts learn TEXT -o MODEL",
         ("corpus",), plural=True, explored=True, vocabulary="vocabulary"),
    Kind("vectors", "word vectors", 1, "firth.vectors:WordVectors", "firth vectors learn TEXT -o MODEL",
         ("corpus",), plural=True, explored=True, vocabulary="vocabulary"),
    Kind("grammar_vectors", "grammatical vectors", 1, "firth.vectors:WordVectors",
         "firth vectors learn TEXT --kind grammar -o MODEL", ("corpus",), plural=True, explored=True,
         vocabulary="vocabulary"),
    Kind("classes", "word classes", 1, "firth.classes:Hierarchy", "firth classes learn TEXT -o MODEL",
         ("corpus",), plural=True, names="names", explored=True, vocabulary="vocabulary"),
    Kind("names", "class names", 1, "firth.names:Names", "firth classes name MODEL PATH=NAME",
         ("classes",), plural=True, listed=False),
    Kind("morphs", "morphology", 1, "firth.morphs:Splitter", "firth morphs learn TEXT -o MODEL",
         ("corpus",), names="corrections", naming="corrected", explored=True, vocabulary="words_"),
    Kind("corrections", "corrections", 1, "firth.morphs:Corrections", "firth morphs import FILE -o MODEL",
         plural=True),
    Kind("tags", "tags", 1, "firth.tags:Tagger", "firth tags learn TEXT -o MODEL",
         ("corpus", "classes"), plural=True, names="tag_names", explored=True, vocabulary="vocabulary_"),
    Kind("tag_names", "tag names", 1, "firth.names:Names", "firth tags name MODEL NUMBER=NAME",
         ("tags",), plural=True, listed=False),
    Kind("ner", "named-entity recogniser", 5, "firth.ner:EntityRecogniser",
         "firth ner learn LABELLED -o MODEL"),
    Kind("grammar", "grammar", 1, "firth.grammar:Grammar", "firth grammar learn TREES -o MODEL",
         explored=True),
    Kind("lm", "language model", 2, "firth.lm:InterpolatedModel", "firth lm learn TEXT -o MODEL",
         ("corpus", "classes"), explored=True),
    Kind("report", "report on the text", 1, "firth.measure:Report", "firth show MODEL",
         ("corpus",), listed=False, explored=True),
    Kind("index", "word index", 1, "firth.corpus:Index", "firth explore MODEL",
         ("corpus",), needs=("corpus",), listed=False, explored=True),
    Kind("map", "word map", 1, "firth.maps:WordMap", "firth explore MODEL",
         ("vectors",), listed=False, explored=True),
    Kind("grammar_map", "map by grammar", 1, "firth.maps:WordMap", "firth explore MODEL",
         ("grammar_vectors",), listed=False, explored=True),
)  # fmt: skip
PARTS: Mapping[str, Kind] = {kind.name: kind for kind in _ROWS}
"""All kinds of parts, in the order in which they are made."""


def kind_of(name: str) -> Kind:
    """The row of a part; a part that this version does not know is an error."""
    try:
        return PARTS[name]
    except KeyError:
        raise ModelError(
            f"This version of Firth does not know the part {name!r}.",
            "Upgrade it: pip install --upgrade firth",
        ) from None


def missing_part(name: str, model: str | Path, has_corpus: bool) -> ModelError:
    """The error that says that a model lacks a part, and how to make it."""
    kind = PARTS[name]
    them = "them" if kind.plural else "it"
    return ModelError(
        f"The model {model} has no {kind.title}.",
        f"Learn {them}: {kind.how(model, anew=has_corpus)}",
    )


def load_part(part: Part, needs: Mapping[str, Any] | None = None) -> Any:
    """Make the object of a verified part, if this version of Firth can read it."""
    kind = kind_of(part.name)
    if not 1 <= part.version <= kind.version:
        raise ModelError(
            f"The {kind.title} in {part.folder.parent.parent} {'have' if kind.plural else 'has'} "
            f"format {part.version}; this version of Firth reads up to format {kind.version}.",
            "Upgrade it: pip install --upgrade firth",
        )
    try:
        return kind.type.load(part, **(needs or {}))
    except UnsoundError as error:
        raise damaged(part.name, part.folder, error.why_here(part.folder)) from error
    except ModelError:
        raise
    except Exception as error:  # whatever a file contains, this is the only kind of error
        raise damaged(part.name, part.folder, _reason(error)) from error


def _reason(error: Exception) -> str:
    """What went wrong, in a few words."""
    if isinstance(error, MemoryError):
        return "it does not fit into memory"
    if isinstance(error, KeyError) and not isinstance(error, FirthError):
        return f"{error} is missing"
    text = error.message if isinstance(error, FirthError) else str(error)
    return text.strip().rstrip(".") or type(error).__name__


def damaged(name: str, folder: Path, why: str) -> ModelError:
    """The error for a part whose files are inconsistent; the hint is the command that makes it."""
    kind = PARTS[name]
    model = folder.parent.parent if folder.parent.name == name else "MODEL"
    return ModelError(
        f"The {kind.title} in {folder} cannot be used: {why}.",
        f"Retrain {'them' if kind.plural else 'it'}: {kind.how(model, anew=True)}",
    )


def is_current(writer: Writer, name: str, parameters: Any, made_from: Any) -> bool:
    """Whether a model has a part that was made from just this."""
    return writer.is_current(name, PARTS[name].version, parameters, made_from)


@contextmanager
def new_part(writer: Writer, name: str, version: int | None = None, **log: Any) -> Iterator[Draft]:
    """Write a part of a model; the way of all stages.

    Before it replaces the old version, it is read back as ``Model`` reads it, so that what was learned
    can be used. If it cannot be read, the old version stays. ``version`` is that of its files, if they
    are copied. ``log`` is added to the log.
    """
    kind = PARTS[name]

    def read_back(part: Part) -> None:
        needs = {other: load_part(writer.parts[other]) for other in kind.needs}
        try:
            load_part(part, needs)
        except MemoryError:
            raise
        except ModelError as error:
            if isinstance(error.__cause__, OSError | MemoryError):
                raise error.__cause__ from None  # not because of what was written
            raise ModelError(
                f"The new {kind.title} cannot be read back, so {writer.path} has not changed. "
                f"{error.message}",
                "This is a bug in Firth. Please report it, with the command and what it learned from.",
            ) from error

    with writer.part(name, version or kind.version, read_back, **log) as draft:
        yield draft


def write_part(
    writer: Writer,
    name: str,
    thing: Any,
    parameters: Mapping[str, Any],
) -> None:
    """Put an object that was made in Python into a model as a part."""
    with new_part(writer, name) as draft:
        thing.save(draft.folder)
        draft.facts, draft.parameters = thing.describe(), dict(parameters)
        draft.made_from = {"files": {p.name: sha256(p) for p in sorted(draft.folder.iterdir())}}
