"""Affixes and paradigms, for a person."""

from __future__ import annotations

import shlex
from itertools import islice
from typing import Any

from firth.cli import _shared as shared

_STEMS = 6
"""How many stems of a paradigm are listed."""
_EXAMPLES = 4
"""How many words with an affix are listed."""
_MANY = 3
"""As many parts of a word, or endings of a paradigm, are many."""


def print_language(splitter: Any, n: int) -> None:
    """The affixes with the number of their words, and the paradigms with some of their stems."""
    console = shared.stdout()
    what, how = splitter.summary()
    console.print(shared.line(what, (f"  {'; '.join(how)}", "dim")))
    for kind in ("prefix", "suffix"):
        console.print()
        console.print(shared.line((f"{'prefixes' if kind == 'prefix' else 'suffixes'}", "bold")))
        print_affixes(splitter, kind, n)
    console.print()
    console.print(shared.line(("paradigms", "bold")))
    for paradigm in splitter.paradigms_[:n]:
        stems = splitter.index.frequent_stems(paradigm, _STEMS)
        more = (
            f" and {len(paradigm.stems) - len(stems):,} more"
            if len(paradigm.stems) > len(stems)
            else ""
        )
        console.print(shared.line((endings_text(paradigm), "green"), f"  {', '.join(stems)}{more}"))
    if not splitter.paradigms_:
        console.print(shared.line(("none", "dim")))


def print_morphology(splitter: Any, n: int, n_paradigms: int) -> None:
    """A morphology on half a page: typical words of many parts, affixes, and some large paradigms."""
    console, index = shared.stdout(), splitter.index
    words = islice(index.typical(index.with_parts(_MANY)), n)
    console.print(shared.line("   ".join("·".join(splitter.split(word)) for word in words)))
    console.print()
    print_affixes(splitter, "prefix", n // 2)
    print_affixes(splitter, "suffix", n)
    large = [paradigm for paradigm in splitter.paradigms_ if len(paradigm.endings) >= _MANY]
    for paradigm in large[:n_paradigms]:
        console.print()
        _print_forms(paradigm, index.frequent_stems(paradigm, _STEMS))


def _print_forms(paradigm: Any, stems: list[str]) -> None:
    """A paradigm as a table: a row for each stem, a column for each ending."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="green")
    for ending in paradigm.endings:
        table.add_column(shared.line(_ending(ending)))
    for stem in stems:
        table.add_row(*(shared.line(stem + "".join(ending)) for ending in paradigm.endings))
    shared.stdout().print(table)


def print_affixes(splitter: Any, kind: str, n: int) -> None:
    """The most frequent prefixes or suffixes: how many words have them, and some of these."""
    console = shared.stdout()
    rows = [affix for affix in splitter.affixes_ if affix.kind == kind][:n]
    wide = max((shared.width_of(_hyphened(affix)) for affix in rows), default=0) + 1
    for affix in rows:
        text = _hyphened(affix)
        words = ", ".join(splitter.index.examples(affix[:2], _EXAMPLES))
        console.print(
            shared.line(
                (shared.padded(text, wide), "green"), f"{affix.n_words:>8,}", (f"  {words}", "dim")
            )
        )
    if not rows:
        console.print(shared.line(("none", "dim")))


def _hyphened(affix: Any) -> str:
    """An affix with a hyphen where the word goes on.

    >>> from firth.morphs import Affix
    >>> _hyphened(Affix("un", "prefix", 2)), _hyphened(Affix("s", "suffix", 2)), _hyphened(Affix("self-", "prefix", 2))
    ('un-', '-s', 'self-')
    """
    if affix.kind == "prefix":
        return str(affix.text) if affix.text.endswith("-") else f"{affix.text}-"
    return str(affix.text) if affix.text.startswith("-") else f"-{affix.text}"


def endings_text(paradigm: Any) -> str:
    """The endings of a paradigm in one line."""
    return " ".join(map(_ending, paradigm.endings))


def _ending(ending: tuple[str, ...]) -> str:
    """An ending as people write it; the empty one is a zero.

    >>> _ending(("er", "s")), _ending(())
    ('-er-s', '∅')
    """
    return "".join(f"-{part}" for part in ending) or "∅"


def print_parts(splitter: Any, word: str) -> None:
    """The parts of a word, and what they are."""
    morphs = splitter.analyse(word)
    kinds = ", ".join(morph.kind for morph in morphs)
    corrected = (" (corrected)", "yellow") if splitter.is_corrected(word) else ""
    text = " ".join(morph.text for morph in morphs)
    shared.stdout().print(shared.line((text, "bold"), (f"  {kinds}", "dim"), corrected))


def print_splits(splits: Any) -> None:
    """The most probable splits of a word."""
    for split in splits:
        probability = (f"{split.probability:>7.1%}  ", "dim")
        shared.stdout().print(shared.line(probability, " ".join(split.morphs)))


def print_learn_again(model: Any) -> None:
    """How corrections are respected for other words; a list of words has to be given again."""
    path = shlex.quote(str(model.path))
    what = path if "corpus" in model else f"WORDLIST -o {path}"
    shared.print_next(f"firth morphs learn {what}")
