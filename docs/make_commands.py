"""Generate docs/commands.md from the command-line interface: ``python docs/make_commands.py``."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import Any

from typer import Context
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

CODE = re.compile(r"(?<![\w-])--[a-z][\w-]*(?: (?:\d[\w%]*|N\b|[A-Z]{2,}\b|'[^']+'))?|</?[a-z]+>")
"""What is code in the help, although nothing marks it: options with values, symbols such as ``<unk>``."""


def plain(text: str) -> str:
    """Convert help text with Rich markup to Markdown."""
    text = re.sub(r"\[bold\](.*?)\[/\]", r"`\1`", text, flags=re.DOTALL).replace("\\[", "[")
    parts = re.sub(r"\s+", " ", text).strip().split("`")
    parts[::2] = [CODE.sub(r"`\g<0>`", part) for part in parts[::2]]
    return "`".join(parts)


def wrapped(paragraph: str) -> str:
    """A paragraph of help text as lines of Markdown; an example stays on one line."""
    text = plain(paragraph)
    if text.startswith("Example:"):
        return text
    return "\n".join(textwrap.wrap(text, 100, break_long_words=False, break_on_hyphens=False))


def describe(name: str, command: Any) -> list[str]:
    """The section of a command: usage, help, and a table of options for each panel of the help."""
    params = command.get_params(Context(command))
    arguments = [p for p in params if p.param_type_name == "argument"]
    usage = [a.metavar or a.name.upper() for a in arguments]
    lines = [f"\n## {name}\n", f"```text\n{' '.join([name, *usage, '[OPTIONS]'])}\n```\n"]
    lines += [wrapped(paragraph) + "\n" for paragraph in (command.help or "").split("\n\n")]
    panels: dict[str, list[Any]] = {}
    for param in params:
        if param.param_type_name == "option" and not param.hidden and "--help" not in param.opts:
            panels.setdefault(getattr(param, "rich_help_panel", None) or "Output", []).append(param)
    for panel, options in panels.items():
        lines += [f"| {panel} | | default |", "|---|---|---|", *map(row, options), ""]
    return lines[:-1] if panels else lines


def row(option: Any) -> str:
    """An option as a row of a table."""
    names = ", ".join(f"`{opt}`" for opt in [*option.opts, *option.secondary_opts])
    value = f" `{option.metavar}`".replace("|", "\\|") if option.metavar else ""
    if option.required:
        default = "required"
    elif isinstance(option.show_default, str):
        default = option.show_default
    elif option.is_flag and option.secondary_opts:
        default = f"`{option.opts[0] if option.default else option.secondary_opts[0]}`"
    elif option.default is None or option.default is False or callable(option.default):
        default = ""
    else:
        default = f"`{option.default}`"
    return f"| {names}{value} | {plain(option.help or '')} | {default} |"


def page() -> str:
    lines = [HEAD]
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]
        for sub, inner in getattr(command, "commands", {"": command}).items():
            lines += describe(f"firth {name} {sub}".strip(), inner)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(__file__).with_name("commands.md").write_text(page(), encoding="utf-8")
