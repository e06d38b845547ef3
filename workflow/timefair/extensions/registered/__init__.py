"""A question that is registered before the first run: `timefair register`.

- `section`: the key `registered` of a campaign;
- `registration`: the file that registers it, what is asked of that file later, and what deviates;
- `tables`, `page`: the answer and the deviations, as tables and on the page.
"""

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
    parts="page",
    check="commands",
)
