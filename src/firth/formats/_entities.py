"""Entities written as labels of words: IOB1, IOB2, IOBES, BILOU.

A word outside all entities has the label ``O``, any other a prefix and the type of its entity, as
``B-PER``. (The type is what follows the first hyphen, and may have hyphens itself.)

===== ============================================================================================
iob1  ``I-`` for the words of an entity; ``B-`` for its first only where one of the same type ends
      just before
iob2  ``B-`` for the first word, ``I-`` for the others
iobes the same, but ``E-`` for the last of several words and ``S-`` for an only one
bilou as iobes, with ``L-`` for ``E-`` and ``U-`` for ``S-``
===== ============================================================================================
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

from firth.errors import InputError, check_choice

__all__ = [
    "SCHEMES",
    "Entity",
    "LabelFault",
    "Notation",
    "Scheme",
    "convert_labels",
    "detect_scheme",
    "entities",
    "examine",
    "is_label",
    "labels_of",
]

Scheme = Literal["iob1", "iob2", "iobes", "bilou"]
SCHEMES: tuple[str, ...] = get_args(Scheme)
"""The labelling schemes."""
OUTSIDE = "O"
A_LABEL = (
    "A label is O, or a prefix and a type, as B-PER; prefixes are B I, or B I E S, or B I L U."
)
_PREFIXES = {"iob1": "BI", "iob2": "BI", "iobes": "BIES", "bilou": "BILU"}
_KINDS = {"B": "B", "I": "I", "E": "E", "S": "S", "L": "E", "U": "S"}
_ENDS = {"iobes": ("E", "S"), "bilou": ("L", "U")}
_MOST_SLIPS = 0.01
"""The share of entities that may be against the rules of a notation: people have made the files."""
_ONE_NOTATION = "Correct the label, or write all of the file in one notation."

Sequences = Sequence[Sequence[str]]
Pair = tuple[str, str]
"""Two labels side by side; before and after a sentence there is an O."""


class Entity(NamedTuple):
    """Words from ``start`` to before ``end`` that name something of some type."""

    start: int
    end: int
    type: str


class Notation(NamedTuple):
    """What labels are in, and how many of them are against its rules."""

    scheme: str
    n_slips: int


class LabelFault(NamedTuple):
    """What is wrong with a label: where it is, both counted from 0, and in words."""

    sentence: int
    word: int
    what: str
    hint: str


def entities(labels: Sequence[str], scheme: str | None = None) -> list[Entity]:
    """The entities that the labels of a sentence tell of, whatever their notation.

    Labels that break the rules of their notation are read as by the official script of the CoNLL
    tasks, ``conlleval``: an entity begins with ``B-``, ``S-`` or ``U-``, after ``O``, after the end of
    another entity, and wherever the type changes.

    Parameters
    ----------
    labels : sequence of str
    scheme : str, optional
        One of ``SCHEMES``: labels must then have its prefixes.

    Returns
    -------
    list of Entity
        In order.

    Raises
    ------
    InputError
        What should be a label is none, or none of this scheme.

    Examples
    --------
    >>> entities(["I-PER", "I-PER", "O", "B-LOC", "I-ORG"])
    [Entity(start=0, end=2, type='PER'), Entity(start=3, end=4, type='LOC'), Entity(start=4, end=5, type='ORG')]
    """
    _check_sentence(labels)
    if scheme is not None:
        _check_prefixes(labels, scheme)
    found: list[Entity] = []
    start, type_ = -1, ""
    for i, label in enumerate(labels):
        if label == OUTSIDE:
            if start >= 0:
                found.append(Entity(start, i, type_))
                start = -1
            continue
        parsed = _parsed(label)
        if parsed is None:
            raise InputError(f"Word {i + 1}: {_no_label(label)}", A_LABEL)
        kind, its_type = parsed
        if start < 0 or its_type != type_ or kind in "BS":
            if start >= 0:
                found.append(Entity(start, i, type_))
            start, type_ = i, its_type
        if kind in "ES":
            found.append(Entity(start, i + 1, type_))
            start = -1
    if start >= 0:
        found.append(Entity(start, len(labels), type_))
    return found


def labels_of(entities: Iterable[tuple[int, int, str]], n: int, scheme: str) -> list[str]:
    """The labels of the ``n`` words of a sentence with these entities.

    Parameters
    ----------
    entities : iterable of Entity or (int, int, str)
        In any order. No two can have a word in common.
    n : int
    scheme : str
        One of ``SCHEMES``.

    Examples
    --------
    >>> labels_of([Entity(0, 2, "PER"), Entity(3, 4, "LOC")], 4, "iobes")
    ['B-PER', 'E-PER', 'O', 'S-LOC']
    """
    check_choice("labels_of", "scheme", scheme, SCHEMES)
    last, only = _ENDS.get(scheme, ("I", "B"))
    labels = [OUTSIDE] * n
    end_before, type_before = 0, ""
    for start, end, type_ in sorted(entities):
        _check_entity(start, end, type_, end_before, n)
        labels[start:end] = ["I-" + type_] * (end - start)
        if scheme != "iob1":
            labels[end - 1] = f"{last}-{type_}"
            labels[start] = f"{only if end - start == 1 else 'B'}-{type_}"
        elif start == end_before and type_ == type_before:
            labels[start] = "B-" + type_
        end_before, type_before = end, type_
    return labels


def convert_labels(labels: Sequence[str], source: str | None, target: str) -> list[str]:
    """Labels of one notation in another.

    Parameters
    ----------
    labels : sequence of str
        Of one sentence.
    source : str or None
        The scheme that they are in; None for any.
    target : str
        The scheme to write them in.

    Examples
    --------
    >>> convert_labels(["I-LOC", "B-LOC", "I-LOC", "O"], "iob1", "bilou")
    ['U-LOC', 'B-LOC', 'L-LOC', 'O']
    """
    return labels_of(entities(labels, source), len(labels), target)


def detect_scheme(label_sequences: Iterable[Sequence[str]]) -> str:
    """The notation that the labels of all sentences are in.

    Prefixes tell ``iobes`` and ``bilou``. Labels with ``B-`` and ``I-`` alone are ``iob2`` if every
    entity begins with ``B-``, and ``iob1`` if ``B-`` stands only where an entity of the same type ends
    just before (perhaps nowhere). Where there are no entities, it is ``iob2``.

    One entity in a hundred may be against the rules (the training data of CoNLL-2003 has two such among
    23,499), since what it is can be told all the same: see ``entities``.

    Parameters
    ----------
    label_sequences : iterable of sequences of str
        The labels of each sentence.

    Returns
    -------
    str
        One of ``SCHEMES``.

    Raises
    ------
    InputError
        With the sentence and the word: what should be a label is none, or labels are in more than one
        notation.

    Examples
    --------
    >>> detect_scheme([["I-PER", "I-PER", "O"], ["I-LOC", "B-LOC"]])
    'iob1'
    """
    sequences = list(label_sequences)
    found = examine(sequences)
    if isinstance(found, LabelFault):
        where = f"Sentence {found.sentence + 1:,}, word {found.word + 1:,}"
        raise InputError(f"{where}: {found.what}", found.hint)
    return found.scheme


def examine(sequences: Sequences) -> Notation | LabelFault:
    """The notation of labels, or the first thing that is wrong with them if that is too much."""
    pairs: Counter[Pair] = Counter()
    for labels in sequences:
        _check_sentence(labels)
        pairs.update(zip((OUTSIDE, *labels), (*labels, OUTSIDE), strict=True))
    names = {label for _, label in pairs}
    strange = {label for label in names if not is_label(label)}
    if strange:
        sentence, word, (_, label) = _first(
            sequences, {pair for pair in pairs if pair[1] in strange}
        )
        return LabelFault(sentence, word, _no_label(label), A_LABEL)
    prefixes = {label[0] for label in names}
    with_ends = [scheme for scheme, ends in _ENDS.items() if prefixes & set(ends)]
    if len(with_ends) == 2:
        return _two_kinds_of_ends(sequences, pairs)
    if with_ends:
        return _with_ends(sequences, pairs, with_ends[0])
    return _without_ends(sequences, pairs)


def is_label(label: str) -> bool:
    """Whether this is ``O``, or a known prefix with a type.

    >>> is_label("B-PER"), is_label("NNP"), is_label("I-")
    (True, False, False)
    """
    return label == OUTSIDE or _parsed(label) is not None


@lru_cache(maxsize=1 << 12)
def _parsed(label: str) -> tuple[str, str] | None:
    """The kind of a label other than ``O``, which is B, I, E or S, and its type."""
    if not isinstance(label, str):
        return None
    prefix, _, type_ = label.partition("-")
    kind = _KINDS.get(prefix)
    return (kind, type_) if kind and type_ else None


def _no_label(label: object) -> str:
    if label == "":
        return "the label is empty."
    return f"{label[:40] if isinstance(label, str) else label!r} is no label of an entity."


def _check_sentence(labels: Sequence[str]) -> None:
    if isinstance(labels, str):
        raise InputError(
            f"{labels[:40]!r} is a text where the labels of a sentence should be.",
            "Give a list of labels for each sentence.",
        )


def _check_prefixes(labels: Sequence[str], scheme: str) -> None:
    """Raise if a label has a prefix that the scheme does not have."""
    check_choice("entities", "scheme", scheme, SCHEMES)
    prefixes = _PREFIXES[scheme]
    for i, label in enumerate(labels):
        if label != OUTSIDE and is_label(label) and label[0] not in prefixes:
            raise InputError(
                f"Word {i + 1}: {label[:40]!r} is no label of {scheme}, "
                f"which has the prefixes {' '.join(prefixes)}."
            )


def _check_entity(start: int, end: int, type_: str, end_before: int, n: int) -> None:
    """Raise unless an entity has words, of the sentence, that are not those of the one before."""
    if not 0 <= start < end <= n:
        raise InputError(f"Words {start} to {end} are no words of a sentence of {n}.")
    if start < end_before:
        raise InputError(
            f"The entities that end at {end_before} and begin at {start} have words in common.",
            "A word can be in one entity only.",
        )
    if not type_:
        raise InputError(f"The entity of words {start} to {end} has no type.")


def _first(sequences: Sequences, wanted: Set[Pair]) -> tuple[int, int, Pair]:
    """Where the first of these pairs is: the sentence, the word of its second label, the pair."""
    return next(
        (sentence, word, pair)
        for sentence, labels in enumerate(sequences)
        for word, pair in enumerate(zip((OUTSIDE, *labels), (*labels, OUTSIDE), strict=True))
        if pair in wanted
    )


def _typed(label: str) -> tuple[str, str]:
    """The kind and the type of a label; O has no type."""
    return _parsed(label) or (OUTSIDE, "")


def _two_kinds_of_ends(sequences: Sequences, pairs: Counter[Pair]) -> LabelFault:
    """The first label of the notation that comes second."""
    places = [
        _first(sequences, {pair for pair in pairs if pair[1][0] in ends}) for ends in _ENDS.values()
    ]
    (_, _, (_, one)), (sentence, word, (_, other)) = sorted(places)
    what = f"{other!r} is of another notation than {one!r} before it."
    return LabelFault(sentence, word, what, _ONE_NOTATION)


def _with_ends(sequences: Sequences, pairs: Counter[Pair], scheme: str) -> Notation | LabelFault:
    """The scheme, one that marks the last words of entities, or the first place where it is broken."""
    unended: Counter[Pair] = Counter()
    unbegun: Counter[Pair] = Counter()
    n_entities = 0
    for pair, n in pairs.items():
        (kind_before, type_before), (kind, type_) = map(_typed, pair)
        open_before = kind_before in "BI"
        follows = open_before and kind in "IE" and type_ == type_before
        if open_before and not follows:
            unended[pair] = n
        elif kind in "IE" and not follows:
            unbegun[pair] = n
        n_entities += n * (kind != OUTSIDE and not follows)
    n_slips = unended.total() + unbegun.total()
    if n_slips <= _MOST_SLIPS * n_entities:
        return Notation(scheme, n_slips)
    sentence, word, (before, label) = _first(sequences, unended.keys() | unbegun.keys())
    last, only = _ENDS[scheme]
    if (before, label) in unended:
        word -= 1
        what = f"the entity of {before!r} has no end, which is {last}- or {only}- with {scheme}."
    else:
        what = f"{label!r} begins an entity; with {scheme}, that is B- or {only}-."
    return LabelFault(sentence, word, what, _ONE_NOTATION)


def _without_ends(sequences: Sequences, pairs: Counter[Pair]) -> Notation | LabelFault:
    """``iob1`` or ``iob2``, or the first label of the one that is rarer where both are frequent."""
    begins: dict[str, Counter[Pair]] = {"I": Counter(), "B": Counter()}
    for pair, n in pairs.items():
        (_, type_before), (kind, type_) = map(_typed, pair)
        if kind != OUTSIDE and type_ != type_before:
            begins[kind][pair] = n
    rare, common = sorted(begins, key=lambda kind: begins[kind].total())
    n_rare, n_common = begins[rare].total(), begins[common].total()
    ways = {"I": "iob1", "B": "iob2"}
    if n_rare <= _MOST_SLIPS * (n_rare + n_common):
        return Notation(ways[common], n_rare)
    sentence, word, (_, label) = _first(sequences, begins[rare].keys())
    others = "1 other begins" if n_common == 1 else f"{n_common:,} others begin"
    what = (
        f"{label!r} begins an entity, as with {ways[rare]}; "
        f"but {others} with {common}-, as with {ways[common]}."
    )
    return LabelFault(sentence, word, what, _ONE_NOTATION)
