"""firth corpus words."""

from __future__ import annotations

from typing import Annotated

from firth.cli import _shared as shared
from firth.cli._options import command


@command()
def words(
    model: shared.ModelPath,
    patterns: Annotated[
        list[str] | None,
        shared.argument("[PATTERN...]", "Only these words, as firth find takes them."),
    ] = None,
    n: shared.NumberOfWords = 20,
    min_count: Annotated[
        int, shared.option("--min-count", "N", "Leave out words that are less frequent.", least=1)
    ] = 1,
    where: shared.Where = None,
    output: shared.Table = None,
    json: shared.Json = False,
) -> None:
    """List words with their frequencies and how evenly they are spread over the documents.

    DP is Gries's deviation of proportions: 0 if a word is spread as evenly as the text, near 1 if it is
    all in one place. D is Juilland's: 1 for an even spread. A text that is not divided into documents is
    cut into ten parts of equal size.

    Example: [bold]firth corpus words news "econom*" --min-count 10[/]
    """
    from rich.table import Table
    from rich.text import Text

    from firth.formats import check_output
    from firth.measure import word_list

    if output is not None:
        check_output(output)
    shared.open_part(model, "corpus")
    with shared.reporting(json):
        found = word_list(model, *(patterns or ()), where=where or "", min_count=min_count)
    if output is not None:
        shared.write_table(output, list(found.rows()), "word")
        return
    rows, text = list(found.rows(n)), found.text
    if json:
        sizes = {"tokens": text.n_tokens, "parts": text.n_parts, "documents": text.divided}
        shared.print_json({**sizes, "count": len(found), "words": rows})
        return
    if not rows:
        shared.stdout().print("no such words")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    of = "documents" if text.divided else "parts"
    for name in ("word", "times", "per million", of, "DP", "D"):
        table.add_column(name, justify="left" if name == "word" else "right")
    for row in rows:
        cells = f"{row['count']:,}", f"{row['per_million']:,.1f}", f"{row['parts']:,}"
        spread = f"{row['dp']:.2f}", f"{row['d']:.2f}"
        table.add_row(Text(shared.printable(row["word"])), *cells, *spread)
    shared.print_table(table)
    total = shared.count_of(text.n_parts, of.removesuffix("s"))
    shared.stdout().print(
        shared.line((f"{len(rows):,} of {shared.count_of(len(found), 'word')}, {total}", "dim"))
    )
