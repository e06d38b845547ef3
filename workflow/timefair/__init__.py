"""Restart-fair, wall-clock-fair benchmarking of black-box optimizers.

The Snakemake workflow runs this package; `timefair.statistics` can also be used alone. Its parts,
each with a docstring of its own:

- what is measured: `problems`, `algorithms`, `environments`, `policies`, `tuners`;
- how: `measure`, `tuning`, `processes`, `machine`, `linux`, `external` (a client for programs);
- the campaign: `campaign`, `records`, `archive`, `claims`, `replay`, `selftest`, `versions`;
- data of others: `published`, `export`;
- the analysis: `rundata`, `statistics`, `training`, `exhibits`, `charts`, `latex`, `report`,
  `analysis`;
- the commands: `cli`; what all parts use: `basics`.
"""


def __getattr__(name: str) -> str:
    """``__version__``, looked up when it is requested: this takes as long as starting Python."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import version

    return version("timefair")
