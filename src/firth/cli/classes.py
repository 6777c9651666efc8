"""firth classes: learn, show, name, apply and evaluate word classes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli import _class_evaluation as evaluation
from firth.cli import _classes as common
from firth.cli import _shared as shared

app = typer.Typer(no_args_is_help=True, help="Words to a tree of classes: the fourth stage alone.")

Prefix = Annotated[
    str,
    typer.Argument(metavar="[PREFIX]", help="A path, or the beginning of one.", show_default=False),
]
_KEPT = ("min_count", "vocabulary", "across_lines")
HowMany = Annotated[int, typer.Option("-n", metavar="N", min=1, help="How many words to show.")]


@app.command("learn")
@shared.guarded
def learn(
    sources: shared.ModelOrTexts,
    output: shared.OptionalOutput = None,
    number: common.Number = None,
    method: Annotated[
        str | None,
        shared.optional("--method", "brown|spectral|seeds", "How to begin; brown by default."),
    ] = None,
    refine: Annotated[
        bool | None,
        typer.Option(
            "--refine/--no-refine", help="Then move single words to better classes; yes by default."
        ),
    ] = None,
    contexts: Annotated[
        str | None, shared.optional("--contexts", "R1|LR1|LR2", "For spectral classes; LR2 by default.")
    ] = None,
    kappa: Annotated[
        float | None, shared.optional("--kappa", "X", "Pseudocount of spectral classes; 200 by default.")
    ] = None,
    transform: Annotated[
        str | None,
        shared.optional("--transform", "none|sqrt|two-thirds|log", "Of counts, for spectral classes; none by default."),
    ] = None,
    clustering: Annotated[
        str | None,
        shared.optional("--clustering", "ward|two-means", "Of spectral classes: bottom-up or top-down."),
    ] = None,
    min_count: shared.OptionalMinCount = None,
    vocabulary: shared.OptionalVocabularySize = None,
    across_lines: Annotated[
        bool | None,
        typer.Option("--across-lines/--within-lines", help="Let pairs reach over sentence ends, or not."),
    ] = None,
    trace: Annotated[
        str | None,
        typer.Option(
            "--trace", metavar="FILE", show_default=False,
            help="Write every merge of Brown's algorithm with its loss; for small texts.",
        ),
    ] = None,
    memory: shared.Memory = "4G",
    threads: shared.Threads = None,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:  # fmt: skip
    """Learn word classes: Brown's algorithm, or spectral classes, then moves of single words.

    From the corpus of a model, or from text, which is then read with the default options of
    [bold]firth learn[/]. What is not said stays as it was when classes were learned before, or else
    is as for [bold]firth learn[/]; another --method begins with its own defaults. Work that is cut off
    goes on where it was. A trace is a table between tabs: the step, the word that became active, the
    words of the two classes that were merged, and what the merge lost of the mutual information of the
    words that were active then. It is that of Brown's algorithm, before words are moved.

    Example: [bold]firth classes learn news --classes 8[/]
    """
    from firth.classes import ClassesParameters
    from firth.cli._describe import print_learned
    from firth.compute import engine_for
    from firth.corpus import Reading
    from firth.counts import CountsParameters, parse_memory
    from firth.model import load
    from firth.pipeline import learn_classes, learn_corpus
    from firth.store import MANIFEST, writing

    engine = engine_for("classes learn", threads)
    parse_memory(memory)
    target, texts = shared.model_and_texts("classes", sources, output)
    before = _before(load(target)) if (Path(target) / MANIFEST).exists() else {}
    if method is not None and method != before.get("method"):  # other methods, other habits
        before = {name: before[name] for name in (*_KEPT, "n_classes") if name in before}
    said = {
        "n_classes": number, "method": method, "refine": refine, "contexts": contexts, "kappa": kappa,
        "transform": transform, "clustering": clustering, "min_count": min_count, "across_lines": across_lines,
    }  # fmt: skip
    chosen = {**before, **{name: value for name, value in said.items() if value is not None}}
    if vocabulary is not None:
        chosen["vocabulary"] = shared.no_limit(vocabulary)
    known = CountsParameters.__dataclass_fields__.keys() - {"contexts"}
    counted = CountsParameters(**{name: chosen.pop(name) for name in [*chosen] if name in known})
    parameters = ClassesParameters(**chosen)
    if parameters.method != "spectral":
        for option in ("contexts", "kappa", "transform", "clustering"):
            if said[option] is not None:
                shared.fail(
                    f"--{option} is for spectral classes.", "Add --method spectral.", status=2
                )
    if trace and parameters.method != "brown":
        shared.fail("Only Brown's algorithm has a trace.", "Use --method brown.", status=2)
    merges: list[Any] | None = [] if trace else None
    with shared.reporting(quiet), writing(target) as writer:
        changed = {}
        if texts:
            changed["corpus"] = learn_corpus(writer, texts, Reading(), engine)
        changed["classes"] = learn_classes(writer, counted, parameters, memory, engine, merges)
    if trace and merges is not None:
        _write_trace(trace, merges)
    model = load(target)
    model.changed = [name for name, anew in changed.items() if anew]
    print_learned(model, json, quiet)


def _before(model: Any) -> dict[str, Any]:
    """How the classes of a model were learned; or else how many words its counts kept."""
    if "classes" in model and "imported" not in model.parts["classes"].parameters:
        return dict(model.parts["classes"].parameters)
    if "counts" in model:
        return {name: model.parts["counts"].parameters[name] for name in _KEPT}
    return {}


_NO_BREAKS = str.maketrans("\t\n\r", "   ")


def _write_trace(path: str, merges: list[Any]) -> None:
    """A table for teaching: a line for every merge."""
    from firth.store import replacing

    with replacing(path) as file:
        file.write(b"step\tadded\tleft\tright\tloss in bits\n")
        for step, merge in enumerate(merges, 1):
            cells = [
                str(step),
                merge.added or "",
                " ".join(merge.left),
                " ".join(merge.right),
                f"{merge.loss:.9f}",
            ]
            plain = [cell.translate(_NO_BREAKS) for cell in cells]
            file.write(("\t".join(plain) + "\n").encode())


@app.command("show")
@shared.guarded
def show(
    model: common.ClassesPath,
    prefix: Prefix = "",
    depth: Annotated[
        int | None,
        typer.Option(
            "--depth", metavar="N", min=1, show_default=False,
            help="Show every class at this depth below; 4 by default.",
        ),
    ] = None,
    n: HowMany = 10,
    json: shared.Json = False,
) -> None:  # fmt: skip
    """Walk the tree of classes: what is below a path, or what is at a depth.

    Without a path the whole tree is shown down to a depth of 4. With one, that node is shown with its
    typical words, what stands beside it in the tree, the contexts that set it apart, and its branches.

    Example: [bold]firth classes show news --depth 2[/]
    """
    classes = common.open_classes(model)
    if prefix.strip("01"):
        shared.fail(
            f"A path is made of 0 and 1. Got {prefix!r}.",
            f"For the class of a word: firth show {model} {prefix}",
            status=2,
        )
    begin, end = classes.tree.span(prefix)
    is_class = end - begin == 1 and classes.paths[begin] == prefix
    rows = [] if is_class else common.rows_below(classes, prefix, depth or (2 if prefix else 4), n)
    facts = common.class_facts(classes, prefix, n)
    facts["siblings"] = common.siblings(classes, prefix, common.N_UP)
    if json:
        shared.print_json({**facts, "below": rows})
        return
    console = shared.stdout()
    if prefix:
        common.print_class(facts)
        if rows:
            console.print()
    else:
        sizes = [shared.count_of(len(classes), "word"), f"{classes.n_classes:,} classes"]
        console.print(shared.line(", ".join(sizes), (f"  {_how(classes.made)}", "dim")))
    common.print_tree(classes, rows)
    if not prefix:
        shared.stdout().print(
            shared.line((f"go on with: firth classes show {model} {rows[0]['path']}", "dim"))
        )


def _how(made: Any) -> str:
    if "imported" in made:
        return "from elsewhere"
    words = [str(made.get("method", ""))]
    if made.get("method") == "spectral":
        words += [f"{made['contexts']} contexts", f"kappa {made['kappa']:g}"]
        words += [made["transform"]] * (made["transform"] != "none")
    return ", ".join(words + ["refined"] * bool(made.get("refine")))


@app.command("name")
@shared.guarded
def name(
    model: shared.ModelPath,
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH=NAME...", show_default=False,
            help="A path and a name for it; PATH= takes the name away.",
        ),
    ],
    quiet: shared.Quiet = False,
) -> None:  # fmt: skip
    """Give names of your own to classes and inner nodes; they are kept in the model.

    Names belong to the tree they were given to: when classes are learned anew, give them anew.

    Example: [bold]firth classes name news "0=all sorts"[/]
    """
    from firth.pipeline import name_classes

    given = {}
    for entry in names:
        path, equals, text = entry.partition("=")
        if not equals or path.strip("01"):
            shared.fail(
                f"A name is given as PATH=NAME. Got {entry!r}.",
                "For example: 0110=weekdays",
                status=2,
            )
        given[path] = text
    learned = name_classes(model, given)
    if not quiet:
        for path in given:
            classes = learned.classes
            shared.stdout().print(
                shared.line((path or "(root)", "bold green"), f"  {classes.label(path)}")
            )


@app.command("apply")
@shared.guarded
def apply(
    model: common.ClassesPath,
    texts: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TEXT...]", help="Text with new words; - for standard input.", show_default=False),
    ] = None,
    words: Annotated[
        list[str] | None,
        typer.Option("--word", metavar="WORD", help="Only this word; may be said again.", show_default=False),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All words of the text, not only those without a class.")
    ] = False,
    min_count: Annotated[
        int, typer.Option("--min-count", metavar="N", min=1, help="Pass over words that the text has less often.")
    ] = 1,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", show_default=False,
            help="Write a paths file: bits, word, count.",
        ),
    ] = None,
    n: HowMany = 20,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:  # fmt: skip
    """Give classes to words that have none, without learning again.

    A new word gets the class that its contexts in the text speak for; one without known contexts, or
    where there is no text, gets one from its spelling; else it is unknown. The text is cut as the corpus
    of the model was.

    Example: [bold]firth classes apply news other.txt --all[/]
    """
    from firth.corpus import Corpus
    from firth.formats import write_classes
    from firth.store import replacing

    classes = common.open_classes(model)
    if not texts and not words:
        shared.fail(
            "There is neither a text nor a --word.", "See: firth classes apply --help", status=2
        )
    corpus = None
    with shared.reporting(quiet):
        if texts:
            corpus = Corpus.from_files(*texts, **common.reading_of(model))
    wanted = words or _words_to_place(classes, corpus, min_count, everything)
    found = classes.assign(wanted, corpus if classes.follow is not None else None)
    here = corpus.vocabulary if corpus else classes.vocabulary
    counts = {a.word: 0 if (i := here.find(a.word)) is None else int(here.counts[i]) for a in found}
    if output:
        placed = [answer for answer in found if answer.path is not None]
        if not placed:
            shared.fail("No word of the text got a class.", "Nothing was written.")
        times = [counts[answer.word] for answer in placed]
        with replacing(output) as file:
            write_classes(
                file, [a.word for a in placed], [str(a.path) for a in placed], times, "paths"
            )
    rows: list[dict[str, Any]] = [
        {
            "word": a.word, "count": counts[a.word], "path": a.path, "source": a.source,
            "label": None if a.path is None else classes.label(a.path),
        }
        for a in found[:n]
    ]  # fmt: skip
    if json:
        sources = [a.source for a in found]
        how = {source: sources.count(source) for source in dict.fromkeys(sources)}
        shared.print_json({"n_words": len(found), "sources": how, "words": rows})
    elif output != "-":
        _print_assigned(rows, len(found), output)


def _words_to_place(classes: Any, corpus: Any, min_count: int, everything: bool) -> list[str]:
    """The words of a text, or those of them that have no class."""
    here = corpus.vocabulary
    wanted: list[str] = here.words.slice(0, here.n_kept(min_count)).to_pylist()
    if everything:
        return wanted
    known = classes.vocabulary.ids(wanted)
    return [word for word, i in zip(wanted, known, strict=True) if i is None]


def _print_assigned(rows: list[dict[str, Any]], n: int, output: str | None) -> None:
    console = shared.stdout()
    if not n:
        console.print("All words of the text have a class.")
    for row in rows:
        console.print(
            shared.line(
                (row["word"], "bold"), (f" ({row['count']:,})  " if row["count"] else "  ", "dim"),
                (f"{row['path']}  " if row["path"] else "", "green"), row["label"] or "unknown",
                (f"  by {row['source']}" if row["path"] else "", "dim"),
            )
        )  # fmt: skip
    if n > len(rows):
        console.print(shared.line((f"and {n - len(rows):,} more", "dim")))
    if output:
        console.print(shared.line("written: ", (output, "bold")))


app.command("evaluate")(evaluation.evaluate)
app.command("curve")(evaluation.curve)
