"""firth ner apply."""

from __future__ import annotations

import sys
from typing import Annotated, Any, Literal

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.cli.ner._printing import LABELLED
from firth.corpus import WordReading
from firth.errors import not_for
from firth.formats import FileLimits
from firth.ner import LabelScheme

Format = Literal["inline", "columns", "json"]


@command(
    WordReading,
    LabelScheme,
    FileLimits,
    skip=["lowercase", "digits", "column", "language", "read_as"],
)
def apply(
    model: shared.ModelPath,
    texts: shared.TextsOrInput = None,
    *,
    columns: Annotated[
        bool,
        shared.flag(
            "--columns",
            "The input is in columns, words first; a column of labels is added.",
            panel="Text",
        ),
    ] = False,
    form: Annotated[
        Format | None,
        shared.option(
            "--format", "FORMAT", "Output format: inline (the default), columns or json."
        ),
    ] = None,
    options: dict[str, Any],
) -> None:
    """Find the named entities in a stream of text.

    [bold]inline[/] writes a sentence on each line, with brackets around entities: \\[PER Anna Berg] ran.
    [bold]columns[/] writes a word and its label on each line. [bold]json[/] writes an object for each
    sentence: its file, line and words, and for each entity its type, its words (start and end, counted
    from 0), its text, its line, and in plain text its characters in the line. Each file is one document;
    long ones are tagged in blocks of about 5,000 words. With --columns, the input keeps its columns.

    Example: [bold]echo "Anna went to Oslo ." | firth ner apply names[/]
    """
    from firth.formats import read_columns
    from firth.ner import label_columns, recognise_texts

    _check(columns, form, options)
    scheme = LabelScheme(**LabelScheme.take(options)).scheme
    recogniser, names = shared.open_part(model, "ner"), texts or ["-"]
    if columns:
        for name in names:
            lines = shared.input_lines(name, LABELLED)
            documents = read_columns(lines, shared.input_name(name))
            for labelled in label_columns(recogniser, documents, scheme):
                sys.stdout.write("\n".join(labelled) + "\n")
                sys.stdout.flush()
        return
    with shared.reporting(quiet=False):
        reading = WordReading(**(shared.tokens_of(model) | options))
        shared.segmenter_notice(model, reading.tokens)
        for block in recognise_texts(recogniser, names, reading, places=form == "json"):
            for sentence in block:
                if form == "json":
                    sys.stdout.write(shared.json_text(sentence.to_dict()) + "\n")
                elif form == "columns":
                    sys.stdout.write(sentence.columns(scheme))
                else:
                    sys.stdout.write(shared.printable(sentence.inline()) + "\n")
            sys.stdout.flush()


def _check(columns: bool, form: str | None, options: dict[str, Any]) -> None:
    """Raise ParameterError if an option does not apply."""
    if not columns:
        if "scheme" in options and form != "columns":
            raise not_for("scheme", f"--format {form or 'inline'}: it is for columns")
        return
    if form not in (None, "columns"):
        raise not_for("format", "--columns: the output is in columns, too")
    for name in options:
        if name != "scheme":
            raise not_for(name, "--columns: it is for plain text")
