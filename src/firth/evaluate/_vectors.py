"""Word vectors on several sets of questions."""

from __future__ import annotations

from collections.abc import Sequence

from firth import progress
from firth.compute import Engine, engine_for
from firth.evaluate._analogy import AnalogyResult, evaluate_analogies
from firth.evaluate._questions import Questions, WordPairs
from firth.evaluate._similarity import SimilarityResult, evaluate_similarity
from firth.formats import Rows
from firth.vectors import AnalogyOption, WordVectors

__all__ = ["evaluate_vectors"]


def evaluate_vectors(
    vectors: WordVectors,
    questions: Sequence[Questions],
    method: str = AnalogyOption.method,
    threads: int | Engine | None = None,
    name: str = "vectors",
    device: str = "cpu",
) -> Rows[SimilarityResult | AnalogyResult]:
    """Evaluate word vectors on word pairs and analogies.

    Parameters
    ----------
    vectors : WordVectors
    questions : sequence of WordPairs or Analogies
        See ``read_questions``.
    method : {"mul", "add"}
        How analogies are answered: 3CosMul or 3CosAdd.
    threads : int, optional
        Number of threads; all cores by default. The result does not depend on it.
    name : str
        What progress messages call the vectors.
    device : str
        ``cuda`` for a GPU, which answers analogies.

    Returns
    -------
    list of SimilarityResult or AnalogyResult
        In the order of the questions; ``to_frame`` has a row for each.
    """
    engine = engine_for("evaluate_vectors", threads, device)
    results: Rows[SimilarityResult | AnalogyResult] = Rows()
    total = sum(map(len, questions))
    with progress.stage(f"evaluating {name}", total, "questions", brief=1.0) as stage:
        for asked in questions:
            results.append(
                evaluate_similarity(vectors, asked)
                if isinstance(asked, WordPairs)
                else evaluate_analogies(vectors, asked, method, engine)
            )
            stage.advance(len(asked))
    return results
