"""Language models in ARPA's format, which other programs read: KenLM, SRILM, speech recognisers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO

import numpy as np
import numpy.typing as npt

from firth.errors import InputError
from firth.lm._counting import pack
from firth.lm._kneser_ney import Smoothed
from firth.lm._ngrams import NgramModel

__all__ = ["read_arpa", "write_arpa"]

UNKNOWN, BEGIN, END = "<unk>", "<s>", "</s>"
_NEVER = -99.0
"""How ARPA writes the logarithm of zero."""
_TEN = math.log(10)


def write_arpa(model: NgramModel, words: Sequence[str], file: IO[str]) -> None:
    """Write a model.

    Parameters
    ----------
    model : NgramModel
    words : sequence of str
        Its words, in the order of their numbers.
    file : text file
    """
    names = [*_checked(words), UNKNOWN, BEGIN, END]
    if len(names) != model.n_words + 3:
        raise InputError(f"The model has {model.n_words:,} words; {len(words):,} were given.")
    sizes = [len(names), len(model.words2), len(model.words3)][: model.order]
    file.write("\\data\\\n" + "".join(f"ngram {k}={n}\n" for k, n in enumerate(sizes, 1)))
    file.write("\n\\1-grams:\n")
    for k, name in enumerate(names):
        file.write(_line(model.p1[k], name, model.backoff1[k] if model.order > 1 else None))
    firsts = np.repeat(np.arange(len(names)), np.diff(model.starts2))
    if model.order > 1:
        file.write("\n\\2-grams:\n")
        for k, (a, b) in enumerate(zip(firsts.tolist(), model.words2.tolist(), strict=True)):
            backoff = model.backoff2[k] if model.order > 2 else None
            file.write(_line(model.p2[k], f"{names[a]} {names[b]}", backoff))
    if model.order > 2:
        file.write("\n\\3-grams:\n")
        pairs = np.repeat(np.arange(len(model.words2)), np.diff(model.starts3)).tolist()
        for k, (pair, c) in enumerate(zip(pairs, model.words3.tolist(), strict=True)):
            text = f"{names[firsts[pair]]} {names[model.words2[pair]]} {names[c]}"
            file.write(_line(model.p3[k], text, None))
    file.write("\n\\end\\\n")


def _line(log_p: float, text: str, backoff: float | None) -> str:
    value = log_p / _TEN if log_p > -np.inf else _NEVER
    return f"{value:.7g}\t{text}" + ("\n" if backoff is None else f"\t{backoff / _TEN:.7g}\n")


def _checked(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        if not word or word.split() != [word] or word in (UNKNOWN, BEGIN, END):
            raise InputError(
                f"The word {word!r} cannot be written in ARPA's format: it has white space, or means something there."
            )
        yield word


def read_arpa(lines: Iterable[str], name: str | Path = "the file") -> tuple[NgramModel, list[str]]:
    """Read a model of up to three words together, and its words.

    Parameters
    ----------
    lines : iterable of str
    name : str or Path
        What the file is called in errors.
    """
    reader = _Reader(lines, name)
    sizes = reader.header()
    tables = [reader.section(k + 1, n, k + 1 == len(sizes)) for k, n in enumerate(sizes)]
    reader.expect("\\end\\")
    found = {names[0]: k for k, (_, names, _) in enumerate(tables[0])}
    if len(found) != len(tables[0]):
        reader.fail("a word is there twice")
    for special in (UNKNOWN, BEGIN, END):
        if special not in found:
            reader.fail(f"{special} is missing")
    words = sorted(set(found) - {UNKNOWN, BEGIN, END}, key=found.__getitem__)
    number = {word: k for k, word in enumerate([*words, UNKNOWN, BEGIN, END])}
    rows, p, backoff = [], [], []
    for k, table in enumerate(tables):
        try:
            row = np.array([[number[x] for x in names] for _, names, _ in table], np.int64)
        except KeyError as error:
            reader.fail(f"{error} is not among the words")
        row = row.reshape(-1, k + 1)
        order = np.argsort(pack(row.T), kind="stable")
        rows.append(row[order])
        if len(np.unique(pack(row.T))) != len(row):
            reader.fail(f"a sequence of {k + 1} words is there twice")
        p.append(_powers(np.array([x for x, _, _ in table]))[order])
        backoff.append(_powers(np.array([x for _, _, x in table]))[order])
    if len(rows) > 2 and not np.isin(pack(rows[2][:, :2].T), pack(rows[1].T)).all():
        reader.fail("a sequence of three words begins with two that are missing")
    return NgramModel.of(len(words), Smoothed(rows, p, backoff, [])), words


def _powers(logs: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.where(logs <= _NEVER, 0.0, 10.0**logs)


class _Reader:
    """Lines of a file, and where in it we are."""

    def __init__(self, lines: Iterable[str], name: str | Path) -> None:
        self._lines, self._name, self._number = iter(lines), name, 0

    def fail(self, why: str) -> None:
        raise InputError(f"{self._name}, line {self._number:,}: {why}.", "Is it in ARPA's format?")

    def next(self) -> str:
        for line in self._lines:
            self._number += 1
            if line.strip():
                return line.rstrip("\n")
        self.fail("the file ends too early")
        raise AssertionError

    def expect(self, text: str) -> None:
        line = self.next().strip()
        if line != text:
            self.fail(f"{text} should be here, not {line[:40]!r}")

    def header(self) -> list[int]:
        while self.next().strip() != "\\data\\":
            pass
        sizes: list[int] = []
        while True:
            line = self.next().strip()
            if line == "\\1-grams:":
                break
            order, _, n = line.removeprefix("ngram ").partition("=")
            if not n.strip().isdecimal() or order.strip() != str(len(sizes) + 1):
                self.fail(f"{line[:40]!r} does not say how many sequences there are")
            sizes.append(int(n))
        if not 1 <= len(sizes) <= 3:
            self.fail("sequences of one to three words can be read")
        return sizes

    def section(self, order: int, n: int, last: bool) -> list[tuple[float, list[str], float]]:
        if order > 1:
            self.expect(f"\\{order}-grams:")
        found = []
        for _ in range(n):
            parts = self.next().split()
            if len(parts) not in (order + 1, order + 2 - last):
                self.fail(f"a probability and {order} words should be here")
            try:
                p = float(parts[0])
                backoff = float(parts[-1]) if len(parts) == order + 2 else 0.0
            except ValueError:
                self.fail("there should be a number")
            if not (p <= 0 and math.isfinite(p) and math.isfinite(backoff)):
                self.fail("the logarithm of a probability should be here")
            found.append((p, parts[1 : order + 1], backoff))
        return found
