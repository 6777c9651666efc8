"""firth lm evaluate and firth lm apply."""

from __future__ import annotations

import math
import sys
from typing import Any

from firth.cli import _lm as common
from firth.cli import _shared as shared


@shared.guarded
def evaluate(
    model: shared.ModelPath,
    texts: shared.Texts,
    tokens: common.Tokens = None,
    split: common.Split = None,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """How well is a text predicted? Perplexity of words alone, classes alone, and all together.

    What is predicted is every word and the end of every sentence. Words that the model does not know count
    as one symbol, the unknown word; perplexity without them is told, too. Only models that know the same words
    can be compared.

    Example: [bold]firth lm evaluate news other.txt[/]
    """
    from firth import progress
    from firth.corpus import Corpus

    lm = common.open_lm(model)
    reading = common.reading_of(lm, tokens, split)
    with shared.reporting(quiet):
        found = lm.evaluate(Corpus.from_files(*texts, **reading.parameters()))
        if found.n_unknown == found.n_words:
            progress.notice(
                "The model knows no word of the text.",
                "Is it in the same language, read the same way?",
            )
    shared.print_json(found.to_dict()) if json else _print(found)


def _print(found: Any) -> None:
    console = shared.stdout()
    rows = [
        (one.name, one.perplexity, one.perplexity_known, one.weight) for one in found.components
    ]
    if len(rows) > 1:
        rows.append(("all together", found.perplexity, found.perplexity_known, None))
    wide = max(len(row[0]) for row in rows)
    console.print(shared.line((f"{'':<{wide}}  perplexity  without unknown words  weight", "bold")))
    for name, whole, known, weight in rows:
        figures = f"{common.figure(_finite(known)):>21}"
        figures += "" if weight is None else f"  {weight:>6.2f}"
        console.print(
            shared.line(
                f"{name:<{wide}}  ", (f"{common.figure(_finite(whole)):>10}", "bold"), "  ", (figures, "dim")
            )
        )  # fmt: skip
    share = found.n_unknown / max(found.n_words, 1)
    sizes = [
        shared.count_of(found.n_sentences, "sentence"), shared.count_of(found.n_words, "word"),
        f"{found.n_unknown:,} unknown ({share:.1%})", f"{found.bits:.3f} bits a word or end of a sentence",
    ]  # fmt: skip
    console.print(shared.line((", ".join(sizes), "dim")))


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


@shared.guarded
def apply(
    model: shared.ModelPath,
    texts: shared.TextsOrInput = None,
    tokens: common.Tokens = None,
    split: common.Split = None,
    json: shared.Json = False,
) -> None:
    """How probable is each sentence of a stream of text?

    A line for each sentence, with tabs between: the logarithm of its probability (to the base 10), its
    words, those among them that are unknown, its perplexity, and the sentence as it was cut. The end of the
    sentence is predicted, too, so perplexity is over one more than the words. With --json, each line is an object.

    Example: [bold]echo "Markets rose on monday." | firth lm apply news[/]
    """
    lm = common.open_lm(model)
    reading = common.reading_of(lm, tokens, split)
    write = _json_line if json else _line
    with shared.reporting(quiet=False):
        for sentences in common.pieces(texts or ["-"], reading):
            found = lm.scores(sentences)
            log10 = (found.log_prob / math.log(10)).tolist()
            rows = zip(
                sentences, log10, found.n_words.tolist(), found.n_unknown.tolist(),
                found.perplexity.tolist(), strict=True,
            )  # fmt: skip
            sys.stdout.write("".join(write(*row) for row in rows))
            sys.stdout.flush()


def _line(words: list[str], log10: float, n_words: int, n_unknown: int, perplexity: float) -> str:
    text = shared.printable(" ".join(words))
    return f"{log10:.4f}\t{n_words}\t{n_unknown}\t{perplexity:.2f}\t{text}\n"


def _json_line(
    words: list[str], log10: float, n_words: int, n_unknown: int, perplexity: float
) -> str:
    row = {
        "log10_prob": _finite(log10), "n_words": n_words, "n_unknown": n_unknown,
        "perplexity": _finite(perplexity), "words": words,
    }  # fmt: skip
    return shared.json_text(row) + "\n"
