"""Supervised tagging with hidden states (Cohen et al. 2012, section 8).

    FIRTH_DATA=... python -m experiments.latent_tagger

Tagging accuracy in seven languages of a hidden Markov model estimated from tagged text, and of the
same model with hidden states for each tag, which are estimated spectrally.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from experiments.common import data, start, table
from experiments.pos_induction import TRAINED, TREEBANKS

import firth
from firth.formats import read_tagged

STATES = (1, 2, 4, 8, 16)
PLAIN = "plain"


def texts(language: str) -> list[Any]:
    """Tagged sentences to learn from, and to measure on."""
    parts = ("train", "dev") if language in TRAINED else ("dev", "test")
    return [
        read_tagged(data(f"tags/{TREEBANKS[language]}-{part}.conllu")) for part in parts
    ]  # fmt: skip


def measured(language: str, n_states: int | None) -> dict[str, float]:
    """Accuracy of all words and of unseen words in percent, and seconds."""
    train, test = texts(language)
    began = time.process_time()
    tagger = firth.SupervisedTagger() if n_states is None else firth.LatentTagger(n_states=n_states)
    tagger.fit(train)
    learned = time.process_time()
    found = tagger.tag([[word for word, _ in sentence] for sentence in test])
    seconds = {"learning": learned - began, "tagging": time.process_time() - learned}
    known = set(tagger.vocabulary_)
    rows = np.array(
        [
            (a == b, word not in known)
            for sentence, tags in zip(test, found, strict=True)
            for (word, a), b in zip(sentence, tags, strict=True)
        ]
    )
    right, unseen = rows.T
    return {
        "all": 100 * float(right.mean()),
        "unseen": 100 * float(right[unseen].mean()),
        "n_train": sum(map(len, train)),
        "n_test": len(rows),
        **seconds,
    }


def main() -> None:
    run = start("latent_tagger", __doc__)
    ways: dict[str, int | None] = {PLAIN: None, **{str(m): m for m in STATES}}
    found = {
        language: {
            name: run.remember(f"{language}, {name}", measured, language, m) for name, m in ways.items()
        }
        for language in (("de",) if run.quick else TREEBANKS)
    }  # fmt: skip
    rows = [
        [language, f"{of[PLAIN]['n_train']:,}", *(f"{of[name]['all']:.1f}" for name in ways)]
        for language, of in found.items()
    ]
    means = {
        kind: {name: float(np.mean([of[name][kind] for of in found.values()])) for name in ways}
        for kind in ("all", "unseen")
    }
    rows.append(["mean", "", *(f"{means['all'][name]:.1f}" for name in ways)])
    rows.append(["mean, unseen words", "", *(f"{means['unseen'][name]:.1f}" for name in ways)])
    large = found.get("en", found["de"])["8" if "8" in ways else PLAIN]
    run.write(
        "Supervised tagging with hidden states (Cohen et al. 2012, section 8)",
        f"""Tagging accuracy in percent (UPOS). *Plain* is a hidden Markov model estimated from tagged
        text, `firth.SupervisedTagger`; the other columns are `firth.LatentTagger`, the same model
        with up to so many hidden states for each tag. With one state, it differs from the plain model
        only in that it also knows which tags end a sentence. English and French are learned from
        training data and measured on development data; the other treebanks are learned from
        development data and measured on test data. The smoothing constants were chosen on German,
        Spanish, Japanese and English, with the roles of development and test data exchanged where
        there is no training data. Learning from {large['n_train']:,.0f} tokens with 8 states takes
        {large['learning']:.0f} s of CPU time, and tagging {large['n_test']:,.0f} tokens
        {large['tagging']:.1f} s. The paper mentions such a tagger, without an experiment.""",
        table(["", "tokens", PLAIN, *(f"{m} state{'s' * (m > 1)}" for m in STATES)], rows),
        None,
        "data: the treebanks in `tags/`",
        [("Hidden states improve a supervised tagger: accuracy without and with 8 states, mean of 7 languages",
          "no experiment", f"{means['all'][PLAIN]:.1f} and {means['all']['8']:.1f}")],
    )  # fmt: skip


if __name__ == "__main__":
    main()
