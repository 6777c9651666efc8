"""Which models a mixture consists of, and what each of them predicts from what."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from firth.lm._trees import Event
from firth.progress import count_of

__all__ = [
    "FEW_TOKENS",
    "MANY_TOKENS",
    "MOST_DISTANT",
    "Design",
    "designs_for",
    "expected_work",
    "read_design",
]

MOST_DISTANT = 5
"""The longest history, in words."""
FEW_TOKENS, MANY_TOKENS = 5_000_000, 20_000_000
"""Texts of more tokens than the first number have fewer models, and those of more than the second very few."""

_SECONDS = 0.2e-6

Kind = Literal["words", "classes", "predictive"]
Element = Literal["word", "class"]


@dataclass(frozen=True)
class Design:
    """A model: words from words, or a class from the history and then the word from its class.

    Attributes
    ----------
    kind : str
        ``words``: P(w | words). ``classes``: P(c | classes) P(w | c). ``predictive``: P(c | history)
        P(w | c, history), with classes and words in the history.
    history : tuple of (str, int)
        The elements of the history, nearest first: ``word`` or ``class``, and its distance.
    clustering : int, optional
        The number of the clustering.
    """

    kind: Kind
    history: tuple[tuple[Element, int], ...]
    clustering: int | None = None

    def events(self) -> tuple[Event, ...]:
        """What its trees predict; probabilities are multiplied."""
        if self.clustering is None:
            return (Event(0, None, tuple((0, distance) for _, distance in self.history)),)
        row = 1 + self.clustering
        history = tuple(
            (row if what == "class" else 0, distance) for what, distance in self.history
        )
        return (
            Event(row, None, history),
            Event(0, row, history if self.kind == "predictive" else ()),
        )

    @property
    def least(self) -> int:
        """How often histories of more than two words were seen at least."""
        return 2 if self.kind == "predictive" else 1

    def name(self, sizes: Sequence[int]) -> str:
        """What it is called; ``sizes`` has the number of classes of each clustering.

        Of several clusterings with as many classes, all but the first are numbered, so that names differ.
        """
        order = 1 + max((distance for _, distance in self.history), default=0)
        if self.clustering is None:
            return f"words, {order}-grams"
        n = sizes[self.clustering]
        number = list(sizes[: self.clustering + 1]).count(n)
        name = f"{n:,} class{'es' if n > 1 else ''}{f' ({number})' if number > 1 else ''}, {order}-grams"
        if self.kind == "predictive":
            name += " and words"
        missing = set(range(1, order)) - {distance for _, distance in self.history}
        return name + "".join(f" without word {k}" for k in sorted(missing))

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        history = [list(element) for element in self.history]
        return {"kind": self.kind, "history": history, "clustering": self.clustering}


def read_design(given: Any, n_clusterings: int) -> Design | None:
    """A design from what ``to_dict`` returned; None if it is not valid."""
    if not isinstance(given, dict) or set(given) != {"kind", "history", "clustering"}:
        return None
    kind, history, clustering = given["kind"], given["history"], given["clustering"]
    valid = (
        kind in get_args(Kind)
        and isinstance(history, list)
        and len(history) <= 2 * MOST_DISTANT
        and all(_is_element(element, kind) for element in history)
        and (clustering is None) == (kind == "words")
    )
    if valid and clustering is not None:
        valid = type(clustering) is int and 0 <= clustering < n_clusterings
    if not valid:
        return None
    return Design(kind, tuple((what, distance) for what, distance in history), clustering)


def _is_element(given: Any, kind: str) -> bool:
    allowed = {"words": ("word",), "classes": ("class",), "predictive": ("word", "class")}[kind]
    return (
        isinstance(given, list)
        and len(given) == 2
        and given[0] in allowed
        and type(given[1]) is int
        and 1 <= given[1] <= MOST_DISTANT
    )


def designs_for(
    order: int, class_order: int | None, n_clusterings: int, n_tokens: int
) -> list[Design]:
    """The models of a mixture.

    There is one of words, and for each clustering one of classes. Up to 20 million tokens, there is also
    one of classes and words for each clustering; up to 5 million, two more that skip a word, for the
    clustering in the middle.
    """
    longest = class_order or min(order + 1, MOST_DISTANT + 1)
    words = tuple(("word", k) for k in range(1, order))
    classes = tuple(("class", k) for k in range(1, longest))
    found = [Design("words", words)]  # type: ignore[arg-type]
    found += [Design("classes", classes, k) for k in range(n_clusterings)]  # type: ignore[arg-type]
    if order > 1 and n_tokens <= MANY_TOKENS:
        both = _mixed(range(1, order), 2)
        found += [Design("predictive", both, k) for k in range(n_clusterings)]
    if order > 3 and n_clusterings and n_tokens <= FEW_TOKENS:
        for distances in ([1, *range(3, order)], list(range(2, order))):
            found.append(Design("predictive", _mixed(distances, 3), (n_clusterings - 1) // 2))
    return found


def expected_work(designs: Sequence[Design], n_tokens: int, passes: int) -> str:
    """What will be learned, and about how long it takes on one core.

    Counting a token takes about as long in each level of each tree. The figure was measured with 1, 4 and 37
    million tokens on one machine, where it was 0.13 to 0.28 microseconds.
    """
    n_levels = sum(1 + len(event.history) for one in designs for event in one.events())
    minutes = math.ceil(_SECONDS * n_levels * n_tokens * passes / 60)
    n_clusterings = len({one.clustering for one in designs} - {None})
    of = f" of words and {count_of(n_clusterings, 'clustering')}" if n_clusterings else ""
    return (
        f"Learning {count_of(len(designs), 'model')}{of} from {count_of(n_tokens, 'token')}: "
        f"about {count_of(minutes, 'minute')} on one core."
    )


def _mixed(distances: Sequence[int], words: int) -> tuple[tuple[Element, int], ...]:
    """Classes at these distances, each with its word after it, up to some distance."""
    found: list[tuple[Element, int]] = []
    for distance in distances:
        found.append(("class", distance))
        if distance <= words:
            found.append(("word", distance))
    return tuple(found)
