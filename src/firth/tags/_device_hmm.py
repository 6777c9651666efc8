"""Forward, backward and Viterbi passes on a GPU, over thousands of sentences at once.

Sentences are sorted by length, the longest first, so that those that are not over after t words are the first ones. A
step is a matrix product over all of them. Numbers are in double precision and scaled at every step as in
``_hmm_kernels.py``, with the same rules for what is next to impossible; sums are in a fixed order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import Device
from firth.tags._observations import Observations

if TYPE_CHECKING:
    from firth.tags._hmm import HMM

__all__ = ["HINT", "DeviceModel"]

_NOTHING, _LEAST = 1e-280, 1e-290
"""As in the kernels: below the first, a state is given up; below the second, a sum is next to zero."""
_ROOM = 1 << 33
"""Bytes of the posteriors of some sentences; a sixteenth of the memory if that is less."""
_ROWS = 1 << 10
"""Rows of a product of two tall matrices that are summed at once."""
_PATHS = 1 << 27
"""Pairs of states that are compared at once."""
_BYTES = 28
"""Bytes for each token of a text while it is on a device."""
HINT = "Use fewer states or shorter sentences, or leave out --device."

Result = TypeVar("Result")
Tensor = Any
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Layout:
    """Some sentences on a device, word by word: the first words of all, the second ones of those that have two, ...

    Attributes
    ----------
    active : list of int
        The number of sentences that have each word.
    source : tensor of int64
        The place of each token in the text.
    symbols : tensor of int64
    order : tensor of int64
        The tokens sorted by symbol.
    used, counts : tensor of int64
        The symbols that occur, and how often.
    """

    active: list[int]
    source: Tensor
    symbols: Tensor
    order: Tensor
    used: Tensor
    counts: Tensor

    def steps(self) -> list[tuple[int, int]]:
        """The first and the last token of each step."""
        ends = np.cumsum(self.active).tolist()
        return [(end - n, end) for n, end in zip(self.active, ends, strict=True)]


def _layouts(observed: Observations, device: Device, width: int, room: int) -> list[_Layout]:
    """The sentences that are not empty, in parts whose posteriors take ``room``; kept with the observations."""
    torch, key = device.torch, (str(device.where), width, room)
    if key not in observed.layouts:
        if (needed := _BYTES * len(observed)) > device.memory()[0]:
            hint = f"About {device.fitting(_BYTES)} tokens would fit: use less text, or leave out --device."
            raise device.too_small(f"a text of {len(observed):,} tokens", hint, needed)
        lengths = np.diff(observed.ends, prepend=0)
        order = np.argsort(-lengths, kind="stable")
        order = order[lengths[order] > 0]
        parts = (np.cumsum(lengths[order]) - 1) * 8 * width // max(room, 1)
        all_symbols = device.put(observed.symbols)
        found = []
        for some in np.split(order, np.flatnonzero(np.diff(parts)) + 1) if len(order) else []:
            here = device.put(lengths[some])
            begins = device.put(observed.ends[some] - lengths[some])
            place = torch.arange(int(here.sum()), device=device.where)
            place -= (here.cumsum(0) - here).repeat_interleave(here)
            first = place.argsort(stable=True)
            source = (begins.repeat_interleave(here) + place)[first]
            symbols = all_symbols[source].long()
            by_symbol = symbols.argsort(stable=True)
            used, counts = symbols[by_symbol].unique_consecutive(return_counts=True)
            active = torch.bincount(place).tolist()
            found.append(_Layout(active, source, symbols, by_symbol, used, counts))
        observed.layouts.clear()
        observed.layouts[key] = found
    kept: list[_Layout] = observed.layouts[key]
    return kept


class DeviceModel:
    """A hidden Markov model on a device.

    Parameters
    ----------
    device : Device
    initial, transition, emission : tensor of float64
        As in ``HMM``.
    room : int, optional
        How many bytes the posteriors of a part of the sentences may take.
    """

    def __init__(
        self, device: Device, initial: Tensor, transition: Tensor, emission: Tensor, room: int | None = None
    ) -> None:  # fmt: skip
        self.device, self.initial = device, initial
        self.transition, self.emission = transition, emission
        # not what is free now, so that sums are the same the next time
        self._room = min(_ROOM, device.memory()[1] // 16) if room is None else room

    @classmethod
    def of(cls, hmm: HMM, device: Device) -> DeviceModel:
        arrays = hmm.initial, hmm.transition, hmm.emission
        with device.within_memory("a hidden Markov model", HINT, sum(x.nbytes for x in arrays)):
            return cls(device, *map(device.put, arrays))

    def arrays(self) -> tuple[Floats, Floats, Floats]:
        """The parameters as arrays of this process."""
        found = map(self.device.get, (self.initial, self.transition, self.emission))
        return tuple(found)  # type: ignore[return-value]

    def _of_all(
        self, observed: Observations, work: Callable[[Iterator[_Layout]], Result]
    ) -> Result:
        """What a function returns for all sentences; if memory is full, for smaller parts of them."""
        while (found := self.device.unless_full(lambda: work(self._layouts(observed)))) is None:
            observed.layouts.clear()
            if not self._room:  # a sentence at a time was too much
                longest = np.diff(observed.ends, prepend=0).max()
                what = f"a sentence of {longest:,} words with {len(self.initial):,} states"
                raise self.device.too_small(what, HINT)
            self._room //= 2
        return found[0]

    def _layouts(self, observed: Observations) -> Iterator[_Layout]:
        for layout in _layouts(observed, self.device, len(self.initial), self._room):
            progress.check_interrupted()
            yield layout

    def expect(self, observed: Observations) -> tuple[Tensor, Tensor, Tensor, float]:
        """Expected numbers of beginnings, steps and emissions, and the log-likelihood, as ``HMM.expectations``."""
        return self._of_all(observed, self._expect)

    def _expect(self, layouts: Iterator[_Layout]) -> tuple[Tensor, Tensor, Tensor, float]:
        torch = self.device.torch
        starts, pairs, emitted = map(
            torch.zeros_like, (self.initial, self.transition, self.emission)
        )
        total = 0.0
        for layout in layouts:
            gammas, log = self.posteriors(layout, pairs)
            total += log
            starts += gammas[: layout.active[0]].sum(0)
            emitted[layout.used] += self.device.segment_sums(gammas[layout.order], layout.counts)
        return starts, pairs * self.transition, emitted, total

    def next(self, starts: Tensor, pairs: Tensor, emitted: Tensor) -> DeviceModel:
        """The model that the expected numbers make likely; a state that was never met stays as it is."""
        torch = self.device.torch
        rows = torch.where(pairs.sum(1, keepdim=True) > 0, pairs, self.transition)
        columns = torch.where(emitted.sum(0) > 0, emitted, self.emission)
        return DeviceModel(
            self.device, starts / starts.sum(), rows / rows.sum(1, keepdim=True), columns / columns.sum(0),
            self._room,
        )  # fmt: skip

    def posteriors(self, layout: _Layout, pairs: Tensor | None = None) -> tuple[Tensor, float]:
        """The probability of each state of each token, and the log-likelihood; adds to ``pairs`` what it needs."""
        torch, steps = self.device.torch, layout.steps()
        alphas, scales = self._forward(layout)
        zero, message = torch.zeros_like(self.initial), None
        for first, last in reversed(steps):
            alpha, scale = alphas[first:last], scales[first:last, None]
            beta = torch.ones_like(alpha)
            if message is not None:
                if pairs is not None:
                    pairs += self._tall_product(alpha[: len(message)], message)
                beta[: len(message)] = message @ self.transition.T
            # states that were given up send nothing
            beta = torch.where(alpha > 0, beta, zero)
            emitted = self.emission[layout.symbols[first:last]]
            message = torch.where(
                scale > 0, emitted * beta / torch.where(scale > 0, scale, 1.0), beta
            )
            alpha *= beta
            sums = alpha.sum(1, keepdim=True)
            alpha *= torch.where(sums > _LEAST, 1.0 / sums, 0.0)
        return alphas, float(scales.log().sum())

    def _forward(self, layout: _Layout) -> tuple[Tensor, Tensor]:
        """The probability of each state given what came so far, and the scale of each token."""
        torch, n = self.device.torch, len(layout.symbols)
        alphas = torch.empty((n, len(self.initial)), dtype=torch.float64, device=self.device.where)
        scales = torch.empty(n, dtype=torch.float64, device=self.device.where)
        before = None
        for first, last in layout.steps():
            after = alphas[first:last]
            if before is None:
                after[:] = self.initial
            else:
                torch.matmul(before[: last - first], self.transition, out=after)
            after *= after > _NOTHING
            emitted = after * self.emission[layout.symbols[first:last]]
            total = emitted.sum(1, keepdim=True)
            possible = total > _LEAST
            emitted /= torch.where(possible, total, 1.0)
            emitted *= emitted > _NOTHING
            # an impossible symbol is passed over
            after[:] = torch.where(possible, emitted, after / after.sum(1, keepdim=True))
            scales[first:last] = torch.where(possible, total, 0.0)[:, 0]
            before = after
        return alphas, scales

    def _tall_product(self, first: Tensor, second: Tensor) -> Tensor:
        """firstᵀ · second, of many rows."""
        whole = len(first) // _ROWS * _ROWS
        found = first[whole:].T @ second[whole:]
        if whole:
            parts = [x[:whole].unflatten(0, (-1, _ROWS)) for x in (first, second)]
            found += (parts[0].transpose(1, 2) @ parts[1]).sum(0)
        return found

    # Decoding -------------------------------------------------------------------------------------------

    def likelihood(self, observed: Observations) -> float:
        def work(layouts: Iterator[_Layout]) -> float:
            return sum((float(self._forward(layout)[1].log().sum()) for layout in layouts), 0.0)

        return self._of_all(observed, work)

    def all_posteriors(self, observed: Observations) -> Floats:
        """The probability of each state of each token, in the order of the text."""
        found = np.empty((len(observed), len(self.initial)))

        def work(layouts: Iterator[_Layout]) -> Floats:
            for layout in layouts:
                found[self.device.get(layout.source)] = self.device.get(self.posteriors(layout)[0])
            return found

        return self._of_all(observed, work)

    def decode(self, observed: Observations, how: str) -> npt.NDArray[np.int32]:
        """The state of each token, by its posterior or by Viterbi."""
        states = np.empty(len(observed), np.int32)

        def work(layouts: Iterator[_Layout]) -> npt.NDArray[np.int32]:
            for layout in layouts:
                is_viterbi = how == "viterbi"
                found = (
                    self._viterbi(layout) if is_viterbi else self.posteriors(layout)[0].argmax(1)
                )
                states[self.device.get(layout.source)] = self.device.get(found)
            return states

        return self._of_all(observed, work)

    def _viterbi(self, layout: _Layout) -> Tensor:
        torch, m = self.device.torch, len(self.initial)
        initial, transition = self.initial.log(), self.transition.log()
        came_from: list[Tensor] = []
        last_of: list[Tensor] = []
        best: Tensor = None
        for first, last in layout.steps():
            n = last - first
            if best is None:
                best = initial.expand(n, m)
                came_from.append(None)
            else:
                last_of.append(best[n:].argmax(1))
                best, pointers = self._following(best[:n], transition)
                came_from.append(pointers)
            emitted = best + self.emission[layout.symbols[first:last]].log()
            best = torch.where((emitted > -torch.inf).any(1, keepdim=True), emitted, best)
        last_of.append(best.argmax(1))
        states = torch.empty_like(layout.symbols)
        state = last_of.pop()
        for (first, last), pointers in zip(
            reversed(layout.steps()), reversed(came_from), strict=True
        ):
            states[first:last] = state
            if pointers is not None:
                state = pointers.gather(1, state[:, None])[:, 0].long()
                state = torch.cat([state, last_of.pop()])
        return states

    def _following(self, best: Tensor, transition: Tensor) -> tuple[Tensor, Tensor]:
        """The value of the best way to each state, and where it comes from: the first of equal ones."""
        torch, size = self.device.torch, max(1, _PATHS // transition.numel())
        found = [(some[:, :, None] + transition).max(1) for some in best.split(size)]
        # states are few, so that where they come from takes little room
        kind = torch.int16 if len(transition) < 1 << 15 else torch.int32
        return torch.cat([x[0] for x in found]), torch.cat([x[1].to(kind) for x in found])
