"""Parses the text after ``external:``: a program and its arguments, as in a shell."""

from __future__ import annotations

import os
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

from timefair.basics.errors import InputError


@dataclass(frozen=True)
class CommandLine:
    """A command that can be started from any folder.

    `arguments` begin with the program. The program, and each argument that is an existing file, are
    absolute paths. `files` has these paths.
    """

    arguments: tuple[str, ...]
    files: tuple[Path, ...]


def parse(text: str) -> CommandLine:
    """Split a command as a shell does; InputError if it cannot be started.

    Nothing is expanded: no variables, no ``~``, no patterns.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise InputError(f"{text!r} cannot be split into words: {error}") from None
    if not words:
        raise InputError("'external:' needs a command: external:./solver --flag")
    program = _program(words[0])
    arguments = [os.path.abspath(word) if os.path.isfile(word) else word for word in words[1:]]
    files = [Path(word) for word in (program, *arguments) if os.path.isabs(word)]
    return CommandLine((program, *arguments), tuple(file for file in files if file.is_file()))


def _program(word: str) -> str:
    if "/" in word:
        if not os.path.isfile(word):
            raise InputError(f"there is no file {word!r}")
        if not os.access(word, os.X_OK):
            raise InputError(f"{word!r} is not executable: chmod +x {word}")
        return os.path.abspath(word)
    found = shutil.which(word)
    if found is None:
        here = f"; this folder's is ./{word}" if os.path.isfile(word) else ""
        raise InputError(f"there is no command {word!r} on the PATH{here}")
    return os.path.abspath(found)
