"""Named entities written as labels of words: IOB1, IOB2, IOBES, BILOU.

A word outside all entities has the label ``O``. Other words have a prefix and the type of their entity,
such as ``B-PER``. The type is everything after the first hyphen.

===== ============================================================================================
iob1  ``I-`` for the words of an entity; ``B-`` for its first word only directly after another entity
      of the same type
iob2  ``B-`` for the first word, ``I-`` for the others
iobes as iob2, but ``E-`` for the last of several words and ``S-`` for a single word
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
    "A label is O, or a prefix and a type, such as B-PER; prefixes are B I, B I E S, or B I L U."
)
_PREFIXES = {"iob1": "BI", "iob2": "BI", "iobes": "BIES", "bilou": "BILU"}
_KINDS = {"B": "B", "I": "I", "E": "E", "S": "S", "L": "E", "U": "S"}
_ENDS = {"iobes": ("E", "S"), "bilou": ("L", "U")}
_MOST_SLIPS = 0.01
"""The maximum share of entities with labels that are invalid in the scheme: people make mistakes."""
_ONE_NOTATION = "Correct the label, or use one scheme in the whole file."

Sequences = Sequence[Sequence[str]]
Pair = tuple[str, str]
"""Two adjacent labels; before and after a sentence there is an O."""


class Entity(NamedTuple):
    """A named entity: its words, from ``start`` to before ``end``, and its type."""

    start: int
    end: int
    type: str


class Notation(NamedTuple):
    """The scheme of labels, and the number of labels that are invalid in it."""

    scheme: str
    n_slips: int


class LabelFault(NamedTuple):
    """What is wrong with a label, and where; sentence and word are counted from 0."""

    sentence: int
    word: int
    what: str
    hint: str


def entities(labels: Sequence[str], scheme: str | None = None) -> list[Entity]:
    """The named entities of the labels of a sentence, in any scheme.

    Invalid sequences are read as by ``conlleval``, the official script of the CoNLL shared tasks: an
    entity starts with ``B-``, ``S-`` or ``U-``, after ``O``, after the end of another entity, and wherever
    the type changes.

    Parameters
    ----------
    labels : sequence of str
    scheme : str, optional
        One of ``SCHEMES``; labels must then have its prefixes.

    Returns
    -------
    list of Entity
        In order.

    Raises
    ------
    InputError
        A label is invalid, or not in this scheme.

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
        In any order. They must not overlap.
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
    """Convert labels to another scheme.

    Parameters
    ----------
    labels : sequence of str
        Of one sentence.
    source : str or None
        Their scheme; None for any.
    target : str
        The scheme to write them in.

    Examples
    --------
    >>> convert_labels(["I-LOC", "B-LOC", "I-LOC", "O"], "iob1", "bilou")
    ['U-LOC', 'B-LOC', 'L-LOC', 'O']
    """
    return labels_of(entities(labels, source), len(labels), target)


def detect_scheme(label_sequences: Iterable[Sequence[str]]) -> str:
    """Detect the labelling scheme.

    The prefixes identify ``iobes`` and ``bilou``. Labels with ``B-`` and ``I-`` only are ``iob2`` if every
    entity starts with ``B-``, and ``iob1`` if ``B-`` is used only directly after an entity of the same
    type. Labels without entities are ``iob2``.

    One entity in a hundred may have invalid labels (in the training data of CoNLL-2003, two of 23,499
    have); ``entities`` says how they are read.

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
        A label is invalid, or labels are in more than one scheme. Sentence and word are named.

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
    """The scheme of labels, or the first error if there are too many."""
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
    """Whether a text is an entity label: ``O``, or a known prefix with a type.

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
    return f"{label[:40] if isinstance(label, str) else label!r} is not an entity label."


def _check_sentence(labels: Sequence[str]) -> None:
    if isinstance(labels, str):
        raise InputError(
            f"The labels of a sentence must be a list, not text: {labels[:40]!r}.",
            "Give a list of labels for each sentence.",
        )


def _check_prefixes(labels: Sequence[str], scheme: str) -> None:
    """Raise InputError if a label has a prefix that the scheme does not have."""
    check_choice("entities", "scheme", scheme, SCHEMES)
    prefixes = _PREFIXES[scheme]
    for i, label in enumerate(labels):
        if label != OUTSIDE and is_label(label) and label[0] not in prefixes:
            raise InputError(
                f"Word {i + 1}: {label[:40]!r} is not a label of {scheme}, "
                f"which has the prefixes {' '.join(prefixes)}."
            )


def _check_entity(start: int, end: int, type_: str, end_before: int, n: int) -> None:
    """Raise InputError unless an entity lies within the sentence and after the previous one."""
    if not 0 <= start < end <= n:
        raise InputError(
            f"The entity from word {start} to {end} is not within a sentence of {n} words."
        )
    if start < end_before:
        raise InputError(
            f"The entities that end at {end_before} and start at {start} overlap.",
            "A word can be in one entity only.",
        )
    if not type_:
        raise InputError(f"The entity from word {start} to {end} has no type.")


def _first(sequences: Sequences, wanted: Set[Pair]) -> tuple[int, int, Pair]:
    """The first of some pairs: its sentence, the word of its second label, and the pair."""
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
    """The first label of the scheme that comes second."""
    places = [
        _first(sequences, {pair for pair in pairs if pair[1][0] in ends}) for ends in _ENDS.values()
    ]
    (_, _, (_, one)), (sentence, word, (_, other)) = sorted(places)
    what = f"{other!r} is of another scheme than {one!r} before it."
    return LabelFault(sentence, word, what, _ONE_NOTATION)


def _with_ends(sequences: Sequences, pairs: Counter[Pair], scheme: str) -> Notation | LabelFault:
    """The scheme, one that marks the last words of entities, or the first label that is invalid in it."""
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
        what = f"the entity of {before!r} has no end; in {scheme}, that is {last}- or {only}-."
    else:
        what = f"{label!r} starts an entity; in {scheme}, that is B- or {only}-."
    return LabelFault(sentence, word, what, _ONE_NOTATION)


def _without_ends(sequences: Sequences, pairs: Counter[Pair]) -> Notation | LabelFault:
    """``iob1`` or ``iob2``; if both are frequent, the first label of the rarer one."""
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
    others = "1 other starts" if n_common == 1 else f"{n_common:,} others start"
    what = (
        f"{label!r} starts an entity, as in {ways[rare]}, "
        f"but {others} with {common}-, as in {ways[common]}."
    )
    return LabelFault(sentence, word, what, _ONE_NOTATION)
