"""Word sketches: the words before and after a word, by their tags."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from firth.compare import Text, text_of
from firth.counts import MEASURES, association
from firth.errors import ModelError, check_choice, check_count
from firth.formats import Rows
from firth.measure._neighbours import Neighbours
from firth.model import Model
from firth.parts import PARTS, missing_part

__all__ = ["Collocate", "Column", "sketch"]

_CUT = 16
"""Groups of words in a model without tags: its classes cut to so many."""
Ids = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Collocate:
    """A neighbour of a word: how often it is next to it, and its measure of association."""

    word: str
    count: int
    score: float


@dataclass(frozen=True)
class Column:
    """The neighbours of a word with one tag, on one side.

    Attributes
    ----------
    side : {"before", "after"}
    kind : {"tag", "class"}
    group : str
        The tag, or the path of the class; its name, if it has one.
    count : int
        How often a word of the group is next to the word.
    collocates : list of Collocate
        The best first.
    """

    side: str
    kind: str
    group: str
    count: int
    collocates: list[Collocate]
    columns: ClassVar[tuple[str, ...]] = ("side", "kind", "group", "word", "count", "score")

    def rows(self) -> list[dict[str, Any]]:
        """A row for each of the neighbours."""
        own = {"side": self.side, "kind": self.kind, "group": self.group}
        return [{**own, **asdict(each)} for each in self.collocates]


def sketch(
    model: Model | str | Path, word: str, measure: str = "logdice", n: int = 5, min_count: int = 2,
    where: str = "",
) -> Rows[Column]:  # fmt: skip
    """The words that typically stand before and after a word, by their tags.

    Neighbours are within sentences. Words have one tag each, the most probable one; in a model without
    tags, the tree of classes is cut to 16 classes instead.

    Parameters
    ----------
    model : Model, str or Path
        A model with a corpus, and with tags or classes.
    word : str
    measure : str
        The measure of association by which words are ranked, one of ``firth.counts.MEASURES``.
    n : int
        The number of words in each column.
    min_count : int
        How often a word must be next to the word.
    where : str
        Only in documents for which this holds, such as ``year >= 1900``.

    Returns
    -------
    list of Column
        The largest first.
    """
    check_choice("sketch", "measure", measure, MEASURES)
    check_count("sketch", "n", n)
    check_count("sketch", "min_count", min_count)
    opened = model if isinstance(model, Model) else Model(model)
    if "corpus" not in opened:
        raise missing_part("corpus", opened.path, has_corpus=False)
    text = text_of(opened, where)
    i = text.corpus.vocabulary.id(word)
    kind, names, group_of = _groups(opened, text)
    neighbours = Neighbours(text)
    positions = neighbours.positions(i)
    columns = []
    for side, offset in (("before", -1), ("after", 1)):
        together, margins = neighbours.beside(positions, offset), neighbours.margins(offset)
        near = np.flatnonzero(together)
        of_groups = np.bincount(group_of[near] + 1, together[near], len(names) + 1)[1:].astype(
            np.int64
        )
        kept = near[(together[near] >= min_count) & (group_of[near] >= 0)]
        r, total = float(together.sum()), float(margins.sum())
        scores = _scores(measure, together[kept], r, margins[kept], total)
        order = np.lexsort([kept, -together[kept], -scores])
        kept, scores = kept[order], scores[order]
        for group in np.unique(group_of[kept]).tolist():
            some = np.flatnonzero(group_of[kept] == group)[:n]
            found = [
                Collocate(text.corpus.vocabulary[int(j)], int(together[j]), float(score))
                for j, score in zip(kept[some].tolist(), scores[some].tolist(), strict=True)
            ]
            columns.append(Column(side, kind, names[group], int(of_groups[group]), found))
    columns.sort(key=lambda one: (-one.count, one.side == "after", one.group))
    return Rows(columns, Column)


def _scores(measure: str, o: Ids, r: float, c: Ids, n: float) -> npt.NDArray[np.float64]:
    if not len(o):
        return np.zeros(0)
    return association(measure, o.astype(np.float64), r, c.astype(np.float64), n)


def _groups(model: Model, text: Text) -> tuple[str, list[str], Ids]:
    """What the words are grouped by, the names of the groups, and the group of each word; -1 for none."""
    words = text.corpus.vocabulary
    if "tags" in model:
        tagger = model.tags
        kind, names, known = "tag", list(tagger.tags_), tagger.vocabulary_
        groups = tagger.tag_of_word()
    elif "classes" in model:
        tree = model.classes
        flat = tree.cut(min(_CUT, tree.n_classes))
        kind, known, groups = "class", flat.vocabulary, flat.class_of
        names = [tree.names.get(path, path) for path in flat.paths]
    else:
        raise ModelError(
            f"The model {model.path} has neither tags nor classes to group words by.",
            f"Learn tags: {PARTS['tags'].how(model.path, anew=True)}",
        )
    places = words.places_among(known.words)
    group_of = np.where(places >= 0, np.asarray(groups, np.int64)[places], -1)
    return kind, [str(name) for name in names], group_of
