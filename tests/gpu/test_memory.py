"""Memory of a device: work is done in smaller parts or ends with an error of Firth, and everything is given back."""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.sparse import random_array

from firth.classes._ward import ward
from firth.cluster import linkage
from firth.cluster._device_means import DeviceMeans
from firth.compute import Engine
from firth.errors import FirthError
from firth.grammar import random_plain_grammar, reestimate
from firth.grammar._device_parser import DeviceParser
from firth.maps import affinities, layout, nearest_neighbours, principal_positions
from firth.tags import HMM, Observations, baum_welch
from firth.vectors import WordVectors
from tests.gpu.pretended import PretendedDevice
from tests.gpu.test_decomposition import decomposed
from tests.gpu.test_grammar import sampled
from tests.gpu.test_hmm import texts
from tests.gpu.test_neighbours import unit_vectors
from tests.gpu.test_trees import unit_rows
from tests.oracles import hmm as oracle

Work = Callable[[Engine], Any]
WORK: dict[str, Work] = {}
ENOUGH: dict[str, float] = {}
"""The share of the memory with which work is done in smaller parts; 1 if it must be done as a whole."""
parser_of = cache(sampled)


def work(enough: float = 1.0) -> Callable[[Work], Work]:
    def add(function: Work) -> Work:
        WORK[function.__name__], ENOUGH[function.__name__] = function, enough
        return function

    return add


@work(0.05)
def neighbours(engine: Engine) -> Any:
    return nearest_neighbours(unit_vectors(700, 10), 4, engine)


@work(0.05)
def analogies(engine: Engine) -> Any:
    vectors = WordVectors.from_arrays([f"w{k}" for k in range(500)], unit_vectors(500, 12))
    return vectors.answers(
        np.random.default_rng(4).integers(0, 500, (300, 3)), "mul", threads=engine
    )


@work()
def decomposition(engine: Engine) -> Any:
    matrix = random_array((700, 600), density=0.1, rng=np.random.default_rng(2))
    return decomposed(matrix, 20, 0.05, engine, half=True).values


@work()
def k_means(engine: Engine) -> Any:
    rows = np.random.default_rng(0).normal(size=(400, 5))
    return DeviceMeans(rows, engine).fit("k-means++", 9, 1, 20, 0.0, np.random.RandomState(0))[:2]


def model_of(engine: Engine) -> tuple[HMM, Observations]:
    return HMM(*oracle.random_model(5, 20, 3), engine), Observations.of(texts(60, 20, 4, 30), 20)


@work(0.6)
def learning_states(engine: Engine) -> Any:
    model, observed = model_of(engine)
    found, likelihoods = baum_welch(model, observed, rounds=2, tolerance=0.0)
    return found.initial, found.transition, found.emission, likelihoods


@work(0.8)
def finding_states(engine: Engine) -> Any:
    model, observed = model_of(engine)
    return model.decode_all(observed, "viterbi"), model.decode_all(observed, "posterior")


@work(0.8)
def parsing(engine: Engine) -> Any:
    assert engine.device is not None
    parser, sentences = parser_of(1)
    leaves = [parser.leaves(words) for words in sentences[:16]]
    found = dict(DeviceParser(parser, engine.device).best(leaves))
    return [(found[k] and found[k][1]) or 0.0 for k in range(len(leaves))]  # type: ignore[index]


@work(0.2)
def learning_rules(engine: Engine) -> Any:
    rng = np.random.default_rng(0)
    sentences = [rng.integers(0, 3, rng.integers(1, 9)).tolist() for _ in range(30)]
    found = reestimate(random_plain_grammar(2, 2, 3, 0), sentences, rounds=2, device=engine.device)
    return found.grammar.p, found.log_likelihoods


@work(0.6)
def a_map(engine: Engine) -> Any:
    unit = unit_vectors(3100, 12)
    start = principal_positions(unit, engine)
    others = np.random.default_rng(0).choice(np.arange(1, 3100), 60, replace=False)
    ids = ((np.arange(3100)[:, None] + others) % 3100).astype(np.int32)
    pairs = affinities(ids, np.ones((3100, 60), np.float32), 3, engine)
    return np.abs(start), layout(pairs, 1000 * start, 2, 1, threads=engine)


@work(0.2)
def group_average(engine: Engine) -> Any:
    return linkage(unit_rows(60, 4, 0), threads=engine)


@work(0.4)
def windowed_ward(engine: Engine) -> Any:
    return ward(np.random.default_rng(0).normal(size=(400, 8)).astype(np.float32), 20, engine)[:2]


class Lab:
    """A device of its own, and what work finds if there is plenty of memory."""

    def __init__(self, name: str) -> None:
        self.device = PretendedDevice()
        self.run: Callable[[], Any] = lambda: WORK[name](Engine(1, device=self.device))
        memory, before = self.device.memory_used, self.device.memory_used.n_allocations
        with self.device.room():
            self.expected = self.run()
        self.peak, self.n_allocations = memory.peak, memory.n_allocations - before
        assert not memory.used

    def succeeds(self, **room: int) -> bool:
        """Whether work has the same result; if not, it says that memory is too small."""
        found: Any = None
        told: Any = None
        gc.disable()  # what fails must be given back at once
        try:
            with self.device.room(**room):
                found = self.run()
        except FirthError as error:
            told = error.message, error.hint
        finally:
            gc.enable()
        assert not self.device.memory_used.used
        if told is not None:
            assert "memory of a pretended GPU is too small" in told[0]
            assert told[1]
            return False
        for one, other in zip(found, self.expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-9)
        return True


@pytest.mark.parametrize("name", WORK)
def test_little_memory(name: str) -> None:
    lab = Lab(name)
    shares = (1.0, 0.8, 0.6, 0.4, 0.2, 0.05, 0.0)
    done = [lab.succeeds(capacity=int(share * lab.peak)) for share in shares]
    assert not done[-1]
    assert ENOUGH[name] == 1 or done[shares.index(ENOUGH[name])]
    assert sorted(done, reverse=True) == done, "what is possible is possible with more memory"


@pytest.mark.parametrize("name", WORK)
def test_any_allocation_can_fail(name: str) -> None:
    lab = Lab(name)
    places = np.unique(np.geomspace(1, lab.n_allocations, 14).astype(int))
    done = [lab.succeeds(fails_at=int(k)) for k in places]
    assert ENOUGH[name] == 1 or any(done)
