"""firth vectors: learn, apply, show and evaluate word vectors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli import _shared as shared
from firth.cli import _vectors as common

app = typer.Typer(no_args_is_help=True, help="Counts to word vectors: the third stage alone.")

Preset = Annotated[
    str | None,
    shared.optional(
        "--preset",
        "similarity|analogy|syntax",
        "Choose contexts, weights, alpha and beta for a purpose.",
    ),
]
Transform = Annotated[
    str | None,
    shared.optional(
        "--transform", "none|log|two-thirds|sqrt", "What is done to every count; sqrt by default."
    ),
]
Scale = Annotated[
    str | None,
    shared.optional(
        "--scale", "none|reg|ppmi|cca", "How counts are set against chance; cca by default."
    ),
]
Alpha = Annotated[
    float | None, shared.optional("--alpha", "X", "Smooths the contexts, 0 to 1; by preset.")
]
Beta = Annotated[
    float | None,
    shared.optional("--beta", "X", "Exponent of the singular values, 0 to 1; by preset."),
]
Kappa = Annotated[
    float | None,
    shared.optional("--kappa", "X", "Pseudocount of words and contexts; 0 by default."),
]
Solver = Annotated[
    str | None,
    shared.optional("--svd", "fast|exact", "exact is slow, to machine precision, for checking."),
]
Tolerance = Annotated[
    float | None,
    shared.optional(
        "--tolerance", "X", "When the fast decomposition is good enough; 0.005 by default."
    ),
]
Seed = Annotated[int | None, shared.optional("--seed", "N", "Of the random start; 0 by default.")]


@app.command("learn")
@shared.guarded
def learn(
    sources: shared.ModelOrTexts,
    output: shared.OptionalOutput = None,
    dim: common.Dim = None,
    preset: Preset = None,
    contexts: shared.OptionalContexts = None,
    weights: shared.OptionalWeights = None,
    transform: Transform = None,
    scale: Scale = None,
    alpha: Alpha = None,
    beta: Beta = None,
    kappa: Kappa = None,
    min_count: shared.OptionalMinCount = None,
    vocabulary: shared.OptionalVocabularySize = None,
    svd: Solver = None,
    tolerance: Tolerance = None,
    seed: Seed = None,
    memory: shared.Memory = "4G",
    threads: shared.Threads = None,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Learn word vectors: count contexts, transform and scale the counts, decompose the matrix.

    From the corpus of a model, or from text, which is then read with the default options of
    [bold]firth learn[/]. What is not said stays as it was when vectors were learned before, or else
    is as for [bold]firth learn[/]; --preset chooses contexts, weights, alpha and beta anew.

    Example: [bold]firth vectors learn news --dim 20 --preset analogy[/]
    """
    from firth.cli._print_model import print_learned
    from firth.compute import engine_for
    from firth.corpus import Reading
    from firth.counts import CountsParameters, parse_memory
    from firth.model import load
    from firth.pipeline import learn_corpus, learn_vectors, vectors_parameters
    from firth.store import MANIFEST, writing
    from firth.vectors import preset as find_preset

    engine = engine_for("vectors learn", threads)
    parse_memory(memory)
    target, texts = shared.model_and_texts("vectors", sources, output)
    before = _before(load(target)) if (Path(target) / MANIFEST).exists() else {}
    said = {
        "dim": dim, "contexts": contexts, "weights": weights, "transform": transform, "scale": scale,
        "alpha": alpha, "beta": beta, "kappa": kappa, "min_count": min_count, "svd": svd,
        "tolerance": tolerance, "seed": seed,
    }  # fmt: skip
    chosen: dict[str, Any] = {
        **find_preset("similarity"), **before, **(find_preset(preset) if preset else {}),
        **{name: value for name, value in said.items() if value is not None},
    }  # fmt: skip
    if vocabulary is not None:
        chosen["vocabulary"] = shared.no_limit(vocabulary)
    counted, parameters = vectors_parameters(chosen, CountsParameters(), chosen.get("dim"))
    with shared.reporting(quiet), writing(target) as writer:
        changed = {}
        if texts:
            changed["corpus"] = learn_corpus(writer, texts, Reading(), engine)
        changed["vectors"] = learn_vectors(writer, counted, parameters, memory, engine)
    model = load(target)
    model.changed = [name for name, anew in changed.items() if anew]
    print_learned(model, json, quiet)


def _before(model: Any) -> dict[str, Any]:
    """How the vectors of a model were learned; and how many words its counts kept."""
    if "vectors" in model and not model.parts["vectors"].parameters.get("imported"):
        return dict(model.parts["vectors"].parameters)
    if "counts" in model:
        kept = ("min_count", "vocabulary", "across_lines")
        return {name: model.parts["counts"].parameters[name] for name in kept}
    return {}


@app.command("show")
@shared.guarded
def show(
    model: common.VectorsPath,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[WORD...]", help="Words to look at.", show_default=False),
    ] = None,
    n: common.HowMany = 10,
    json: shared.Json = False,
) -> None:
    """Show what the vectors are and how they were made, or the neighbours of words.

    Example: [bold]firth vectors show news[/]
    """
    from firth.cli.similar import similar

    if words:
        similar(model, words, n=n, json=json)
        return
    vectors = common.open_vectors(model)
    values = vectors.singular_values
    facts = {
        "n_words": len(vectors), "dim": vectors.dim, "made": vectors.made,
        "singular_values": None if values is None else [float(f"{x:.6g}") for x in values],
    }  # fmt: skip
    if json:
        shared.print_json(facts)
        return
    console = shared.stdout()
    console.print(f"{len(vectors):,} words in {vectors.dim} dimensions")
    how = [f"{name} {value}" for name, value in vectors.made.items() if value is not None]
    console.print(shared.line(("  " + ", ".join(how) if how else "  from elsewhere", "dim")))
    if values is not None:
        console.print(f"singular values {_few(values)}")
        console.print(shared.line((_spark(values), "green")))
    words = [
        w for w in (vectors.vocabulary[i] for i in range(min(len(vectors), 2000))) if w.isalpha()
    ]
    telling = words[len(words) // 4 :: max(1, len(words) // 6)][:4]
    if telling:
        console.print()
        near = dict(zip(telling, vectors.neighbours(telling, 6), strict=True))
        common.print_neighbours({word: found for word, found in near.items() if found})


def _few(values: Any) -> str:
    """The first of many numbers, and the last."""
    shown = ", ".join(f"{x:.3g}" for x in values[:4])
    return f"{shown}, ... {values[-1]:.3g}" if len(values) > 4 else shown


def _spark(values: Any) -> str:
    """Numbers as a row of bars, on a logarithmic scale."""
    import numpy as np

    at = np.unique(np.geomspace(1, len(values), 60).astype(int)) - 1
    logs = np.log(np.maximum(values[at], values[0] * 1e-9))
    heights = (logs - logs.min()) / max(logs.max() - logs.min(), 1e-9)
    return "".join("▁▂▃▄▅▆▇█"[round(7 * float(h))] for h in heights)


@app.command("apply")
@shared.guarded
def apply(
    model: shared.ModelPath,
    texts: shared.Texts,
    words: Annotated[
        list[str] | None,
        typer.Option(
            "--word",
            metavar="WORD",
            help="Only this word, new or not; may be said again.",
            show_default=False,
        ),
    ] = None,
    min_count: Annotated[
        int, typer.Option("--min-count", metavar="N", help="Pass over words that the text has less often.")
    ] = 1,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", show_default=False,
            help="Write the new vectors: .txt .vec .bin .parquet .npz",
        ),
    ] = None,
    n: Annotated[int, typer.Option("-n", metavar="N", min=1, help="How many new words to show.")] = 10,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:  # fmt: skip
    """Give vectors to new words from their contexts in a text, without learning again.

    The text is cut just as the corpus of the model was. The most frequent new words are shown with
    their nearest known words.

    Example: [bold]firth vectors apply news other.txt --word monday[/]
    """
    from firth.cli.export import chosen_format, write_file
    from firth.corpus import Corpus
    from firth.model import load

    form = chosen_format(output, None) if output else None
    opened = load(model)
    vectors = opened.vectors
    if vectors.projection is None:
        vectors.fold_in([])  # says why not, before the text is read
    reading = opened.corpus.reading.parameters() if "corpus" in opened else {}
    with shared.reporting(quiet):
        corpus = Corpus.from_files(*texts, **reading)
        new = vectors.fold_in(corpus, words or None, min_count)
    if output and form:
        write_file(new, output, form)
    rows: list[dict[str, Any]] = [
        {
            "word": new.vocabulary[i],
            "count": int(new.counts[i]),
            "similar": common.as_dicts(vectors.most_similar(new.matrix[i], n=5)) if new.matrix[i].any() else [],
        }
        for i in range(min(n, len(new)))
    ]  # fmt: skip
    if json:
        shared.print_json({"n_words": len(new), "words": rows})
        return
    console = shared.stdout()
    for row in rows:
        near = "  ".join(entry["word"] for entry in row["similar"]) or "no known contexts"
        console.print(
            shared.line((f"{row['word']}", "bold"), (f" ({row['count']:,})  ", "dim"), near)
        )
    if len(new) > len(rows):
        console.print(shared.line((f"and {len(new) - len(rows):,} more", "dim")))
    if output and output != "-":
        console.print(shared.line(f"{shared.count_of(len(new), 'vector')}: ", (output, "bold")))


@app.command("evaluate")
@shared.guarded
def evaluate(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="MODEL... FILE...",
            help="Models or files of vectors, and files of word pairs or analogies.",
            show_default=False,
        ),
    ],
    method: Annotated[
        str,
        typer.Option("--method", metavar="mul|add", help="For analogies: " + common.METHOD_HELP),
    ] = "mul",
    threads: shared.Threads = None,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Compare vectors with people's judgements of similarity, and let them answer analogies.

    Files are told apart by their columns: two words and a score are a word pair; four words, or a
    category and four words, an analogy. Words are looked up as they are written, then in lower
    case; pairs and questions with a word that has no vector are left out and counted. 95 % is the
    middle of bootstrap samples. Several models are compared with each other.

    Example: [bold]firth vectors evaluate news pairs.txt[/]
    """
    from firth.cli import _evaluation as evaluation
    from firth.compute import engine_for
    from firth.errors import check_choice
    from firth.evaluate import read_questions
    from firth.formats import looks_like_vectors
    from firth.vectors import METHODS

    check_choice("evaluate", "method", method, METHODS)
    engine = engine_for("evaluate", threads)
    models = [path for path in paths if Path(path).is_dir() or looks_like_vectors(Path(path))]
    files = [path for path in paths if path not in models]
    if not models or not files:
        what = "model or file of vectors" if not models else "file of word pairs or analogies"
        shared.fail(f"There is no {what} among: {', '.join(paths)}.", None)
    questions = [read_questions(file) for file in files]
    with shared.reporting(quiet):
        results = [evaluation.evaluate(path, questions, method, engine) for path in models]
    if json:
        found = zip(models, results, strict=True)
        shared.print_json({path: [evaluation.facts(r) for r in rs] for path, rs in found})
    else:
        evaluation.print_results(models, results)
