"""firth corpus evaluate."""

from __future__ import annotations

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.formats import TextLimits


@command(TextLimits)
def evaluate(
    model: shared.ModelPath,
    texts: shared.Texts,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Show how much of another text the vocabulary covers, for several values of --min-count.

    The text is read as the corpus was read. A token is known if its word occurs at least --min-count
    times in the corpus, in the same form.

    Example: [bold]firth corpus evaluate news other.txt[/]
    """
    from firth.corpus import Corpus
    from firth.evaluate import known_words

    corpus = shared.open_part(model, "corpus")
    units = shared.units_of(model, corpus.reading)
    with shared.reporting(quiet):
        other = Corpus.read(texts, corpus.reading, units)
    rows = known_words(corpus, other)
    n_tokens, n_types = other.n_tokens, other.n_types
    if json:
        shared.print_json({"n_tokens": n_tokens, "n_types": n_types, "known": rows})
        return
    console = shared.stdout()
    sizes = f"{shared.count_of(n_tokens, 'token')}, {shared.count_of(n_types, 'type')}"
    console.print(f"{sizes} in the other text")
    console.print("\n[bold]min-count   words kept   known tokens   known types[/]")
    for row in rows:
        kept = f"{row['min_count']:>9}   {row['words']:>10,}"
        console.print(f"{kept}   {row['tokens']:>12.2%}   {row['types']:>11.2%}")
