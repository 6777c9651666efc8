"""Results of evaluations, for people and for programs."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firth import progress
from firth.cli import _shared as shared
from firth.cli import _vectors as common

if TYPE_CHECKING:
    from firth.compute import Engine


def evaluate(path: str, questions: list[Any], method: str, engine: Engine) -> list[Any]:
    """The results of one model, or file of vectors, on all questions."""
    from firth.evaluate import WordPairs, evaluate_analogies, evaluate_similarity

    vectors = common.open_vectors(path)
    total = sum(map(len, questions))
    results: list[Any] = []
    with progress.stage(f"evaluating {path}", total, "questions", brief=1.0) as stage:
        for asked in questions:
            results.append(
                evaluate_similarity(vectors, asked)
                if isinstance(asked, WordPairs)
                else evaluate_analogies(vectors, asked, method, engine)
            )
            stage.advance(len(asked))
    return results


def facts(result: Any) -> dict[str, Any]:
    """A result for programs: JSON has no NaN, so what is not defined is null."""
    found = asdict(result)
    if _is_analogies(result):
        found |= {"accuracy": result.accuracy, "accuracy_over_all": result.accuracy_over_all}
        for category, entry in zip(result.categories, found["categories"], strict=True):
            entry |= {
                "accuracy": category.accuracy,
                "accuracy_over_all": category.accuracy_over_all,
            }
    return {key: _without_nan(value) for key, value in found.items()}


def _without_nan(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _without_nan(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_without_nan(value) for value in data]
    return None if isinstance(data, float) and data != data else data


def print_results(models: list[str], results: list[list[Any]]) -> None:
    """For each set of questions the figure of every model; more of each where there is only one."""
    console = shared.stdout()
    names = [Path(path).name for path in models]
    if len(set(names)) < len(names):
        names = models
    wide = max(map(len, ["vectors", *names]))
    for is_kind, title, figure in (
        (_is_pairs, "word pairs", "Spearman"),
        (_is_analogies, "analogies", "% right"),
    ):
        rows = [k for k, result in enumerate(results[0]) if is_kind(result)]
        if not rows:
            continue
        first = max(len(title), *(len(results[0][k].name) for k in rows))
        console.print(
            shared.line(
                (f"{title:<{first}}  {'vectors':<{wide}}  {figure:>8}  {'95 %':<13}  of", "bold")
            )
        )
        for k in rows:
            for i, (name, found) in enumerate(zip(names, results, strict=True)):
                label = found[k].name if i == 0 else ""
                value, interval, of = _cells(found[k])
                console.print(
                    shared.line(
                        f"{label:<{first}}  {name:<{wide}}  ",
                        (f"{value:>8}", "green"),
                        (f"  {interval:<13}  {of}", "dim"),
                    )
                )
        console.print()
    if any(len({found[k].n_scored if _is_pairs(found[k]) else found[k].n_answered for found in results}) > 1
           for k in range(len(results[0]))):  # fmt: skip
        console.print(
            "[dim]the vectors do not know the same words, so figures are over different questions[/]"
        )
    if len(models) == 1:
        for result in results[0]:
            _print_details(result)


def _is_pairs(result: Any) -> bool:
    return hasattr(result, "spearman")


def _is_analogies(result: Any) -> bool:
    return hasattr(result, "categories")


def _cells(result: Any) -> list[str]:
    """The figure in hundredths, between what it could be, and of how many questions it is."""
    low, high = result.interval
    if _is_pairs(result):
        figure, of = result.spearman, f"{result.n_scored:,} of {result.n_pairs:,} pairs"
    else:
        figure, of = result.accuracy, f"{result.n_answered:,} of {result.n_questions:,} answered"
    if figure != figure:
        return ["–", "", of]
    interval = f"{100 * low:.1f} – {100 * high:.1f}" if low == low else "too few"
    return [f"{100 * figure:.1f}", interval, of]


def _print_details(result: Any) -> None:
    console = shared.stdout()
    if _is_pairs(result):
        words = ", ".join(result.missing[:8]) + (", ..." if len(result.missing) > 8 else "")
        missing = f"; {shared.count_of(len(result.missing), 'word')} without a vector: {words}"
        pearson = f"{100 * result.pearson:.1f}" if result.pearson == result.pearson else "–"
        console.print(
            shared.line(
                (result.name, "bold"),
                f"  Pearson {pearson}",
                (missing * bool(result.missing), "dim"),
            )
        )
        return
    over_all = f"{100 * result.accuracy_over_all:.1f} % over all {result.n_questions:,} questions"
    console.print(shared.line((result.name, "bold"), f"  {over_all}"))
    for category in result.categories:
        figure = f"{100 * category.accuracy:5.1f} %" if category.n_answered else "    –  "
        bar = "█" * round(20 * category.accuracy) if category.n_answered else ""
        console.print(
            shared.line(
                f"  {figure}  {category.name:<28} ",
                (f"{bar:<20} ", "green"),
                (
                    f"{category.n_right:,} right of {category.n_answered:,} answered, {category.n_questions:,} asked",
                    "dim",
                ),
            )
        )
