"""Writes docs/commands.md from the commands themselves: ``python docs/make_commands.py``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from typer.main import get_command

from firth.cli import app

HEAD = """# Commands

This page is made from the commands themselves. `firth COMMAND --help` says the same on the terminal.

What all commands have in common:

- Results go to standard output; progress, notes and errors go to standard error. `--json` prints data and
  nothing else on standard output.
- Progress is a bar on a terminal and plain lines elsewhere; `--quiet` shows none. `NO_COLOR` is honoured.
- An error is one line `error:` and mostly one line `hint:`; the status is 1. Wrong usage is status 2, Ctrl-C 130,
  SIGTERM 143. `--debug`, anywhere on the line, shows where an error came from.
- Whatever is interrupted, or killed, leaves the model as it was or as it should become, never in between. Finished
  stages are kept; the same command goes on from there.
"""


def plain(text: str) -> str:
    """Help without Rich's markup, as Markdown."""
    text = re.sub(r"\[bold\](.*?)\[/\]", r"`\1`", text, flags=re.DOTALL).replace("\\[", "[")
    return re.sub(r"\s+", " ", text).strip()


def describe(name: str, command: Any) -> list[str]:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [
        p for p in command.params if p.param_type_name == "option" and "--help" not in p.opts
    ]
    usage = [a.metavar or a.name.upper() for a in arguments]
    lines = [f"\n## {name}\n", f"```text\n{' '.join([name, *usage, '[OPTIONS]'])}\n```\n"]
    lines += [plain(paragraph) + "\n" for paragraph in (command.help or "").split("\n\n")]
    if options:
        lines += ["| option | | default |", "|---|---|---|"]
    for option in options:
        names = ", ".join(f"`{opt}`" for opt in [*option.opts, *option.secondary_opts])
        value = f" `{option.metavar}`" if option.metavar else ""
        value = value.replace("|", "\\|")
        default = (
            ""
            if option.default in (None, False, ...) or callable(option.default)
            else f"`{option.default}`"
        )
        default = "required" if option.required else default
        lines.append(f"| {names}{value} | {plain(option.help or '')} | {default} |")
    return lines


def page() -> str:
    lines = [HEAD]
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]
        for sub, inner in getattr(command, "commands", {"": command}).items():
            lines += describe(f"firth {name} {sub}".strip(), inner)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(__file__).with_name("commands.md").write_text(page(), encoding="utf-8")
