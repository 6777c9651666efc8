"""firth classes evaluate and firth classes curve."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from firth.cli import _classes as common
from firth.cli import _shared as shared

if TYPE_CHECKING:
    from firth.classes import Hierarchy

HeldOut = Annotated[
    list[str] | None,
    typer.Option(
        "--text", metavar="TEXT", help="Held-out text; may be said again.", show_default=False
    ),
]


def _held_out(model: str, texts: list[str] | None) -> Any:
    """Held-out text, cut as the corpus of the model was."""
    from firth.corpus import Corpus

    return Corpus.from_files(*texts, **common.reading_of(model)) if texts else None


@shared.guarded
def evaluate(
    model: common.ClassesPath,
    texts: HeldOut = None,
    tagged: Annotated[
        str | None,
        typer.Option(
            "--tagged", metavar="FILE", show_default=False,
            help="Words with tags: CoNLL-U, or a word and a tag on each line.",
        ),
    ] = None,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:  # fmt: skip
    """Measure classes: mutual information, perplexity on held-out text, agreement with tags.

    Mutual information is that of the classes of adjacent words in the text they were learned from.
    Perplexity is that of the class-bigram model; words outside the vocabulary count as the one rare
    symbol. With tags: many-to-one (each class stands for its most frequent tag), one-to-one (each tag
    has one class of its own), and V-measure; for all classes, and for the tree cut to as many classes
    as there are tags. Words without a class get one from their spelling.

    Example: [bold]firth classes evaluate news --text other.txt[/]
    """
    classes = common.open_classes(model)
    facts = _sizes(classes)
    with shared.reporting(quiet):
        corpus = _held_out(model, texts)
        if corpus is not None:
            from firth.evaluate import perplexity

            facts["held_out"] = perplexity(classes, corpus).to_dict()
        if tagged:
            facts["tags"] = _against_tags(classes, tagged, common.reading_of(model))
    shared.print_json(facts) if json else _print(facts)


def _sizes(classes: Hierarchy) -> dict[str, Any]:
    from firth.classes import mutual_information

    sizes = classes.sizes()
    depths = [len(path) for path in classes.paths]
    facts: dict[str, Any] = {
        "n_words": len(classes), "n_classes": classes.n_classes,
        "smallest": int(sizes.min()), "median": int(sorted(sizes.tolist())[len(sizes) // 2]),
        "largest": int(sizes.max()), "deepest": max(depths), "mutual_information": None,
    }  # fmt: skip
    if classes.follow is not None:
        nats = mutual_information(classes.follow, classes.tokens)
        facts["mutual_information"] = {"bits": nats / math.log(2), "nats": nats}
    return facts


def _against_tags(classes: Hierarchy, path: str, reading: dict[str, Any]) -> dict[str, Any]:
    from firth.corpus import Reading, fold_word
    from firth.evaluate import matching
    from firth.formats import read_tagged

    how = Reading(**reading)
    tokens = [
        (fold_word(word, how), tag) for sentence in read_tagged(path) for word, tag in sentence
    ]
    tags = [tag for _, tag in tokens]
    words = list(dict.fromkeys(word for word, _ in tokens))
    rows = []
    unknown = 0
    for k in sorted({min(len(set(tags)), classes.n_classes), classes.n_classes}):
        cut = classes if k == classes.n_classes else classes.cut(k)
        found = {answer.word: answer for answer in cut.assign(words)}
        labels = [found[word].path or "?" for word, _ in tokens]
        unknown = sum(found[word].source != "vocabulary" for word, _ in tokens)
        result = matching(tags, labels)
        rows.append({"classes": k, **result.to_dict()})
    return {
        "file": path,
        "n_tags": len(set(tags)),
        "n_tokens": len(tokens),
        "n_outside": unknown,
        "rows": rows,
    }


def _print(facts: dict[str, Any]) -> None:
    console = shared.stdout()
    console.print(
        f"{facts['n_words']:,} words in {facts['n_classes']:,} classes, of {facts['smallest']:,} to "
        f"{facts['largest']:,} words (median {facts['median']:,}), paths of up to {facts['deepest']} bits"
    )
    found = facts["mutual_information"]
    if found:
        console.print(
            f"mutual information  [bold]{found['bits']:.4f}[/] bits ({found['nats']:.4f} nats)"
        )
    else:
        console.print("mutual information  not known: the classes come from elsewhere")
    held = facts.get("held_out")
    if held:
        sizes = f"{held['n_tokens']:,} tokens, {held['n_rare']:,} of them rare"
        sizes += f", {held['n_skipped']:,} left out" * bool(held["n_skipped"])
        console.print(f"held-out perplexity [bold]{held['perplexity']:,.1f}[/]  [dim]{sizes}[/]")
    tags = facts.get("tags")
    if tags:
        console.print()
        sizes = f"  {tags['n_tokens']:,} tokens, {tags['n_outside']:,} outside the vocabulary"
        console.print(
            shared.line(f"against {tags['n_tags']} tags: ", (tags["file"], "bold"), (sizes, "dim"))
        )
        console.print("[bold]classes  many-to-one  one-to-one  V-measure[/]")
        for row in tags["rows"]:
            figures = [f"{row[name]:.1%}" for name in ("many_to_one", "one_to_one", "v_measure")]
            console.print("{:>7,}  {:>11}  {:>10}  {:>9}".format(row["classes"], *figures))


@shared.guarded
def curve(
    model: common.ClassesPath,
    texts: HeldOut = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", show_default=False, help="Draw it: .html .svg .png .pdf"),
    ] = None,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:  # fmt: skip
    """How many classes? Mutual information and perplexity of the tree cut to ever more classes.

    With held-out text the perplexity is measured on it; without, every pair of the learned text is
    predicted from the others (leave-one-out), which flatters large numbers a little, as the classes
    themselves have seen the pair.

    Example: [bold]firth classes curve news --text other.txt[/]
    """
    from firth.evaluate import curve as measure

    classes = common.open_classes(model)
    if classes.follow is None:
        shared.fail(
            "These classes come from elsewhere: what follows what is not known of them.",
            "Learn classes from a text: firth classes learn",
        )
    with shared.reporting(quiet):
        corpus = _held_out(model, texts)
        found = measure(classes, corpus)
    if output:
        from firth.plots import curve_figure, save_figure

        save_figure(curve_figure(found), output)
    if json:
        shared.print_json(found.to_dict())
        return
    console = shared.stdout()
    console.print(f"[bold]classes  mutual information  {found.kind} perplexity[/]")
    best = max(row.mutual_information for row in found.rows) or 1.0
    for row in found.rows:
        mark = " [cyan]<[/]" if row.k == found.suggestion else ""
        bar = "█" * round(30 * row.mutual_information / best)
        width = len(found.kind) + 11
        console.print(
            f"{row.k:>7,}  {row.mutual_information:>13.4f} bits  {row.perplexity:>{width},.1f}{mark} "
            f"[green]{bar}[/]"
        )
    console.print(
        f"suggestion: {found.suggestion:,} classes [dim](<: the fewest whose perplexity is within 1 % of the best)[/]"
    )
    if found.rows[-1].perplexity == min(row.perplexity for row in found.rows):
        console.print(
            f"perplexity still falls at {found.rows[-1].k:,}: more classes may be better; "
            f"firth classes learn MODEL --classes {2 * found.rows[-1].k}"
        )
    if output:
        console.print(shared.line("drawn: ", (output, "bold")))
