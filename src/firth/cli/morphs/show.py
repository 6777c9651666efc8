"""firth morphs show."""

from __future__ import annotations

from typing import Annotated

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.cli.morphs._printing import print_language, print_parts, print_splits


@command()
def show(
    model: shared.ModelPath,
    word: Annotated[str | None, shared.argument("[WORD]", "A word, known or not.")] = None,
    n: Annotated[
        int | None,
        shared.option(
            "-n", "N", "Number of affixes and paradigms, or of splits of a word.", least=1
        ),
    ] = None,
    json: shared.Json = False,
) -> None:
    """Show the affixes and paradigms of a language, or the parts of a word.

    A paradigm is a set of endings, and the stems that occur with exactly these. For a word, its most
    probable splits follow its parts.

    Example: [bold]firth morphs show news[/]
    """
    splitter = shared.open_part(model, "morphs")
    if word is not None:
        morphs, splits = splitter.analyse(word), splitter.n_best(word, n or 5)
        if json:
            shared.print_json(
                {
                    "word": word,
                    "morphs": [morph._asdict() for morph in morphs],
                    "corrected": splitter.is_corrected(word),
                    "splits": [split._asdict() for split in splits],
                }
            )
        else:
            print_parts(splitter, word)
            print_splits(splits)
    elif json:
        shared.print_json(
            {
                **splitter.describe(),
                "n_corrected": len(splitter.corrections_),
                "affixes": [affix._asdict() for affix in splitter.affixes_[:n]],
                "paradigms": [paradigm._asdict() for paradigm in splitter.paradigms_[:n]],
            }
        )
    else:
        print_language(splitter, n or 20)
