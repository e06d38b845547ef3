"""A line of a terminal that is kept up to date."""

from __future__ import annotations

import shutil
from typing import TextIO


class StatusLine:
    """A line that in a terminal takes the place of the last one; elsewhere it is added if new.

    Parameters
    ----------
    stream
        Where it is printed.

    Attributes
    ----------
    terminal
        Whether the stream is one.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream, self.terminal = stream, stream.isatty()
        self._last = ""

    def show(self, text: str) -> None:
        """Print a new state."""
        if text != self._last:
            self._write(f"\r\x1b[K{_fitted(text)}" if self.terminal else f"{text}\n")
        self._last = text

    def above(self, text: str) -> None:
        """Print something else, above the line."""
        self._write(f"\r\x1b[K{text}\n{_fitted(self._last)}" if self.terminal else f"{text}\n")

    def end(self) -> None:
        """Leave the last state in its place, with all that did not fit."""
        if self.terminal and self._last:
            fits = _fitted(self._last) == self._last
            self._write("\n" if fits else f"\r\x1b[K{self._last}\n")
        self._last = ""

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def _fitted(text: str) -> str:
    return text[: shutil.get_terminal_size().columns - 1]
