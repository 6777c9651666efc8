"""Hidden Markov models over numbered symbols: sampling, probabilities, the states behind a sequence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import Engine, engine_for
from firth.errors import ParameterError, check_choice, check_count, wrong_parameter
from firth.tags._observations import Observations
from firth.tags._parameters import DECODES

if TYPE_CHECKING:
    from firth.tags._device_hmm import DeviceModel
    from firth.tags._forward_backward import Passes

__all__ = ["DECODERS", "HMM", "normalised"]

DECODERS = tuple(name for name in DECODES if name != "type")
"""The ways to choose states that look at the whole sequence."""

Floats = npt.NDArray[np.float64]
Sequences = Iterable[Sequence[int] | npt.NDArray[Any]]
Found = TypeVar("Found")


class HMM:
    """A hidden Markov model of sequences of symbols.

    A state is drawn, emits a symbol, and is followed by another; nothing is said about lengths. Sums
    are scaled at every step, so that sequences may be long; a state that has become less probable than
    1e-280, given what came so far, is given up. A symbol that no state can emit makes the
    likelihood zero, but the states of the rest of the sequence are still told.

    Parameters
    ----------
    initial : array of shape (n_states,)
        The probability of each state at the beginning.
    transition : array of shape (n_states, n_states)
        The probability of the state of the column after that of the row.
    emission : array of shape (n_symbols, n_states)
        The probability of the symbol of the row, given the state of the column.
    threads : int, optional
        All cores by default. Results do not depend on it.
    device : str
        ``cpu``, or a GPU: ``cuda``, or ``cuda:1`` for the second one. The same results up to rounding.

    Examples
    --------
    >>> import firth
    >>> weather = firth.HMM(
    ...     initial=[0.5, 0.5],
    ...     transition=[[0.9, 0.1], [0.2, 0.8]],
    ...     emission=[[0.8, 0.1], [0.2, 0.9]],
    ... )
    >>> weather.viterbi([0, 0, 1, 1, 1]).tolist()
    [0, 0, 1, 1, 1]
    >>> round(weather.score([[0, 0, 1]]), 4)
    -2.4534
    """

    def __init__(
        self,
        initial: npt.ArrayLike,
        transition: npt.ArrayLike,
        emission: npt.ArrayLike,
        threads: int | Engine | None = None,
        device: str = "cpu",
    ) -> None:
        self.initial: Floats = _probabilities("initial", initial, 1)
        self.transition: Floats = _probabilities("transition", transition, 2)
        self.emission: Floats = _probabilities("emission", emission, 2)
        self.threads = threads if device == "cpu" else engine_for("HMM", threads, device)
        m = len(self.initial)
        if not m or self.transition.shape != (m, m) or self.emission.shape[1] != m:
            raise ParameterError(
                f"HMM: {m} initial probabilities, transitions of shape {self.transition.shape} and "
                f"emissions of shape {self.emission.shape} do not fit together.",
                "Transitions have a row and a column for each state, emissions a row for each symbol.",
            )
        for name, sums in (
            ("initial", self.initial.sum()),
            ("transition", self.transition.sum(axis=1)),
            ("emission", self.emission.sum(axis=0)),
        ):
            if np.abs(sums - 1).max() > 1e-6:
                raise ParameterError(
                    f"HMM: the probabilities in {name} must add up to 1 for each state.",
                    "Rows of transition add up to 1, and columns of emission.",
                )

    def __repr__(self) -> str:
        return f"<HMM of {self.n_states} states and {self.n_symbols:,} symbols>"

    @property
    def n_states(self) -> int:
        return len(self.initial)

    @property
    def n_symbols(self) -> int:
        return len(self.emission)

    def sample(
        self, n: int, length: int | Sequence[int] = 10, seed: int = 0
    ) -> tuple[list[npt.NDArray[np.int32]], list[npt.NDArray[np.int32]]]:
        """Draw sequences.

        Parameters
        ----------
        n : int
            How many.
        length : int or sequence of int
            Of all of them, or of each.
        seed : int

        Returns
        -------
        symbols, states : list of arrays
        """
        check_count("HMM.sample", "n", n)
        check_count("HMM.sample", "seed", seed, least=0)
        lengths = _lengths(length, n)
        rng = np.random.default_rng(seed)
        longest = int(lengths.max())
        states = np.zeros((longest, n), np.int32)
        symbols = np.zeros((longest, n), np.int32)
        steps, emitted = _cumulated(self.transition), _cumulated(self.emission.T)
        first = _cumulated(self.initial[None])
        for t in range(longest):
            before = states[t - 1] if t else np.zeros(n, np.int32)
            states[t] = _draw(steps if t else first, before, rng)
            symbols[t] = _draw(emitted, states[t], rng)
        cut = [(symbols[:end, k], states[:end, k]) for k, end in enumerate(lengths)]
        return [x.copy() for x, _ in cut], [h.copy() for _, h in cut]

    def score(self, sequences: Sequences) -> float:
        """The logarithm of the probability of some sequences, given their lengths."""
        observed = self._observations(sequences)
        if (on_device := self._on_device()) is not None:
            return on_device.likelihood(observed)

        def work(kernel: Passes, first: int, last: int) -> float:
            return float(kernel.posteriors(observed, first, last)[1])

        return sum(self._in_pieces(observed, work), 0.0)

    def posteriors(self, sequence: Sequence[int] | npt.NDArray[Any]) -> Floats:
        """The probability of each state at each place of a sequence, given all of it."""
        observed = self._observations([sequence])
        if not len(observed):
            return np.empty((0, self.n_states))
        if (on_device := self._on_device()) is not None:
            return on_device.all_posteriors(observed)
        found: Floats = self._passes().posteriors(observed, 0, 1)[0][:, : self.n_states]
        return found

    def decode(self, sequence: Sequence[int] | npt.NDArray[Any]) -> npt.NDArray[np.int32]:
        """The most probable state at each place of a sequence."""
        return self.decode_all(self._observations([sequence]))

    def viterbi(self, sequence: Sequence[int] | npt.NDArray[Any]) -> npt.NDArray[np.int32]:
        """The most probable sequence of states behind a sequence."""
        return self.decode_all(self._observations([sequence]), "viterbi")

    def decode_all(self, observed: Observations, how: str = "posterior") -> npt.NDArray[np.int32]:
        """The states of all tokens of some sentences, by ``decode`` or by ``viterbi``."""
        check_choice("HMM", "how", how, DECODERS)
        if (on_device := self._on_device()) is not None:
            return on_device.decode(observed, how)

        def work(kernel: Passes, first: int, last: int) -> npt.NDArray[np.int32]:
            states: npt.NDArray[np.int32] = getattr(kernel, how)(observed, first, last)
            return states

        found = self._in_pieces(observed, work)
        return np.concatenate([np.empty(0, np.int32), *found])

    def expectations(
        self, observed: Observations, stage: progress.Stage | None = None
    ) -> tuple[Floats, Floats, Floats, float]:
        """Expected numbers of beginnings, steps and emissions, and the log-likelihood: a step of Baum-Welch."""
        if (on_device := self._on_device()) is not None:
            *numbers, likelihood = on_device.expect(observed)
            if stage is not None:
                stage.advance(len(observed))
            first, steps, all_emitted = map(on_device.device.get, numbers)
            return first, steps, all_emitted, likelihood
        from firth.tags._forward_backward import scatter

        m, n_symbols = self.n_states, self.n_symbols
        starts, pairs, emitted = np.zeros(m), np.zeros((m, m)), np.zeros((n_symbols, m))
        total = 0.0

        def work(kernel: Passes, first: int, last: int) -> Any:
            return (*kernel.expect(observed, first, last), first, last)

        def add(found: Any) -> None:
            nonlocal total
            gammas, of_pairs, of_starts, likelihood, first, last = found
            begin, end = observed.bounds(first, last)
            scatter(observed.symbols[begin:end], gammas, emitted)
            pairs[:] += of_pairs[:m, :m]
            starts[:] += of_starts[:m]
            total += likelihood
            if stage is not None:
                stage.advance(end - begin)

        self._in_pieces(observed, work, add)
        return starts, pairs * self.transition, emitted, total

    def _observations(self, sequences: Sequences) -> Observations:
        return Observations.of(sequences, self.n_symbols)

    def _passes(self) -> Passes:
        from firth.tags._forward_backward import (
            Passes,
        )  # compiled code is loaded when there is something to do

        return Passes(self)

    def _on_device(self) -> DeviceModel | None:
        """This model on the GPU, if there is one."""
        device = engine_for("HMM", self.threads).device
        if device is None:
            return None
        from firth.tags._device_hmm import DeviceModel

        return DeviceModel.of(self, device)

    def _in_pieces(
        self,
        observed: Observations,
        work: Callable[[Passes, int, int], Found],
        use: Callable[[Found], None] | None = None,
    ) -> list[Found]:
        """Do something for stretches of sentences side by side; what is found comes in order."""
        prepared = self._passes()
        engine = engine_for("HMM", self.threads)
        found = engine.map(lambda piece: work(prepared, *piece), observed.pieces())
        if use is None:
            return list(found)
        for one in found:
            use(one)
        return []


def _probabilities(name: str, values: npt.ArrayLike, n_axes: int) -> Floats:
    """An array of numbers that can be probabilities."""
    try:
        array = np.ascontiguousarray(values, np.float64)
    except (TypeError, ValueError):
        array = np.full((1,) * n_axes, np.nan)
    if array.ndim != n_axes or not np.isfinite(array).all() or array.min(initial=0) < 0:
        raise ParameterError(
            f"HMM: {name} must be an array of probabilities with {n_axes} "
            f"{'axis' if n_axes == 1 else 'axes'}."
        )
    return array


def normalised(sums: Floats, axis: int) -> Floats:
    """Sums made to add up to one along an axis; alike where all of them are zero."""
    totals = sums.sum(axis=axis, keepdims=True)
    return np.where(totals > 0, sums / np.where(totals > 0, totals, 1), 1 / sums.shape[axis])


def _lengths(length: Any, n: int) -> npt.NDArray[np.int64]:
    """The length of each of some sequences."""
    try:
        given = np.asarray(length)
    except ValueError:  # lists of different lengths
        given = np.empty(0)
    if given.dtype.kind not in "iu" or given.shape not in ((), (n,)) or given.min() < 0:
        raise wrong_parameter("HMM.sample", "length", "a whole number, or one for each", length)
    return np.broadcast_to(given.astype(np.int64), n)


def _cumulated(rows: Floats) -> Floats:
    sums = np.cumsum(rows, axis=1)
    return sums / sums[:, -1:]


def _draw(
    cumulated: Floats, rows: npt.NDArray[np.int32], rng: np.random.Generator
) -> npt.NDArray[np.int32]:
    """A number for each of some rows of cumulated probabilities."""
    drawn = rng.random(len(rows))
    out = np.empty(len(rows), np.int32)
    for row in np.unique(rows):
        here = rows == row
        out[here] = np.searchsorted(cumulated[row], drawn[here], side="right")
    return np.asarray(np.minimum(out, cumulated.shape[1] - 1), np.int32)
