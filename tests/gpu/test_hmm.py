"""Hidden Markov models on a device: against sums over all sequences of states, and against the CPU."""

from __future__ import annotations

import numpy as np
import pytest

from firth.compute import Device, Engine
from firth.errors import FirthError
from firth.tags import HMM, Observations, baum_welch
from firth.tags import _device_hmm as on_device_hmm
from firth.tags._device_hmm import DeviceModel
from tests.gpu.conftest import full_above
from tests.oracles import hmm as oracle


def both(model: oracle.Model, engine: Engine) -> tuple[HMM, HMM]:
    """The same model on the device and on the CPU."""
    return HMM(*model, engine), HMM(*model, threads=1)


def texts(n: int, n_symbols: int, seed: int, longest: int = 12) -> list[list[int]]:
    rng = np.random.default_rng(seed)
    return [rng.integers(0, n_symbols, rng.integers(0, longest)).tolist() for _ in range(n)]


@pytest.mark.parametrize("zeros", [0.0, 0.5])
@pytest.mark.parametrize("seed", range(4))
def test_all_sequences_of_states(on_device: Engine, seed: int, zeros: float) -> None:
    """Also where symbols are impossible and passed over, and with empty sentences."""
    model = oracle.random_model(3, 4, seed, zeros)
    sentences = [*texts(8, 4, seed, 6), [], [0]]
    here, _ = both(model, on_device)
    expected = oracle.expectations(model, sentences)
    found = here.expectations(Observations.of(sentences, 4))
    np.testing.assert_allclose(found[0], expected.starts, atol=1e-12)
    np.testing.assert_allclose(found[1], expected.pairs, atol=1e-12)
    np.testing.assert_allclose(found[2], expected.emitted, atol=1e-12)
    assert found[3] == pytest.approx(expected.likelihood, rel=1e-12)
    assert here.score(sentences) == pytest.approx(expected.likelihood, rel=1e-12)
    for symbols in sentences:
        if symbols:
            np.testing.assert_allclose(
                here.posteriors(symbols), oracle.posteriors(model, symbols), atol=1e-12
            )


@pytest.mark.parametrize("how", ["posterior", "viterbi"])
@pytest.mark.parametrize("zeros", [0.0, 0.4])
def test_states_as_on_the_cpu(on_device: Engine, how: str, zeros: float) -> None:
    model = oracle.random_model(7, 30, 1, zeros)
    observed = Observations.of(texts(200, 30, 2, 40), 30)
    here, there = both(model, on_device)
    np.testing.assert_array_equal(here.decode_all(observed, how), there.decode_all(observed, how))


def test_no_text(on_device: Engine) -> None:
    here, _ = both(oracle.random_model(3, 4, 0), on_device)
    nothing = Observations.of([[], []], 4)
    assert not len(here.decode_all(nothing))
    assert here.expectations(nothing)[3] == 0
    assert here.score([]) == 0


@pytest.mark.parametrize("room", [1, 1 << 12, 1 << 33])
def test_baum_welch(on_device: Engine, room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same models and likelihoods as on the CPU, however little fits into memory."""
    monkeypatch.setattr(on_device_hmm, "_ROOM", room)
    model = oracle.random_model(5, 20, 3)
    observed = Observations.of(texts(150, 20, 4, 30), 20)
    here, there = both(model, on_device)
    moved, likelihoods = baum_welch(here, observed, rounds=5, tolerance=0.0)
    plain, expected = baum_welch(there, observed, rounds=5, tolerance=0.0)
    np.testing.assert_allclose(likelihoods, expected, rtol=1e-12)
    for name in ("initial", "transition", "emission"):
        np.testing.assert_allclose(
            getattr(moved, name), getattr(plain, name), rtol=1e-8, atol=1e-12
        )
    assert baum_welch(here, observed, rounds=50, tolerance=0.01)[1][-1] == pytest.approx(
        baum_welch(there, observed, rounds=50, tolerance=0.01)[1][-1], rel=1e-12
    )


def test_full_memory(on_device: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sentences are done in smaller parts, down to one at a time; then there is an error."""
    model, device = oracle.random_model(5, 20, 3), on_device.device
    assert device is not None
    observed = Observations.of([*texts(60, 20, 4, 30), list(range(20))], 20)
    here, there = both(model, on_device)
    longest, tokens = int(np.diff(observed.ends, prepend=0).max()), len(observed)
    sizes = full_above(
        monkeypatch, device, DeviceModel, "_forward", longest, lambda _, some: len(some.symbols)
    )
    moved, likelihoods = baum_welch(here, observed, rounds=3, tolerance=0.0)
    assert sizes[0] == tokens
    assert sum(size > longest for size in sizes) < 60, "later rounds begin with what has fitted"
    monkeypatch.undo()
    plain, expected = baum_welch(there, observed, rounds=3, tolerance=0.0)
    np.testing.assert_allclose(likelihoods, expected, rtol=1e-12)
    np.testing.assert_allclose(moved.transition, plain.transition, rtol=1e-9, atol=1e-12)
    full_above(
        monkeypatch, device, DeviceModel, "_forward", longest - 1, lambda _, some: len(some.symbols)
    )
    for work in (
        lambda: here.decode_all(observed, "posterior"),
        lambda: here.decode_all(Observations.of([[1] * longest], 20), "posterior"),
        lambda: here.expectations(observed),
        lambda: here.score([[k % 20 for k in range(longest)]]),
        lambda: here.posteriors(list(range(20)) * 2),
    ):
        with pytest.raises(FirthError, match=r"too small: a sentence of \d\d words with 5 states"):
            work()


def test_a_state_that_is_never_met(on_device: Engine) -> None:
    """It stays as it is."""
    model = oracle.Model(np.array([1.0, 0.0]), np.eye(2), np.array([[0.5, 0.25], [0.5, 0.75]]))
    here, there = both(model, on_device)
    observed = Observations.of([[0, 1, 1], [1]], 2)
    moved, _ = baum_welch(here, observed, rounds=2, tolerance=0.0)
    plain, _ = baum_welch(there, observed, rounds=2, tolerance=0.0)
    np.testing.assert_allclose(moved.emission, plain.emission, atol=1e-12)
    np.testing.assert_allclose(moved.transition, plain.transition, atol=1e-12)


def test_two_runs_are_the_same(on_device: Engine) -> None:
    """Sums have a fixed order."""
    model = oracle.random_model(6, 15, 5)
    observed = Observations.of(texts(400, 15, 6, 30), 15)
    first, second = (both(model, on_device)[0].expectations(observed) for _ in range(2))
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_text_that_does_not_fit(on_device: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is on the device as a whole, so parts would not help."""
    here, _ = both(oracle.random_model(3, 4, 0), on_device)
    monkeypatch.setattr(Device, "memory", lambda _: (2800, 8000))
    words = "a text of 200 tokens needs about 5.6 kB, and 2.8 kB of 8 kB.*About 100 tokens"
    with pytest.raises(FirthError, match=words):
        here.expectations(Observations.of([[1] * 100] * 2, 4))


def test_segment_sums(device: Device) -> None:
    rng = np.random.default_rng(0)
    counts = np.array([1, 5, 64, 65, 1000, 5000, 1])
    rows = rng.random((counts.sum(), 3))
    found = device.get(device.segment_sums(device.put(rows), device.put(counts)))
    np.testing.assert_allclose(found, np.add.reduceat(rows, np.cumsum(counts) - counts), rtol=1e-12)
