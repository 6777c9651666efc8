"""``python -m experiments``: all experiments, one after the other; takes what each of them takes (``--quick``)."""

from __future__ import annotations

import subprocess
import sys

ALL = (
    "recovery", "mutual_information", "speed", "kappa_context", "ner_classes",
    "transforms", "skip_gram", "embeddings", "ner_vectors", "vectors", "classes",
)  # fmt: skip

for name in ALL:
    print(f"\n# {name}\n", flush=True)
    subprocess.run([sys.executable, "-m", f"experiments.{name}", *sys.argv[1:]], check=True)
