"""Interpreters and package folders of their own, for algorithms that exclude each other."""

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
