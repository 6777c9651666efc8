"""firth vectors apply."""

from __future__ import annotations

from typing import Annotated, Any

from firth.cli import _shared as shared
from firth.cli import _vectors as common
from firth.cli._options import command
from firth.formats import TextLimits

_SHOWN = 5
"""Number of similar words that are shown for each new word."""


@command(TextLimits)
def apply(
    model: shared.ModelPath,
    texts: shared.Texts,
    words: Annotated[
        list[str] | None,
        shared.option(
            "--word", "WORD", "Only this word, new or not; repeat for more.", panel="Learning"
        ),
    ] = None,
    min_count: Annotated[
        int,
        shared.option(
            "--min-count", "N", "Skip words that occur less often in the text.", panel="Learning"
        ),
    ] = 1,
    output: Annotated[
        str | None,
        shared.option(
            "--output -o", "FILE", "Write the new vectors to a file: .txt .vec .bin .parquet .npz"
        ),
    ] = None,
    n: Annotated[int, shared.option("-n", "N", "Number of new words to show.", least=1)] = 10,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Compute vectors for new words from their contexts in a text, without retraining.

    The text is read as the corpus of the model was read. The most frequent new words are shown with the
    most similar known words.

    Example: [bold]firth vectors apply news other.txt --word monday[/]
    """
    from firth.corpus import Corpus, Reading
    from firth.model import load
    from firth.store import replacing

    form = common.output_format(output, None) if output else None
    opened = load(model)
    vectors = opened.vectors
    vectors.require_projection()  # an error before the text is read
    reading = opened.corpus.reading if "corpus" in opened else Reading()
    units = shared.units_of(model, reading)
    with shared.reporting(quiet):
        corpus = Corpus.read(texts, reading, units)
        new = vectors.fold_in(corpus, words or None, min_count)
    if output:
        with replacing(output) as file:
            new.write(file, form)
    rows = [_facts(vectors, new, i) for i in range(min(n, len(new)))]
    if json:
        shared.print_json({"n_words": len(new), "words": rows})
        return
    console = shared.stdout()
    for row in rows:
        near = "  ".join(entry["word"] for entry in row["similar"]) or "no known contexts"
        count = (f" ({row['count']:,})  ", "dim")
        console.print(shared.line((row["word"], "bold"), count, near))
    if len(new) > len(rows):
        console.print(shared.line((f"and {len(new) - len(rows):,} more", "dim")))
    if output and output != "-":
        shared.print_written(output, len(new), "vector")


def _facts(vectors: Any, new: Any, i: int) -> dict[str, Any]:
    """A new word, its frequency, and the most similar known words."""
    vector = new.matrix[i]
    near = vectors.most_similar(vector, n=_SHOWN) if vector.any() else []
    similar = common.as_dicts(near)
    return {"word": new.vocabulary[i], "count": int(new.counts[i]), "similar": similar}
