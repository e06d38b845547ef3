"""Whether an algorithm profits from where the optimum is: `timefair audit --bias`."""

from timefair.basics.extension import Extension

EXTENSION = Extension(
    __name__, commands="commands", files="commands", settings="commands", checklist="commands"
)
