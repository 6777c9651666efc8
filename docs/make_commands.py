"""Generate docs/commands.md from the command-line interface: ``python docs/make_commands.py``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from typer.main import get_command

from firth.cli import app

HEAD = """# Command-line reference

This page is generated from the command-line interface. `firth COMMAND --help` prints the same
information in the terminal.

The following applies to all commands:

- Results go to standard output; progress, notes and errors go to standard error. With `--json`,
  standard output contains JSON only.
- Progress is shown as a bar in a terminal and as plain lines elsewhere; `--quiet` turns it off.
  `NO_COLOR` is respected.
- An error prints a line that starts with `error:` and usually a second line with a `hint:`. The
  exit status is 1, or 2 for incorrect usage, 130 after Ctrl-C and 143 after SIGTERM. `--debug`,
  anywhere on the command line, shows the traceback.
- A command that is interrupted or killed leaves the model either in its old or in its new state,
  never in between. Finished stages are kept, and the same command resumes from there.
"""


def plain(text: str) -> str:
    """Convert help text with Rich markup to Markdown."""
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
