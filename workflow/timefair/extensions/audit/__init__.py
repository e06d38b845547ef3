"""How algorithms behave, and whether they profit from where the optimum is: `timefair audit`."""

from timefair.basics.extension import Extension

EXTENSION = Extension(
    __name__,
    commands="commands",
    groups={"audit": "plan"},
    files="commands",
    settings="commands",
    checklist="commands",
)
