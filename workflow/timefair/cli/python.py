"""Runs a campaign, or analyses a table, from Python, and loads the results."""

from __future__ import annotations

import ast
import inspect
import signal
import subprocess
import symtable
import sys
import tempfile
import textwrap
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from html import escape
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import yaml

from timefair.basics import user_code
from timefair.basics.disk import atomic_file
from timefair.basics.errors import LIST_OF_TABLES, InputError
from timefair.cli.campaigns import StatusLine

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from timefair.campaign.configuration import Campaign

FRAME = '<iframe srcdoc="{page}" style="width: 100%; height: 720px; border: 0"></iframe>'


class Results:
    """The results in a folder ``results/NAME``, in a notebook shown as verdict and two pictures.

    They are those of a campaign or of analysed tables. `InputError` if the folder has none.
    """

    def __init__(self, folder: str | Path) -> None:
        from timefair.campaign import plan

        self.folder = Path(folder)
        self._snapshot = self.folder / plan.SNAPSHOT
        if not self._snapshot.is_file():
            raise InputError(f"{self.folder}: has no results; name results/NAME")

    @property
    def verdict(self) -> list[str]:
        """The verdict of each suite and dimension, and failed runs; none without a report."""
        from timefair.report import read_description

        return read_description(self.folder / "report.html")

    def table(self, name: str, only: Collection[str] = ()) -> pd.DataFrame:
        """A table such as ``ert``, read from the results or, if it was not requested, made.

        It has one row per key, with the columns of the reference of tables; numbers that are
        unknown are NaN, times that no run reached are `inf`. With `only`, it is made from the runs
        of these algorithms. `InputError` if there is no such table, or no run is collected.

        >>> timefair.load("results/default").table("ert")  # doctest: +SKIP
        """
        from timefair.cli.arguments import entry
        from timefair.exhibits.registry import TABLES
        from timefair.exhibits.unknown_optimum import in_files

        entry("table", name, TABLES, LIST_OF_TABLES)
        return in_files(self._table(name, only))

    def figure(self, name: str, page: str | None = None) -> Figure:
        """A figure such as ``ecdf``, drawn from its table; of several pages, the first one or
        `page`. `InputError` if there is no such figure or page, or no run is collected.
        """
        from matplotlib.figure import Figure

        from timefair.cli.arguments import entry
        from timefair.exhibits.charts import style
        from timefair.exhibits.registry import FIGURES

        draw = entry("figure", name, FIGURES, LIST_OF_TABLES)
        frame = self._table(draw.table)
        pages = {one.name: one for one in draw.pages_of(frame)}
        chosen = next(iter(pages.values())) if page is None else entry("page", page, pages)
        # A notebook shows figures that pyplot has not made, unless the user has chosen how.
        ipython = sys.modules.get("IPython")
        shell = ipython and ipython.get_ipython()
        if shell and Figure not in shell.display_formatter.formatters["image/png"].type_printers:
            from IPython.core.pylabtools import (  # type: ignore[import-not-found]
                select_figure_formats,
            )

            select_figure_formats(shell, {"png"})
        with style.applied():
            return draw(frame, chosen)

    def report(self) -> Path:
        """The path of the report page; `InputError` if none was made."""
        path = self.folder / "report.html"
        if not path.is_file():
            raise InputError(f"{path}: was not made")
        return path

    def __repr__(self) -> str:
        return "\n".join([*self.verdict, f"Results({str(self.folder)!r})"])

    def _repr_html_(self) -> str:
        from timefair.report import first_screen

        return FRAME.format(page=escape(first_screen(self.report())))

    @cached_property
    def campaign(self) -> Campaign:
        from timefair.campaign import configuration

        return configuration.restore(self._snapshot)

    def _table(self, name: str, only: Collection[str] = ()) -> pd.DataFrame:
        """A table with the names of measures that exhibits read."""
        from timefair.analysis import maker
        from timefair.campaign import collected
        from timefair.cli.analysing import together
        from timefair.cli.arguments import entry, read_table
        from timefair.exhibits.charts.pages import ORDER
        from timefair.records.rundata.problems import MOST_COLOURS

        path, campaign = self.folder / "tables" / f"{name}.parquet", self.campaign
        if path.exists() and not only:
            return read_table(path, name)
        files = {path.stem: path for path in collected.in_folder(self.folder, campaign)}
        chosen = [entry("algorithm", label, files) for label in dict.fromkeys(only or files)]
        frame = maker(campaign, self.folder, together(chosen, campaign))(name)
        if only and len(campaign.algorithms) <= MOST_COLOURS:  # their colours in the campaign
            frame.attrs[ORDER] = [*sorted(campaign.algorithms), *sorted(campaign.published)]
        return frame


def load(folder: str | Path) -> Results:
    """The results of a campaign that was measured, or of tables that were analysed, in a folder
    ``results/NAME``. `InputError` if it has none.

    >>> timefair.load("results/default").verdict  # doctest: +SKIP
    """
    return Results(folder)


HEADER = '"""The function {name}, written by timefair.run, which overwrites changes."""\n\n'
INSTEAD = "write it to a file, and give its name, FILE.py:FUNCTION"


def place_of(function: Callable[..., Any], path: Path, files: dict[Path, str]) -> str:
    """The place of a function, as a campaign names it: ``module:name`` or ``file.py:name``.

    Of an interactive function, `files` gets the content of `path`, which `write` writes.
    `InputError` if a file cannot define what it needs.
    """
    if not isinstance(function, FunctionType):
        raise InputError(f"{function!r}: should be a function or a name; {INSTEAD}")
    name, module = function.__name__, sys.modules.get(function.__module__)
    file = getattr(module, "__file__", None)
    if module and module.__name__ != "__main__" and file and hasattr(module, name):
        if module.__package__:
            return f"{module.__name__}:{name}"
        place, here = Path(file).resolve(), Path.cwd()
        return f"{place.relative_to(here) if place.is_relative_to(here) else place}:{name}"
    parts: dict[str, str] = {}
    _add_source(name, function, parts)
    files[path] = HEADER.format(name=name) + "".join(parts.values())
    return f"{path}:{name}"


def write(files: Mapping[Path, str]) -> None:
    """Write files, and forget what was loaded from them."""
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(path) as written:
            written.write(content.encode())
        user_code.forget(str(path))


def _add_source(name: str, value: Any, parts: dict[str, str], user: str = "") -> None:
    """Add the source of what a name means, for its `user`, after the parts that it needs."""
    if name in parts:
        return
    module = getattr(value, "__module__", None)
    if isinstance(value, ModuleType):
        parts[name] = f"import {value.__name__} as {name}\n"
    elif module not in ("__main__", None) and hasattr(
        sys.modules.get(module), getattr(value, "__name__", "")
    ):
        parts[name] = f"from {module} import {value.__name__} as {name}\n"
    elif isinstance(value, FunctionType):
        _add_function(name, value, parts)
    elif _is_constant(value):
        parts[name] = f"{name} = {value!r}\n"
    else:
        kind = f"a {type(value).__name__}, which cannot be written to a file"
        raise InputError(f"{user}: uses {name}, {kind}; {INSTEAD}")


def _add_function(name: str, function: FunctionType, parts: dict[str, str]) -> None:
    """Add the source of a function, with its attributes."""
    if function.__closure__ or function.__name__ == "<lambda>":
        what = "a lambda" if function.__name__ == "<lambda>" else "made within a function"
        raise InputError(f"{name}: is {what}, which cannot be written to a file; {INSTEAD}")
    try:
        source = textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        raise InputError(f"{name}: its source is unknown; {INSTEAD}") from None
    parts[name] = ""  # it may use itself
    known = function.__globals__
    for used in sorted({*_global_names(symtable.symtable(source, name, "exec"))} & known.keys()):
        if used != function.__name__:
            _add_source(used, known[used], parts, name)
    if function.__name__ != name:
        source += f"\n\n{name} = {function.__name__}\n"
    for key, value in vars(function).items():
        said = repr(value)
        if not _is_constant(value):
            said = getattr(value, "__name__", key)
            _add_source(said, value, parts, name)
        source += f"{name}.{key} = {said}\n"
    del parts[name]  # so that it stands after all that it uses
    parts[name] = f"\n\n{source}\n\n"


def _global_names(scope: symtable.SymbolTable) -> Iterator[str]:
    """The names that a source looks up outside its functions and classes."""
    whole = scope.get_type() == "module"
    for symbol in scope.get_symbols():
        if symbol.is_referenced() and (whole or symbol.is_global()):
            yield symbol.get_name()
    for inner in scope.get_children():
        yield from _global_names(inner)


def _is_constant(value: Any) -> bool:
    """Whether a value is what its `repr` says."""
    try:
        return bool(ast.literal_eval(repr(value)) == value)
    except (ValueError, SyntaxError):
        return False


FAULT = "timefair: "  # the beginning of the lines in which timefair says what is wrong
Numbers = int | str | list[int] | range
CAMPAIGNS = Path("campaigns")  # for the campaign files that `run` writes, and their functions


def run(
    algorithms: Mapping[str, str | Callable[..., Any] | Mapping[str, Any]],
    *,
    suite: str | Callable[..., Any] = "bbob",
    functions: Numbers = 1,
    dimensions: Numbers | None = None,
    instances: Numbers = 1,
    time_s: float | None = None,
    evaluations: int | None = None,
    runs: int | None = None,
    name: str = "run",
    cores: int | None = None,
    **keys: Any,
) -> Results:
    """Run a campaign in the working directory, as `snakemake` does, and load its results.

    The campaign is written to ``campaigns/NAME/campaign.yaml``, its results are in
    ``results/NAME``. What is measured is not measured again: after a stop, the same call goes on.

    - `algorithms`: By label: the name of an algorithm (``timefair algorithms`` lists them), a
      function ``solve(objective, rng)``, or the keys of an algorithm in a campaign file, of which
      `use` is a name or function. A function that a notebook or script has defined is written to a
      file, with all that it uses.
    - `suite`: The name of a suite, or a function of an array of shape (dimension,), with the
      attributes `lower` and `upper`.
    - `functions`, `dimensions`, `instances`: Numbers: one, a list, a range, or text such as
      ``"1-5,20"``. Without `dimensions`, each function is in its own, if the suite has such ones.
    - `time_s`, `evaluations`: The budget of a run: seconds of wall-clock time, evaluations, or the
      first of both.
    - `runs`: The number of runs of an algorithm on an instance; None: 15.
    - `name`, `cores`: Name of the campaign; cores for runs at the same time, None: all.
    - `keys`: Further keys of the campaign file, such as ``targets=[1, 1e-3]``.

    `InputError` if something in the campaign is wrong, one line per fault; or if a job has failed.

    >>> timefair.run(
    ...     {"DE": "scipy:differential_evolution", "walk": "timefair:random-search"},
    ...     functions=[1, 8], dimensions=2, evaluations=200, runs=5,
    ... )  # doctest: +SKIP
    """
    from timefair.campaign import configuration, scaffold

    folder, files = CAMPAIGNS / f"{name}", dict[Path, str]()

    def placed(path: str, value: Any) -> Any:
        """A name as it is, or where a function is defined; of keys, with their `use` as that."""
        if isinstance(value, Mapping):
            return {k: placed(path, v) if k == "use" else v for k, v in value.items()}
        return value if isinstance(value, str) else place_of(value, folder / path, files)

    def given(**values: Any) -> dict[str, Any]:
        lists = {k: list(v) if isinstance(v, range) else v for k, v in values.items()}
        return {key: value for key, value in lists.items() if value is not None}

    asked: dict[str, Any] = {
        "name": name,
        "problems": {
            "suite": placed("problems.py", suite),
            **given(functions=functions, dimensions=dimensions, instances=instances),
        },
        "algorithms": {
            label: placed(f"algorithms/{label}.py", use) for label, use in algorithms.items()
        },
        "budget": given(time_s=time_s, evaluations=evaluations),
        **given(runs=runs),
        **keys,
    }
    configuration.check_keys(asked)
    write(files)
    configuration.parse(asked)
    config = folder / "campaign.yaml"
    write({config: yaml.safe_dump(asked, sort_keys=False)})
    _watched(scaffold.command(config, cores or "all"), name)
    return Results(Path("results") / name)


def analyse(frame: pd.DataFrame, *, name: str = "analysis", **keys: Any) -> Results:
    """Analyse runs that you have timed yourself; the results are in ``results/NAME``.

    The frame has one row per improvement or evaluation, with the columns of ``timefair analyse``:
    `algorithm`, `function`, `dimension`, `instance`, `run`, `evaluations`, `seconds`, `value` and
    `optimum`. Keys are settings of the analysis as in a campaign file, such as
    ``targets=[1, 1e-3]``. `InputError` if the name, the table or a setting is wrong.

    >>> timefair.analyse(pd.read_csv("loop.csv"), name="loop")  # doctest: +SKIP
    """
    from timefair.campaign import configuration

    if not hasattr(frame, "to_parquet"):
        raise InputError(f"frame: is of type {type(frame).__name__}; should be a pandas DataFrame")
    configuration.check_name(name)
    folder = Path("results") / name
    with tempfile.TemporaryDirectory() as place:
        table, settings = Path(place) / f"{name}.parquet", Path(place) / "settings.yaml"
        frame.to_parquet(table, index=False)
        settings.write_text(yaml.safe_dump(keys), encoding="utf-8")
        chosen = ["--settings", str(settings)] if keys else []
        command = [sys.executable, "-P", "-m", "timefair", "analyse", table.name, "--output"]
        _watched([*command, str(folder.resolve()), *chosen], within=place)
    return Results(folder)


def _watched(command: list[str], state: str | None = None, within: str | None = None) -> None:
    """Run a command, and show what it prints; lines that begin with `state` replace each other.

    `InputError` with its lines about what is wrong, if it fails.
    """
    line = StatusLine(sys.stdout, terminal=sys.stdout.isatty() or "IPython" in sys.modules)
    faults: list[str] = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=within,
        start_new_session=True,
    ) as process:  # fmt: skip
        lines, here = process.stdout, f"{Path.cwd()}/"
        assert lines is not None

        def show() -> None:
            for text in (text.rstrip().replace(here, "") for text in lines):
                if state is not None and text.startswith(f"{state}: "):
                    line.show(text)
                elif text and not text.startswith("Using workflow specific profile"):
                    line.above(text)
                    if text.startswith(FAULT):
                        faults.append(text.removeprefix(FAULT))

        try:
            show()
        except KeyboardInterrupt:
            process.send_signal(signal.SIGINT)
            show()
            raise
        finally:
            line.end()
    if process.returncode:
        raise InputError(*(faults or [f"{command[3]} ended with status {process.returncode}"]))
