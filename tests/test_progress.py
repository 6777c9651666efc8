"""Progress: a bar on a terminal, plain lines elsewhere, nothing unless asked."""

from __future__ import annotations

import contextlib
import io
import logging

import pytest

from firth import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def work() -> None:
    with progress.stage("reading", 1000, "bytes") as stage:
        for _ in range(10):
            stage.advance(100, tokens=7)
    progress.notice("Look at this.", "Do that.")


def test_plain_lines_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LINES", 0.0)
    stream = io.StringIO()
    with progress.show_progress(stream):
        work()
    lines = stream.getvalue().splitlines()
    assert lines[0].startswith("reading: 10% 100 bytes of 1 kB, ")
    assert "tokens/s" in lines[0]
    assert lines[-3].startswith("reading: done in 0.")
    assert lines[-2:] == ["note: Look at this.", "hint: Do that."]
    assert "\r" not in stream.getvalue()
    assert "\x1b" not in stream.getvalue()


def test_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    with progress.show_progress(stream):
        work()
    assert "✓" in stream.getvalue()
    assert "reading" in stream.getvalue()
    assert "note:" in stream.getvalue()


def test_silence_unless_asked_and_notices_go_to_the_log(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "firth"):
        work()
    assert capsys.readouterr() == ("", "")
    assert "Look at this. (Do that.)" in caplog.text


def test_an_error_ends_a_stage_without_done() -> None:
    stream = io.StringIO()
    with progress.show_progress(stream), pytest.raises(RuntimeError), progress.stage("reading", 10):
        raise RuntimeError
    assert stream.getvalue() == ""


def test_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = progress.Stage("reading", 100, "bytes", 0.0, progress._Silent())
    stage.started -= 10
    stage.advance(25)
    assert "30.0 s left" in stage.status() or "30.1 s left" in stage.status()
    assert (
        progress.Stage("counting", None, "tokens", 0.0, progress._Silent()).status() == "0 tokens"
    )


def test_texts_in_memory_have_no_bytes() -> None:
    stage = progress.Stage("reading", None, "bytes", 0.0, progress._Silent())
    assert stage.status() == "0 bytes"
    stage.advance(0, tokens=1000)
    assert stage.status().endswith(" tokens/s")
    assert "bytes" not in stage.status()
    stage.advance(10)
    assert stage.status().startswith("10 bytes, ")


def test_an_interruption_that_is_lost_comes_again() -> None:
    with progress.stage("reading", 10) as stage:
        with contextlib.suppress(KeyboardInterrupt):
            progress.interrupt(KeyboardInterrupt())  # swallowed, as by a callback
        with pytest.raises(KeyboardInterrupt):
            stage.advance(1)
        stage.advance(1)  # and only once


def test_work_ends_when_it_is_no_longer_wanted() -> None:
    wanted = iter([True, True, False])
    done: list[float | None] = []
    with (
        progress.while_wanted(lambda: next(wanted)),
        progress.watched(done.append),
        pytest.raises(progress.CancelledError),
        progress.stage("work", 4) as stage,
    ):
        stage.advance(1)
        done.append(None)
        stage.advance(2)
    assert done == [0.25, None]


def test_an_interruption_is_for_the_main_program_alone() -> None:
    """Not for work that is done for somebody else, in another thread."""
    with contextlib.suppress(KeyboardInterrupt):
        progress.interrupt(KeyboardInterrupt())
    with progress.while_wanted(lambda: True):
        progress.check_interrupted()
    with pytest.raises(KeyboardInterrupt):
        progress.check_interrupted()
    progress.check_interrupted()


def test_a_stage_inside_another_leaves_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    out = Terminal()
    with progress.show_progress(out), progress.stage("outer", 10.0) as outer:
        outer.advance(1.0)
        with progress.stage("inner", 5.0) as inner:
            inner.advance(5.0)
        outer.advance(9.0)
    shown = out.getvalue()
    assert shown.count("\x1b[?25l") == shown.count("\x1b[?25h") == 3, (
        "every bar that began has ended"
    )
    assert shown.index("✓[0m inner".replace("[", "\x1b[")) < shown.index(
        "✓[0m outer".replace("[", "\x1b[")
    )
