"""firth lm sample."""

from __future__ import annotations

import sys
from typing import Annotated

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.cli.lm._opening import folder_lm


@command()
def sample(
    model: shared.ModelPath,
    n: Annotated[int, shared.option("-n", "N", "Number of sentences.", least=1)] = 10,
    seed: Annotated[int, shared.option("--seed", "N", "Random seed.", least=0)] = 0,
    longest: Annotated[
        int, shared.option("--longest", "N", "Maximum number of words of a sentence.", least=1)
    ] = 200,
) -> None:
    """Write random sentences, drawn from the probabilities of the language model.

    Example: [bold]firth lm sample news -n 3 --seed 7[/]
    """
    with shared.interruptible():
        for words in folder_lm(model).sample(n, seed, longest):
            sys.stdout.write(shared.printable(" ".join(words)) + "\n")
