"""The explorer in a process of its own, for notebooks."""

from __future__ import annotations

import atexit
import os
import re
import subprocess
import sys
import threading
from html import escape
from pathlib import Path

from firth import progress
from firth.errors import FirthError

__all__ = ["Exploring", "address_in", "firth_process"]

_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/\S*")


def firth_process(arguments: list[str]) -> subprocess.Popen[str]:
    """A command of Firth, whose output and messages are read line by line."""
    environment = {**os.environ, "PYTHONUTF8": "1", "COLUMNS": "1000", "NO_COLOR": "1"}
    environment.pop("FIRTH_TOKEN", None)  # every explorer makes a token of its own
    return subprocess.Popen(  # noqa: S603
        [sys.executable, "-m", "firth", *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, encoding="utf-8", errors="replace", env=environment,
        start_new_session=True,  # Ctrl-C is for the program that has started it, which then ends it
    )  # fmt: skip


def address_in(line: str) -> str:
    """The address of an explorer on this machine, if a line that it prints has it; other addresses do not count."""
    found = _ADDRESS.search(line)
    return found[0] if found else ""


class Exploring:
    """A model that is being explored; see ``Model.explore``.

    Attributes
    ----------
    address : str
        Where the explorer is shown, on this machine.
    height : int
        The height of the frame in a notebook, in pixels.
    """

    def __init__(self, path: Path, height: int) -> None:
        self.height = height
        self._listening: threading.Thread | None = None
        self._process = firth_process(["explore", str(path), "--no-browser", "--framed"])
        atexit.register(self.stop)
        try:
            self.address = self._heard_address()
        except BaseException:  # also Ctrl-C
            self.stop()
            raise
        self._listening = threading.Thread(target=self._listen, daemon=True)
        self._listening.start()

    def _heard_address(self) -> str:
        """Wait for the address that the command prints."""
        said: list[str] = []
        with progress.stage("starting the explorer", None, "steps") as stage:
            for line in self._process.stdout or ():
                if found := address_in(line):
                    return found
                said += [line.strip()] * line.startswith(("error:", "hint:"))
                stage.note = line.strip()
                stage.advance(1)
        raise FirthError(
            "The explorer has ended.",
            " ".join(said) or "Try in a terminal: firth explore MODEL",
        )

    def _listen(self) -> None:
        if self._process.stdout is not None:
            with self._process.stdout as lines:
                for _ in lines:
                    pass  # a full pipe would stop it

    def stop(self) -> None:
        """End the explorer; it ends with the notebook's kernel, too."""
        atexit.unregister(self.stop)
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        if self._listening is not None:
            self._listening.join(10)
        elif self._process.stdout is not None:
            self._process.stdout.close()

    def __repr__(self) -> str:
        return f"<Explorer at {self.address}>"

    def _repr_html_(self) -> str:
        address = escape(self.address)
        return (
            f'<a href="{address}" target="_blank" rel="noopener">Open in a tab of its own</a>'
            f'<iframe src="{address}" title="Explorer" width="100%" height="{self.height}" '
            'style="border:1px solid #ccc"></iframe>'
        )
