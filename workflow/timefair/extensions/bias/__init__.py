"""Whether an algorithm profits from where the optimum is: `timefair audit --bias`.

- `probe`: pairs of problems, noise, and the tests;
- `commands`: the option, and the file beside the runs, with its sentence in the checklist.
"""

from timefair.basics.extension import Extension

EXTENSION = Extension(
    __name__, commands="commands", files="commands", settings="commands", checklist="commands"
)
