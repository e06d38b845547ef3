"""`isolation: strict`: an algorithm has a process of its own, which cannot reach the problem."""

from timefair.basics.extension import Extension

EXTENSION = Extension(__name__, isolation={"strict": "solvers"})
