"""Sources in, the files of a corpus out, without holding the text in memory.

Each thread numbers the tokens of blocks with a lexicon of its own, in order of first occurrence, and
the numbers are written to disk. A lexicon that has become too large is written to disk as a list of
words, and a new one is begun. At the end all lists are merged into one vocabulary, and a second pass
over the numbers gives every token its final id. Ids depend only on counts and spellings, so the result
is the same for any number of threads, any memory and any block size. If tokens are morphs, the words of
the vocabulary are divided before the second pass, which gives every word the ids of its parts. Phrases are
joined in a third pass, over the finished corpus of words.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from firth import formats, progress
from firth.compute import Engine, release_memory
from firth.compute.kernels import new_secret
from firth.corpus._corpus import Corpus
from firth.corpus._dividing import Division, replace_by_divided, write_divided
from firth.corpus._joining import join_corpus, replace_by_joined
from firth.corpus._lexicon import Lexicon
from firth.corpus._lexicon_kernels import renumber
from firth.corpus._morphs import WordSplitter, needed
from firth.corpus._notices import notice_sources, notice_tags, notice_unspaced
from firth.corpus._numbering import BlockReader, SoFar
from firth.corpus._phrases import Phrases
from firth.corpus._pieces import PieceReader
from firth.corpus._reading import ENDS, IDS, PLACES, SOURCES, WORDS, Reading
from firth.corpus._segmenters import version_of
from firth.corpus._sorting import divided
from firth.corpus._sources import Source
from firth.corpus._tokeniser import cut, sentence_starts
from firth.corpus._unfinished import CorpusFiles, Mark, Restored, restored, save
from firth.corpus._vocabulary import Vocabulary
from firth.corpus._word_lists import into_shares
from firth.errors import InputError, ParameterError
from firth.parameters import MEMORY, parse_memory
from firth.store import Part, open_file, remove_tree, rename, write_text
from firth.unicode import unicode_version

__all__ = ["build", "give_ids", "in_pieces", "prepare_kernels"]

_LISTS = "lists"
"""The folder for lists of words, while a corpus is made."""
Ids = npt.NDArray[np.uint32]
_TOKENS_AT_ONCE = 1 << 20


def in_pieces(engine: Engine, skip_bad: bool) -> bool:
    """Whether text is read in pieces, which can be left out; otherwise it is one stream of blocks."""
    return engine.cluster is not None or skip_bad


def build(
    sources: Sequence[Source],
    reading: Reading,
    folder: Path,
    engine: Engine,
    memory: int | str = MEMORY,
    skip_bad: bool = False,
    unfinished: Path | None = None,
    morphs: Callable[[Vocabulary], WordSplitter] | None = None,
    phrases: Callable[[Corpus], Phrases] | None = None,
) -> dict[str, Any]:
    """Read sources and write the files of a corpus; returns its sizes and the version of Unicode.

    Parameters
    ----------
    sources : sequence of Source
    reading : Reading
    folder : Path
    engine : Engine
    memory : int or str
        For words, at most.
    skip_bad : bool
        Leave out files that cannot be read, and mark them as skipped.
    unfinished : Path, optional
        A folder for checkpoints: interrupted work continues from it, if the sources are the same.
    morphs : callable, optional
        For the tokens ``morphs``: given the vocabulary of words, returns what divides them.
    phrases : callable, optional
        For ``reading.phrases``: given the corpus of words, returns those that become tokens.
    """
    if morphs is None:
        needed(reading.tokens, None)
    if reading.phrases is not None and phrases is None:
        raise ParameterError(
            "The phrases of the text are needed, to join them.",
            "In Python: Corpus.from_files(FILE, phrases=[('New', 'York')])",
        )
    notice_sources(sources, reading)
    prepare_kernels(reading.cuts)
    work = unfinished or folder
    found = restored(work, work / _LISTS, skip_bad) if unfinished else None
    job = _Job(sources, reading, work, engine, parse_memory(memory), skip_bad, found)
    try:
        job.read(rests=unfinished is not None)
    finally:
        job.files.close()
    if all(source.skipped for source in sources):
        raise InputError(
            "None of the files can be read.", "Without --skip-bad, the first one is an error."
        )
    if job.files.n_tokens == 0:
        names = ", ".join(s.name for s in sources[:3]) + (", ..." if len(sources) > 3 else "")
        raise InputError(
            f"There are no words in {names}.",
            "Check that it is the right file; it is empty, or contains only white space.",
        )
    n_types, n_tokens = job.finish(folder, morphs)
    mark = job.files.mark
    del job  # unmaps the lists, or Windows does not remove them
    for name in (ENDS, PLACES):
        if not (folder / name).exists():  # sentences of morphs have other ends
            (_copy if phrases else rename)(work / name, folder / name)
    described = json.dumps(
        [s.describe() for s in sources if not s.skipped], indent=1, ensure_ascii=False
    )
    write_text(folder / SOURCES, described + "\n")
    facts = {
        "n_tokens": n_tokens,
        "n_types": n_types,
        "n_sentences": mark.n_sentences,
        "unicode": unicode_version(),
        **({"segmenter": segmenter} if (segmenter := version_of(reading.tokens)) else {}),
    }
    if phrases is not None:
        facts |= _join(folder, replace(reading, phrases=None), facts, phrases, engine)
    remove_tree(work / _LISTS)
    if unfinished:
        remove_tree(work)
    return facts


def _copy(old: Path, new: Path) -> None:
    """Copy a file: what an interrupted job goes on from stays until all is done."""
    with open_file(old) as read, open_file(new, "wb") as written:
        shutil.copyfileobj(read, written)


def _join(
    folder: Path, words: Reading, facts: dict[str, Any], phrases: Callable[[Corpus], Phrases], engine: Engine
) -> dict[str, int]:  # fmt: skip
    """Join the phrases of a corpus of words that is in a folder; returns its new sizes."""
    part = Part.in_folder(folder, words.parameters(), **facts)
    sizes = join_corpus(folder, Corpus(part), phrases, engine)
    replace_by_joined(folder)
    return sizes


class _Job:
    """Reads sources into files, and gives their tokens ids."""

    def __init__(
        self, sources: Sequence[Source], reading: Reading, folder: Path, engine: Engine, memory: int,
        skip_bad: bool, found: Restored | None,
    ) -> None:  # fmt: skip
        self.sources, self.folder, self.engine = sources, folder, engine
        lists = folder / _LISTS
        self.continues = found is not None
        self.files, start, self.before = found or (CorpusFiles(folder), SoFar(), Mark())
        self.base = start.base
        self.reader: BlockReader | PieceReader = (
            PieceReader(reading, engine, memory, lists, start, skip_bad)
            if in_pieces(engine, skip_bad)
            else BlockReader(reading, engine, memory, lists, start)
        )

    def read(self, rests: bool) -> None:
        """Write the tokens of all sources; whenever the reader ``rests``, save how far it is."""
        files, reader = self.files, self.reader
        known = all(source.has_size() for source in self.sources)
        size = sum(source.disk_size() for source in self.sources) if known else None
        with progress.stage("reading", size) as stage:
            for source, block in reader.read(self.sources, rests):
                if source is None:  # nothing is under way
                    save(self.folder, files, replace(reader.so_far(), base=self.base), self.before)
                elif block is not None:
                    files.add(block, self.base)
                else:
                    if source.skipped:
                        files.back_to(self.before)
                    files.end_source()
                    self.base += 0 if source.skipped else source.extent
                    self.before = files.mark
                stage.note = reader.status
                stage.advance(reader.done - stage.done, len(block.ids) if block else 0)

    def finish(
        self, folder: Path, morphs: Callable[[Vocabulary], WordSplitter] | None
    ) -> tuple[int, int]:
        """Merge the lists, write the vocabulary, and give every token its final id.

        Returns the numbers of types and tokens.
        """
        with progress.stage("sorting the vocabulary", self.files.n_tokens, "tokens") as stage:
            vocabulary, mappings = self.reader.merged()
            release_memory()
            formats.current_limits().check_types(len(vocabulary), "The text")
            if morphs is None:
                vocabulary.save(folder / WORDS)
                # in the same file, what stood there has been read
                mode = "r+b" if folder == self.folder else "wb"
                with open_file(self.folder / IDS) as old, open_file(folder / IDS, mode) as new:
                    give_ids(self._stretches(old, mappings), mappings, new, self.engine, stage)
        if self.reader.reading.cuts == "words":
            notice_unspaced(vocabulary)
            notice_tags(vocabulary, self.sources)
        if morphs is None:
            return len(vocabulary), self.files.n_tokens
        division = Division.of(vocabulary, morphs(vocabulary), self.engine)
        division.vocabulary.save(folder / WORDS)
        with open_file(self.folder / IDS) as old, open_file(self.folder / ENDS) as ends:
            n = write_divided(folder, self._words(old, mappings), ends, division, self.engine)
        replace_by_divided(folder)
        return len(division.vocabulary), n

    def _words(self, file: IO[bytes], mappings: Sequence[Ids]) -> Iterator[Ids]:
        """The ids of the words of the text, some at a time."""
        for number, ids in self._stretches(file, mappings):
            renumber(ids, mappings[number])
            yield ids

    def _stretches(self, file: IO[bytes], mappings: Sequence[Ids]) -> Iterator[tuple[int, Ids]]:
        """Some tokens at a time, as they were numbered, with the number of their list."""
        return (
            (number, _read_ids(file, n, len(mappings[number]) if self.continues else None))
            for number, n in _together(self.files.runs)
        )


def give_ids(
    stretches: Iterable[tuple[int, npt.NDArray[np.uint32]]],
    mappings: Sequence[npt.NDArray[np.uint32]],
    file: IO[bytes],
    engine: Engine,
    stage: progress.Stage,
) -> None:
    """Write tokens with their ids, given the number of a list and the numbers of words in it."""

    def renumbered(stretch: tuple[int, npt.NDArray[np.uint32]]) -> npt.NDArray[np.uint32]:
        number, ids = stretch
        renumber(ids, mappings[number])
        return ids

    for ids in engine.map(renumbered, stretches):
        file.write(ids.data)
        stage.advance(len(ids))


def _read_ids(file: IO[bytes], n: int, below: int | None) -> npt.NDArray[np.uint32]:
    """Numbers of words as they were written; those of an earlier run must be ``below`` a number."""
    ids = np.empty(n, np.uint32)
    read = file.readinto(ids)  # type: ignore[attr-defined]
    if read != ids.nbytes or (below is not None and n and ids.max() >= below):
        raise InputError(
            "The ids that were written while reading cannot be read again.",
            "Check the disk, and run the same command again.",
        )
    return ids


def _together(runs: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Join adjacent runs of a list into runs of limited length."""
    current, together = -1, 0
    for number, n in runs:
        if number != current or together > _TOKENS_AT_ONCE:
            if together:
                yield current, together
            current, together = number, 0
        together += n
    if together:
        yield current, together


def prepare_kernels(tokens: str) -> None:
    """Compile the kernels on a line of text, so that compiling is shown as a stage of its own."""
    with progress.stage("compiling kernels (first run only)", brief=1.0, unit=""):
        lexicon = Lexicon()
        block = cut(b"a b. c\n", tokens)
        sentence_starts(block, tokens)
        lexicon.number(block.text, block.starts, block.ends)
        into_shares(lexicon.words(), 2, new_secret())
        divided(lexicon.words(), lexicon.counts(), 2)
        lexicon.grow()
        renumber(np.zeros(1, np.uint32), np.zeros(1, np.uint32))
