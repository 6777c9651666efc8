"""A named-entity recogniser, for a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from firth.cli import _shared as shared

LABELLED = "a word and its label on each line, and an empty line after each sentence"
"""What labelled text is, for hints."""


def print_recogniser(facts: Mapping[str, Any]) -> None:
    """How a recogniser was trained."""
    count = shared.count_of
    entities = count(facts["n_names"], "entity", "entities")
    scheme = f"; {facts['scheme']}" if facts.get("scheme") else ""
    types = (f"  {', '.join(facts['types'])}{scheme}", "dim")
    _print_line("trained on", f"{entities} in {count(facts['n_words'], 'word')}", types)
    used = [
        f"{what} of {count(facts[key], 'word')}"
        for what, key in (("classes", "classes_of"), ("vectors", "vectors_of"))
        if facts[key]
    ]
    if used:
        _print_line("using", " and ".join(used))
    _print_line("features", f"{facts['n_features']:,}")
    if facts["n_slips"]:
        labels = count(facts["n_slips"], "label")
        _print_line("note", f"{labels} not valid in {facts['scheme']}, read as conlleval does")
    if facts["dev_f1"]:
        curve = ", ".join(f"{100 * f1:.2f} after {n}" for n, f1 in facts["dev_f1"])
        _print_line("F1 on --dev", f"{curve} epochs")


def _print_line(title: str, *parts: str | tuple[str, str]) -> None:
    shared.stdout().print(shared.line((f"{title:<13}", "dim"), *parts))
