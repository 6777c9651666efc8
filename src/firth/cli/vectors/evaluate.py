"""firth vectors evaluate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from firth.cli import _shared as shared
from firth.cli import _vectors as common
from firth.cli._options import command
from firth.cli.vectors._printing import print_results
from firth.formats import FileLimits
from firth.parameters import DeviceOption, Resources
from firth.vectors import AnalogyOption


@command(AnalogyOption, FileLimits, Resources, DeviceOption, skip=["memory"])
def evaluate(
    paths: Annotated[
        list[str],
        shared.argument(
            "MODEL... FILE...", "Models or files of vectors; files of word pairs or analogies."
        ),
    ],
    *,
    options: dict[str, Any],
    kind: common.Kind = "meaning",
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Evaluate word vectors on word similarity and on analogies.

    A file with two words and a score on each line has word pairs; four words, or a category and four
    words, are an analogy. Words are looked up as they are written, then in lower case. Pairs and questions
    with a word that has no vector are left out and counted. The interval is the middle 95 % of bootstrap
    samples. Several models are compared with each other.

    Example: [bold]firth vectors evaluate news pairs.txt[/]
    """
    from firth.compute import engine_for
    from firth.evaluate import evaluate_vectors, read_questions
    from firth.formats import looks_like_vectors

    models = [path for path in paths if Path(path).is_dir() or looks_like_vectors(Path(path))]
    files = [path for path in paths if path not in models]
    if not models or not files:
        what = "model or file of vectors" if not models else "file of word pairs or analogies"
        shared.fail(f"There is no {what} among: {', '.join(paths)}.", None)
    device = DeviceOption(**DeviceOption.take(options)).device
    engine = engine_for("evaluate", options.pop("threads", None), device)
    questions = [read_questions(file) for file in files]
    with shared.reporting(quiet):
        results = [
            evaluate_vectors(
                common.open_vectors(path, kind), questions, **options, threads=engine, name=path
            )
            for path in models
        ]
    if json:
        found = zip(models, results, strict=True)
        shared.print_json({path: [result.to_dict() for result in rs] for path, rs in found})
    else:
        print_results(models, results)
