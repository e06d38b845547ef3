"""Restart-fair, wall-clock-fair benchmarking of black-box optimizers.

The Snakemake workflow runs this package; `timefair.statistics` can also be used alone. Its parts,
each with a docstring of its own:

- what is measured: `problems`, `algorithms`, `environments`, `policies`;
- how: `measure`, `processes`, `machine`, `linux`, `external` (a client for programs);
- the campaign: `campaign`, `records`, `archive`, `claims`, `replay`, `selftest`, `versions`;
- data of others: `published`, `export`;
- the analysis: `rundata`, `statistics`, `training`, `exhibits`, `charts`, `latex`, `report`,
  `analysis`;
- for the user: the commands, `cli`; and `run`, `load` and `analyse` for Python, in `interface`;
- what all parts use: `basics`.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from timefair.interface import Results, analyse, load, run

__all__ = ["Results", "analyse", "load", "run"]


def __getattr__(name: str) -> Any:
    """What takes as long to load as starting Python is loaded when it is requested."""
    if name == "__version__":
        from importlib.metadata import version

        return version("timefair")
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from timefair import interface

    return getattr(interface, name)
