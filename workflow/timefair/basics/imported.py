"""Imports a module of the user's, and notes what it does besides defining functions."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import time
import warnings as python_warnings
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, NamedTuple

from timefair.basics.errors import InputError, Interrupted, described
from timefair.basics.threads import noted

LONG_S = 3.0
"""An import that takes longer gets a warning."""

GUARD = 'put what it does as a script below `if __name__ == "__main__":`'

_SHOWN = 40
_LONGEST_WARNING = 200


class Import(NamedTuple):
    """What the first import of a module did.

    Attributes
    ----------
    seconds
        Wall clock.
    printed
        The beginning of what it printed through Python's ``sys.stdout`` and ``sys.stderr``.
    warned
        The kind and text of its first warning; empty without one.
    left_folder
        Whether it changed the working directory, which was then changed back.
    """

    seconds: float
    printed: str
    warned: str
    left_folder: bool

    def warnings(self, place: str) -> Iterator[str]:
        """One line for each thing that a module should not do when it is imported."""
        if self.printed:
            shown = self.printed if len(self.printed) <= _SHOWN else self.printed[:_SHOWN] + "..."
            yield f"{place} prints {shown!r} when it is imported, at every start; {GUARD}"
        if self.warned:
            yield f"{place} has a warning when it is imported: {self.warned}"
        if self.seconds > LONG_S:
            yield (
                f"{place} takes {self.seconds:.1f} s to import, at every start; {GUARD}, "
                "or into solve.prepare"
            )
        if self.left_folder:
            yield f"{place} changes the working directory when it is imported; {GUARD}"


_imports: dict[str, Import] = {}
"""By the name of the module."""


def watched_import(place: str, name: str, load: Callable[[], ModuleType]) -> ModuleType:
    """Import a module, and note what it does.

    The module sees its own name alone as ``sys.argv``, so that it does not read the arguments of
    timefair or of Snakemake. What it prints is not shown, and how it sets up logging is undone:
    it would show the messages of Snakemake.

    Parameters
    ----------
    place
        The module or file, as the user names it.
    name
        The name of the module, which is the same for all paths to a file.
    load
        Imports it. What it raises besides `InputError` becomes one.

    Raises
    ------
    InputError
        If the module cannot be imported or ends the interpreter.
    """
    start, folder, arguments = time.monotonic(), os.getcwd(), sys.argv
    sys.argv = [place]
    try:
        with _muffled() as heard, _warnings_kept() as warned, _logging_kept(), noted():
            module = load()
    except (InputError, Interrupted, KeyboardInterrupt):
        raise
    except SystemExit as stop:
        raise InputError(
            f"{place} ends the interpreter when it is imported ({_exit(stop)}); {GUARD}"
        ) from None
    except BaseException as error:
        raise InputError(f"{place} cannot be imported: {described(error)}") from error
    finally:
        sys.argv = arguments
        left = _return_to(folder)
    if name not in _imports:
        printed = " ".join("".join(stream.kept for stream in heard).split())
        _imports[name] = Import(time.monotonic() - start, printed, "".join(warned[:1]), left)
    return module


def warnings(place: str, name: str) -> list[str]:
    """Warnings about a module that this process has imported, one line each.

    `place` and `name` are those of `watched_import`.
    """
    return list(_imports[name].warnings(place)) if name in _imports else []


def seconds(name: str) -> float:
    """Seconds that the first import of a module took; 0 if this process has not imported it."""
    return _imports[name].seconds if name in _imports else 0.0


def _exit(stop: SystemExit) -> str:
    words = "" if stop.code is None else " ".join(str(stop.code).split())[:_SHOWN]
    return f"sys.exit({words})"


def _return_to(folder: str) -> bool:
    """Go back to the working directory; return whether another one was current."""
    try:
        if os.getcwd() == folder:
            return False
    except OSError:  # it is in a folder that has been removed
        pass
    os.chdir(folder)
    return True


@contextlib.contextmanager
def _warnings_kept() -> Iterator[list[str]]:
    """Keep warnings instead of writing them, as their kind and text."""
    kept: list[str] = []

    def keep(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        kept.append(f"{category.__name__}: {' '.join(str(message).split())}"[:_LONGEST_WARNING])

    shown, python_warnings.showwarning = python_warnings.showwarning, keep
    try:
        yield kept
    finally:
        if python_warnings.showwarning is keep:  # the module may have its own
            python_warnings.showwarning = shown


@contextlib.contextmanager
def _logging_kept() -> Iterator[None]:
    """Give the root logger its handlers and level again, and the other loggers their voice."""
    root, loggers = logging.getLogger(), logging.Logger.manager.loggerDict
    handlers, level, off = root.handlers[:], root.level, root.manager.disable
    known = (logger for logger in loggers.values() if isinstance(logger, logging.Logger))
    heard = [logger for logger in known if not logger.disabled]
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
        logging.disable(off)
        for logger in heard:
            logger.disabled = False


class _Muffled:
    """A stream that keeps the beginning of its text instead of writing it, until it is let through.

    A module may store the stream, for example in a logging handler: the stream works later.
    """

    def __init__(self, stream: Any) -> None:
        self._stream, self.kept, self.let_through = stream, "", False

    def write(self, text: str) -> int:
        if self.let_through:
            written: int = self._stream.write(text)
            return written
        self.kept += text[: max(2 * _SHOWN - len(self.kept), 0)]
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextlib.contextmanager
def _muffled() -> Iterator[tuple[_Muffled, _Muffled]]:
    out, err = _Muffled(sys.stdout), _Muffled(sys.stderr)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            yield out, err
        finally:
            out.let_through = err.let_through = True
