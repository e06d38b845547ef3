"""Restart-fair, wall-clock-fair benchmarking of black-box optimizers.

The Snakemake workflow runs this package; `timefair.statistics` can also be used alone. CONTRIBUTING
says what each room is for. For Python, there are `run`, `load` and `analyse`.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from timefair.cli.python import Results, analyse, load, run

__all__ = ["Results", "analyse", "load", "run"]


def __getattr__(name: str) -> Any:
    """What takes as long to load as starting Python is loaded when it is requested."""
    if name == "__version__":
        from importlib.metadata import version

        return version("timefair")
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from timefair.cli import python

    return getattr(python, name)
