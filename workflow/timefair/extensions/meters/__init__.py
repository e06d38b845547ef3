"""What a run costs besides time: instructions of the processor, and joules."""

from timefair.basics.extension import Extension

EXTENSION = Extension(
    __name__,
    sections={"meters": "keys:Meters"},
    meters="keys",
    exhibits=("tables",),
    tables=("metered", "electricity"),
    check="keys",
)
