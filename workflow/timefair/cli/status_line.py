"""A line that shows the current state of a command."""

from __future__ import annotations

import shutil
from typing import TextIO


class StatusLine:
    """A line of text that changes with the state of a command.

    In a terminal, a new state overwrites the previous one. Elsewhere, it is a new line.

    Parameters
    ----------
    stream
        The stream to which the line is written.
    terminal
        Whether the stream is a terminal, or one that overwrites lines as well; None: ask it.
    """

    def __init__(self, stream: TextIO, *, terminal: bool | None = None) -> None:
        self._stream = stream
        self.terminal = stream.isatty() if terminal is None else terminal
        self._last = ""

    def show(self, text: str) -> None:
        """Print a state, unless it is the last one."""
        if text != self._last:
            self._write(f"\r\x1b[K{_fitted(text)}" if self.terminal else f"{text}\n")
        self._last = text

    def above(self, text: str) -> None:
        """Print another text above the line."""
        self._write(f"\r\x1b[K{text}\n{_fitted(self._last)}" if self.terminal else f"{text}\n")

    def end(self) -> None:
        """End the line; print the last state completely if it did not fit into the terminal."""
        if self.terminal and self._last:
            fits = _fitted(self._last) == self._last
            self._write("\n" if fits else f"\r\x1b[K{self._last}\n")
        self._last = ""

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def _fitted(text: str) -> str:
    return text[: shutil.get_terminal_size().columns - 1]
