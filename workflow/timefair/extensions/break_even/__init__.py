"""Where the order of two algorithms turns: at another evaluation cost, or with faster own code.

- `crossovers`: the evaluation cost at which two algorithms have the same ERT: a crossing of lines;
- `implementation`: the own-time factor at which two algorithms have the same ERT;
- `figure`: its figure.
"""

from timefair.basics.extension import Extension

EXTENSION = Extension(
    __name__,
    exhibits=("crossovers", "implementation"),
    checklist="implementation",
    findings="implementation",
)
