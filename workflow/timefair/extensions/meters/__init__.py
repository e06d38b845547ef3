"""What a run costs besides time: instructions of the processor, and joules.

- `keys`: the key ``meters`` of a campaign, the meters of a job, and lines of `timefair check`;
- `tables`: expected costs to targets, and the electricity of a campaign.
"""

from timefair.basics.extension import Extension

EXTENSION = Extension(
    __name__,
    sections={"meters": "keys:Meters"},
    meters="keys",
    exhibits=("tables",),
    tables=("metered", "electricity"),
    check="keys",
)
