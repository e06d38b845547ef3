"""Whether an algorithm profits from where the optimum is: `timefair audit --bias`.

- `probe`: pairs of problems, noise, and the tests;
- `commands`: the option, and the file that keeps what was found beside the runs of a campaign;
- `kept`: that file, and its sentence in the checklist, and so in the report.
"""

from timefair.basics.extension import Extension

EXTENSION = Extension(
    __name__, commands="commands", files="kept", settings="kept", checklist="kept"
)
