"""Affixes and paradigms, for a person."""

from __future__ import annotations

from typing import Any

from firth.cli import _shared as shared

_STEMS = 6
"""How many stems of a paradigm are listed."""


def print_language(splitter: Any, n: int) -> None:
    """The affixes with the number of their words, and the paradigms with some of their stems."""
    console = shared.stdout()
    what, how = splitter.summary()
    console.print(shared.line(what, (f"  {'; '.join(how)}", "dim")))
    for kind in ("prefix", "suffix"):
        rows = [affix for affix in splitter.affixes_ if affix.kind == kind][:n]
        wide = max((shared.width_of(affix.text) for affix in rows), default=0) + 2
        console.print()
        console.print(shared.line((f"{'prefixes' if kind == 'prefix' else 'suffixes'}", "bold")))
        for affix in rows:
            text = affix.text + "-" if kind == "prefix" else "-" + affix.text
            console.print(shared.line((shared.padded(text, wide), "green"), f"{affix.n_words:>8,}"))
        if not rows:
            console.print(shared.line(("none", "dim")))
    console.print()
    console.print(shared.line(("paradigms", "bold")))
    for paradigm in splitter.paradigms_[:n]:
        endings = " ".join(_ending(ending) for ending in paradigm.endings)
        more = f" and {len(paradigm.stems) - _STEMS:,} more" if len(paradigm.stems) > _STEMS else ""
        stems = ", ".join(paradigm.stems[:_STEMS]) + more
        console.print(shared.line((endings, "green"), f"  {stems}"))
    if not splitter.paradigms_:
        console.print(shared.line(("none", "dim")))


def _ending(ending: tuple[str, ...]) -> str:
    """An ending as people write it; the empty one is a zero.

    >>> _ending(("er", "s")), _ending(())
    ('-er-s', '∅')
    """
    return "".join(f"-{part}" for part in ending) or "∅"


def print_word(morphs: Any, splits: Any) -> None:
    """The parts of a word, what they are, and other splits of it."""
    console = shared.stdout()
    pieces: list[str | tuple[str, str]] = [(" ".join(morph.text for morph in morphs), "bold")]
    pieces.append((f"  {', '.join(morph.kind for morph in morphs)}", "dim"))
    console.print(shared.line(*pieces))
    for split in splits:
        console.print(shared.line((f"{split.probability:>7.1%}  ", "dim"), " ".join(split.morphs)))
