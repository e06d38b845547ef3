"""Where the order of two algorithms turns: at another evaluation cost, or with faster own code.

- `lines`: the crossing of two ERTs as lines in a factor, and its confidence set;
- `crossovers`: the evaluation cost at which two algorithms have the same ERT;
- `own_time`: the time that algorithms themselves take up to each target;
- `implementation`: the own-time factor at which two algorithms have the same ERT;
- `figure`, `verdict`: what readers see.
"""

from timefair.basics.extension import Extension

EXTENSION = Extension(
    __name__, exhibits=("crossovers", "implementation"), checklist="verdict", findings="verdict"
)
