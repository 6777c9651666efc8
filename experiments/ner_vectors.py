"""Word vectors as features for named-entity recognition (Stratos et al. 2015, table 4).

    FIRTH_DATA=... python -m experiments.ner_vectors [--prepare]

F1 on CoNLL-2003's ``eng.testa`` with 30 and 50 dimensions: spectral vectors and gensim's, with
contexts of two words on either side, case-sensitive, and 1,000 Brown classes; then larger vectors,
and classes and vectors together.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

from experiments.common import (
    COLOURS,
    EXPONENTS,
    NONE,
    TEXTS,
    Run,
    file_name,
    graph_objects,
    number,
    plain_layout,
    start,
    table,
)
from experiments.glove import glove_vectors
from experiments.learning import classes_of
from experiments.peers import THREADS, gensim_vectors

import firth
from firth.vectors import PRESETS

SPECTRAL: dict[str, dict[str, Any]] = {
    "LOG": {"transform": "log", "scale": "none"},
    "REG": {"transform": "sqrt", "scale": "reg"},
    "PPMI": {"transform": "none", "scale": "ppmi", "beta": 0.5},
    "CCA": {"transform": "sqrt", "scale": "cca"},
}
GLOVE = ("GLOVE",)
GENSIM = {"SKIP": "skip-gram", "CBOW": "CBOW"}
LARGER: dict[tuple[str, int], dict[str, Any]] = {
    ("CCA, preset syntax", 100): dict(PRESETS["syntax"]),
    ("CCA, preset similarity", 300): dict(PRESETS["similarity"]),
}
PAPER = {
    "none": (90.04, 90.04), "BROWN": (92.49, 92.49), "LOG": (92.27, 92.91), "REG": (92.51, 92.73),
    "PPMI": (92.25, 92.53), "CCA": (92.88, 92.94), "GLOVE": (91.49, 91.58),
    "CBOW": (92.44, 92.83), "SKIP": (92.63, 93.11),
}  # fmt: skip
"""F1 on eng.testa with 30 and 50 dimensions."""
CONTEXTS, WINDOW = "bag2", 2
TOGETHER = """
Larger vectors, and 1,000 classes of the same vocabulary in addition to the vectors: Brown classes,
with and without refinement by exchange. Every row is from a single seed of the tagger. With three
other seeds (a one-off script that was not kept), CCA with 50 dimensions had 93.47 to 93.76, refined
classes 93.66 to 93.98, and both together 94.01 to 94.17. Classes and vectors together are therefore
better than either alone, with each of the four seeds. The additional gain is smaller than that of
each alone, because they carry much the same information. Combined with refined classes, CCA with 50
dimensions and the syntax preset are indistinguishable. The wide contexts of the similarity preset
are worse, with the one seed that was tried.
"""


def vectors_of(run: Run, text: str, n_words: int, method: str, dim: int) -> firth.WordVectors:
    """Vectors of the most frequent words; learned once and cached in a file."""
    path = run.shelf("vectors") / f"{file_name(f'{text} {n_words} {method} {dim}')}.bin"
    if not path.exists():
        if method in GLOVE:
            made, _ = glove_vectors(run.corpus(text), WINDOW, dim, n_words)
        elif method in GENSIM:
            made, _, _ = gensim_vectors(
                run, text, GENSIM[method], dim, n_words, lowercase=False, window=WINDOW
            )
        else:
            how = {**(SPECTRAL.get(method) or LARGER[method, dim])}
            contexts, weights = how.pop("contexts", CONTEXTS), how.pop("weights", "none")
            counts = firth.count(run.corpus(text), contexts, 1, n_words, weights, threads=THREADS)
            learner = firth.SpectralEmbedding(dim, **{**EXPONENTS, **how}, threads=THREADS)
            made = learner.fit(counts).vectors_
        made.write(path, "word2vec-binary")
    return firth.WordVectors.read(path)


def figure(found: dict[tuple[str, int], float], without: float, dims: tuple[int, ...]) -> Any:
    """The gain in F1 from each kind of vectors."""
    graph = graph_objects()
    methods = [*SPECTRAL, *GLOVE, *GENSIM]
    bars = [
        graph.Bar(
            x=methods, y=[found[method, dim] - without for method in methods],
            name=f"{dim} dimensions", marker={"color": colour}, textposition="outside",
            text=[f"{found[method, dim]:.2f}" for method in methods],
        )
        for dim, colour in zip(dims, COLOURS, strict=False)
    ]  # fmt: skip
    title = f"Gain in F1 over {without:.2f} (no vectors)"
    return graph.Figure(bars, plain_layout(title, "", "points", bargroupgap=0.05))


def main() -> None:
    run = start("ner_vectors", __doc__, add_options)
    text, m, n_words, dims = "wiki", 1000, 300_000, (30, 50)
    if run.quick:
        text, m, n_words, dims = "wikinews", 100, 20_000, (10, 20)
    kinds = [(method, dim) for dim in reversed(dims) for method in (*SPECTRAL, *GLOVE, *GENSIM)]
    for method, dim in (*LARGER, *kinds) if run.options.prepare else ():
        vectors_of(run, text, n_words, method, dim)
        print(f"  {method} {dim} is ready", file=sys.stderr, flush=True)
    if run.options.prepare:
        return
    for method, dim in kinds if run.options.only else ():
        if method in run.options.only:
            vectors = vectors_of(run, text, n_words, method, dim)
            print(
                method, dim, run.f1(f"{text} {n_words} {method} {dim}", vectors=vectors), flush=True
            )
    if run.options.only:
        return
    classes = {how: classes_of(run, text, how, m, n_words) for how in ("Brown", "exchange")}

    def f1(method: str, dim: int, beside: str = "") -> float:
        vectors = vectors_of(run, text, n_words, method, dim) if dim else None
        hierarchy = classes[beside].hierarchy if beside else None
        row = f"{text} {n_words} {method} {dim}{beside and f' and {beside}'}"
        if not dim:
            row = classes[beside].name if beside else "nothing"
        return run.f1(row, classes=hierarchy, vectors=vectors)

    found = {(method, dim): f1(method, dim) for method, dim in kinds}
    for dim in dims:
        found |= {("none", dim): f1("none", 0), ("BROWN", dim): f1("none", 0, "Brown")}
    rows = [
        [method, *(number(x, 2) for dim, theirs in zip(dims, paper, strict=True)
                   for x in (theirs, found[method, dim]))]
        for method, paper in PAPER.items()
    ]  # fmt: skip
    together = {
        (method, dim): [f1(method, dim, beside) for beside in ("", *classes)]
        for method, dim in (("none", 0), ("CCA", dims[1]), *LARGER)
    }
    more = table(
        ["vectors", "dimensions", "no classes", "Brown classes", "refined Brown classes"],
        [[method, f"{dim or NONE}", *(number(x, 2) for x in f1s)]
         for (method, dim), f1s in together.items()],
    )  # fmt: skip
    method, dim = max(together, key=lambda kind: max(together[kind]))
    write(
        run,
        text,
        dims,
        rows,
        found,
        more,
        f"{method}, {dim} dimensions, and classes: {max(together[method, dim]):.2f}",
    )


def write(
    run: Run, text: str, dims: tuple[int, ...], rows: list[list[str]],
    found: dict[tuple[str, int], float], more: str, best: str,
) -> None:  # fmt: skip
    run.write(
        "Named-entity recognition with word vectors (Stratos et al. 2015, table 4)",
        f"""F1 on CoNLL-2003's `eng.testa`, trained on `eng.train`, with word vectors of {dims[0]}
and {dims[1]} dimensions as additional features. The contexts are two words on either side for all
methods. LOG, REG, PPMI and CCA are Firth's, with the paper's settings; SKIP and CBOW are gensim's,
with its defaults except for the window; GLOVE is our own program, `experiments/glove.py`,
and has the smallest gain, as in the paper. The paper's
vectors are learned from Reuters RCV1, newswire like the labelled data. Its figures for the test part,
`eng.testb`, have no counterpart here, because the file was not at hand.""",
        table(["features", *(f"{who}, {dim}" for dim in dims for who in ("paper", "ours"))], rows),
        figure(found, found["none", dims[0]], dims),
        f"data: {TEXTS[text]}, case-sensitive; `ner/eng.train` and `ner/eng.testa`",
        [
            (
                f"F1 on eng.testa with {dims[0]} dimensions: without vectors, CCA, skip-gram",
                "90.04, 92.88, 92.63",
                ", ".join(number(found[kind, dims[0]], 2) for kind in ("none", "CCA", "SKIP")),
            ),
            (
                "The best combination of classes and vectors for named-entity recognition",
                NONE,
                best,
            ),
        ],
        f"""{TOGETHER.strip()}\n\n{more}\n\n""",
    )


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--prepare", action="store_true", help="only train the vectors")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="print the F1 of these vectors")


if __name__ == "__main__":
    main()
