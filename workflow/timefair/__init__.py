"""Restart-fair, wall-clock-fair benchmarking of black-box optimizers.

The package is what the Snakemake workflow runs; `timefair.statistics` is also meant to be used
alone. The rooms, from the ground up:

- `problems`, `algorithms`: what is measured, each behind one interface;
- `records`: what a run leaves behind, and how it is stored;
- `statistics`: arrays in, arrays out; imports nothing of the rest;
- `measure`: the clock, the instrumented objective, the runs;
- `tables`, `figures`: records to tidy frames, frames to pictures;
- `machine`: what the machine is, and what would spoil times on it;
- `config`, `plan`, `provenance`: the campaign, its jobs, and what code and machine made it;
- `cli`: the commands that the rules call.
"""


def __getattr__(name: str) -> str:
    """``__version__``, looked up when it is asked for: that takes as long as starting Python."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import version

    return version("timefair")
