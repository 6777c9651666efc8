"""Progress of long-running stages.

A stage has a name and a total::

    with progress.stage("reading", total=n_bytes, unit="bytes") as stage:
        for block in blocks:
            stage.advance(len(block), tokens=...)

By default nothing is shown. Inside ``show_progress``, stages show a progress bar on a terminal, or a
line every few seconds elsewhere, on standard error.

Examples
--------
>>> import firth
>>> with firth.show_progress():                       # doctest: +SKIP
...     corpus = firth.Corpus.from_files("news.txt")
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import IO, Any, NoReturn

from firth.errors import FirthError

__all__ = [
    "CancelledError",
    "Stage",
    "check_interrupted",
    "clock",
    "count_of",
    "interrupt",
    "interruption",
    "notice",
    "number",
    "remark",
    "show_progress",
    "silently",
    "size",
    "stage",
    "watched",
    "while_wanted",
]

_log = logging.getLogger("firth")
_SECONDS_BETWEEN_LINES = 5.0
_SECONDS_BETWEEN_DRAWINGS = 0.2
_LEFT = 'style="text-align:left"'
_stop: BaseException | None = None
_wanted: ContextVar[Callable[[], bool] | None] = ContextVar("firth_wanted", default=None)


class CancelledError(FirthError):
    """Nobody waits for the result of this work any more."""


def interrupt(reason: BaseException) -> NoReturn:
    """Raise ``reason`` now, and again at the next step of a stage.

    For signal handlers: their exceptions are lost in callbacks from compiled code, for example while
    kernels are loaded. A request to exit stands, whatever comes after it.
    """
    global _stop
    if not isinstance(_stop, SystemExit):
        _stop = reason
    raise _stop


def interruption() -> BaseException | None:
    """What has interrupted the program, or None."""
    return _stop


def check_interrupted() -> None:
    """Raise a pending interruption; inside ``while_wanted``, CancelledError if the work is not wanted."""
    global _stop
    wanted = _wanted.get()
    if wanted is not None:  # work for somebody else: the interruption is for the main program
        if not wanted():
            raise CancelledError("The work was cancelled.")
        return
    reason, _stop = _stop, None
    if reason is not None:
        raise reason


@contextmanager
def while_wanted(wanted: Callable[[], bool]) -> Iterator[None]:
    """Cancel the work inside a ``with`` block, at its next step, as soon as ``wanted()`` is false."""
    token = _wanted.set(wanted)
    try:
        yield
    finally:
        _wanted.reset(token)


def size(n_bytes: float) -> str:
    """A number of bytes, for a person.

    >>> size(999), size(4_200_000), size(2**31)
    ('999 bytes', '4.2 MB', '2.15 GB')
    """
    for unit, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if n_bytes >= unit:
            return (
                f"{n_bytes / unit:.3g} {name}"
                if n_bytes < 999.5 * unit
                else f"{n_bytes / unit:.0f} {name}"
            )
    return f"{n_bytes:.0f} bytes"


def number(n: float) -> str:
    """A large number, abbreviated.

    >>> number(950), number(12_345), number(12_345_678)
    ('950', '12.3 k', '12.3 M')
    """
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if n >= unit:
            return f"{n / unit:.3g} {name}"
    return f"{n:.0f}"


def count_of(n: int, what: str, plural: str | None = None) -> str:
    """A number and a noun in singular or plural.

    >>> count_of(1, "token"), count_of(2000, "token"), count_of(2, "entity", "entities")
    ('1 token', '2,000 tokens', '2 entities')
    """
    return f"{n:,} {what if n == 1 else plural or f'{what}s'}"


def clock(seconds: float) -> str:
    """A duration, for a person.

    >>> clock(0.0123), clock(7.25), clock(95), clock(3700)
    ('0.01 s', '7.2 s', '1:35', '1:01:40')
    """
    if seconds < 60:
        return f"{seconds:.2f} s" if seconds < 1 else f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class Stage:
    """A stage of long-running work and its progress."""

    def __init__(
        self, name: str, total: float | None, unit: str, brief: float, show: _Silent
    ) -> None:
        self.name, self.total, self.unit, self.brief = name, total, unit, brief
        self.done = 0.0
        self.tokens = 0
        self.note = ""
        """More to show about the progress."""
        self.started = time.perf_counter()
        self._show = show

    def advance(self, amount: float, tokens: int = 0) -> None:
        """Report that ``amount`` more of the total is done, and the number of tokens read."""
        check_interrupted()
        self.done += amount
        self.tokens += tokens
        self._show.update(self)

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.started

    @property
    def fraction(self) -> float | None:
        return min(self.done / self.total, 1.0) if self.total else None

    def status(self) -> str:
        """The progress in words."""
        write = size if self.unit == "bytes" else number
        done = (
            write(self.done) if self.total is None else f"{write(self.done)} of {write(self.total)}"
        )
        if self.unit != "bytes":
            done += f" {self.unit}"
        # texts in memory have tokens, but no bytes
        words = [done] * bool(self.done or not self.tokens) + [self.note] * bool(self.note)
        seconds = max(self.seconds, 1e-9)
        if self.tokens:
            words.append(f"{number(self.tokens / seconds)} tokens/s")
        if self.fraction and self.fraction < 1 and seconds > 1:
            words.append(f"{clock(seconds * (1 / self.fraction - 1))} left")
        return ", ".join(words)


class _Silent:
    """Shows nothing; notices go to the ``firth`` logger."""

    def begin(self, stage: Stage) -> None: ...

    def update(self, stage: Stage) -> None: ...

    def end(self, stage: Stage, finished: bool) -> None: ...

    def remark(self, message: str) -> None: ...

    def notice(self, message: str, hint: str | None) -> None:
        _log.warning("%s%s", message, f" ({hint})" if hint else "")


class _Mute(_Silent):
    """Shows nothing at all."""

    def notice(self, message: str, hint: str | None) -> None:
        """What a notice says is of no use here."""


class _Watched(_Silent):
    """Tells the share of the work that is done."""

    def __init__(self, tell: Callable[[float], None]) -> None:
        self._tell = tell

    def update(self, stage: Stage) -> None:
        if stage.fraction is not None:
            self._tell(stage.fraction)


class _Lines(_Silent):
    """A plain line every few seconds, for logs and pipes."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._last = 0.0

    def _write(self, line: str) -> None:
        with suppress(OSError, ValueError):  # whoever read it has gone: the work goes on
            self._stream.write(line + "\n")
            self._stream.flush()

    def begin(self, stage: Stage) -> None:  # noqa: ARG002
        self._last = time.perf_counter()

    def update(self, stage: Stage) -> None:
        now = time.perf_counter()
        if now - self._last >= _SECONDS_BETWEEN_LINES:
            self._last = now
            percent = f" {stage.fraction:.0%}" if stage.fraction is not None else ""
            self._write(f"{stage.name}:{percent} {stage.status()}")

    def end(self, stage: Stage, finished: bool) -> None:
        if finished and stage.seconds >= stage.brief:
            self._write(f"{stage.name}: done in {clock(stage.seconds)}")

    def remark(self, message: str) -> None:
        self._write(message)

    def notice(self, message: str, hint: str | None) -> None:
        self._write(f"note: {message}")
        if hint:
            self._write(f"hint: {hint}")


class _Bar(_Lines):
    """A progress bar on a terminal."""

    def __init__(self, stream: IO[str]) -> None:
        super().__init__(stream)
        from rich.console import Console

        self._console = Console(file=stream, highlight=False)
        self._bars: list[tuple[Any, Any]] = []
        """The bar and task of each stage inside another; only the last one is shown."""

    def begin(self, stage: Stage) -> None:
        from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn

        columns: list[Any] = [SpinnerColumn(), TextColumn("{task.description}")]
        if stage.total is not None:
            columns += [BarColumn(bar_width=30), TaskProgressColumn()]
        columns.append(TextColumn("[dim]{task.fields[status]}"))
        if self._bars:
            self._bars[-1][0].stop()
        bar = Progress(*columns, console=self._console, transient=True)
        self._bars.append((bar, bar.add_task(stage.name, total=stage.total, status="")))
        bar.start()

    def update(self, stage: Stage) -> None:
        bar, task = self._bars[-1]
        bar.update(task, completed=stage.done, status=stage.status())

    def end(self, stage: Stage, finished: bool) -> None:
        self._bars.pop()[0].stop()
        if self._bars:
            self._bars[-1][0].start()
        if finished and stage.seconds >= stage.brief:
            self._console.print(f"[green]✓[/] {stage.name} [dim]{clock(stage.seconds)}[/]")

    def remark(self, message: str) -> None:
        self._console.print(message, style="dim", markup=False)

    def notice(self, message: str, hint: str | None) -> None:
        from rich.markup import escape

        self._console.print(f"[yellow]note:[/] {escape(message)}")
        if hint:
            self._console.print(f"[cyan]hint:[/] {escape(hint)}")


class _Cell(_Silent):
    """What a notebook shows below a cell: one table, which is updated in place."""

    def __init__(self) -> None:
        from IPython.display import display

        self._display: Any = display
        self._handle: Any = None
        self._lines: list[tuple[str, str]] = []
        """What has ended, and notes: a mark and a text."""
        self._stages: list[Stage] = []
        self._last = 0.0

    def _draw(self) -> None:
        from html import escape

        self._last = time.perf_counter()
        plain, rows = [], []
        for mark, text in self._lines:
            plain.append(f"{mark} {text}")
            rows.append(f"<tr><td>{mark}</td><td {_LEFT}>{escape(text)}</td></tr>")
        if self._stages:
            stage = self._stages[-1]
            share = "" if stage.fraction is None else f' value="{stage.fraction:.3f}"'
            text = f"{stage.name}: {stage.status()}"
            plain.append(f"… {text}")
            rows.append(
                f'<tr><td>…</td><td {_LEFT}>{escape(text)} <progress max="1"{share}></progress></td></tr>'
            )
        data = {"text/html": f"<table>{''.join(rows)}</table>", "text/plain": "\n".join(plain)}
        if self._handle is None:
            self._handle = self._display(data, raw=True, display_id=True)
        else:
            self._handle.update(data, raw=True)

    def begin(self, stage: Stage) -> None:
        self._stages.append(stage)
        self._draw()

    def update(self, stage: Stage) -> None:  # noqa: ARG002
        if time.perf_counter() - self._last >= _SECONDS_BETWEEN_DRAWINGS:
            self._draw()

    def end(self, stage: Stage, finished: bool) -> None:
        self._stages.pop()
        if finished and stage.seconds >= stage.brief:
            self._lines.append(("✓", f"{stage.name} {clock(stage.seconds)}"))
        self._draw()

    def remark(self, message: str) -> None:
        self._lines.append(("", message))
        self._draw()

    def notice(self, message: str, hint: str | None) -> None:
        self._lines.append(("note", message))
        if hint:
            self._lines.append(("hint", hint))
        self._draw()


def _in_notebook() -> bool:
    """Whether a kernel of Jupyter runs this program."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None


_display: ContextVar[_Silent] = ContextVar("firth_progress", default=_Silent())  # noqa: B039


@contextmanager
def stage(
    name: str, total: float | None = None, unit: str = "bytes", brief: float = 0.0
) -> Iterator[Stage]:
    """Show the progress of the work inside a ``with`` block; see the example of the module.

    Stages that take less than ``brief`` seconds leave no line.
    """
    check_interrupted()
    show = _display.get()
    work = Stage(name, total, unit, brief, show)
    show.begin(work)
    finished = False
    try:
        yield work
        finished = True
    finally:
        show.end(work, finished)


def remark(message: str) -> None:
    """Show something that is good to know, beside the progress: nothing is shown where that is not."""
    _display.get().remark(message)


def notice(message: str, hint: str | None = None) -> None:
    """Show a note to the user: on standard error inside ``show_progress``, else in the ``firth`` log."""
    _display.get().notice(message, hint)


@contextmanager
def silently(notices: bool = True) -> Iterator[None]:
    """Hide stages inside a ``with`` block, because they are steps of another stage; perhaps notices, too."""
    with _shown_by(_Silent() if notices else _Mute()):
        yield


@contextmanager
def watched(tell: Callable[[float], None]) -> Iterator[None]:
    """Call a function with the share of the work that is done, instead of showing it."""
    with _shown_by(_Watched(tell)):
        yield


def _display_on(stream: IO[str] | None) -> _Silent:
    if stream is None or stream.closed:
        return _Silent()
    return _Bar(stream) if stream.isatty() else _Lines(stream)


@contextmanager
def show_progress(stream: IO[str] | None = None) -> Iterator[None]:
    """Show progress inside a ``with`` block: a bar on a terminal or in a notebook, plain lines elsewhere.

    Parameters
    ----------
    stream : file, optional
        Where to write; by default standard error, or, in a notebook, below the cell.
    """
    in_cell = stream is None and _in_notebook()
    with _shown_by(_Cell() if in_cell else _display_on(stream or sys.stderr)):
        yield


@contextmanager
def _shown_by(display: _Silent) -> Iterator[None]:
    token = _display.set(display)
    try:
        yield
    finally:
        _display.reset(token)
