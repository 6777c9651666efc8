"""Are the classes of a known model found? ``python experiments/recovery.py``

Draws texts of growing length from random Brown models (40 words, 5 classes) and prints, in Markdown, the
share of words in the right class and of models whose classes are found without a fault: spectral classes
with and without powers of the counts (Stratos et al. 2014, theorem 5.2; 2015, theorem 4.1), and Brown's
algorithm, which has no such guarantee. Needs no data.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np

import firth
from firth.evaluate import matching

N_WORDS, N_CLASSES, N_MODELS = 40, 5, 20
SIZES = (300, 1000, 3000, 10_000, 30_000, 100_000)


def text_of(model: firth.BrownModel, n_tokens: int, seed: int) -> firth.Corpus:
    lines = model.sample(n_tokens // 10, 10, seed)
    return firth.Corpus.from_sentences([f"w{word}" for word in line] for line in lines)


def share_found(model: firth.BrownModel, classes: firth.Hierarchy) -> float:
    """The share of words in the right class, classes matched one to one."""
    truth = [int(model.class_of[int(word[1:])]) for word in classes]
    return matching(truth, classes.class_of.tolist()).one_to_one


def main() -> None:
    options: dict[str, Any] = {"min_count": 1, "threads": 1}
    learners: dict[str, Any] = {
        f"spectral, {name}": firth.SpectralClasses(
            N_CLASSES, "R1", kappa=0, transform=name, **options
        )
        for name in ("none", "sqrt", "two-thirds")
    }
    learners["Brown"] = firth.BrownClasses(N_CLASSES, **options)
    models = [firth.BrownModel.random(N_WORDS, N_CLASSES, seed) for seed in range(N_MODELS)]
    print(
        f"{N_MODELS} models, {N_WORDS} words, {N_CLASSES} classes; {datetime.now(UTC):%Y-%m-%d}\n"
    )
    print("| classes | " + " | ".join(f"{size:,} tokens" for size in SIZES) + " |")
    print("|---|" + "---|" * len(SIZES))
    for name, learner in learners.items():
        cells = []
        for size in SIZES:
            found = [
                share_found(model, learner.fit(text_of(model, size, seed)).hierarchy_)
                for seed, model in enumerate(models)
            ]
            cells.append(f"{np.mean(found):.1%} ({np.mean(np.array(found) == 1):.0%})")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
