"""The workshop: texts that were dropped on a page, models that are learned from them, and their explorers.

Learning and exploring are the commands ``firth learn`` and ``firth explore``, each in a process of its own:
what they print is the progress that the page shows, and whatever happens to them, the workshop goes on.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from firth import unicode
from firth.errors import BusyError, InputError
from firth.explore._background import in_background
from firth.exploring import address_in, firth_process
from firth.store import MANIFEST, make_folder, open_file, rename

__all__ = ["CHOICES", "Explorer", "Learning", "Workshop"]

LARGEST_TEXT = 8 << 30
"""Bytes of the texts of a workshop, together."""
_SPARE = 1 << 30
"""Bytes that are left free on the disk."""
_TEXTS = "texts"
_LONGEST_NAME, _LARGEST_NAME = 80, 240
"""Characters and bytes of a name."""
_IN_NAMES = frozenset("_ .-")
_SHARE = re.compile(r"^(.*?): (\d+)%")
_DONE = re.compile(r"^(.*?): done in")
_TOLD = ("note:", "hint:", "warning:", "error:")
_RENAME = "hint: Give the model another name."
"""What the page says instead of an option that it does not have."""
_LINES = 40
_FILES_ONLY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
"""How a text is opened for writing: not through a link, and without waiting for a pipe."""
_PATIENCE = 3.0
"""Seconds that processes are given to end."""

CHOICES: dict[str, dict[str, tuple[str, list[str]]]] = {
    "words": {
        "spaces": ("separated by spaces", []),
        "icu": ("not separated: Chinese, Japanese, Thai, Khmer, Lao, Burmese", ["--tokens", "icu"]),
        "tokens": ("already separated, also from punctuation", ["--tokens", "whitespace"]),
        "characters": ("take every character as a word", ["--tokens", "characters"]),
    },
    "sentences": {
        "lines": ("a sentence or paragraph on each line", []),
        "sentences": ("divide lines at the ends of sentences", ["--split", "sentences"]),
        "none": ("no sentences: one long text", ["--split", "none"]),
    },
    "case": {
        "keep": ("May and may are different words", []),
        "lower": ("May and may are the same word", ["--lowercase"]),
    },
    "tags": {
        "none": ("no", []),
        "few": ("yes, 12 parts of speech", ["--tags", "12"]),
        "many": ("yes, 30 parts of speech", ["--tags", "30"]),
    },
    "parts": {
        "no": ("no", []),
        "yes": ("yes: stems, prefixes and suffixes", ["--morphs"]),
    },
}
"""Questions of the page, their answers in words, and the options of ``firth learn`` that these stand for."""


@dataclass(frozen=True)
class Learning:
    """How far the learning of a model is.

    Attributes
    ----------
    model : str
        The name of the model.
    stage : str
        What is being done now.
    share : float or None
        The share of the stage that is done, if it is known.
    finished : list of str
        The stages that are done.
    notes : list of str
        What else was printed: notes and hints, and what went wrong.
    state : {"running", "done", "stopped", "failed"}
    """

    model: str
    stage: str
    share: float | None
    finished: list[str]
    notes: list[str]
    state: str


class Explorer:
    """A process that shows a model.

    Attributes
    ----------
    address : str
        Where the model is shown; empty until it is ready.
    problem : str
        Why it has ended, if it has.
    """

    def __init__(self, path: Path) -> None:
        self.address = self.problem = ""
        self.was_seen = False
        """Whether somebody has been told that it has ended."""
        arguments = ["explore", str(path), "--edit", "--no-browser"]
        self.process = _started(arguments, self._hear)

    def _hear(self, line: str) -> None:
        if not self.address and (found := address_in(line)):
            self.address = found
        elif line.startswith("error:"):
            self.problem = line.removeprefix("error:").strip()


class Workshop:
    """Texts and models in a folder; nothing outside of it is read or written.

    Parameters
    ----------
    folder : Path
        Where models are, and a folder ``texts`` with what was dropped on the page.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self._lock = threading.Lock()
        self._learning: subprocess.Popen[str] | None = None
        self._said: deque[str] = deque(maxlen=_LINES)
        self._model, self._stopped = "", False
        self._finished: list[str] = []
        self._now: tuple[str, float | None] = ("starting", None)
        self._explorers: dict[str, Explorer] = {}

    # Texts and models ---------------------------------------------------------------------------

    def texts(self) -> dict[str, int]:
        """The names of the texts and their sizes in bytes."""
        place = self.folder / _TEXTS
        found = sorted(place.iterdir()) if place.is_dir() else []
        return {
            path.name: path.stat().st_size
            for path in found
            if path.is_file() and not path.is_symlink() and not path.name.startswith(".")
        }

    def room(self) -> int:
        """How many bytes another text can have."""
        free = shutil.disk_usage(self.folder).free - _SPARE
        return max(0, min(LARGEST_TEXT - sum(self.texts().values()), free))

    def models(self) -> list[str]:
        """The names of the models in the folder."""
        return sorted(
            path.parent.name
            for path in self.folder.glob(f"*/{MANIFEST}")
            if path.is_file() and not path.parent.is_symlink()
        )

    def add(self, name: str, at: int, content: bytes, last: bool) -> int:
        """Add a piece to a text; returns how many bytes there are now.

        Pieces are collected in a hidden file, which gets its name with the last one. A text that is there
        is never replaced.
        """
        path = self._inside(self.folder / _TEXTS, name, "text")
        try:
            with self._lock:
                return self._append(path, at, content, last)
        except OSError as error:
            raise InputError(
                f"The text {name} cannot be written: {error.strerror}.",
                "Give the file another name, or look into the folder texts.",
            ) from None

    def _append(self, path: Path, at: int, content: bytes, last: bool) -> int:
        make_folder(path.parent)
        if path.parent.resolve() != self.folder / _TEXTS:
            raise InputError("The folder texts is a link.", "Replace it by a folder.")
        draft = path.with_name(f".{path.name}.part")
        if path.exists():
            raise BusyError(
                f"The text {path.name} is there already.",
                "Give the file another name, and drop it again.",
            )
        size = draft.stat().st_size if at and draft.exists() else 0
        if at != size:
            raise BusyError("The pieces of the text do not fit.", "Drop the file again.")
        if sum(self.texts().values()) + size + len(content) > LARGEST_TEXT:
            raise InputError(
                f"The texts are larger than {LARGEST_TEXT >> 30} GB.",
                "Learn from large files in a terminal: firth learn --help",
            )
        if shutil.disk_usage(self.folder).free < len(content) + _SPARE:
            raise InputError("The disk is almost full.", "Make room on it, and try again.")
        with open_file(draft, "ab" if at else "wb", flags=_FILES_ONLY) as file:
            file.write(content)
        if last:
            rename(draft, path)
        return size + len(content)

    def _inside(self, folder: Path, name: str, what: str) -> Path:
        """A path directly in a folder."""
        if not _is_name(name):
            raise InputError(
                f"The name of the {what} can have letters, digits, blanks and the characters . _ -, up to "
                f"{_LONGEST_NAME} in all.",
                "Give it another name.",
            )
        if name.lower() in (_TEXTS, MANIFEST):  # or the texts would be taken for a model
            raise InputError(f"The name of the {what} cannot be {name}.", "Give it another name.")
        return folder / name

    # Learning -----------------------------------------------------------------------------------

    def learn(self, model: str, texts: list[str], chosen: dict[str, str]) -> None:
        """Start to learn a model from some texts."""
        path = self._inside(self.folder, model, "model")
        known = self.texts()
        missing = [name for name in texts if name not in known]
        if missing or not texts:
            raise InputError(f"There is no text {missing[0]}." if missing else "There is no text.",
                             "Drop a file on the page first.")  # fmt: skip
        options: list[str] = []
        for question, answer in chosen.items():
            if answer not in CHOICES.get(question, {}):
                raise InputError(
                    f"{answer!r} is not an answer to {question!r}.", "Choose another one."
                )
            options += CHOICES[question][answer][1]
        files = [str(self.folder / _TEXTS / name) for name in texts]
        with self._lock:
            if self._learning is not None and self._learning.poll() is None:
                raise BusyError(f"{self._model} is being learned.", "Wait for it, or stop it.")
            if path.is_symlink() or (path.exists() and not (path / MANIFEST).is_file()):
                raise InputError(f"{model} exists, and is not a model.", "Give another name.")
            self._said.clear()
            self._model, self._finished, self._stopped = model, [], False
            self._now = ("starting", None)
            self._learning = _started(["learn", *files, "-o", str(path), *options], self._hear)

    def _hear(self, line: str) -> None:
        """Note what a line of progress says."""
        if found := _SHARE.match(line):
            self._now = (found[1], int(found[2]) / 100)
        elif found := _DONE.match(line):
            if found[1] not in self._finished:
                self._finished.append(found[1])
            self._now = ("working", None)
        elif line.startswith(_TOLD):
            told = _RENAME if "--replace" in line else line.strip()
            self._said.append(told.replace(str(self.folder) + os.sep, ""))

    def learning(self) -> Learning | None:
        """How far the learning is; None if nothing was ever learned."""
        running = self._learning
        if running is None:
            return None
        status = running.poll()
        state = (
            "running" if status is None else "done" if status == 0
            else "stopped" if self._stopped else "failed"
        )  # fmt: skip
        stage, share = self._now
        return Learning(self._model, stage, share, list(self._finished), list(self._said), state)

    def stop(self) -> None:
        """Stop learning; what is finished is kept."""
        with self._lock:
            if self._learning is not None and self._learning.poll() is None:
                self._stopped, self._now = True, ("stopping", None)
                self._learning.send_signal(signal.SIGTERM)

    # Exploring ----------------------------------------------------------------------------------

    def explore(self, model: str) -> Explorer:
        """The explorer of a model, which is started if need be; its address comes when it is ready."""
        path = self._inside(self.folder, model, "model")
        if model not in self.models():
            raise InputError(f"There is no model {model}.", "Learn one first.")
        with self._lock:
            running = self._explorers.get(model)
            if running is None or (running.process.poll() is not None and running.was_seen):
                running = self._explorers[model] = Explorer(path)
        running.was_seen = running.process.poll() is not None
        return running

    def close(self) -> None:
        """End all processes; those that do not end soon are killed, which does no harm to a model."""
        found = [self._learning, *(each.process for each in self._explorers.values())]
        processes = [process for process in found if process is not None]
        for process in processes:
            process.terminate()
        deadline = time.monotonic() + _PATIENCE
        for process in processes:
            try:
                process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _is_name(name: str) -> bool:
    """Whether a name can be that of a file; letters may have marks, as the vowels of Hindi."""
    if len(name) > _LONGEST_NAME or len(name.encode(errors="replace")) > _LARGEST_NAME:
        return False
    if name[:1] in {"", " ", ".", "-"} or name.endswith((".", " ")):
        return False
    return all(unicode.category(c)[0] in "LMN" or c in _IN_NAMES for c in name)


def _started(arguments: list[str], hear: Callable[[str], None]) -> subprocess.Popen[str]:
    process = firth_process(arguments)

    def listen() -> None:
        assert process.stdout is not None  # noqa: S101
        with process.stdout as lines:
            for line in lines:
                hear(line)
        process.wait()

    in_background(listen)
    return process
