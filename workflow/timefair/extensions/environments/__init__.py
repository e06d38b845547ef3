"""Interpreters and package folders of their own for algorithms that cannot be installed together.
The job of such an algorithm is the same `timefair measure`, run by its interpreter. `interpreters`
starts it and asks it for what the plan and the checks need.
"""

from timefair.basics.extension import Extension

EXTENSION = Extension(
    __name__,
    commands="interpreters",
    sections={"algorithms.python": "interpreters:Python", "algorithms.path": "interpreters:Folder"},
    check="interpreters",
    interpreter="interpreters",
    elsewhere="interpreters",
    decisive="interpreters",
    facts="interpreters",
)
