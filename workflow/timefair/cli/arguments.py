"""What several commands share, also the checks of the files that a command reads and writes."""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import textwrap
from base64 import b64encode
from collections.abc import Callable, Collection, Iterable, Mapping
from errno import EIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from timefair.basics.disk import regular
from timefair.basics.errors import InputError, Interrupted, storing, unknown
from timefair.basics.threads import THREAD_VARIABLES as THREAD_VARIABLES
from timefair.basics.threads import measuring_environment as measuring_environment

if TYPE_CHECKING:
    import pandas as pd

    from timefair.campaign.configuration import Campaign
    from timefair.records.integrity import Origins

Entry = TypeVar("Entry")
Commands: TypeAlias = "argparse._SubParsersAction[Command]"  # where a module adds its commands
Argument: TypeAlias = tuple[list[str], dict[str, Any]]  # its names, and what argparse gets besides
Work: TypeAlias = Callable[[argparse.Namespace], int | None]
EXITS = {0: "done", 2: "the command line or a file is wrong; one line per fault"}
"""The meanings of the exit status, unless a command has meanings of its own."""

RESULTS: Mapping[str, Any] = {"type": Path, "metavar": "RESULTS", "help": "results/NAME"}
"""The argument that says which results a command is about."""

CONFIG: Mapping[str, Any] = {"type": Path, "metavar": "CONFIG", "help": "a campaign, in YAML"}
"""The argument that says which campaign file a command reads."""

_SNAPSHOT: Mapping[str, Any] = {"metavar": "SNAPSHOT", "help": "results/NAME/campaign.json"}
OF_CAMPAIGN: Mapping[str, Any] = {"type": Path, "required": True, **_SNAPSHOT}
"""The option ``--campaign`` of commands that the rules call."""

HELP_WIDTH = 79


def status_of(work: Callable[[], int | None]) -> int:
    """Do some work, print errors that concern the user, and return the exit status: its result, 0
    for None, 2 for input that the user can correct, and 128 plus the number of a signal.
    """
    try:
        with storing():
            status = work()
            sys.stdout.flush()
        return status or 0
    except InputError as error:
        complain(error.told)
        return 2
    except (Interrupted, KeyboardInterrupt) as stop:
        number = stop.number if isinstance(stop, Interrupted) else signal.SIGINT
        complain(f"timefair: {Interrupted(number)}")
        return 128 + number
    except BrokenPipeError:  # the reader, such as `head`, has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def complain(text: str) -> None:
    """Print a line to the standard error, if possible: a log may be on a disk that is full."""
    with contextlib.suppress(OSError):
        print(text, file=sys.stderr, flush=True)


def one_thread() -> None:
    """Limit libraries to one thread, before numpy is loaded: threads slow small computations."""
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))


def progress(what: str, done: int, jobs: int) -> None:
    """Print how many jobs are done, on a terminal only, and over the line before."""
    if sys.stderr.isatty():
        end = "\n" if done == jobs else "\r"
        print(f"{what} {done}/{jobs}  ", end=end, file=sys.stderr, flush=True)


def entry(argument: str, name: str, registry: Mapping[str, Entry], where: str = "") -> Entry:
    """Look up a name in a registry, listed `where`; `InputError` with the nearest name."""
    if name not in registry:
        raise InputError(f"{argument}: {unknown(name, registry, where)}")
    return registry[name]


def refuse_mixed(origins: Mapping[str, Origins], campaign: Campaign) -> None:
    """Say if runs are of several machines; `InputError` if that is not allowed."""
    from timefair.records.integrity import CONSENT, mixed, several_hosts

    clauses = mixed(origins)
    if clauses and campaign.statistics.mixed == "refuse":
        raise InputError(*(f"{clause}; {CONSENT}" for clause in clauses))
    for clause in clauses:
        print(f"timefair: mixed, as the campaign allows: {clause}", file=sys.stderr)
    if caution := several_hosts(origins):
        print(f"timefair: {caution}", file=sys.stderr)


class Command(argparse.ArgumentParser):
    """A parser with an example, command lines that work, and exit statuses beside `EXITS` in its
    help. `commands` are its own commands, if it has any: the formats of `timefair export`.
    """

    commands: Commands

    def __init__(
        self,
        *,
        description: str = "",
        example: str = "",
        exits: Mapping[int, str] | None = None,
        **given: Any,
    ) -> None:
        super().__init__(
            description=textwrap.fill(description, HELP_WIDTH),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            **given,
        )
        self.example = example
        self.exits = dict(sorted({**EXITS, **(exits or {})}.items()))
        meanings = [
            textwrap.fill(f"  {code}  {meaning}", HELP_WIDTH, subsequent_indent=" " * 5)
            for code, meaning in self.exits.items()
        ]
        shown = ["example:", textwrap.indent(example, "  "), ""] if example else []
        self.epilog = "\n".join([*shown, "exit status:", *meanings])


def argument(names: str, metavar: str = "", help: str = "", **given: Any) -> Argument:
    """An argument of a command, as argparse has it; an option may have two names."""
    return names.split(), {**({"metavar": metavar} if metavar else {}), "help": help, **given}


class Declared:
    """The commands of a module, in the order in which their functions are declared."""

    def __init__(self) -> None:
        self._all: list[tuple[Work, str, tuple[Argument, ...], dict[str, Any]]] = []

    def command(self, name: str, *arguments: Argument, **about: Any) -> Callable[[Work], Work]:
        """Declare a function as a command, or as a format of one: ``export coco``.

        Its docstring is the description; the rest of `about` is that of `Command`.
        """

        def declare(work: Work) -> Work:
            self._all.append((work, name, arguments, about))
            return work

        return declare

    def add_to(self, commands: Commands) -> None:
        for work, name, arguments, about in self._all:
            group, _, word = name.rpartition(" ")
            place = commands
            if group:
                top = commands.choices[group]
                if not hasattr(top, "commands"):
                    top.commands = top.add_subparsers(
                        title="formats", required=True, metavar="FORMAT"
                    )
                place = top.commands
            description = " ".join((work.__doc__ or "").split())
            command = place.add_parser(word, description=description, **about)
            for names, given in arguments:
                command.add_argument(*names, **given)
            command.set_defaults(command=work)


def cores_of(arguments: argparse.Namespace) -> int:
    """The number of cores of the option ``--cores``, by default all; `InputError` below 1."""
    if (cores := arguments.cores) is not None and cores < 1:
        raise InputError(f"--cores: {cores}: should be at least 1")
    return len(os.sched_getaffinity(0)) if cores is None else int(cores)


def prepare_files(paths: Iterable[Path], endings: Collection[str] = ()) -> None:
    """Make the folders of files that will be written, with `endings`, or refuse them."""
    paths = list(paths)
    if wrong := [path for path in paths if endings and path.suffix not in endings]:
        known = " or ".join(endings)
        raise InputError(*(f"--output: {path}: should end in {known}" for path in wrong))
    for path in paths:
        if path.is_dir():
            raise InputError(f"{path}: is a folder; name a file in it")
        prepare_folder(path.parent)
        if path.exists():
            _refuse_locked(path)


def prepare_folder(path: Path) -> None:
    """Make a folder for files, if it does not exist; `InputError` if that fails."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise InputError(f"{path}: is not a folder, and cannot be created") from None
    _refuse_locked(path)


def _refuse_locked(path: Path) -> None:
    if not os.access(path, os.W_OK):
        raise InputError(f"{path}: cannot be written; make it writable, or name another")


def read_table(path: Path, name: str) -> pd.DataFrame:
    """Read the table `name` from its Parquet file; `InputError` for anything else."""
    from timefair.exhibits import files
    from timefair.exhibits.registry import TABLES

    if not path.is_file():  # of a folder, pandas would read all files
        raise InputError(f"{path}: there is no such file")
    try:
        frame = files.read(path, TABLES[name].exhibit.columns)
    except OSError as error:
        raise InputError(f"{path}: {os.strerror(error.errno or EIO)}") from None
    except ValueError:
        raise InputError(f"{path}: not a table that timefair wrote") from None
    found = frame.attrs.get("table", name)
    if found != name:
        raise InputError(f"{path}: is the table {found}; should be {name}")
    return frame


def read_picture(path: Path) -> str:
    """An SVG or PNG as a ``data:`` address; `InputError` if it is neither, or cannot be read."""
    try:
        content = regular(path).read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    kind = "png" if content.startswith(b"\x89PNG\r\n\x1a\n") else "svg+xml"
    if kind != "png" and b"<svg" not in content:
        raise InputError(f"{path}: should be an SVG or PNG file")
    return f"data:image/{kind};base64,{b64encode(content).decode('ascii')}"
