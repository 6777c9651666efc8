"""Learn a small model with every part, as another CPU would: ``python -m tests.other_cpus FOLDER``.

Environment variables make libraries use the code that they have for other CPUs. ``CPUS`` has some for
the tests; there is also ``NUMBA_CPU_NAME=nehalem NUMBA_CPU_FEATURES=``, which compiles all kernels anew
and takes a minute.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from importlib import import_module
from itertools import accumulate
from pathlib import Path

import numpy as np

MODELS = {"text": ("corpus", "index", "counts", "classes", "lm", "vectors", "map", "tags"),
          "names": ("ner",), "trees": ("grammar",)}  # fmt: skip


def _newer_features() -> str:
    """The instructions of this CPU for which NumPy has code of its own."""
    core = "_core" if hasattr(np, "_core") else "core"
    numpy = import_module(f"numpy.{core}._multiarray_umath")
    return " ".join(name for name in numpy.__cpu_dispatch__ if numpy.__cpu_features__[name])


CPUS = {
    "this one": {},
    "more threads": {"OPENBLAS_NUM_THREADS": "5"},
    "an older one": {
        "OPENBLAS_CORETYPE": "Nehalem",
        "NPY_DISABLE_CPU_FEATURES": _newer_features(),
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F",
    },
}


def sentences(n: int) -> list[list[tuple[str, str]]]:
    """Sentences of an artificial language, as words and tags."""
    draw = random.Random(0)
    sizes = {"D": 6, "N": 220, "V": 90, "A": 60, "P": 8, "M": 40}
    endings = {"N": "n", "V": "t", "A": "ly"}
    words = {}
    for tag, size in sizes.items():
        syllables = ([draw.choice("bdgklmnprstv") + draw.choice("aeiou") for _ in range(draw.randint(1, 4))]
                     for _ in range(size))  # fmt: skip
        words[tag] = ["".join(some) + endings.get(tag, "") for some in syllables]
    words["M"] = [word.capitalize() for word in words["M"]]
    weights = {tag: list(accumulate(1 / (k + 2) for k in range(n))) for tag, n in sizes.items()}
    phrases = ["DN", "DAN", "DNPDN", "M", "MM"]
    found = []
    for _ in range(n):
        tags = draw.choice(phrases) + "V" + draw.choice(["", *phrases])
        found.append([(draw.choices(words[t], cum_weights=weights[t])[0], t) for t in tags])
    return found


def tree(sentence: list[tuple[str, str]]) -> str:
    """The tree of a sentence: a subject, and a predicate with the verb and an object."""
    leaves = [f"({tag} {word})" for word, tag in sentence]
    at = [tag for _, tag in sentence].index("V")
    after = f" (NP {' '.join(leaves[at + 1 :])})" if leaves[at + 1 :] else ""
    return f"(S (NP {' '.join(leaves[:at])}) (VP {leaves[at]}{after}))"


def learn(folder: Path) -> None:
    """Learn models with every part from artificial text, in the current folder."""
    import firth
    from firth import pipeline

    text = sentences(1000)
    lines = {
        "text": [" ".join(word for word, _ in sentence) for sentence in text],
        "names": [
            # three documents, so that there are two stages
            "-DOCSTART- O\n\n" * (n % 20 == 0)
            + "".join(f"{word} {'B-NAME' if tag == 'M' else 'O'}\n" for word, tag in sentence)
            for n, sentence in enumerate(text[:60])
        ],
        "trees": [tree(sentence) for sentence in text[:200]],
    }
    os.chdir(folder)
    for name, some in lines.items():
        Path(f"{name}.txt").write_text("\n".join(some) + "\n", encoding="utf-8")
    firth.learn("text.txt", "text", dim=20, classes=20, tags=6, min_count=1, threads=1)
    pipeline.learn_index("text")
    pipeline.learn_map("text", n_early=50, n_late=50, threads=1)
    pipeline.learn_lm("text", classes=[], threads=1)
    pipeline.learn_entities("names", "names.txt", rounds=2, threads=1)
    pipeline.learn_grammar("trees", ["trees.txt"], n_states=4)


def learn_as(cpu: str, folder: Path) -> None:
    """Learn in another process, as another CPU."""
    folder.mkdir()
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", **CPUS[cpu]}
    command = [sys.executable, "-m", "tests.other_cpus", str(folder)]
    subprocess.run(command, check=True, env=environment, capture_output=True)


def files_of(folder: Path, part: str) -> dict[str, bytes]:
    """The files of a part by name; the paths of the texts differ."""
    (model,) = (name for name, parts in MODELS.items() if part in parts)
    found = sorted((folder / model / part).rglob("*.*"))
    return {path.name: path.read_bytes() for path in found if path.name != "sources.json"}


def array_of(
    folder: Path, part: str, name: str
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """A file of floating-point numbers."""
    kind = np.float32 if name.endswith("f32") else np.float64
    return np.frombuffer(files_of(folder, part)[name], kind).astype(np.float64)


if __name__ == "__main__":
    learn(Path(sys.argv[1]))
