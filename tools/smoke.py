"""Whether an installed Firth works: ``PYTHON tools/smoke.py``, with the Python that it is installed for.

Prints the help of every command, and runs one of every kind on a small text. What needs an extra that
is not installed must say which, and how to install it.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import random
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

WORDS = [
    "the a this that".split(),
    "cat dog horse cow bird fish".split(),
    "saw heard met liked chased found".split(),
    "on under behind near".split(),
    "house tree river table road hill".split(),
]
PATTERNS = [[0, 1, 2, 0, 1], [0, 1, 2, 0, 1, 3, 0, 4], [0, 4, 3, 0, 4, 2, 0, 1]]

JOBS = """
learn text.txt -o model --min-count 1
show model
show model cat --json
similar model cat
find model cat -n 3
classes show model --depth 2
tags learn model --tags 3
tags apply model text.txt
lm learn model
senses model cat
cluster model --method k-medoids --k 3 --top 30
cluster model --method ward --k 3 --top 30
cluster model --k 3 --top 30
plot dendrogram model -o tree.html
plot scree model -o scree.html
explore model --export model.html
doctor
export model -o words.paths
export model --format word2vec -o words.txt
""".strip().splitlines()
NEEDING = {
    "corpus apply simplecache::file://text.txt": ("remote", "fsspec"),
}
"""Commands that need an extra, and a package of it."""


def text(n: int = 400) -> str:
    """Some sentences of a small language."""
    chosen = random.Random(0)
    lines = ([chosen.choice(WORDS[k]) for k in chosen.choice(PATTERNS)] for _ in range(n))
    return "".join(" ".join(line) + " .\n" for line in lines)


def print_helps() -> int:
    """Print the help of every command, in this process; returns how many there are."""
    from typer.main import get_command

    from firth.cli import app

    names: list[list[str]] = [[]]
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]
        names += [[name], *([name, inner] for inner in getattr(command, "commands", {}))]
    for name in names:
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.suppress(SystemExit):
            app([*name, "--help"], prog_name="firth", standalone_mode=False)
        if "Usage: firth" not in said.getvalue():
            sys.exit(f"firth {' '.join(name)} --help: {said.getvalue() or 'nothing'}")
    return len(names)


def run(firth: str, arguments: str, folder: str) -> subprocess.CompletedProcess[str]:
    print(f"firth {arguments}", flush=True)
    return subprocess.run(
        [firth, *arguments.split()], cwd=folder, capture_output=True, text=True, encoding="utf-8",
        env={**os.environ, "PYTHONUTF8": "1"}, check=False,
    )  # fmt: skip


def main() -> None:
    import firth

    print(f"Python {sys.version.split()[0]}, firth {firth.__version__} in {firth.__path__[0]}")
    print(f"{print_helps()} help pages")
    command = shutil.which("firth", path=sysconfig.get_path("scripts"))
    if command is None:
        sys.exit("There is no command firth.")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "text.txt").write_text(text(), encoding="utf-8")
        for arguments in JOBS:
            done = run(command, arguments, folder)
            if done.returncode:
                sys.exit(f"{done.stdout}{done.stderr}exit status {done.returncode}")
        for arguments, (extra, package) in NEEDING.items():
            done = run(command, arguments, folder)
            installed = importlib.util.find_spec(package) is not None
            if not installed and f'pip install "firth[{extra}]"' not in done.stderr:
                sys.exit(f"{package} is not installed, but the error is:\n{done.stderr}")
            if done.returncode != (0 if installed else 1):
                sys.exit(f"{done.stdout}{done.stderr}exit status {done.returncode}")
    print("ok")


if __name__ == "__main__":
    main()
