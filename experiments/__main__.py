"""``python -m experiments``: run all experiments in turn, each with the given arguments (such as ``--quick``)."""

from __future__ import annotations

import subprocess
import sys

ALL = (
    "recovery", "mutual_information", "speed", "kappa_context", "text_size", "transforms", "more_text",
    "embeddings",
    "skip_gram", "tagger", "ner_classes", "ner_vectors",
    "pos_induction", "induction", "other_text", "talk", "anchor_recovery", "latent_tagger",
    "grammar_recovery", "parsing", "split_merge", "class_lm", "clusterings",
    "senses", "morphs", "morph_uses", "guesses", "vectors", "classes", "text_report",
)  # fmt: skip

for name in ALL:
    print(f"\n# {name}\n", flush=True)
    subprocess.run([sys.executable, "-m", f"experiments.{name}", *sys.argv[1:]], check=True)
