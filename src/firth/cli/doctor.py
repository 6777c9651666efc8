"""firth doctor."""

from __future__ import annotations

import dataclasses

from firth.cli import _shared as shared
from firth.cli._options import command


@command()
def doctor(json: shared.Json = False) -> None:
    """Check the installation: versions, machine, folders, fonts, extras, and a known answer.

    A small text is learned from end to end, and the result is compared with what it must be on every
    machine. The exit status is 1 if there is a problem.

    Example: [bold]firth doctor[/]
    """
    import typer

    from firth.doctor import examine

    found = []
    console = shared.stdout()
    for finding in examine():
        found.append(finding)
        if json:
            continue
        mark = (
            ("✗", "red")
            if finding.problem
            else ("•", "yellow")
            if finding.advice
            else ("✓", "green")
        )
        console.print(shared.line(mark, f" {finding.name:<18} ", finding.value))
        if finding.advice:
            console.print(shared.line((f"  {'':<18} {finding.advice}", "dim")))
    problems = sum(finding.problem for finding in found)
    if json:
        shared.print_json([dataclasses.asdict(finding) for finding in found])
    elif problems:
        console.print(f"\n{shared.count_of(problems, 'problem')} found.")
    else:
        console.print("\nFirth works here.")
    if problems:
        raise typer.Exit(1)
