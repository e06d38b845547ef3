"""A question that is registered before the first run: `timefair register`."""

from timefair.basics.extension import Extension

EXTENSION = Extension(
    __name__,
    commands="commands",
    groups={"register": "plan"},
    sections={"registered": "section:Registered"},
    exhibits=("tables",),
    reported=("registered", "deviations"),
    before_runs="registration",
    files="registration",
    verifying="registration",
    settings="registration",
    checklist="tables",
    parts="tables",
    check="commands",
)
