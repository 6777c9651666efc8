"""Hidden Markov models of maximal likelihood, by EM (Baum and Welch)."""

from __future__ import annotations

from typing import Self

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import Device, Engine, engine_for
from firth.corpus import Corpus
from firth.tags._fitting import LikelihoodTagger
from firth.tags._hmm import HMM, normalised
from firth.tags._observations import Observations
from firth.tags._parameters import BaumWelchParameters
from firth.tags._spelling import SpellingGroups

__all__ = ["BaumWelchTagger", "baum_welch", "random_hmm"]

Floats = npt.NDArray[np.float64]


def random_hmm(
    n_states: int, frequencies: npt.ArrayLike, seed: int, threads: int | Engine | None = None
) -> HMM:
    """A model to begin with: all states nearly alike, each emitting symbols nearly as frequent as they are."""
    rng = np.random.default_rng(seed)
    weights = np.asarray(frequencies, np.float64)
    emission = weights[:, None] * rng.uniform(0.5, 1.5, (len(weights), n_states))
    initial, transition = (
        rng.uniform(0.5, 1.5, n_states),
        rng.uniform(0.5, 1.5, (n_states, n_states)),
    )
    return HMM(normalised(initial, 0), normalised(transition, 1), normalised(emission, 0), threads)


def baum_welch(
    hmm: HMM, observed: Observations, rounds: int = 100, tolerance: float = 1e-4
) -> tuple[HMM, list[float]]:
    """Make a model more likely, round by round (EM).

    Parameters
    ----------
    hmm : HMM
        Where to start. What is impossible there stays so.
    observed : Observations
    rounds : int
        The most rounds.
    tolerance : float
        The end comes where a round gains less than so many nats a token.

    Returns
    -------
    hmm : HMM
    likelihoods : list of float
        The log-likelihood before each round; it never falls.
    """
    device = engine_for("HMM", hmm.threads).device
    if device is not None:
        return _baum_welch_on(device, hmm, observed, rounds, tolerance)
    likelihoods: list[float] = []
    with progress.stage("Baum-Welch", float(rounds * len(observed)), "tokens") as stage:
        for _ in range(rounds):
            progress.check_interrupted()
            starts, pairs, emitted, likelihood = hmm.expectations(observed, stage)
            likelihoods.append(likelihood)
            if len(likelihoods) > 1 and likelihood - likelihoods[-2] < tolerance * len(observed):
                break
            # a state that was never met stays as it is
            rows = np.where(pairs.sum(axis=1, keepdims=True) > 0, pairs, hmm.transition)
            columns = np.where(emitted.sum(axis=0) > 0, emitted, hmm.emission)
            hmm = HMM(
                normalised(starts, 0), normalised(rows, 1), normalised(columns, 0), hmm.threads
            )
    return hmm, likelihoods


def _baum_welch_on(
    device: Device, hmm: HMM, observed: Observations, rounds: int, tolerance: float
) -> tuple[HMM, list[float]]:
    """The same on a GPU, where the model stays from round to round."""
    from firth.tags._device_hmm import HINT, DeviceModel

    model, likelihoods = DeviceModel.of(hmm, device), list[float]()
    with (
        progress.stage("Baum-Welch", float(rounds * len(observed)), "tokens") as stage,
        device.within_memory("a hidden Markov model", HINT),
    ):
        for _ in range(rounds):
            *numbers, likelihood = model.expect(observed)
            likelihoods.append(likelihood)
            stage.advance(len(observed))
            if len(likelihoods) > 1 and likelihood - likelihoods[-2] < tolerance * len(observed):
                break
            model = model.next(*numbers)
    return HMM(*model.arrays(), hmm.threads), likelihoods


class BaumWelchTagger(BaumWelchParameters, LikelihoodTagger):
    """A hidden Markov model trained with EM (Baum-Welch): the classical baseline.

    Attributes
    ----------
    likelihoods_ : list of float
        The log-likelihood of the text before each round.

    Examples
    --------
    >>> import firth
    >>> lines = ["the cat sees a dog", "a dog hears the cat", "the bird sees the dog", "a cat hears a bird"]
    >>> corpus = firth.Corpus.from_sentences([line.split() for line in lines])
    >>> tagger = BaumWelchTagger(n_tags=3, restarts=5).fit(corpus)
    >>> the, cat, sees, a, bird = tagger.tag([["the", "cat", "sees", "a", "bird"]])[0]
    >>> the == a, cat == bird
    (True, True)
    """

    def _fit(
        self, corpus: Corpus, observed: Observations, n: int, n_symbols: int, engine: Engine
    ) -> Self:
        counts = corpus.vocabulary.counts
        frequencies = np.append(counts[:n], counts[n:].sum())[:n_symbols]
        best, likelihoods = None, [-np.inf]
        engine = engine_for("BaumWelchTagger", engine, self.device)
        for k in range(self.restarts):
            start = random_hmm(self.n_tags, frequencies, self.seed + k, engine)
            found, told = baum_welch(start, observed, self.rounds, self.tolerance)
            if best is None or told[-1] > likelihoods[-1]:
                best, likelihoods = found, told
        assert best is not None  # noqa: S101
        self.likelihoods_ = likelihoods
        starts, pairs, emitted, _ = best.expectations(observed)
        facts = {"log_likelihood": likelihoods[-1], "rounds": len(likelihoods)}
        alike = SpellingGroups.learn(corpus.vocabulary.words[:n].to_pylist())
        return self._finish(corpus, normalised(emitted[:n], 1), starts, pairs, alike, facts)
